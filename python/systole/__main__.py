"""The command `systole`: the program that is installed beside this file.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    program = pathlib.Path(__file__).resolve().parent / "bin" / "systole"
    try:
        os.execv(program, ["systole", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"systole: error: {program} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
