"""One program on machines that differ in clock or bandwidth: the same bits, other cycles.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math
import re

import jax.numpy as jnp
import numpy as np
import pytest

from systole_cli import ROOT, load_results, save_args, systole
from verify import lower

V2 = (ROOT / "dialects/Machine/Target/targets/v2.textproto").read_text()
# Published numbers of v2: bytes per second of a core's share of the HBM, and its clock.
HBM = 716e9 / 2
CLOCK = 700e6
CHANGES = {
    "clock": ("clock_mhz { value: 700", "clock_mhz { value: 350", HBM, CLOCK / 2),
    "bandwidth": ("hbm_gb_per_s_per_chip { value: 716", "hbm_gb_per_s_per_chip { value: 179", HBM / 4, CLOCK),
}


def changed_target(change, directory):
    old, new, _, _ = CHANGES[change]
    assert V2.count(old) == 1
    path = directory / f"{change}.textproto"
    path.write_text(re.sub('name: "v2"', f'name: "v2 with another {change}"', V2, count=1).replace(old, new))
    return path


def run(program, args, target, directory):
    out, report = directory / "out.npz", directory / "report.json"
    done = systole(
        *("run", program, "--args", args, "--out", out, "--target", target),
        *("--report", "json", "--report-file", report),
    )
    assert done.returncode == 0, done.stderr
    return [np.asarray(x) for x in load_results(out)], json.loads(report.read_text())


@pytest.mark.parametrize("change", CHANGES)
def test_copies_follow_bandwidth_and_clock(change, tmp_path):
    """8 rows in, one addition, 8 rows out: all but the two copies takes as many cycles as before."""
    program = ROOT / "test/lit/tools/systole/Inputs/increment.sysasm"
    x = np.arange(8 * 128, dtype=np.float32).reshape(8, 128)
    save_args(tmp_path / "args.npz", [x])
    (before,), old = run(program, tmp_path / "args.npz", "v2", tmp_path)
    (after,), new = run(program, tmp_path / "args.npz", changed_target(change, tmp_path), tmp_path)
    np.testing.assert_array_equal(before, x + 1)
    assert before.tobytes() == after.tobytes()

    _, _, hbm, clock = CHANGES[change]
    copy = lambda hbm, clock: math.ceil(x.nbytes / (hbm / clock))
    assert new["cycles"] - old["cycles"] == 2 * (copy(hbm, clock) - copy(HBM, CLOCK))
    assert new["device_seconds"] == pytest.approx(new["cycles"] / clock)


@pytest.mark.parametrize("change", CHANGES)
def test_compiled_programs_keep_their_bits(change, tmp_path):
    rng = np.random.default_rng(7)
    args = [rng.normal(size=shape).astype(np.float32) for shape in ((300, 500), (500, 700))]
    text = lower(lambda x, y: jnp.exp(-jnp.abs(x @ y)).sum(1), args).as_text()
    (tmp_path / "program.mlir").write_text(text)
    save_args(tmp_path / "args.npz", args)
    program = tmp_path / "program.sysx"
    assert systole("compile", tmp_path / "program.mlir", "-o", program, "--target", "v2").returncode == 0
    before, old = run(program, tmp_path / "args.npz", "v2", tmp_path)
    after, new = run(program, tmp_path / "args.npz", changed_target(change, tmp_path), tmp_path)
    assert [x.tobytes() for x in before] == [x.tobytes() for x in after]
    # A slower clock has more bytes a cycle, a narrower memory has fewer.
    assert (new["cycles"] < old["cycles"]) == (change == "clock")


def test_an_array_that_keeps_its_latch_after_a_swap(tmp_path):
    """Latches follow a swap by its interval, pushes by its cycles (docs/isa.md)."""
    rng = np.random.default_rng(8)
    args = [rng.integers(-8, 9, size=shape).astype(np.float32) for shape in ((100, 300), (300, 200))]
    (tmp_path / "program.mlir").write_text(lower(lambda x, y: x @ y, args).as_text())
    save_args(tmp_path / "args.npz", args)
    swap = '"mxu_swap" cycles: 2 interval: 2'
    assert V2.count(swap) == 1
    target = tmp_path / "swap.textproto"
    target.write_text(V2.replace(swap, '"mxu_swap" cycles: 2 interval: 9'))
    (result,), _ = run(tmp_path / "program.mlir", tmp_path / "args.npz", target, tmp_path)
    np.testing.assert_array_equal(result, args[0] @ args[1])
