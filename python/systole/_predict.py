"""Reports without running: a program is compiled and timed, without data.

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
from typing import Any

from systole._library import command_path
from systole._lowering import artifact_of, lower, precision_of
from systole._memory import Memory
from systole._report import Report, Run


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
    lowered = lower(function, args, kwargs)
    machine = _one_core(os.fspath(target or os.environ.get("SYSTOLE_TARGET") or "v3"))
    chosen = precision or precision_of(lowered)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "program"
        source.write_bytes(artifact_of(lowered))
        ended = subprocess.run(
            [
                *(command_path(), "run", source, "--timing-only", "--report", "json"),
                *("--target", machine, "--precision", chosen),
                *("--assume-trips", str(assume_trips)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    if ended.returncode:
        why = ended.stderr.strip().replace(f"{source}: ", "") or f"exit code {ended.returncode}"
        raise RuntimeError(f"no report for {machine}: {why}")
    line = json.loads(ended.stdout)
    name = _module_name(lowered.as_text(), line["program"])
    run = Run.from_json({**line, "program": name, "device": 0, "program_id": 0})
    return Report((run,), (Memory.from_json(line["memory"]),))


def _one_core(target: str) -> str:
    """A machine without the number of cores of a slice, which are separate devices."""
    return target if os.path.exists(target) else re.sub(r"-\d+$", "", target)


def _module_name(text: str, default: str) -> str:
    """The name behind `module @`."""
    _, found, rest = text.partition("module @")
    return rest.split(maxsplit=1)[0] if found else default


def is_abstract(values: Any) -> bool:
    """Whether some array of a tree has a shape only."""
    import jax

    leaves = jax.tree.leaves(values)
    return any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves)
