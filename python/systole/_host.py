"""What callbacks answer a program, for commands that run it again without them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import contextlib
import inspect
import pathlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from systole._library import loaded_libraries

if TYPE_CHECKING:
    import jax


@dataclass(frozen=True, slots=True)
class HostRun:
    """A run of a program with its callbacks."""

    words: tuple[str, ...]  # options of the command, for its answers
    breakpoints: Mapping[str, tuple[str, ...]]  # by "model.py:12", where `jax.debug.breakpoint` was called, its locals

    def commands(self) -> list[str]:
        """Of the debugger: breakpoints at these lines, and the names of what they send."""
        breaks = [f"break send {line}" for line in self.breakpoints]
        return breaks + [f"locals {line} {', '.join(names)}" for line, names in self.breakpoints.items() if any(names)]


def run_with_host(
    lowered: jax.stages.Lowered, args: tuple[Any, ...], kwargs: dict[str, Any], folder: pathlib.Path
) -> HostRun:
    """Runs a program once on JAX's device, if it has callbacks, and records what they answer in the folder.

    A run that fails has the answers up to there, and its error is a warning. Arguments are not donated.
    """
    import jax

    # JAX has no public name for the callbacks of a program.
    if not getattr(lowered._lowering, "compile_args", {}).get("host_callbacks"):
        return HostRun((), {})
    compiled = lowered.compile()
    file = folder / "answers.npz"
    libraries = loaded_libraries()
    for library in libraries:
        library.record_answers(True)
    try:
        with _breakpoints() as breakpoints:
            args, kwargs = _kept(lowered, args, kwargs)
            try:
                jax.block_until_ready(compiled(*args, **kwargs))
                jax.effects_barrier()
            except jax.errors.JaxRuntimeError as error:
                # The last line says what the callback has raised.
                reason = str(error).strip().splitlines()[-1]
                warnings.warn(f"the run with callbacks ended early: {reason}", RuntimeWarning, stacklevel=4)
        receives = any(library.write_answers(file) is None for library in libraries)
    finally:
        for library in libraries:
            library.record_answers(False)
    words = ("--answers", str(file)) if receives else ("--discard-sends",)
    return HostRun(words, breakpoints)


def _kept(lowered: jax.stages.Lowered, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call, of which the donated ones are copies."""
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda info, leaf: jnp.copy(leaf) if info.donated else leaf, lowered.args_info, (args, kwargs))


def _names_of(arrays: Sequence[Any], frames: Any) -> tuple[str, ...]:
    """The variables that have these arrays, of the innermost frame that has one; "" for none."""
    import jax

    names: dict[int, str] = {}
    for frame in frames:
        for variable, value in frame.locals.items():
            for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
                name = variable + jax.tree_util.keystr(path)
                if "," not in name:
                    names.setdefault(id(leaf), name)
    return tuple(names.get(id(array), "") for array in arrays)


@contextlib.contextmanager
def _breakpoints() -> Iterator[dict[str, tuple[str, ...]]]:
    """The lines at which `jax.debug.breakpoint` is called within, where JAX's own debuggers do not start.

    With the names of the local variables whose arrays a breakpoint sends, in their order.
    """
    # JAX has no public way to replace its debuggers.
    from jax._src.debugger import core

    lines: dict[str, tuple[str, ...]] = {}

    def note(frames: Any, thread_id: int | None, **_: Any) -> None:
        caller = inspect.currentframe()
        caller = caller and caller.f_back
        sent = caller.f_locals.get("flat_args", ()) if caller else ()
        lines[f"{frames[0].filename}:{frames[0].lineno}"] = _names_of(sent, frames)

    registry = core._debugger_registry
    present = dict(registry)
    registry.update({name: (priority, note) for name, (priority, _) in present.items()})
    try:
        yield lines
    finally:
        registry.clear()
        registry.update(present)
