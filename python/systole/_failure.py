"""Exceptions of a user's code as one line, with its place.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import sysconfig
import traceback

_PACKAGES = ("/site-packages/", "/dist-packages/")


def is_of_user(path: str) -> bool:
    """Whether a source is neither of this package, nor of an installed one, nor of Python."""
    folders = (os.path.dirname(__file__), sysconfig.get_path("stdlib"))
    library = tuple(os.path.join(folder, "") for folder in folders)
    return not (path.startswith(("<", *library)) or any(folder in path for folder in _PACKAGES))


def place_of(error: BaseException) -> str:
    """The innermost line of the user's sources that raised an exception, as "flash.py:12"; "" if none did."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_of_user(frame.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def line_of(error: BaseException) -> str:
    """An exception as "flash.py:12: ValueError: the message", its first line."""
    text = str(error.msg if isinstance(error, SyntaxError) else error).partition("\n")[0]
    return ": ".join(filter(None, (place_of(error), type(error).__name__, text)))


def without_packages(text: str) -> str:
    """A text in which paths of installed packages begin with the package."""
    words = text.split(" ")
    for folder in _PACKAGES:
        words = [word.rpartition(folder)[2] for word in words]
    return " ".join(words)
