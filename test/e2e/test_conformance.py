"""A few rows of benchmarks/conformance: an operation of its own, another's form, and quantized types.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import re
import subprocess
import sys

import pytest

from systole_cli import BIN, ROOT

sys.path.append(str(ROOT / "benchmarks/conformance"))

from chlo import OPERATIONS  # noqa: E402
from programs import Program  # noqa: E402

# Of another's data, another's definition, or a generator that is not part of the program.
WITHOUT_ROWS = {"stablehlo.custom_call", "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv", "stablehlo.rng",
                "stablehlo.send"}  # fmt: skip


@pytest.mark.parametrize(
    "operations, element, count",
    [
        (["add", "einsum", "dynamic_pad"], "f32", 3),
        (["add", "divide", "dynamic_reshape", "sort"], "!quant.uniform<i4:f32, 0.5:1>", 4),
        (["convolution", "dot_general of scales per feature"], "!quant.uniform<i8:f32, 0.25:0>", 2),
        (["shift_right_logical", "broadcast_shift_right_logical"], "i4", 2),
        (["compare LT by the total order", "call", "all_reduce", "top_k", "scan"], "i16", 5),
    ],
)
def test_rows(operations, element, count):
    words = [ROOT / "benchmarks/conformance/run.py", *operations, "--types", element, "--build", BIN.parent]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert f"| all | {count} | 0 | 0 | 0 | 0 | 0 |" in done.stdout


def test_every_operation_has_a_row():
    texts = []
    for operation in OPERATIONS:
        for element in operation.elements:
            program = Program(operation.name)
            operation.add(program, element, operation.shapes[0])
            texts.append(program.text())
    used = set(re.findall(r"\b(?:stablehlo|chlo)\.[\w-]+", "\n".join(texts)))
    for dialect in ("StableHLO", "CHLO"):
        reference = (BIN.parent / f"dialects/{dialect}/{dialect}.md").read_text()
        names = set(re.findall(rf"^### `({dialect.lower()}\.[\w-]+)`", reference, flags=re.MULTILINE))
        assert len(names) > 40
        assert names - used == {name for name in WITHOUT_ROWS if name.startswith(dialect.lower())}
