"""Runs StableHLO with XLA on the CPU, for programs that no JAX function lowers to.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
from jax._src.lib import xla_client
from jax.extend.backend import get_backend


def xla_run(text, args):
    """The results of a program's @main on NumPy arguments, as NumPy arrays."""
    client = get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
    program = client.compile_and_load(text, devices, xla_client.CompileOptions())
    with jax.enable_x64(True):
        return [np.asarray(array) for array in program.execute([jax.device_put(a) for a in args])]
