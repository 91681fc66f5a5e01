# Configuration of the lit tests and of their tools.
# Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import lit.formats

config.name = "Systole"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

# Tests of debug output, which other builds do not have.
if config.systole_assertions:
    config.available_features.add("assertions")

# FileCheck, not and split-file come from LLVM.
bin_dir = os.path.join(config.systole_build_dir, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools_dir, config.environment["PATH"]])

# Whatever IR a test reads is also printed and read back, as text and as
# bytecode, and has to be the same; `systole-opt` without the percent sign skips
# this round trip. Longer names come first, as they begin like shorter ones.
config.substitutions += [
    ("%systole-opt", "systole-opt --verify-roundtrip"),
    ("%systole-lsp-server", "systole-lsp-server"),
    (r"%systole\b", "systole"),
    ("%build", config.systole_build_dir),
    ("%source", config.systole_source_dir),
    ("%python", f'"{sys.executable}"'),
]
