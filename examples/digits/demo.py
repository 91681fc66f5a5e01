#!/usr/bin/env python3
"""Trains a digit classifier on the emulated machine and prints its costs.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The whole training run is one device program, cnn/train.mlir (or mlp/train.mlir), which
export.py exported from JAX. Needs Python's standard library only.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

from npz import read_npz

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODELS = {
    "cnn": "A convolutional network (Conv2D 64, MaxPooling2D, Dense 10)",
    "mlp": "An MLP (64-128-64-10)",
}


def run(systole, program, target, out, *options):
    """Runs a training program on a target; its report as a dictionary."""
    report = out / f"report-{target}.json"
    command = [systole, "run", program, "--target", target, *options]
    subprocess.run([str(word) for word in [*command, "--report", "json", "--report-file", report]], check=True)
    return json.loads(report.read_text())


def print_training(results, golden):
    """Loss and accuracy of each epoch, with JAX's results on the CPU for comparison."""
    (epochs, steps), losses = results["out0"]
    _, accuracies = results["out1"]
    print("epoch    loss  train accuracy")
    for epoch in range(epochs):
        loss = sum(losses[epoch * steps : (epoch + 1) * steps]) / steps
        print(f"{epoch + 1:5}  {loss:6.4f}  {accuracies[epoch]:14.4f}")
    accuracy, reference = results["out2"][1][0], golden["out2"][1][0]
    print(f"\ntest accuracy {accuracy:.4f} (JAX on the CPU in f32: {reference:.4f})")


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.2f} {unit}"
    return f"{value * 1e9:.0f} ns"


def size(value):
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{value / scale:.1f} {unit}"
    return f"{value} B"


ROWS = (
    ("predicted time", "device_seconds", seconds),
    ("cycles", "cycles", "{:,}".format),
    ("MXU utilisation", "mxu_utilization", "{:.2%}".format),
    ("HBM read", "hbm_read_bytes", size),
    ("HBM written", "hbm_write_bytes", size),
    ("HBM at the peak", "hbm_peak_bytes", size),
    ("VMEM at the peak", "vmem_peak_bytes", size),
    ("price on demand", "usd", "{:.2e} USD".format),
    ("price preemptible", "usd_preemptible", "{:.2e} USD".format),
    ("compile time here", "compile_seconds", seconds),
    ("emulation time here", "emulate_seconds", seconds),
)


def print_costs(reports):
    print(f"\n{'':20}" + "".join(f"{report['target']:>16}" for report in reports))
    for title, field, form in ROWS:
        print(f"{title:20}" + "".join(f"{form(report[field]):>16}" for report in reports))


def source_line(source):
    """The text of the line that a location FILE:LINE[:COLUMN] names, or ""."""
    match = re.match(r"(.+?):(\d+)", source)
    file = ROOT / match[1] if match else None
    if file is None or not file.is_file():
        return ""
    lines = file.read_text().splitlines()
    number = int(match[2])
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def print_kernels(report, count):
    print(f"\nthe {count} costliest kernels on {report['target']}")
    kernels = sorted(report["kernels"], key=lambda kernel: -kernel["cycles"])
    for rank, kernel in enumerate(kernels[:count], 1):
        share = kernel["cycles"] / report["cycles"]
        print(
            f"{rank}. {kernel['name']}: {share:.1%} of the cycles, {kernel['calls']:,} calls, "
            f"bound by {kernel['bound_by']}"
        )
        print(f"   {kernel['source']}  {source_line(kernel['source'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", choices=MODELS, default="cnn")
    parser.add_argument("--systole", type=pathlib.Path, default=ROOT / "build/bin/systole")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/demo")
    parser.add_argument("--precision", choices=("default", "high", "highest"), default="default")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    model = HERE / options.model
    results = options.out / "out.npz"
    print(f"{MODELS[options.model]} learns 1,437 digits with Adam:\n20 epochs in one device program")

    def run_on(target, *words):
        words = ["--precision", options.precision, *words]
        return run(options.systole, model / "train.mlir", target, options.out, *words)

    try:
        v3 = run_on("v3", "--args", model / "inputs.npz", "--out", results)
        # Cycles do not depend on data.
        v2 = run_on("v2", "--timing-only")
    except subprocess.CalledProcessError as error:
        sys.exit(f"demo: systole ended with exit code {error.returncode}")

    print()
    print_training(read_npz(results), read_npz(model / "golden.npz"))
    print_costs([v2, v3])
    print("(v2: timing only, without data)")
    print_kernels(v3, 3)


if __name__ == "__main__":
    main()
