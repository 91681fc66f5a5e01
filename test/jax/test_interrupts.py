"""Ctrl-C and the progress line, as a user at a terminal meets them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pty
import signal
import subprocess
import sys
import textwrap

import pytest

# Many layers, so that it takes seconds on any machine: the progress line comes after half a second.
COMPILATION = """
    import jax
    import jax.numpy as jnp

    def layers(x, weights):
        for w in weights:
            x = jnp.cumsum(jnp.sort(jnp.tanh(x @ w), axis=0), axis=1)
        return x

    x = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    lowered = jax.jit(layers).lower(x, [x] * 3000)
    print("ready", flush=True)
    lowered.compile()
    print("done", flush=True)
"""

ENDLESS_RUN = """
    import jax

    @jax.jit
    def endless(x):
        return jax.lax.while_loop(lambda x: x > 0, lambda x: x, x)

    compiled = endless.lower(1.0).compile()
    print("ready", flush=True)
    compiled(1.0).block_until_ready()
    print("done", flush=True)
"""


class Terminal:
    """A program whose standard error is a terminal; standard output is a pipe."""

    def __init__(self, code):
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)],
            stdout=subprocess.PIPE,
            stderr=other,
            text=True,
        )
        os.close(other)
        self.shown = ""
        assert self.process.stdout.readline() == "ready\n"

    def read(self):
        try:
            text = os.read(self.terminal, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            text = ""
        self.shown += text
        return text != ""

    def wait_for(self, text):
        while text not in self.shown:
            assert self.read(), self.shown

    def interrupt(self):
        """What was printed after Ctrl-C, on standard output and on the terminal, to the end."""
        self.process.send_signal(signal.SIGINT)
        while self.read():
            pass
        output, _ = self.process.communicate(timeout=120)
        os.close(self.terminal)
        return output


@pytest.mark.parametrize("code", [COMPILATION, ENDLESS_RUN], ids=["compilation", "run"])
def test_an_interrupt_ends_long_tasks(code):
    program = Terminal(code)
    # So that it comes while the plugin works, not while Python does.
    program.wait_for("compiling @jit_layers" if code is COMPILATION else "running @jit_endless")
    assert program.interrupt() == ""
    assert "KeyboardInterrupt" in program.shown
    # As Python itself ends then: no fault, no abort.
    assert program.process.returncode == -signal.SIGINT


def test_an_interrupted_compilation_leaves_the_process_usable():
    program = Terminal(
        COMPILATION.replace("lowered.compile()", "interrupted()").replace(
            '    print("ready"',
            "    def interrupted():\n"
            "        try:\n            lowered.compile()\n"
            "        except KeyboardInterrupt:\n"
            "            print(jax.jit(lambda x: x + 1)(1.0))\n\n"
            '    print("ready"',
        )
    )
    program.wait_for("compiling @jit_layers")
    assert program.interrupt() == "2.0\ndone\n"
    assert program.process.returncode == 0
