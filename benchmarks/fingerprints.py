#!/usr/bin/env python3
"""Cycles and bits of the model suite and of random functions: whether a change of the sources changes either.

    benchmarks/fingerprints.py --systole OLD/bin/systole --out before.json
    benchmarks/fingerprints.py --against before.json

Runs each program with `systole run` for each target and records the cycles, the bundles and a SHA-256
of all results. With --against, prints the differences from a record. Exits with 1 if there are any, or
if the bits of a program depend on the target.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks/models"), str(ROOT / "test/e2e")]

from models import MODELS, lowered  # noqa: E402  (found through the line above)
from random_programs import Program  # noqa: E402


def sources(count):
    """(name, StableHLO text, arguments) of the small models and of `count` random functions."""
    for name, model in MODELS.items():
        function, args = model("small")
        yield name, lowered(function, args).as_text(debug_info=True), jax.tree.leaves(args)
    for seed in range(count):
        program = Program(seed)
        yield f"random-{seed}", program.lowered().as_text(), program.args


def digest(path):
    """SHA-256 over name, type, shape and bytes of every array of an .npz."""
    hashed = hashlib.sha256()
    with np.load(path) as archive:
        for name in sorted(archive.files):
            array = archive[name]
            hashed.update(f"{name} {array.dtype} {array.shape}\n".encode())
            hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


def measure(systole, directory, target):
    """Cycles, bundles and the digest of the results of the program in a directory."""
    out, report = (directory / f"{pathlib.Path(target).stem}{end}" for end in (".npz", ".json"))
    command = [systole, "run", directory / "program.mlir", "--args", directory / "args.npz", "--out", out]
    command += ["--target", target, "--precision", "highest", "--report-file", report]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SYSTOLE_CACHE": ""})
    if done.returncode:
        return {"error": done.stderr.strip()}
    values = json.loads(report.read_text())
    return {"cycles": values["cycles"], "bundles": values["bundles"], "results": digest(out)}


def fingerprint(systole, targets, name, text, args):
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        (directory / "program.mlir").write_text(text)
        np.savez(directory / "args.npz", **{f"arg{i}": np.asarray(arg) for i, arg in enumerate(args)})
        return name, {target: measure(systole, directory, target) for target in targets}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--random", type=int, default=300, help="number of random functions")
    parser.add_argument("--out", type=pathlib.Path, help="write the record there")
    parser.add_argument("--against", type=pathlib.Path, help="compare with this record")
    parser.add_argument("--targets", default="v2,v3", help="names, or files, separated by commas")
    options = parser.parse_args()
    targets = options.targets.split(",")
    jax.config.update("jax_platforms", "cpu")

    # Tracing is Python's and takes one thread; the runs take the other processors.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(fingerprint, options.systole, targets, *source) for source in sources(options.random)]
        record = dict(run.result() for run in runs)
    failed = [name for name, values in record.items() if any("error" in value for value in values.values())]
    print(f"{len(record)} programs for {', '.join(targets)}, {len(failed)} refused {failed or ''}")
    bits = {
        name: {value["results"] for value in values.values() if "results" in value} for name, values in record.items()
    }
    split = [name for name, found in bits.items() if len(found) > 1]
    print(f"{len(split)} programs with other bits on some target {split or ''}")
    if options.out:
        options.out.write_text(json.dumps(record, indent=1) + "\n")
    if not options.against:
        return bool(split)
    before = json.loads(options.against.read_text())
    different = [name for name in sorted(before.keys() | record) if before.get(name) != record.get(name)]
    for name in different:
        print(f"{name}: {before.get(name)} -> {record.get(name)}")
    print(f"{len(record) - len(different)} identical, {len(different)} different from {options.against}")
    return bool(different or split)


if __name__ == "__main__":
    sys.exit(main())
