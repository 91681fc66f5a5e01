"""Plans are what kernels follow, and nothing in a plan changes a bit: random functions with random
legal plans.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import numpy as np
import pytest

from plans import fused, plans_of, run_bits, with_fractions, with_random_plans
from random_large import LargeProgram
from random_programs import Program
from systole_cli import save_args, systole

PLANS = 3  # for each program; benchmarks/forced_plans.py has more of both


def same_bits(program, args, tmp_path, target="v3"):
    """Compares the results of random plans with those of the planner's; the number of plans that differ."""
    fusions = fused(program.lowered().as_text(), target)
    expected = run_bits(fusions, args, tmp_path, target)
    different = 0
    for seed in range(PLANS):
        forced = with_random_plans(fusions, seed, target)
        assert run_bits(forced, args, tmp_path, target) == expected, f"plans of seed {seed}"
        different += sum(a != b for a, b in zip(plans_of(fusions), plans_of(forced), strict=True))
    return different


@pytest.mark.parametrize("seed", range(12))
def test_random_plans(seed, tmp_path):
    program = Program(seed)
    same_bits(program, program.args, tmp_path, "v2" if seed % 2 else "v3")


@pytest.mark.parametrize("seed", range(4))
def test_random_plans_of_large_arrays(seed, tmp_path):
    program = LargeProgram(seed)
    rng = np.random.default_rng(seed)
    args = [with_fractions(rng, arg) for arg in program.args]
    same_bits(program, args, tmp_path)


NEGATE = """
func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<PLAN>}
      : (tensor<256x512xf32>) -> tensor<256x512xf32> {
    %1 = stablehlo.negate %a : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}
"""


def run_forced(plan, tmp_path):
    """The exit of `systole run` with a plan written by hand, the results and the report."""
    program, args, out, report = (tmp_path / name for name in ("p.mlir", "args.npz", "out.npz", "report.json"))
    program.write_text(NEGATE.replace("PLAN", plan))
    x = np.arange(256 * 512, dtype=np.float32).reshape(256, 512)
    save_args(args, [x])
    words = ["run", program, "--from", "fusion", "--args", args, "--out", out, "--report-file", report]
    return x, systole(*words), out, report


def test_plan_by_hand(tmp_path):
    """Four copies in of 64 rows and four out, as the plan says, and with one buffer no overlap."""
    cycles = {}
    for buffers in (1, 2):
        plan = f"axes = [<value 1 dim 0 by 64>], buffers = [{buffers}, {buffers}]"
        x, done, out, report = run_forced(plan, tmp_path)
        assert done.returncode == 0, done.stderr
        with np.load(out) as archive:
            np.testing.assert_array_equal(archive["out0"], -x)
        cycles[buffers] = json.loads(report.read_text())["cycles"]
    assert cycles[1] > cycles[2]


def test_refused_plan(tmp_path):
    _, done, _, _ = run_forced("axes = [<value 1 dim 1 by 100>]", tmp_path)
    assert done.returncode == 1
    assert "no kernel can follow this plan: it has tiles of 100 of dimension 1" in done.stderr
    assert done.stderr.count("no kernel can follow") == 1


def test_level_that_is_none(tmp_path):
    program = tmp_path / "p.mlir"
    program.write_text(NEGATE.replace("PLAN", "axes = []"))
    done = systole("compile", program, "--from", "kernel", "-o", tmp_path / "p.sysx")
    assert done.returncode == 1
    assert "--from is 'kernel'; it can be input, graph, layout or fusion" in done.stderr
