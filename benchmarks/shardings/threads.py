#!/usr/bin/env python3
"""Random sharded programs on 1 and 2 threads of the host: the same bits and cycles. And how much faster 2 are.

    benchmarks/shardings/threads.py [--programs 100] [--seed 0] [--rounds 3] [--systole build/bin/systole]

Compares all parts of all results, and reports but for times of this host. The speed is that of training steps of two
convolutional networks on all eight cores, the best of --rounds, without compilation.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import random_jax  # noqa: F401 Before JAX is: it asks for eight devices.

import jax
import jax.numpy as jnp
import numpy as np
from execution import values
from jax import lax
from jax.sharding import PartitionSpec as P
from models import MODELS, Program, mesh_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(systole, program, folder, threads):
    """(the bytes of the results by core, the report) of a program of the folder with its arguments."""
    out = folder / f"out{threads}.npz"
    command = [systole, "run", program, "--target", "v3-8", "--args", folder / "in.npz", "--out", out, "--shards"]
    command += ["--report", "json", "--threads", str(threads)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    with np.load(out) as arrays:
        results = {name: (arrays[name].dtype, arrays[name].shape, arrays[name].tobytes()) for name in arrays}
    return results, json.loads(done.stdout)


def save(folder, arrays):
    np.savez(folder / "in.npz", **{f"arg{i}": array for i, array in enumerate(arrays)})


def differs(seed, systole):
    """Whether a program's results or report differ; None if the seed makes no program."""
    function, shapes, _ = random_jax.function(seed, jax.devices())
    try:
        lowered = jax.jit(function, keep_unused=True).lower(*shapes)
    except (TypeError, ValueError, NotImplementedError):
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.mlir").write_text(lowered.as_text())
        save(folder, values(shapes, seed))
        pairs = [run(systole, folder / "program.mlir", folder, threads) for threads in (1, 2)]
    for _, report in pairs:
        for key in ("compile_seconds", "emulate_seconds"):
            report.pop(key)
    return pairs[0] != pairs[1]


def cnn(devices=None):
    """Two convolutions with normalization over the whole batch, and a dense layer: 32 images of 32 x 32."""
    shapes = {"a": (3, 3, 3, 32), "b": (3, 3, 32, 64), "dense": (16 * 16 * 64, 10)}

    def loss(values, images, labels):
        x = images
        for name, stride in (("a", 1), ("b", 2)):
            x = lax.conv_general_dilated(x, values[name], (stride, stride), "SAME",
                                         dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu((x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5))
        logits = jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ values["dense"])
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

    return Program(loss, mesh_of(devices, data=8), shapes, lambda name, shape: P(), ((32, 32, 32, 3), P("data")),
                   ((32,), P("data"), jnp.int32, 10))


def seconds(name, program, systole, rounds):
    """Prints the times of a step on 1 and 2 threads; whether anything differs."""
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        (folder / "program.mlir").write_text(program.lowered())
        compiled = folder / "program.sysx"
        subprocess.run([systole, "compile", folder / "program.mlir", "--target", "v3-8", "-o", compiled], check=True)
        save(folder, jax.tree.leaves(program.draw()))
        best, results = {}, []
        for _ in range(rounds):
            for threads in (1, 2):
                result, report = run(systole, compiled, folder, threads)
                best[threads] = min(best.get(threads, np.inf), report["emulate_seconds"])
                results.append((result, report["cycles"]))
    print(f"{name}: {best[1] * 1e3:,.0f} ms on 1 thread, {best[2] * 1e3:,.0f} on 2: {best[1] / best[2]:.2f} times; "
          f"{results[0][1]:,} cycles", flush=True)
    return any(result != results[0] for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    different, made, seed = [], 0, options.seed
    while made < options.programs:
        outcome = differs(seed, options.systole)
        if outcome is not None:
            made += 1
            if outcome:
                different.append(seed)
        seed += 1
    print(f"{made - len(different)} of {made} programs have the same bits and cycles on 1 and 2 threads", *different)
    fails = [seconds("CNN step, batch 32", cnn(), options.systole, options.rounds),
             seconds("ResNet step, batch 16", MODELS["resnet"](), options.systole, options.rounds)]
    return int(bool(different) or any(fails))


if __name__ == "__main__":
    sys.exit(main())
