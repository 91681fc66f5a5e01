#!/usr/bin/env python3
"""Data-parallel training steps on v2-8 and v3-8, without data: time, images or texts a second, and exchanges.

    benchmarks/shardings/data_parallel.py [resnet50] [bert] [--targets v2-8 v3-8] [--systole build/bin/systole]

ResNet-50 has 128 images on each core in bf16, BERT-base 8 texts of 128 words; statistics of batch normalization and
gradients are those of the whole batch. For each published rate of a link: the least time of the busiest one.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
sys.path.append(str(ROOT / "benchmarks/models"))

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

import bert  # noqa: E402
import resnet50  # noqa: E402

PUBLISHED = {("resnet50", "v2-8"): 228.9, ("resnet50", "v3-8"): 137.2}  # ms, as TPU users report them
CORES = 8


def resnet():
    """(function, arguments, the number of these that are not divided, examples in a step)"""
    step, arguments = resnet50.train_bf16("full")
    return step, arguments, 3, 128 * CORES


def bert_base():
    step, arguments = bert.train("full")
    return step, arguments, 2, 8 * CORES


def lowered(function, arguments, whole, batch):
    """The text of a step whose batch is divided among all cores."""
    mesh = Mesh(np.array(jax.devices()), ("data",))

    def shape(leaf, divided):
        spec = PartitionSpec("data") if divided else PartitionSpec()
        dims = (batch, *leaf.shape[1:]) if divided else leaf.shape
        return jax.ShapeDtypeStruct(dims, leaf.dtype, sharding=NamedSharding(mesh, spec))

    size = arguments[whole].shape[0]
    shapes = [
        jax.tree.map(lambda leaf, n=n: shape(leaf, n >= whole and leaf.shape[:1] == (size,)), argument)
        for n, argument in enumerate(arguments)
    ]
    jitted = jax.jit(function, donate_argnums=range(whole))
    return jitted.trace(*shapes).lower(lowering_platforms=("tpu",)).as_text(debug_info=True)


def run(systole, path, target, *words):
    command = [systole, "run", path, "--target", target, "--timing-only", "--report", "json", *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    models = {"resnet50": resnet, "bert": bert_base}
    parser.add_argument("models", nargs="*", default=list(models))
    parser.add_argument("--targets", nargs="*", default=["v2-8", "v3-8"])
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    options = parser.parse_args()
    for name in options.models:
        function, arguments, whole, batch = models[name]()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, f"{name}.mlir")
            path.write_text(lowered(function, arguments, whole, batch))
            for target in options.targets:
                report = run(options.systole, path, target)
                milliseconds, own = report["device_seconds"] * 1e3, report["slice"]
                published = PUBLISHED.get((name, target))
                print(
                    f"{name} on {target}: {milliseconds:.1f} ms a step of {batch}"
                    + (f" (published {published})" if published else "")
                    + f", {batch / milliseconds * 1e3:,.0f} a second; compiled in {report['compile_seconds']:.1f} s"
                )
                print(
                    f"  collectives {own['collective_share']:.1%} of the cycles, {own['sent_bytes'] / 1e6:,.1f} MB sent,"
                    f" MXU {report['mxu_utilization']:.1%}"
                )
                print(
                    "  busiest link at least "
                    + ", ".join(
                        f"{bound['seconds'] * 1e3:.2f} ms at {bound['gb_per_second']:g} GB/s"
                        for bound in own["link_bounds"]
                    )
                )
                for entry in own["whole_operations"]:
                    print(f"  on whole arrays: {entry['count']} {entry['name']} {entry['source']}")


if __name__ == "__main__":
    main()
