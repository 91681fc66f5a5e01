"""No constant of cost in the compiler beside those that docs/planning.md lists.

Costs come from the machine's model. constants.tsv names every numeric constant of the folders that decide, and its
kind: `cost` weighs alternatives and waits for the model, `order` defines the order of a sum, `effort` bounds a search,
`limit` is what an encoding or a form can hold, `number` is mathematics. Constants of compiler/Model and
compiler/Planning/Cost count instructions, which ModelTest compares with emitted code.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("Tensor", "Legalize", "Graph", "Layout", "Relations", "Planning", "Fusion", "Residency", "Tiling")
KINDS = {"cost", "order", "effort", "limit", "number"}
DEFINITION = re.compile(
    r"\bconstexpr\s+(?:u?int(?:8|16|32|64)?_t|int|unsigned|size_t|float|double)\s+([^;{}()]*=[^;]*);"
)


def constants_of(text):
    """The names of the numeric constants that C++ source defines."""
    text = re.sub(r"//.*", "", text)
    return [name for match in DEFINITION.finditer(text) for name in re.findall(r"(\w+)(?:\[\])?\s*=", match[1])]


def defined():
    for folder in FOLDERS:
        for path in sorted((ROOT / "compiler" / folder).rglob("*")):
            if path.suffix in (".h", ".cpp") and "Cost" not in path.parts:
                for name in constants_of(path.read_text()):
                    yield str(path.relative_to(ROOT / "compiler")), name


def listed():
    with (ROOT / "test/e2e/constants.tsv").open() as table:
        return list(csv.DictReader(table, delimiter="\t"))


def test_finds_constants():
    source = "constexpr int64_t a = 1, b = 2 << 3; static constexpr double c[] = {1}; // constexpr int d = 4;\n"
    assert constants_of(source) == ["a", "b", "c"]


def test_every_constant_is_listed():
    assert {row["kind"] for row in listed()} <= KINDS
    assert sorted(defined()) == sorted((row["file"], row["name"]) for row in listed())


def test_constants_of_cost_are_those_of_the_document():
    """Those of the table at the end of planning.md, to which a constant is never added."""
    table = (ROOT / "docs/planning.md").read_text().rpartition("| constants |")[2]
    rows = re.findall(r"^\| `(\S+)` \| (.*?) \| .*? \|$", table, re.M)
    expected = {(file, name) for file, names in rows for name in re.findall(r"`(\w+)`", names)}
    costs = {(row["file"], row["name"]) for row in listed() if row["kind"] == "cost"}
    assert costs <= expected
    assert len(costs) <= 45
