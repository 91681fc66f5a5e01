#!/usr/bin/env python3
"""Both executors of the emulator on the models' programs: whether a state differs, and how much plans compute.

    benchmarks/emulation/lockstep.py [--models REGEX] [--targets v2 v3 ...] [--steps 60] [--threads 2] [--all]

Compiles each model at small size for each target. `build/test/unit/LockstepPrograms` runs it with the interpreter and
with plans, on random numbers: to the end, and in steps with a snapshot of the machine after each, at random cycles.
Prints what differs, and for each program the share of its instructions whose cells plans computed in a third run; the
cells of others were computed one by one; and the plans' number, memory and time. Exits with 1 if anything differs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks/models")]

from models import MODELS, lowered  # noqa: E402  (found through the line above)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--models", default="", help="those whose name has a match")
    parser.add_argument("--targets", nargs="+", default=("v2", "v3", "v4", "v5e", "v6e"))
    parser.add_argument("--full", action="store_true", help="at real size")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="plans for all parts of blocks, whether they pay or not")
    options = parser.parse_args()
    parts = "all" if options.all else "paying"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, model in MODELS.items():
            if not re.search(options.models, name):
                continue
            function, args = model("full" if options.full else "small")
            source = folder / "program.mlir"
            source.write_text(lowered(function, args).as_text())
            for target in options.targets:
                program = folder / f"{re.sub('[^A-Za-z0-9]+', '-', name)}-{target}.sysx"
                compile_ = [options.build / "bin/systole", "compile", source, "--target", target, "-o", program]
                subprocess.run(compile_, check=True, capture_output=True)
                tool = [options.build / "test/unit/LockstepPrograms", options.steps, options.threads, parts, program]
                done = subprocess.run([str(word) for word in tool], capture_output=True, text=True)
                failed += done.returncode != 0
                print(
                    (done.stdout.replace(f"{folder}/", "").rsplit("\n", 2)[0] + "\n" + done.stderr).strip(), flush=True
                )
                program.unlink()
    print(f"{failed} programs differ")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
