"""Counts the tests of one run by kind, from the JUnit XML its runners wrote.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: count_tests.py RESULTS   (RESULTS/lit.xml, RESULTS/unit/*.xml, RESULTS/e2e.xml,
RESULTS/jax.xml, RESULTS/library.xml)
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def count(files):
    """(tests, not passed, skipped) over JUnit files; a truncated file counts as one failure."""
    tests = failed = skipped = 0
    for file in files:
        try:
            cases = list(ElementTree.parse(file).iter("testcase"))
        except (ElementTree.ParseError, OSError):
            tests, failed = tests + 1, failed + 1
            continue
        for case in cases:
            tests += 1
            failed += case.find("failure") is not None or case.find("error") is not None
            skipped += case.find("skipped") is not None or case.get("status") == "notrun"
    return tests, failed, skipped


def main():
    results = pathlib.Path(sys.argv[1])
    kinds = {
        "lit": sorted(results.glob("lit.xml")),
        "unit": sorted(results.glob("unit/*.xml")),
        "e2e": sorted(results.glob("e2e.xml")),
        "jax": sorted(results.glob("jax.xml")),
        "library": sorted(results.glob("library.xml")),
    }
    counts = {kind: count(files) for kind, files in kinds.items()}
    total = [sum(column) for column in zip(*counts.values())]
    by_kind = ", ".join(f"{kind} {tests}" for kind, (tests, _, _) in counts.items())
    print(f"tests: {by_kind}; total {total[0]}, failed {total[1]}, skipped {total[2]}")


if __name__ == "__main__":
    main()
