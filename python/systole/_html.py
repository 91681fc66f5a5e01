"""A report in a notebook.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from systole import _tables

if TYPE_CHECKING:
    from systole._report import Report


def html_table(rows: Sequence[Sequence[str]], left: Sequence[bool]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        parts = [
            f'<{tag} style="text-align:{"left" if is_left else "right"}">{html.escape(cell)}</{tag}>'
            for cell, is_left in zip(cells, left)
        ]
        return "<tr>" + "".join(parts) + "</tr>"

    head, *rest = rows
    body = "".join(row(cells, "td") for cells in rest)
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def html_of(report: Report) -> str:
    """Totals and kernels; units, cycles and memory to be unfolded."""
    totals = [["", ""], *([title, text] for title, text in _tables.totals(report))]
    parts = [html_table(totals, [True, True]), html_table(*_tables.kernel_rows(report))]
    more = [
        ("What each unit alone would need", _tables.unit_rows(report), 1),
        ("Where the cycles go", _tables.use_rows(report), 1),
    ]
    if report.assumptions:
        more.insert(0, ("Assumed where control depends on data", _tables.assumption_rows(report), 3))
    if report.memory is not None:
        more.append((report.memory.title(), report.memory.rows(), 6))
    for title, rows, left in more:
        flags = [column < left for column in range(len(rows[0]))]
        parts.append(f"<details><summary>{html.escape(title)}</summary>{html_table(rows, flags)}</details>")
    return "".join(parts)
