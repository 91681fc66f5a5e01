"""What rounding alone may change in a function's results: its operations are executed one by one, each with an error.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np

MOVES = "broadcast_in_dim concatenate copy gather neg real imag complex reshape rev select_n slice squeeze transpose"

# A quarter of the units in the last place by which XLA's functions of f64 are off on the CPU, against mpmath.
UNITS = {"log1p": 32, "erf_inv": 3, "regularized_incomplete_beta": 17, "complex log": 16}

# The size of numbers that a function subtracts inside, whatever its result.
INSIDE = {"lgamma": 4}


def with_errors(function, args, rng):
    """The leaves of `function(*args)`, each computed number moved by up to a unit in the last place, or as many as
    UNITS says. Loops and branches are one operation."""
    closed = jax.make_jaxpr(function)(*args)
    return evaluate(closed.jaxpr, closed.consts, jax.tree.leaves(args), rng)


def evaluate(jaxpr, consts, args, rng):
    values = dict(zip(jaxpr.constvars, consts, strict=True)) | dict(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        return atom.val if hasattr(atom, "val") else values[atom]

    for eqn in jaxpr.eqns:
        values.update(zip(eqn.outvars, apply(eqn, [read(atom) for atom in eqn.invars], rng), strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def apply(eqn, operands, rng):
    name = eqn.primitive.name
    if name in ("jit", "custom_jvp_call", "custom_vjp_call"):
        called = eqn.params["jaxpr" if "jaxpr" in eqn.params else "call_jaxpr"]
        return evaluate(called.jaxpr, called.consts, operands, rng)
    results = eqn.primitive.bind(*operands, **eqn.primitive.get_bind_params(eqn.params))
    results = results if eqn.primitive.multiple_results else [results]
    if name in MOVES.split():
        return results
    units = UNITS.get(name, UNITS.get(f"complex {name}", 1) if np.iscomplexobj(results[0]) else 1)
    return [moved(result, rng, units, INSIDE.get(name, 0)) for result in results]


def moved(array, rng, units=1, least=0):
    """`array`, each element by up to `units` units in the last place of itself or of `least`."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return array
    array = np.asarray(array)
    with np.errstate(all="ignore"):
        most = units * float(jnp.finfo(array.dtype).eps)
        step = most * rng.uniform(-1, 1, array.shape)
        if np.iscomplexobj(array):
            step = step + 1j * most * rng.uniform(-1, 1, array.shape)
        size = array if least == 0 else np.maximum(np.abs(array), least)
        return np.where(np.isfinite(array), array + (size * step).astype(array.dtype), array).astype(array.dtype)
