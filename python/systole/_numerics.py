"""Where a function loses digits, and where its first NaN arises.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from systole._host import run_with_host
from systole._html import html_table
from systole._lowering import arrays_of, lower
from systole._predict import Source
from systole._text import last_part, shown_path, with_shown_paths, with_source_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from systole._settings import Precision

MOST_OPERATIONS = 20


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of elements against reference values. Infinite ones are `math.inf`.

    A relative error is |x - r| / max(|r|, the smallest normal number of x's type). `norm` is the
    Euclidean norm of the errors divided by that of the reference.
    """

    elements: int
    norm: float
    max_absolute: float
    max_relative: float
    mean_relative: float
    max_ulps: float
    mean_ulps: float
    nans: int  # that the reference does not have
    infinities: int  # where the reference is finite
    flushed: int  # zeros where the reference is below the smallest normal number of the type
    saturated: int  # where the reference is beyond the largest number of the type

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Errors:
        values: dict[str, Any] = {name: line[name] for name in cls.__slots__}
        values |= {name: math.inf for name, value in values.items() if value is None}
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of StableHLO, over all its executions."""

    name: str  # "add.12"
    operation: str  # "stablehlo.add"
    type: str  # "tensor<8x128xbf16>"
    source: str  # "model.py:12:3", or ""
    user_source: str  # outside of installed packages, or ""
    name_stack: str
    executions: int
    total: Errors  # against the program in wide types
    own: Errors | None  # against the operation in wide types on the same operands; None: computed alike
    nans: int
    infinities: int
    exponents: Mapping[int, int] = field(hash=False)  # how many values in wide types have which
    cancelled_bits: float  # the most that an addition lost
    steps: tuple[float, ...]  # the norm of the total error at each execution, in loops
    advice: str

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Operation:
        return cls(
            name=line["name"],
            operation=line["operation"],
            type=line["type"],
            source=line["source"],
            user_source=line["user_source"],
            name_stack=line["name_stack"],
            executions=line["executions"],
            total=Errors.from_json(line["total"]),
            own=Errors.from_json(line["own"]) if line["own"] else None,
            nans=line["nans"],
            infinities=line["infinities"],
            exponents={int(exponent): count for exponent, count in line["exponents"]["counts"].items()},
            cancelled_bits=(line.get("cancelled_bits") or {}).get("max") or 0.0,
            steps=tuple(math.inf if step is None else step for step in line.get("steps", ())),
            advice=line["advice"],
        )

    @property
    def line(self) -> str:
        return shown_path(self.user_source or self.source)

    @property
    def own_norm(self) -> float:
        return self.own.norm if self.own else 0.0


@dataclass(frozen=True, slots=True)
class Trial:
    """A run with one operation in wide types."""

    name: str
    advice: str
    error: float  # of all results
    cycles: int


@dataclass(frozen=True, slots=True, repr=False)
class Numerics:
    """Where a program loses digits; print() shows a table."""

    wide: str  # the type that it was compared with
    cycles: int
    error: float  # of all results: the root of the mean square of their norms, each at most 1
    results: Mapping[str, Errors] = field(hash=False)
    operations: tuple[Operation, ...]  # in program order
    trials: tuple[Trial, ...]
    divergence: str  # why values were not compared from some operation on, or ""
    text: str
    data: Mapping[str, Any] = field(hash=False)

    @classmethod
    def from_json(cls, line: Mapping[str, Any], text: str) -> Numerics:
        return cls(
            wide=line["wide"],
            cycles=line["cycles"],
            error=math.inf if line["error"] is None else line["error"],
            results={result["name"]: Errors.from_json(result) for result in line["results"]},
            operations=tuple(Operation.from_json(each) for each in line["operations"]),
            trials=tuple(
                Trial(each["name"], each["advice"], each["error"] or 0.0, each["cycles"])
                for each in line.get("tried", ())
            ),
            divergence=line["divergence"],
            text=text,
            data=line,
        )

    @property
    def ranked(self) -> tuple[Operation, ...]:
        """The operations with errors of their own, the largest first."""
        lossy = [operation for operation in self.operations if operation.own_norm > 0]
        return tuple(sorted(lossy, key=lambda operation: -operation.own_norm))

    @property
    def by_line(self) -> dict[str, float]:
        """The root of the sum of squares of the errors of each line's operations, the largest first."""
        return self._grouped(lambda operation: operation.line)

    @property
    def by_layer(self) -> dict[str, float]:
        """The same by name stack, without the name of the operation."""
        return self._grouped(lambda operation: operation.name_stack.rpartition("/")[0])

    def _grouped(self, key: Callable[[Operation], str]) -> dict[str, float]:
        squares: dict[str, float] = {}
        for operation in self.ranked:
            squares[key(operation)] = squares.get(key(operation), 0.0) + operation.own_norm**2
        return {name: math.sqrt(square) for name, square in sorted(squares.items(), key=lambda item: -item[1])}

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)

    def to_json(self, indent: int | None = None) -> str:
        return json.dumps(self.to_dict(), indent=indent)

    def rows(self) -> list[list[str]]:
        head = ["operation", "own error", "total", "ulps", "type", "line", "name stack"]
        return [head] + [
            [
                operation.name,
                f"{operation.own_norm:.1e}",
                f"{operation.total.norm:.1e}",
                f"{operation.own.max_ulps if operation.own else 0:.1e}",
                operation.type,
                operation.line,
                last_part(operation.name_stack),
            ]
            for operation in self.ranked[:MOST_OPERATIONS]
        ]

    def plot(self, axes: Axes | None = None) -> Axes:
        """The total error of the operations in program order, and the errors that they add."""
        if axes is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise ImportError("Numerics.plot() needs matplotlib: pip install matplotlib") from error
            _, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
        places = range(len(self.operations))
        axes.plot(places, [operation.total.norm for operation in self.operations], label="total")
        axes.plot(places, [operation.own_norm for operation in self.operations], ".", label="own")
        axes.set_yscale("log")
        axes.set_xlabel("operation, in program order")
        axes.set_ylabel("relative error (norm)")
        axes.legend()
        return axes

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<systole.Numerics: error {self.error:.1e} against {self.wide}>"

    def _repr_html_(self) -> str:
        return html_table(self.rows(), [True, False, False, False, True, True, True])


@dataclass(frozen=True, slots=True, repr=False)
class _FirstOperation:
    """The first operation of a program that has some fault; false if none has it."""

    name: str  # "log.18"; "" if there is none
    source: str
    name_stack: str
    execution: int  # from 0: of an operation in a loop
    text: str
    data: Mapping[str, Any] = field(hash=False)

    @staticmethod
    def place(line: Mapping[str, Any], text: str) -> dict[str, Any]:
        """These fields of a line of `systole numerics --report json`."""
        first = line["first"] or {}
        return {
            "name": first.get("name", ""),
            "source": shown_path(first.get("user_source") or first.get("source", "")),
            "name_stack": first.get("name_stack", ""),
            "execution": first.get("execution", 0),
            "text": text,
            "data": line,
        }

    def __bool__(self) -> bool:
        return bool(self.name)

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<systole.{type(self).__name__}: {self.name or 'none'}>"


@dataclass(frozen=True, slots=True, repr=False)
class FirstNonfinite(_FirstOperation):
    """The operation whose result has the first number that is not finite; print() shows it and its operands."""

    elements: tuple[tuple[int, ...], ...]  # indices of the first ones
    reason: str  # "0 / 0", or "" where that does not follow from one element of each operand
    arguments: tuple[str, ...]  # that have such numbers themselves

    @classmethod
    def from_json(cls, line: Mapping[str, Any], text: str) -> FirstNonfinite:
        first = line["first"] or {}
        return cls(
            **cls.place(line, text),
            elements=tuple(tuple(index) for index in first.get("elements", ())),
            reason=first.get("reason", ""),
            arguments=tuple(argument["name"] for argument in line["arguments"]),
        )


@dataclass(frozen=True, slots=True, repr=False)
class FirstOutOfBounds(_FirstOperation):
    """The operation that has the first index out of bounds; print() shows it."""

    index: int
    least: int
    most: int

    @classmethod
    def from_json(cls, line: Mapping[str, Any], text: str) -> FirstOutOfBounds:
        first = line["first"] or {}
        return cls(
            **cls.place(line, text),
            index=first.get("index", 0),
            least=first.get("least", 0),
            most=first.get("most", 0),
        )


def _run(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    target: str | os.PathLike[str] | None,
    precision: str | None,
    *words: str,
) -> tuple[dict[str, Any], str]:
    """The report of `systole numerics` for a call, as JSON and as text."""
    import numpy as np

    lowered = lower(function, args, kwargs)
    arrays = arrays_of(lowered, args, kwargs)
    source = Source.of_lowered(lowered, target=target, precision=precision)
    with tempfile.TemporaryDirectory() as folder:
        file, data = pathlib.Path(folder, "args.npz"), pathlib.Path(folder, "numerics.json")
        np.savez(file, **{f"arg{number}": array for number, array in enumerate(arrays)})
        arguments = ("--args", file) if arrays else ()
        words += run_with_host(lowered, args, kwargs, pathlib.Path(folder))
        text = source.command("numerics", *arguments, "--json", data, *words)
        # Paths as below the current folder, which that of the command was not.
        return json.loads(data.read_text()), with_source_lines(with_shown_paths(text))


def numerics(
    function: Callable[..., Any],
    /,
    *args: Any,
    wide: Literal["f32", "f64"] = "f32",
    check: int = 0,
    target: str | os.PathLike[str] | None = None,
    precision: Precision | None = None,
    **kwargs: Any,
) -> Numerics:
    """Runs a function, jitted or not, as it is and in wider types, and says where they differ.

    In `wide`, narrower floats become that type and products have the precision `highest`. All
    values of StableHLO's operations are compared, forwards and backwards and inside of loops; none
    of them changes the results by a bit. With `check` the program runs again with so many
    operations, the worst, in that type, each by itself: `trials` says what that gives and costs.

    The program runs on the emulated machine, in a process of its own. Arguments are not donated.
    Callbacks are called once, on JAX's device before that, and all runs get their answers.
    RuntimeError, with the compiler's message, if it does not compile.
    """
    words = ("--wide", wide, "--check", str(check))
    return Numerics.from_json(*_run(function, args, kwargs, target, precision, *words))


def first_nan(
    function: Callable[..., Any],
    /,
    *args: Any,
    infinities: bool = False,
    target: str | os.PathLike[str] | None = None,
    precision: Precision | None = None,
    **kwargs: Any,
) -> FirstNonfinite:
    """Runs a function, jitted or not, until an operation computes a NaN, or with `infinities` also an infinity.

    Says which operation that is, at which line and in which layer, at which execution of a loop, which
    elements have it, and what its operands are there. False if there is none. Errors as of `numerics`.
    """
    flag = "--first-nonfinite" if infinities else "--first-nan"
    return FirstNonfinite.from_json(*_run(function, args, kwargs, target, precision, flag))


def first_out_of_bounds(
    function: Callable[..., Any],
    /,
    *args: Any,
    target: str | os.PathLike[str] | None = None,
    precision: Precision | None = None,
    **kwargs: Any,
) -> FirstOutOfBounds:
    """Runs a function, jitted or not, until a slice, an update, a gather or a scatter has an index out of bounds.

    StableHLO clamps such an index, or drops the update, as a TPU does; JAX's modes `clip`, `fill` and `drop` are
    found, too. False if there is none. Errors as of `numerics`.
    """
    return FirstOutOfBounds.from_json(*_run(function, args, kwargs, target, precision, "--first-out-of-bounds"))
