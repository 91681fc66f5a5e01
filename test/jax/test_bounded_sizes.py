"""Programs whose arguments and results have bounds instead of sizes. JAX itself does not write them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
import pytest
from jax._src.lib import xla_client

BOUNDED = "tensor<?x5xf32, #stablehlo.bounds<9, ?>>"


def compiled(text, device):
    devices = xla_client.DeviceList((device,))
    return device.client.compile_and_load(text, devices, xla_client.CompileOptions())


def run(program, *arrays):
    results = program.execute_sharded(arrays).disassemble_into_single_device_arrays()
    return [result for (result,) in results]


@pytest.mark.parametrize("size", [0, 1, 7, 9])
def test_arguments_that_are_smaller(size, device):
    text = f"""func.func @main(%x: {BOUNDED}) -> tensor<5xf32> {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : ({BOUNDED}, tensor<f32>) -> tensor<5xf32>
      return %s : tensor<5xf32>
    }}"""
    x = np.random.default_rng(size).normal(size=(size, 5)).astype(np.float32)
    (total,) = run(compiled(text, device), jax.device_put(x, device))
    np.testing.assert_allclose(np.asarray(total), x.sum(0), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("size", [0, 1, 7, 9])
def test_results_with_their_own_sizes(size, device):
    cut = f"""func.func @main(%x: tensor<9x5xf32>, %n: tensor<i32>) -> {BOUNDED} {{
      %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<9x5xf32>, tensor<i32>) -> {BOUNDED}
      return %r : {BOUNDED}
    }}"""
    double = f"""func.func @main(%x: {BOUNDED}) -> ({BOUNDED}, tensor<i32>) {{
      %r = stablehlo.add %x, %x : {BOUNDED}
      %n = stablehlo.get_dimension_size %r, dim = 0 : ({BOUNDED}) -> tensor<i32>
      return %r, %n : {BOUNDED}, tensor<i32>
    }}"""
    x = np.random.default_rng(size).normal(size=(9, 5)).astype(np.float32)
    (part,) = run(compiled(cut, device), jax.device_put(x, device), jax.device_put(np.int32(size), device))
    twice, length = run(compiled(double, device), part)
    assert np.asarray(length) == size
    np.testing.assert_array_equal(np.asarray(part), x[:size])
    np.testing.assert_array_equal(np.asarray(twice), 2 * x[:size])
