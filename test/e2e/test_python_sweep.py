"""Sweeps over parameters of a function, such as the blocks of a Pallas kernel: the package times each choice.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import sys

import jax
import jax.numpy as jnp
import pytest
from jax.experimental.pallas.ops.tpu.matmul import matmul

from systole_cli import BIN, ROOT

sys.path.insert(0, str(ROOT / "python"))
import systole
from systole import _predict

X = jax.ShapeDtypeStruct((512, 512), jnp.bfloat16)


@pytest.fixture(autouse=True)
def built(monkeypatch):
    monkeypatch.setattr(_predict, "command_path", lambda: BIN / "systole")


def product(x, y, rows, depth):
    return matmul(x, y, block_shape=(rows, 256), block_k=depth)


def test_all_combinations_are_timed_on_all_machines():
    choices = {"rows": [128, 512], "depth": [256, 512]}
    found = systole.sweep(product, choices, X, X, targets=["v5e", "v6e"])
    assert [trial.parameters for trial in found.trials[::2]] == [
        {"rows": 128, "depth": 256},
        {"rows": 128, "depth": 512},
        {"rows": 512, "depth": 256},
        {"rows": 512, "depth": 512},
    ]
    for target in ("v5e", "v6e"):
        cycles = {trial.cycles for trial in found.trials if trial.target == target}
        assert len(cycles) == 4 and found.best(target).cycles == min(cycles)
        report = systole.report(lambda x, y: product(x, y, 128, 256), X, X, target=target)
        assert report.cycles in cycles
    marked = [line for line in str(found).splitlines() if line.startswith("*")]
    assert len(marked) == 2
    assert f"{found.best('v6e').cycles:,}" in marked[0] + marked[1]
    assert [entry["cycles"] for entry in json.loads(found.to_json())] == [trial.cycles for trial in found.trials]


def test_choices_that_do_not_compile_have_their_error():
    found = systole.sweep(product, [{"rows": 512, "depth": 512}, {"rows": 100, "depth": 512}], X, X, targets=["v5e"])
    good, bad = found.trials
    assert good.run and not good.error and found.best() is good
    assert bad.run is None and bad.error and bad.cycles is None
    assert bad.error.splitlines()[0][:40] in str(found)


def test_nothing_to_try_is_an_error():
    with pytest.raises(ValueError, match="no parameters"):
        systole.sweep(product, {"rows": [], "depth": [1]}, X, X)
