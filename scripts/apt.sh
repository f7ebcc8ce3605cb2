#!/usr/bin/env bash
# Installs what is missing from Debian's packages, and nothing else.
#   scripts/apt.sh PROBE:PACKAGE...
# PROBE is what the package brings: a command, or the absolute path of a file. Where every probe is
# there, however it came, nothing is asked of apt. Exit 1 with the packages named if it cannot.
set -euo pipefail

missing=()
for pair in "$@"; do
    probe=${pair%%:*}
    case $probe in
        /*) [ -e "$probe" ] || missing+=("${pair#*:}") ;;
        *) command -v "$probe" >/dev/null 2>&1 || missing+=("${pair#*:}") ;;
    esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

refuse() {
    echo "shardway needs these Debian packages: ${missing[*]}" >&2
    echo "$1 Please install them and run the same command again." >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 || refuse "There is no apt-get here."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || refuse "This user is not root and may not use sudo without a password."
    as_root=(sudo -n)
fi

echo "installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends \
    "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    refuse "apt-get failed (above)."
fi
