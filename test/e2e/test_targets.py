"""One program on different machines: the same bits, other cycles; the peak of each.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import math
import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from systole_cli import ROOT, TARGETS, load_results, save_args, systole
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


def run(program, args, target, directory, *options):
    out, report = directory / "out.npz", directory / "report.json"
    done = systole(
        *("run", program, "--args", args, "--out", out, "--target", target),
        *("--report", "json", "--report-file", report),
        *options,
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


def numbers(shape, dtype=np.float32):
    """Of several binades, so that the order of a sum shows in its bits."""
    rng = np.random.default_rng(math.prod(shape))
    values = rng.standard_normal(shape) * 2.0 ** rng.integers(-4, 5, shape)
    return np.asarray(values, dtype)


def convolution(image, filters):
    return jax.lax.conv_general_dilated(image, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


BF16 = ml_dtypes.bfloat16
# Products with partial blocks of 128 rows, columns and depths, of which arrays of 256 take two.
SAME_BITS = {
    "one block": (lambda x, y: x @ y, (64, 100), (100, 90)),
    "two depths": (lambda x, y: x @ y, (200, 256), (256, 128)),
    "two columns": (lambda x, y: x @ y, (200, 128), (128, 256)),
    "partial blocks": (lambda x, y: x @ y, (131, 700), (700, 333)),
    "odd blocks": (lambda x, y: x @ y, (40, 384), (384, 640)),
    "many depths": (lambda x, y: x @ y, (24, 2100), (2100, 130)),
    "one row": (lambda x, y: x @ y, (1, 900), (900, 520)),
    "transposed": (lambda x, y: x @ y.T, (131, 700), (333, 700)),
    "batch": (lambda x, y: jnp.einsum("bik,bkj->bij", x, y), (5, 33, 300), (5, 300, 270)),
    "convolution of 3": (convolution, (2, 9, 9, 3), (3, 3, 3, 20)),
    "convolution of 64": (convolution, (2, 9, 9, 64), (3, 3, 64, 192)),
    "convolution of 256": (convolution, (1, 7, 7, 256), (3, 3, 256, 300)),
    "convolution of 260": (convolution, (1, 5, 5, 260), (3, 3, 260, 128)),
    "softmax": (lambda x, y: jax.nn.softmax(x + y, axis=1), (70, 300), (300,)),
}


@pytest.mark.parametrize("precision", ["default", "highest"])
@pytest.mark.parametrize("name", SAME_BITS)
def test_all_machines_give_the_same_bits(name, precision, tmp_path):
    function, *shapes = SAME_BITS[name]
    args = [numbers(shape) for shape in shapes]
    (tmp_path / "program.mlir").write_text(lower(function, args).as_text())
    save_args(tmp_path / "args.npz", args)
    results = {}
    for target in TARGETS:
        (result,), _ = run(tmp_path / "program.mlir", tmp_path / "args.npz", target, tmp_path, "--precision", precision)
        results[target] = result
    np.testing.assert_allclose(results["v3"], function(*args), rtol=0.05, atol=0.05 * np.abs(results["v3"]).max())
    assert {target for target in TARGETS if results[target].tobytes() != results["v3"].tobytes()} == set()


# Of each machine: TFLOPS of a core, as published for the chip, its MXUs and their size, and the share of the
# peak below which a large product must not fall (docs/limits.md says why it is no higher).
PEAKS = {
    "v2": (46 / 2, 1, 128, 0.88),
    "v3": (123 / 2, 2, 128, 0.8),
    "v4": (275 / 2, 4, 128, 0.7),
    "v5e": (197, 4, 128, 0.7),
    "v6e": (918, 2, 256, 0.48),
    TARGETS[-1]: (2 * 256**2 * 940e6 / 1e12, 1, 256, 0.13),
}


@pytest.mark.parametrize("target", TARGETS)
def test_large_products_reach_their_share_of_the_peak(target, tmp_path):
    """4096 x 4096 x 4096 in bf16: pushes that all go through whole MXUs would need the published time."""
    side, (tflops, mxus, size, least) = 4096, PEAKS[target]
    operand = jax.ShapeDtypeStruct((side, side), BF16)
    (tmp_path / "program.mlir").write_text(lower(lambda x, y: x @ y, [operand, operand]).as_text())
    words = ("run", tmp_path / "program.mlir", "--timing-only", "--target", target)
    done = systole(*words, "--report", "json", "--report-file", tmp_path / "report.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    pushes = side // 8 * (side // size) ** 2
    assert pushes <= report["mxu_pushes"] <= 1.03 * pushes
    busy = 8 * pushes / mxus
    clock = report["cycles"] / report["device_seconds"]
    assert 2 * side**3 / (busy / clock) == pytest.approx(tflops * 1e12, rel=0.005)
    print(f"{target}: {report['cycles']:,} cycles, {busy / report['cycles']:.1%} of the peak")
    assert least <= busy / report["cycles"] <= 1
