"""Reports from runs on the devices.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import contextlib
import dataclasses
import json
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from systole._library import Library, loaded_libraries
from systole._memory import Memory
from systole._predict import explainer, is_abstract, predict
from systole._report import Report, Run
from systole._settings import Precision


class Recording:
    """The programs that ran while `record()` was open."""

    def __init__(self, libraries: list[Library]) -> None:
        self._libraries = libraries
        self._runs: list[Run] = []
        self._memories: dict[int, Memory] = {}  # by program

    def _take(self) -> None:
        for library in self._libraries:
            lines = [json.loads(line) for line in library.take_runs()]
            self._runs += [Run.from_json(line) for line in lines if line["event"] == "run"]
            for line in lines:
                if line["event"] == "memory":
                    self._memories[line["program_id"]] = Memory.from_json(line["memory"])

    def report(self) -> Report:
        """The cost of these programs together. RuntimeError if none has finished."""
        if not self._runs:
            import jax

            raise RuntimeError(
                f"no program has finished on a device of Systole; JAX's default device is {jax.devices()[0]}"
            )
        return Report(tuple(self._runs), tuple(self._memories.values()))


_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def record() -> Iterator[Recording]:
    """Records each program that this process runs on devices of Systole, on every thread.

        with systole.record() as recording:
            model.fit(images, labels)
        print(recording.report())

    Calls made before are not recorded; calls made within are, even if nothing waits for their
    results: the recording waits for their end. RuntimeError if one is open already.
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


def report(
    function: Callable[..., Any],
    /,
    *args: Any,
    target: str | os.PathLike[str] | None = None,
    precision: Precision | None = None,
    assume_trips: int | None = None,
    **kwargs: Any,
) -> Report:
    """Calls a function, jitted or not, waits for its results, and returns the costs of the call.

    The figures are the emulated device's: they do not depend on the time of the host
    or on compilation. Arguments that the function donates are deleted, as by any
    call.

    Nothing runs if an argument is a `jax.ShapeDtypeStruct`, or if `target`, `precision` or
    `assume_trips` is given: the function is compiled as one program and timed without data, for
    JAX's target or any other. Where control depends on data, loops then have `assume_trips`
    iterations (1 if it is not given) and the costliest branch runs; the report lists each such
    location in `assumptions`. RuntimeError, with the compiler's message, if it does not compile.
    """
    import jax

    options = (target, precision, assume_trips)
    if any(option is not None for option in options) or is_abstract((args, kwargs)):
        trips = 1 if assume_trips is None else assume_trips
        if trips < 0:
            raise ValueError(f"assume_trips is {trips}; it can be 0 or more")
        return predict(function, args, kwargs, target=target, precision=precision, assume_trips=trips)
    explain = explainer(function, args, kwargs)  # before the call may delete arguments
    with record() as recording:
        jax.block_until_ready(function(*args, **kwargs))
    return dataclasses.replace(recording.report(), explainer=explain)
