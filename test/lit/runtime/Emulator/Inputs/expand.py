"""Fills numbers into a program's text and writes out what stands between @repeat
COUNT and @end: expand.py NAME=VALUE... < IN > OUT replaces @NAME@.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import sys

text = sys.stdin.read()
for definition in sys.argv[1:]:
    name, value = definition.split("=")
    text = text.replace(f"@{name}@", value)
text = re.sub(r" *@repeat (\d+)\n(.*?) *@end\n", lambda m: m[2] * int(m[1]), text, flags=re.S)
sys.stdout.write(text)
