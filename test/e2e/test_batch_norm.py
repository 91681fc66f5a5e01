"""Batch normalizations: dimensions of features, element types, sizes.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

JAX does not emit these operations: their definitions are evaluated by the reference, and
its gradient compared with JAX's own.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from check import check_all
from reference import evaluate
from systole_cli import MLIR_NAMES, systole_run, tensor_type
from test_elementwise import generator

EPSILON = 0.125


def parts(x, dim):
    """The dimensions that are summed, and how a feature's numbers lie in `x`."""
    axes = tuple(d for d in range(x.ndim) if d != dim)
    count = np.prod([x.shape[d] for d in axes])
    return axes, F32.type(count), lambda v: lax.broadcast_in_dim(v, x.shape, (dim,))


def normalized(x, mean, variance, scale, offset, dim):
    spread = parts(x, dim)[2]
    factor = lax.rsqrt(variance + F32.type(EPSILON))
    return (x - spread(mean)) * spread(factor * scale) + spread(offset)


def training(x, scale, offset, dim):
    axes, count, spread = parts(x, dim)
    mean = lax.reduce_sum(x, axes) / count
    centered = x - spread(mean)
    variance = lax.reduce_sum(centered * centered, axes) / count
    return normalized(x, mean, variance, scale, offset, dim), mean, variance


def gradients(x, scale, mean, variance, g, dim):
    axes, count, spread = parts(x, dim)
    centered, factor = x - spread(mean), lax.rsqrt(variance + F32.type(EPSILON))
    total, products = lax.reduce_sum(g, axes), lax.reduce_sum(g * centered, axes)
    slope = factor * factor * (products / count)
    inner = g - spread(total / count) - centered * spread(slope)
    return inner * spread(factor * scale), products * factor, total


DEFINITIONS = {
    "training": (training, "x c c", "x c c"),
    "inference": (lambda x, s, o, m, v, dim: normalized(x, m, v, s, o, dim), "x c c c v", "x"),
    "grad": (gradients, "x c c v x", "x c c"),
}
CASES = [((8, 5, 6, 3), 3), ((2, 130), 1), ((9, 200), 0), ((3, 7, 4), 1), ((20,), 0), ((1, 4), 1)]


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
@pytest.mark.parametrize("name", DEFINITIONS)
def test_batch_norm(name, dtype, tmp_path):
    definition, takes, gives = DEFINITIONS[name]
    rng = generator("batch norm", name, dtype.name)
    arguments, lines, results, values, expected = [], [], [], [], []
    for number, (shape, dim) in enumerate(CASES):
        sizes = {"x": shape, "c": shape[dim : dim + 1], "v": shape[dim : dim + 1]}
        types = lambda letters: [tensor_type(sizes[letter], dtype) for letter in letters.split()]
        operands = [rng.normal(0, 2, sizes[letter]) for letter in takes.split()]
        operands = [np.abs(o) if k == "v" else o for o, k in zip(operands, takes.split())]
        operands = [np.round(o * 16) / 16 for o in operands]
        operands = [o.astype(dtype) for o in operands]

        def evaluated(*xs):
            wide = definition(*(lax.convert_element_type(x, F32) for x in xs), dim)
            return jax.tree.map(lambda v: lax.convert_element_type(v, dtype), wide)

        names = [f"%a{number}_{i}" for i in range(len(operands))]
        arguments += [f"{n}: {t}" for n, t in zip(names, types(takes))]
        outputs = types(gives)
        results += [(f"%r{number}#{i}" if len(outputs) > 1 else f"%r{number}", t)
                    for i, t in enumerate(outputs)]  # fmt: skip
        count = f":{len(outputs)}" if len(outputs) > 1 else ""
        lines.append(
            f'%r{number}{count} = "stablehlo.batch_norm_{name}"({", ".join(names)}) <{{epsilon = '
            f"{EPSILON} : f32, feature_index = {dim} : i64}}> : ({', '.join(types(takes))}) -> "
            f"({', '.join(outputs)})"
        )
        values += operands
        expected += evaluate(evaluated, operands)
    kinds = ", ".join(kind for _, kind in results)
    text = (
        f"func.func @main({', '.join(arguments)}) -> ({kinds}) {{\n  " + "\n  ".join(lines)
        + f"\n  return {', '.join(n for n, _ in results)} : {kinds}\n}}\n"
    )  # fmt: skip
    check_all(systole_run(text, values, tmp_path), expected)


def test_the_gradient_is_that_of_training():
    rng = generator("batch norm gradient")
    x, g = (rng.normal(0, 2, (8, 5, 3)).astype(F32) for _ in range(2))
    scale, offset = (rng.normal(0, 2, 3).astype(F32) for _ in range(2))
    (_, mean, variance), pull = jax.vjp(lambda *xs: training(*xs, 2), x, scale, offset)
    zero = jnp.zeros(3, F32)
    for ours, theirs in zip(gradients(x, scale, mean, variance, g, 2), pull((g, zero, zero))):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
