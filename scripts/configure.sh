#!/usr/bin/env bash
# Configures a build directory once; ninja reruns CMake after changes of its files.
#
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: configure.sh BUILD_DIR

set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

if [[ -f $build/build.ninja ]]; then
  echo "    $build is configured"
  exit
fi
log=$(mktemp)
if ! cmake --preset default -B "$build" -DSYSTOLE_PYTHON="$PWD/.venv/bin/python" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
rm -f "$log"
