"""The costs of a run on several cores of a slice beside the work of each.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from systole._kernel import fields_of


@dataclass(frozen=True, slots=True)
class Core:
    """A core of the program: its place in the slice, its chip, and the cycles until it is done."""

    place: int
    chip: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link between chips in one direction: `utilization` is the share of the time in which it is busy."""

    name: str
    bytes: int
    cycles: int
    utilization: float


@dataclass(frozen=True, slots=True)
class LinkBound:
    """The least time of the busiest link at a rate, and the source of that rate."""

    gb_per_second: float
    cycles: int
    seconds: float
    source: str


@dataclass(frozen=True, slots=True)
class WholeOperation:
    """Operations of one line that each core executes on arrays that it gathers first: `count` in the program."""

    name: str
    source: str
    count: int


@dataclass(frozen=True, slots=True)
class Slice:
    """The `slice` of a run in `systole run --report json`."""

    cores: tuple[Core, ...]
    links: tuple[Link, ...]  # that carried something
    link_bounds: tuple[LinkBound, ...]
    sent_bytes: int  # from core to core
    collective_cycles: int  # of all cores
    collective_share: float
    whole_operations: tuple[WholeOperation, ...]

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Slice:
        """From the object that the plugin writes; unknown fields are ignored."""

        def each(kind: Any, name: str) -> tuple[Any, ...]:
            return tuple(kind(**fields_of(kind, item)) for item in entry.get(name, ()))

        return cls(
            cores=each(Core, "cores"),
            links=each(Link, "links"),
            link_bounds=each(LinkBound, "link_bounds"),
            sent_bytes=entry["sent_bytes"],
            collective_cycles=entry["collective_cycles"],
            collective_share=entry["collective_share"],
            whole_operations=each(WholeOperation, "whole_operations"),
        )
