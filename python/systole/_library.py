"""The plugin's library: its path, and its exports besides PJRT's functions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Declared in runtime/Pjrt/systole_pjrt.h.
"""

import ctypes
import os
import pathlib

NAME = "libsystole_pjrt.so"


def built_file(name: str) -> pathlib.Path:
    """The files of the package besides its sources; an editable installation has two folders, and in a checkout
    they are in its build directory."""
    import systole

    folders = [pathlib.Path(folder).resolve() for folder in systole.__path__]
    for folder in (*folders, *(folder.parents[1] / "build" for folder in folders)):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(
        f"{folders[0] / name} is missing: the package is not installed. Run `pip install .` or `make build` in the checkout"
    )


def plugin_path() -> pathlib.Path:
    """The PJRT plugin, for frameworks that load a plugin by path."""
    return built_file(f"lib/{NAME}")


def command_path() -> pathlib.Path:
    """The command `systole`: the package's, or that of the build directory of JAX's plugin."""
    told = pathlib.Path(os.environ.get("TPU_LIBRARY_PATH", ""))
    beside = told.parent.parent / "bin/systole"
    return beside if told.name == NAME and beside.is_file() else built_file("bin/systole")


def chosen_path() -> pathlib.Path:
    """The plugin that JAX will load: the one configured as a TPU's runtime, or ours.

    There must not be two in a process: they share protobuf, which registers each message once.
    """
    told = pathlib.Path(os.environ.get("TPU_LIBRARY_PATH", ""))
    return told if told.name == NAME and told.is_file() else plugin_path()


class Library:
    """A plugin's library in this process."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        functions = ctypes.CDLL(os.fspath(path))
        self._record = functions.SystoleRecordRuns
        self._record.argtypes, self._record.restype = [ctypes.c_int], None
        self._take = functions.SystoleTakeRuns
        self._take.argtypes, self._take.restype = [], ctypes.c_void_p
        self._record_answers = functions.SystoleRecordAnswers
        self._record_answers.argtypes, self._record_answers.restype = [ctypes.c_int], None
        self._write_answers = functions.SystoleWriteAnswers
        self._write_answers.argtypes, self._write_answers.restype = [ctypes.c_char_p], ctypes.c_void_p
        self._sending_channel = functions.SystoleSendingChannel
        self._sending_channel.argtypes, self._sending_channel.restype = [], ctypes.c_longlong
        self._check_target = functions.SystoleCheckTarget
        self._check_target.argtypes, self._check_target.restype = [ctypes.c_char_p], ctypes.c_void_p
        self._free = functions.SystoleFree
        self._free.argtypes, self._free.restype = [ctypes.c_void_p], None

    def _text(self, address: int | None) -> str | None:
        """A text that the library returned, freed, or None."""
        if address is None:
            return None
        try:
            return ctypes.string_at(address).decode(errors="replace")
        finally:
            self._free(address)

    def record(self, on: bool) -> None:
        self._record(on)

    def take_runs(self) -> list[str]:
        """A line of JSON for each compilation and run since the last call."""
        lines = self._text(self._take())
        if lines is None:
            raise MemoryError("out of memory for the lines of runs")
        return lines.splitlines()

    def record_answers(self, on: bool) -> None:
        """Records what the host sends to the next program that receives from it."""
        self._record_answers(on)

    def write_answers(self, path: str | os.PathLike[str]) -> None:
        """Writes them for `systole --answers`, if such a program has run. OSError if that fails."""
        if (error := self._text(self._write_answers(os.fsencode(path)))) is not None:
            raise OSError(error)

    def sending_channel(self) -> int:
        """Within a callback: the channel of its last operand. -1 elsewhere."""
        return int(self._sending_channel())

    def why_no_target(self, target: str) -> str | None:
        """The error in the name of a machine; None if it is valid."""
        return self._text(self._check_target(os.fsencode(target)))


def loaded_libraries() -> list[Library]:
    """The libraries that this process has loaded, by whatever path."""
    # The fields are address, permissions, offset, device, inode, and the path if there is one.
    with open("/proc/self/maps", errors="surrogateescape") as maps:
        fields = [line.rstrip("\n").split(maxsplit=5) for line in maps]
    paths = {entry[5] for entry in fields if len(entry) == 6}
    return [Library(path) for path in sorted(paths) if os.path.basename(path) == NAME]
