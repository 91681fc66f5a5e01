#!/usr/bin/env python3
"""Runs the plugin with each client of PJRT that is known to work, and prints how many checks pass.

    scripts/check_clients.py [--build build] [--folder FOLDER] [torch-xla pypjrt go-xla gomlx]

Each client is installed into a folder of its own below FOLDER, from PyPI (PyTorch takes 5 GB) or the Go module
proxy, and stays there for the next time. Needs Python 3.10 to 3.13, `cc`, `readelf` and, for Go's clients, `go`.
The checks are in scripts/clients. No test of `make check`, since it downloads packages: run it for each change of
runtime/Pjrt.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHECKS = ROOT / "scripts/clients"
# As in docs/pytorch.md: PyPI's PyTorch without the packages of CUDA that it names.
TORCH = ["torch==2.9.0", "torch_xla==2.9.0", "torchvision==0.24.0"]
TORCH_NEEDS = "filelock typing-extensions sympy networkx jinja2 fsspec absl-py numpy pyyaml requests pillow".split()


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def environment(folder, install):
    """The Python of a virtual environment, made by `install` if it is not there."""
    python = folder / "bin/python"
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True, clear=True)
        install(python)
        (folder / "done").touch()
    return python


def install_torch(python):
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", *TORCH)
    run(python, "-m", "pip", "install", "--quiet", *TORCH_NEEDS)
    run(python, ROOT / "examples/pytorch/cuda_stand_ins.py", stdout=subprocess.DEVNULL)


def torch_xla(folder, plugin):
    """The command and settings of each run, by its name."""
    python = environment(folder, install_torch)
    settings = {"PJRT_DEVICE": "TPU", "TPU_LIBRARY_PATH": str(plugin)}
    command = [python, CHECKS / "torch_xla_checks.py"]
    return {
        "PyTorch/XLA 2.9, by HLO": (command, settings),
        "PyTorch/XLA 2.9, by StableHLO": (command, settings | {"XLA_STABLEHLO_COMPILE": "1"}),
    }


def pypjrt(folder, plugin):
    python = environment(folder, lambda python: run(python, "-m", "pip", "install", "-q", "pypjrt==0.1.1", "numpy"))
    return {"pypjrt 0.1.1": ([python, CHECKS / "pypjrt_checks.py", plugin], {})}


def go_program(folder, module, source):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(CHECKS / source, folder / "main.go")
    if not (folder / "go.mod").exists():
        run("go", "mod", "init", "check", cwd=folder, stderr=subprocess.DEVNULL)
        run("go", "get", module, cwd=folder, stderr=subprocess.DEVNULL)
        run("go", "mod", "tidy", cwd=folder, stderr=subprocess.DEVNULL)
    run("go", "build", "-o", "check", ".", cwd=folder)
    return folder / "check"


def go_xla(folder, plugin):
    program = go_program(folder, "github.com/gomlx/go-xla@v0.3.0", "go_xla_checks.go")
    return {"go-xla 0.3": ([program, plugin], {})}


def gomlx(folder, plugin):
    program = go_program(folder, "github.com/gomlx/gomlx@v0.28.0", "gomlx_checks.go")
    return {"GoMLX 0.28": ([program, plugin], {})}


CLIENTS = {"torch-xla": torch_xla, "pypjrt": pypjrt, "go-xla": go_xla, "gomlx": gomlx}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", help=f"of {', '.join(CLIENTS)}; default: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/clients")
    options = parser.parse_args()
    if unknown := set(options.clients) - set(CLIENTS):
        parser.error(f"unknown clients: {', '.join(sorted(unknown))}")
    plugin = (options.build / "lib/libsystole_pjrt.so").resolve()
    failed = False
    for name in options.clients or CLIENTS:
        for title, (command, settings) in CLIENTS[name]((options.folder / name).resolve(), plugin).items():
            print(f"{title}:", flush=True)
            # Products of f32 in full, as the references have them, and programs of this plugin only.
            common = {"SYSTOLE_PRECISION": "highest", "SYSTOLE_CACHE": ""}
            failed |= subprocess.run(command, env=os.environ | common | settings, check=False).returncode != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
