"""The small models of benchmarks/models agree with JAX on the CPU: outputs, losses, gradients,
parameters after the step.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

import jax
import numpy as np
import pytest

from systole_cli import ROOT, systole_run

sys.path.append(str(ROOT / "benchmarks/models"))

from agreement import FACTOR, Expected, distance, expect  # noqa: E402
from models import MODELS, lowered  # noqa: E402

# Beside the arguments, at which the noise is measured: fewer allow less.
PLACES = 2


@pytest.mark.parametrize("name", MODELS)
def test_small_model_agrees_with_jax(name, tmp_path):
    function, args = MODELS[name]("small")
    program = lowered(function, args)
    text = program.as_text(debug_info=True)
    results = systole_run(text, jax.tree.leaves(args), tmp_path, precision="highest")
    wanted = expect(function, args, PLACES, program.compile())
    off = {expected.name: distance(result, expected) for result, expected in zip(results, wanted, strict=True)}
    assert {name: value for name, value in off.items() if not value <= FACTOR} == {}


def test_distance_without_noise():
    """A result that JAX computes exactly at all places has to be exact."""
    exact = np.ones(3, np.float32)
    expected = Expected("x", exact, exact.astype(np.float64), noise=0.0)
    assert distance(exact, expected) == 0
    assert distance(exact + np.float32(2**-20), expected) == np.inf
