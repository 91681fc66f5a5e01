"""What programs cost on the machine.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from systole._text import percent, scaled, shortened, shown_path, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_KERNELS = 20


def _fields_of(cls: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    return {entry.name: values[entry.name] for entry in dataclasses.fields(cls)}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of a program: its calls in all runs, added up."""

    program: str
    name: str  # "dot_0"; "(no kernel)" for what belongs to none
    kind: str
    source: str  # "model.py:12:3", or ""
    calls: int
    cycles: int
    stall_cycles: int  # waiting for copies and for instruction memory
    delay_cycles: int  # empty, between bundles
    flops: int
    bytes: int  # of HBM, padding included
    # Cycles that each unit alone would need ("mxu", "hbm", ...).
    bound_cycles: Mapping[str, int] = field(hash=False)

    @property
    def bound_by(self) -> str:
        """The unit that would need half of the cycles or more alone, or "latency"."""
        unit = max(self.bound_cycles, key=lambda name: self.bound_cycles[name])
        needed = self.bound_cycles[unit]
        return unit if needed and 2 * needed >= self.cycles else "latency"


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
    mxu_utilization: float
    mxu_busy_cycles: int
    mxu_pushes: int
    mxu_latch_cycles: int
    mxu_latches: int
    hbm_read_bytes: int
    hbm_write_bytes: int
    hbm_peak_bytes: int
    vmem_peak_bytes: int
    bundles: int
    program_bundles: int
    bound_cycles: Mapping[str, int] = field(hash=False)
    cycle_uses: Mapping[str, int] = field(hash=False)  # each cycle once
    kernels: tuple[Kernel, ...]
    usd: float
    usd_preemptible: float  # 0 if the machine has no such price
    compile_seconds: float  # on this host, as is the next one
    emulate_seconds: float

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Run:
        """From the object that the plugin writes; what later plugins add is left out."""
        program = line["program"]
        kernels = tuple(
            Kernel(**_fields_of(Kernel, {**kernel, "program": program}))
            for kernel in line["kernels"]
        )
        return cls(**_fields_of(cls, {**line, "kernels": kernels}))


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What a call cost on the machine: its programs' runs, one after the other.

    A jitted function is one program. print() shows a table.
    """

    runs: tuple[Run, ...]

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of what ran, each once, in the order of the first runs."""
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
        """Those that the programs ask for."""
        return sum(run.flops for run in self.runs)

    @property
    def peak_flops_per_second(self) -> float:
        return self.runs[0].peak_flops_per_second

    @property
    def mxu_utilization(self) -> float:
        """The share of the arrays' cycles in which they are busy, from 0 to 1."""
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
        """Of the program that takes most."""
        return max(run.hbm_peak_bytes for run in self.runs)

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
        """Taken on this host."""
        return sum(run.emulate_seconds for run in self.runs)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those of all runs, the costliest first."""
        merged: dict[tuple[str, str, str], Kernel] = {}
        for run in self.runs:
            for kernel in run.kernels:
                key = (kernel.program, kernel.name, kernel.source)
                before = merged.get(key)
                merged[key] = kernel if before is None else _sum(before, kernel)
        return tuple(sorted(merged.values(), key=lambda kernel: -kernel.cycles))

    def to_dict(self) -> dict[str, Any]:
        """The totals by name, the kernels, and every run, in types of JSON."""
        totals = {name: getattr(self, name) for name in _TOTALS}
        kernels = [{**dataclasses.asdict(k), "bound_by": k.bound_by} for k in self.kernels]
        return {**totals, "kernels": kernels, "runs": [dataclasses.asdict(r) for r in self.runs]}

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Bars of the costliest kernels' cycles, coloured by what bounds them; needs matplotlib."""
        from systole._plot import plot

        return plot(self, axes)

    def __repr__(self) -> str:
        return (
            f"<systole.Report of {self._what()} on {self.target}: "
            f"{scaled(self.device_seconds, 's')}, {self.cycles:,} cycles>"
        )

    def __str__(self) -> str:
        return f"{self._totals()}\n\n{self._kernel_table()}"

    def _what(self) -> str:
        if len(self.runs) == 1:
            return self.runs[0].program
        named = self.programs[0] if len(self.programs) == 1 else f"{len(self.programs)} programs"
        return f"{named} in {len(self.runs):,} runs"

    def _totals(self) -> str:
        seconds = self.device_seconds
        lines = [
            ("program", f"{self._what()}, precision {self.precision}"),
            ("target", self.target),
            ("predicted time", f"{scaled(seconds, 's')}, {self.cycles:,} cycles"),
            ("MXU utilisation", percent(self.mxu_utilization, 1)),
        ]
        if self.flops and seconds:
            rate = self.flops / seconds
            share = percent(rate, self.peak_flops_per_second)
            work = f"{scaled(self.flops, 'flop')}, {scaled(rate, 'flop/s')}, {share} of the peak"
            lines.append(("useful flops", work))
        read, written = scaled(self.hbm_read_bytes, "B"), scaled(self.hbm_write_bytes, "B")
        hbm, vmem = scaled(self.hbm_peak_bytes, "B"), scaled(self.vmem_peak_bytes, "B")
        price = f"{self.usd:.3g} USD on demand"
        if self.usd_preemptible:
            price += f", {self.usd_preemptible:.3g} USD preemptible"
        lines += [
            ("HBM traffic", f"{read} read, {written} written"),
            ("memory in use", f"{hbm} HBM, {vmem} VMEM"),
            ("price", price),
        ]
        return "\n".join(f"{title:<18}{text}" for title, text in lines)

    def _kernel_table(self) -> str:
        several = len(self.programs) > 1
        kernels = self.kernels
        rows = [["kernel", "calls", "cycles", "of all", "flops", "HBM bytes", "bound by", "source"]]
        for kernel in kernels[:MOST_KERNELS]:
            name = f"{kernel.program} {kernel.name}" if several else kernel.name
            rows.append(
                [
                    shortened(name),
                    f"{kernel.calls:,}",
                    f"{kernel.cycles:,}",
                    percent(kernel.cycles, self.cycles),
                    scaled(kernel.flops),
                    scaled(kernel.bytes),
                    kernel.bound_by,
                    shown_path(kernel.source),
                ]
            )
        text = table(rows, left=[True] + [False] * 5 + [True] * 2)
        rest = kernels[MOST_KERNELS:]
        if rest:
            cycles = sum(kernel.cycles for kernel in rest)
            text += f"\nand {len(rest)} more with {cycles:,} cycles"
        return text


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
    "vmem_peak_bytes",
    "usd",
    "usd_preemptible",
    "emulate_seconds",
)


def _sum(one: Kernel, other: Kernel) -> Kernel:
    """Two runs' figures of the same kernel."""
    added = ("calls", "cycles", "stall_cycles", "delay_cycles", "flops", "bytes")
    bounds = {unit: need + other.bound_cycles[unit] for unit, need in one.bound_cycles.items()}
    return dataclasses.replace(
        one,
        bound_cycles=bounds,
        **{name: getattr(one, name) + getattr(other, name) for name in added},
    )
