"""Why a program takes its cycles.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """What `systole explain` says about a program. print() shows its text."""

    text: str
    data: Mapping[str, Any] = field(hash=False)  # of --report json

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<systole.Explanation: {self.text.partition(chr(10))[0]}>"
