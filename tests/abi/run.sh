#!/bin/sh
# Runs the programs of this folder against the C library: tests/abi/run.sh [release|debug]. Needs Go, a C compiler and a
# JDK of 22 or newer, which is looked for in JAVA_HOME, on the path and below /usr/lib/jvm.
set -eu

profile=${1:-release}
case $profile in
release) flags=--release ;;
debug) flags= ;;
*)
    echo "usage: $0 [release|debug]" >&2
    exit 2
    ;;
esac

root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/abi
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/abi
mkdir -p "$out"
cd "$root"
# shellcheck disable=SC2086 # no profile is no argument
cargo build --quiet --package shardway-ffi $flags
ffi/install.sh "$out/prefix" "$target/$profile"
lib=$out/prefix/lib

awk -f "$here/declarations.awk" "$here/shardway-0.1.h" | sort -u >"$out/frozen.txt"
awk -f "$here/declarations.awk" include/shardway.h | sort -u >"$out/current.txt"
comm -23 "$out/frozen.txt" "$out/current.txt" >"$out/gone.txt"
if [ -s "$out/gone.txt" ]; then
    echo "declarations of the first release that are gone or changed:" >&2
    cat "$out/gone.txt" >&2
    exit 1
fi
echo "$(wc -l <"$out/frozen.txt") declarations of the first release are as they were"
${CC:-cc} -Wall -Wextra -Werror -I"$here" "$here/old_client.c" -o "$out/old_client" -L"$lib" -lshardway -Wl,-rpath,"$lib"
"$out/old_client"

(
    cd "$here/go"
    CGO_CFLAGS=-I$out/prefix/include CGO_LDFLAGS="-L$lib -lshardway -Wl,-rpath,$lib" GOCACHE=$out/go-cache GOFLAGS=-mod=mod \
        go build -o "$out/go-abi" .
)
"$out/go-abi" tests/vectors

java=
for home in "${JAVA_HOME:-}" "$(dirname "$(dirname "$(readlink -f "$(command -v java || echo /none/none)")")")" /usr/lib/jvm/*; do
    [ -x "$home/bin/java" ] || continue
    major=$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    if [ "${major:-0}" -ge 22 ]; then
        java=$home/bin/java
        break
    fi
done
if [ -z "$java" ]; then
    echo "a JDK of 22 or newer is needed (java.lang.foreign); set JAVA_HOME to one" >&2
    exit 1
fi
"$java" --enable-native-access=ALL-UNNAMED "$here/java/Vectors.java" "$lib/libshardway.so" tests/vectors
