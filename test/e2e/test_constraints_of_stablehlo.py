"""Every constraint of StableHLO's specification has a test that breaks it, or a reason why none can.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The list, test/lit/dialects/StableHLO/constraints.tsv, has the numbers of the specification. A test
in an error file says what it breaks in a comment above it: `// Breaks: reduce_window C5`.
"""

import collections
import csv
import re

from systole_cli import ROOT

LIT = ROOT / "test/lit/dialects/StableHLO"
MARK = re.compile(r"^// Breaks: (\w+) (C\d+(?:, C\d+)*)\n(func\.func|// expected-error)", re.MULTILINE)


def listed():
    """What is said of each constraint: 'test', or a reason."""
    with open(LIT / "constraints.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    table = {(row["operation"], row["constraint"]): row["test"] for row in rows}
    assert len(table) == len(rows), "a constraint is listed twice"
    return table


def marked():
    """The constraints that tests break, with the text of one of these."""
    tests = {}
    for path in sorted(LIT.glob("*-errors.mlir")):
        text = path.read_text()
        found = 0
        for part in text.split("// -----\n"):
            for operation, constraints, _ in MARK.findall(part):
                found += 1
                for constraint in constraints.split(", "):
                    tests[operation, constraint] = part
        assert found == text.count("Breaks:"), f"{path.name} has a mark of another form"
    return tests


def test_listed_constraints_are_tested():
    assert marked().keys() == {constraint for constraint, what in listed().items() if what == "test"}


def test_marked_tests_expect_an_error_of_the_operation():
    for (operation, constraint), text in marked().items():
        error = re.search(r"expected-error ?@\+1 \{\{.*\}\}\n(.*)", text)
        assert error and f"stablehlo.{operation}" in error[1], f"{operation} {constraint}"


def test_constraints_are_listed_without_gaps():
    numbers = collections.defaultdict(list)
    for operation, constraint in listed():
        numbers[operation].append(constraint)
    assert list(numbers) == sorted(numbers)
    for operation, constraints in numbers.items():
        assert constraints == [f"C{i + 1}" for i in range(len(constraints))], operation


def test_other_constraints_have_a_reason():
    assert all(len(what.split()) > 3 for what in listed().values() if what != "test")
