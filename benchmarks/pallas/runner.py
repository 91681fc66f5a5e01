"""Runs files of JAX's tests of Pallas on an emulated TPU, each in a process of its own that is started again after a
test that ends it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# The files of tests/pallas with tests that lower kernels for one TensorCore. Those of SparseCores (tpu_sparsecore_*),
# of several devices (*_distributed, *_sharded, tpu_all_gather), of the interpreter (tpu_pallas_interpret_*), of GPUs
# (gpu_*, mgpu_*, mosaic_gpu, triton) and of analyses that lower nothing are left out.
FILES = """tpu_pallas_test tpu_ops_test ops_test tpu_pallas_pipeline_test tpu_pallas_random_test indexing_test
tpu_paged_attention_kernel_test tpu_ragged_paged_attention_test tpu_splash_attention_kernel_test tpu_gmm_test
pallas_test tpu_pallas_state_test tpu_pallas_async_test tpu_pallas_memory_space_test tpu_fusible_matmul_test
tpu_fusible_matmul_with_stateful_fusions_test tpu_side_effects_test tpu_trace_value_test tpu_pallas_call_print_test
tpu_pallas_mpmd_test tpu_info_test einshape_test pallas_vmap_test pallas_shape_poly_test pallas_error_handling_test
pallas_lowering_determinism_test export_back_compat_pallas_test""".split()


def add_options(parser):
    parser.add_argument("jax", type=pathlib.Path, help="JAX's sources at the tag of the installed version")
    parser.add_argument("--files", nargs="+", default=FILES, metavar="FILE", help="of its folder tests/pallas")
    parser.add_argument("--targets", nargs="+", default=["v5e", "v6e"], metavar="TARGET", help="v5e v6e")
    parser.add_argument("--plugin", type=pathlib.Path, default=ROOT / "build/lib/libsystole_pjrt.so")
    parser.add_argument("--filter", default="", help="as pytest's -k: an expression of parts of tests' names")
    parser.add_argument("--seconds", type=int, default=120, help="of a test, until it is interrupted (120)")
    parser.add_argument("--examples", type=int, default=10, help="that Hypothesis draws for a test, at most (10)")
    parser.add_argument("--processes", type=int, default=1, help="at a time (1)")
    parser.add_argument("--memory", type=float, default=memory() / 2, help="of a process, in GiB (half of the host's)")


def memory(status=pathlib.Path("/proc/meminfo"), name="MemTotal"):
    """GiB that a line of a file of Linux's /proc says, 0 if it is gone."""
    try:
        line = next(line for line in status.read_text().splitlines() if line.startswith(name + ":"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) / 2**20


class File:
    """One file of tests on one target, with the record of its outcomes."""

    def __init__(self, options, target, path, record, **settings):
        self.options, self.target, self.path, self.record, self.settings = options, target, path, record, settings
        self.record.parent.mkdir(parents=True, exist_ok=True)
        self.before = 0

    def environment(self):
        result = dict(os.environ)
        path = [str(HERE), str(self.options.jax.resolve() / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
        result.update(
            JAX_PLATFORMS="tpu,cpu",
            TPU_LIBRARY_PATH=str(self.options.plugin.resolve()),
            TPU_SKIP_MDS_QUERY="1",
            SYSTOLE_TARGET=self.target,
            SYSTOLE_CACHE="",
            SYSTOLE_PROGRESS="0",
            PALLAS_CHECKOUT=str(self.options.jax.resolve()),
            PALLAS_RECORD=str(self.record.resolve()),
            PALLAS_EXAMPLES=str(self.options.examples),
            PYTHONPATH=os.pathsep.join(path),
            PYTHONDONTWRITEBYTECODE="1",
        )
        result.update({name: str(setting) for name, setting in self.settings.items()})
        return result

    def command(self):
        result = [sys.executable, "-m", "pytest", "-q", "-s", "--tb=short", "-p", "plugin", "-p", "no:cacheprovider"]
        result += ["-p", "no:xdist", "-o", "addopts=", "--rootdir", str(self.path.parent), str(self.path)]
        return result + (["-k", self.options.filter] if self.options.filter else [])

    def run(self):
        """Runs the tests that the record does not have. A dict of the last entry by test."""
        while True:
            code = self.process()
            if code in (0, 1, 5):
                return self.outcomes()
            if self.size() == self.before:
                print(f"{self.path.name} does not run: see {self.record.with_suffix('.log')}", file=sys.stderr)
                return self.outcomes()

    def process(self):
        """One process: its exit code. Of the test that it was in when it died or took too long, the record says so."""
        with self.record.with_suffix(".log").open("a") as log:
            process = subprocess.Popen(self.command(), env=self.environment(), stdout=log, stderr=log)
        self.before, self.seconds, self.test = self.size(), 0, None
        last, ended = time.monotonic(), None
        try:
            while process.poll() is None and not ended:
                time.sleep(0.2)
                now = time.monotonic()
                # A host that stood still is not the test's fault.
                self.seconds += min(now - last, 1)
                last = now
                ended = self.overrun(process)
        finally:
            process.kill()
            process.wait()
        running = self.running()
        if running:
            number = -process.returncode
            name = signal.Signals(number).name if number > 0 else f"exit code {process.returncode}"
            ended = ended or {"outcome": "crash", "message": f"the process ended: {name}"}
            with self.record.open("a") as file:
                file.write(json.dumps({"test": running["test"], **ended}) + "\n")
        return process.returncode

    def overrun(self, process):
        """The limit that a process exceeds, or None."""
        if memory(pathlib.Path(f"/proc/{process.pid}/status"), "VmRSS") > self.options.memory:
            return {"outcome": "memory", "message": f"the process took more than {self.options.memory:.1f} GiB"}
        running = self.running()
        if not running or running["test"] != self.test:
            self.seconds, self.test = 0, running["test"] if running else None
        elif self.seconds > self.options.seconds + 30:
            return {"outcome": "timeout", "message": "the test took too long"}
        elif self.seconds > self.options.seconds:
            process.send_signal(signal.SIGALRM)
        return None

    def size(self):
        return self.record.stat().st_size if self.record.exists() else 0

    def running(self):
        """The entry of the test that this process has begun and not ended, or None."""
        if self.size() == self.before:
            return None
        with self.record.open("rb") as file:
            file.seek(max(0, self.size() - 65536))
            last = file.read().splitlines()[-1]
        try:
            entry = json.loads(last)
        except json.JSONDecodeError:
            return None
        return entry if "started" in entry else None

    def outcomes(self):
        result = {}
        if self.record.exists():
            for line in self.record.read_text().splitlines():
                entry = json.loads(line)
                known = result.get(entry["test"])
                # A test that passed can still fail when it is torn down.
                if "outcome" in entry and (not known or known["outcome"] == "passed"):
                    result[entry["test"]] = entry
        return result
