# Everything a person must know: make demo, test, bench, lint, header, clean.
# Each installs what it needs: Debian's packages through scripts/apt.sh, all else into .venv, .tools
# and target. A second run does only what changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help demo demo-node demo-java demo-cpp test bench lint header install placement-report clean

NEXTEST_VERSION := 0.9.151
PYTHON ?= $(shell command -v python3.11 || command -v python3)

CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR
# Folders of their own: maturin's and the bench's builds would undo cargo's, and the other way round.
PYTHON_TARGET := $(CARGO_TARGET_DIR)/python
BENCH_TARGET := $(CARGO_TARGET_DIR)/bench
NODE_TARGET := $(CARGO_TARGET_DIR)/node
MAVEN := mvn --batch-mode --no-transfer-progress --quiet -f bindings-java/pom.xml \
	-Dcargo.target.dir=$(CARGO_TARGET_DIR)/java
PREFIX ?= /usr/local

export PIP_DISABLE_PIP_VERSION_CHECK := 1
BIN := $(CURDIR)/.venv/bin
STAGE := @scripts/stage.sh
XTASK := cargo run --package xtask --locked --quiet --
CARGO_BENCH := core/benches/peers/Cargo.toml
PYTHON_CODE := bindings-python tests scripts

help:
	@echo 'make demo    five Thrift servers, a partition-aware client, 12,000 addresses [KEYS=path: your own]'
	@echo 'make demo-node demo-java demo-cpp   its main part in that language'
	@echo 'make test    every test of every language'
	@echo 'make bench   one table of ratios to named peers [DETAIL=1: criterion, shardway alone]'
	@echo 'make lint    formats, warnings, house rules, drift of generated files'
	@echo 'make header  writes include/shardway.h and ffi/symbols.txt anew'
	@echo 'make install builds and installs the C library with headers, CMake and pkg-config files [PREFIX= DESTDIR=]'
	@echo 'make placement-report   balance, movement and cost of every native scheme, as a table'
	@echo 'make clean   removes all that was built or installed here'

DEMO = $(BIN)/python tests/demo/demo.py $(if $(KEYS),--keys '$(KEYS)')

demo: .venv/.package
	@$(DEMO)

demo-node: .venv/.package bindings-node/dist/.built
	@scripts/apt.sh $(THRIFT)
	@$(DEMO) --language node

demo-java: .venv/.package
	@scripts/apt.sh $(THRIFT) $(JAVA)
	@$(MAVEN) -DskipTests package
	@$(DEMO) --language java

demo-cpp: .venv/.package
	@scripts/apt.sh $(THRIFT) $(CPP)
	@tests/cpp/thrift/run.sh --build
	@$(DEMO) --language cpp

test: .tools/.nextest-$(NEXTEST_VERSION) .venv/.package
	@scripts/apt.sh valgrind:valgrind $(THRIFT) $(CPP) $(JAVA) $(NODE) $(GO)
	$(STAGE) 'Rust' .tools/bin/cargo-nextest nextest run --workspace --locked
	$(STAGE) 'Rust, examples in the documentation' cargo test --doc --workspace --locked --quiet
	$(STAGE) 'C, under valgrind' tests/c/run.sh
	$(STAGE) 'C ABI from Go and from java.lang.foreign' tests/abi/run.sh
	$(STAGE) 'C++, under sanitizers' tests/cpp/run.sh
	$(STAGE) 'C++ over Thrift' tests/cpp/thrift/run.sh
	$(STAGE) 'Python' $(BIN)/pytest -q bindings-python/tests
	@$(MAKE) --no-print-directory bindings-node/dist/.built
	$(STAGE) 'Node' env CARGO_TARGET_DIR=$(NODE_TARGET) npm --prefix bindings-node test --silent
	$(STAGE) 'Java' scripts/maven.sh $(subst --quiet,,$(MAVEN)) verify
	$(STAGE) 'Demo' $(BIN)/pytest -q tests/demo
	$(STAGE) 'End to end' $(BIN)/pytest -q tests/e2e

lint: .venv/.package bindings-node/node_modules/.installed
	@scripts/apt.sh $(GO)
	$(STAGE) 'house rules' $(BIN)/python scripts/check_tree.py
	$(STAGE) 'rustfmt' cargo fmt --all --check
	$(STAGE) 'rustfmt, bench' cargo fmt --manifest-path $(CARGO_BENCH) --check
	$(STAGE) 'gofmt' scripts/gofmt.sh tests/abi/go
	$(STAGE) 'clippy' cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(STAGE) 'clippy, bench' env CARGO_TARGET_DIR=$(BENCH_TARGET) \
		cargo clippy --manifest-path $(CARGO_BENCH) --all-targets --locked --quiet -- -D warnings
	$(STAGE) 'rustdoc' env RUSTDOCFLAGS='-D warnings' \
		cargo doc --workspace --no-deps --document-private-items --locked --quiet
	$(STAGE) 'header' $(XTASK) header --check
	$(STAGE) 'exported symbols' $(XTASK) symbols --check
	$(STAGE) 'borders' $(XTASK) borders --check
	$(STAGE) 'versions' $(XTASK) versions --check
	$(STAGE) 'vectors' cargo run --package shardway-core --example make_vectors --locked --quiet -- --check
	$(STAGE) 'operations' $(XTASK) operations --check
	$(STAGE) 'tsc' npm --prefix bindings-node run lint --silent
	$(STAGE) 'ruff check' $(BIN)/ruff check $(PYTHON_CODE)
	$(STAGE) 'ruff format' $(BIN)/ruff format --check --exclude '*.md' $(PYTHON_CODE)
	$(STAGE) 'mypy' $(BIN)/mypy --config-file bindings-python/pyproject.toml \
		--strict bindings-python/python/shardway scripts
	$(STAGE) 'stubtest' $(BIN)/stubtest shardway._native

header:
	$(XTASK) header
	$(XTASK) symbols

# Without libmemcached (no root, say) its rows are left out, and the script says why.
bench: .venv/.bench bindings-node/dist/.built
	@scripts/apt.sh $(CPP) $(JAVA)
	@$(MAVEN) -Pbench test-compile
	@features=; \
	if scripts/apt.sh /usr/include/libmemcached/memcached.h:libmemcached-dev; \
	then features=--features=libmemcached; fi; \
	export CARGO_TARGET_DIR=$(BENCH_TARGET); \
	if [ -n '$(DETAIL)' ]; then \
		exec cargo bench --manifest-path $(CARGO_BENCH) --locked $$features --bench detail; \
	fi; \
	cargo build --release --manifest-path $(CARGO_BENCH) --locked --quiet $$features; \
	$(BIN)/python scripts/bench.py $(BENCH_TARGET)/release/shardway-bench \
		-- $(BIN)/python bindings-python/bench/peers.py \
		-- node bindings-node/bench/peers.mjs \
		-- bindings-java/bench.sh \
		-- env CARGO_TARGET_DIR=$(CARGO_TARGET_DIR) tests/cpp/bench/run.sh

clean:
	rm -rf target .venv .tools .mypy_cache .pytest_cache .ruff_cache \
		bindings-node/node_modules bindings-node/dist bindings-java/target
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

placement-report:
	@cargo run --release --package shardway-core --example placement_report --locked --quiet

install:
	cargo build --release --package shardway-ffi --locked
	DESTDIR='$(DESTDIR)' ffi/install.sh '$(PREFIX)' $(CARGO_TARGET_DIR)/release

# --- what the targets above need -----------------------------------------------------------------

# Debian packages by what they bring.
THRIFT := thrift:thrift-compiler
CPP := c++:g++ cmake:cmake pkg-config:pkg-config /usr/include/gtest/gtest.h:libgtest-dev \
	/usr/include/nlohmann/json.hpp:nlohmann-json3-dev /usr/include/thrift/Thrift.h:libthrift-dev
JAVA := javac:openjdk-17-jdk-headless mvn:maven
NODE := node:nodejs npm:npm
GO := go:golang-go

.tools/.nextest-$(NEXTEST_VERSION):
	@scripts/nextest.sh $(NEXTEST_VERSION)
	@touch $@

# Debian's Python comes without ensurepip, which no command or one file tells: hence the made-up probe.
.venv/.tools: bindings-python/requirements-dev.txt
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || scripts/apt.sh .ensurepip:python3-venv
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	@echo 'installing the Python tools into .venv'
	@$(BIN)/pip install --quiet --requirement $<
	@touch $@

# Folders too: a file that was taken away is a change.
.venv/.package: .venv/.tools Cargo.toml Cargo.lock core/Cargo.toml \
		$(shell find bindings-python/src bindings-python/python bindings-python/*.toml core/src \
			-name __pycache__ -prune -o -print)
	@echo 'building and installing the Python package'
	@CARGO_TARGET_DIR=$(PYTHON_TARGET) $(BIN)/pip install --quiet './bindings-python[thrift]'
	@touch $@

bindings-node/node_modules/.installed: bindings-node/package-lock.json
	@scripts/apt.sh $(NODE)
	@echo 'installing the Node tools into bindings-node/node_modules'
	@cd bindings-node && npm ci --no-audit --no-fund --silent
	@touch $@

bindings-node/dist/.built: bindings-node/node_modules/.installed Cargo.lock core/Cargo.toml \
		$(shell find bindings-node/src bindings-node/lib bindings-node/scripts bindings-node/*.json core/src)
	@echo 'building the Node package'
	@CARGO_TARGET_DIR=$(NODE_TARGET) npm --prefix bindings-node run build --silent
	@touch $@

.venv/.bench: bindings-python/bench/requirements.txt .venv/.package
	@$(BIN)/pip install --quiet --requirement $<
	@touch $@
