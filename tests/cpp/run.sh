#!/bin/sh
# Builds the library, installs it, then builds and runs everything of tests/cpp against that: each header alone and all
# twice, the example as CMake and pkg-config find it, shared and static, and the tests under the address, leak and
# undefined-behaviour sanitizers. Usage: tests/cpp/run.sh [release|debug]. CXX chooses the compiler, JOBS how many of
# them run at once. Needs GoogleTest, nlohmann-json, CMake and pkg-config.
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
here=$root/tests/cpp
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/cpp-tests
prefix=$out/prefix
mkdir -p "$out"
cd "$root"
CXX=${CXX:-c++}
JOBS=${JOBS:-$(nproc)}
warnings="-std=c++17 -Wall -Wextra -Werror -pedantic"
# Two checks less than all: a null pointer stops the program in any case, and vptr is costly to compile.
sanitize="-fsanitize=address,undefined -fno-sanitize=null,vptr -fno-sanitize-recover=all"

say() { printf '\n== %s\n' "$*"; }

# Runs one command for each word of standard input, a few at once; fails if one does.
each() { xargs -P "$JOBS" -I '{}' sh -euc "$1"; }

say "library ($profile), installed"
# shellcheck disable=SC2086 # no profile is no argument
cargo build --quiet --package shardway-ffi $flags
rm -rf "$prefix" "$out/dest"
ffi/install.sh "$prefix" "$target/$profile"
lib=$prefix/lib
link="-L$lib -lshardway -Wl,-rpath,$lib"
DESTDIR=$out/dest ffi/install.sh /opt/shardway "$target/$profile"
grep -qx 'prefix=/opt/shardway' "$out/dest/opt/shardway/lib/pkgconfig/shardway.pc"
(cd "$out/dest/opt/shardway" && find . -type f -o -type l) | sort >"$out/installed.txt"
(cd "$prefix" && find . -type f -o -type l) | sort | cmp - "$out/installed.txt"
echo "$(wc -l <"$out/installed.txt") files, the same with and without DESTDIR"

say "headers: each alone, all in C++20, all twice in one program"
headers=$(cd "$prefix/include" && ls shardway.hpp shardway/*.hpp)
for header in $headers; do echo "#include <$header>"; done >"$out/every_header.hpp"
echo "$headers" | each "echo '#include <{}>' | $CXX -x c++ $warnings -I$prefix/include -fsyntax-only -"
# shellcheck disable=SC2086
$CXX -x c++ $warnings -std=c++20 -I"$prefix/include" -fsyntax-only "$out/every_header.hpp"
# shellcheck disable=SC2086
{
    $CXX $warnings -I"$prefix/include" -I"$out" -c "$here/headers_twice.cpp" -o "$out/first.o"
    $CXX $warnings -I"$prefix/include" -I"$out" -DSECOND_UNIT -c "$here/headers_twice.cpp" -o "$out/second.o"
    $CXX "$out/first.o" "$out/second.o" -o "$out/twice" $link -pthread
}
"$out/twice"
echo "$(echo "$headers" | wc -l) headers passed"

say "the guide: its example is the one here; CMake and pkg-config find the library"
awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on' docs/cpp.md >"$out/guide.cpp"
cmp "$out/guide.cpp" "$here/example.cpp"
rm -rf "$out/consumer"
cmake -S "$here/consumer" -B "$out/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLE="$here/example.cpp" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_STANDARD=17 >"$out/cmake.txt"
cmake --build "$out/consumer" --parallel "$JOBS" >>"$out/cmake.txt"
"$out/consumer/with_shared" | tee "$out/example.txt"
"$out/consumer/with_static" | cmp - "$out/example.txt"
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086
$CXX -std=c++17 "$here/example.cpp" -o "$out/example" $(pkg-config --cflags --libs shardway) -pthread -Wl,-rpath,"$lib"
"$out/example" | cmp - "$out/example.txt"
echo "the example printed the same three times"

say "the taste in the project's README"
awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$out/taste.cpp"
# shellcheck disable=SC2086
$CXX $warnings -I"$prefix/include" "$out/taste.cpp" -o "$out/taste" $link
"$out/taste" | tee "$out/taste.txt"
grep -q ' owns user:1 now$' "$out/taste.txt"

say "tests under the address, leak and undefined-behaviour sanitizers"
# The one that takes longest comes first.
for test in hashing custom scenarios vectors handles; do echo "$test"; done | each "$CXX $warnings -O0 -g1 $sanitize \
    -I$prefix/include -c $here/test_{}.cpp -o $out/test_{}.o"
# shellcheck disable=SC2086
$CXX $sanitize "$out"/test_hashing.o "$out"/test_custom.o "$out"/test_scenarios.o "$out"/test_vectors.o "$out"/test_handles.o -o "$out/tests" \
    $link -lgtest -lgtest_main -pthread
SHARDWAY_VECTORS=$root/tests/vectors
SHARDWAY_SCENARIOS=$root/tests/scenarios
ASAN_OPTIONS=detect_leaks=1
UBSAN_OPTIONS=print_stacktrace=1
export SHARDWAY_VECTORS SHARDWAY_SCENARIOS ASAN_OPTIONS UBSAN_OPTIONS
"$out/tests" --gtest_brief=1

say "all of tests/cpp passed"
