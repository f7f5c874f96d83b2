# warpgrind: the commands a newcomer types. CMake does the building; see CMakeLists.txt.
#
#   make demo        build, and run CUDA programs with no GPU
#   make test        build (release) and run every test
#   make bench       speed of the engine, in SASS thread-instructions per CPU second
#   make sanitize    the tests under address, undefined and thread sanitizers
#   make fuzz        the fuzz targets for FUZZ_SECONDS each
#   make install     headers, libraries, command, man pages below PREFIX
#   make deb         Debian packages in BUILD/deb
#   make verify-gpu  compare with a real GPU (needs one, with nvcc and ncu)

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 20
GENERATOR := $(shell command -v ninja >/dev/null 2>&1 && echo -G Ninja)
CONFIGURE = cmake -S . $(GENERATOR)

.PHONY: all demo test bench sanitize fuzz install verify-gpu deb clean deps deps-test deps-fuzz

all: deps
	$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DWG_TESTS=OFF
	cmake --build $(BUILD) -j $(JOBS)

deps:
	@tools/install-missing build
deps-test:
	@tools/install-missing build test
deps-fuzz:
	@tools/install-missing build test fuzz

demo: all
	@examples/demo $(BUILD)

test: deps-test
	$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DWG_TESTS=ON
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: deps-test
	$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DWG_TESTS=ON
	cmake --build $(BUILD) -j $(JOBS)
	bench/run $(BUILD)

# SANITIZE_TESTS names the tests (a ctest regular expression); empty runs all of them.
SANITIZE_TESTS ?=
sanitize: deps-test
	$(CONFIGURE) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWG_TESTS=ON -DWG_SANITIZE=address,undefined
	cmake --build $(BUILD)-asan -j $(JOBS)
	ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS) -L sanitize $(if $(SANITIZE_TESTS),-R '$(SANITIZE_TESTS)')
	$(CONFIGURE) -B $(BUILD)-tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWG_TESTS=ON -DWG_SANITIZE=thread
	cmake --build $(BUILD)-tsan -j $(JOBS) --target threads-tests
	ctest --test-dir $(BUILD)-tsan --output-on-failure -L threads

fuzz: deps-fuzz
	CC=clang $(CONFIGURE) -B $(BUILD)-fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWG_TESTS=ON -DWG_FUZZ=ON
	cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzz-targets
	tests/fuzz/run $(BUILD)-fuzz $(FUZZ_SECONDS)

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: deps
	@tools/install-missing deb
	packaging/make-deb $(BUILD)/deb-build $(BUILD)/deb

verify-gpu: deps-test
	$(CONFIGURE) -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DWG_TESTS=ON
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -L gpu
	tools/verify-gpu $(BUILD) --write docs/fidelity.md

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz
