"""Programs of functions, timed and explained without data and without a device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from systole._explanation import Explanation
from systole._library import command_path
from systole._lowering import artifact_of, lower, precision_of
from systole._memory import Memory
from systole._report import Report, Run
from systole._text import with_shown_paths

if TYPE_CHECKING:
    import jax


@dataclass(frozen=True, slots=True)
class Source:
    """A function's program and the machine that it is for."""

    artifact: bytes
    name: str  # "" if the program has none
    machine: str
    precision: str
    assume_trips: int

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        target: str | os.PathLike[str] | None = None,
        precision: str | None = None,
        assume_trips: int = 1,
    ) -> Source:
        return cls.of_lowered(
            lower(function, args, kwargs), target=target, precision=precision, assume_trips=assume_trips
        )

    @classmethod
    def of_lowered(
        cls,
        lowered: jax.stages.Lowered,
        *,
        target: str | os.PathLike[str] | None = None,
        precision: str | None = None,
        assume_trips: int = 1,
    ) -> Source:
        text = lowered.as_text()
        machine = os.fspath(target or os.environ.get("SYSTOLE_TARGET") or "v3")
        if not _is_divided(text):
            machine = _one_core(machine)
        chosen = precision or precision_of(lowered)
        return cls(artifact_of(lowered), _module_name(text), machine, chosen, assume_trips)

    def trips(self) -> tuple[str, str]:
        return "--assume-trips", str(self.assume_trips)

    def command(self, name: str, *words: str | pathlib.Path) -> str:
        """The output of `systole NAME` for the program. RuntimeError, with the compiler's message, if it fails."""
        with tempfile.TemporaryDirectory() as folder:
            # In its folder, so that outputs name the program and not the file.
            path = self.name if self.name.isidentifier() else "program"
            pathlib.Path(folder, path).write_bytes(self.artifact)
            ended = subprocess.run(
                [
                    *(command_path(), name, path, *words),
                    *("--target", self.machine, "--precision", self.precision),
                ],
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
            )
        if ended.returncode:
            why = (
                ended.stderr.strip().removeprefix("systole: error: ").replace(f"{path}: ", "")
                or f"exit code {ended.returncode}"
            )
            raise RuntimeError(f"no report for {self.machine}: {with_shown_paths(why)}")
        return ended.stdout

    def explain(self, kernels: int) -> Explanation:
        """By `systole explain`."""
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "explanation.json"
            text = self.command("explain", "--kernels", str(kernels), "--json", data, *self.trips())
            return Explanation(text, json.loads(data.read_text()))


def predict(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    target: str | os.PathLike[str] | None,
    precision: str | None,
    assume_trips: int,
) -> Report:
    """The report of a call for a target, by `systole run --timing-only`."""
    source = Source.of(function, args, kwargs, target=target, precision=precision, assume_trips=assume_trips)
    line = json.loads(source.command("run", "--timing-only", "--report", "json", *source.trips()))
    run = Run.from_json({**line, "program": source.name or line["program"], "device": 0, "program_id": 0})
    return Report((run,), (Memory.from_json(line["memory"]),), source.explain)


def explainer(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[int], Explanation]:
    """Explains calls of a function with such arguments, which are not kept."""
    shapes, named = _shapes_of((args, kwargs))
    return lambda kernels: Source.of(function, shapes, named).explain(kernels)


def _shapes_of(values: Any) -> Any:
    import jax
    import numpy as np

    def shape_of(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return jax.ShapeDtypeStruct(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype))
        if isinstance(leaf, jax.Array):
            return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.aval.weak_type)
        return leaf

    return jax.tree.map(shape_of, values)


def _one_core(target: str) -> str:
    """A machine without the number of cores of a slice, which are separate devices; or the path of a description."""
    return os.path.abspath(target) if os.path.exists(target) else re.sub(r"-\d+$", "", target)


def _is_divided(text: str) -> bool:
    """Whether a module is one for several devices."""
    count = re.search(r"mhlo.num_partitions = (\d+)", text.partition("{")[2].partition("}")[0])
    return count is not None and int(count.group(1)) > 1


def _module_name(text: str) -> str:
    """The name behind `module @`, "" for none."""
    _, found, rest = text.partition("module @")
    return rest.split(maxsplit=1)[0] if found else ""


def is_abstract(values: Any) -> bool:
    """Whether some array of a tree has a shape only."""
    import jax

    leaves = jax.tree.leaves(values)
    return any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves)
