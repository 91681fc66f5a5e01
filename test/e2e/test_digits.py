"""The demo's training run: against JAX, at both ends of precision, and its script's output.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from systole_cli import BIN, ROOT, load_results, systole

DIGITS = ROOT / "examples/digits"
TIMEOUT = 300


@pytest.fixture(params=["cnn", "mlp"])
def model(request):
    """The folder of a model's program, inputs and golden results."""
    return DIGITS / request.param


def train(model, directory, precision):
    out = directory / "out.npz"
    words = ["run", model / "train.mlir", "--args", model / "inputs.npz", "--out", out]
    done = systole(*words, "--target", "v3", "--precision", precision, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(out)


def test_highest_precision_follows_jax(model, tmp_path):
    """Each of the 440 losses within 1e-3 of JAX's, and the trained parameters close to JAX's."""
    golden = load_results(model / "golden.npz")
    losses, train_accuracy, test_accuracy, *params = train(model, tmp_path, "highest")
    assert losses.shape == (20, 22)
    np.testing.assert_allclose(losses, golden[0], rtol=1e-3)
    np.testing.assert_allclose(train_accuracy, golden[1], atol=2 / 1437)
    assert abs(test_accuracy - golden[2]) <= 1.5 / 360
    for got, wanted in zip(params, golden[3:], strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-3 * np.abs(wanted).max())


def test_default_precision_learns_as_well(tmp_path):
    """The perceptron; the convolutional network's run is the demo's."""
    golden = load_results(DIGITS / "mlp/golden.npz")
    losses, _, test_accuracy, *_ = train(DIGITS / "mlp", tmp_path, "default")
    assert test_accuracy >= 0.96
    assert abs(test_accuracy - golden[2]) <= 0.01
    assert losses[-1].mean() < 0.1 * losses[0].mean()


def test_demo_prints_its_figures(tmp_path):
    script = [sys.executable, DIGITS / "demo.py", "--systole", BIN / "systole", "--out", tmp_path]
    done = subprocess.run(script, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    losses = re.findall(r"^ +\d+  (\d\.\d{4}) +[01]\.\d{4}$", text, re.MULTILINE)
    assert len(losses) == 20 and float(losses[-1]) < 0.1 * float(losses[0])
    accuracy = float(re.search(r"^test accuracy ([01]\.\d+)", text, re.MULTILINE)[1])
    assert accuracy >= 0.96
    assert abs(accuracy - load_results(DIGITS / "cnn/golden.npz")[2]) <= 0.01
    for row in ("predicted time", "emulation time", "MXU utilisation", "HBM read", "preemptible"):
        assert row in text
    # Three kernels, each with a line of the Python source that exists.
    kernels = re.findall(r"^   examples/digits/(\w+\.py):\d+\S*  (.+)$", text, re.MULTILINE)
    assert len(kernels) == 3
    for file, line in kernels:
        assert line in (DIGITS / file).read_text()


def test_committed_program_is_the_export(model, tmp_path):
    script = [sys.executable, DIGITS / "export.py", model.name, "--out", tmp_path]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    subprocess.run(script, check=True, capture_output=True, env=environment, timeout=TIMEOUT)
    assert (tmp_path / "train.mlir").read_text() == (model / "train.mlir").read_text()
    with np.load(tmp_path / "inputs.npz") as new, np.load(model / "inputs.npz") as old:
        assert all((new[name] == old[name]).all() for name in old.files)
    exported = load_results(tmp_path / "golden.npz")
    for new, old in zip(exported, load_results(model / "golden.npz"), strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-5)


def test_committed_program_names_no_path_outside_the_repository(model):
    text = (model / "train.mlir").read_text()
    sources = {f"examples/digits/{name}.py" for name in (model.name, "training", "export")}
    assert set(re.findall(r'"([^"]*\.py)"', text)) == sources
