"""Our StableHLO text is the public one: systole-opt and jaxlib read each other and print the same.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import importlib.util
import re
import subprocess

import jax
import pytest
from jax import export
from jax.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

from systole_cli import BIN, ROOT

LIT = ROOT / "test/lit/dialects/StableHLO"

# The flags of systole-opt for each form of text, and jaxlib's for the same.
FORMS = {
    "pretty": ([], {}),
    "generic": (["--mlir-print-op-generic"], {"print_generic_op_form": True}),
    "locations": (["--mlir-print-debuginfo"], {"enable_debug_info": True}),
}


def load_programs():
    spec = importlib.util.spec_from_file_location("from_jax", LIT / "Inputs/from_jax.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


from_jax = load_programs()


def systole_opt(text, *flags):
    """The output of systole-opt for a text that it has to accept."""
    run = subprocess.run(
        [str(BIN / "systole-opt"), "-", *flags],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    # Both name the text they were given, in the locations of operations that have no other.
    return run.stdout.replace('loc("<stdin>":', 'loc("-":')


def jaxlib(text, **flags):
    """The output of jaxlib for a text that it has to accept."""
    with jax_mlir.make_ir_context():
        return ir.Module.parse(text).operation.get_asm(**flags)


def compare(text, form):
    """Prints a text with both, and the output of each with the other."""
    ours, theirs = FORMS[form]
    printed = systole_opt(text, *ours)
    expected = jaxlib(text, **theirs)
    lines = lambda text: [line.split() for line in text.splitlines() if line.strip()]
    assert lines(printed) == lines(expected)
    assert lines(jaxlib(printed, **theirs)) == lines(expected)
    assert lines(systole_opt(expected, *ours)) == lines(expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", from_jax.PROGRAMS)
def test_lowered_by_jax(name, form):
    _, theirs = FORMS[form]
    compare(from_jax.lower(name).operation.get_asm(**theirs), form)


@pytest.mark.parametrize("name", from_jax.PROGRAMS)
def test_exported_by_jax(name):
    function, arguments = from_jax.PROGRAMS[name]
    exported = export.export(jax.jit(function), platforms=["tpu"])(*arguments)
    compare(exported.mlir_module(), "pretty")


def lit_programs():
    """The lit tests that jaxlib accepts and prints as we do, each with the forms to compare.

    An operation whose place is not written has that of its text, where the two parsers count
    columns differently; so locations are compared where the test writes them all.
    """
    for path in sorted(LIT.glob("*.mlir")):
        if path.stem in ("from_jax", "reduction-annotated") or path.stem.endswith("-errors"):
            continue
        for form in FORMS:
            if form != "locations" or path.stem == "locations":
                yield path.name, form


def operations(text):
    """The programs of a lit test, each a module of its own."""
    return [part for part in text.split("// -----") if "func.func" in part]


@pytest.mark.parametrize("name, form", lit_programs())
def test_lit_programs(name, form):
    text = (LIT / name).read_text()
    # jaxlib prints `%x, , sizes = []` for a slice of a scalar and cannot read that back.
    text = re.sub(r"^.*stablehlo\.dynamic_slice %s, sizes = \[\].*$", "", text, flags=re.MULTILINE)
    programs = operations(text)
    assert programs
    for program in programs:
        compare(program, form)
