#!/bin/sh
# Builds the library, then builds and runs everything of tests/c against it: shared and static, in C and C++,
# plain and under valgrind. Usage: tests/c/run.sh [release|debug]. CC and CXX choose the compilers.
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
here=$root/tests/c
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/c-tests
mkdir -p "$out"
cd "$root"
CC=${CC:-cc}
CXX=${CXX:-c++}
warnings="-Wall -Wextra -Werror -pedantic"
programs="main.c errors.c nulls.c topology.c lookup.c router.c partitions.c threads.c memory.c"

say() { printf '\n== %s\n' "$*"; }

# Runs the example again, which must succeed and print the same. No pipe: its exit code counts.
same_example() { # command
    "$@" >"$out/again.txt"
    cmp "$out/again.txt" "$out/example.txt"
    echo "the example printed the same"
}

say "library ($profile), and one that panics on demand"
# shellcheck disable=SC2086 # no profile is no argument
cargo build --quiet --package shardway-ffi $flags
# shellcheck disable=SC2086
cargo build --quiet --package shardway-ffi $flags --features panic-test --target-dir "$target/panic-test"
ffi/install.sh "$out/prefix" "$target/$profile"
ffi/install.sh "$out/prefix-panic" "$target/panic-test/$profile"
lib=$out/prefix/lib
lib_panic=$out/prefix-panic/lib

say "header: alone and twice, C and C++"
# shellcheck disable=SC2086
for standard in c99 c11 c17; do
    $CC -std=$standard $warnings -Iinclude -fsyntax-only "$here/header_twice.c"
    $CC -std=$standard $warnings -fsyntax-only -x c include/shardway.h
done
# shellcheck disable=SC2086
for standard in c++11 c++17 c++20; do
    $CXX -std=$standard $warnings -Iinclude -fsyntax-only -x c++ "$here/header_twice.c"
    $CXX -std=$standard $warnings -fsyntax-only -x c++ include/shardway.h
done
echo "6 standards passed"

say "every function is given NULL, and used beyond that"
missing=0
while read -r symbol; do
    for program in "$here/nulls.c" "$here/errors.c $here/topology.c $here/lookup.c $here/router.c $here/partitions.c $here/threads.c"; do
        # shellcheck disable=SC2086
        if ! cat $program | grep -qw "$symbol"; then
            echo "$symbol: not in $program"
            missing=1
        fi
    done
done <ffi/symbols.txt
[ $missing -eq 0 ]
echo "$(wc -l <ffi/symbols.txt) functions passed"

say "programs"
sources=
for program in $programs; do sources="$sources $here/$program"; done
# shellcheck disable=SC2086
{
    $CC -std=c11 $warnings -O1 -g -Iinclude $sources -o "$out/tests" \
        -L"$lib" -lshardway -pthread -Wl,-rpath,"$lib"
    $CC -std=c11 $warnings -O1 -g -Iinclude -DSHARDWAY_PANIC_TEST $sources -o "$out/tests-panic" \
        -L"$lib_panic" -lshardway -pthread -Wl,-rpath,"$lib_panic"
    $CC -std=c11 $warnings -O1 -g -Iinclude "$here/example.c" -o "$out/example" \
        -L"$lib" -lshardway -Wl,-rpath,"$lib"
    # The static library, with what `rustc --print native-static-libs` lists for this system.
    $CC -std=c11 $warnings -O1 -g -Iinclude "$here/example.c" -o "$out/example-static" \
        "$lib/libshardway.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
    $CXX -std=c++17 $warnings -Iinclude -x c++ "$here/header_twice.c" -o "$out/header-cxx" \
        -L"$lib" -lshardway -Wl,-rpath,"$lib"
}

say "the guide: its example is the one here, its commands work"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' docs/c.md >"$out/guide.c"
cmp "$out/guide.c" "$here/example.c"
if command -v pkg-config >/dev/null; then
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' docs/c.md >"$out/guide.sh"
    PREFIX=$out/prefix sh -eu "$out/guide.sh"
    PKG_CONFIG_PATH=$lib/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion shardway)" = "$(sed -n 's/^#define SHARDWAY_VERSION "\(.*\)"$/\1/p' include/shardway.h)" ]
else
    echo "pkg-config: not found, so its file was not tried" >&2
fi

say "the README's taste of C"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$out/readme.c"
# shellcheck disable=SC2086
$CC -std=c11 $warnings -Iinclude "$out/readme.c" -o "$out/readme" -L"$lib" -lshardway -Wl,-rpath,"$lib"
"$out/readme" | grep -x '[abc] owns user:1'

say "example"
"$out/example" >"$out/example.txt"
cat "$out/example.txt"
same_example "$out/example-static"
"$out/header-cxx"

say "tests (what the runtime says about the panics on demand is in $(basename "$out")/panics.txt)"
RUST_BACKTRACE=0 "$out/tests-panic" 2>"$out/panics.txt"

say "conformance vectors"
${PYTHON:-python3} "$here/vectors.py" "$lib/libshardway.so"

say "tests under the address and undefined-behaviour sanitizers (the long ones shortened)"
# shellcheck disable=SC2086
$CC -std=c11 $warnings -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude $sources \
    -o "$out/tests-sanitized" -L"$lib" -lshardway -pthread -Wl,-rpath,"$lib"
"$out/tests-sanitized" --slow-machine 100 >"$out/sanitized.txt" || {
    cat "$out/sanitized.txt"
    exit 1
}
tail -n 2 "$out/sanitized.txt"

if command -v valgrind >/dev/null; then
    memcheck="valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect,possible
        --errors-for-leak-kinds=definite,indirect,possible"
    say "example under valgrind"
    same_example $memcheck "$out/example"
    same_example $memcheck "$out/example-static"
    say "tests under valgrind (the long ones shortened)"
    $memcheck "$out/tests" --slow-machine 100
else
    echo "valgrind: not found; install it to run this part" >&2
    exit 1
fi
say "all of tests/c passed"
