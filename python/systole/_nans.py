"""A script that stops at its first NaN, at the operation that has computed it.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from systole._numerics import FirstNonfinite, first_nan

_JaxsCheck = Callable[[Exception, Callable[..., Any], Any, Any], NoReturn]


class _Threads(threading.local):
    """Whether a thread looks for infinities, too, in the contexts that it has open."""

    def __init__(self) -> None:
        self.infinities: list[bool] = []


_threads = _Threads()


def _find(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], infinities: bool
) -> FirstNonfinite | None:
    """The first NaN of a call, whose static arguments JAX does not tell. None if that is not known."""
    import jax

    def is_array(value: Any) -> bool:
        return all(hasattr(leaf, "dtype") for leaf in jax.tree.leaves(value))

    def is_number(value: Any) -> bool:
        return all(hasattr(leaf, "dtype") or isinstance(leaf, int | float | complex) for leaf in jax.tree.leaves(value))

    # A number of Python may be traced or static. Where tracing fails, it is static.
    for is_dynamic in (is_number, is_array):
        dynamic = [is_dynamic(value) for value in args]

        def call(*given: Any, dynamic: list[bool] = dynamic, **named: Any) -> Any:
            values = iter(given)
            return function(*(next(values) if flag else value for flag, value in zip(dynamic, args)), **named)

        fixed = {name: value for name, value in kwargs.items() if not is_dynamic(value)}
        named = {name: value for name, value in kwargs.items() if name not in fixed}
        given = [value for flag, value in zip(dynamic, args) if flag]
        # Of calls while JAX differentiates or vectorizes, arguments have no values; functions may use
        # them in any way, and have operations that no TPU has.
        with contextlib.suppress(Exception):
            wrapped = functools.wraps(function)(functools.partial(call, **fixed))
            return first_nan(wrapped, *given, infinities=infinities, **named)
    return None


@functools.cache
def _replace_jaxs_check() -> None:
    """Has JAX call this module where it has found a NaN, which asks JAX's own function where it knows no better."""
    import jax
    from jax._src import api_util

    # JAX has no public way to have another function called.
    jaxs_own: _JaxsCheck = api_util.maybe_recursive_nan_check

    def explain(e: Exception, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        if not _threads.infinities:
            jaxs_own(e, fun, args, kwargs)
        with jax.debug_nans(False), jax.debug_infs(False):
            first = _find(fun, args, kwargs, _threads.infinities[-1])
        # Of data or constants it may be, too.
        if first is None or not (first or first.arguments or first.data["results"]):
            jaxs_own(e, fun, args, kwargs)
        found = FloatingPointError(str(first))
        found.first = first  # type: ignore[attr-defined]
        raise found from None

    api_util.maybe_recursive_nan_check = explain


@contextlib.contextmanager
def debug_nans(*, infinities: bool = False) -> Iterator[None]:
    """Within, a jitted call whose results have a NaN, or with `infinities` also an infinity, is an error.

        with systole.debug_nans():
            train(model, images, labels)

    The FloatingPointError says, as `first_nan`, which operation of the call has computed it, at which line and
    iteration of a loop, and of which operands; its attribute `first` is that result. Where JAX differentiates or
    vectorizes outside of a jitted function, it is JAX's own error, without that. As within `jax.debug_nans`, each
    call waits for its results, and nothing is donated. The call that fails is repeated, with its callbacks.
    """
    import jax

    _replace_jaxs_check()
    _threads.infinities.append(infinities)
    try:
        with jax.debug_nans(True), jax.debug_infs(infinities):
            yield
    finally:
        _threads.infinities.pop()
