"""A report as a chart.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from systole._report import Report
from systole._tables import MOST_KERNELS
from systole._text import percent, scaled, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {
    "mxu": "tab:green",
    "valu": "tab:olive",
    "load": "tab:cyan",
    "store": "tab:blue",
    "xlu": "tab:purple",
    "eup": "tab:pink",
    "hbm": "tab:orange",
    "latency": "tab:grey",
}


def plot(report: Report, axes: Axes | None = None) -> Axes:
    """Draws into `axes`, or into those of a new figure, and gives them back."""
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("Report.plot() needs matplotlib: pip install matplotlib") from error
        height = 1.5 + 0.3 * min(len(report.kernels), MOST_KERNELS)
        _, axes = pyplot.subplots(figsize=(9, height), layout="constrained")

    kernels = report.kernels[:MOST_KERNELS]
    several = len(report.programs) > 1
    names = [shortened(f"{k.program} {k.name}" if several else k.name) for k in kernels]
    places = range(len(kernels))
    for unit, colour in _COLOURS.items():
        chosen = [place for place in places if kernels[place].bound_by == unit]
        if chosen:
            cycles = [kernels[place].cycles for place in chosen]
            axes.barh(chosen, cycles, color=colour, label=unit)
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xlabel("cycles")
    axes.legend(title="bound by")
    time, busy = scaled(report.device_seconds, "s"), percent(report.mxu_utilization, 1)
    axes.set_title(f"{time} on {report.target}, MXU utilisation {busy}")
    return axes
