"""The command `systole sweep`: times a function of a script for each choice of its parameters.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The script has a function, `args`, and maybe `parameters`: docs/python.md.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import inspect
import math
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn, get_args

from systole._failure import line_of, place_of
from systole._library import command_path
from systole._predict import Source
from systole._settings import Precision
from systole._sweep import Sweep, combinations, sweep
from systole._text import shown_path

_MODULE = "_systole_sweep_script"

_DESCRIPTION = """\
Times a function of a Python script, such as one that calls a Pallas kernel, for each choice of its parameters, without
data and without a device. The script defines the function, `args`, the arrays or shapes that it is called with, and
`parameters`, the values of each keyword argument that is tried."""


class _Refusal(Exception):
    """An error in the command's input, as one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refusal(message)


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def _parser() -> _Parser:
    parser = _Parser(prog="systole sweep", description=_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("script", metavar="SCRIPT", help="a Python script; it is not run as __main__")
    parser.add_argument("--function", metavar="NAME", help="the function (default: the one that has the parameters)")
    parser.add_argument(
        "--set",
        metavar="NAME=N,N,...",
        action="append",
        default=[],
        help="values of a parameter, instead of those of the script; repeatable",
    )
    parser.add_argument(
        "--target", action="append", help="a machine, see `systole targets`; repeatable [SYSTOLE_TARGET, or v3]"
    )
    parser.add_argument("--precision", choices=get_args(Precision), help="of f32 products")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON")
    parser.add_argument("--plot", metavar="FILE", help="draw the cycles, as .png, .svg or .pdf; needs matplotlib")
    parser.add_argument(
        "--program", metavar="FILE", help="write the program that is fastest on the first target, for `systole run`"
    )
    parser.add_argument("--jobs", metavar="N", type=_jobs, help="compilations at a time (default: one per processor)")
    return parser


def _number(text: str, setting: str) -> int | float:
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    raise _Refusal(f"--set {setting}: {text!r} is not a number")


def _settings(words: Iterable[str]) -> dict[str, list[int | float]]:
    """The constants that `--set` gives."""
    found: dict[str, list[int | float]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not name or not equals:
            raise _Refusal(f"--set {word}: write NAME=VALUE,VALUE,...")
        if name in found:
            raise _Refusal(f"--set {word}: {name} has values already; write them as {name}=VALUE,VALUE,...")
        found[name] = [_number(value, word) for value in values.split(",")]
    return found


def _load(path: str) -> ModuleType:
    """A script as a module."""
    full = os.path.abspath(path)
    try:
        text = pathlib.Path(full).read_bytes()
    except OSError as error:
        raise _Refusal(f"{path}: {error.strerror}") from error
    module = ModuleType(_MODULE)
    module.__file__ = full
    sys.modules[_MODULE] = module
    sys.path.insert(0, os.path.dirname(full))
    try:
        exec(compile(text, full, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        place = "" if place_of(error) else f"{path}: "
        raise _Refusal(f"{place}{shown_path(line_of(error))}") from error
    return module


def _choices(module: ModuleType, path: str, settings: Mapping[str, list[int | float]]) -> list[dict[str, Any]]:
    """The parameters to sweep: `parameters` of the script, but for those of `--set`."""
    given = getattr(module, "parameters", {} if settings else None)
    if given is None:
        raise _Refusal(f"{path} has no `parameters`; define them there or use --set NAME=VALUE,VALUE,...")
    if isinstance(given, Mapping):
        for name, values in given.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise _Refusal(f"{path}: parameters[{name!r}] is {values!r} and not a list of values")
        given = {**given, **settings}
    elif settings:
        raise _Refusal(
            f"{path}: --set needs `parameters` that are a dictionary of lists, and they are a list of choices"
        )
    elif isinstance(given, str) or not isinstance(given, Iterable):
        raise _Refusal(f"{path}: `parameters` is {given!r} and not a dictionary of lists or a list of dictionaries")
    else:
        given = list(given)
        if not all(isinstance(choice, Mapping) for choice in given):
            raise _Refusal(f"{path}: `parameters` is a list of which some elements are no dictionaries")
    found = combinations(given)
    if not found:
        raise _Refusal(f"{path}: `parameters` has no choice to try")
    return found


def _names(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _function(
    module: ModuleType, path: str, wanted: str | None, names: Sequence[str]
) -> tuple[str, Callable[..., Any]]:
    """The function that is named, or else the script's only one or the only one with these parameters."""
    if wanted is not None:
        function = getattr(module, wanted, None)
        if not callable(function):
            raise _Refusal(f"{path} has no function {wanted!r}")
        return wanted, function
    found = {
        name: value
        for name, value in vars(module).items()
        if callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", "") == _MODULE
        and not name.startswith("_")
    }
    if not found:
        raise _Refusal(f"{path} defines no function")
    fitting = {name: value for name, value in found.items() if set(names) <= set(_names(value))}
    chosen = found if len(found) == 1 else fitting
    if len(chosen) != 1:
        what = f"the functions {', '.join(chosen)} have" if chosen else "no function has"
        raise _Refusal(f"{path}: {what} the parameters {', '.join(names)}; choose one by --function")
    return next(iter(chosen.items()))


def _check_call(
    path: str, name: str, function: Callable[..., Any], args: object, choices: list[dict[str, Any]]
) -> None:
    if not isinstance(args, (tuple, list)):
        raise _Refusal(f"{path}: `args` is not a tuple of arrays or shapes")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    keywords = any(entry.kind is inspect.Parameter.VAR_KEYWORD for entry in signature.parameters.values())
    for choice in choices:
        for parameter in choice:
            if parameter not in signature.parameters and not keywords:
                has = ", ".join(signature.parameters) or "none"
                raise _Refusal(f"{path}: {name}() has no parameter {parameter!r}; its parameters are {has}")
        try:
            signature.bind(*args, **choice)
        except TypeError as error:
            raise _Refusal(f"{path}: {name}() with the {len(args)} arguments of `args`: {error}") from error


def _check_targets(targets: Iterable[str]) -> None:
    for target in targets:
        done = subprocess.run([command_path(), "targets", target], capture_output=True, text=True, check=False)
        if done.returncode:
            raise _Refusal(done.stderr.strip().removeprefix("systole: error: "))


def _write(path: str, content: bytes) -> None:
    try:
        pathlib.Path(path).write_bytes(content)
    except OSError as error:
        raise _Refusal(f"{path}: {error.strerror}") from error


def _draw(found: Sweep, path: str) -> None:
    figure = found.plot().figure
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:  # ValueError for an unknown suffix
        raise _Refusal(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _sweep(words: Sequence[str]) -> bool:
    """Whether some choice ran."""
    options = _parser().parse_args(words)
    path = shown_path(os.path.abspath(options.script))
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        raise _Refusal("--plot needs matplotlib: pip install matplotlib")
    settings = _settings(options.set)
    _check_targets(options.target or ())
    module = _load(options.script)
    choices = _choices(module, path, settings)
    names = list(dict.fromkeys(name for choice in choices for name in choice))
    name, function = _function(module, path, options.function, names)
    args = getattr(module, "args", ())
    _check_call(path, name, function, args, choices)

    found = sweep(function, choices, *args, targets=options.target, precision=options.precision, processes=options.jobs)
    print(found)
    if options.json:
        _write(options.json, f"{found.to_json()}\n".encode())
    if options.plot:
        _draw(found, options.plot)
    best = found.best()
    if options.program and best:
        call = functools.partial(function, **best.parameters)
        _write(options.program, Source.of(call, tuple(args), {}, target=best.target).artifact)
    return any(trial.run for trial in found.trials)


def main(words: Sequence[str]) -> int:
    """The exit code: 1 if something is wrong, or if no choice compiles."""
    try:
        ran = _sweep(words)
        if not ran:
            print("systole: error: no choice of the parameters compiles", file=sys.stderr)
        return 0 if ran else 1
    except (_Refusal, FileNotFoundError) as error:
        print(f"systole: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
