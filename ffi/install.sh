#!/bin/sh
# Installs the C library that cargo built: ffi/install.sh PREFIX [FOLDER], where FOLDER has libshardway.so and
# libshardway.a (by default that of a release build). Afterwards `pkg-config --cflags --libs shardway` finds it
# if PKG_CONFIG_PATH has PREFIX/lib/pkgconfig.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: $0 PREFIX [FOLDER]" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
built=${2:-${CARGO_TARGET_DIR:-$root/target}/release}
mkdir -p "$1/lib/pkgconfig" "$1/include"
prefix=$(cd "$1" && pwd)

# Programs ask for the library by its ABI version; the name without one is for linking.
soname=libshardway.so.$(cat "$root/ffi/ABI_VERSION")
version=$(sed -n 's/^#define SHARDWAY_VERSION "\(.*\)"$/\1/p' "$root/include/shardway.h")
install -m 755 "$built/libshardway.so" "$prefix/lib/$soname"
ln -sf "$soname" "$prefix/lib/libshardway.so"
install -m 644 "$built/libshardway.a" "$prefix/lib/libshardway.a"
install -m 644 "$root/include/shardway.h" "$prefix/include/shardway.h"
sed -e "s|@prefix@|$prefix|" -e "s|@version@|$version|" "$root/ffi/shardway.pc.in" >"$prefix/lib/pkgconfig/shardway.pc"
