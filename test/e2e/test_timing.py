"""Runs for timing take the cycles of runs that compute everything: control that depends on arguments is followed.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from systole_cli import ROOT, TARGETS, save_args, systole

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/models")]

from kernels import INDEXING, LOOPS, SORTS  # noqa: E402
from models import MODELS, lowered  # noqa: E402


def reports(text, args, directory, target, *options):
    """Of a run for timing, and of one that computes everything."""
    source, program, inputs = (directory / name for name in ("program.mlir", "program.sysx", "args.npz"))
    source.write_text(text)
    save_args(inputs, args)
    assert systole("compile", source, "-o", program, "--target", target).returncode == 0
    found = []
    for how in (["--timing-only", *options], ["--out", directory / "out.npz"]):
        report = directory / "report.json"
        done = systole("run", program, "--target", target, "--args", inputs, "--report-file", report, *how)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(report.read_text()))
    return found


def same_cycles(timed, computed):
    assert timed["assumptions"] == []
    assert timed["cycles"] == computed["cycles"]
    calls = [
        [(kernel["name"], kernel["calls"], kernel["cycles"]) for kernel in r["kernels"]] for r in (timed, computed)
    ]
    assert calls[0] == calls[1]


@pytest.mark.parametrize("name", MODELS)
def test_cycles_of_a_model_without_its_data(name, tmp_path):
    function, args = MODELS[name]("small")
    text = lowered(function, args).as_text()  # once: JAX takes longer than all runs
    for target in TARGETS[:-1]:
        same_cycles(*reports(text, jax.tree.leaves(args), tmp_path, target))


@pytest.mark.parametrize("kernel", [*INDEXING, *SORTS[:1], *LOOPS], ids=lambda kernel: kernel.name)
def test_cycles_of_a_kernel_without_its_data(kernel, tmp_path):
    same_cycles(*reports(kernel.lowered().as_text(), kernel.arguments(), tmp_path, "v3"))


def text_of(function, *args):
    return jax.jit(function, keep_unused=True).lower(*args).as_text(debug_info=True)


@pytest.mark.parametrize("turns", [0, 1, 13])
def test_iterations_that_an_argument_states(turns, tmp_path):
    def function(x, turns):
        return lax.fori_loop(0, turns, lambda i, x: x @ x, x)

    args = np.eye(128, dtype=np.float32), np.int32(turns)
    same_cycles(*reports(text_of(function, *args), args, tmp_path, "v3"))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_branch_that_arguments_choose(which, tmp_path):
    """By the largest of computed numbers."""

    def function(x, numbers):
        branches = [lambda x: x, lambda x: x @ x, lambda x: x @ x @ x]
        return lax.switch(jnp.argmax(3 * numbers + 1), branches, x)

    args = np.eye(128, dtype=np.float32), np.roll(np.int32([7, 2, 1]), which)
    same_cycles(*reports(text_of(function, *args), args, tmp_path, "v3"))


def test_branch_that_a_product_chooses_is_assumed_and_named(tmp_path):
    def function(x):
        return lax.cond((x @ x)[0, 0] > 2, lambda x: x @ x @ x, lambda x: x + 1, x)

    args = [np.eye(128, dtype=np.float32)]
    timed, computed = reports(text_of(function, *args), args, tmp_path, "v3")
    (assumption,) = timed["assumptions"]
    assert assumption["what"] == "the costlier branch of a conditional" and "test_timing.py" in assumption["source"]
    assert timed["cycles"] > computed["cycles"]  # two products more


def test_iterations_that_a_product_decides_have_to_be_stated(tmp_path):
    def function(x):
        return lax.while_loop(lambda x: x[0, 0] < 4, lambda x: x @ x + x, x)

    args = [np.eye(128, dtype=np.float32)]
    text = text_of(function, *args)
    timed, computed = reports(text, args, tmp_path, "v3", "--assume-trips", "2")
    assert timed["cycles"] == computed["cycles"]  # 1, 2, 6
    done = systole("run", tmp_path / "program.sysx", "--timing-only", "--args", tmp_path / "args.npz")
    assert done.returncode == 1 and "--assume-trips states the iterations" in done.stderr
