"""A folder of Mosaic modules: of each kernel NAME.v15.mlirbc, NAME.v11.mlirbc and NAME.json.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib
import json
import pathlib
import re

from jax._src.interpreters import mlir
from jax._src.lib import tpu
from jaxlib.mlir import ir

OLDEST = 11


def parse(body):
    """A module from its bytes. It belongs to a context of its own, which it keeps."""
    context = mlir.make_ir_context()
    tpu.register_dialect(context)
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        return ir.Module.parse(body)


class Store:
    """Keeps each distinct kernel once: the same module with the same configuration and types, whatever its
    locations in source files are."""

    def __init__(self, folder, target):
        self.folder, self.target = pathlib.Path(folder), target
        self.folder.mkdir(parents=True, exist_ok=True)
        self.known = {}
        for path in sorted(self.folder.glob("*.json")):
            self.known[json.loads(path.read_text())["digest"]] = path

    def keep(self, test, number, config, operands, results, rest):
        entry = {
            "kernel_name": rest["kernel_name"],
            "operands": operands,
            "results": results,
            "aliases": [list(pair) for pair in rest["input_output_aliases"]],
            "side_effects": rest["has_side_effects"].value,
            "metadata": json.loads(json.dumps(rest.get("metadata"), default=str)),
            "backend_config": without_body(config),
        }
        text = str(parse(config.lowered_module_asm))
        module = hashlib.sha256(text.encode()).hexdigest()
        digest = hashlib.sha256((module + json.dumps(entry, sort_keys=True)).encode()).hexdigest()
        if digest in self.known:
            self.add_target(self.known[digest])
            return
        name = re.sub(r"[^A-Za-z0-9_]+", "_", test.replace("_test::", "__"))[:120] + f"_{number}"
        while (self.folder / f"{name}.json").exists():
            name += "b"
        (self.folder / f"{name}.v15.mlirbc").write_bytes(config.lowered_module_asm)
        try:
            older = config.downgrade_lowered_module_asm(OLDEST).lowered_module_asm
            (self.folder / f"{name}.v11.mlirbc").write_bytes(older)
        except Exception as error:  # Some operations have no older form.
            entry["not_in_v11"] = str(error)[:500]
        entry = {"test": test, "targets": [self.target], "module": module, "digest": digest, **entry}
        self.known[digest] = self.folder / f"{name}.json"
        self.known[digest].write_text(json.dumps(entry, indent=1) + "\n")

    def add_target(self, path):
        entry = json.loads(path.read_text())
        if self.target not in entry["targets"]:
            entry["targets"].append(self.target)
            path.write_text(json.dumps(entry, indent=1) + "\n")


def without_body(config):
    """The backend_config of a kernel's custom call as a dictionary, but its body."""
    result = json.loads(config.to_json())
    del result["custom_call_config"]["body"]
    return result
