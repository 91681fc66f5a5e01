"""The documents show the output of their programs and commands; `make docs` updates them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys

import pytest

from python_package import BUILD, shared_site
from systole_cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import check_documents
from document_figures import (
    DOCUMENTS,
    all_outputs,
    current,
    outputs,
    scripts,
    updated,
    updated_console,
)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return shared_site(tmp_path_factory)


@pytest.mark.parametrize("output", all_outputs(), ids=lambda output: output.name)
def test_documents_show_current_output(output, site, tmp_path):
    if output.code:
        for name, code in output.before:
            (tmp_path / name).write_text(code)
        now = updated(output.text, site.script(output.code, tmp_path, name=output.command))
    else:
        now = current(output, BUILD)
    assert now == output.text, "`make docs` updates the documents"


@pytest.mark.parametrize("code", [code for file in DOCUMENTS for code in scripts((ROOT / file).read_text())])
def test_other_programs_of_the_documents_run(code, site, tmp_path):
    site.script(code, tmp_path)


def test_the_example_is_the_lowering_by_jax(tmp_path):
    folder = ROOT / "examples/dense"
    written = tmp_path / "dense.mlir"
    subprocess.run([sys.executable, folder / "export.py", "--out", written], check=True)
    assert written.read_text() == (folder / "dense.mlir").read_text()


def test_the_tutorial_shows_the_kernel_of_the_examples():
    shown = scripts((ROOT / "docs/how-to/tune-a-pallas-kernel.md").read_text())[0]
    code = (ROOT / "examples/pallas/flash_attention.py").read_text()
    assert code[code.index("import") :] == shown


def test_links_and_lines_of_the_documents():
    script = ROOT / "scripts/check_documents.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_broken_links_and_long_lines_are_found(tmp_path):
    document = tmp_path / "a.md"
    document.write_text(
        "# The title: `a`\n[to](#the-title-a) [out](https://example.org) [here](a.md#the-title-a)\n"
        "[no heading](#title) [no file](b.md)\n```\n[in code](c.md)\n```\n"
        f"{'words ' * 21}\n| {'words ' * 21} |\n"
    )
    assert list(check_documents.broken_links(document)) == [
        "3: no heading #title",
        "3: no file b.md",
    ]
    assert list(check_documents.long_lines(document)) == ["7: 126 columns"]


def test_lost_paths_are_found(tmp_path):
    (tmp_path / "top" / "in").mkdir(parents=True)
    (tmp_path / "top" / "a.md").write_text(
        "`top/a.md`, `top/in/`, `top/*.md` and `cat top/in`: `top/b.md`\n"
        "`other/a.md` `top/NAME.md` top/c.md\n```\n`top/in/code.md`\n```\n`cat top/in/*.md`.\n"
    )
    assert list(check_documents.lost_paths(tmp_path / "top" / "a.md", tmp_path)) == [
        "1: no path top/b.md",
        "6: no path top/in/*.md",
    ]


def test_names_of_lost_documents_are_found(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "here.md").touch()
    (tmp_path / "a.h").write_text("".join(f"// docs/{name}.md\n" for name in ("here", "lost")))
    assert list(check_documents.lost_references(tmp_path)) == ["a.h:2:docs/" + "lost.md"]


def test_decisions_without_status_index_or_reader_are_found(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    folder = tmp_path / "docs/decisions"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("[copies](copies.md) [sums](sums.md)\n")
    (folder / "copies.md").write_text("# Copies\n\nStatus: accepted. Date: 2026-11-21.\n")
    (folder / "sums.md").write_text("# Sums\n\nStatus: accepted. Dates: 2026-11-21 to 2026-11-25.\n")
    (tmp_path / "copies.cpp").write_text("// See docs/decisions/" + "copies.md.\n")
    (tmp_path / "docs/planning.md").write_text("[sums](decisions/sums.md)\n")
    assert list(check_documents.wrong_decisions(tmp_path)) == []
    (folder / "loops.md").write_text("# Loops\n\nStatus: new. [copies](copies.md)\n")
    (folder / "sums.md").write_text("# Sums\n\nStatus: accepted. Dates: 2026-11-25 to 2026-11-21.\n")
    assert list(check_documents.wrong_decisions(tmp_path)) == [
        "loops.md: no title, status and dates",
        "loops.md: not in the index",
        "loops.md: no source and no other document names it",
        "sums.md: no title, status and dates",
    ]


EXAMPLE = """\
```python
print(1)
```
Text.

<!-- output of one.py -->
```text
1
```
```text
not compared
```
<!-- output of systole targets -->
```text
first
  ...
last
time here  3 s
```
"""


def test_blocks_of_a_document():
    script, command = outputs("a.md", EXAMPLE)
    assert (script.command, script.code, script.text) == ("one.py", "print(1)\n", "1\n")
    assert (command.command, command.code) == ("systole targets", "")
    assert EXAMPLE[command.start :].startswith("first\n")
    # What the document leaves out, and times of its host, stay; all else is as it is now.
    printed = "FIRST\nx\ny\nLAST\ntime here  5 s\n"
    assert updated(command.text, printed) == "FIRST\n  ...\nLAST\ntime here  3 s\n"
    assert updated(script.text, "2\n") != script.text
    assert scripts(EXAMPLE) == [] and scripts("```python\nx\n```\n") == ["x\n"]


CONSOLE = """\
```console
$ systole one \\
    --more
first ... end
...
third
$ systole two
only
```
"""


def test_consoles_of_a_document():
    (console,) = outputs("a.md", CONSOLE)
    assert console.console and console.command == "systole one \\"
    one, two = "$ systole one \\\n    --more", "$ systole two"
    # Any text stands for an ellipsis, in a line and between lines.
    printed = {one: ["first x end", "second", "third"], two: ["only"]}
    assert updated_console(console.text, printed) == console.text
    # A line that differs is replaced, and what was left out stays out.
    printed = {one: ["first x end", "second", "THIRD"], two: ["ONLY", "more"]}
    expected = console.text.replace("third", "THIRD").replace("only", "ONLY\nmore")
    assert updated_console(console.text, printed) == expected
    # A line that is missing is not covered by an ellipsis.
    assert updated_console(console.text, {one: ["first x end"], two: ["only"]}) != console.text
