"""The answers of callbacks, for commands that run a program again without them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import contextlib
import inspect
import json
import pathlib
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from systole._library import Library, loaded_libraries

if TYPE_CHECKING:
    import jax


def run_with_host(
    lowered: jax.stages.Lowered, args: tuple[Any, ...], kwargs: dict[str, Any], folder: pathlib.Path
) -> tuple[str, ...]:
    """Runs a program once on JAX's device, if it has callbacks, and records what they answer in the folder.

    Returns the options of commands for it. The file `breakpoints.json` is there if it has called
    `jax.debug.breakpoint`. A run that fails has the answers up to there, and its error is a warning.
    Arguments are not donated.
    """
    import jax

    # JAX has no public name for the callbacks of a program.
    if not getattr(lowered._lowering, "compile_args", {}).get("host_callbacks"):
        return ()
    compiled = lowered.compile()
    file = folder / "answers.npz"
    libraries = loaded_libraries()
    for library in libraries:
        library.record_answers(True)
    try:
        with _breakpoints(libraries) as breakpoints:
            args, kwargs = _kept(lowered, args, kwargs)
            try:
                jax.block_until_ready(compiled(*args, **kwargs))
                jax.effects_barrier()
            except jax.errors.JaxRuntimeError as error:
                # The last line says what the callback has raised.
                reason = str(error).strip().splitlines()[-1]
                warnings.warn(f"the run with callbacks ended early: {reason}", RuntimeWarning, stacklevel=4)
        for library in libraries:
            library.write_answers(file)
    finally:
        for library in libraries:
            library.record_answers(False)
    if breakpoints:
        folder.joinpath("breakpoints.json").write_text(json.dumps(list(breakpoints.values())))
    return ("--answers", str(file)) if file.exists() else ("--discard-sends",)


def _kept(lowered: jax.stages.Lowered, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call, of which the donated ones are copies."""
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda info, leaf: jnp.copy(leaf) if info.donated else leaf, lowered.args_info, (args, kwargs))


def _names_of(arrays: Sequence[Any], frames: Any) -> list[str]:
    """The variables that have these arrays, of the innermost frame that has one; "" for none."""
    import jax

    names: dict[int, str] = {}
    for frame in frames:
        for variable, value in frame.locals.items():
            for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
                names.setdefault(id(leaf), variable + jax.tree_util.keystr(path))
    return [names.get(id(array), "") for array in arrays]


@contextlib.contextmanager
def _breakpoints(libraries: Sequence[Library]) -> Iterator[dict[int, Any]]:
    """Calls of `jax.debug.breakpoint` within, where JAX's own debuggers do not start.

    By the channel of its last operand: the line, the channels and the local variables that have these operands.
    """
    # JAX has no public way to replace its debuggers.
    from jax._src.debugger import core

    found: dict[int, Any] = {}

    def note(frames: Any, thread_id: int | None, **_: Any) -> None:
        caller = inspect.currentframe()
        caller = caller and caller.f_back
        sent = caller.f_locals.get("flat_args", ()) if caller else ()
        last = max(library.sending_channel() for library in libraries)
        # JAX numbers the operands of a callback one after the other; one without operands has a dummy.
        channels = range(last - max(1, len(sent)) + 1, last + 1)
        line = f"{frames[0].filename}:{frames[0].lineno}"
        if last >= 0:
            found[last] = {"line": line, "channels": list(channels), "names": _names_of(sent, frames)}

    registry = core._debugger_registry
    present = dict(registry)
    registry.update({name: (priority, note) for name, (priority, _) in present.items()})
    try:
        yield found
    finally:
        registry.clear()
        registry.update(present)
