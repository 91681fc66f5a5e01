"""Embeds bytes in a program: the text with `@BODY` replaced by their base64.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: embed.py PROGRAM BYTES
"""

import base64
import pathlib
import sys

body = base64.b64encode(pathlib.Path(sys.argv[2]).read_bytes()).decode()
print(pathlib.Path(sys.argv[1]).read_text().replace("@BODY", body), end="")
