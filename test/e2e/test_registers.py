"""scripts/registers.py stops a program at a bundle and prints registers.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys

import pytest

from systole_cli import BIN, ROOT

PROGRAM = """
.program counting
.target v2
routine main {
  s1 = s.mov 0
  loop 5 {
    s2 = s.shl s1, 3
    v0 = v.mov s1 delay 3
    { s1 = s.add s1, 1; s3 = s.lt 1, s1 }
  }
  halt
}
"""


@pytest.fixture
def registers(tmp_path):
    """Runs the script on the program."""
    (tmp_path / "counting.sysasm").write_text(PROGRAM)

    def run(*arguments):
        command = [sys.executable, ROOT / "scripts/registers.py", tmp_path / "counting.sysasm", *arguments]
        environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


def test_registers_before_a_bundle(registers):
    # Bundles 0 to 3 take a cycle each, and the delay 3.
    done = registers("4", "s1", "s2", "s4")
    assert done.stdout == "bundle 4 at cycle 7\ns1 = 0 (0x0)\ns2 = 0 (0x0)\ns4 = 0 (0x0)\n", done.stderr


def test_registers_where_a_condition_holds(registers):
    # The third iteration sets s3, and has moved 2 to v0.
    done = registers("3", "s1", "v0", "--if", "s3", "--as", "i32")
    lines = done.stdout.splitlines()
    assert lines[1:3] == ["s1 = 3 (0x3)", "v0 ="], done.stderr
    assert lines[3] == "[[2 2 2 2 ... 2 2 2 2]" and len(lines) == 11


def test_bundles_that_do_not_issue(registers):
    assert registers("99", "s1").stderr == "there is no bundle 99\n"
    assert registers("3", "s1", "--if", "s9").stderr == "bundle 3 does not issue\n"
