#!/usr/bin/env bash
# Fails, with the difference, where gofmt would change a file of the folders given.
set -euo pipefail
different=$(gofmt -d "$@")
[ -z "$different" ] || { echo "$different"; exit 1; }
