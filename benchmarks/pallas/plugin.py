"""A pytest plugin for JAX's tests of Pallas: appends what each test did to a file as it ends, with the number of
kernels that it lowered, so that a process that dies loses nothing: the next one skips the tests that the file has.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import signal
import traceback

import jax
import lowering
import pytest

RECORD = pathlib.Path(os.environ["PALLAS_RECORD"])
MODULES = os.environ.get("PALLAS_MODULES")
ONLY = os.environ.get("PALLAS_ONLY")
LOWERED_ONLY = bool(int(os.environ.get("PALLAS_LOWERED_ONLY", "0")))
EXAMPLES = int(os.environ.get("PALLAS_EXAMPLES", "10"))

# Where memory runs out, this process is the one to end.
pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
lowering.complete_packages(os.environ["PALLAS_CHECKOUT"])
import hypothesis  # noqa: E402
from jax._src import test_util  # noqa: E402

# Some tests are left out under pytest unless it lets them have the standard streams, which it does here.
test_util.is_running_under_pytest = lambda: False


class Timeout(BaseException):
    """A test takes too long. Not an Exception, which Hypothesis would take for a finding and try to make smaller."""


def load_profile(name, original=hypothesis.settings.load_profile):
    """Hypothesis draws few examples of each test, and does not look for simpler ones than that which failed."""
    original(name)
    parent = hypothesis.settings.get_profile(name)
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    examples = min(parent.max_examples, EXAMPLES)
    hypothesis.settings.register_profile(
        "few",
        parent=parent,
        max_examples=examples,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    original("few")


# The class refuses assignments.
type.__setattr__(hypothesis.settings, "load_profile", staticmethod(load_profile))


class State:
    """The test that runs and its kernels, and where they are kept."""

    test = None
    running = False
    kernels = 0
    sparse_core = 0
    store = None


def note(config, operands, results, rest):
    if config.device_type == "sparsecore":
        State.sparse_core += 1
        return
    State.kernels += 1
    if State.store:
        State.store.keep(State.test, State.kernels, config, operands, results, rest)


lowering.watch(note, newest=LOWERED_ONLY)
if LOWERED_ONLY:
    import stand_in

    stand_in.compile_nothing()
    stand_in.compare_nothing(test_util.JaxTestCase)
if MODULES:
    import modules

    State.store = modules.Store(MODULES, os.environ.get("SYSTOLE_TARGET", ""))


def write(**entry):
    with RECORD.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def name_of(item):
    file, _, test = item.nodeid.partition("::")
    return pathlib.Path(file).stem + "::" + test


def pytest_collection_modifyitems(items):
    known = set()
    if RECORD.exists():
        known = {json.loads(line)["test"] for line in RECORD.read_text().splitlines()}
    only = set(pathlib.Path(ONLY).read_text().splitlines()) if ONLY else None
    items[:] = [each for each in items if name_of(each) not in known and (only is None or name_of(each) in only)]


def interrupt(*_):
    """The runner, which measures the time, ends a test by a signal."""
    if State.running:
        State.running = False
        raise Timeout("the test took too long")


signal.signal(signal.SIGALRM, interrupt)


def pytest_runtest_setup(item):
    jax.clear_caches()
    State.test, State.kernels, State.sparse_core = name_of(item), 0, 0
    if LOWERED_ONLY:
        stand_in.targets.clear()
    write(test=State.test, started=True)
    State.running = True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when != "call" and not report.failed and not report.skipped:
        return
    State.running = False
    entry = {"test": name_of(item), "outcome": report.outcome, "seconds": round(call.duration, 2)}
    if call.excinfo:
        error = call.excinfo.value
        entry["error"] = type(error).__name__
        entry["message"] = str(error)[:4000] if report.skipped else call.excinfo.exconly()[:4000]
        if report.failed:
            frames = traceback.extract_tb(error.__traceback__)
            entry["frames"] = [f"{shortened(each.filename)}:{each.lineno}:{each.name}" for each in frames[-6:]]
    if LOWERED_ONLY:
        entry["custom_calls"] = sorted(stand_in.targets)
    write(**entry, kernels=State.kernels, sparse_core=State.sparse_core)


def shortened(path):
    """A path from the name of the package or of the folder of tests on."""
    for start in ("/jax/", "/numpy/", "/tests/"):
        if start in path:
            return path[path.rindex(start) + 1 :]
    return pathlib.Path(path).name
