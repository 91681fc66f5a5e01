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
    padding = percent(report.hbm_padding_bytes, report.hbm_peak_bytes)
    collectives = []
    if any(run.slice for run in report.runs):
        sent = scaled(report.sent_bytes, "B")
        text = f"{percent(report.collective_share, 1)} of the cycles of all cores, {sent} sent between cores"
        collectives = [("collectives", text)]
    price = f"{report.usd:.3g} USD on demand"
    if report.usd_preemptible:
        price += f", {report.usd_preemptible:.3g} USD preemptible"
    return [
        *lines,
        ("HBM traffic", f"{read} read, {written} written"),
        *collectives,
        ("memory in use", f"{hbm} HBM ({padding} padding), {vmem} VMEM"),
        ("price", price),
    ]


def _lines_of(kernel: Kernel) -> str:
    """The user's own line, and in parentheses that of the library it calls."""
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
            percent(kernel.cycles, report.core_cycles),
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
                percent(module.cycles, report.core_cycles),
                f"{module.forward_cycles:,}",
                f"{module.backward_cycles:,}",
                scaled(module.flops),
                scaled(module.bytes),
            ]
        )
    return rows


_UNITS = {
    "mxu": "MXU",
    "valu": "vector ALUs",
    "load": "vector load",
    "store": "vector store",
    "xlu": "cross-lane",
    "eup": "transcendental",
    "hbm": "HBM",
}
_USES = {
    "bundles": "bundles that issue",
    "delay": "empty cycles, latency that nothing covers",
    "wait": "waiting for copies",
    "control": "after taken control transfers",
    "overlay": "waiting for instruction memory",
    "idle": "cores that are done before the last",
}


def unit_rows(report: Report) -> Rows:
    """The lower bound of each unit alone."""
    rows = [["unit", "cycles", "of all"]]
    for unit, cycles in report.units.items():
        rows.append([_UNITS.get(unit, unit), f"{cycles:,}", percent(cycles, report.cycles)])
    return rows


def use_rows(report: Report) -> Rows:
    """Where the cycles go."""
    uses = report.cycle_uses
    total = sum(uses.values())
    rows = [["", "cycles", "of all"]]
    for use, cycles in uses.items():
        if cycles:
            rows.append([_USES.get(use, use), f"{cycles:,}", percent(cycles, total)])
    return rows


def assumption_rows(report: Report) -> Rows:
    rows = [["what", "times", "source"]]
    for assumption in report.assumptions:
        rows.append([assumption.what, f"{assumption.times:,}", shown_path(assumption.source)])
    return rows


def _assumptions(report: Report) -> str:
    rows = table(assumption_rows(report), [True, False, True])
    return f"\n\nAssumed where control depends on data\n{rows}" if report.assumptions else ""


def _whole_operations(report: Report) -> str:
    rows = [["operation", "count", "source"]]
    rows += [[entry.name, f"{entry.count:,}", shown_path(entry.source)] for entry in report.whole_operations]
    found = table(rows, [True, False, True])
    return f"\n\nOperations on whole arrays, gathered for each core\n{found}" if report.whole_operations else ""


def text_of(report: Report) -> str:
    lines = "\n".join(f"{title:<18}{text}" for title, text in totals(report))
    return f"{lines}{_assumptions(report)}{_whole_operations(report)}\n\n{kernel_table(report)}"


def details_of(report: Report) -> str:
    """All tables of a report."""
    left = [True, False, False]
    parts = [
        text_of(report),
        "What each unit alone would need\n" + table(unit_rows(report), left),
        "Where the cycles go\n" + table(use_rows(report), left),
    ]
    if any(kernel.module for kernel in report.kernels):
        modules = table(module_rows(report, None), [True] + [False] * 7)
        parts.append("Modules by cycles\n" + modules)
    if report.latency_hints:
        hints = [f"{name}: {hint}" for name, hint in report.latency_hints.items()]
        parts.append("\n".join(["What usually helps against latency", *hints]))
    if report.memory is not None:
        parts.append(str(report.memory))
    return "\n\n".join(parts)
