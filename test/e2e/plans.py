"""Programs at the fusion level, with the planner's plans and with random ones.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess

import numpy as np

from bounds import is_float
from systole_cli import BIN, TIMEOUT, systole_run

PLAN = re.compile(r"#kernel\.plan<axes = \[[^]]*\][^>]*>")


def systole_opt(text, *passes):
    """The IR that systole-opt makes of `text`."""
    done = subprocess.run(
        [BIN / "systole-opt", "-", *passes], input=text, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, f"systole-opt {passes}:\n{done.stderr[-4000:]}"
    return done.stdout


def fused(text, target="v3", options=""):
    """A StableHLO program at the fusion level."""
    return systole_opt(text, f"--systole-pipeline=to=fusion target={target} {options}")


def with_random_plans(fusions, seed, target="v3"):
    """IR at the fusion level with a random legal plan for each kernel."""
    return systole_opt(fusions, f"--systole-randomize-plans=seed={seed} target={target}")


def plans_of(fusions):
    """The plans of IR at the fusion level, in order."""
    return PLAN.findall(fusions)


def with_fractions(rng, array):
    """An array of the same shape and type; floats have all their bits, so that the order of a sum shows."""
    return rng.standard_normal(array.shape).astype(array.dtype) if is_float(array.dtype) else array


def bits_of(results):
    """Types, shapes and bytes of results."""
    return [(result.dtype.str, result.shape, np.ascontiguousarray(result).tobytes()) for result in results]


def run_bits(fusions, args, directory, target="v3"):
    """The bits of the results of IR at the fusion level."""
    return bits_of(systole_run(fusions, args, directory, target=target, options=("--from", "fusion")))
