# The front door. `make demo` and `make test` are all a newcomer needs; each installs what is missing,
# builds and runs. CMake presets do the work behind it.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
CTEST = ctest --output-on-failure -j $(JOBS)

.DEFAULT_GOAL := build
.PHONY: build demo test install deb trial asan tsan fuzz bench torture attacks conformance lint format clean help

build: ## build/ralph, build/ralph-guard and build/claude (a link)
	@scripts/setup build
	@scripts/configure release
	@cmake --build build -j $(JOBS) --target ralph ralph-guard

demo: build ## what ralph is for, offline, in two seconds
	@build/ralph demo

test: ## everything a change must pass
	@scripts/setup build test
	@scripts/schema_suite
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS)
	@scripts/check_layers
	@cd build && $(CTEST)

install: build ## PREFIX=/usr/local, DESTDIR is honoured; WITH_CLAUDE=1 also the name claude
	@cmake --build build --target pages
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@[ -z "$(WITH_CLAUDE)" ] || ln -sfn ralph "$(DESTDIR)$(PREFIX)/bin/claude"

deb: ## build/ralph_VERSION_ARCH.deb, checked by lintian
	@scripts/setup build deb
	@scripts/configure release
	@cmake --build build -j $(JOBS) --target ralph ralph-guard pages
	@scripts/deb build

trial: ## demo, test, deb, install and remove in a bare Debian 12, as root and as a user
	@scripts/try_debian root
	@scripts/try_debian user

asan: ## the tests under AddressSanitizer and UBSan
	@scripts/setup build test
	@scripts/configure asan
	@cmake --build build/asan -j $(JOBS)
	@cd build/asan && $(CTEST)

tsan: ## the tests under ThreadSanitizer
	@scripts/setup build test
	@scripts/configure tsan
	@cmake --build build/tsan -j $(JOBS)
	@cd build/tsan && $(CTEST)

fuzz: ## every fuzzer for FUZZ_SECONDS each
	@scripts/setup build fuzz
	@scripts/configure fuzz
	@cmake --build build/fuzz -j $(JOBS)
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS)

bench: ## measured numbers beside their peers; fails on a miss
	@scripts/setup build bench
	@scripts/configure release -DRALPH_BENCH=ON
	@cmake --build build -j $(JOBS) --target bench ralph ralph-guard
	@scripts/bench

torture: ## every way agents and machines go wrong, through the real `ralph run`
	@scripts/setup build test
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS) --target ralph ralph-guard fake_agent
	@scripts/torture build

attacks: ## every known attack on the safety promises; all of them must fail
	@scripts/setup build test
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS) --target ralph ralph-guard fake_agent confined
	@scripts/attacks build
	@scripts/attacks build --unprotected

conformance: build ## the real Claude Code from npm, driven offline against the mock, and beside our agent, costs included
	@scripts/conformance build

lint: ## layers, format, shell scripts, clang-tidy
	@scripts/setup build lint
	@scripts/check_layers
	@scripts/lint

format: ## rewrite the sources in our format
	@scripts/setup lint
	@git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' | xargs clang-format-19 -i

clean: ## remove build/
	@rm -rf build

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20
