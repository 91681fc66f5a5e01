"""Reference rules of elementwise operations, by the name of the JAX primitive.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A rule takes the operands as Values, the parameters of the primitive and the Model, and
returns the result as a Value, whose bound is defined in bounds.py.
"""

import numpy as np
from scipy import special

from bounds import BF16, Value, difference, is_float, rounded, ulp, wide

RULES = {}


def rule(*names):
    def register(function):
        for name in names:
            RULES[name] = function
        return function

    return register


def certain(*values):
    return all(value.exact for value in values)


def unknown_unless(condition, data):
    """An integer or boolean result of which nothing is known where the condition fails."""
    most = 1.0 if data.dtype == np.bool_ else np.inf
    return Value(data, np.where(condition, 0.0, most))


def all_exact(values):
    """Elementwise: whether every operand is known exactly."""
    known = True
    for value in values:
        known = known & (value.errors() == 0)
    return known


def integers(function, *values):
    """An operation on integers or booleans, wrapping around."""
    with np.errstate(all="ignore"):
        data = np.asarray(function(*(value.data for value in values)))
    if certain(*values):
        return Value(data)
    return unknown_unless(all_exact(values), data)


def arithmetic(exact, dev, dtype, model):
    """Result of an addition, subtraction or multiplication."""
    if model.arithmetic_ulps:
        dev = dev + model.arithmetic_ulps * ulp(exact)
    return rounded(exact, dev, dtype)


@rule("add", "add_any")
def add(params, model, a, b):
    if not is_float(a.dtype):
        return integers(np.logical_or if a.dtype == np.bool_ else np.add, a, b)
    with np.errstate(invalid="ignore"):
        return arithmetic(wide(a) + wide(b), a.err + b.err, a.dtype, model)


@rule("sub")
def subtract(params, model, a, b):
    if not is_float(a.dtype):
        return integers(np.subtract, a, b)
    with np.errstate(invalid="ignore"):
        return arithmetic(wide(a) - wide(b), a.err + b.err, a.dtype, model)


@rule("mul")
def multiply(params, model, a, b):
    if not is_float(a.dtype):
        return integers(np.logical_and if a.dtype == np.bool_ else np.multiply, a, b)
    x, y = wide(a), wide(b)
    dev = 0.0
    if not certain(a, b):
        dev = np.abs(x) * b.err + np.abs(y) * a.err + np.asarray(a.err) * b.err
    with np.errstate(invalid="ignore"):
        return arithmetic(x * y, dev, a.dtype, model)


@rule("square")
def square(params, model, a):
    return multiply(params, model, a, a)


@rule("integer_pow")
def integer_power(params, model, a):
    power = params["y"]
    if power == 1:
        return a
    if power == 2:
        return multiply(params, model, a, a)
    x = wide(a)
    with np.errstate(all="ignore"):
        exact = x**power
        slope = abs(power) * np.maximum(np.abs(x) + a.err, 1e-30) ** (power - 1)
        if power < 0:
            slope = abs(power) * np.maximum(np.abs(x) - a.err, 1e-30) ** (power - 1)
        # The order of the multiplications is the producer's choice.
        dev = slope * a.err + (abs(power) + model.division_ulps) * ulp(exact)
    if a.dtype == BF16:
        dev = dev + abs(power) * 2.0**16 * ulp(exact)
    return rounded(exact, dev, a.dtype)


def integer_quotient(a, b):
    """Towards zero; the divisor is not zero."""
    quotient = np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64))
    return (np.sign(a.astype(np.int64)) * np.sign(b.astype(np.int64)) * quotient).astype(a.dtype)


@rule("div")
def divide(params, model, a, b):
    if not is_float(a.dtype):
        return integers(integer_quotient, a, b)
    x, y = wide(a), wide(b)
    with np.errstate(all="ignore"):
        exact = x / y
        dev = model.division_ulps * ulp(exact)
        if not certain(a, b):
            room = np.abs(y) - b.err
            propagated = (a.err + np.abs(exact) * b.err) / room
            dev = dev + np.where(all_exact((a, b)), 0.0, np.where(room > 0, propagated, np.inf))
    # The sign, infinity or NaN of a division by zero, and a zero, are exact.
    special = ~np.isfinite(exact) | (exact == 0)
    dev = np.where(special & all_exact((a, b)), 0.0, dev)
    return rounded(exact, dev, a.dtype)


@rule("rem")
def remainder(params, model, a, b):
    if not is_float(a.dtype):
        return integers(lambda x, y: x - integer_quotient(x, y) * y, a, b)
    with np.errstate(invalid="ignore"):
        exact = np.fmod(wide(a), wide(b))
    dev = 0.0 if certain(a, b) else np.where(all_exact((a, b)), 0.0, np.inf)
    return rounded(exact, dev, a.dtype)


def extremum(function):
    def apply(params, model, a, b):
        with np.errstate(invalid="ignore"):
            data = function(a.data, b.data)  # a NaN of either operand stays
        if certain(a, b):
            return Value(data)
        x, y, middle = wide(a), wide(b), data.astype(np.float64)
        above = difference(function(x + a.err, y + b.err), middle)
        below = difference(function(x - a.err, y - b.err), middle)
        return Value(data, np.maximum(above, below))

    return apply


RULES["max"] = extremum(np.maximum)
RULES["min"] = extremum(np.minimum)


@rule("clamp")
def clamp(params, model, low, x, high):
    low, high = (Value(np.broadcast_to(v.data, x.shape), v.err) for v in (low, high))
    return RULES["min"](params, model, RULES["max"](params, model, x, low), high)


@rule("neg")
def negate(params, model, a):
    return Value(np.negative(a.data), a.err)


@rule("abs")
def absolute(params, model, a):
    with np.errstate(over="ignore"):
        return Value(np.abs(a.data), a.err)


def at_ends(function, a, dev_of=lambda exact: 0.0):
    """A monotone function of a float, applied to the ends of the interval as well."""
    x = wide(a)
    with np.errstate(all="ignore"):
        exact = function(x)
        dev = dev_of(exact)
        if not certain(a):
            above, below = function(x + a.err), function(x - a.err)
            spread = np.maximum(difference(above, exact), difference(below, exact))
            dev = np.where(a.errors() == 0, dev, dev + spread * (1 + 1e-9))
    # Zero, infinity and NaN are given exactly to exact operands.
    special = ~np.isfinite(exact) | (exact == 0)
    return exact, np.where(special & (a.errors() == 0), 0.0, dev)


def step_function(function):
    """Rounding to integers and the like: exact for exact operands."""

    def apply(params, model, a):
        if not is_float(a.dtype):
            return integers(function, a)
        exact, dev = at_ends(function, a)
        return rounded(exact, dev, a.dtype)

    return apply


def half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


RULES["sign"] = step_function(np.sign)
RULES["floor"] = step_function(np.floor)
RULES["ceil"] = step_function(np.ceil)


@rule("round")
def round_to_integer(params, model, a):
    to_even = int(params["rounding_method"]) == 1
    return step_function(np.rint if to_even else half_away)(params, model, a)


def transcendental(function):
    def apply(params, model, a):
        ulps = model.transcendental_ulps
        exact, dev = at_ends(function, a, lambda exact: ulps * ulp(exact))
        return rounded(exact, dev, a.dtype)

    return apply


def logistic_function(x):
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


for name, function in {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "stablehlo.logistic": logistic_function,
}.items():
    RULES[name] = transcendental(function)


def special_function(function, ulps):
    """One that is expanded into a formula, within so many ulps on the machine."""

    def apply(params, model, a):
        allowed = max(model.transcendental_ulps, ulps)
        exact, dev = at_ends(function, a, lambda exact: allowed * ulp(exact))
        return rounded(exact, dev, a.dtype)

    return apply


# All of them monotone; test_chlo.py has the measured errors.
for name, (function, ulps) in {
    "acos": (np.arccos, 1.5),
    "acosh": (np.arccosh, 2),
    "asin": (np.arcsin, 2),
    "asinh": (np.arcsinh, 2),
    "atan": (np.arctan, 1),
    "atanh": (np.arctanh, 2),
    "erf": (special.erf, 2),
    "erfc": (special.erfc, 5),
    "erf_inv": (special.erfinv, 3),
    "sinh": (np.sinh, 2),
}.items():
    RULES[name] = special_function(function, ulps)


@rule("cosh")
def hyperbolic_cosine(params, model, a):
    return special_function(np.cosh, 2)(params, model, absolute(params, model, a))


@rule("logistic")
def logistic_as_lowered(params, model, a):
    """JAX writes it as 1 / (1 + exp(-a)), four operations that round."""
    one = Value(np.ones(a.shape, a.dtype))
    exponential = RULES["exp"](params, model, negate(params, model, a))
    return divide(params, model, one, add(params, model, exponential, one))


def wave(function):
    def apply(params, model, a):
        with np.errstate(invalid="ignore"):
            exact = function(wide(a))
        dev = a.err + model.transcendental_ulps * ulp(exact)
        return rounded(exact, np.where(exact == 0, a.err, dev), a.dtype)

    return apply


RULES["sin"] = wave(np.sin)
RULES["cos"] = wave(np.cos)


@rule("tan")
def tangent(params, model, a):
    with np.errstate(invalid="ignore"):
        exact = np.tan(wide(a))
        slope = 1 + exact * exact
        # Far enough from a pole, twice the slope covers the interval.
        propagated = np.where(np.asarray(a.err) * slope < 0.01, 2 * slope * a.err, np.inf)
    return rounded(exact, propagated + model.transcendental_ulps * ulp(exact), a.dtype)


def of_two(function):
    """A smooth function of two floats; only exact operands give a bound."""

    def apply(params, model, a, b):
        with np.errstate(all="ignore"):
            exact = function(wide(a), wide(b))
        special = ~np.isfinite(exact) | (exact == 0)
        dev = np.where(special, 0.0, model.transcendental_ulps * ulp(exact))
        return rounded(exact, np.where(all_exact((a, b)), dev, np.inf), a.dtype)

    return apply


RULES["pow"] = of_two(np.power)
RULES["atan2"] = of_two(np.arctan2)


@rule("is_finite")
def is_finite(params, model, a):
    return unknown_unless(np.isfinite(a.errors()), np.isfinite(wide(a)))


def comparison(function):
    def apply(params, model, a, b):
        if not is_float(a.dtype):
            return integers(function, a, b)
        x, y = wide(a), wide(b)
        data = function(x, y)
        if certain(a, b):
            return Value(data)
        with np.errstate(invalid="ignore"):
            apart = np.abs(x - y) > np.asarray(a.err) + b.err
        return unknown_unless(apart | all_exact((a, b)), data)

    return apply


for name, function in {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}.items():
    RULES[name] = comparison(function)


@rule("select_n")
def select(params, model, which, *cases):
    index = np.broadcast_to(which.data.astype(np.int64), cases[0].shape)
    if not certain(which):
        # Where the choice is open, the result may be any case.
        data = np.choose(index, [case.data for case in cases])
        err = np.choose(index, [case.errors() for case in cases])
        floats = [case.data.astype(np.float64) for case in cases]
        chosen = data.astype(np.float64)
        for case, values in zip(cases, floats):
            other = np.maximum(err, difference(values, chosen) + case.errors())
            err = np.where(np.broadcast_to(which.errors(), err.shape) > 0, other, err)
        return Value(data, err)
    data = cases[0].data
    err = cases[0].err
    for number, case in enumerate(cases[1:], 1):
        data = np.where(index == number, case.data, data)
        if isinstance(err, np.ndarray) or not case.exact:
            err = np.where(index == number, case.errors(), err)
    return Value(data.astype(cases[0].dtype), err)


@rule("select")
def select_in_source_order(params, model, condition, on_true, on_false):
    """stablehlo.select names the case of a true condition first."""
    return select(params, model, condition, on_false, on_true)


def bits(function):
    return lambda params, model, *values: integers(function, *values)


RULES["and"] = bits(np.bitwise_and)
RULES["or"] = bits(np.bitwise_or)
RULES["xor"] = bits(np.bitwise_xor)


@rule("not")
def complement(params, model, a):
    return Value(np.invert(a.data), a.err)


def shift(function):
    """A shift; by as many bits as the type has, or more, it shifts everything out."""

    def on_unsigned(x, count):
        width = 8 * x.dtype.itemsize
        unsigned = x.view(f"u{x.dtype.itemsize}").astype(np.uint64)
        amount = count.view(f"u{count.dtype.itemsize}").astype(np.uint64)
        inside = amount < width
        shifted = np.where(inside, function(unsigned, np.where(inside, amount, 0)), 0)
        return shifted.astype(f"u{x.dtype.itemsize}").view(x.dtype)

    return lambda params, model, a, b: integers(on_unsigned, a, b)


RULES["shift_left"] = shift(np.left_shift)
RULES["shift_right_logical"] = shift(np.right_shift)


@rule("shift_right_arithmetic")
def shift_right_arithmetic(params, model, a, b):
    def apply(x, count):
        width = 8 * x.dtype.itemsize
        amount = count.view(f"u{count.dtype.itemsize}").astype(np.int64)
        return (x.astype(np.int64) >> np.minimum(amount, width - 1)).astype(x.dtype)

    return integers(apply, a, b)


@rule("population_count")
def population_count(params, model, a):
    return integers(lambda x: np.bitwise_count(x.view(f"u{x.dtype.itemsize}")).astype(x.dtype), a)


@rule("clz")
def count_leading_zeros(params, model, a):
    def apply(x):
        width = 8 * x.dtype.itemsize
        unsigned = x.view(f"u{x.dtype.itemsize}").astype(np.float64)
        return (width - np.frexp(unsigned)[1]).astype(x.dtype)

    return integers(apply, a)


@rule("convert_element_type")
def convert(params, model, a):
    target = np.dtype(params["new_dtype"])
    if target == a.dtype:
        return a
    if target == np.bool_:
        zero = Value(np.zeros(a.shape, a.dtype))
        return RULES["ne"](params, model, a, zero)
    if is_float(target):
        if is_float(a.dtype):
            return rounded(wide(a), a.err, target)
        # On the way to bf16 an integer may or may not be rounded to f32 first.
        exact = a.data.astype(np.float64)
        dev = a.err
        if target == BF16:
            dev = dev + np.where(np.abs(exact) > 2.0**24, 0.5 * ulp(exact), 0.0)
        return rounded(exact, dev, target)
    if is_float(a.dtype):
        # Towards zero. The result for values out of range is undefined, so nothing is known there.
        limits = np.iinfo(target)
        x = np.nan_to_num(wide(a), nan=np.inf)
        high, low = np.trunc(x + a.err), np.trunc(x - a.err)
        fits = (high <= limits.max) & (low >= limits.min)
        middle = np.trunc(np.clip(x, limits.min, limits.max))
        err = np.where(fits, np.maximum(high - middle, middle - low), np.inf)
        return Value(middle.astype(target), err)
    with np.errstate(all="ignore"):
        return integers(lambda x: x.astype(target), a)


@rule("reduce_precision")
def reduce_precision(params, model, a):
    """To a format with so many bits, whose numbers ascend: the ends of the interval show where
    its roundings lie."""
    exponent, fraction = params["exponent_bits"], params["mantissa_bits"]
    most = 2.0 ** (exponent - 1) - 1

    def narrow(x):
        _, own = np.frexp(x)
        unit = np.ldexp(1.0, own - 1 - fraction)
        result = np.where(np.isfinite(x), np.rint(x / unit) * unit, x)
        result = np.where(np.abs(result) >= 2.0 ** (most + 1), np.copysign(np.inf, x), result)
        return np.where(np.abs(result) < 2.0 ** (1 - most), np.copysign(0.0, x), result)

    exact, dev = at_ends(narrow, a)
    return rounded(exact, dev, a.dtype)


@rule("bitcast_convert_type")
def bitcast_convert(params, model, a):
    """Only between integers, whose bits are their values."""
    target = np.dtype(params["new_dtype"])
    own, other = a.dtype.itemsize, target.itemsize
    if own > other:
        data = a.data.reshape(*a.shape, 1).view(target)
    else:
        data = np.ascontiguousarray(a.data).view(target)
        data = data.reshape(a.shape if own == other else a.shape[:-1])
    if a.exact:
        return Value(data)
    raise NotImplementedError("the bits of a value that is not known exactly")


@rule("optimization_barrier")
def barrier(params, model, *operands):
    return list(operands)


@rule("copy", "copy_p", "stop_gradient")
def identity(params, model, a):
    return a
