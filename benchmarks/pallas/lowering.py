"""Notes each Pallas kernel as JAX lowers it for a TPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib
import pathlib

from jax._src import tpu_custom_call
from jax._src.interpreters import mlir

PACKAGES = ("jax._src", "jax._src.pallas", "jax._src.lax", "jax.experimental.mosaic.gpu", "jax.experimental.pallas")


def complete_packages(checkout):
    """Lets modules be imported that JAX's wheel leaves out and its tests need, from its sources at the same tag."""
    for name in PACKAGES:
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        package.__path__.append(str(pathlib.Path(checkout, *name.split("."))))


def watch(note, newest=False):
    """Calls note(config, operand types, result types, rest) for each kernel that JAX lowers for a TPU. With newest,
    JAX writes the kernels in the newest version of their format."""
    lower = tpu_custom_call._tpu_custom_call_lowering

    def noted(ctx, *operands, config, **rest):
        results, _ = mlir.ir_tree_registry.flatten(
            [mlir.aval_to_ir_types(ctx.module_context, aval) for aval in rest["out_avals"]]
        )
        note(config, [str(value.type) for value in operands], [str(each) for each in results], rest)
        return lower(ctx, *operands, config=config, **rest)

    if newest:
        tpu_custom_call.get_ir_version = lambda _: None
    tpu_custom_call._tpu_custom_call_lowering = noted
    mlir.register_lowering(tpu_custom_call.tpu_custom_call_p, noted, platform="tpu")
