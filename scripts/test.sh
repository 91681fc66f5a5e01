#!/usr/bin/env bash
# Runs every test of a build directory and counts them by kind: test.sh BUILD_DIR [ctest option...]
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
results=$PWD/$build/test-results
rm -rf "$results"
mkdir -p "$results/unit"

# Each of the three runners has an environment variable for writing its results as JUnit XML.
export GTEST_OUTPUT="xml:$results/unit/"
export LIT_OPTS="--xunit-xml-output=$results/lit.xml ${LIT_OPTS:-}"
export PYTEST_ADDOPTS="--junitxml=$results/e2e.xml ${PYTEST_ADDOPTS:-}"

# Temporary files of tests are kept in memory if there is room, which saves waiting for the disk.
room=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -1)
if [[ -z ${TMPDIR:-} && ${room:-0} -ge 8 ]]; then
  TMPDIR=$(mktemp -d /dev/shm/systole-test.XXXXXX)
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi

ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
status=$?
python3 scripts/count_tests.py "$results"
exit $status
