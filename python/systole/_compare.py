"""The difference of two reports.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from systole._kernel import Kernel
from systole._tables import MOST_KERNELS, Rows
from systole._text import last_part, scaled, shortened, table

if TYPE_CHECKING:
    from systole._report import Report

_TOTALS = (
    ("predicted time", "device_seconds", "s"),
    ("cycles", "cycles", ""),
    ("useful flops", "flops", "flop"),
    ("HBM read", "hbm_read_bytes", "B"),
    ("HBM written", "hbm_write_bytes", "B"),
    ("HBM at the peak", "hbm_peak_bytes", "B"),
    ("VMEM at the peak", "vmem_peak_bytes", "B"),
    ("price on demand", "usd", "USD"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of two reports, for a kernel or a module, in seconds of the device."""

    name: str
    name_stack: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def _ratio(before: float, after: float) -> str:
    return f"{100 * (after / before - 1):+.1f}%" if before else ("new" if after else "")


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The changes from one report to another, which may be of another target; print() shows them.

    Kernels are matched by name and name stack, not by line.
    """

    before: Report
    after: Report

    @property
    def kernels(self) -> tuple[Change, ...]:
        """The largest differences in time first."""
        return self._changes(lambda kernel: (kernel.name, kernel.name_stack))

    @property
    def modules(self) -> tuple[Change, ...]:
        return self._changes(lambda kernel: (kernel.module or "(no module)", ""))

    def _changes(self, key) -> tuple[Change, ...]:  # type: ignore[no-untyped-def]
        times: dict[tuple[str, str], list[float]] = {}
        for side, report in enumerate((self.before, self.after)):
            for kernel in report.kernels:
                times.setdefault(key(kernel), [0.0, 0.0])[side] += _seconds(report, kernel)
        changes = [Change(*name, *both) for name, both in times.items()]
        return tuple(sorted(changes, key=lambda change: -abs(change.difference)))

    def total_rows(self) -> Rows:
        before, after = self.before, self.after
        rows = [["", before.target, after.target, "change"]]
        for title, field, unit in _TOTALS:
            one, other = getattr(before, field), getattr(after, field)
            rows.append([title, scaled(one, unit), scaled(other, unit), _ratio(one, other)])
        one, other = before.mxu_utilization, after.mxu_utilization
        rows.append(["MXU utilisation", f"{one:.1%}", f"{other:.1%}", _ratio(one, other)])
        return rows

    @staticmethod
    def _rows(title: str, changes: tuple[Change, ...]) -> Rows:
        rows = [[title, "before", "after", "difference", "change", "name stack"]]
        for change in changes[:MOST_KERNELS]:
            sign = "-" if change.difference < 0 else "+"
            rows.append(
                [
                    shortened(change.name),
                    scaled(change.before, "s"),
                    scaled(change.after, "s"),
                    sign + scaled(abs(change.difference), "s"),
                    _ratio(change.before, change.after),
                    last_part(change.name_stack),
                ]
            )
        return rows

    def __str__(self) -> str:
        left = [True] + [False] * 4 + [True]
        modules = self.modules
        parts = [
            table(self.total_rows(), [True, False, False, False]),
            table(self._rows("kernel", self.kernels), left),
        ]
        if len(modules) > 1:
            rows = [row[:-1] for row in self._rows("module", modules)]
            parts.append(table(rows, left[:-1]))
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        one, other = self.before.device_seconds, self.after.device_seconds
        return f"<systole.Comparison: {scaled(one, 's')} to {scaled(other, 's')}>"


def _seconds(report: Report, kernel: Kernel) -> float:
    return report.device_seconds * kernel.cycles / report.cycles if report.cycles else 0.0
