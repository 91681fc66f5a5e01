"""A report's tables as text.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from systole._kernel import Kernel
from systole._text import last_part, percent, scaled, shortened, shown_path, table

if TYPE_CHECKING:
    from systole._report import Report

MOST_KERNELS = 20

Rows = list[list[str]]


def what(report: Report) -> str:
    """The programs that ran."""
    if len(report.runs) == 1:
        return report.runs[0].program
    named = report.programs[0] if len(report.programs) == 1 else f"{len(report.programs)} programs"
    return f"{named} in {len(report.runs):,} runs"


def totals(report: Report) -> list[tuple[str, str]]:
    """Titles and values."""
    seconds = report.device_seconds
    lines = [
        ("program", f"{what(report)}, precision {report.precision}"),
        ("target", report.target),
        ("predicted time", f"{scaled(seconds, 's')}, {report.cycles:,} cycles"),
        ("MXU utilisation", percent(report.mxu_utilization, 1)),
    ]
    if report.flops and seconds:
        rate = report.flops / seconds
        share = percent(rate, report.peak_flops_per_second)
        work = f"{scaled(report.flops, 'flop')}, {scaled(rate, 'flop/s')}, {share} of the peak"
        lines.append(("useful flops", work))
    read, written = scaled(report.hbm_read_bytes, "B"), scaled(report.hbm_write_bytes, "B")
    hbm, vmem = scaled(report.hbm_peak_bytes, "B"), scaled(report.vmem_peak_bytes, "B")
    price = f"{report.usd:.3g} USD on demand"
    if report.usd_preemptible:
        price += f", {report.usd_preemptible:.3g} USD preemptible"
    return [
        *lines,
        ("HBM traffic", f"{read} read, {written} written"),
        ("memory in use", f"{hbm} HBM, {vmem} VMEM"),
        ("price", price),
    ]


def _lines_of(kernel: Kernel) -> str:
    """The user's own line, and in parentheses that of the library which it calls."""
    if not kernel.user_source:
        return shown_path(kernel.source)
    library = kernel.source
    for folder in ("/site-packages/", "/dist-packages/"):
        library = library.rpartition(folder)[2]
    return f"{shown_path(kernel.user_source)} ({library})"


def kernel_rows(report: Report) -> tuple[Rows, list[bool]]:
    """The head and a row for each of the costliest kernels; which columns are left-aligned."""
    several = len(report.programs) > 1
    kernels = report.kernels[:MOST_KERNELS]
    named = any(kernel.name_stack for kernel in kernels)
    rows = [["kernel", "calls", "cycles", "of all", "flops", "HBM bytes", "bound by", "source"]]
    if named:
        rows[0].append("name stack")
    for kernel in kernels:
        row = [
            shortened(f"{kernel.program} {kernel.name}" if several else kernel.name),
            f"{kernel.calls:,}",
            f"{kernel.cycles:,}",
            percent(kernel.cycles, report.cycles),
            scaled(kernel.flops),
            scaled(kernel.bytes),
            kernel.bound_text,
            _lines_of(kernel),
        ]
        rows.append([*row, last_part(kernel.name_stack)] if named else row)
    return rows, [True] + [False] * 5 + [True] * (len(rows[0]) - 6)


def kernel_table(report: Report) -> str:
    text = table(*kernel_rows(report))
    rest = report.kernels[MOST_KERNELS:]
    if rest:
        cycles = sum(kernel.cycles for kernel in rest)
        text += f"\nand {len(rest)} more with {cycles:,} cycles"
    return text


def module_rows(report: Report, depth: int | None) -> Rows:
    rows = [["module", "calls", "cycles", "of all", "forward", "backward", "flops", "HBM bytes"]]
    for module in report.by_module(depth):
        rows.append(
            [
                last_part(module.name),
                f"{module.calls:,}",
                f"{module.cycles:,}",
                percent(module.cycles, report.cycles),
                f"{module.forward_cycles:,}",
                f"{module.backward_cycles:,}",
                scaled(module.flops),
                scaled(module.bytes),
            ]
        )
    return rows


def text_of(report: Report) -> str:
    lines = "\n".join(f"{title:<18}{text}" for title, text in totals(report))
    return f"{lines}\n\n{kernel_table(report)}"
