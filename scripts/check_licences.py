#!/usr/bin/env python3
"""Compares the licences that third_party/README.md gives with those of the installed packages.

Packages of the distribution have a copyright file, Python packages have metadata; run it with the Python of
.venv. A package that is not installed is not checked, one that the requirements name has to be in a table.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.metadata
import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPYRIGHTS = pathlib.Path("/usr/share/doc")
TABLE = ROOT / "third_party/README.md"

# Names of licences in copyright files and metadata that are no SPDX identifiers.
SPDX = {
    "APACHE-2-LLVM-EXCEPTIONS": "Apache-2.0 WITH LLVM-exception",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD-3-clause": "BSD-3-Clause",
    "BSD-3-Clause~Google": "BSD-3-Clause",
    "BSD-C3": "BSD-3-Clause",
    "BSD-3-clause or GPL-2": "BSD-3-Clause OR GPL-2.0-only",
    "GPL-3+": "GPL-3.0-or-later",
    "GPL-2+": "GPL-2.0-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
# Sentences of copyright files that name no licence in a field.
SENTENCES = {
    "GPL-2.0-or-later": "either version 2, or (at your option) any later version",
    "PSF-2.0": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
    "BSD-3-Clause": "The names of the authors may not be used to endorse or promote",
}


def tables(text: str) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The rows of all tables that have a column "licence": packages, and cells by column."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells
        elif "licence" in header and cells[0].startswith("`"):
            yield re.findall(r"`([^`]+)`", cells[0]), dict(zip(header, cells, strict=True))


def copyright_licence(text: str) -> str | None:
    """The licence of all files in a copyright file of Debian's format, else the sentence that tells it."""
    match = re.search(r"^Files:\s*\*\s*$.*?^License: *(.+?)$", text, re.MULTILINE | re.DOTALL)
    if match is not None:
        return SPDX.get(match[1], match[1])
    words = " ".join(text.split())
    return next((name for name, sentence in SENTENCES.items() if sentence in words), None)


def python_licence(metadata: importlib.metadata.PackageMetadata) -> str | None:
    """The licence expression of a Python package, or what older metadata say."""
    fields = [metadata.get("License-Expression"), metadata.get("License")]
    classifiers = [c for c in metadata.get_all("Classifier") or [] if c.startswith("License ::")]
    fields += [classifier.rpartition(":: ")[2] for classifier in classifiers]
    short = [field for field in fields if field and len(field) < 80 and "\n" not in field]
    return SPDX.get(short[0], short[0]) if short else None


def failures(text: str) -> Iterator[str]:
    named = set()
    for packages, row in tables(text):
        for package in packages:
            named.add(package.lower())
            file = COPYRIGHTS / package / "copyright"
            if "for" in row and file.exists():
                found = copyright_licence(file.read_text(errors="replace"))
            elif "used for" in row:
                try:
                    found = python_licence(importlib.metadata.metadata(package))
                except importlib.metadata.PackageNotFoundError:
                    continue
            else:
                continue
            if found != row["licence"]:
                yield f"{package}: the table says {row['licence']}, the package {found}"
    for file in sorted((ROOT / "scripts").glob("requirements-*.txt")):
        for name in re.findall(r"^([\w-]+)==", file.read_text(), re.MULTILINE):
            if name.lower() not in named:
                yield f"{name}: in {file.name}, but in no table"


def main() -> int:
    found = list(failures(TABLE.read_text()))
    for failure in found:
        print(failure, file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
