"""Prints what is in a folder of Mosaic modules that capture.py wrote.

    python benchmarks/pallas/inventory.py build/pallas/modules > inventory.txt

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import collections
import json
import pathlib
import re

import modules
from jaxlib.mlir import ir

AFFINE = {"arith.constant", "arith.addi", "arith.subi", "arith.muli", "arith.index_cast", "func.return"}
LAUNCH = """dimension_semantics iteration_bounds scalar_prefetch scratch_operands window_params tpu.core_type
function_type sym_name sym_visibility""".split()


class Counts:
    """How often something occurs, and in how many modules."""

    def __init__(self):
        self.total = collections.Counter()
        self.holders = collections.defaultdict(set)

    def add(self, key, module):
        self.total[key] += 1
        self.holders[key].add(module)

    def lines(self, limit=None):
        ordered = sorted(self.total, key=lambda key: (-len(self.holders[key]), -self.total[key], key))
        for key in ordered[:limit]:
            yield f"{len(self.holders[key]):7} {self.total[key]:9}  {key}"
        if limit and len(ordered) > limit:
            yield f"                   and {len(ordered) - limit} more"


class Inventory:
    """Everything that is counted, by the title of its table."""

    def __init__(self):
        self.tables = collections.defaultdict(Counts)
        self.maps = []

    def add(self, table, key, module):
        self.tables[table].add(key, module)

    def module(self, name, module):
        functions = {str(op.attributes["sym_name"]).strip('"'): op for op in module.body.operations}
        transforms = set()
        for function in functions.values():
            transforms |= set(re.findall(r"@(transform_\w+)", str(function.attributes.get("window_params", ""))))
        for title, function in functions.items():
            if title in transforms:
                self.index_map(name, title, function)
            else:
                self.launch(name, function)
        self.add("functions of a module, without index maps", len(functions) - len(transforms), name)

        def visit(operation):
            self.operation(name, operation)
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)

    def launch(self, name, function):
        attributes = {attribute: str(function.attributes[attribute]) for attribute in dict(function.attributes)}
        for attribute, text in attributes.items():
            if attribute not in LAUNCH:
                self.add("other attributes of functions", f"{attribute} = {text[:80]}", name)
        bounds = re.findall(r"-?\d+", attributes.get("iteration_bounds", "").removeprefix("array<i64"))
        dynamic = " dynamic" if "-9223372036854775808" in bounds else ""
        self.add("grids: rank", f"{len(bounds)}{dynamic}", name)
        kinds = re.findall(r"semantics<(\w+)>", attributes.get("dimension_semantics", ""))
        self.add("grids: semantics of dimensions", ", ".join(kinds) or "none", name)
        self.add("scalar prefetch operands", attributes.get("scalar_prefetch", "none").split(" ")[0], name)
        self.add("scratch operands", attributes.get("scratch_operands", "none").split(" ")[0], name)
        windows = attributes.get("window_params", "none")
        self.add("windows", "none" if windows in ("none", "[]") else "some", name)
        for window in re.findall(r"\{[^{}]*\}", windows):
            keys = re.sub(r"array<i64:? ?[^>]*>", "array", re.sub(r"@transform_\w+", "@map", window))
            self.add("windows: attributes", keys, name)
        arguments = re.match(r"\((.*)\) -> ", attributes.get("function_type", ""))
        for kind in re.findall(
            r"memref<[^>]*#tpu[^>]*>>|!tpu\.\w+(?:<[^>]*>)?", arguments.group(1) if arguments else ""
        ):
            self.add("arguments of kernels: element type and memory", shapeless(kind), name)

    def index_map(self, name, title, function):
        used = set()

        def visit(operation):
            used.add(short(operation.name))
            return ir.WalkResult.ADVANCE

        function.operation.walk(visit)
        other = sorted(used - AFFINE - {"func.func"})
        self.add("index maps: operations beyond affine ones", ", ".join(other) or "affine", name)
        if other:
            self.maps.append(f"{name} {title}: {', '.join(other)}")

    def operation(self, name, operation):
        op = short(operation.name)
        self.add("operations", op, name)
        types = [value.type for value in (*operation.operands, *operation.results)]
        for value in operation.results:
            text = str(value.type)
            if text.startswith("vector"):
                self.add("vectors: element types", element(text), name)
                self.add(
                    "vectors: rank and element type",
                    f"{text.count('x') - element(text).count('x')} {element(text)}",
                    name,
                )
                self.add("vectors: types", text, name)
            if text.startswith("memref"):
                self.add("memrefs inside of kernels: element type and memory", shapeless(text), name)
        if op.partition(".")[0] in ("tpu", "vector", "math", "arith") and op != "arith.constant":
            split = len(operation.operands)
            ins = ", ".join(scalar(str(each)) for each in types[:split])
            outs = ", ".join(scalar(str(each)) for each in types[split:])
            self.add("operations by element types", f"{op}({ins}) -> ({outs})", name)
        kept = []
        for attribute in dict(operation.attributes):
            text = str(operation.attributes[attribute])
            if re.fullmatch(r"#(tpu|vector|arith)\..*|true|false|-?\d+ : i64|[\d.e+-]+ : f\d+", text):
                kept.append(f"{attribute} = {'N' if attribute in COUNTED else text}")
        if kept and op.partition(".")[0] in ("tpu", "vector", "math", "arith") and op != "arith.constant":
            self.add("attributes of operations", f"{op} {{{', '.join(kept)}}}", name)


COUNTED = {"amount", "stride", "dimension", "value", "axis", "num_lanes"}


def short(name):
    return name.removeprefix("stable_mosaic.")


def element(text):
    """The element type of a vector or memref type."""
    return re.sub(r"^(vector|memref)<((\d+|\?|\[\d+\])x)*", "", text).split(",")[0].rstrip(">")


def scalar(text):
    """A type with its rank in the place of its shape."""
    kind = re.match(r"vector|memref", text)
    if not kind:
        return text
    rank = len(re.findall(r"(?:\d+|\?)x", text.split(",")[0]))
    space = re.search(r"memory_space<(\w+)>", text)
    return f"{kind.group()}<{rank}d {element(text)}{' ' + space.group(1) if space else ''}>"


def shapeless(text):
    """A memref type without its shape and layout."""
    space = re.search(r"memory_space<(\w+)>", text)
    layout = " tiled" if "tiled" in text else " strided" if "strided" in text else ""
    return f"{element(text) or text} {space.group(1) if space else ''}{layout}"


ORDER = """operations|functions of a module, without index maps|grids: rank|grids: semantics of dimensions
scalar prefetch operands|scratch operands|windows|windows: attributes|index maps: operations beyond affine ones
other attributes of functions|arguments of kernels: element type and memory
memrefs inside of kernels: element type and memory|vectors: element types|vectors: rank and element type
vectors: types|operations by element types|attributes of operations"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=300, help="lines of a table (300)")
    options = parser.parse_args()

    inventory, files, configs = Inventory(), collections.Counter(), Counts()
    seen, oldest, targets = set(), [], collections.Counter()
    paths = sorted(options.folder.glob("*.json"))
    for path in paths:
        entry = json.loads(path.read_text())
        name = path.stem
        files[entry["test"].split("::")[0]] += 1
        targets[", ".join(entry["targets"])] += 1
        flat = {**entry["backend_config"], **entry["backend_config"]["custom_call_config"]}
        for key in flat:
            configs.add(f"backend_config {key}", name)
        if entry["aliases"]:
            configs.add("aliases", name)
        configs.add(f"side effects: {entry['side_effects']}", name)
        if "not_in_v11" in entry:
            oldest.append(f"{name}: {entry['not_in_v11'].splitlines()[0][:200]}")
        if entry["module"] in seen:
            continue
        seen.add(entry["module"])
        inventory.module(name, modules.parse((options.folder / f"{name}.v15.mlirbc").read_bytes()))

    print(f"{len(paths)} distinct kernels (module, configuration and types), of these {len(seen)} distinct modules")
    print("\nkernels by the file of the test that lowers them first")
    for file, count in files.most_common():
        print(f"{count:7}  {file}")
    print("\nkernels by target")
    for target, count in targets.most_common():
        print(f"{count:7}  {target}")
    print("\nconfigurations: kernels, kernels, what\n" + "\n".join(configs.lines()))
    for title in re.split(r"[|\n]", ORDER):
        print(f"\n{title}: modules, total, what")
        print("\n".join(inventory.tables[title].lines(options.limit)))
    print(f"\nkernels without a form in version 11: {len(oldest)}\n" + "\n".join(oldest))
    print(f"\nindex maps that are not affine: {len(inventory.maps)}\n" + "\n".join(inventory.maps))


if __name__ == "__main__":
    main()
