"""A function's program as JAX lowers it for the machine, without a device.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax

NEWEST_VERSION = "1.17.0"
"""The version of StableHLO artifacts that the compiler reads."""


@functools.cache
def _exclude_own_lines() -> None:
    """Has JAX take lines of the user for those of operations, not lines of this package."""
    # JAX has no public name for this.
    from jax._src import source_info_util

    source_info_util.register_exclusion(os.path.dirname(__file__))


def lower(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> "jax.stages.Lowered":
    """The program of a call of a function, jitted or not."""
    import jax

    _exclude_own_lines()
    jitted = function if hasattr(function, "trace") else jax.jit(function)
    try:
        lowered: jax.stages.Lowered = jitted.trace(*args, **kwargs).lower(lowering_platforms=("tpu",))
    except ValueError as error:
        # JAX lowers callbacks for one device.
        if "platform for the specified backend" not in str(error):
            raise
        device = jax.devices()[0]
        raise RuntimeError(
            f"functions with callbacks need a device of Systole, and JAX's is {device.device_kind}: "
            "unset JAX_PLATFORMS, and leave the arguments where JAX places them"
        ) from error
    return lowered


def precision_of(lowered: "jax.stages.Lowered") -> str:
    """The jit's `compiler_options`, or else those of the session."""
    # JAX has no public name for the options that compile() would pass on.
    options = dict(getattr(lowered._lowering, "_compiler_options_kvs", ()))
    session = os.environ.get("SYSTOLE_PRECISION") or "default"
    return str(options.get("systole_precision", session))


def arrays_of(lowered: "jax.stages.Lowered", args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments of the program, as NumPy arrays, of the call that was lowered.

    ValueError for static arguments, which are no arrays: `functools.partial` passes them.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    leaves = jax.tree.leaves((args, kwargs))
    if len(leaves) != len(jax.tree.leaves(lowered.args_info)):
        raise ValueError("static arguments are not arrays; pass them by functools.partial")
    # JAX has no public names for arguments that it drops, and tokens and constants that it passes as arguments.
    lowering = lowered._lowering
    compile_args = getattr(lowering, "compile_args", {})
    kept = compile_args.get("kept_var_idx", range(len(leaves)))
    constants = list(getattr(lowering, "const_args", ()))
    if max(kept, default=-1) >= len(leaves):
        raise RuntimeError("JAX has lowered the function with arguments that its call does not have, as for tracers")
    tokens = [np.zeros(0, np.bool_) for _ in compile_args.get("ordered_effects", ())]

    def array(leaf: Any) -> Any:
        if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        dtype = jax.dtypes.canonicalize_dtype(np.result_type(leaf))
        return np.asarray(leaf, dtype)

    return tokens + [array(leaf) for leaf in (*constants, *(leaves[index] for index in sorted(kept)))]


def artifact_of(lowered: "jax.stages.Lowered") -> bytes:
    """The program as passed to a plugin.

    The text of a program with callbacks or shardings has operations and attributes of Shardy, in
    their own syntax.
    """
    # JAX's public way to this is its export, which rejects callbacks.
    from jaxlib import _jax
    from jaxlib.mlir.dialects import stablehlo

    module = lowered.compiler_ir("stablehlo")
    version = stablehlo.get_smaller_version(stablehlo.get_current_version(), NEWEST_VERSION)
    return bytes(_jax.mlir.serialize_portable_artifact(module, version, use_mixed_serialization=True))
