"""Reads kernels that are written as text in Mosaic's serialized form: each becomes bytecode, which systole-opt reads.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: read.py FILE [ENCODING]

Modules of the file are separated by `// -----`; their lines are counted without those of comments. ENCODING is the
version of MLIR's bytecode, 0 if it is not given, as JAX writes it. What is read, or the error, is printed for each.
"""

import pathlib
import subprocess
import sys


def encode(text, encoding):
    command = ["systole-opt", "-", "--allow-unregistered-dialect", "--emit-bytecode"]
    command += [f"--emit-bytecode-version={encoding}"]
    return subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout


def main():
    encoding = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for number, part in enumerate(pathlib.Path(sys.argv[1]).read_text().split("// -----\n")):
        text = "".join(line for line in part.splitlines(True) if line.strip() and not line.startswith("//"))
        command = ["systole-opt", "-", "--systole-mosaic-body"]
        read = subprocess.run(
            command, input=encode(text, encoding), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        print(f"module {number}:", read.stdout.decode(), sep="\n", flush=True)
        if read.returncode not in (0, 1):
            sys.exit(f"systole-opt ended with {read.returncode}")


if __name__ == "__main__":
    main()
