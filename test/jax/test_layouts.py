"""Layouts that a caller asks for, and those that executables and arrays report.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout


def in_order(device, *major_to_minor):
    return Format(Layout(major_to_minor), jax.sharding.SingleDeviceSharding(device))


def order_of(array_or_format):
    layout = getattr(array_or_format, "format", array_or_format).layout
    return layout.major_to_minor


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "int64"])
@pytest.mark.parametrize(
    ("shape", "order"),
    [((3, 5, 7), (2, 0, 1)), ((6, 200), (1, 0)), ((1000, 3), (0, 1)), ((129,), (0,)), ((0, 4), (1, 0)), ((), ())]
    + [((2, 3, 129, 4), (3, 1, 2, 0))],
)
def test_arrays_are_put_in_an_order_and_read_from_it(device, shape, order, dtype):
    with jax.enable_x64(dtype == "int64"):
        x = (np.arange(np.prod(shape, dtype=int)) % 7).reshape(shape).astype(dtype)
        placed = jax.device_put(x, in_order(device, *order))
        assert order_of(placed) == order
        np.testing.assert_array_equal(placed, x)
        twice = jax.jit(lambda a: (a, ~a if dtype == "bool" else a + a))(placed)
        np.testing.assert_array_equal(twice[0], x)
        np.testing.assert_array_equal(twice[1], ~x if dtype == "bool" else x + x)


def test_arguments_and_results_have_the_order_that_a_function_asks_for(device):
    x = np.arange(6 * 200, dtype=np.float32).reshape(6, 200)
    across = in_order(device, 1, 0)
    function = jax.jit(lambda a: (a + 1, a.sum(0)), in_shardings=across, out_shardings=(across, None))
    compiled = function.lower(x).compile()
    assert order_of(compiled.input_formats[0][0]) == (1, 0)
    assert [order_of(format) for format in compiled.output_formats] == [(1, 0), (0,)]
    one, sums = function(jax.device_put(x, across))
    assert order_of(one) == (1, 0)
    np.testing.assert_array_equal(one, x + 1)
    np.testing.assert_allclose(sums, x.sum(0))


def test_the_device_keeps_the_order(device):
    """A transposed array in the other order is the same bytes: one row of 128 lanes or 128 of one."""
    put = [
        jax.block_until_ready(jax.device_put(np.ones((128, 8), np.float32), in_order(device, *order)))
        for order in [(0, 1), (1, 0)]
    ]
    # Of arrays of this client alone, whatever other tests hold.
    before = device.memory_stats()["bytes_in_use"]
    put[1].delete()
    assert before - device.memory_stats()["bytes_in_use"] == 8 * 512
    between = device.memory_stats()["bytes_in_use"]
    put[0].delete()
    assert between - device.memory_stats()["bytes_in_use"] == 128 * 512


def test_products_of_arrays_in_other_orders_agree(device, on_cpu):
    x = np.random.default_rng(1).normal(size=(4, 33, 130)).astype(np.float32)
    y = np.random.default_rng(2).normal(size=(4, 130, 17)).astype(np.float32)
    for order in [(0, 2, 1), (1, 0, 2), (2, 1, 0)]:
        placed = jax.device_put(x, in_order(device, *order))
        np.testing.assert_allclose(jax.jit(jnp.matmul)(placed, y), on_cpu(jnp.matmul, x, y), rtol=1e-4, atol=1e-5)


def test_an_array_in_another_order_than_the_program_expects_is_refused(device):
    across = in_order(device, 1, 0)
    function = jax.jit(lambda a: a + 1, in_shardings=across)
    committed = jax.device_put(np.ones((6, 200), np.float32), device)
    with pytest.raises(ValueError, match="Layout passed to jit does not match"):
        function(committed)


def test_auto_is_the_layout_that_the_shape_decides(device):
    auto = Format(Layout.AUTO, jax.sharding.SingleDeviceSharding(device))
    shape = jax.ShapeDtypeStruct((1000, 3), jnp.float32)
    compiled = jax.jit(lambda a: a + 1, in_shardings=auto, out_shardings=auto).lower(shape).compile()
    assert order_of(compiled.input_formats[0][0]) == order_of(jnp.ones((1000, 3))) == (1, 0)
    assert order_of(compiled.output_formats) == (1, 0)


def test_a_donated_array_in_another_order_holds_no_result_of_the_default_one(device):
    placed = jax.device_put(np.ones((512, 512), np.float32), in_order(device, 1, 0))
    stats = jax.jit(lambda a: a + 1, donate_argnums=0).lower(placed).compile().memory_analysis()
    assert stats.alias_size_in_bytes == 0
    same = jax.jit(lambda a: a + 1, donate_argnums=0, out_shardings=in_order(device, 1, 0))
    assert same.lower(placed).compile().memory_analysis().alias_size_in_bytes == 512 * 512 * 4
    np.testing.assert_array_equal(same(placed), np.full((512, 512), 2.0))
    assert placed.is_deleted()


def test_the_bits_of_sums_do_not_depend_on_the_order(device):
    x = np.random.default_rng(3).normal(size=(7, 129, 40)).astype(np.float32)
    sums = jax.jit(lambda a: (a.sum(0), a.sum(1), a.sum((0, 2)), a.sum()))
    expected = [np.asarray(s) for s in sums(x)]
    for order in [(0, 2, 1), (1, 0, 2), (2, 1, 0)]:
        for one, other in zip(sums(jax.device_put(x, in_order(device, *order))), expected, strict=True):
            np.testing.assert_array_equal(one, other)
