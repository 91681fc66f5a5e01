#!/usr/bin/env python3
"""Cycles and bits of the model suite and of random functions: whether a change of the sources changes either.

    benchmarks/fingerprints.py --systole OLD/bin/systole --out before.json
    benchmarks/fingerprints.py --against before.json
    benchmarks/fingerprints.py --beside OLD/bin/systole

Compiles and runs each program for each target and records the cycles, the bundles and a SHA-256 of all results. With
--against, prints the differences from a record; with --beside, those of another build's emulator that runs the same
compiled programs, its reports included. Exits with 1 if there are any, or if the bits of a program depend on the
target.

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

# Entries of a report that are of this host.
HOST = ("emulate_seconds",)

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


def run(systole, program, target):
    """The report of a run of a compiled program, and the digest of its results; or an error."""
    folder = program.parent
    out, report = (folder / f"{pathlib.Path(target).stem}{end}" for end in (".npz", ".json"))
    words = [systole, "run", program, "--args", folder / "args.npz", "--out", out, "--report-file", report]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip()}
    values = json.loads(report.read_text())
    for name in HOST:
        values.pop(name, None)
    return {**values, "results": digest(out)}


def measure(systole, beside, directory, target):
    """Cycles, bundles and the digest of the results of the program in a directory, and what another emulator has
    otherwise.
    """
    program = directory / f"{pathlib.Path(target).stem}.sysx"
    words = [systole, "compile", directory / "program.mlir", "-o", program]
    words += ["--target", target, "--precision", "highest"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip()}
    values = run(systole, program, target)
    found = values if "error" in values else {name: values[name] for name in ("cycles", "bundles", "results")}
    if beside:
        others = run(beside, program, target)
        found["beside"] = [name for name in values.keys() | others if values.get(name) != others.get(name)]
    return found


def fingerprint(systole, beside, targets, name, text, args):
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        (directory / "program.mlir").write_text(text)
        np.savez(directory / "args.npz", **{f"arg{i}": np.asarray(arg) for i, arg in enumerate(args)})
        return name, {target: measure(systole, beside, directory, target) for target in targets}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--random", type=int, default=300, help="number of random functions")
    parser.add_argument("--out", type=pathlib.Path, help="write the record there")
    parser.add_argument("--against", type=pathlib.Path, help="compare with this record")
    parser.add_argument("--beside", type=pathlib.Path, help="another `systole`, which runs the same programs")
    parser.add_argument("--targets", default="v2,v3", help="names, or files, separated by commas")
    options = parser.parse_args()
    targets = options.targets.split(",")
    jax.config.update("jax_platforms", "cpu")

    # Tracing is Python's and takes one thread; the runs take the other processors.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [
            pool.submit(fingerprint, options.systole, options.beside, targets, *source)
            for source in sources(options.random)
        ]
        record = dict(run.result() for run in runs)
    failed = [name for name, values in record.items() if any("error" in value for value in values.values())]
    print(f"{len(record)} programs for {', '.join(targets)}, {len(failed)} refused {failed or ''}")
    bits = {
        name: {value["results"] for value in values.values() if "results" in value} for name, values in record.items()
    }
    split = [name for name, found in bits.items() if len(found) > 1]
    print(f"{len(split)} programs with other bits on some target {split or ''}")
    others = {
        f"{name} on {target}": value["beside"]
        for name, values in record.items()
        for target, value in values.items()
        if value.get("beside")
    }
    if options.beside:
        print(f"{len(others)} of {len(record) * len(targets)} runs are otherwise with {options.beside} {others or ''}")
    if options.out:
        options.out.write_text(json.dumps(record, indent=1) + "\n")
    if not options.against:
        return bool(split or others)
    before = json.loads(options.against.read_text())
    different = [name for name in sorted(before.keys() | record) if before.get(name) != record.get(name)]
    for name in different:
        print(f"{name}: {before.get(name)} -> {record.get(name)}")
    print(f"{len(record) - len(different)} identical, {len(different)} different from {options.against}")
    return bool(different or split or others)


if __name__ == "__main__":
    sys.exit(main())
