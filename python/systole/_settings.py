"""The machine that JAX gets, and the precision of its products.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The plugin reads both from the environment when JAX creates its client, however JAX has found it.
"""

import os
import sys
from typing import Literal, get_args

from systole._library import Library, chosen_path

Precision = Literal["default", "high", "highest"]


def _client_exists() -> bool:
    # Not imported here: JAX reads its own settings when it is imported.
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bridge is not None and bool(bridge.backends_are_initialized())


def _set(variable: str, value: str, default: str, what: str) -> None:
    present = os.environ.get(variable) or default
    if value != present and _client_exists():
        raise RuntimeError(
            f"{what} cannot become {value!r}: JAX has made its devices already, for {present!r}; "
            "set it before the first computation and before jax.devices()"
        )
    os.environ[variable] = value


def set_target(target: str | os.PathLike[str]) -> None:
    """Chooses the machine: "v2", "v3", a slice such as "v3-8", or the file of a description.

    As if SYSTOLE_TARGET were set. ValueError if there is no such machine, RuntimeError if JAX has
    made its devices for another.
    """
    name = os.fspath(target)
    if (why := Library(chosen_path()).why_no_target(name)) is not None:
        raise ValueError(why)
    _set("SYSTOLE_TARGET", name, "v3", "the target")


def set_precision(precision: Precision) -> None:
    """Chooses the precision of f32 products that do not specify their own.

    "default" rounds their operands to bf16, "high" makes three products of bf16 halves, "highest"
    is f32. As if SYSTOLE_PRECISION were set. Errors are those of set_target().
    """
    if precision not in get_args(Precision):
        raise ValueError(f"the precision is {precision!r}; it can be default, high or highest")
    _set("SYSTOLE_PRECISION", precision, "default", "the precision")
