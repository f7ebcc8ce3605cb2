#!/bin/sh
# The end-to-end tests of the C++ client over Apache Thrift, against servers in C++, and the programs that the tests of all
# languages together use: tests/cpp/thrift/run.sh [release|debug] [--build]. With --build it makes the
# programs and runs nothing. CXX chooses the compiler, JOBS how many of them run
# at once. Needs GoogleTest, nlohmann-json, libthrift-dev and the thrift compiler.
set -eu

flags=--release
profile=release
tests=yes
for word in "$@"; do
    case $word in
    release) ;;
    debug) profile=debug flags= ;;
    --build) tests= ;;
    *)
        echo "usage: $0 [release|debug] [--build]" >&2
        exit 2
        ;;
    esac
done

root=$(cd "$(dirname "$0")/../../.." && pwd)
here=$root/tests/cpp/thrift
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/cpp-thrift
mkdir -p "$out"
cd "$root"
CXX=${CXX:-c++}
JOBS=${JOBS:-$(nproc)}
# shellcheck disable=SC2086 # no profile is no argument
cargo build --quiet --package shardway-ffi $flags
ffi/install.sh "$out/prefix" "$target/$profile"
thrift --gen cpp:no_skeleton -out "$out" tests/delivery.thrift

# Generated code is the generator's affair: no warnings asked for. Thrift's headers are the system's.
build="$CXX -std=c++17 -O0 -g1 -I$out/prefix/include -I$out -c"
strict="-Wall -Wextra -Werror"
sanitize="-fsanitize=address,undefined -fno-sanitize=null,vptr -fno-sanitize-recover=all"
{
    [ -z "$tests" ] || echo "$strict $sanitize -Wno-unused-parameter $here/test_end_to_end.cpp -o $out/test_end_to_end.o"
    echo "$strict $here/server.cpp -o $out/server.o"
    echo "$strict -Wno-unused-parameter $here/driver.cpp -o $out/driver.o"
    echo "$out/DeliveryService.cpp -o $out/DeliveryService.o"
    echo "$out/delivery_types.cpp -o $out/delivery_types.o"
} | xargs -P "$JOBS" -I '{}' sh -euc "$build {}"
generated="$out/DeliveryService.o $out/delivery_types.o"
# shellcheck disable=SC2086
{
    $CXX "$out/server.o" $generated -o "$out/server" -lthrift -pthread
    $CXX "$out/driver.o" $generated -o "$out/driver" -L"$out/prefix/lib" -lshardway -lthrift -pthread \
        -Wl,-rpath,"$out/prefix/lib"
}
[ -n "$tests" ] || exit 0
# shellcheck disable=SC2086
{
    $CXX $sanitize "$out/test_end_to_end.o" $generated -o "$out/tests" -L"$out/prefix/lib" -lshardway -lthrift \
        -lgtest -lgtest_main -pthread -Wl,-rpath,"$out/prefix/lib"
}
SHARDWAY_SERVER=$out/server ASAN_OPTIONS=detect_leaks=1 "$out/tests" --gtest_brief=1
echo "== all of tests/cpp/thrift passed"
