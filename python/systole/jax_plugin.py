"""The entry point in the group `jax_plugins`, through which JAX finds the devices.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.util
import os
import weakref
from typing import Any

from systole._library import chosen_path, plugin_path

PLATFORM = "systole"
# More than the CPU's 0, less than the 300 of a TPU and the 500 of a GPU: real hardware comes first.
PRIORITY = 200


def _tpu_may_be_there() -> bool:
    """Whether the name `tpu` belongs to another runtime, or to chips without one."""
    from jax._src import hardware_utils

    if "TPU_LIBRARY_PATH" in os.environ or importlib.util.find_spec("libtpu") is not None:
        return True
    chips, _ = hardware_utils.num_available_tpu_chips_and_device_id()
    return bool(chips)


def initialize() -> None:
    """Registers the platform `systole`, with the alias `tpu` where there is no TPU.

    Programs are lowered as for a TPU, so JAX may look for the devices by that name, too. If
    TPU_LIBRARY_PATH names a plugin of Systole, JAX itself registers that as `tpu`.
    """
    path = plugin_path()
    if chosen_path() != path:
        return
    from jax._src import xla_bridge

    client: weakref.ref[Any] | None = None

    def one_client() -> Any:
        nonlocal client
        existing = client() if client is not None else None
        if existing is None:
            existing = xla_bridge.make_pjrt_c_api_client(PLATFORM)
            client = weakref.ref(existing)
        return existing

    xla_bridge.register_plugin(PLATFORM, priority=PRIORITY, library_path=str(path), factory=one_client)
    if not _tpu_may_be_there():
        xla_bridge.register_backend_factory("tpu", one_client, priority=PRIORITY, fail_quietly=False)
