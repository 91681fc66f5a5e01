"""Many arrays of indices in one program share SMEM with each other and with spilled scalars.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from check import check_all
from bounds import exact_value
from systole_cli import ROOT, systole_run
from test_indexing import places, whole
from verify import lower

V3 = (ROOT / "dialects/Machine/Target/targets/v3.textproto").read_text()
SMEM = "smem_bytes_per_core { value: 16384"
assert SMEM in V3


def exact(function, args, directory, words):
    """On a core with so many words of SMEM: whole numbers, so that all sums are exact."""
    target = directory / "target.textproto"
    target.write_text(V3.replace(SMEM, f"smem_bytes_per_core {{ value: {4 * words}"))
    args = [np.asarray(arg) for arg in args]
    results = systole_run(lower(function, args).as_text(), args, directory, target=target)
    expected = jax.tree.leaves(jax.jit(function)(*args))
    check_all(results, [exact_value(np.asarray(x)) for x in expected])


WORDS = pytest.mark.parametrize("words", [4096, 1024, 128])


@WORDS
def test_one_permutation_of_many_arrays(words, tmp_path):
    order = np.random.default_rng(0).permutation(2048).astype(np.int32)
    arrays = [whole(f"x{n}", (2048,)) for n in range(4)]
    exact(lambda p, *xs: [x[p] for x in xs], [order, *arrays], tmp_path, words)


@WORDS
@pytest.mark.parametrize("count", [16, 64])
def test_many_arrays_of_indices(count, words, tmp_path):
    """Around a quarter of SMEM each, also in one kernel: the sum of all."""
    indices = [places(f"i{n}", 500, (words // 4 + n % 3 - 1,)) for n in range(count)]

    def function(x, table, *indices):
        parts = [x[i] for i in indices]
        return parts[::7], sum(part[: words // 4 - 1] for part in parts), table[indices[0]]

    exact(function, [whole("x", (500,)), whole("t", (500, 40)), *indices], tmp_path, words)


@WORDS
def test_indices_of_two_components(words, tmp_path):
    i, j = (places(name, 60, (40, 7), beyond=3) for name in "ij")
    exact(
        lambda x, i, j: (x[i, j], x[j, i], x[:, i], x.at[i, j].add(1), x.at[j].add(x[i])),
        [whole("x", (60, 60)), i, j],
        tmp_path,
        words,
    )


@WORDS
def test_graph_network(words, tmp_path):
    source, target = places("s", 100, (2000,)), places("t", 100, (2000,))

    def function(x, source, target):
        degree = jax.ops.segment_sum(jnp.ones(2000), target, 100)
        message = x[source] - x[target]
        summed = jax.ops.segment_sum(message, target, 100)
        return summed, degree, jax.ops.segment_max(message * x[target], source, 100)

    exact(function, [whole("x", (100, 24)), source, target], tmp_path, words)


@WORDS
def test_permutations_in_a_loop(words, tmp_path):
    rng = np.random.default_rng(1)
    orders = np.stack([rng.permutation(1500) for _ in range(3)]).astype(np.int32)

    def function(orders, *xs):
        return lax.scan(lambda xs, order: (tuple(x[order] for x in xs), None), xs, orders)[0]

    exact(function, [orders, *[whole(f"x{n}", (1500,)) for n in range(5)]], tmp_path, words)


def test_sort_by_key_and_take(tmp_path):
    keys = np.random.default_rng(2).permutation(1100).astype(np.int32)

    def function(keys, *xs):
        order = jnp.argsort(keys)
        return [jnp.take(x, order, axis=0) for x in xs]

    exact(function, [keys, *[whole(f"x{n}", (1100,)) for n in range(6)]], tmp_path, 1024)


@WORDS
def test_slices_at_many_scalars(words, tmp_path):
    starts = [np.int32(n * 37 % 200) for n in range(80)]

    def function(x, *starts):
        slices = [lax.dynamic_slice(x, pair, (8, 100)) for pair in zip(starts[::2], starts[1::2])]
        return sum(slices), starts[0] + sum(starts[1:])

    exact(function, [whole("x", (300, 300)), *starts], tmp_path, words)


@pytest.mark.parametrize("count, words", [(40, 4096), (110, 4096), (110, 128)])
def test_many_scalars_carried_by_a_loop(count, words, tmp_path):
    """The registers of the sequencer are 32; with 128 words of SMEM most are spilled to VMEM."""

    def body(step, state):
        x, scalars = state
        scalars = [(3 * s + k + step) % 97 for k, s in enumerate(scalars)]
        for s in scalars[::9]:
            piece = lax.dynamic_slice(x, (s,), (3,))
            x = lax.dynamic_update_slice(x, piece + 1, (scalars[0],))
        return x, scalars

    def function(x, *scalars):
        return lax.fori_loop(0, 4, body, (x, list(scalars)))

    exact(function, [whole("x", (100,)), *[np.int32(n) for n in range(count)]], tmp_path, words)
