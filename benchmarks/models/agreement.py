"""How far results may be from JAX's on the CPU, and how far they are.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A network multiplies each rounding error of f32 by a condition that is its own: a batch norm over
few nearly equal values, or a gradient that cancels, loses most digits in any implementation. So
no fixed tolerance is right for all gradients; instead each array's noise is measured. With R the
results of the same JAX function in float64, an array's noise is the largest of

- the distance between R and JAX's results in f32: the condition times the roundings of XLA;
- the distance between R and the float64 results for arguments that were each moved by at most
  one rounding of f32: the condition times the smallest error that any f32 program may be said
  to start from;
- one rounding of R's values.

Distances are Euclidean norms of whole arrays. A correct program whose operations round like
f32's is off by about as much: at most FACTOR times the noise, since its sums associate
differently and its special functions may be off by 2 units in the last place. Integers are equal.
"""

import dataclasses

import jax
import numpy as np

FACTOR = 4
ROUNDING = 2.0**-24


@dataclasses.dataclass
class Expected:
    """One array of the results."""

    name: str  # its place in the function's result
    f32: np.ndarray  # as JAX computes it on the CPU
    f64: np.ndarray
    noise: float

    def scale(self):
        return float(np.linalg.norm(self.f64))


def map_floats(function, tree):
    """A tree of NumPy arrays with a function applied to those of f32."""

    def apply(leaf):
        leaf = np.asarray(leaf)
        return function(leaf) if leaf.dtype == np.float32 else leaf

    return jax.tree.map(apply, tree)


def in_float64(function, args):
    wide = map_floats(lambda leaf: leaf.astype(np.float64), args)
    with jax.enable_x64(True):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*wide))]


def moved(args, rng):
    """Arguments each of whose floats is moved by at most one rounding, in float64."""

    def move(leaf):
        return leaf * (1 + ROUNDING * rng.uniform(-1, 1, leaf.shape))

    return map_floats(move, args)


def expect(function, args):
    """The Expected of each array of function(*args), flattened."""
    with jax.default_matmul_precision("highest"):
        paths = jax.tree_util.tree_leaves_with_path(jax.jit(function)(*args))
    wide = in_float64(function, args)
    near = in_float64(function, moved(args, np.random.default_rng(0)))
    expected = []
    for (path, leaf), exact, other in zip(paths, wide, near, strict=True):
        leaf = np.asarray(leaf)
        noise = 0.0
        if leaf.dtype == np.float32:
            noise = max(
                float(np.linalg.norm(leaf - exact)),
                float(np.linalg.norm(other - exact)),
                ROUNDING * float(np.linalg.norm(exact)),
            )
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        expected.append(Expected(name, leaf, exact, noise))
    return expected


def distance(result, expected):
    """How far a result is from the exact one, as a multiple of the noise; it agrees up to FACTOR."""
    assert result.shape == expected.f32.shape and result.dtype == expected.f32.dtype
    if result.dtype != np.float32:
        return 0.0 if (result == expected.f32).all() else np.inf
    error = float(np.linalg.norm(result - expected.f64))
    if not np.isfinite(error):
        return np.inf
    return error / expected.noise if error else 0.0
