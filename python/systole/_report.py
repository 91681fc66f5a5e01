"""The costs of programs on the machine.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from systole._compare import Comparison
from systole._explanation import Explanation
from systole._html import html_of
from systole._kernel import Assumption, Kernel, Module, by_module, fields_of
from systole._memory import Memory
from systole._slice import Slice, WholeOperation
from systole._tables import details_of, text_of, what
from systole._text import scaled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a program on a device. Names are those of `systole run --report json`."""

    program: str
    device: int
    target: str
    target_hash: str
    precision: str
    cores: int
    chips: int
    cycles: int
    device_seconds: float
    flops: int
    peak_flops_per_second: float
    hbm_bytes_per_second: float  # at most
    mxu_utilization: float
    mxu_busy_cycles: int
    mxu_pushes: int
    mxu_latch_cycles: int
    mxu_latches: int
    hbm_read_bytes: int
    hbm_write_bytes: int
    hbm_peak_bytes: int
    hbm_padding_bytes: int  # of the buffers that are live at the peak of HBM
    vmem_peak_bytes: int
    bundles: int
    program_bundles: int
    bound_cycles: Mapping[str, int] = field(hash=False)
    cycle_uses: Mapping[str, int] = field(hash=False)  # each cycle once
    kernels: tuple[Kernel, ...]
    assumptions: tuple[Assumption, ...]  # of a run without data
    latency_hints: Mapping[str, str] = field(hash=False)  # advice
    usd: float
    usd_preemptible: float  # 0 if the machine has no such price
    compile_seconds: float  # on this host, as is the next one
    emulate_seconds: float
    slice: Slice | None = None  # of a program for several cores

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Run:
        """From the object that the plugin writes; unknown fields are ignored."""
        program = line["program"]
        kernels = tuple(Kernel(**fields_of(Kernel, {**kernel, "program": program})) for kernel in line["kernels"])
        assumptions = tuple(Assumption(**fields_of(Assumption, entry)) for entry in line["assumptions"])
        entry = line.get("slice")
        own = Slice.from_json(entry) if entry and entry["cores"] else None
        return cls(**fields_of(cls, {**line, "kernels": kernels, "assumptions": assumptions, "slice": own}))


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The cost of a call on the machine: its programs' runs, one after the other.

    A jitted function is one program. print() shows a table.
    """

    runs: tuple[Run, ...]
    memories: tuple[Memory, ...] = ()  # of each program that ran
    explainer: Callable[[int], Explanation] | None = field(default=None, compare=False)

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of the programs, each once, in the order of the first runs."""
        return tuple(dict.fromkeys(run.program for run in self.runs))

    @property
    def target(self) -> str:
        return self.runs[0].target

    @property
    def precision(self) -> str:
        return self.runs[0].precision

    @property
    def cycles(self) -> int:
        return sum(run.cycles for run in self.runs)

    @property
    def device_seconds(self) -> float:
        """The predicted time."""
        return sum(run.device_seconds for run in self.runs)

    @property
    def flops(self) -> int:
        """The flops that the programs need."""
        return sum(run.flops for run in self.runs)

    @property
    def peak_flops_per_second(self) -> float:
        return self.runs[0].peak_flops_per_second

    @property
    def hbm_bytes_per_second(self) -> float:
        """The peak rate of HBM."""
        return self.runs[0].hbm_bytes_per_second

    @property
    def units(self) -> dict[str, int]:
        """Cycles that each unit alone would need ("mxu", "hbm", ...)."""
        return _sums([run.bound_cycles for run in self.runs])

    @property
    def cycle_uses(self) -> dict[str, int]:
        """The classes of cycles, each cycle once."""
        return _sums([run.cycle_uses for run in self.runs])

    @property
    def latency_hints(self) -> dict[str, str]:
        """Advice against each latency that bounds a kernel."""
        return {name: hint for run in self.runs for name, hint in run.latency_hints.items()}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions where control depends on data, of runs without data."""
        return tuple(assumption for run in self.runs for assumption in run.assumptions)

    @property
    def memory(self) -> Memory | None:
        """The contents of HBM over time, of the program with the highest peak."""

        def fullest(memory: Memory) -> int:
            return sum(buffer.bytes for buffer in memory.live())

        return max(self.memories, key=fullest, default=None)

    @property
    def mxu_utilization(self) -> float:
        """The share of the MXUs' cycles in which they are busy, from 0 to 1."""
        busy = sum(run.mxu_utilization * run.cycles for run in self.runs)
        return busy / self.cycles if self.cycles else 0.0

    @property
    def hbm_read_bytes(self) -> int:
        return sum(run.hbm_read_bytes for run in self.runs)

    @property
    def hbm_write_bytes(self) -> int:
        return sum(run.hbm_write_bytes for run in self.runs)

    @property
    def hbm_peak_bytes(self) -> int:
        """Of the program with the highest peak."""
        return max(run.hbm_peak_bytes for run in self.runs)

    @property
    def hbm_padding_bytes(self) -> int:
        """Of the buffers that are live at that peak."""
        return max(self.runs, key=lambda run: run.hbm_peak_bytes).hbm_padding_bytes

    @property
    def vmem_peak_bytes(self) -> int:
        return max(run.vmem_peak_bytes for run in self.runs)

    @property
    def usd(self) -> float:
        """The price of whole chips for that time, on demand."""
        return sum(run.usd for run in self.runs)

    @property
    def usd_preemptible(self) -> float:
        """0 if the machine has no such price."""
        return sum(run.usd_preemptible for run in self.runs)

    @property
    def emulate_seconds(self) -> float:
        """Measured on this host."""
        return sum(run.emulate_seconds for run in self.runs)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of all runs, the costliest first."""
        merged: dict[tuple[str, str, str, str], Kernel] = {}
        for run in self.runs:
            for kernel in run.kernels:
                key = (kernel.program, kernel.name, kernel.source, kernel.name_stack)
                before = merged.get(key)
                merged[key] = kernel if before is None else before.plus(kernel)
        return tuple(sorted(merged.values(), key=lambda kernel: -kernel.cycles))

    @property
    def sent_bytes(self) -> int:
        """From core to core of a slice."""
        return sum(run.slice.sent_bytes for run in self.runs if run.slice)

    @property
    def core_cycles(self) -> int:
        """Of all cores: `cycles` times their number for each run."""
        return sum(run.cycles * run.cores for run in self.runs)

    @property
    def collective_share(self) -> float:
        """The share of all cores' cycles that collective operations cost."""
        cycles = sum(run.slice.collective_cycles for run in self.runs if run.slice)
        return cycles / self.core_cycles if self.core_cycles else 0.0

    @property
    def whole_operations(self) -> tuple[WholeOperation, ...]:
        """Operations on arrays that each core gathers first, of all programs."""
        found = (entry for run in self.runs if run.slice for entry in run.slice.whole_operations)
        return tuple(dict.fromkeys(found))

    def by_module(self, depth: int | None = None) -> tuple[Module, ...]:
        """The kernels by the modules of the model, derived from name stacks, costliest first.

        `depth` is the number of parts of a module's path that distinguish them; None for all.
        """
        return by_module(self.kernels, depth)

    def to_dict(self) -> dict[str, Any]:
        """The totals by name, the kernels, and every run, in types of JSON."""
        totals = {name: getattr(self, name) for name in _TOTALS}
        kernels = [{**dataclasses.asdict(k), "bound_by": k.bound_by} for k in self.kernels]
        runs = [dataclasses.asdict(run) for run in self.runs]
        return {**totals, "units": self.units, "kernels": kernels, "runs": runs}

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Bars of the costliest kernels' cycles, coloured by the bounding unit, or as collectives; needs
        matplotlib."""
        from systole._plot import plot

        return plot(self, axes)

    def plot_roofline(self, axes: Axes | None = None) -> Axes:
        """Roofline chart: flops for each byte of HBM and flops a second."""
        from systole._plot import plot_roofline

        return plot_roofline(self, axes)

    def plot_memory(self, axes: Axes | None = None) -> Axes:
        """The buffers live in HBM over the steps of the program with the highest peak; needs
        matplotlib."""
        if self.memory is None:
            raise ValueError("the report has no memory: it was made of runs alone")
        return self.memory.plot(axes)

    def compare(self, other: Report) -> Comparison:
        """The differences in `other`: totals, kernels by name and layer, modules."""
        return Comparison(self, other)

    def explain(self, kernels: int = 10) -> Explanation:
        """Why the call takes its cycles, as `systole explain` says it: of the costliest `kernels`, 0 for all.

        The function is compiled again, as one program, and timed without data. ValueError if the
        report is not of a function's call; RuntimeError if the function does not compile.
        """
        if self.explainer is None:
            raise ValueError("there is no function to explain: systole.report() makes reports that have one")
        return self.explainer(kernels)

    def details(self) -> str:
        """All tables: totals, units, cycles, kernels, modules, memory."""
        return details_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"<systole.Report of {what(self)} on {self.target}: "
            f"{scaled(self.device_seconds, 's')}, {self.cycles:,} cycles>"
        )

    def __str__(self) -> str:
        return text_of(self)


def _sums(figures: list[Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(each[name] for each in figures) for name in figures[0]}


_TOTALS = (
    "programs",
    "target",
    "precision",
    "cycles",
    "device_seconds",
    "flops",
    "peak_flops_per_second",
    "mxu_utilization",
    "hbm_read_bytes",
    "hbm_write_bytes",
    "hbm_peak_bytes",
    "hbm_padding_bytes",
    "vmem_peak_bytes",
    "usd",
    "usd_preemptible",
    "emulate_seconds",
    "sent_bytes",
    "collective_share",
)
