# `make demo` and `make test` are all a newcomer needs: each installs missing packages, builds and runs.
# CMakePresets.json has the build configurations.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
CTEST = ctest --output-on-failure -j $(JOBS)
# UNIT=1: only the unit tests, for asan and tsan
TESTS = $(if $(UNIT),unit_tests,all)
LABEL = $(if $(UNIT),-L unit)

.DEFAULT_GOAL := build
.PHONY: build demo test install deb trial asan tsan fuzz bench torture attacks conformance lint format clean help

build: ## build build/ralph, build/ralph-guard and the links build/claude and build/yb
	@scripts/setup build
	@scripts/configure release
	@cmake --build build -j $(JOBS) --target ralph ralph-guard

demo: build ## show what ralph does, offline, in a few seconds
	@build/ralph demo

test: ## run all tests
	@scripts/setup build test
	@scripts/schema_suite
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS)
	@scripts/check_layers
	@cd build && $(CTEST)

install: build ## install to PREFIX (/usr/local) in DESTDIR; WITH_CLAUDE=1 also installs the name claude
	@cmake --build build --target pages
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@ln -sfn ralph "$(DESTDIR)$(PREFIX)/bin/yb"
	@[ "$(WITH_CLAUDE)" != 1 ] || ln -sfn ralph "$(DESTDIR)$(PREFIX)/bin/claude"

deb: ## build build/ralph_VERSION_ARCH.deb, checked by lintian
	@scripts/setup build deb
	@scripts/configure release
	@cmake --build build -j $(JOBS) --target ralph ralph-guard pages
	@scripts/deb build

trial: ## run demo, test, deb, install and remove in a bare Debian 12, as root and as a user
	@scripts/try_debian root
	@scripts/try_debian user

asan: ## run the tests under AddressSanitizer and UBSan; UNIT=1: only the unit tests
	@scripts/setup build test
	@scripts/configure asan
	@cmake --build build/asan -j $(JOBS) --target $(TESTS)
	@cd build/asan && $(CTEST) $(LABEL)

tsan: ## run the tests under ThreadSanitizer; UNIT=1: only the unit tests
	@scripts/setup build test
	@scripts/configure tsan
	@cmake --build build/tsan -j $(JOBS) --target $(TESTS)
	@cd build/tsan && $(CTEST) $(LABEL)

fuzz: ## run every fuzzer for FUZZ_SECONDS
	@scripts/setup build fuzz
	@scripts/configure fuzz
	@cmake --build build/fuzz -j $(JOBS)
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS)

bench: ## measure ralph and its peers; fails if a target is missed
	@scripts/setup build bench
	@scripts/configure release -DRALPH_BENCH=ON
	@cmake --build build -j $(JOBS) --target bench ralph ralph-guard
	@scripts/bench

torture: ## test failures of agents and machines with the real `ralph run`
	@scripts/setup build test
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS) --target ralph ralph-guard fake_agent
	@scripts/torture build

attacks: ## run every known attack on the safety promises; all must fail
	@scripts/setup build test
	@scripts/configure release -DRALPH_TESTS=ON
	@cmake --build build -j $(JOBS) --target ralph ralph-guard fake_agent confined
	@scripts/attacks build
	@scripts/attacks build --unprotected

conformance: build ## run the real Claude Code from npm against the mock, and compare it with our agent, including costs
	@scripts/conformance build

lint: ## check layers, format, shell scripts, clang-tidy
	@scripts/setup build lint
	@scripts/check_layers
	@scripts/lint

format: ## format the sources
	@scripts/setup lint
	@git ls-files -co --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' | xargs clang-format-19 -i

clean: ## remove build/
	@rm -rf build

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20
