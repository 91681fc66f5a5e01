"""Compiles and runs a function with `systole` and compares its results with the reference.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses

import jax
import numpy as np

from bounds import MACHINE, XLA_CPU, exact_value
from check import check_all
from reference import evaluate
from rules_elementwise import RULES
from systole_cli import systole_run, tensor_type


def lower(function, args):
    """The function's lowering by JAX; all arguments stay, used or not."""
    return jax.jit(function, keep_unused=True).lower(*args)


def verify(function, args, directory, *, precision="highest", **options):
    """Runs a JAX function on the emulated machine and compares it with the reference."""
    text = lower(function, args).as_text()
    results = systole_run(text, jax.tree.leaves(args), directory, precision=precision, **options)
    model = dataclasses.replace(MACHINE, precision=precision)
    check_all(results, evaluate(function, args, model))


def verify_with_jax(function, args, directory, **options):
    """As `verify`; and JAX on the CPU must agree with the reference too."""
    with jax.default_matmul_precision("highest"):
        golden = jax.jit(function)(*args)
    check_all([np.asarray(g) for g in jax.tree.leaves(golden)], evaluate(function, args, XLA_CPU))
    verify(function, args, directory, **options)


def function_text(arguments, lines, results):
    """The text of a module with one function: `arguments` and `results` as pairs of name and
    type, the body's lines in between."""
    takes = ", ".join(f"%{name}: {kind}" for name, kind in arguments)
    gives = ", ".join(kind for _, kind in results)
    names = ", ".join(f"%{name}" for name, _ in results)
    body = "\n".join(f"    {line}" for line in lines)
    return (
        f"module {{\n  func.func @main({takes}) -> ({gives}) {{\n{body}\n"
        f"    return {names} : {gives}\n  }}\n}}\n"
    )


def verify_text(line, rule, params, operand_sets, directory, model=MACHINE, **options):
    """Applies one operation, written as StableHLO, to several sets of operands at once.

    `line` is the text after `%name = ` with the placeholders {0}, {1} ... for the operands'
    names and {t0}, {t1} ... for their types, {r} for the result's type. `rule` names the
    reference rule that says what must come out.
    """
    arguments, lines, results, expected = [], [], [], []
    for number, operands in enumerate(operand_sets):
        names = [f"a{number}_{i}" for i in range(len(operands))]
        types = [tensor_type(operand.shape, operand.dtype) for operand in operands]
        value = RULES[rule](params, model, *map(exact_value, operands))
        result = tensor_type(value.shape, value.dtype)
        arguments += zip(names, types)
        fields = {f"t{i}": kind for i, kind in enumerate(types)}
        placed = line.format(*(f"%{name}" for name in names), r=result, **fields)
        lines.append(f"%r{number} = {placed}")
        results.append((f"r{number}", result))
        expected.append(value)
    text = function_text(arguments, lines, results)
    args = [operand for operands in operand_sets for operand in operands]
    check_all(systole_run(text, args, directory, **options), expected)
