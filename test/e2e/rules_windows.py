"""The reference of sliding windows, cumulative operations, sorts and random bits.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Rules as in rules_elementwise.py. Windows are evaluated element by element, cumulative
operations are NumPy's, and sorts use its `lexsort`.
"""

import numpy as np

from bounds import BF16, Value, is_float, quantum, rounded, sum_deviation, wide
from rules_elementwise import certain, rule, unknown_unless
from rules_tensor import moved


def shown(array, params, filler):
    """For each element of the window, that element of all windows."""
    sizes, strides = params["window_dimensions"], params["window_strides"]
    rank = array.ndim
    base = params.get("base_dilation", (1,) * rank)
    apart = params.get("window_dilation", (1,) * rank)
    padding = params["padding"]
    spread = [max(0, (n - 1) * d + 1) for n, d in zip(array.shape, base)]
    whole = np.full([low + n + high for n, (low, high) in zip(spread, padding)], filler, array.dtype)
    assert all(low >= 0 and high >= 0 for low, high in padding)
    places = [slice(low, low + n, d) for n, d, (low, _) in zip(spread, base, padding)]
    whole[tuple(places)] = array
    counts = [max(0, (n - (w - 1) * a - 1) // s + 1) for n, w, a, s in zip(whole.shape, sizes, apart, strides)]
    for tap in np.ndindex(*sizes):
        first = [t * a for t, a in zip(tap, apart)]
        yield whole[tuple(slice(f, f + n * s, s) for f, n, s in zip(first, counts, strides))]


@rule("reduce_window_sum")
def window_sum(params, model, a):
    if not is_float(a.dtype):
        with np.errstate(over="ignore"):
            data = sum(shown(a.data, params, 0)).astype(a.dtype)
        return unknown_unless(certain(a), data)
    terms = int(np.prod(params["window_dimensions"]))
    return summed(a, model, terms, lambda x: sum(shown(x, params, 0.0)))


def summed(a, model, terms, add):
    """The Value of sums of at most `terms` elements, which `add` makes of a plain array."""
    x = wide(a)
    with np.errstate(invalid="ignore"):
        exact, magnitude = add(x), add(np.abs(x))
    narrow = a.dtype == BF16 and model.narrow_sums
    if certain(a):
        dev = sum_deviation(terms, magnitude, quantum(x), model, narrow)
        dev = np.where(np.isfinite(exact), dev, 0.0)
    else:
        errors = add(a.errors())
        dev = errors + sum_deviation(terms, magnitude + errors, 0.0, model, narrow)
    return rounded(exact, dev, a.dtype)


def extremum(function, a, apply):
    """The Value of minima or maxima, which `apply` finds in a plain array."""
    data = apply(a.data)
    if certain(a):
        return Value(data)
    x, middle = wide(a), data.astype(np.float64)
    return Value(data, np.maximum(apply(x + a.err) - middle, middle - apply(x - a.err)))


def lowest(dtype):
    return -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min


def highest(dtype):
    return np.inf if dtype.kind not in "iu" else np.iinfo(dtype).max


def window_extremum(function, filler):
    def apply(params, model, a):
        def fold(x):
            result = None
            for part in shown(x, params, filler(x.dtype)):
                result = part if result is None else function(result, part)
            return np.array(result)

        return extremum(function, a, fold)

    return apply


rule("reduce_window_max")(window_extremum(np.maximum, lowest))
rule("reduce_window_min")(window_extremum(np.minimum, highest))


def along(params, function):
    """Applies a cumulative function along the operation's axis, backwards if it says so."""
    axis, reverse = params["axis"], params["reverse"]
    return lambda x: np.flip(function(np.flip(x, axis), axis), axis) if reverse else function(x, axis)


@rule("cumsum")
def cumulative_sum(params, model, a):
    add = along(params, lambda x, axis: np.cumsum(x, axis, dtype=x.dtype))
    if not is_float(a.dtype):
        return unknown_unless(certain(a), add(a.data))
    return summed(a, model, a.shape[params["axis"]], add)


def cumulative_extremum(function):
    def apply(params, model, a):
        return extremum(function, a, along(params, lambda x, axis: function.accumulate(x, axis)))

    return apply


rule("cummax")(cumulative_extremum(np.maximum))
rule("cummin")(cumulative_extremum(np.minimum))


def selections(params, operand):
    """The places that windows select, one for each window in row-major order. JAX pads the
    operand with infinities, which equal ones behind them do not replace: None for those."""
    sizes, strides = params["window_dimensions"], params["window_strides"]
    padding = params["padding"]
    filler, keeps = {
        "ge": (lowest(operand.dtype), lambda a, b: a >= b),
        "le": (highest(operand.dtype), lambda a, b: a <= b),
    }[params["select_prim"].name]
    padded = np.pad(operand, padding, constant_values=filler) if padding else operand
    counts = [(n - w) // s + 1 for n, w, s in zip(padded.shape, sizes, strides)]
    for window in np.ndindex(*counts):
        best = None
        for tap in np.ndindex(*sizes):
            place = tuple(p * s + t for p, s, t in zip(window, strides, tap))
            if best is None or not keeps(padded[best], padded[place]):
                best = place
        best = tuple(p - low for p, (low, _) in zip(best, padding))
        yield best if all(0 <= p < n for p, n in zip(best, operand.shape)) else None


@rule("select_and_scatter_add")
def select_and_scatter_add(params, model, source, operand):
    if not certain(operand):
        raise NotImplementedError("a selection by values that are not known exactly")
    places = list(selections(params, operand.data))

    def add(values):
        result = np.zeros(operand.shape, values.dtype)
        with np.errstate(over="ignore"):
            for place, value in zip(places, values.reshape(-1)):
                if place is not None:
                    result[place] += value
        return result

    if not is_float(source.dtype):
        return unknown_unless(certain(source), add(source.data))
    return summed(source, model, int(np.prod(params["window_dimensions"])), add)


@rule("sort")
def sort(params, model, *values):
    axis, keys = params["dimension"], params["num_keys"]
    if not certain(*values[:keys]):
        raise NotImplementedError("a sort by values that are not known exactly")
    numbers = [v.data.astype(np.float64) if is_float(v.dtype) else v.data for v in values[:keys]]
    order = np.lexsort(numbers[::-1], axis=axis)
    return [moved(lambda x: np.take_along_axis(x, order, axis), value) for value in values]


@rule("top_k")
def top_k(params, model, a):
    """Of floats in the total order of their bits, read as sign and magnitude."""
    if not certain(a):
        raise NotImplementedError("a sort by values that are not known exactly")
    numbers = a.data
    if is_float(a.dtype):
        bits = np.ascontiguousarray(a.data).view(np.int32 if a.dtype.itemsize == 4 else np.int16)
        numbers = np.where(bits < 0, np.iinfo(bits.dtype).min - bits.astype(np.int64) - 1, bits)
    numbers = -numbers.astype(np.int64)
    order = np.argsort(numbers, axis=-1, kind="stable")[..., : params["k"]]
    return [Value(np.take_along_axis(a.data, order, -1)), Value(order.astype(np.int32))]


def threefry(key, x, y):
    """Two words of random bits for each pair of counters, all as uint32."""
    keys = [*key, key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)]
    x, y = x + keys[0], y + keys[1]
    for group in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = x + y
            y = x ^ ((y << np.uint32(turn)) | (y >> np.uint32(32 - turn)))
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def philox(key, words):
    """Four words of random bits for each four counters, all as uint32."""
    for _ in range(10):
        first = words[0].astype(np.uint64) * np.uint64(0xD2511F53)
        second = words[2].astype(np.uint64) * np.uint64(0xCD9E8D57)
        halves = [(p >> np.uint64(32)).astype(np.uint32) for p in (first, second)]
        lows = [p.astype(np.uint32) for p in (first, second)]
        words = [halves[1] ^ words[1] ^ key[0], lows[1], halves[0] ^ words[3] ^ key[1], lows[0]]
        key = [key[0] + np.uint32(0x9E3779B9), key[1] + np.uint32(0xBB67AE85)]
    return words


def wide_counter(start, count):
    """Low and high words of start, start + 1, ... of 64 bits."""
    numbers = np.uint64(start) + np.arange(count, dtype=np.uint64)
    return numbers.astype(np.uint32), (numbers >> np.uint64(32)).astype(np.uint32)


@rule("rng_bit_generator")
def random_bits(params, model, state):
    shape, dtype = tuple(params["shape"]), np.dtype(params["dtype"])
    key = list(state.data[:2])
    counter = int(state.data[2]) + (int(state.data[3]) << 32)
    count = int(np.prod(shape))
    with np.errstate(over="ignore"):
        if "THREE_FRY" in str(params["algorithm"]):
            # Halves along the first dimension of even size, else the largest, are interleaved.
            full = list(shape) or [1]
            even = [d for d, size in enumerate(full) if size % 2 == 0]
            dim = even[0] if even else int(np.argmax(full))
            half = [*full]
            half[dim] = -(-full[dim] // 2)
            steps = int(np.prod(half))
            parts = [w.reshape(half) for w in threefry(key, *wide_counter(counter, steps))]
            both = np.stack(parts, dim + 1)
            merged = both.reshape([*half[:dim], 2 * half[dim], *half[dim + 1 :]])
            bits = merged.take(range(full[dim]), dim).reshape(shape)
        else:
            steps = -(-count // 4)
            low, high = wide_counter(counter, steps)
            carry = (counter + np.arange(steps, dtype=object)) >> 64
            above = [(int(key[0]) + (int(key[1]) << 32) + int(c)) % 2**64 for c in carry]
            words = [np.array([a >> s & 0xFFFFFFFF for a in above], np.uint32) for s in (0, 32)]
            bits = np.stack(philox(key, [low, high, *words]), 1).reshape(-1)[:count].reshape(shape)
    after = (counter + steps) % 2**64
    new = np.array([*key, after & 0xFFFFFFFF, after >> 32], np.uint32)
    return [Value(new), Value(bits.astype(dtype))]
