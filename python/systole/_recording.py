"""From runs on the devices to a report.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from systole._library import Library, loaded_libraries
from systole._report import Report, Run


class Recording:
    """The programs that ran while `record()` was open."""

    def __init__(self, libraries: list[Library]) -> None:
        self._libraries = libraries
        self._runs: list[Run] = []

    def _take(self) -> None:
        for library in self._libraries:
            lines = [json.loads(line) for line in library.take_runs()]
            self._runs += [Run.from_json(line) for line in lines if line["event"] == "run"]

    def report(self) -> Report:
        """What they cost together. RuntimeError if none has ended."""
        if not self._runs:
            import jax

            raise RuntimeError(
                "no program has run to its end on a device of Systole; JAX's default device is "
                f"{jax.devices()[0]}"
            )
        return Report(tuple(self._runs))


_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def record() -> Iterator[Recording]:
    """Records each program that this process runs on devices of Systole, on every thread.

        with systole.record() as recording:
            model.fit(images, labels)
        print(recording.report())

    What was called before does not count; what is called within does, whether anybody waits for
    its results or not: the recording waits for its end. RuntimeError if one is open already.
    """
    import jax

    if not _one_at_a_time.acquire(blocking=False):
        raise RuntimeError("a recording is open already")
    try:
        jax.devices()  # which loads the library
        recording = Recording(loaded_libraries())
        for library in recording._libraries:
            library.record(True)
        try:
            yield recording
        finally:
            recording._take()
            for library in recording._libraries:
                library.record(False)
    finally:
        _one_at_a_time.release()


def report(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Report:
    """Calls a function, jitted or not, waits for its results, and says what the call cost.

    The figures are the emulated device's: the time here, and whether anything had to be compiled,
    do not change them. Arguments that the function donates are gone afterwards, as they are after
    any call.
    """
    import jax

    with record() as recording:
        jax.block_until_ready(function(*args, **kwargs))
    return recording.report()
