"""Records the arguments of callbacks, on the device and on the CPU.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import numpy as np
from jax.experimental import io_callback


def recorded(build, *args, on_cpu):
    """The arguments of a function's callbacks and its results, on the device and on the CPU.
    `build` makes the function from one that records values."""
    results = []
    for call in (lambda f, *a: f(*a), on_cpu):
        notes = []

        def note(*values):
            notes.append([np.asarray(v).tolist() for v in values])

        out = jax.tree.map(np.asarray, call(jax.jit(build(note)), *args))
        jax.effects_barrier()
        results.append((notes, out))
    return results


def assert_same(results, ordered=True):
    (notes, out), (expected_notes, expected) = results
    assert expected_notes
    assert notes == expected_notes if ordered else sorted(notes) == sorted(expected_notes)
    jax.tree.map(np.testing.assert_array_equal, out, expected)


def noted(note, *values, ordered=True):
    io_callback(lambda *v: note(*v), None, *values, ordered=ordered)
