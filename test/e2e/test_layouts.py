"""Arrays whose last dimension would waste lanes: as inputs, results, carried values, through
every kind of operation, against the reference and JAX; and the HBM that they take.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import BF16, F32
from check import check_all
from random_programs import Program
from systole_cli import ELEMENT_TYPES, MLIR_NAMES, systole, systole_run
from test_elementwise import BOOL, I8, I32, generator, ordinary
from verify import lower, verify, verify_with_jax

SHAPES = [(1000, 3), (129, 1), (7, 1000, 3), (200, 1, 1), (1437, 10), (2, 300, 1, 5), (1000, 1, 3)]
TYPES = pytest.mark.parametrize("dtype", [F32, BF16, I32, I8, BOOL], ids=lambda d: MLIR_NAMES[d])


def array(name, shape, dtype=F32):
    return ordinary(generator(name, dtype.name, str(shape)), shape, dtype, "any", 0)


@TYPES
def test_inputs_and_results(dtype, tmp_path):
    args = [array("inputs", shape, dtype) for shape in SHAPES]

    def function(*xs):
        # As they are, chosen from, flattened, and made from other orders.
        flat = [jnp.reshape(x, (-1,)) for x in xs]
        turned = [jnp.transpose(x) for x in xs]
        mirrored = [lax.rev(x, (0, x.ndim - 1)) for x in xs]
        return *xs, *flat, *turned, *mirrored

    verify(function, args, tmp_path)


@TYPES
def test_reshapes(dtype, tmp_path):
    """Between arrays with the long dimension along the lanes, split, merged and torn."""
    cases = [
        ((1000, 3), (10, 100, 3)),
        ((10, 100, 3), (1000, 3)),
        ((1000, 3), (1000, 1, 3, 1)),
        ((1000, 3), (3, 1000)),
        ((3000,), (1000, 3)),
        ((7, 1000, 3), (7000, 3)),
        ((7000, 3), (7, 1000, 3)),
        ((7, 1000, 3), (1000, 21)),
        ((200, 200), (40000, 1)),
        ((40000, 1), (200, 200)),
        ((600, 1, 2), (20, 60, 1)),
        ((7, 2, 8, 2, 200), (2, 100, 7, 32, 1)),
    ]
    args = [array("reshapes", shape, dtype) for shape, _ in cases]

    def function(*xs):
        return [jnp.reshape(x, shape) for x, (_, shape) in zip(xs, cases)]

    verify(function, args, tmp_path)


@TYPES
def test_movement(dtype, tmp_path):
    args = [array("movement", shape, dtype) for shape in SHAPES if len(shape) > 1]
    filler = np.asarray(1, dtype)

    def function(*xs):
        results = []
        for x in xs:
            results += [
                x[1:-1:3],
                x[..., :1],
                lax.pad(x, filler, [(1, 2, 0)] * x.ndim),
                lax.concatenate([x, x], 0),
                lax.concatenate([x, x], x.ndim - 1),
                jnp.broadcast_to(x[..., None], (*x.shape, 2)),
                jnp.broadcast_to(x, (2, *x.shape)),
            ]
        return results

    verify(function, args, tmp_path)


def test_reductions(tmp_path):
    args = [array("reductions", shape) for shape in SHAPES]

    def function(*xs):
        return [
            reduce(x, axis=axis, keepdims=keep)
            for x in xs
            for axis in (*range(x.ndim), None)
            for reduce, keep in ((jnp.sum, False), (jnp.max, True))
        ]

    verify(function, args, tmp_path)


@pytest.mark.parametrize("precision", ["default", "highest"])
def test_contractions(precision, tmp_path):
    """Either side, either result and either contraction with a short last dimension."""
    x, w = array("dots", (1000, 3)), array("dots", (3, 40))
    h, v = array("dots", (600, 128)), array("dots", (128, 10))
    g, q = array("dots", (600, 10)), array("dots", (5, 300, 8))
    matrix, vector = array("dots", (200, 300)), array("dots", (300, 1))

    def function(x, w, h, v, g, q, matrix, vector):
        return (
            x @ w,
            h @ v,
            (h @ v) * g + 1,
            h.T @ g,
            g.T @ h,
            g @ g.T,
            x.T @ x,
            matrix @ vector,
            vector.T @ matrix.T,
            jnp.einsum("bik,bjk->bij", q, q),
            jnp.einsum("bki,bkj->bij", q, q),
            jnp.einsum("bik,lk->bil", q, g[:, :8]),
        )

    verify(function, [x, w, h, v, g, q, matrix, vector], tmp_path, precision=precision)


@TYPES
def test_rows_by_position(dtype, tmp_path):
    """Rows are gathered, cut out and replaced at positions that data decides."""
    table, row = array("rows", (1000, 3), dtype), array("rows", (1, 3), dtype)
    rows = np.array([[0], [999], [500], [1000], [-1]], np.int32)

    def function(table, row, rows, i):
        return (
            table.at[rows[:, 0]].get(mode="clip", wrap_negative_indices=False),
            lax.dynamic_slice(table, (i, jnp.int32(0)), (1, 3)),
            lax.dynamic_slice(table, (i, jnp.int32(1)), (300, 1)),
            lax.dynamic_update_slice(table, row, (i, jnp.int32(0))),
        )

    verify(function, [table, row, rows, np.int32(777)], tmp_path)


def test_loop(tmp_path):
    """Carried in their order, updated by rows, and exchanged with each other."""
    x, y = array("loop", (300, 3)), array("loop", (300, 3))

    def function(x, y):
        def body(i, state):
            x, y, rows = state
            rows = lax.dynamic_update_slice(rows, x[:1] + y[1:2], (i, 0))
            return y, x * 0.5 + y, rows

        return lax.fori_loop(0, 5, body, (x, y, jnp.zeros((300, 3), jnp.float32)))

    verify_with_jax(function, [x, y], tmp_path)


def test_branches(tmp_path):
    x = array("branches", (1000, 3))

    def function(x, i):
        return lax.switch(i, [lambda x: x + 1, lambda x: x[::-1], lambda x: x * x.sum(0)], x)

    for i in range(3):
        verify_with_jax(function, [x, np.int32(i)], tmp_path)


def test_constants(tmp_path):
    values = array("constants", (400, 3)), array("constants", (400, 3), BOOL)

    def function(x):
        return jnp.where(values[1], x, values[0])

    verify_with_jax(function, [array("x", (400, 3))], tmp_path)


def test_classifier(tmp_path):
    """A classifier of few classes on few features, with its gradient."""
    x, w, v = array("mlp", (500, 3)), array("mlp", (3, 32)), array("mlp", (32, 5))
    labels = np.asarray(generator("labels").integers(0, 5, 500), np.int32)

    def loss(parameters, x, labels):
        w, v = parameters
        errors = jnp.tanh(x @ w) @ v - (labels[:, None] == jnp.arange(5))
        return jnp.mean(errors * errors)

    verify_with_jax(jax.value_and_grad(loss), [[w, v], x, labels], tmp_path)


CELLS = {F32: "", I32: "", BF16: "(2,1)", I8: "(4,1)", BOOL: "(4,1)"}


def with_stated_layouts(text, rng):
    """A program with random orders of dimensions stated for most of its operations."""
    lines, closing = [], None
    for line in text.splitlines():
        if closing is None and ("reducer(" in line or line.endswith("({")):
            closing = "})" if line.endswith("({") else "}"
        elif closing and line.strip().startswith(closing):
            closing = None
        operation = re.match(r"\s+%\w+ = stablehlo\.(?!constant|while|case|if|reduce\b)\w+ ", line)
        types = re.findall(r"tensor<((?:\d+x)*)(\w+)>", line)
        if operation and types and not closing:  # single elements lie in no order
            dims, kind = types[-1]
            order = ",".join(map(str, rng.permutation(dims.count("x"))))
            layout = f"#kernel.layout<{{{order}:T(1,128){CELLS[ELEMENT_TYPES[kind]]}}}>"
            start, end = line.rsplit(" : ", 1)
            line = f"{start} {{kernel.layouts = [{layout}]}} : {end}"
        lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(30))
def test_any_order(seed, tmp_path):
    """Whatever the orders, results are the same; those that a program states are kept."""
    program = Program(seed)
    text = with_stated_layouts(program.lowered().as_text(), np.random.default_rng(seed))
    assert "kernel.layouts" in text
    check_all(systole_run(text, program.args, tmp_path), program.expected())


# Rows of 512 bytes that hold elements, and that the array owns, by hand: rows of lanes are
# groups of 128, two or four groups of narrow elements share a row, and an array owns whole
# eights of groups.
@pytest.mark.parametrize(
    "shape, dtype, rows, owned",
    [
        ((1000, 3), F32, 3 * 8, 24),
        ((129, 1), F32, 2, 8),
        ((7, 1000, 3), F32, 7 * 3 * 8, 168),
        ((1000, 3), BF16, 3 * 8 // 2, 12),
        ((1000, 3), I8, 3 * 8 // 4, 6),
        # Two rows side by side.
        ((1000, 64), F32, 500, 504),
        ((1000, 48), F32, 1000, 1000),
    ],
)
def test_hbm_bytes(shape, dtype, rows, owned, tmp_path):
    report = tmp_path / "report.json"
    text = lower(lambda x: x + x, [array("bytes", shape, dtype)]).as_text()
    options = ["--report", "json", "--report-file", report]
    systole_run(text, [array("bytes", shape, dtype)], tmp_path, options=options)
    measured = json.loads(report.read_text())
    assert measured["hbm_write_bytes"] == rows * 512
    assert measured["hbm_read_bytes"] >= rows * 512
    # The argument, the result, and at most 16 KiB of the program's own.
    assert 2 * owned * 512 <= measured["hbm_peak_bytes"] <= 2 * owned * 512 + 16384


def test_larger_than_vmem(tmp_path):
    """Cut along the lanes: 24 MB each, which row-major order would pad to a gigabyte."""
    x = array("large", (2_000_000, 3))
    verify_with_jax(lambda x: (x + 1, x.sum(axis=1)), [x], tmp_path)


@pytest.mark.parametrize("dtype", [F32, BF16], ids=lambda d: MLIR_NAMES[d])
def test_rows_become_lanes(dtype, tmp_path):
    """Blocks of rows of one array are blocks of lanes of the other: 1,024 do not fit."""
    x = array("wide", (1500, 4000), dtype)
    verify_with_jax(lambda x: (x.T, x.max(axis=1), jnp.abs(x) < x.max(axis=1)[:, None]), [x], tmp_path)


def test_program_says_its_layouts(tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(lower(lambda x: x + x, [array("text", (1000, 3))]).as_text())
    done = systole("compile", program, "-o", tmp_path / "program.sysx")
    assert done.returncode == 0, done.stderr
    text = systole("objdump", tmp_path / "program.sysx").stdout
    assert text.count("f32[1000, 3] layout [0, 1]") == 2
