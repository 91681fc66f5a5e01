"""Runs the tool `systole` from the command line: text and arrays in files, results from a file.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The directory of the tools is in the environment variable SYSTOLE_BIN.
"""

import os
import pathlib
import subprocess
import zlib

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SYSTOLE_BIN", ROOT / "build/bin")).resolve()
TIMEOUT = 60

ELEMENT_TYPES = {
    "f32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "ui8": np.dtype(np.uint8),
    "ui16": np.dtype(np.uint16),
    "ui32": np.dtype(np.uint32),
    "i64": np.dtype(np.int64),
    "ui64": np.dtype(np.uint64),
}
MLIR_NAMES = {dtype: name for name, dtype in ELEMENT_TYPES.items()}


# The built-in machines, and one that nobody has.
TARGETS = ("v2", "v3", "v4", "v5e", "v6e", str(ROOT / "test/e2e/targets/made-up.textproto"))


def rotated_target():
    """A built-in machine for the running test: by a hash of its name, so that all tests together cover
    all machines, in the time of one, and each repeats its own. The one that nobody has is too small
    for large arrays; test_targets.py has programs for it."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" ", 1)[0].rsplit("/", 1)[-1]
    return TARGETS[zlib.crc32(name.encode()) % (len(TARGETS) - 1)]


def tensor_type(shape, dtype):
    """The MLIR type of an array, as in tensor<2x3xf32>."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{MLIR_NAMES[np.dtype(dtype)]}>"


def systole(*words, timeout=TIMEOUT, **options):
    """Runs the tool to its end; a CompletedProcess with its text. No program may be one for which the
    compiler's verifier refuses optimizations across kernels."""
    done = subprocess.run(
        [str(BIN / "systole"), *map(str, words)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        **options,
    )
    assert "the verifier refused" not in done.stderr, done.stderr
    return done


def save_args(path, args):
    np.savez(path, **{f"arg{number}": np.asarray(arg) for number, arg in enumerate(args)})


def load_results(path):
    """out0, out1, ... of an .npz. A bf16 array is stored as raw pairs of bytes."""
    with np.load(path) as archive:
        names = [f"out{number}" for number in range(len(archive.files))]
        assert sorted(archive.files) == sorted(names), f"{path} holds {archive.files}"
        raw = [archive[name] for name in names]
    return [array.view(ml_dtypes.bfloat16) if array.dtype == "V2" else array for array in raw]


def systole_run(text, args, directory, *, target=None, precision="highest", options=(), timeout=TIMEOUT):
    """The results of a StableHLO program's @main on NumPy arguments, as NumPy arrays, on a machine
    of its own for each test unless `target` names one.

    Writes program and arguments into `directory` and leaves them there, so that a failure
    can be repeated by hand.
    """
    program, inputs, outputs = (directory / n for n in ("program.mlir", "args.npz", "out.npz"))
    program.write_text(text)
    save_args(inputs, args)
    target = target or rotated_target()
    print(f"target {target}")  # shown if the test fails
    words = ["run", program, "--args", inputs, "--out", outputs]
    how = ["--target", target, "--precision", precision, *options]
    done = systole(*words, *how, timeout=timeout)
    assert done.returncode == 0, f"exit code {done.returncode} of {words}:\n{done.stderr[-4000:]}"
    return load_results(outputs)
