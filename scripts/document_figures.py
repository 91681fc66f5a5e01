#!/usr/bin/env python3
"""Runs the commands and programs of the documents and compares their output.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A block of text after a comment `<!-- output of NAME.py -->` is the output of the Python block
before it, saved under that name, which later blocks may import; after `<!-- output of COMMAND -->`
that of the command. A block marked `console` has commands of the shell after `$`, each followed by
its output and errors. They run in one folder of scratch files, which their `/tmp/` names, `systole sweep` as in the
Python package. A line `...` stands for any number of lines, in consoles `...` within a line for any text, and lines
that say "here" are times of the host that wrote them. `--write` updates the documents.
"""

import argparse
import dataclasses
import difflib
import itertools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = (
    "README.md",
    "docs/architecture.md",
    "docs/debugger.md",
    "docs/ir.md",
    "docs/limits.md",
    "docs/numerics.md",
    "docs/planning.md",
    "docs/precision.md",
    "docs/python.md",
    "docs/slices.md",
    "docs/tutorial-numerics.md",
    "docs/tutorial-slices.md",
    "docs/tutorial.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs/how-to").glob("*.md")),
)
HOST = re.compile(r"\bhere\b")
ELLIPSIS = "..."

_BLOCK = re.compile(
    r"```python\n(?P<code>.*?)^```$"
    r"|<!-- output of (?P<command>.*?) -->\n```text\n(?P<output>.*?)^```$"
    r"|```console\n(?P<console>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclasses.dataclass(frozen=True)
class Output:
    """A block of output in a document."""

    document: str
    command: str  # "train.py", or a command of the shell
    code: str  # of a Python script, or ""
    text: str
    start: int  # of `text` in the document
    console: bool = False  # whether `text` has the commands, too
    before: tuple[tuple[str, str], ...] = ()  # (name, code) of the document's scripts before it, which it may import

    @property
    def name(self) -> str:
        return f"{self.document}: {self.command}"


def outputs(document: str, document_text: str) -> list[Output]:
    """The outputs of a document, in order."""
    found: list[Output] = []
    code = ""
    for match in _BLOCK.finditer(document_text):
        if match["code"] is not None:
            code = match["code"]
            continue
        if match["console"] is not None:
            text = match["console"]
            first = text.partition("\n")[0].removeprefix("$ ")
            found.append(Output(document, first, "", text, match.start("console"), True))
            continue
        script = code if match["command"].endswith(".py") and " " not in match["command"] else ""
        before = tuple((output.command, output.code) for output in found if output.code)
        found.append(Output(document, match["command"], script, match["output"], match.start("output"), before=before))
    return found


def scripts(text: str) -> list[str]:
    """The Python blocks of a document that no output follows."""
    shown = {output.code for output in outputs("", text)}
    blocks = [match["code"] for match in _BLOCK.finditer(text) if match["code"] is not None]
    return [code for code in blocks if code not in shown]


def all_outputs() -> list[Output]:
    return [output for document in DOCUMENTS for output in outputs(document, (ROOT / document).read_text())]


def updated(expected: str, printed: str) -> str:
    """The text of the document for the current output, with the same omissions as before."""
    lines, now = expected.splitlines(), printed.splitlines()
    places = [i for i, line in enumerate(lines) if line.strip() == ELLIPSIS]
    if places:
        head, tail = places[0], len(lines) - places[0] - 1
        now = now[:head] + [lines[head]] + now[len(now) - tail :]
    host = {_title(line): line for line in lines if HOST.search(line)}
    return "".join(host.get(_title(line), line) + "\n" for line in now)


def commands(console: str) -> list[tuple[str, list[str]]]:
    """The commands of a console, with the lines that follow each. A command continues after a
    backslash."""
    found: list[tuple[str, list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append((line, []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (f"{found[-1][0]}\n{line}", [])
        else:
            found[-1][1].append(line)
    return found


def _pattern(line: str) -> str:
    """A regular expression for a line of an excerpt."""
    if line.strip() == ELLIPSIS:
        return r"(?:.*\n)*?"
    if HOST.search(line):
        return re.escape(_title(line)) + r".*\n"
    return re.escape(line.rstrip()).replace(re.escape(ELLIPSIS), ".*") + r"[ ]*\n"


def _fits(lines: list[str], printed: list[str]) -> bool:
    pattern = "".join(_pattern(line) for line in lines)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def updated_excerpt(lines: list[str], printed: list[str]) -> list[str]:
    """An excerpt of the current output, of the same form as before: each run of lines between
    ellipses becomes the most similar run of as many lines, the first and the last those at the
    ends."""
    if _fits(lines, printed):
        return lines
    if not any(line.strip() == ELLIPSIS for line in lines):
        return [line.rstrip() for line in printed]
    runs = [(is_gap, list(run)) for is_gap, run in itertools.groupby(lines, lambda line: line.strip() == ELLIPSIS)]
    result, behind = [], 0
    for index, (is_gap, old) in enumerate(runs):
        if is_gap:
            result += old
            continue
        last = max(behind, len(printed) - len(old))
        if index == 0:
            place = 0
        elif index == len(runs) - 1:
            place = last
        else:
            place = max(
                range(behind, last + 1),
                key=lambda at: _similarity(old, printed[at : at + len(old)]),
            )
        new = printed[place : place + len(old)]
        behind = place + len(new)
        result += [a if _fits([a], [b]) else b.rstrip() for a, b in zip(old, new, strict=False)]
    return result


def _similarity(old: list[str], new: list[str]) -> float:
    return sum(
        2 if _fits([a], [b]) else difflib.SequenceMatcher(None, a, b).quick_ratio()
        for a, b in zip(old, new, strict=False)
    )


def updated_console(expected: str, printed: dict[str, list[str]]) -> str:
    """A console of which each command has printed these lines."""
    blocks = [[command, *updated_excerpt(lines, printed[command])] for command, lines in commands(expected)]
    return "".join(line + "\n" for block in blocks for line in block)


def run_console(output: Output, build: pathlib.Path) -> dict[str, list[str]]:
    """The lines that each command of a console prints."""
    path = [str(build / "bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**package_environment(build), "PATH": os.pathsep.join(path), "JAX_PLATFORMS": "cpu"}
    printed = {}
    with tempfile.TemporaryDirectory() as scratch:
        for command, _ in commands(output.text):
            words = shlex.split(command)
            if words[1] == "scripts/cycles.py" and "|" not in words:
                # In this process, since JAX takes longer to import than to lower an expression.
                printed[command] = [cycles_outcome(words[2:], build)]
                continue
            line = command.removeprefix("$ ").replace("/tmp/", f"{scratch}/")
            done = subprocess.run(
                ["bash", "-c", re.sub(r"^systole (?=sweep )", "python -m systole ", line)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=ROOT,
                env=environment,
                check=False,
            )
            printed[command] = done.stdout.replace(f"{scratch}/", "/tmp/").splitlines()
    return printed


def cycles_outcome(arguments: list[str], build: pathlib.Path) -> str:
    """The output of scripts/cycles.py with the tools of a build directory."""
    import cycles  # not above: it imports JAX

    return cycles.outcome(arguments, str(build / "bin/systole"))


def current(output: Output, build: pathlib.Path) -> str:
    """The text of an output as it is now."""
    if output.console:
        return updated_console(output.text, run_console(output, build))
    run = run_script if output.code else run_command
    return updated(output.text, run(output, build))


def _title(line: str) -> str:
    return line.strip().partition("  ")[0]


def run_command(output: Output, build: pathlib.Path) -> str:
    """The output of a command of the shell, with the tools of a build directory."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [word.replace("{scratch}", scratch) for word in shlex.split(output.command)]
        environment = {**os.environ, "PATH": f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        if words[0].endswith(".py"):
            words.insert(0, sys.executable)
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{output.name}: {done.stderr[-2000:]}")
    return done.stdout


def package_environment(build: pathlib.Path) -> dict[str, str]:
    """The environment in which Python has the package, with the plugin of a build directory."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "TPU_LIBRARY_PATH": str(build / "lib/libsystole_pjrt.so"),
        "JAX_PLATFORMS": "tpu,cpu",
        "SYSTOLE_CACHE": "",
    }


def run_script(output: Output, build: pathlib.Path) -> str:
    """The output of a Python block, with the plugin of a build directory."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, code in (*output.before, (output.command, output.code)):
            (pathlib.Path(scratch) / name).write_text(code)
        done = subprocess.run(
            [sys.executable, output.command],
            capture_output=True,
            text=True,
            cwd=scratch,
            env=package_environment(build),
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(f"{output.name}: {done.stderr[-2000:]}")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--write", action="store_true", help="update the documents")
    options = parser.parse_args()
    differ = 0
    for document in DOCUMENTS:
        path = ROOT / document
        text = path.read_text()
        for output in reversed(outputs(document, text)):
            new = current(output, options.build.resolve())
            if new != output.text:
                differ += 1
                print(f"{output.name}: {'updated' if options.write else 'differs'}")
                text = text[: output.start] + new + text[output.start + len(output.text) :]
        if options.write:
            path.write_text(text)
    return 0 if options.write or not differ else 1


if __name__ == "__main__":
    sys.exit(main())
