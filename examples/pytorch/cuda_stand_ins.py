"""Lets PyTorch's wheels from PyPI load without CUDA's libraries, which take 3 GB and are not used here.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: python cuda_stand_ins.py   (with the Python that PyTorch is installed for)

Writes a library beside PyTorch's own for each missing CUDA library that these depend on. Its
functions return an error, so that PyTorch finds no device. Needs `cc` and `readelf`.
"""

import importlib.util
import pathlib
import re
import subprocess
import tempfile

# NVIDIA's libraries that torch's depend on; others are missing for unrelated reasons.
CUDA = re.compile(r"lib(cu|nvrtc|nvJitLink|nccl|nvshmem|nvToolsExt)")
# cudaErrorNoDevice, and the like for the others: not success.
BODY = "int {}(void) {{ return 100; }}\n"
NAMES = 'const char *{}(int error) {{ return "there is no CUDA here"; }}\n'
STRINGS = re.compile(r"(cuda|nccl|cublas|cusparse|cudnn)Get(Error|Status|LastError)?(String|Name)$")


def read_elf(flag, path):
    return subprocess.run(["readelf", "-W", flag, path], check=True, capture_output=True, text=True).stdout


def undefined(path):
    """(name, version) of a library's undefined symbols; "" for unversioned ones."""
    for line in read_elf("--dyn-syms", path).splitlines():
        fields = line.split()
        if len(fields) > 7 and fields[6] == "UND" and fields[4] != "WEAK":
            name, _, version = fields[7].partition("@")
            yield name, version


def defined(path):
    for line in read_elf("--dyn-syms", path).splitlines():
        fields = line.split()
        if len(fields) > 7 and fields[6] != "UND":
            yield fields[7].partition("@")[0]


def versions(path):
    """(library, version) of the versions that a library requires."""
    file = None
    for line in read_elf("-V", path).splitlines():
        if found := re.search(r"Version: 1 +File: (\S+)", line):
            file = found[1]
        elif found := re.search(r"Name: (\S+) +Flags:.*Version: ", line):
            if file:
                yield file, found[1]
        elif "Version definition" in line:
            file = None


def main():
    folder = pathlib.Path(importlib.util.find_spec("torch").submodule_search_locations[0]) / "lib"
    libraries = [path for path in sorted(folder.glob("lib*.so")) if not CUDA.match(path.name)]
    # Loaded by name while torch is imported.
    library_of, needed = {}, {"libcupti.so.12", "libnvJitLink.so.12", "libnvrtc.so.12"}
    wanted, own = {}, set()
    for path in libraries:
        needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", read_elf("-d", path)))
        own |= set(defined(path))
        library_of |= {version: library for library, version in versions(path) if CUDA.match(library)}
        wanted |= dict(undefined(path))
    for library in sorted(name for name in needed if CUDA.match(name)):
        # Unversioned symbols are found in any library.
        mine = sorted(
            name for name, version in wanted.items()
            if name not in own
            and (library_of.get(version) == library
                 or library == "libcudart.so.12" and not version and re.match(r"_*(cu|nccl|nv)", name))
        )  # fmt: skip
        names = {version for version, of in library_of.items() if of == library} or {library}
        build(folder / library, mine, sorted(names))
        print(folder / library, len(mine), "functions")


def build(library, functions, names):
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch, "stand_in.c"), pathlib.Path(scratch, "versions.map")
        source.write_text("".join((NAMES if STRINGS.match(name) else BODY).format(name) for name in functions))
        script.write_text("".join(f"{name} {{ {'global: *;' if i == 0 else ''} }};\n" for i, name in enumerate(names)))
        options = [f"-Wl,-soname,{library.name}", f"-Wl,--version-script,{script}"]
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-fno-builtin", *options, source, "-o", library], check=True)


if __name__ == "__main__":
    main()
