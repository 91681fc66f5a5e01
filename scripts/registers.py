#!/usr/bin/env python3
"""Prints registers of the emulated machine before a bundle issues for the first time.

    .venv/bin/python scripts/registers.py program.sysx 431 s6 v5 m1 --args in.npz
    .venv/bin/python scripts/registers.py program.sysx 431 v5 --if s1 --as i32

Bundles have the numbers of `systole objdump --bundle-numbers` and of traps. With --if it is the first time that the
scalar register is not 0 there. A run of the program with a trap at that place tells the cycle, and a second one the
state of the machine at that cycle (`systole run --snapshot`). `systole` has to be in PATH.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

MAGIC, DIGEST_BYTES = b"SYSNAP03", 32
TYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}


def with_trap(text: str, bundle: int, condition: str) -> str:
    """The program with a trap in front of a bundle."""
    lines = text.splitlines()
    places = [number for number, line in enumerate(lines) if re.search(rf"// {bundle}$", line)]
    if not places:
        sys.exit(f"there is no bundle {bundle}")
    lines.insert(places[0], f'trap {condition}, "stopped"')
    return "\n".join(lines) + "\n"


def values(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The named values of an archive (runtime/Emulator/State/Archive.cpp)."""
    place = 0
    while place < len(archive):
        behind = place + 1 + archive[place]
        (length,) = struct.unpack_from("<Q", archive, behind)
        yield archive[place + 1 : behind].decode(), archive[behind + 8 : behind + 8 + length]
        place = behind + 8 + length


def state_of(snapshot: bytes) -> dict[str, bytes]:
    """The state of the first core, without its memories (runtime/Emulator/Execution/Capture.cpp)."""
    assert snapshot.startswith(MAGIC), "a snapshot of another version"
    return dict(values(dict(values(snapshot[len(MAGIC) : -DIGEST_BYTES]))["state"]))


def register(state: dict[str, bytes], name: str, kind: type) -> str:
    """The value of a register as text; `state` has the vectors and masks that are not 0."""
    number = int(name[1:])
    if name[0] == "s":
        value = int(np.frombuffer(state["scalars"], np.int32)[number])
        return f"{value} (0x{value & 0xFFFFFFFF:x})"
    cells = state.get(f"{ {'v': 'vector', 'm': 'mask'}[name[0]] }[{number}].", bytes(4096))
    dtype = kind if name[0] == "v" else np.int32
    return np.array2string(np.frombuffer(cells, dtype).reshape(8, 128), threshold=64, edgeitems=4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("bundle", type=int)
    parser.add_argument("registers", nargs="+", metavar="register", help="s0 to s31, v0 to v31, m0 to m7")
    parser.add_argument("--args", nargs="+", default=[], help="as of systole run")
    parser.add_argument("--target", help="the file of a description that is not built in")
    parser.add_argument("--if", dest="condition", default="1", metavar="SCALAR", help="stop only if it is not 0")
    parser.add_argument("--as", dest="kind", choices=TYPES, default="f32", help="elements of vectors (f32)")
    options = parser.parse_args()

    disassembly = ["systole", "objdump", "--bundle-numbers", options.program]
    text = subprocess.run(disassembly, check=True, text=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        stopped, state = pathlib.Path(folder) / "stopped.sysasm", pathlib.Path(folder) / "state"
        stopped.write_text(with_trap(text, options.bundle, options.condition))
        command = ["systole", "run", stopped, *(["--target", options.target] if options.target else [])]
        command += ["--args", *options.args] if options.args else []

        whole = subprocess.run([*command, "--out", f"{folder}/out.npz"], text=True, capture_output=True, check=False)
        trap = re.search(rf"stopped \(bundle {options.bundle}, .*cycle (\d+)\)", whole.stderr)
        if trap is None:
            sys.exit(whole.stderr or f"bundle {options.bundle} does not issue")
        # The interpreter keeps the values of registers that are not read any more.
        interpreted = {**os.environ, "SYSTOLE_INTERPRET": "1"}
        subprocess.run([*command, "--snapshot", state, "--snapshot-cycle", trap[1]], env=interpreted, check=True)
        found = state_of(state.read_bytes())
    print(f"bundle {options.bundle} at cycle {trap[1]}")
    for name in options.registers:
        value = register(found, name, TYPES[options.kind])
        print(f"{name} =", value, sep="\n" if "\n" in value else " ")


if __name__ == "__main__":
    main()
