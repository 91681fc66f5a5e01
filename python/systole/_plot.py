"""A report as a chart.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from systole._report import Report
from systole._kernel import Kernel
from systole._memory import Memory
from systole._tables import MOST_KERNELS
from systole._text import percent, scaled, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from systole._sweep import Sweep, Trial

_COLOURS = {
    "mxu": "tab:green",
    "valu": "tab:olive",
    "load": "tab:cyan",
    "store": "tab:blue",
    "xlu": "tab:purple",
    "eup": "tab:pink",
    "hbm": "tab:orange",
    "latency": "tab:grey",
    "collective": "tab:red",
}

_NAMED_BUFFERS = 8


def _new_axes(height: float) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("Report.plot() needs matplotlib: pip install matplotlib") from error
    _, axes = pyplot.subplots(figsize=(9, height), layout="constrained")
    return axes


def plot_roofline(report: Report, axes: Axes | None = None) -> Axes:
    """A point for each kernel that computes, and the roofline."""
    axes = axes or _new_axes(6)
    peak, rate = report.peak_flops_per_second, report.hbm_bytes_per_second
    seconds = report.device_seconds / report.cycles if report.cycles else 0.0
    kernels = [k for k in report.kernels if k.flops and k.bytes and k.cycles]

    def intensity(kernel: Kernel) -> float:
        return kernel.flops / kernel.bytes

    ends = [intensity(k) for k in kernels] + [peak / rate]
    low, high = min(ends) / 2, max(ends) * 2
    axes.plot([low, peak / rate, high], [low * rate, peak, peak], color="black", label="limit")
    for unit, colour in _COLOURS.items():
        chosen = [kernel for kernel in kernels if kernel.bound_by == unit]
        if chosen:
            speeds = [kernel.flops / (kernel.cycles * seconds) for kernel in chosen]
            sizes = [20 + 300 * kernel.cycles / report.cycles for kernel in chosen]
            axes.scatter([intensity(k) for k in chosen], speeds, s=sizes, color=colour, label=unit, alpha=0.7)
    for kernel in kernels[:5]:
        speed = kernel.flops / (kernel.cycles * seconds)
        axes.annotate(shortened(kernel.name, 30), (intensity(kernel), speed))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flops for each byte of HBM")
    axes.set_ylabel("flop/s")
    axes.legend(title="bound by")
    axes.set_title(f"{report.target}: {scaled(peak, 'flop/s')}, {scaled(rate, 'B/s')}")
    return axes


def plot_memory(memory: Memory, axes: Axes | None = None) -> Axes:
    """The largest buffers of the peak stacked, and on top all others."""
    axes = axes or _new_axes(5)
    named = memory.live()[:_NAMED_BUFFERS]
    places = [step.step for step in memory.steps]
    layers = [[buffer.bytes if buffer.is_live(step.step) else 0 for step in memory.steps] for buffer in named]
    rest = [step.live_bytes - sum(layer[place] for layer in layers) for place, step in enumerate(memory.steps)]
    labels = [shortened(f"{b.name} {b.name_stack}".strip(), 50) for b in named]
    axes.stackplot(places, *layers, rest, labels=[*labels, "others"], step="mid")
    axes.set_xlabel("step")
    axes.set_ylabel("bytes of HBM")
    axes.legend(fontsize="small")
    axes.set_title(memory.title())
    return axes


def _group_of(kernel: Kernel) -> str:
    return "collective" if kernel.kind == "collective" else kernel.bound_by


def plot(report: Report, axes: Axes | None = None) -> Axes:
    """Draws into `axes`, or into those of a new figure, and returns them."""
    axes = axes or _new_axes(1.5 + 0.3 * min(len(report.kernels), MOST_KERNELS))
    kernels = report.kernels[:MOST_KERNELS]
    several = len(report.programs) > 1
    names = [shortened(f"{k.program} {k.name}" if several else k.name) for k in kernels]
    places = range(len(kernels))
    for group, colour in _COLOURS.items():
        chosen = [place for place in places if _group_of(kernels[place]) == group]
        if chosen:
            cycles = [kernels[place].cycles for place in chosen]
            axes.barh(chosen, cycles, color=colour, label=group)
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xlabel("cycles")
    axes.legend(title="bound by")
    time, busy = scaled(report.device_seconds, "s"), percent(report.mxu_utilization, 1)
    axes.set_title(f"{time} on {report.target}, MXU utilisation {busy}")
    return axes


def plot_sweep(sweep: Sweep, axes: Axes | None = None) -> Axes:
    """Draws the cycles of a sweep's trials into `axes`, or into those of a new figure, and returns them."""
    axes = axes or _new_axes(4)
    labels = list(dict.fromkeys(_choice(trial) for trial in sweep.trials))
    for target in dict.fromkeys(trial.target for trial in sweep.trials):
        ran = [trial for trial in sweep.trials if trial.target == target and trial.cycles is not None]
        axes.plot([labels.index(_choice(trial)) for trial in ran], [trial.cycles for trial in ran], "o-", label=target)
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set_xlabel(", ".join(dict.fromkeys(name for trial in sweep.trials for name in trial.parameters)))
    axes.set_ylabel("cycles")
    axes.legend()
    return axes


def _choice(trial: Trial) -> str:
    return ", ".join(str(value) for value in trial.parameters.values())
