"""The reference of convolutions: sums of products, window element by window element.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from rules_elementwise import rule
from rules_tensor import sum_of_products


def dilated(array, dims, factors, padding):
    """The array with zeros between its elements and around it; negative padding removes."""
    for dim, factor, (low, high) in zip(dims, factors, padding):
        size = array.shape[dim]
        shape = list(array.shape)
        shape[dim] = max(0, (size - 1) * factor + 1)
        spread = np.zeros(shape, array.dtype)
        index = [slice(None)] * array.ndim
        index[dim] = slice(None, None, factor)
        spread[tuple(index)] = array
        edges = [(0, 0)] * array.ndim
        edges[dim] = (max(low, 0), max(high, 0))
        array = np.pad(spread, edges)
        index[dim] = slice(max(-low, 0), array.shape[dim] - max(-high, 0))
        array = array[tuple(index)]
    return array


def convolve(params, x, w):
    """The convolution of two plain arrays, and how many products a sum has."""
    numbers = params["dimension_numbers"]
    lhs, rhs, out = numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec
    x = dilated(x, lhs[2:], params["lhs_dilation"], params["padding"])
    x, w = x.transpose(lhs), w.transpose(rhs)  # batch, features, space; outputs, inputs, space
    window = w.shape[2:]
    strides, dilation = params["window_strides"], params["rhs_dilation"]
    sizes = [
        0 if size == 0 or size < (taps - 1) * apart + 1 else (size - (taps - 1) * apart - 1) // s + 1
        for size, taps, apart, s in zip(x.shape[2:], window, dilation, strides)
    ]
    groups, batches = params["feature_group_count"], params["batch_group_count"]
    outputs = w.shape[0] // (groups * batches)
    inputs, batch = w.shape[1], x.shape[0] // batches
    split, positions = groups * batches, int(np.prod(sizes))
    sums = np.zeros((batch, split, outputs, positions), x.dtype)
    for taps in np.ndindex(*window):
        places = tuple(
            slice(t * apart, t * apart + (n - 1) * s + 1 if n else 0, s)
            for t, apart, n, s in zip(taps, dilation, sizes, strides)
        )
        seen = x[(slice(None), slice(None), *places)]
        image = seen.reshape(batches, batch, groups, inputs, *sizes).swapaxes(0, 1)
        kernel = w[(slice(None), slice(None), *taps)].reshape(split, outputs, inputs)
        sums += np.matmul(kernel, image.reshape(batch, split, inputs, positions))
    sums = sums.reshape(batch, w.shape[0], *sizes)
    return sums.transpose(np.argsort(out)), int(np.prod(window, dtype=np.int64)) * inputs


@rule("conv_general_dilated")
def conv_general_dilated(params, model, x, w):
    result = np.dtype(params["preferred_element_type"] or x.dtype)
    return sum_of_products(lambda a, b: convolve(params, a, b), model, x, w, result)
