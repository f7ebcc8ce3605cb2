#!/bin/sh
# Installs the C library that cargo built, and its headers for C and C++: ffi/install.sh PREFIX [FOLDER], where FOLDER
# has libshardway.so and libshardway.a (by default that of a release build). With DESTDIR in the environment the files
# go below that, and still name PREFIX, which must then be absolute. Afterwards `pkg-config --cflags --libs shardway`
# finds it if PKG_CONFIG_PATH has PREFIX/lib/pkgconfig, and CMake's `find_package(shardway)` if CMAKE_PREFIX_PATH has
# PREFIX.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: [DESTDIR=FOLDER] $0 PREFIX [FOLDER]" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
built=${2:-${CARGO_TARGET_DIR:-$root/target}/release}
DESTDIR=${DESTDIR:-}
case $DESTDIR,$1 in
,*) mkdir -p "$1" && prefix=$(cd "$1" && pwd) ;;
*,/*) prefix=$1 ;;
*)
    echo "$0: PREFIX is $1; with DESTDIR an absolute path is right" >&2
    exit 2
    ;;
esac
lib=$DESTDIR$prefix/lib
include=$DESTDIR$prefix/include
mkdir -p "$lib/pkgconfig" "$lib/cmake/shardway" "$include/shardway"

# Programs ask for the library by its ABI version; the name without one is for linking.
soname=libshardway.so.$(cat "$root/ffi/ABI_VERSION")
version=$(sed -n 's/^#define SHARDWAY_VERSION "\(.*\)"$/\1/p' "$root/include/shardway.h")
install -m 755 "$built/libshardway.so" "$lib/$soname"
ln -sf "$soname" "$lib/libshardway.so"
install -m 644 "$built/libshardway.a" "$lib/libshardway.a"
install -m 644 "$root/include/shardway.h" "$root/include/shardway.hpp" "$include"
install -m 644 "$root"/include/shardway/*.hpp "$include/shardway"
sed -e "s|@prefix@|$prefix|" -e "s|@version@|$version|" "$root/ffi/shardway.pc.in" >"$lib/pkgconfig/shardway.pc"
for file in shardway-config.cmake shardway-config-version.cmake; do
    sed -e "s|@soname@|$soname|" -e "s|@version@|$version|" "$root/ffi/$file.in" >"$lib/cmake/shardway/$file"
done
