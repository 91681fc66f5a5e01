"""The command `systole`: the program that is installed beside this file, and `systole sweep`, which runs Python.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import sys
from typing import NoReturn

from systole._library import built_file


def main() -> NoReturn:
    if sys.argv[1:2] == ["sweep"]:
        from systole._sweep_command import main as sweep

        sys.exit(sweep(sys.argv[2:]))
    try:
        os.execv(built_file("bin/systole"), ["systole", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"systole: error: {error}")


if __name__ == "__main__":
    main()
