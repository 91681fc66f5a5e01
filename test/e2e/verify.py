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
    return f"module {{\n  func.func @main({takes}) -> ({gives}) {{\n{body}\n    return {names} : {gives}\n  }}\n}}\n"


@dataclasses.dataclass(frozen=True)
class Application:
    """One operation applied to operands: the text after `%name = ` with placeholders {0}, {1} ...
    for the operands' names, {t0}, {t1} ... for their types and {r} for the result's type; and the
    name and parameters of the reference rule for the expected result."""

    line: str
    rule: str
    params: dict
    operands: list


def verify_applications(applications, directory, **options):
    """Runs all applications as one function and compares each result."""
    arguments, lines, results, expected = [], [], [], []
    for number, op in enumerate(applications):
        names = [f"a{number}_{i}" for i in range(len(op.operands))]
        types = [tensor_type(operand.shape, operand.dtype) for operand in op.operands]
        value = RULES[op.rule](op.params, MACHINE, *map(exact_value, op.operands))
        result = tensor_type(value.shape, value.dtype)
        arguments += zip(names, types)
        fields = {f"t{i}": kind for i, kind in enumerate(types)}
        placed = op.line.format(*(f"%{name}" for name in names), r=result, **fields)
        lines.append(f"%r{number} = {placed}")
        results.append((f"r{number}", result))
        expected.append(value)
    text = function_text(arguments, lines, results)
    args = [operand for op in applications for operand in op.operands]
    check_all(systole_run(text, args, directory, **options), expected)


def verify_text(line, rule, params, operand_sets, directory, **options):
    """Applies one operation (see Application) to several sets of operands."""
    applications = [Application(line, rule, params, operands) for operands in operand_sets]
    verify_applications(applications, directory, **options)
