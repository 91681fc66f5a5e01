# The commands of the repository. Each installs what it needs, says what it does
# and how long that took, and is quick when there is nothing to do.
#
#   make demo    build `systole`, train the digit classifier on the emulated machine
#   make check   build everything, run every test
#   make build   build everything
#   make docs    run the programs and commands of README and docs, and put their output there
#   make format  format the C++ and Python sources
#   make tidy    lint the C++ sources (slow)
#   make check-all  gcc, sanitizers, assertions, linters and fuzzers, with a table of figures (hours);
#                   CHECKS="gcc mypy" for some of them, FUZZ_MINUTES=60 for longer runs
#   make clean   remove what was built

BUILD ?= build
JOBS ?= $(shell scripts/jobs.sh)
STEP := @scripts/step.sh
SOURCES = $(shell git ls-files '*.cpp' '*.h')
FUZZ_MINUTES ?= 10

.PHONY: build demo check check-all docs setup setup-test setup-dev configure format tidy clean
.DEFAULT_GOAL := build
# Steps follow one another; the parallelism is inside them.
.NOTPARALLEL:

build: setup configure
	$(STEP) "Building" ninja -C $(BUILD) -j $(JOBS)

demo: setup configure
	$(STEP) "Building systole" ninja -C $(BUILD) -j $(JOBS) systole
	$(STEP) "Training on the emulated machine" \
	  python3 examples/digits/demo.py --systole $(BUILD)/bin/systole --out $(BUILD)/demo

check: setup-test configure
	$(STEP) "Building" ninja -C $(BUILD) -j $(JOBS)
	$(STEP) "Testing" scripts/test.sh $(BUILD)

check-all: setup-dev
	$(STEP) "Checking everything" scripts/check_all.py --fuzz-minutes $(FUZZ_MINUTES) $(CHECKS)

docs: setup-test configure
	$(STEP) "Building" ninja -C $(BUILD) -j $(JOBS) systole systole-opt systole_pjrt
	$(STEP) "Running what the documents show" \
	  .venv/bin/python scripts/document_figures.py --build $(BUILD) --write
	$(STEP) "Writing down what is refused" scripts/refusals.py --build $(BUILD)

setup:
	$(STEP) "Checking what the build needs" scripts/setup.sh build

setup-test:
	$(STEP) "Checking what build and tests need" scripts/setup.sh test

setup-dev:
	$(STEP) "Checking what development needs" scripts/setup.sh dev

configure:
	$(STEP) "Configuring" scripts/configure.sh $(BUILD)

format: setup-dev
	$(STEP) "Formatting" clang-format-22 -i $(SOURCES)
	$(STEP) "Formatting Python" .venv/bin/python -m ruff format --quiet

tidy: setup-dev build
	$(STEP) "Linting" run-clang-tidy-22 -quiet -p $(BUILD) -j $(JOBS)

clean:
	rm -rf $(BUILD) build-wheel build-logs build-assertions build-gcc build-sanitize
