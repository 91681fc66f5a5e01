"""A kernel of a program, with the costs of its calls.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# The name of the entry for code outside of kernels.
SEQUENCER = "sequencer: control flow and waits"


def fields_of(cls: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a dataclass, selected from an object with more fields."""
    return {entry.name: values[entry.name] for entry in dataclasses.fields(cls)}


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel at one location of a program: its calls in all runs, added up."""

    program: str
    name: str  # "dot_add_maximum_fusion"; SEQUENCER for code outside of kernels
    kind: str
    source: str  # innermost line, "model.py:12:3", or ""
    user_source: str  # innermost line outside of installed packages, or "" if it is `source`
    name_stack: str  # "jit(step)/ResNet50/stem/conv_general_dilated", or ""
    module: str  # "ResNet50/stem": the name stack without transformations and operation
    backward: bool  # below a transpose(...) mark: of gradients
    calls: int
    cycles: int
    estimated_cycles: int  # that the compiler expected of all calls; 0 if unknown
    stall_cycles: int  # waiting for copies and for instruction memory
    delay_cycles: int  # empty, between bundles
    flops: int
    bytes: int  # of HBM, padding included
    # Cycles that each unit alone would need ("mxu", "hbm", ...).
    bound_cycles: Mapping[str, int] = field(hash=False)
    # Each cycle once, by class ("DMA start", "dependent chain", ...).
    latency_cycles: Mapping[str, int] = field(hash=False)

    @property
    def bound_by(self) -> str:
        """The unit that would need half of the cycles or more alone, or "latency"."""
        unit = max(self.bound_cycles, key=lambda name: self.bound_cycles[name])
        needed = self.bound_cycles[unit]
        return unit if needed and 2 * needed >= self.cycles else "latency"

    @property
    def latency(self) -> str:
        """The largest class of cycles; of interest where no unit bounds the kernel."""
        return max(self.latency_cycles, key=lambda name: self.latency_cycles[name])

    @property
    def bound_text(self) -> str:
        """`bound_by`, with the dominant latency: "latency (DMA start)"."""
        return f"latency ({self.latency})" if self.bound_by == "latency" else self.bound_by

    def plus(self, other: Kernel) -> Kernel:
        """Two runs' figures of the same kernel."""
        added = ("calls", "cycles", "estimated_cycles", "stall_cycles", "delay_cycles", "flops", "bytes")
        return dataclasses.replace(
            self,
            bound_cycles=_sums(self.bound_cycles, other.bound_cycles),
            latency_cycles=_sums(self.latency_cycles, other.latency_cycles),
            **{name: getattr(self, name) + getattr(other, name) for name in added},
        )


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption of a run without data, where control depends on data."""

    what: str
    source: str  # "model.py:12:3", or ""
    times: int  # executions of the control instruction; of a loop, of its condition


def _sums(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: value + other[name] for name, value in one.items()}


@dataclass(frozen=True, slots=True)
class Module:
    """The kernels of a module of a model, added up."""

    name: str  # "ResNet50/stem"
    calls: int
    forward_cycles: int
    backward_cycles: int  # of gradients
    flops: int
    bytes: int

    @property
    def cycles(self) -> int:
        return self.forward_cycles + self.backward_cycles


def by_module(kernels: tuple[Kernel, ...], depth: int | None) -> tuple[Module, ...]:
    """By the first `depth` parts of module paths, or all of them; the costliest first."""
    modules: dict[str, Module] = {}
    for kernel in kernels:
        if kernel.name == SEQUENCER:
            name = SEQUENCER
        else:
            name = "/".join(kernel.module.split("/")[:depth]) or "(no module)"
        sums = modules.get(name) or Module(name, 0, 0, 0, 0, 0)
        modules[name] = Module(
            name,
            sums.calls + kernel.calls,
            sums.forward_cycles + (0 if kernel.backward else kernel.cycles),
            sums.backward_cycles + (kernel.cycles if kernel.backward else 0),
            sums.flops + kernel.flops,
            sums.bytes + kernel.bytes,
        )
    return tuple(sorted(modules.values(), key=lambda module: -module.cycles))
