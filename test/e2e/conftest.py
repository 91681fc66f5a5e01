"""Settings of the end-to-end tests.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

# Before JAX is imported. bf16 is rounded after each operation, as the program is written; and
# XLA compiles quickly rather than well, which takes a fifth of the time. Flags of the caller hold as well:
# --xla_cpu_max_isa=SSE4_2 gives the references of an older host.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    "--xla_allow_excess_precision=false --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false "
    + os.environ.get("XLA_FLAGS", "")
)


def pytest_addoption(parser):
    parser.addoption("--programs", type=int, default=300, help="how many random functions to try")
    parser.addoption("--every-version", action="store_true", help="each program at each version of StableHLO")
