#!/usr/bin/env python3
"""Writes the training step of dense.py as StableHLO, to dense.mlir beside it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import pathlib
import re

import jax
import jax.numpy as jnp

import dense

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS, IMAGES, LABELS = (256, 10), (512, 256), (512, 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "dense.mlir")
    options = parser.parse_args()
    # Paths of locations start at the repository.
    root = re.escape(str(HERE.parents[1]) + "/")
    jax.config.update("jax_hlo_source_file_canonicalization_regex", root)
    jax.config.update("jax_platforms", "cpu")
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in (WEIGHTS, IMAGES, LABELS)]
    program = jax.jit(dense.train_step).lower(*arguments)
    options.out.write_text(program.as_text(debug_info=True))


if __name__ == "__main__":
    main()
