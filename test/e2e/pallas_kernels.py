"""Helpers of tests of Pallas kernels: programs as JAX writes them for a TPU, numbers, comparisons.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import ml_dtypes
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import AbstractDevice, AbstractMesh

from systole_cli import systole_run

BF16 = ml_dtypes.bfloat16


def text_of(function, args):
    """The program as JAX writes it for a TPU v5e, without one."""
    device = AbstractDevice(device_kind="TPU v5 lite", num_cores=1, platform="tpu")
    with jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=device)):
        return jax.jit(function).trace(*args).lower(lowering_platforms=("tpu",)).as_text(debug_info=True)


def run(function, args, directory, **options):
    return systole_run(text_of(function, args), args, directory, **options)


def numbers(*shape, dtype=np.float32, seed=0):
    rng = np.random.default_rng((seed, *shape))
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-40 if np.dtype(dtype).kind == "i" else 0, 100, shape).astype(dtype)
    return rng.standard_normal(shape, np.float32).astype(dtype)


def close(actual, expected, tolerance):
    for value, reference in zip(actual, expected, strict=True):
        reference = np.asarray(reference)
        assert value.shape == reference.shape
        if reference.dtype.kind in "iub":
            np.testing.assert_array_equal(value, reference)
        else:
            wide = np.float64
            np.testing.assert_allclose(value.astype(wide), reference.astype(wide), rtol=tolerance, atol=tolerance)


def call(kernel, out, **options):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(*out), **options)
