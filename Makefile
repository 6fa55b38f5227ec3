# SPDX-License-Identifier: BSD-3-Clause
# The commands of this repository. `make demo` and `make test` install what they need, build, run.
RELEASE := build/release
JOBS ?= $(shell nproc)
# More jobs than cores: tests that start MPI programs wait for launchers half of their time.
TEST_JOBS ?= $(shell expr 4 '*' $(JOBS))
NAME ?= overhead
PREFIX ?= /usr/local
# With Ninja if it is there, as it is after tools/bootstrap.
ninja = $$(command -v ninja > /dev/null && echo Ninja || echo Unix Makefiles)
configure = CMAKE_GENERATOR="$${CMAKE_GENERATOR:-$(ninja)}" cmake --preset
# What the demo starts. Only Ninja has targets for folders.
demo_targets = --target src/all solvers/jacobi/all
build_release = cmake --build $(RELEASE) --parallel $(JOBS)

.PHONY: all install uninstall demo test test-further-mpis test-all unit fuzz coverage test-packages bench docs \
	lint check-rules format check-format dist dist-binary deb transcript clean

all: ## build into build/release
	$(configure) release
	$(build_release)

install: ## install into PREFIX (default: /usr/local), below DESTDIR if it is set
	test -e $(RELEASE)/bin/plait || $(MAKE) all
	cmake --install $(RELEASE) --prefix $(PREFIX)

uninstall: ## remove what the last make install installed; give the same DESTDIR
	cmake -DMANIFEST=$(RELEASE)/install_manifest.txt -P cmake/PlaitUninstall.cmake

demo: ## measure this machine, run two MPI programs under Plait, write a report
	tools/bootstrap demo
	test -e $(RELEASE)/CMakeCache.txt || $(configure) release -DPLAIT_TESTS=OFF
	$(build_release) $$(test -e $(RELEASE)/build.ninja && echo $(demo_targets))
	tools/demo/run $(RELEASE)

# Tests of whole programs, of measuring and of clusters that run once more with a further MPI.
FURTHER_MPIS = '^(programs|measure|cluster)\..*(openmpi5|mpich5|impi|intel)'
run_tests = ctest --preset release --parallel $(TEST_JOBS) $(1); status=$$?; tests/summary $(RELEASE); \
	exit $$status

test: ## build and run the tests, with Open MPI 4.1 and MPICH and the calls of all MPIs
	tools/bootstrap test
	$(configure) release -DPLAIT_TESTS=ON
	$(build_release)
	$(call run_tests,--exclude-regex $(FURTHER_MPIS))

test-further-mpis: ## the rest of the tests, after make test: programs, measuring, clusters with further MPIs
	$(call run_tests,--tests-regex $(FURTHER_MPIS))

test-all: test test-further-mpis ## build and run all tests

unit: ## the unit tests of one folder: make unit FOLDER=model [CASES='Overlap.*']
	tools/bootstrap unit
	$(configure) unit
	cmake --build build/unit --parallel $(JOBS) --target unit_folder_$(or $(FOLDER),base)
	$(if $(CASES),GTEST_FILTER='$(CASES)') ctest --preset unit -L '^unit_folder_$(or $(FOLDER),base)$$'

coverage: ## coverage of src/ by all tests: per folder, and the files below 60 %
	tools/bootstrap test
	$(configure) coverage
	cmake --build build/coverage --parallel $(JOBS)
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage --parallel $(TEST_JOBS); status=$$?; \
		tools/coverage build/coverage && exit $$status

bench: ## one benchmark: make bench NAME=startup
	$(if $(filter jacobi lu map profilers,$(NAME)),tools/bootstrap build bench)
	$(configure) release
	$(build_release) --target bench_$(NAME)
	$(RELEASE)/bench/$(NAME)

fuzz: ## fuzz the readers of files: make fuzz [READER=record] [FUZZ_SECONDS=3600], for each reader
	tools/bootstrap test
	$(configure) asan -DPLAIT_TESTS=ON
	cmake --build build/asan --parallel $(JOBS) --target plait_fuzz
	tests/fuzz/run --build build/asan --seconds $(or $(FUZZ_SECONDS),600) $(READER)

docs: ## the manual, in build/docs/html
	tools/bootstrap docs
	build/deps/docs/bin/sphinx-build --fail-on-warning --keep-going -q -b html docs build/docs/html
	@echo "docs: build/docs/html/index.html"

lint: ## clang-tidy, shellcheck and the house rules
	tools/bootstrap build lint
	$(configure) release
	$(build_release) --target plait_generated
	tools/lint $(RELEASE)

check-rules: ## the house rules alone: seconds, without a build
	tools/bootstrap lint
	tools/lint --rules

format: ## format all C++ and C files
	tools/bootstrap lint
	tools/format --write

check-format: ## check the layout of all C++ and C files
	tools/bootstrap lint
	tools/format

dist: ## a source archive that builds without a network
	tools/bootstrap build
	$(configure) release
	$(build_release)
	tools/dist $(RELEASE)

dist-binary: ## a tarball of programs that need only glibc
	tools/bootstrap build
	tools/dist-binary

deb: ## a Debian package
	tools/bootstrap build
	$(configure) release
	$(build_release)
	tools/dist-deb $(RELEASE)

test-packages: dist-binary ## build and test the tarball and the Debian package, after make test
	ctest --preset release -C Package -L package

transcript: ## refresh the transcripts in README.md and in the tutorial, on an idle machine
	tools/transcript --write $(RELEASE)
	tools/transcript-docs $(RELEASE)

clean: ## remove what was built; build/deps stays
	find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +
