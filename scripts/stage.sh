#!/usr/bin/env bash
# Runs one stage of a target and says how it ended and how long it took.
#   scripts/stage.sh NAME COMMAND...
set -uo pipefail
name=$1
shift
printf '\n--- %s\n' "$name"
start=$SECONDS
"$@"
code=$?
if [ "$code" -eq 0 ]; then
    printf -- '--- %s: ok, %d s\n' "$name" $((SECONDS - start))
else
    printf -- '--- %s: FAILED with exit code %d after %d s\n' "$name" "$code" $((SECONDS - start)) >&2
fi
exit "$code"
