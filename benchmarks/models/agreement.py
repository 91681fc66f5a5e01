"""How far results may be from JAX's on the CPU, and how far they are.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A network multiplies each rounding error of f32 by its condition number: a batch norm over few
nearly equal values, or a gradient with cancellation, loses most digits in any implementation. So no
fixed tolerance is right for all gradients; instead the noise of each array is measured: the
distance of JAX's results in f32 on the CPU from those of the same function in float64, but at least
one rounding of these. Distances are Euclidean norms of whole arrays. The distance of a large array
varies little with the roundings, that of a loss may be small by chance: so the noise is the largest
one at the arguments and at several perturbations of them by at most a unit in the last place, which
change all roundings.

The error of a correct program whose operations round as in f32 is similar: at most FACTOR times
the noise, since its sums associate differently and its special functions may be off by 2 units
in the last place. Integers are equal.

The same holds for bf16, and for f32 whose products round their operands to bf16, if JAX's function
on the CPU rounds as the program does.
"""

import dataclasses

import jax
import ml_dtypes
import numpy as np

FACTOR = 4
ROUNDING = 2.0**-24
ROUNDINGS = {np.dtype(np.float32): ROUNDING, np.dtype(ml_dtypes.bfloat16): 2.0**-9}


@dataclasses.dataclass
class Expected:
    """One array of the results."""

    name: str  # its path in the function's result
    cpu: np.ndarray  # as JAX computes it on the CPU
    f64: np.ndarray
    noise: float

    def scale(self):
        return float(np.linalg.norm(self.f64))


def map_floats(function, tree):
    """A tree of NumPy arrays with a function applied to those of f32 and bf16."""

    def apply(leaf):
        leaf = np.asarray(leaf)
        return function(leaf) if leaf.dtype in ROUNDINGS else leaf

    return jax.tree.map(apply, tree)


def in_float64(function, args):
    wide = map_floats(lambda leaf: leaf.astype(np.float64), args)
    with jax.enable_x64(True):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(function(*wide))]


def moved(args, rng, least=0.0):
    """Arguments each of whose floats is moved by at most a unit in the last place, of a type whose roundings are at
    least as large as `least`."""

    def move(leaf):
        factor = 1 + 2 * max(ROUNDINGS[leaf.dtype], least) * rng.uniform(-1, 1, leaf.shape)
        return (leaf * factor).astype(leaf.dtype)

    return map_floats(move, args)


def norm(a, b=0.0):
    return float(np.linalg.norm(np.float64(a) - b))


def noise_of(leaf, wide, before):
    """The distance of JAX's result on the CPU from that in float64; of integers, whether they differ, or from those
    `before` the arguments were moved."""
    if leaf.dtype in ROUNDINGS:
        return norm(leaf, wide)
    return float((leaf != wide).any() or (leaf != before).any())


def expect(function, args, places=4, compiled=None, rounding=0.0):
    """The Expected of each array of function(*args), flattened, with the noise at `places`
    perturbations of the arguments. `compiled` is the function compiled by XLA for the CPU, where
    products of f32 are f32's whatever precision is requested (test/e2e/test_reference.py);
    `rounding` is that of the operands of its products, where it is larger than its type's."""
    function = jax.jit(function)
    compiled = compiled or function.lower(*args).compile()
    paths = jax.tree_util.tree_leaves_with_path(compiled(*args))
    exact = in_float64(function, args)
    expected = []
    for (path, leaf), wide in zip(paths, exact, strict=True):
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        leaf = np.asarray(leaf)
        noise = max(noise_of(leaf, wide, leaf), ROUNDINGS.get(leaf.dtype, 0.0) * norm(wide))
        expected.append(Expected(name, leaf, wide, noise))
    rng = np.random.default_rng(0)
    for _ in range(places):
        near = moved(args, rng, rounding)
        narrow = jax.tree.leaves(compiled(*near))
        for one, leaf, wide in zip(expected, narrow, in_float64(function, near), strict=True):
            one.noise = max(one.noise, noise_of(np.asarray(leaf), wide, one.cpu))
    return expected


def distance(result, expected):
    """How far a result is from the exact one, as a multiple of the noise; it agrees up to FACTOR. Integers that
    roundings decide agree with any."""
    assert result.shape == expected.cpu.shape and result.dtype == expected.cpu.dtype
    if result.dtype not in ROUNDINGS:
        return 0.0 if expected.noise or (result == expected.cpu).all() else np.inf
    error = norm(result, expected.f64)
    if not np.isfinite(error):
        return np.inf
    if not error:
        return 0.0
    return error / expected.noise if expected.noise else np.inf
