"""Numbers and tables as aligned text, like those of `systole run --report text`.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import linecache
import os
import re
from collections.abc import Sequence

_SMALLEST = (1e-9, "n")
_PREFIXES = (
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1, ""),
    (1e-3, "m"),
    (1e-6, "u"),
)


def scaled(value: float, unit: str = "") -> str:
    """Four significant digits, with the prefix that leaves one to three before the point."""
    if value == 0:
        return f"0 {unit}".rstrip()
    # A number that would be rounded to 1000 has the next prefix.
    scale, prefix = next((p for p in _PREFIXES if value >= p[0] * 0.99995), _SMALLEST)
    return f"{value / scale:.4g} {prefix}{unit}".rstrip()


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.1f}%"


def _folder() -> str:
    """The beginning of paths below the current folder. That of all paths is worth nothing."""
    folder = os.path.join(os.getcwd(), "")
    return folder if folder != os.sep else "\0"


def shown_path(source: str) -> str:
    """A path relative to the current folder, if it is below."""
    return source.removeprefix(_folder())


def with_shown_paths(text: str) -> str:
    """A text whose paths below the current folder are relative to it."""
    return text.replace(_folder(), "")


def with_source_lines(text: str) -> str:
    """A text with the line of the source behind each of its lines "  at model.py:12:3"."""

    def quoted(match: re.Match[str]) -> str:
        code = linecache.getline(match.group("file"), int(match.group("line"))).strip()
        return match.group() + (f"\n    {code}" if code else "")

    return re.sub(r"^  at (?P<file>[^\n:]+):(?P<line>\d+):\d+.*$", quoted, text, flags=re.MULTILINE)


def shortened(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def last_part(path: str, width: int = 60) -> str:
    """The end of a path, its most specific part."""
    return path if len(path) <= width else "..." + path[3 - width :]


def table(rows: Sequence[Sequence[str]], left: Sequence[bool]) -> str:
    """Columns, aligned to the left where `left` says so."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width) for cell, width, is_left in zip(row, widths, left)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
