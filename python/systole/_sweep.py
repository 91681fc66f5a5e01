"""Costs of a function for each of several parameters, such as the block sizes of a Pallas kernel.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from systole._failure import place_of, without_packages
from systole._predict import Source
from systole._report import Run
from systole._text import percent, scaled, shown_path, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Trial:
    """The function with one set of parameters on one machine: what it costs, or why it does not compile."""

    parameters: Mapping[str, Any] = field(hash=False)
    target: str
    run: Run | None = None
    error: str = ""

    @property
    def cycles(self) -> int | None:
        return self.run.cycles if self.run else None

    @property
    def stall_cycles(self) -> int:
        """Cycles that kernels wait for copies."""
        return sum(kernel.stall_cycles for kernel in self.run.kernels) if self.run else 0

    @property
    def idle_share(self) -> float:
        """The share of the cycles in which no bundle issues, from 0 to 1: waits and bubbles of pipelines."""
        uses = self.run.cycle_uses if self.run else {}
        cycles = sum(uses.values())
        return 1 - uses["bundles"] / cycles if cycles else 0.0

    @property
    def bound_by(self) -> str:
        """The limiting unit of the costliest kernel."""
        if not self.run or not self.run.kernels:
            return ""
        return max(self.run.kernels, key=lambda kernel: kernel.cycles).bound_text

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"parameters": dict(self.parameters), "target": self.target}
        if self.run is None:
            return {**found, "error": self.error}
        return {
            **found,
            "cycles": self.run.cycles,
            "device_seconds": self.run.device_seconds,
            "vmem_peak_bytes": self.run.vmem_peak_bytes,
            "stall_cycles": self.stall_cycles,
            "idle_share": self.idle_share,
            "mxu_utilization": self.run.mxu_utilization,
            "bound_by": self.bound_by,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Sweep:
    """Trials in the order of the parameters.

    print() shows a table of each machine, in which the best trial is marked.
    """

    trials: tuple[Trial, ...]

    def best(self, target: str | None = None) -> Trial | None:
        """The trial with the fewest cycles, of one machine or the first one; None if none compiled."""
        wanted = target or (self.trials[0].target if self.trials else "")
        ran = [trial for trial in self.trials if trial.target == wanted and trial.run]
        return min(ran, key=lambda trial: trial.cycles or 0, default=None)

    def to_json(self) -> str:
        return json.dumps([trial.to_dict() for trial in self.trials], default=str)

    def __str__(self) -> str:
        names = list(dict.fromkeys(name for trial in self.trials for name in trial.parameters))
        rows = [["", "target", *names, "cycles", "time", "VMEM", "waits", "idle", "MXU", "bound by"]]
        targets = list(dict.fromkeys(trial.target for trial in self.trials))
        best = {target: self.best(target) for target in targets}
        errors: dict[str, int] = {}  # their numbers
        for trial in sorted(self.trials, key=lambda trial: targets.index(trial.target)):
            row = ["*" if trial is best[trial.target] else "", trial.target]
            row += [str(trial.parameters.get(name, "")) for name in names]
            if trial.run is None:
                number = errors.setdefault(trial.error.partition("\n")[0], len(errors) + 1)
                rows.append([*row, *[""] * 6, f"error {number}"])
                continue
            run = trial.run
            row += [f"{run.cycles:,}", scaled(run.device_seconds, "s"), scaled(run.vmem_peak_bytes, "B")]
            row += [percent(trial.stall_cycles, run.cycles), percent(trial.idle_share, 1)]
            rows.append([*row, percent(run.mxu_utilization, 1), trial.bound_by])
        left = [True, True, *[False] * (len(rows[0]) - 3), True]
        notes = [f"error {number}: {without_packages(error)}" for error, number in errors.items()]
        return "\n".join([table(rows, left), *notes])

    __repr__ = __str__

    def plot(self, axes: Axes | None = None) -> Axes:
        """Cycles of each trial, a line for each machine (needs matplotlib)."""
        from systole._plot import plot_sweep

        return plot_sweep(self, axes)


def combinations(parameters: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(parameters, Mapping):
        values = [list(choices) for choices in parameters.values()]
        return [dict(zip(parameters, chosen)) for chosen in itertools.product(*values)]
    return [dict(chosen) for chosen in parameters]


def sweep(
    function: Callable[..., Any],
    parameters: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    /,
    *args: Any,
    targets: Sequence[str | os.PathLike[str]] | None = None,
    precision: str | None = None,
    processes: int | None = None,
) -> Sweep:
    """Times `function(*args, **chosen)` without data for each choice of `parameters` and each machine.

    `parameters` maps names of keyword arguments to values, of which all combinations are tried; or it is a list of
    such choices. Arguments may be shapes (`jax.ShapeDtypeStruct`). `targets` are machines, by default JAX's.
    `processes` compilations run at a time, by default one for each processor. A choice that does not compile is a
    trial with an error.
    """
    machines = [os.fspath(target) for target in targets or (os.environ.get("SYSTOLE_TARGET") or "v3",)]
    choices = combinations(parameters)
    if not choices:
        raise ValueError("there are no parameters to try")
    lowered: list[tuple[dict[str, Any], str, Source | str]] = []
    for chosen, machine in itertools.product(choices, machines):
        try:
            call = functools.partial(function, **chosen)
            source: Source | str = Source.of(call, args, {}, target=machine, precision=precision)
        except Exception as error:  # JAX's own refusals are of many types
            source = ": ".join(filter(None, (shown_path(place_of(error)), type(error).__name__, str(error))))
        lowered.append((chosen, machine, source))

    def trial(entry: tuple[dict[str, Any], str, Source | str]) -> Trial:
        chosen, machine, source = entry
        if isinstance(source, str):
            return Trial(chosen, machine, error=source)
        try:
            line = json.loads(source.command("run", "--timing-only", "--report", "json", *source.trips()))
        except RuntimeError as error:
            return Trial(chosen, machine, error=str(error).removeprefix(f"no report for {source.machine}: "))
        return Trial(chosen, machine, Run.from_json({**line, "program": source.name, "device": 0, "program_id": 0}))

    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        return Sweep(tuple(pool.map(trial, lowered)))


__all__ = ["Sweep", "Trial", "sweep"]
