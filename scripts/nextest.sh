#!/usr/bin/env bash
# Puts cargo-nextest of one version into .tools/bin: linked if the machine has it, else built.
#   scripts/nextest.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1

has_version() {
    [ "$("$1" nextest --version 2>/dev/null | awk 'NR == 1 { print $2 }')" = "$version" ]
}

mkdir -p .tools/bin
if [ -x .tools/bin/cargo-nextest ] && has_version .tools/bin/cargo-nextest; then
    exit 0
fi
rm -f .tools/bin/cargo-nextest
if found=$(command -v cargo-nextest) && has_version "$found"; then
    ln -s "$found" .tools/bin/cargo-nextest
    exit 0
fi

echo "building cargo-nextest $version, once (about 3 minutes on 2 cores)"
# It only starts the tests and reads what they print: a build without optimisation serves as well and
# takes a third of the time.
unset CARGO_TARGET_DIR
export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
cargo install --quiet --locked --root .tools --no-default-features --features default-no-update \
    --version "=$version" cargo-nextest
