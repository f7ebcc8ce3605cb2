#!/bin/sh
# The Java rows of `make bench`, which builds what this needs: mvn -Pbench test-compile.
set -eu
built=$(dirname "$0")/target/bench
exec java -cp "$built/classes:$built/test-classes:$(cat "$built/dependencies.txt")" io.shardway.Bench
