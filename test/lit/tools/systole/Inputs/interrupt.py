"""Runs a command, sends it SIGINT once it handles that signal, and prints its exit code.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import signal
import subprocess
import sys
import time


def handles_interrupts(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


process = subprocess.Popen(sys.argv[1:])
while process.poll() is None and not handles_interrupts(process.pid):
    time.sleep(0.01)
process.send_signal(signal.SIGINT)
print(f"exit code {process.wait()}", flush=True)
