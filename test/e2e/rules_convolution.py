"""The reference of convolutions: sums of products over windows.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

from rules_elementwise import rule
from rules_tensor import sum_of_products

# Elements of windows that are multiplied together: these take 16 MB.
AT_ONCE = 1 << 21


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
    # Without spatial dimensions there is one position and one window element.
    x = x.reshape(*x.shape[:2], *(x.shape[2:] or (1,)))
    window = w.shape[2:] or (1,)
    strides, dilation = params["window_strides"] or (1,), params["rhs_dilation"] or (1,)
    sizes = [
        0 if size == 0 or size < (taps - 1) * apart + 1 else (size - (taps - 1) * apart - 1) // s + 1
        for size, taps, apart, s in zip(x.shape[2:], window, dilation, strides)
    ]
    groups, batches = params["feature_group_count"], params["batch_group_count"]
    outputs = w.shape[0] // (groups * batches)
    inputs, batch = w.shape[1], x.shape[0] // batches
    split, positions = groups * batches, int(np.prod(sizes))
    seen = np.lib.stride_tricks.as_strided(
        x,
        (*x.shape[:2], *window, *sizes),
        (
            *x.strides[:2],
            *(stride * apart for stride, apart in zip(x.strides[2:], dilation)),
            *(stride * s for stride, s in zip(x.strides[2:], strides)),
        ),
        writeable=False,
    )
    w = w.reshape(split, outputs, inputs, *window)
    sums = np.zeros((batch, split, outputs, positions), x.dtype)
    step = max(1, AT_ONCE * window[0] // max(seen.size, 1))
    for first in range(0, window[0], step):
        some = seen[:, :, first : first + step]
        depth = inputs * int(np.prod(some.shape[2 : 2 + len(window)]))
        image = some.reshape(batches, batch, groups, depth, positions).swapaxes(0, 1)
        kernel = w[:, :, :, first : first + step].reshape(split, outputs, depth)
        sums += np.matmul(kernel, image.reshape(batch, split, depth, positions))
    sums = sums.reshape(batch, split * outputs, *sizes[: len(lhs) - 2])
    return sums.transpose(np.argsort(out)), int(np.prod(window, dtype=np.int64)) * inputs


@rule("conv_general_dilated")
def conv_general_dilated(params, model, x, w):
    result = np.dtype(params["preferred_element_type"] or x.dtype)
    return sum_of_products(lambda a, b: convolve(params, a, b), model, x, w, result)
