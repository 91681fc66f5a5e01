"""JAX on the emulated devices, as started by a user: the tests do not depend on Systole.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

# Before JAX is imported: the plugin in the place of the TPU's runtime, and the CPU to compare with.
os.environ["TPU_LIBRARY_PATH"] = os.environ["SYSTOLE_PLUGIN"]
os.environ["JAX_PLATFORMS"] = "tpu,cpu"
os.environ["SYSTOLE_TARGET"] = "v3-8"
os.environ["SYSTOLE_PRECISION"] = "highest"
os.environ["SYSTOLE_CACHE"] = ""

import jax
import pytest


@pytest.fixture
def device():
    return jax.devices("tpu")[0]


@pytest.fixture
def on_cpu():
    """Calls a function on the CPU: on_cpu(f, *arrays)."""

    def call(function, *args):
        with jax.default_device(jax.devices("cpu")[0]):
            return jax.tree.map(jax.device_get, function(*jax.tree.map(jax.device_get, args)))

    return call
