#!/usr/bin/env python3
"""Exports the training run of a digit classifier as one StableHLO program.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Writes into the folder of the model, `cnn/` or `mlp/`:

  train.mlir  the program, `train` of training.py
  inputs.npz  arg0, arg1, ... in flattened signature order
  golden.npz  out0, out1, ... as JAX computes them on the CPU in full f32

All are committed, so that only a change of these files needs JAX.
"""

import argparse
import io
import pathlib
import re
import zipfile

import jax
import numpy as np

import cnn
import mlp
import training

HERE = pathlib.Path(__file__).resolve().parent
MODELS = {"cnn": cnn, "mlp": mlp}


def lowered(function, args):
    """A function lowered by JAX, with locations whose paths start at the repository."""
    root = re.escape(str(HERE.parents[1]) + "/")
    jax.config.update("jax_hlo_source_file_canonicalization_regex", root)
    return jax.jit(function).lower(*args)


def save_npz(path, arrays):
    """A compressed .npz whose bytes depend on the arrays alone."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--out", type=pathlib.Path, help="directory to write to")
    options = parser.parse_args()
    out = options.out or HERE / options.model
    out.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_platforms", "cpu")

    model = MODELS[options.model]
    train = training.training_run(model)
    args = training.make_inputs(model)
    program = lowered(train, args)
    (out / "train.mlir").write_text(program.as_text(debug_info=True))
    save_npz(out / "inputs.npz", {f"arg{i}": a for i, a in enumerate(jax.tree.leaves(args))})
    # On the CPU products of f32 are f32's whatever precision is requested.
    results = program.compile()(*args)
    golden = {f"out{i}": np.asarray(a) for i, a in enumerate(jax.tree.leaves(results))}
    save_npz(out / "golden.npz", golden)
    losses, train_accuracy, test_accuracy, _ = results
    for epoch in range(training.EPOCHS):
        loss = losses[epoch].mean()
        print(f"epoch {epoch + 1:2}  loss {loss:.4f}  accuracy {train_accuracy[epoch]:.4f}")
    print(f"test accuracy {test_accuracy:.4f}")


if __name__ == "__main__":
    main()
