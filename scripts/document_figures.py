#!/usr/bin/env python3
"""Runs the commands and programs of the documents and compares what they print.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A block of text behind a comment `<!-- output of NAME.py -->` is what the Python block before it
prints, saved under that name; behind `<!-- output of COMMAND -->` that of the command.
A line `...` stands for any number of lines, and lines that say "here" are times of the host that
wrote them. `--write` puts what is printed now into the documents.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "docs/python.md", "docs/tutorial.md", "docs/precision.md", "docs/ir.md")
HOST = re.compile(r"\bhere\b")
ELLIPSIS = "..."

_BLOCK = re.compile(
    r"```python\n(?P<code>.*?)^```$"
    r"|<!-- output of (?P<command>.*?) -->\n```text\n(?P<output>.*?)^```$",
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

    @property
    def name(self) -> str:
        return f"{self.document}: {self.command}"


def outputs(document: str, text: str) -> list[Output]:
    """Those of a document, in their order."""
    found = []
    code = ""
    for match in _BLOCK.finditer(text):
        if match["code"] is not None:
            code = match["code"]
            continue
        script = code if match["command"].endswith(".py") and " " not in match["command"] else ""
        found.append(
            Output(document, match["command"], script, match["output"], match.start("output"))
        )
    return found


def scripts(text: str) -> list[str]:
    """The Python blocks of a document that no output follows."""
    shown = {output.code for output in outputs("", text)}
    blocks = [match["code"] for match in _BLOCK.finditer(text) if match["code"] is not None]
    return [code for code in blocks if code not in shown]


def all_outputs() -> list[Output]:
    return [
        output
        for document in DOCUMENTS
        for output in outputs(document, (ROOT / document).read_text())
    ]


def updated(expected: str, printed: str) -> str:
    """What the document should say, given what is printed: what it leaves out stays out."""
    lines, now = expected.splitlines(), printed.splitlines()
    places = [i for i, line in enumerate(lines) if line.strip() == ELLIPSIS]
    if places:
        head, tail = places[0], len(lines) - places[0] - 1
        now = now[:head] + [lines[head]] + now[len(now) - tail :]
    host = {_title(line): line for line in lines if HOST.search(line)}
    return "".join(host.get(_title(line), line) + "\n" for line in now)


def _title(line: str) -> str:
    return line.strip().partition("  ")[0]


def run_command(output: Output, build: pathlib.Path) -> str:
    """What a command of the shell prints, with the tools of a build directory."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [word.replace("{scratch}", scratch) for word in shlex.split(output.command)]
        environment = {**os.environ, "PATH": f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        if words[0].endswith(".py"):
            words.insert(0, sys.executable)
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=ROOT, env=environment, check=False
        )
    if done.returncode != 0:
        raise RuntimeError(f"{output.name}: {done.stderr[-2000:]}")
    return done.stdout


def run_script(output: Output, build: pathlib.Path) -> str:
    """What a Python block prints with the plugin of a build directory."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "TPU_LIBRARY_PATH": str(build / "lib/libsystole_pjrt.so"),
        "JAX_PLATFORMS": "tpu",
        "SYSTOLE_CACHE": "",
    }
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / output.command).write_text(output.code)
        done = subprocess.run(
            [sys.executable, output.command],
            capture_output=True,
            text=True,
            cwd=scratch,
            env=environment,
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
            run = run_script if output.code else run_command
            new = updated(output.text, run(output, options.build.resolve()))
            if new != output.text:
                differ += 1
                print(f"{output.name}: {'updated' if options.write else 'differs'}")
                text = text[: output.start] + new + text[output.start + len(output.text) :]
        if options.write:
            path.write_text(text)
    return 0 if options.write or not differ else 1


if __name__ == "__main__":
    sys.exit(main())
