"""Cycles of models and of the kernels of benchmarks/kernels.py are those of the tables in cycles/.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

import pytest

from systole_cli import BIN, ROOT

sys.path.append(str(ROOT / "benchmarks"))

import cycle_tables  # noqa: E402
from kernels import KERNELS  # noqa: E402
from models import MODELS  # noqa: E402

RECORDED = {table: cycle_tables.read(table) for table in cycle_tables.ALL}
HOW = "if intended: benchmarks/cycle_tables.py --update, and the reason in the commit"


def check(table, programs):
    measured = {program.name: cycle_tables.measure(program, BIN / "systole") for program in programs}
    assert [count for row in measured.values() for count in row.values() if isinstance(count, str)] == []
    recorded = {name: RECORDED[table].get(name, {}) for name in measured}
    assert cycle_tables.changes(recorded, measured) == [], HOW


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_cycles_of_a_kernel_are_those_recorded(kernel):
    check("kernels", [cycle_tables.of_kernel(kernel)])


@pytest.mark.parametrize("model", MODELS)
def test_cycles_of_a_model_are_those_recorded(model):
    check("models", cycle_tables.of_model(model))


@pytest.mark.parametrize("model", cycle_tables.REAL)
def test_cycles_of_a_model_of_real_size_are_those_recorded(model):
    check("real", [cycle_tables.of_real(model)])


def test_the_tables_have_no_other_programs():
    assert list(RECORDED["kernels"]) == [kernel.name for kernel in KERNELS], HOW
    assert list(RECORDED["real"]) == list(cycle_tables.REAL), HOW
    assert {name.split()[0] for name in RECORDED["models"]} == set(MODELS), HOW


def test_a_change_beyond_the_tolerance_is_named_and_updated():
    before = {"a": {"v3": 1000}, "b": {"v3": 1000}, "c": {"v3": 1000}, "gone": {"v3": 1}}
    now = {"a": {"v3": 1030}, "b": {"v3": 1031}, "c": {"v3": 969}, "new": {"v3": 5}}
    assert cycle_tables.changes(before, now) == [
        "gone: no such program any more",
        "new, v3: not recorded, 5 cycles",
        "b, v3: 1,000 -> 1,031 cycles, +3.1%",
        "c, v3: 1,000 -> 969 cycles, -3.1%",
    ]
    after = cycle_tables.updated(before, now)
    assert after == {"a": {"v3": 1000}, "b": {"v3": 1031}, "c": {"v3": 969}, "new": {"v3": 5}}
    assert cycle_tables.changes(after, now) == []
