#!/usr/bin/env python3
"""Prints the cycles of a JAX expression on the emulated machine, or why it is refused.

    scripts/cycles.py 'x @ y' f32[512,256] f32[256,10]
    scripts/cycles.py 'jax.grad(lambda w: (x @ w).sum())(y)' f32[512,256] f32[256,10] --target v2

The arguments of the types that are given are x, y and z. Nothing is computed, unless --zeros asks for a
run on arguments of zeros: control flow must not depend on data. docs/limits.md shows the known limits by it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
TYPES = {
    "bool": jnp.bool_,
    "bf16": jnp.bfloat16,
    "f16": jnp.float16,
    "f32": jnp.float32,
    "c64": jnp.complex64,
    "c128": jnp.complex128,
    "f64": jnp.float64,
    **{f"i{bits}": jnp.dtype(f"int{bits}") for bits in (2, 4, 8, 16, 32, 64)},
    **{f"u{bits}": jnp.dtype(f"uint{bits}") for bits in (2, 4, 8, 16, 32, 64)},
    # "f8_e4m3fn", "f4_e2m1fn"
    **{name.replace("float", "f"): getattr(jnp, name) for name in dir(jnp) if re.match(r"float\d_", name)},
}
PLACE = re.compile(r"^systole: error: ((\S+:\d+:\d+|-): (error: )?)?")


def argument(text: str) -> jax.ShapeDtypeStruct:
    """An argument of a type that is written as in `f32[2,3]`."""
    match = re.fullmatch(r"(\w+)\[([\d,]*)\]", text)
    if match is None or match[1] not in TYPES:
        raise argparse.ArgumentTypeError(f"no type: {text}")
    return jax.ShapeDtypeStruct([int(n) for n in match[2].split(",") if n], TYPES[match[1]])


def lowered(expression: str, arguments: list[jax.ShapeDtypeStruct]) -> str:
    """StableHLO of an expression in x, y and z, as JAX lowers it for a TPU."""
    names = ", ".join("xyz"[: len(arguments)])
    scope = {"jax": jax, "jnp": jnp, "np": np, "lax": jax.lax}
    function = eval(f"lambda {names}: {expression}", scope)  # the caller's own program
    traced = jax.jit(function).trace(*arguments)
    return traced.lower(lowering_platforms=("tpu",)).as_text(debug_info=True)


def outcome(arguments: list[str], systole: str | None = None) -> str:
    """What the command prints for these arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expression")
    parser.add_argument("types", nargs="*", type=argument)
    parser.add_argument("--target", default="v3")
    parser.add_argument("--precision", default="default")
    parser.add_argument("--x64", action="store_true", help="JAX with 64-bit types")
    parser.add_argument("--zeros", action="store_true", help="compute, from arguments of zeros")
    options = parser.parse_args(arguments)
    # Build directories come last, so that an installed command is found without one.
    path = os.pathsep.join([os.environ["PATH"], str(ROOT / "build/bin")])
    systole = systole or shutil.which("systole", path=path)
    if systole is None:
        parser.error("no `systole` in PATH or build/bin")
    with jax.enable_x64(options.x64):
        program = lowered(options.expression, options.types)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        how = ["--timing-only"]
        if options.zeros:
            values = pathlib.Path(folder) / "values.npz"
            zeros = {f"arg{i}": np.zeros(a.shape, a.dtype) for i, a in enumerate(options.types)}
            np.savez(values, **zeros)
            how = ["--args", values, "--out", pathlib.Path(folder) / "results.npz"]
        done = subprocess.run(
            [systole, "run", "-", *how, "--report", "text", "--report-file", report]
            + ["--target", options.target, "--precision", options.precision],
            input=program,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            error = next((line for line in done.stderr.splitlines() if "error: " in line), done.stderr)
            return "refused: " + PLACE.sub("", error)
        return re.search(r"device time .*?([\d,]+ cycles)", report.read_text())[1]


if __name__ == "__main__":
    print(outcome(sys.argv[1:]))
