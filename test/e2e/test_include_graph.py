"""The include graph between folders follows README's order (`scripts/include_graph.py`).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path("scripts/include_graph.py")

README = "| `dialects/A` | first |\n| `compiler/B` | second |\n"
LIBRARIES = {
    "dialects/A/CMakeLists.txt": "systole_add_library(SystoleA a.cpp)\n",
    "compiler/B/CMakeLists.txt": "systole_add_library(SystoleB b.cpp LINK SystoleA)\n",
    "dialects/A/a.cpp": '#include "dialects/A/a.h"\n',
    "compiler/B/b.cpp": '#include "dialects/A/a.h"\n',
}


def graph(root):
    return subprocess.run([sys.executable, root / SCRIPT], capture_output=True, text=True)


def tree(tmp_path, **changed):
    """A repository of two folders, with other texts for some of its files."""
    files = {"README.md": README, **LIBRARIES, **changed}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / SCRIPT.parent).mkdir()
    shutil.copy(ROOT / SCRIPT, tmp_path / SCRIPT)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def test_no_folder_includes_a_later_one():
    result = graph(ROOT)
    assert result.returncode == 0, result.stderr
    assert "compiler/Graph: dialects/StableHLO" in result.stdout


def test_counts_includes(tmp_path):
    result = graph(tree(tmp_path))
    assert (result.returncode, result.stdout) == (0, "compiler/B: dialects/A 1\n")


def test_refuses_an_upward_include(tmp_path):
    result = graph(tree(tmp_path, **{"dialects/A/a.cpp": '#include "compiler/B/b.h"\n'}))
    assert result.returncode == 1
    assert 'compiler/B comes after dialects/A: dialects/A/a.cpp: #include "compiler/B/b.h"' in result.stderr


def test_refuses_a_folder_that_the_readme_does_not_have(tmp_path):
    result = graph(tree(tmp_path, **{"compiler/C/c.cpp": '#include "dialects/A/a.h"\n'}))
    assert result.returncode == 1
    assert "README's table of folders has no compiler/C" in result.stderr


def test_refuses_a_library_that_is_not_linked(tmp_path):
    result = graph(tree(tmp_path, **{"compiler/B/CMakeLists.txt": "systole_add_library(SystoleB b.cpp)\n"}))
    assert result.returncode == 1
    assert "compiler/B uses dialects/A, which its libraries do not link" in result.stderr
