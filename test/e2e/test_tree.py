"""The folders of test/unit and test/lit mirror those of the sources.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("unit", "lit")
# Folders of data, and of programs that jaxlib does not read or prints in another form.
DATA = {"Flattened", "Inputs", "Newest", "Quantized", "fixtures"}


def unmatched(root, kind):
    """Folders of test/`kind` that hold files but have no counterpart among the sources."""
    base = root / "test" / kind
    files = [path.relative_to(base) for path in base.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    folders = {file.parent for file in files if len(file.parts) > 1}
    sources = {folder.parent if folder.name in DATA else folder for folder in folders}
    return sorted(str(folder) for folder in sources if not (root / folder).is_dir())


@pytest.mark.parametrize("kind", KINDS)
def test_folders_mirror_the_sources(kind):
    assert unmatched(ROOT, kind) == []


def test_names_folders_without_a_counterpart(tmp_path):
    (tmp_path / "compiler/Emit").mkdir(parents=True)
    for path in ("compiler/Emit/a.mlir", "compiler/Emit/Inputs/b.mlir", "compiler/Gone/Inputs/c.mlir", "lit.cfg.py"):
        file = tmp_path / "test/lit" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert unmatched(tmp_path, "lit") == ["compiler/Gone"]
