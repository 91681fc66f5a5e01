"""docs/refusals.md shows each error by which the compiler says that something is not supported.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys

import pytest

from python_package import BUILD
from systole_cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import refusals

# Texts of errors that no program of docs/refusals shows, and why.
VERIFIER = "verifiers refuse it, with other words"
EARLIER = "an earlier pass converts it, or refuses it with other words"
KERNEL = "within the bytecode of a Pallas kernel: test/lit/compiler/Import/Mosaic"
ELSEWHERE = {
    "a state other than two 64-bit integers, or three of PHILOX, is not supported": VERIFIER,
    "for a mixture of": EARLIER,
    "for a mixture of 64-bit integers and other types": EARLIER,
    "products of 64-bit integers are not supported": EARLIER,
    "dynamic dimensions are not supported:": EARLIER,
    "an initial value with dimensions is not supported:": VERIFIER,
    "' on tuples is not supported": VERIFIER,
    "an element of a tuple that no operation made is not supported": VERIFIER,
    "of products is not supported": "HLO's text has no such algorithm, only its proto",
    "the size of dimension": EARLIER,
    "attributes of arguments and results are not supported where there are tuples": "only in artifacts",
    "different messages that kernels log": "it takes 4,097 of them",
    "of a vector": "JAX logs scalars and arrays",
    "' communicates with other devices, which is not supported": KERNEL,
    "' of a Pallas kernel is not supported": KERNEL,
    "Mosaic module of version": KERNEL,
    "a Mosaic module with": KERNEL,
    "is not supported where it does not move whole rows of 512 bytes of both": KERNEL,
    "kernel '": KERNEL,
    "with several sizes that are computed": KERNEL,
    "of a size that is computed": KERNEL,
    "of different dimensions": KERNEL,
    "over it are not supported where one has blocks of columns of": KERNEL,
    "outside of functions": KERNEL,
    "an access to columns that do not begin and end at multiples of 128 is not supported where the grid divides "
    "the columns of an array of": KERNEL,
}

SITE = re.compile(r"(?:emitUnimplemented|unimplemented|markUnimplemented|emitUnsupported)\((?P<rest>[^;]*);")


def texts_of_errors():
    """The longest text of each place in the sources that says that something is not supported."""
    found = {}
    for folder in ("compiler", "dialects"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for site in SITE.finditer(path.read_text()):
                literals = re.sub(r'"\s*\n\s*"', "", site["rest"])
                texts = re.findall(r'"((?:[^"\\]|\\.)*)"', literals)
                if texts and len(longest := max(texts, key=len).strip()) > len("' is "):
                    found[longest] = path.relative_to(ROOT)
    return found


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    scratch = tmp_path_factory.mktemp("refusals")
    return [(one, refusals.error_of(one, BUILD / "bin/systole", scratch)) for one in refusals.refusals()]


def test_the_page_shows_the_errors(errors):
    assert refusals.PAGE.read_text() == refusals.page(errors), "`make docs` updates the page"


def test_each_error_names_its_place(errors):
    for refusal, error in errors:
        place = re.escape(str(refusal.program.relative_to(ROOT)))
        assert re.match(rf"systole: error: {place}:\d+:\d+: error: .", error), error


def test_each_kind_of_error_is_shown(errors):
    shown = "\n".join(error for _, error in errors)
    missing = {text: str(path) for text, path in texts_of_errors().items() if text not in shown}
    assert set(missing) == set(ELSEWHERE), missing
