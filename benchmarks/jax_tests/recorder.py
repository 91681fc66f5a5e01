"""A pytest plugin that appends the outcome of each test to a file as it ends, so that a process that dies
loses nothing: the next one skips the tests that the file has.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import signal

import numpy as np
import pytest
from jax._src import config, test_util

RECORD = pathlib.Path(os.environ["JAX_TESTS_RECORD"])
TEST_SECONDS = int(os.environ["JAX_TESTS_SECONDS"])


# Types of 64 bits are left out for TPUs, which do not have them.
on_tpu = test_util.supported_dtypes


def supported_dtypes():
    wide = {np.int64, np.uint64, np.float64, np.complex128} if config.enable_x64.value else set()
    return on_tpu() | wide


test_util.supported_dtypes = supported_dtypes


def write(**entry):
    with RECORD.open("a") as file:
        file.write(json.dumps(entry) + "\n")


def name_of(item):
    return item.nodeid.split("::", 1)[1]


def pytest_collection_modifyitems(items):
    known = set()
    if RECORD.exists():
        known = {json.loads(line)["test"] for line in RECORD.read_text().splitlines()}
    items[:] = [item for item in items if name_of(item) not in known]


def interrupt(*_):
    raise TimeoutError(f"a test took more than {TEST_SECONDS} s")


def pytest_runtest_setup(item):
    write(test=name_of(item))
    signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(TEST_SECONDS)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when != "call" and not report.failed and not report.skipped:
        return
    signal.alarm(0)
    message = ""
    if report.failed and call.excinfo:
        message = call.excinfo.exconly()
    elif report.skipped:
        message = str(call.excinfo.value) if call.excinfo else ""
    write(test=name_of(item), outcome=report.outcome, seconds=round(call.duration, 2), message=message[:4000])
