"""Operations that cores execute on whole arrays, of random sharded programs and of the models, by name.

    benchmarks/shardings/whole_operations.py [--programs 300] [--seed 0] [--systole-opt build/bin/systole-opt]

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

import random_jax

import manual_models
import models

PASSES = ["--systole-import-pipeline", "--systole-refine-shapes", "--systole-propagate-shardings"]
PASSES += ["--systole-partition=remarks"]


def whole(text, systole_opt):
    """(the names of operations on whole arrays, the number of all operations) of a program."""
    done = subprocess.run([systole_opt, *PASSES], input=text, capture_output=True, text=True, check=True)
    return re.findall(r"remark: '([\w.]+)' is executed on whole arrays", done.stderr), len(re.findall(r" = ", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--systole-opt", default=pathlib.Path(__file__).parents[2] / "build/bin/systole-opt")
    options = parser.parse_args()
    counts, operations, programs = collections.Counter(), 0, 0
    for seed in range(options.seed, options.seed + options.programs):
        try:
            text = random_jax.program(seed)
        except (TypeError, ValueError, NotImplementedError):
            continue
        names, total = whole(text, options.systole_opt)
        programs += 1
        operations += total
        counts.update(names)
    print(f"{programs} random programs of {operations:,} operations: {counts.total()} on whole arrays")
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    for name, make in (models.MODELS | manual_models.MODELS).items():
        names, total = whole(make().lowered(), options.systole_opt)
        print(f"{name}: {len(names)} of {total:,}", *sorted(set(names)))


if __name__ == "__main__":
    sys.exit(main())
