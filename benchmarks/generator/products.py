"""JAX functions whose products of f32 round their operands as the MXU does at a precision, and whose operations are off
by a unit in the last place.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

XLA on the CPU multiplies f32 whatever precision is requested. Here each product and convolution of f32 in a traced
function is replaced, those of its gradients and loops too. With a seed, so is each operation of which correct
implementations differ: quotients, special functions and sums are multiplied by 1, or by a unit in the last place more
or less.
"""

import random

import jax
import jax.numpy as jnp
from jax import lax

PRODUCTS = {"dot_general", "conv_general_dilated"}
# Operations that implementations may round differently.
APPROXIMATIONS = {
    *("div", "exp", "exp2", "expm1", "log", "log1p", "logistic", "tanh", "erf", "sin", "cos", "tan", "pow"),
    *("sqrt", "rsqrt", "cbrt", "integer_pow", "reduce_sum", "cumsum", "cumprod", "reduce_prod", "add_any"),
}
# Primitives that stand for a function of the same arguments, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "checkpoint": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}


def parts(x, count):
    """Numbers in bf16 whose sum is x, or near it."""
    found = []
    for _ in range(count):
        found.append(lax.reduce_precision(x, 8, 7))
        x = x - found[-1]
    return found


def product(multiply, a, b, precision):
    if a.dtype != jnp.float32 or b.dtype != jnp.float32 or precision == "highest":
        return multiply(a, b)
    if precision == "default":
        return multiply(*parts(a, 1), *parts(b, 1))
    (a, low_a), (b, low_b) = parts(a, 2), parts(b, 2)
    return multiply(a, low_b) + multiply(low_a, b) + multiply(a, b)


class Rounding:
    """How operations round: products at a precision, and the others of a seed, if there is one."""

    def __init__(self, precision, seed=None):
        self.precision = precision
        self.random = None if seed is None else random.Random(seed)

    def off(self, result):
        """A result of an approximation, off by at most a unit in the last place."""
        if self.random is None or not jnp.issubdtype(result.dtype, jnp.floating):
            return result
        return result * jnp.asarray(1 + self.random.choice((-1, 0, 1)) * jnp.finfo(result.dtype).eps, result.dtype)


def rounded(function, precision, seed=None):
    """The function, with its products at `precision`, and its approximations off as the seed says."""
    rounding = Rounding(precision, seed)

    def replaced(*args):
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*args)
        results = evaluate(closed.jaxpr, closed.consts, jax.tree.leaves(args), rounding)
        return jax.tree.unflatten(jax.tree.structure(shape), results)

    return replaced


def evaluate(jaxpr, consts, args, rounding):
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))
    read = lambda atom: atom.val if hasattr(atom, "val") else known[atom]
    for equation in jaxpr.eqns:
        results = apply(equation, [read(atom) for atom in equation.invars], rounding)
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def apply(equation, operands, rounding):
    primitive, params = equation.primitive, equation.params
    if primitive.name in PRODUCTS:
        return [product(lambda a, b: primitive.bind(a, b, **params), *operands, rounding.precision)]
    if primitive.name in CALLS:
        inner = params[CALLS[primitive.name]]
        jaxpr, consts = (inner.jaxpr, inner.consts) if hasattr(inner, "consts") else (inner, [])
        return evaluate(jaxpr, consts, operands, rounding)
    params = {name: within(value, rounding) for name, value in params.items()}
    results = primitive.bind(*operands, **params)
    results = results if primitive.multiple_results else [results]
    return [rounding.off(result) for result in results] if primitive.name in APPROXIMATIONS else results


def within(value, rounding):
    """A parameter of a loop or a conditional: its functions are replaced too."""
    if isinstance(value, tuple) and value and all(hasattr(one, "consts") for one in value):
        return tuple(within(one, rounding) for one in value)
    if not hasattr(value, "consts"):
        return value
    return jax.make_jaxpr(lambda *args: evaluate(value.jaxpr, value.consts, args, rounding))(*value.in_avals)
