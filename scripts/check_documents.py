#!/usr/bin/env python3
"""Checks the documents: links, paths, and names of documents in sources, lead to what exists; lines have 120 columns.

Paths in backticks count if they begin with a folder of the repository; records of decisions may name files that are
gone. Tables, code and lines of one long word may be longer. Records of decisions have a title, a status and dates,
are all in their index, and are named by a source or a document outside of their folder.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = 120
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*```")
DATE = r"\d{4}-\d\d-\d\d"
DATES = rf"(?:Date: {DATE}|Dates: ({DATE}) to ({DATE}))"
RECORD = re.compile(rf"# .+\n\nStatus: (?:accepted|proposed)\. {DATES}\.$", re.MULTILINE)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to the headings."""
    titles = [line.lstrip("#").strip() for _, line in prose(text) if re.match(r"#+ ", line)]
    titles = [LINK.sub(lambda match: match[0].partition("]")[0][1:], title) for title in titles]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(path: pathlib.Path) -> Iterator[str]:
    for number, line in prose(path.read_text()):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line.replace("[`", "[").replace("`]", "]"))):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = path.parent / name if name else path
            if not file.exists():
                yield f"{number}: no file {target}"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                yield f"{number}: no heading {target}"


def lost_paths(path: pathlib.Path, root: pathlib.Path) -> Iterator[str]:
    """Paths of files or folders that are not there. Names in capitals, as in `test/lit/FOLDER/NAME.mlir`, stand for
    any name."""
    for number, line in prose(path.read_text()):
        for quoted in re.findall(r"`([^`]+)`", line):
            for word in quoted.split():
                name = word.rstrip(".,:;/")
                if not re.fullmatch(r"[A-Za-z_][\w.-]*(/[\w.*-]+)+", name):
                    continue
                top, *parts = name.split("/")
                if top.startswith("build") or not (root / top).is_dir():
                    continue
                if not any(part.partition(".")[0].isupper() for part in parts) and not any(root.glob(name)):
                    yield f"{number}: no path {name}"


def lost_references(root: pathlib.Path) -> Iterator[str]:
    """Documents that sources name, but that are not there."""
    pattern = r"\b(docs|third_party)/[A-Za-z0-9_/-]+\.md\b"
    command = ["git", "-C", str(root), "grep", "--untracked", "-noE", pattern, "--", ":!*.md"]
    for line in subprocess.run(command, text=True, capture_output=True, check=False).stdout.splitlines():
        if not (root / line.rpartition(":")[2]).exists():
            yield line


def long_lines(path: pathlib.Path) -> Iterator[str]:
    for number, line in prose(path.read_text()):
        if len(line) > COLUMNS and not line.lstrip().startswith("|") and " " in line.strip():
            yield f"{number}: {len(line)} columns"


def named_decisions(root: pathlib.Path) -> set[str]:
    """The records that sources, and documents outside of their folder, name."""
    pattern = r"decisions/[a-z0-9-]+\.md\b"
    command = ["git", "-C", str(root), "grep", "--untracked", "-hoE", pattern, "--", ":!docs/decisions"]
    found = subprocess.run(command, text=True, capture_output=True, check=False).stdout
    return {line.rpartition("/")[2] for line in found.splitlines()}


def wrong_decisions(root: pathlib.Path) -> Iterator[str]:
    folder = root / "docs/decisions"
    index = (folder / "README.md").read_text()
    named = named_decisions(root)
    for record in sorted(folder.glob("*.md")):
        if record.name == "README.md":
            continue
        match = RECORD.match(record.read_text())
        if not match or (match[1] and match[1] >= match[2]):
            yield f"{record.name}: no title, status and dates"
        if f"({record.name})" not in index:
            yield f"{record.name}: not in the index"
        if record.name not in named:
            yield f"{record.name}: no source and no other document names it"


def documents(root: pathlib.Path) -> list[pathlib.Path]:
    listed = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listed, check=True, text=True, capture_output=True).stdout.split()
    return [root / name for name in names if (root / name).exists()]


def main() -> int:
    failures = []
    for path in documents(ROOT):
        name = path.relative_to(ROOT)
        failures += [f"{name}:{failure}" for failure in (*broken_links(path), *long_lines(path))]
        if path.parent.name != "decisions":
            failures += [f"{name}:{failure}" for failure in lost_paths(path, ROOT)]
    failures += [f"{reference}: no such document" for reference in lost_references(ROOT)]
    failures += [f"docs/decisions/{failure}" for failure in wrong_decisions(ROOT)]
    for failure in failures:
        print(failure, file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
