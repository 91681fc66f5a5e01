"""HBM over the time of a program: the buffers that are live at each kernel, and at the peak.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from systole._kernel import fields_of
from systole._text import last_part, percent, scaled, shown_path, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BUFFERS = 10


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer in HBM, with its live range in steps of the program."""

    name: str  # of an argument or result, JAX's name: "params['w']"
    source: str  # as in Kernel
    user_source: str
    name_stack: str
    bytes: int
    padding_bytes: int  # of `bytes`
    permanent: bool  # always live: a constant, or an argument that stays
    begin: int  # first and last step; 0 if permanent
    end: int

    def is_live(self, step: int) -> bool:
        return self.permanent or self.begin <= step <= self.end


@dataclass(frozen=True, slots=True)
class Step:
    """A kernel's call, in program order; those in loops once."""

    step: int
    kernel: str
    name_stack: str
    live_bytes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """The static plan of a program's HBM. print() shows the buffers that are live at the peak."""

    buffers: tuple[Buffer, ...]  # the largest first
    steps: tuple[Step, ...]
    peak: int  # index into `steps`

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Memory:
        return cls(
            tuple(Buffer(**fields_of(Buffer, buffer)) for buffer in line["buffers"]),
            tuple(Step(**fields_of(Step, step)) for step in line["steps"]),
            line["peak"],
        )

    def live(self, step: int | None = None) -> tuple[Buffer, ...]:
        """The buffers that are live in a step, or at the peak; the largest first."""
        if step is None:
            step = self.steps[self.peak].step if self.steps else 0
        return tuple(buffer for buffer in self.buffers if buffer.is_live(step))

    def rows(self) -> list[list[str]]:
        """The head and a row for each of the largest buffers that are live at the peak."""
        rows = [["buffer", "bytes", "padding", "live", "source", "name stack"]]
        for buffer in self.live()[:MOST_BUFFERS]:
            rows.append(
                [
                    last_part(buffer.name, 40),
                    scaled(buffer.bytes, "B"),
                    percent(buffer.padding_bytes, buffer.bytes),
                    "always" if buffer.permanent else f"{buffer.begin:,} to {buffer.end:,}",
                    shown_path(buffer.user_source or buffer.source),
                    last_part(buffer.name_stack),
                ]
            )
        return rows

    def title(self) -> str:
        live = self.live()
        total = sum(buffer.bytes for buffer in live)
        padding = percent(sum(buffer.padding_bytes for buffer in live), total)
        text = f"HBM at its fullest: {scaled(total, 'B')} live, {padding} of it padding"
        if self.steps:
            step = self.steps[self.peak]
            text += f", in step {step.step:,}, {step.kernel}"
        return text

    def __str__(self) -> str:
        rows = self.rows()
        if len(rows) == 1:
            return "no buffers in HBM"
        rest = len(self.live()) - MOST_BUFFERS
        text = f"{self.title()}\n{table(rows, [True, False, False, True, True, True])}"
        return text + (f"\nand {rest} more" if rest > 0 else "")

    def plot(self, axes: Axes | None = None) -> Axes:
        """Live bytes over the program's steps, with the largest buffers of the peak shown
        separately."""
        from systole._plot import plot_memory

        return plot_memory(self, axes)
