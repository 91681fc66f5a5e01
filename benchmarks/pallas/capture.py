"""Captures the Mosaic modules of Pallas: every distinct kernel that JAX's tests of Pallas, its library of kernels
and its documentation lower for a TPU.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax
    pip install hypothesis
    python benchmarks/pallas/capture.py jax --out build/pallas/modules [--files tpu_ops_test ...] [--targets v5e v6e]
    python benchmarks/pallas/inventory.py build/pallas/modules

Tests run with stand-ins in the place of compiled programs (stand_in.py): nothing but lowering takes place, and each
test continues to its end, whatever it computes. Of each kernel the folder gets NAME.v15.mlirbc, its module in the
newest version of the format, NAME.v11.mlirbc in the one of exported programs, and NAME.json: the rest of the custom
call. A run that was interrupted continues where it was.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import runner


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    runner.add_options(parser)
    parser.set_defaults(files=[*runner.FILES, "library_test"])
    parser.add_argument("--out", type=pathlib.Path, default=runner.ROOT / "build/pallas/modules")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    def capture(name):
        """A file of tests on each target, one after the other: they add to the same modules."""
        here = runner.HERE / f"{name}.py"
        path = here if here.exists() else options.jax / f"tests/pallas/{name}.py"
        records = options.out.with_name(options.out.name + "-records")
        return {
            target: runner.File(
                options,
                target,
                path,
                records / target / f"{name}.jsonl",
                PALLAS_LOWERED_ONLY=1,
                PALLAS_MODULES=options.out.resolve(),
            ).run()
            for target in options.targets
        }

    print("| file | target | tests | with kernels | kernels lowered | skipped | failed |")
    print("|---|---|---|---|---|---|---|")
    with ThreadPoolExecutor(options.processes) as pool:
        for name, targets in zip(options.files, pool.map(capture, options.files)):
            for target, entries in targets.items():
                counts = collections.Counter(entry["outcome"] for entry in entries.values())
                kernels = [entry.get("kernels", 0) for entry in entries.values()]
                failed = len(entries) - counts["passed"] - counts["skipped"]
                cells = [name, target, len(entries), sum(map(bool, kernels)), sum(kernels), counts["skipped"], failed]
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    print(f"\n{len(list(options.out.glob('*.json')))} distinct kernels in {options.out}")


if __name__ == "__main__":
    sys.exit(main())
