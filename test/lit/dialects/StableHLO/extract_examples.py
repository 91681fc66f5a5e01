"""Prints the examples of a dialect's reference as one MLIR file, a part for each operation.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: extract_examples.py REFERENCE.md

Fails when an operation has no example, or one that does not use the operation.
"""

import re
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    # "### `stablehlo.add` (stablehlo::AddOp)" begins the section of an operation.
    sections = re.split(r"^### `([a-z_]+\.[a-z0-9_-]+)`.*$", text, flags=re.MULTILINE)[1:]
    names = sections[0::2]
    if not names:
        sys.exit(f"{path}: no operation found")
    for name, section in zip(names, sections[1::2]):
        examples = re.findall(r"^```mlir\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
        if not examples:
            sys.exit(f"{path}: {name} has no example")
        for example in examples:
            if not re.search(rf"{re.escape(name)}\b", example):
                sys.exit(f"{path}: an example of {name} does not use it")
            print(f"// Example of {name}\n{example}// -----")


main(sys.argv[1])
