#!/usr/bin/env python3
"""Rejects text files with trailing blanks, tabs (except in makefiles) or no final newline.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: check_whitespace.py FILE...
"""

import pathlib
import sys


def faults(path):
    """Yields (line number, error) for each violation in one file."""
    text = path.read_bytes()
    lines = text.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            yield number, "trailing blank"
        if b"\t" in line and path.name != "Makefile":
            yield number, "tab"
    if text and lines[-1]:
        yield len(lines), "no newline at the end of the file"


def main():
    status = 0
    for name in sys.argv[1:]:
        for number, fault in faults(pathlib.Path(name)):
            print(f"{name}:{number}: {fault}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
