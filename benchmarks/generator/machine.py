"""Compiles a program for a target and runs it on the emulated machine: what came of it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import resource
import signal
import subprocess

import ml_dtypes
import numpy as np

TRIPS = 2  # assumed of loops whose number of trips is unknown
REFUSAL = "the verifier refused"
LIMITS = {"compile": 60, "run": 120}  # in seconds of the processor, whatever else it does


@dataclasses.dataclass
class Outcome:
    """Of a program on a target. `kind` is empty if all is well, else what went wrong."""

    target: str
    kind: str = ""  # refused, unverified, trap, crash, slow, wrong
    message: str = ""
    compile_seconds: float = 0.0
    run_seconds: float = 0.0
    passes: dict = dataclasses.field(default_factory=dict)  # whether each changed the program


def kind_of(done, stage):
    if done.returncode == -signal.SIGXCPU:
        return "slow"
    if done.returncode not in (0, 1):
        return "crash"
    return {"compile": "refused", "run": "trap"}[stage]


def message_of(done, stage):
    if done.returncode == -signal.SIGXCPU:
        return f"{stage}: more than {LIMITS[stage]} s"
    lines = done.stderr.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else f"exit code {done.returncode}")


def processor_seconds():
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tool(outcome, stage, command):
    """Whether the tool succeeded; notes what it did. A program that a verifier refused with optimizations across
    kernels is compiled without them, and counts as unverified."""
    before = processor_seconds()
    command = ["prlimit", f"--cpu={LIMITS[stage]}:{LIMITS[stage] + 1}", *map(str, command)]
    done = subprocess.run(command, capture_output=True, text=True)
    setattr(outcome, f"{stage}_seconds", processor_seconds() - before)
    if done.returncode:
        outcome.kind, outcome.message = kind_of(done, stage), message_of(done, stage)
    elif REFUSAL in done.stderr:
        outcome.kind, outcome.message = "unverified", done.stderr.strip().splitlines()[0]
    return done.returncode == 0


def passes_of(path):
    """{pass: whether it changed the program, in any of its runs}."""
    changed = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        name, what = line.split()
        changed[name] = changed.get(name, False) or what == "changed"
    return changed


def run(systole, folder, target, precision, has_data, notes_passes=False):
    """Runs program.mlir of a folder, with the data of args.npz or for timing: the Outcome, and the results if any."""
    outcome, program, changes = Outcome(target), folder / "program.sysx", folder / "passes.txt"
    machine = ["--target", target, "--precision", precision]
    command = [systole, "compile", folder / "program.mlir", "-o", program, *machine]
    if notes_passes:
        command += ["--pass-changes", changes]
    is_compiled = tool(outcome, "compile", command)
    if notes_passes:
        outcome.passes = passes_of(changes)
    if not is_compiled:
        return outcome, None
    out = folder / "out.npz"
    how = ["--args", folder / "args.npz", "--out", out]
    if not has_data:
        how = ["--timing-only", "--assume-trips", TRIPS, "--report-file", folder / "report.json"]
    if not tool(outcome, "run", [systole, "run", program, "--target", target, *how]) or not has_data:
        return outcome, None
    with np.load(out) as archive:
        arrays = [archive[f"out{i}"] for i in range(len(archive.files))]
    # A bf16 array is stored as raw pairs of bytes.
    return outcome, [a.view(ml_dtypes.bfloat16) if a.dtype.kind == "V" else a for a in arrays]
