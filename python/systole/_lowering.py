"""A function's program as JAX lowers it for the machine, without a device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax

NEWEST_VERSION = "1.17.0"
"""Of StableHLO's artifacts, what the compiler reads."""


def lower(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> "jax.stages.Lowered":
    """The program of a call of a function, jitted or not."""
    import jax

    jitted = function if hasattr(function, "trace") else jax.jit(function)
    return jitted.trace(*args, **kwargs).lower(lowering_platforms=("tpu",))


def precision_of(lowered: "jax.stages.Lowered") -> str:
    """What the jit's `compiler_options` ask for, or else the session."""
    # JAX has no public name for what compile() would pass on.
    options = dict(getattr(lowered._lowering, "_compiler_options_kvs", ()))
    session = os.environ.get("SYSTOLE_PRECISION") or "default"
    return str(options.get("systole_precision", session))


def artifact_of(lowered: "jax.stages.Lowered") -> bytes:
    """The program as a plugin gets it.

    The text of one with callbacks or shardings has operations and attributes of Shardy, in a syntax
    of their own.
    """
    # JAX has no public name for this without its export, which refuses callbacks.
    from jaxlib import _jax
    from jaxlib.mlir.dialects import stablehlo

    module = lowered.compiler_ir("stablehlo")
    version = stablehlo.get_smaller_version(stablehlo.get_current_version(), NEWEST_VERSION)
    return _jax.mlir.serialize_portable_artifact(module, version, use_mixed_serialization=True)
