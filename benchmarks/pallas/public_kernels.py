"""Runs Pallas kernels of public projects, unchanged, on an emulated TPU and compares their results with others.

    python benchmarks/pallas/public_kernels.py --checkouts DIR [--kernels NAME ...] [--target v5e] [--seconds 120]

DIR has a folder for each project, named as it: a clone at the commit that public_cases.py says, or an archive of it.
Files of kernels are imported as they are. Packages whose __init__.py imports a whole framework, and a logger, are
replaced by empty modules (Project.empty). Beside JAX and Flax, projects need pydantic, jaxtyping and wadler_lindig
(tokamax), einops (recurrentgemma) and treescope (qwix).

Each kernel runs in a process of its own, within a time limit. Its results have to be as close to a reference, which
NumPy computes in float64 from the same arguments, as its case says. Cycles and time are those of the program that one
call is, on the emulated device. The exit code is 1 if a result is wrong.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import importlib
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback
import types

import public_cases

ROOT = pathlib.Path(__file__).resolve().parents[2]


def add_options(parser):
    parser.add_argument("--checkouts", type=pathlib.Path, required=True, help="a folder with one of each project")
    parser.add_argument("--kernels", nargs="+", default=list(public_cases.CASES), metavar="NAME")
    parser.add_argument("--target", default="v5e")
    parser.add_argument("--plugin", type=pathlib.Path, default=ROOT / "build/lib/libsystole_pjrt.so")
    parser.add_argument("--seconds", type=int, default=120, help="of a kernel (120)")
    parser.add_argument("--json", type=pathlib.Path, help="writes the rows here, too")
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)


class Logger(logging.Logger):
    """The additional methods of vLLM's loggers."""

    warning_once = info_once = logging.Logger.debug


def load(checkouts, case):
    """The module of a kernel."""
    for name in case.projects:
        project = public_cases.PROJECTS[name]
        clone, folder = checkouts / name, checkouts / name / project.folder
        if not folder.is_dir():
            raise FileNotFoundError(f"{clone}: git clone {project.url}, git checkout {project.commit}")
        if (clone / ".git").exists():
            head = subprocess.run(
                ["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True
            ).stdout.strip()
            if head != project.commit:
                raise RuntimeError(f"{clone} is at {head}, not at {project.commit}")
        sys.path.insert(0, str(folder))
        for name in project.empty:
            module = sys.modules[name] = types.ModuleType(name)
            module.__path__ = [str(folder / name.replace(".", "/"))]
            module.init_logger = Logger
    return importlib.import_module(case.module)


def run_here(options):
    """Runs one kernel in this process; the row of the table as a dict."""
    import jax
    import numpy as np
    import systole

    case = public_cases.CASES[options.kernels[0]]
    call, operands, reference = case.make(load(options.checkouts.resolve(), case))
    shapes = [f"{each.dtype}{list(each.shape)}".replace(" ", "") for each in jax.tree.leaves(operands)]
    with systole.record() as recording:
        results = jax.block_until_ready(jax.jit(call)(*operands))
    report = recording.report()
    error = 0.0
    for result, expected in zip(jax.tree.leaves(results), jax.tree.leaves(reference(*operands)), strict=True):
        result = np.asarray(result).astype(np.float64)
        expected = np.asarray(expected, np.float64)
        if result.shape != expected.shape or not np.isfinite(result).all():
            raise AssertionError(f"{result.shape} instead of {expected.shape}, or infinite")
        error = max(error, np.abs(result - expected).max() / np.abs(expected).max())
    row = {
        "error": float(error),
        "cycles": report.cycles,
        "ms": report.device_seconds * 1e3,
        "shapes": " ".join(shapes),
    }
    return row | {"result": "ok" if error <= case.tolerance else "WRONG"}


def environment(options):
    path = [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "JAX_PLATFORMS": "tpu,cpu",
        "TPU_LIBRARY_PATH": str(options.plugin.resolve()),
        "TPU_SKIP_MDS_QUERY": "1",
        "SYSTOLE_TARGET": options.target,
        "SYSTOLE_CACHE": "",
        "SYSTOLE_PROGRESS": "0",
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(options, name):
    """Runs one kernel in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        row = pathlib.Path(folder) / "row.json"
        command = [sys.executable, __file__, "--checkouts", options.checkouts, "--kernels", name, "--one", row]
        try:
            process = subprocess.run(
                command, env=environment(options), capture_output=True, text=True, timeout=options.seconds
            )
        except subprocess.TimeoutExpired:
            return {"result": f"more than {options.seconds} s"}
        if row.exists():
            return json.loads(row.read_text())
        return {"result": f"exit code {process.returncode}: {' '.join(process.stderr.split())[-200:]}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    options = parser.parse_args()
    if options.one:
        try:
            row = run_here(options)
        except Exception as error:
            traceback.print_exc()
            text = " ".join(str(error).replace(f"{options.checkouts.resolve()}/", "").split())
            row = {"result": f"{type(error).__name__}: {text[:300]}"}
        options.one.write_text(json.dumps(row))
        return 0
    columns = ["project", "commit", "kernel", "operands", "max error", "allowed", "cycles", "ms", "result"]
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    rows = []
    for name in options.kernels:
        case = public_cases.CASES[name]
        row = run(options, name)
        rows.append({"kernel": name, "target": options.target, **row})
        commit = public_cases.PROJECTS[case.projects[0]].commit[:10]
        cells = [case.projects[0], commit, name, row.get("shapes", ""), f"{row['error']:.1e}" if "error" in row else ""]
        cells += [f"{case.tolerance:.0e}", f"{row['cycles']:,}" if "cycles" in row else ""]
        cells += [f"{row['ms']:.3f}" if "ms" in row else "", row["result"].replace("|", "\\|")]
        print("| " + " | ".join(cells) + " |", flush=True)
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return 1 if any(row["result"] == "WRONG" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
