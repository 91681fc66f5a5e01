"""Evaluates JAX programs operation by operation, with bounds: the oracle of the tests.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

bounds.py defines bounds. Nothing here shares code with the compiler or with XLA: the
rules are NumPy. The tests check it against JAX on the CPU as they go.
"""

import jax
import numpy as np

import rules_convolution  # noqa: F401  (registers its rules)
import rules_indexing  # noqa: F401  (registers its rules)
import rules_tensor  # noqa: F401  (registers its rules)
import rules_windows  # noqa: F401  (registers its rules)
from bounds import MACHINE, Value, exact_value
from rules_elementwise import RULES
from rules_tensor import index_of

# Primitives that stand for a function, and the parameter that holds it.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
}


def evaluate(function, args, model=MACHINE):
    """The results of a JAX function on NumPy arguments, flattened, as Values."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(args)]
    closed = jax.make_jaxpr(function)(*args)
    return evaluate_jaxpr(closed, [exact_value(leaf) for leaf in leaves], model)


def evaluate_jaxpr(closed, values, model):
    jaxpr, consts = (closed.jaxpr, closed.consts) if hasattr(closed, "consts") else (closed, [])
    known = {}

    def read(atom):
        if hasattr(atom, "val"):
            return exact_value(np.asarray(atom.val, atom.aval.dtype))
        return known[atom]

    known.update(zip(jaxpr.constvars, [exact_value(const) for const in consts]))
    known.update(zip(jaxpr.invars, values))
    for equation in jaxpr.eqns:
        results = apply(equation, [read(atom) for atom in equation.invars], model)
        known.update(zip(equation.outvars, results))
    return [read(atom) for atom in jaxpr.outvars]


def apply(equation, operands, model):
    """The results of one equation."""
    name, params = equation.primitive.name, equation.params
    if name in CALLS:
        return evaluate_jaxpr(params[CALLS[name]], operands, model)
    if name in CONTROL:
        return CONTROL[name](params, operands, model)
    if name not in RULES:
        raise NotImplementedError(f"no reference rule for {name}")
    results = RULES[name](params, model, *operands)
    return results if isinstance(results, list) else [results]


def conditional(params, operands, model):
    branches = params["branches"]
    choice = min(max(index_of(operands[0]), 0), len(branches) - 1)
    return evaluate_jaxpr(branches[choice], operands[1:], model)


def while_loop(params, operands, model):
    cond_count, body_count = params["cond_nconsts"], params["body_nconsts"]
    cond_consts = operands[:cond_count]
    body_consts = operands[cond_count : cond_count + body_count]
    state = operands[cond_count + body_count :]
    while index_of(evaluate_jaxpr(params["cond_jaxpr"], [*cond_consts, *state], model)[0]):
        state = evaluate_jaxpr(params["body_jaxpr"], [*body_consts, *state], model)
    return state


def scan(params, operands, model):
    const_count, carry_count = params["num_consts"], params["num_carry"]
    consts = operands[:const_count]
    carry = operands[const_count : const_count + carry_count]
    inputs = operands[const_count + carry_count :]
    steps = range(params["length"])
    rows = [None] * params["length"]
    for step in reversed(steps) if params["reverse"] else steps:
        row = [Value(value.data[step], 0.0 if value.exact else value.err[step]) for value in inputs]
        results = evaluate_jaxpr(params["jaxpr"], [*consts, *carry, *row], model)
        carry, rows[step] = results[:carry_count], results[carry_count:]
    stacked = [
        Value(
            np.stack([value.data for value in column]),
            np.stack([value.errors() for value in column]),
        )
        for column in zip(*rows)
    ]
    return [*carry, *stacked]


CONTROL = {"cond": conditional, "while": while_loop, "scan": scan}
