"""A fresh prefix with the installed library, for all of these tests.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The build directory is in the environment variable SYSTOLE_BUILD.
"""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SYSTOLE_BUILD", ROOT / "build")).resolve()


def run(*words, **settings):
    """The output of a command; fails with its errors."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, **settings)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """Installed in one place and moved to another."""
    if "-fsanitize=" in (BUILD / "CMakeCache.txt").read_text():
        pytest.skip("programs that load a sanitized library must be sanitized, too")
    directory = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", directory / "first")
    return (directory / "first").rename(directory / "prefix")
