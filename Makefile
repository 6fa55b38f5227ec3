# SPDX-License-Identifier: BSD-3-Clause
# The commands of this repository. `make demo` and `make test` install what they need, build, run.
RELEASE := build/release
JOBS ?= $(shell nproc)
# Tests that start MPI programs count twice, and wait for launchers half of their time.
TEST_JOBS ?= $(shell expr 2 '*' $(JOBS))
NAME ?= overhead
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif
build_release = cmake --build $(RELEASE) --parallel $(JOBS)

.PHONY: all demo test bench docs lint format check-format dist transcript clean

all: ## build into build/release
	cmake --preset release
	$(build_release)

demo: ## measure this machine, run two MPI programs under Plait, write a report
	tools/bootstrap demo
	test -e $(RELEASE)/CMakeCache.txt || cmake --preset release -DPLAIT_TESTS=OFF
	$(build_release)
	tools/demo/run $(RELEASE)

test: ## build and run all tests
	tools/bootstrap test
	cmake --preset release -DPLAIT_TESTS=ON
	$(build_release)
	ctest --preset release --parallel $(TEST_JOBS)

bench: ## one benchmark: make bench NAME=startup
	$(if $(filter jacobi map,$(NAME)),tools/bootstrap build bench)
	cmake --preset release
	$(build_release) --target bench_$(NAME)
	$(RELEASE)/bench/$(NAME)

docs: ## the manual, in build/docs/html
	tools/bootstrap docs
	build/deps/docs/bin/sphinx-build --fail-on-warning --keep-going -q -b html docs build/docs/html
	@echo "docs: build/docs/html/index.html"

lint: ## clang-tidy, shellcheck and the house rules
	tools/bootstrap build lint
	cmake --preset release
	tools/lint $(RELEASE)

format: ## lay out all C++ and C files
	tools/bootstrap lint
	tools/format --write

check-format: ## whether all C++ and C files are laid out so
	tools/bootstrap lint
	tools/format

dist: ## a source archive that builds with no network
	tools/bootstrap build
	cmake --preset release
	$(build_release)
	tools/dist $(RELEASE)

transcript: ## refresh the transcript in README.md
	tools/transcript --write $(RELEASE)

clean: ## remove what was built; build/deps stays
	find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +
