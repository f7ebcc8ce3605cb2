#!/bin/sh
# Prints what a call from C++ costs beside the core's own loop: tests/cpp/bench/run.sh. CXX chooses the compiler.
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
cd "$root"
cargo build --quiet --release --package shardway-ffi --target-dir "$target"
cargo build --quiet --release --locked --manifest-path tests/cpp/bench/Cargo.toml --target-dir "$target/cpp-bench"
prefix=$target/cpp-bench/prefix
ffi/install.sh "$prefix" "$target/release"
# The C interface from the shared library; the core's loop from an archive with a copy of the core of its own.
${CXX:-c++} -std=c++17 -O2 -Wall -Wextra -Werror -I"$prefix/include" tests/cpp/bench/bench.cpp \
    -o "$target/cpp-bench/bench" -L"$prefix/lib" -lshardway "$target/cpp-bench/release/libshardway_core_loop.a" \
    -lgcc_s -lutil -lrt -lpthread -lm -ldl -Wl,-rpath,"$prefix/lib"
"$target/cpp-bench/bench"
