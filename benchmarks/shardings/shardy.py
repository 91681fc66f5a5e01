"""Shardy's own passes, which jaxlib has, and this compiler's, on the text of a program.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import subprocess
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager

BIN = Path(os.environ.get("SYSTOLE_BIN", Path(__file__).resolve().parents[2] / "build" / "bin"))


def shardy(text, pipeline):
    """The text of a program behind a pipeline of Shardy's."""
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
        return str(module)


def systole_opt(text, *passes):
    """The text of a program behind passes of the compiler."""
    # The text of this version of the public dialects may have forms that are newer than the compiler.
    done = subprocess.run([BIN / "systole-opt", "-", *passes], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def functions(text):
    """The text of each function, by name."""
    parts = re.split(r"^  func\.func (?:public |private )?@([\w.]+)", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def rules(text):
    """The sharding rules of each function's operations, by name."""
    pattern = re.compile(r"sdy\.sharding_rule = #sdy\.op_sharding_rule(<\(.*?[\])}m]>)(?=[,}\s])")
    # Rules of scalars say nothing, and a reduction may be printed without its body, which has such ones.
    return {name: sorted(rule for rule in pattern.findall(body) if "=" in rule)
            for name, body in functions(text).items()}


def signature(text):
    """The shardings of the entry's arguments and results; None where there is none."""
    body = functions(text)["main"]
    depth, end = 0, 0
    # Up to the brace that opens the body, behind all others.
    for end, char in enumerate(body):
        depth += (char in "({<[") - (char in ")}>]" and body[end - 1] != "-")
        if char == "{" and depth == 1:
            break
    arguments, _, results = body[:end].partition(" -> ")
    argument = r"%\w+: (?:tensor|!)\S*( \{.*?\})?(?=, %|\)$|\) ?$)"
    result = r"(?:tensor<[^>]*>|!stablehlo\.token)( \{.*?\})?(?=, tensor|, !|\)? ?$)"
    return ([_sharding(attributes) for attributes in re.findall(argument, arguments)],
            [_sharding(attributes) for attributes in re.findall(result, results)])


def _sharding(attributes):
    pattern = r"#sdy\.sharding<(@?[\w<>\"=, ]+?), (\[.*?\])((?:, (?:replicated|unreduced)=[^}]*})*)>"
    found = re.search(pattern, attributes)
    if not found:
        return None
    # A tensor that is not divided is as one without a sharding.
    return None if "\"" not in found[2] + found[3] else found[2] + found[3]
