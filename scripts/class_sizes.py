#!/usr/bin/env python3
"""Checks the limits of CONTRIBUTING.md on files and classes of C++.

A file has at most 500 lines, a class at most 20 methods. What has more is listed in scripts/class_sizes.tsv with its
size, and fails if it grows; what has shrunk, or is gone, fails until the list says so (`--update` writes it).

Methods are the functions declared in a class body without friends, constructors, destructors, operators, defaulted and
deleted functions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "scripts/class_sizes.tsv"
MOST_LINES, MOST_METHODS = 500, 20
FOLDERS = ("compiler", "dialects", "runtime", "tools")
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^#[^\n]*', re.DOTALL | re.MULTILINE
)
CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*|[A-Z][A-Z_0-9]+\s+|alignas\([^()]*\)\s*)*([A-Za-z_]\w*)(?:<[^;{]*>)?"
    r"(?:\s+final)?(?:\s*:[^;{]*)?\s*\{"
)
METHOD = re.compile(r"([A-Za-z_]\w*)\s*\((?!\s*\*)")
NO_METHOD = re.compile(
    r"^\s*(friend|using|typedef|static_assert|template\s*<[^;]*>\s*friend)\b|=\s*(default|delete)\s*$|\boperator\b"
)


def closing(text: str, opening: int) -> int:
    """The position behind the brace that closes the one at `opening`."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


def declarations(body: str) -> Iterator[str]:
    """The members of a class body, without bodies of functions and of classes."""
    begin = depth = position = 0
    while position < len(body):
        character = body[position]
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "{" and depth == 0:
            end = closing(body, position)
            yield body[begin:position]
            begin = position = end
            continue
        if character == ";" and depth == 0:
            yield body[begin:position]
            begin = position + 1
        position += 1


def is_method(declaration: str, name: str) -> bool:
    text = re.sub(r"\b(public|private|protected)\s*:", "", declaration).strip()
    text = re.sub(r"^template\s*<[^>]*(?:<[^>]*>[^>]*)*>\s*", "", text)
    if not text or NO_METHOD.search(text) or re.match(r"(class|struct|enum|union)\b", text):
        return False
    text = re.sub(r"(std::function|unique_function)<[^;]*>|function_ref<[^;(]*\([^;]*?\)>", "callback", text)
    text = re.sub(r"\b[A-Z][A-Z_0-9]+\([^()]*\)", "", text)  # a macro, such as an annotation of a field
    found = METHOD.search(text)
    # A member with an initializer that calls something is none.
    return bool(found) and found[1] not in (name, "decltype", "alignas") and "=" not in text[: found.start()]


def methods(text: str) -> Iterator[tuple[str, int]]:
    """The classes of a source with their numbers of methods."""
    text = NOISE.sub(" ", text)
    for found in CLASS.finditer(text):
        body = text[found.end() : closing(text, found.end() - 1) - 1]
        yield found[1], sum(is_method(each, found[1]) for each in declarations(body))


def sizes() -> dict[str, int]:
    """What exceeds a limit: files, and classes as FILE:CLASS."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS]
    found = {}
    for name in subprocess.run(command, check=True, text=True, capture_output=True).stdout.split():
        path = ROOT / name
        if path.suffix not in (".h", ".cpp") or not path.exists():
            continue
        text = path.read_text()
        if (lines := text.count("\n")) > MOST_LINES:
            found[name] = lines
        for cls, count in methods(text):
            if count > MOST_METHODS:
                found[f"{name}:{cls}"] = max(count, found.get(f"{name}:{cls}", 0))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the list, for what has shrunk")
    options = parser.parse_args()
    found = sizes()
    listed = {name: int(size) for name, size in (line.split("\t") for line in LIST.read_text().splitlines())}
    grown = {name: size for name, size in found.items() if size > listed.get(name, 0)}
    for name, size in sorted(grown.items()):
        limit = f"{MOST_METHODS} methods" if ":" in name else f"{MOST_LINES} lines"
        print(f"{name}: {size}, and the limit is {max(listed.get(name, 0), 0) or limit}", file=sys.stderr)
    shrunk = [name for name, size in listed.items() if found.get(name, 0) < size]
    if options.update and not grown:
        LIST.write_text("".join(f"{name}\t{size}\n" for name, size in sorted(found.items())))
    elif shrunk:
        print("smaller than listed; run scripts/class_sizes.py --update:", *shrunk, file=sys.stderr)
    return bool(grown or (shrunk and not options.update))


if __name__ == "__main__":
    sys.exit(main())
