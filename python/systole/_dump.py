"""Every level of a function's compilation, as files.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

from systole._library import built_file
from systole._lowering import artifact_of, lower, precision_of

INPUT = "00-input.mlir"
ARTIFACT = "00-input.mlirbc"
PROGRAM = "program.sysx"


def dump_ir(
    function: Callable[..., Any],
    /,
    *args: Any,
    directory: str | os.PathLike[str],
    **kwargs: Any,
) -> pathlib.Path:
    """Compiles a function for the chosen machine and writes the IR after each pass.

    `args` and `kwargs` are arrays or `jax.ShapeDtypeStruct`s; nothing runs. The directory, which is
    made if it is missing, gets `00-input.mlir` (StableHLO as JAX lowers it), `00-input.mlirbc` (the
    same as passed to the plugin, for `systole compile`), a numbered file for each pass,
    `program.sysasm` (the disassembly) and `program.sysx` (for `systole run` and `systole objdump`).
    Target and precision are those of `set_target()` and `set_precision()`, unless the `jit` has a
    precision of its own.

    Returns the directory. RuntimeError, with the compiler's message, if the function does not
    compile: the files up to the failing pass are written.
    """
    lowered = lower(function, args, kwargs)
    folder = pathlib.Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INPUT).write_text(lowered.as_text(debug_info=True))
    (folder / ARTIFACT).write_bytes(artifact_of(lowered))
    command: list[str | pathlib.Path] = [
        *(built_file("bin/systole"), "compile", folder / ARTIFACT, "-o", folder / PROGRAM),
        *("--dump-ir", folder, "--target", os.environ.get("SYSTOLE_TARGET") or "v3"),
        *("--precision", precision_of(lowered)),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip() or f"systole compile ended with {ended.returncode}")
    return folder
