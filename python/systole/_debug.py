"""The debugger on the program of a call.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from systole._host import run_with_host
from systole._library import command_path
from systole._lowering import arrays_of, lower
from systole._predict import Source
from systole._text import with_shown_paths

if TYPE_CHECKING:
    from systole._settings import Precision


def debug(
    function: Callable[..., Any],
    /,
    *args: Any,
    commands: Sequence[str] | None = None,
    target: str | os.PathLike[str] | None = None,
    precision: Precision | None = None,
    **kwargs: Any,
) -> str | None:
    """Runs the program of a call, of a function that is jitted or not, in the debugger.

    The debugger reads commands from the terminal until `quit`: `help` lists them. With `commands` it
    executes these, and the call returns what they print. The program runs on the emulated machine of one
    core, in a process of its own; arguments are not donated. RuntimeError, with the message, if it does not
    compile, or for a mistake in `commands`.

    Callbacks are called once, on JAX's device before that: the debugger has their answers. It has a
    breakpoint at each line that has called `jax.debug.breakpoint`, at which `print x` shows local variables.
    """
    import numpy as np

    lowered = lower(function, args, kwargs)
    arrays = arrays_of(lowered, args, kwargs)
    source = Source.of_lowered(lowered, target=target, precision=precision)
    with tempfile.TemporaryDirectory() as folder:
        program, file = pathlib.Path(folder, source.name or "program"), pathlib.Path(folder, "args.npz")
        program.write_bytes(source.artifact)
        np.savez(file, **{f"arg{number}": array for number, array in enumerate(arrays)})
        words = ["--target", source.machine, "--precision", source.precision]
        if arrays:
            words += ["--args", os.fspath(file)]
        words += run_with_host(lowered, args, kwargs, pathlib.Path(folder))
        breakpoints = pathlib.Path(folder, "breakpoints.json")
        if breakpoints.exists():
            words += ["--breakpoints", os.fspath(breakpoints)]
        for command in commands or ():
            words += ["-e", command]
        if commands is not None:
            words.append("--batch")
        done = subprocess.run(
            [command_path(), "debug", program, *words], capture_output=commands is not None, text=True, check=False
        )
    if done.returncode:
        error = done.stderr or "the debugger has not started"  # the terminal has the message
        raise RuntimeError(with_shown_paths(error.strip().removeprefix("systole: error: ")))
    if commands is None:
        return None
    return with_shown_paths(done.stdout.rstrip("\n"))
