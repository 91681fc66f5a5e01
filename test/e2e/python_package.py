"""The Python package as its wheel installs it, from a build directory: runs scripts with it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tomllib

from systole_cli import BIN, ROOT

BUILD = BIN.parent
TIMEOUT = 120


def install(directory):
    """The installation of the wheel, as by pip."""
    subprocess.run(
        ["cmake", "--install", BUILD, "--component", "python", "--prefix", directory],
        check=True,
        capture_output=True,
        timeout=TIMEOUT,
    )
    for source in (ROOT / "python/systole").iterdir():
        if source.is_file():
            shutil.copy(source, directory / "systole")
    information = directory / "systole-0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: systole\nVersion: 0\n")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in project["entry-points"].items()
    ]
    (information / "entry_points.txt").write_text("\n".join(lines))


class Site:
    """A directory for PYTHONPATH."""

    def __init__(self, directory):
        self.directory = directory
        self.package = directory / "systole"

    def run(self, *words, cwd, paths=(), **variables):
        """Python with the package and with nothing else that would choose a platform."""
        others = ("JAX_", "XLA_", "TPU_", "SYSTOLE_", "PYTHONPATH")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(others)}
        environment["PYTHONPATH"] = os.pathsep.join(map(str, [*paths, self.directory]))
        environment |= {"SYSTOLE_CACHE": "", "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run(
            [sys.executable, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            cwd=cwd,
            env=environment,
        )

    def script(self, text, directory, *, name="script.py", **settings):
        """The output of a script."""
        path = directory / name
        path.write_text(text)
        done = self.run(name, cwd=directory, **settings)
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout


def shared_site(tmp_path_factory):
    """Made by the first of pytest's workers, for all of them."""
    base = tmp_path_factory.getbasetemp()
    directory = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with open(directory.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "complete").exists():
            install(directory)
            (directory / "complete").touch()
    return Site(directory)
