"""JAX on an emulated TPU-like machine, and the costs of its programs there.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

With this package installed JAX finds the machine's devices:

    import jax
    import jax.numpy as jnp
    import systole

    systole.set_target("v3")
    print(systole.report(jax.jit(lambda x: jnp.tanh(x @ x)), jnp.ones((512, 512))))
"""

from systole._debug import debug
from systole._dump import dump_ir
from systole._compare import Comparison
from systole._explanation import Explanation
from systole._kernel import Assumption, Kernel, Module
from systole._library import plugin_path
from systole._numerics import FirstNonfinite, FirstOutOfBounds, Numerics, first_nan, first_out_of_bounds, numerics
from systole._nans import debug_nans
from systole._memory import Buffer, Memory, Step
from systole._recording import Recording, record, report
from systole._report import Report, Run
from systole._settings import Precision, set_precision, set_target
from systole._slice import Core, Link, LinkBound, Slice, WholeOperation
from systole._sweep import Sweep, Trial, sweep

__all__ = [
    "Assumption",
    "Buffer",
    "Comparison",
    "Core",
    "Explanation",
    "FirstNonfinite",
    "FirstOutOfBounds",
    "Kernel",
    "Link",
    "LinkBound",
    "Memory",
    "Module",
    "Numerics",
    "Precision",
    "Recording",
    "Report",
    "Run",
    "Slice",
    "Step",
    "Sweep",
    "Trial",
    "WholeOperation",
    "debug",
    "debug_nans",
    "dump_ir",
    "first_nan",
    "first_out_of_bounds",
    "numerics",
    "plugin_path",
    "record",
    "report",
    "set_precision",
    "set_target",
    "sweep",
]
