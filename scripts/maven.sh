#!/usr/bin/env bash
# Runs Maven and prints how the tests ended and what went wrong, without the rest; its exit code is Maven's.
#   scripts/maven.sh COMMAND...
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" >"$log" 2>&1
code=$?
grep -E '^\[(ERROR|WARNING)\]|^\[INFO\] (Tests run:|BUILD )|^(vectors|scenarios): ' "$log" || [ "$code" -eq 0 ] || tail -n 30 "$log"
exit "$code"
