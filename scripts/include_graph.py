#!/usr/bin/env python3
"""The include graph between folders, and whether it follows the order that README's table of folders gives.

    scripts/include_graph.py             the graph, a line for each folder; fails on an include from a
                                         folder into a later one, a folder that the table does not
                                         have, or a library that uses another without linking it
    scripts/include_graph.py --at REV    the graph of a revision and its cycles; checks nothing

See docs/decisions/build-and-folders.md.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("dialects", "compiler", "runtime", "tools")
FOLDER = re.compile(rf"`((?:{'|'.join(TOPS)})/[\w/-]+)`")
INCLUDE = re.compile(rf'^\s*#?\s*include\s+"((?:{"|".join(TOPS)})/[^"]+)"')


def folder_of(path, known=()):
    """The folder of a file: the deepest known one around it, or else its first two levels, `compiler/Graph` of
    `compiler/Legalize/Expand/Dot.cpp`."""
    parts = path.split("/")
    around = ["/".join(parts[:depth]) for depth in range(len(parts) - 1, 1, -1)]
    return next((folder for folder in around if folder in known), "/".join(parts[:2]))


def includes(revision):
    """Pairs (including file, included path) of the work tree, or of a revision."""
    command = ["git", "-C", str(ROOT), "grep", *([] if revision else ["--untracked"]), "-E", 'include +"']
    command += [*([revision] if revision else []), "--"]
    command += [f"{top}/*.{end}" for top in TOPS for end in ("h", "cpp", "inc", "td")]
    for line in subprocess.run(command, check=True, text=True, capture_output=True).stdout.splitlines():
        if revision:
            line = line.removeprefix(revision + ":")
        path, text = line.split(":", 1)
        match = INCLUDE.match(text)
        if match:
            yield path, match[1]


def readme_order():
    """The folders in the order of the rows of README's table."""
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `")]
    return [folder for row in rows for folder in FOLDER.findall(row.split("|")[1])]


def cycles(edges):
    """The strongly connected components of more than one folder."""

    def reachable(start):
        seen, todo = set(), [start]
        while todo:
            for after in edges.get(todo.pop(), ()):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return seen

    reach = {folder: reachable(folder) for folder in edges}
    components = {frozenset({b for b in reach[a] if a in reach.get(b, ())}) for a in edges if a in reach[a]}
    return sorted(sorted(component) for component in components)


def libraries(folders):
    """Of each library of the project: its folder, and the names that it links."""
    found = {}
    for file in ROOT.glob("**/CMakeLists.txt"):
        path = file.relative_to(ROOT)
        if path.parts[0] not in TOPS:
            continue
        text = re.sub(r"#.*", "", file.read_text())
        for name, body in re.findall(r"systole_add_\w*library\((\w+)([^)]*)\)", text):
            link = body.split("LINK", 1)[1].split("DEPENDS")[0] if "LINK" in body else ""
            found[name] = (folder_of(str(path), folders), link.split())
    return found


def undeclared(edges, folders):
    """Pairs (folder, used folder) where no library of the first links, itself or through others, one of the
    second. Folders of headers alone have no library, and need none."""
    known = libraries(folders)
    of_folder = defaultdict(set)
    for name, (folder, _) in known.items():
        of_folder[folder].add(name)

    def closure(names):
        seen, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name not in seen and name in known:
                seen.add(name)
                todo += known[name][1]
        return seen

    for folder in edges:
        if folder not in of_folder:
            continue
        linked = closure(of_folder[folder])
        for used in edges[folder]:
            if of_folder[used] and not of_folder[used] & linked:
                yield folder, used


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", metavar="REV", help="a git revision instead of the work tree")
    args = parser.parse_args()

    order = [] if args.at else readme_order()
    edges, examples = defaultdict(lambda: defaultdict(int)), {}
    for path, included in includes(args.at):
        source, target = folder_of(path, order), folder_of(included, order)
        if source != target:
            edges[source][target] += 1
            examples.setdefault((source, target), f'{path}: #include "{included}"')
    position = {folder: index for index, folder in enumerate(order)}
    for folder in sorted(edges, key=lambda f: position.get(f, len(order))):
        uses = sorted(edges[folder].items(), key=lambda item: position.get(item[0], len(order)))
        print(f"{folder}: " + ", ".join(f"{used} {count}" for used, count in uses))
    if args.at:
        for component in cycles(edges):
            print("cycle: " + ", ".join(component))
        return 0

    failures = []
    folders = {folder for edge in examples for folder in edge}
    failures += [f"README's table of folders has no {folder}" for folder in sorted(folders - set(order))]
    failures += [f"README names {folder}, which is no folder" for folder in order if not (ROOT / folder).is_dir()]
    for (source, target), example in sorted(examples.items()):
        if position.get(source, 0) < position.get(target, 0):
            failures.append(f"{target} comes after {source}: {example}")
    failures += [f"{folder} uses {used}, which its libraries do not link" for folder, used in undeclared(edges, order)]
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
