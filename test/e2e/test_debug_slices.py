"""`systole debug` on programs of several cores.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import filecmp
import os
import pathlib
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from systole_cli import save_args, systole

PROGRAM = """
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4,), ("cores",))
rows, whole = NamedSharding(mesh, P("cores")), NamedSharding(mesh, P())

def step(x, w):
    h = jnp.tanh(x @ w)
    return w - 0.1 * (x.T @ h), jnp.sum(h)

jitted = jax.jit(step, in_shardings=(rows, whole), out_shardings=(whole, whole), keep_unused=True)
print(jitted.trace(jnp.ones((16, 8)), jnp.ones((8, 8))).lower(lowering_platforms=("tpu",)).as_text(debug_info=True))
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """A sharded step of training for four cores, compiled, and its arguments."""
    folder = tmp_path_factory.mktemp("slice")
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, check=True)
    (folder / "p.mlir").write_text(done.stdout)
    save_args(folder / "args.npz", [np.ones((16, 8), np.float32), np.eye(8, dtype=np.float32)])
    compiled = systole("compile", folder / "p.mlir", "--target", "v3-4", "-o", folder / "p.sysx")
    assert compiled.returncode == 0, compiled.stderr
    return [folder / "p.sysx", "--args", folder / "args.npz"]


def debug(words, *commands):
    done = systole("debug", *words, "--batch", *(word for command in commands for word in ("-e", command)))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_cores_stop_at_one_cycle(words, tmp_path):
    """The state at a cycle is that of a run up to there, whatever was done before."""
    end = int(re.search(r"halted at cycle (\d+)", debug(words, "continue"))[1])
    for cycle in (1, end // 3, end // 2, end - 5):
        debug(words, "continue", f"goto {cycle}", "stepi 40", f"goto {cycle}", f"save {tmp_path / 'a'}")
        debug(words, f"goto {cycle}", f"save {tmp_path / 'b'}")
        assert filecmp.cmp(tmp_path / "a", tmp_path / "b", shallow=False), cycle


def test_each_core_is_seen(words):
    text = debug(words, "goto 500", "core", "core 2", "print arg0", "where", "stepi", "reverse-stepi")
    assert re.findall(r"(?m)^. core (\d), ", text) == ["0", "1", "2", "3"]
    assert "tensor<4x8xf32>" in text and "core 2, cycle" in text


def test_breakpoints_of_all_cores(words):
    """The cores compute alike: they reach the kernel in one cycle, which is one stop."""
    text = debug(words, "break *tanh*", "continue", "core", "continue", "reverse-continue")
    stops = re.findall(r"breakpoint 1, \*tanh\*\ncore (\d), cycle (\d+)", text)
    assert [core for core, _ in stops] == ["0"] * len(stops) and len(stops) >= 2
    assert len(re.findall(rf"(?m)^. core \d, cycle {stops[0][1]}, bundle \d+, kernel `\w*tanh", text)) == 4
    assert stops[-1] == stops[0]


def test_cores_that_there_are_not(words):
    done = systole("debug", *words, "--batch", "-e", "core 4")
    assert done.returncode == 1 and "there is no core '4'; the program has 4" in done.stderr
    assert pathlib.Path(words[0]).exists()


def test_commands_are_about_a_core(words, tmp_path):
    """Conditions hold on any core; a run back to an access is one of the chosen core."""
    rows = np.repeat(np.arange(4, dtype=np.float32), 4)[:, None] * np.ones((1, 8), np.float32)
    save_args(tmp_path / "args.npz", [rows, np.eye(8, dtype=np.float32)])
    words = [words[0], "--args", tmp_path / "args.npz"]
    for core in range(4):
        stopped = debug(words, f"break *3 if arg0[0, 0] == {core}", "continue", "print arg0[0, 0]")
        assert f"core {core}, cycle" in stopped and stopped.rstrip().endswith(f"{core}."), stopped
        for command in ("complete out1", "last out1"):
            assert re.search(
                rf"written by bundle \d+.*\ncore {core}, ", debug(words, "goto 100000000", f"core {core}", command)
            )


@pytest.mark.parametrize("point", ["watch out1", "watch s3", "watch v0", "break all_reduce*"])
@pytest.mark.parametrize("memory", ["2GB", "1"], ids=["many snapshots", "one snapshot"])
def test_runs_back_stop_where_runs_forwards_do(words, point, memory):
    """At the last of all stops of a run from the start that are before the present cycle."""
    words = [*words, "--snapshot-memory", memory]
    cycles = [int(cycle) for cycle in re.findall(r", cycle (\d+),", debug(words, point, *["continue"] * 400))]
    assert len(cycles) in range(1, 400)  # none is left out
    chance = random.Random(point + memory)
    for _ in range(6):
        begin = chance.choice(cycles) + chance.randrange(1, 60)
        shown = debug(words, f"goto {begin}", "print cycle", point, "reverse-continue")
        present = int(re.search(r"^(\d+)$", shown, re.MULTILINE)[1])
        assert int(re.findall(r", cycle (\d+),", shown)[-1]) == max(cycle for cycle in cycles if cycle < present)
