#!/usr/bin/env python3
"""What the verifiers of copies take of a compilation: systole-verify-residency and `verify copies`.

    benchmarks/verifier_time.py                    the models, at small and real size, for v3 and v5e
    benchmarks/verifier_time.py program.mlir ...   other programs

Shares are of the processor's time of the compiling process. Routines without a verdict and refused programs are listed.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SYSTOLE = ROOT / "build/bin/systole"


def models():
    """(name, text) of each model at both sizes."""
    sys.path[:0] = [str(ROOT / "benchmarks/models")]
    import jax  # noqa: PLC0415  (other programs need no JAX)
    from models import LARGE, MODELS, lowered  # noqa: PLC0415

    jax.config.update("jax_platforms", "cpu")
    for sizes, table in ((("small", "full"), MODELS), (("full",), LARGE)):
        for name, model in table.items():
            for size in sizes:
                function, args = model(size)
                yield f"{name} {size}", lowered(function, args).as_text()


def on_one_processor():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def compile_seconds(systole, path, target):
    """Seconds of the processor: all, and of both verifiers; and what is wrong."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.NamedTemporaryFile(suffix=".sysx") as program:
        command = [systole, "compile", path, "--target", target, "--timing", "-o", program.name]
        # On one processor, so that seconds of a phase are those of its threads.
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=on_one_processor)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode or "warning" in done.stderr:
        return total, 0, 0, next((line for line in done.stderr.splitlines() if "error" in line or "warning" in line), "")
    residency = float(re.search(r"systole-verify-residency +([\d.]+) ms", done.stderr)[1]) / 1e3
    copies = float(re.search(r"verify copies +([\d.]+) s", done.stderr)[1])
    unknown = int(re.search(r"(\d+) routines not verified", done.stderr)[1])
    return total, residency, copies, f"{unknown} routines not verified" if unknown else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    parser.add_argument("--systole", type=pathlib.Path, default=SYSTOLE)
    parser.add_argument("--targets", nargs="+", default=["v3", "v5e"])
    options = parser.parse_args()
    texts = ((path.name, path.read_text()) for path in options.programs) if options.programs else models()
    sums = [0.0, 0.0, 0.0]
    print(f"{'program':34} {'target':6} {'compile':>9} {'residency':>10} {'copies':>8} {'share':>7}")
    for name, text in texts:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            for target in options.targets:
                total, residency, copies, fault = compile_seconds(options.systole, file.name, target)
                sums = [a + b for a, b in zip(sums, (total, residency, copies), strict=True)]
                share = (residency + copies) / total
                print(f"{name:34} {target:6} {total:8.3f}s {residency:9.4f}s {copies:7.4f}s {share:7.1%} {fault}", flush=True)
    print(f"{'all':34} {'':6} {sums[0]:8.3f}s {sums[1]:9.4f}s {sums[2]:7.4f}s {(sums[1] + sums[2]) / sums[0]:7.1%}")


if __name__ == "__main__":
    main()
