"""Arrays that VMEM keeps between kernels, and for all kernels of a loop.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bounds import F32, exact_value
from check import check_all
from plans import bits_of, fused, plans_of, systole_opt, with_random_plans
from systole_cli import TARGETS, save_args, systole, systole_run
from test_elementwise import generator
from verify import lower


def numbers(name, shape):
    return np.asarray(generator(name).integers(-8, 9, shape) / 16, F32)


def layer(h, w, x, trips=7):
    """A recurrent layer, the states of all trips and the last one."""

    def step(h, x_t):
        gates = h @ w + x_t
        a, b, c, d = jnp.split(gates, 4, axis=1)
        return jnp.clip(a * b + c * d, -2, 2), h

    return lax.scan(step, h, x[:trips])


def backwards(h, w, x):
    """From the last part to the first, of which each trip loads the next one."""

    def step(h, x_t):
        h = jnp.clip(h + x_t[:, :256] * x_t[:, 256:512], -2, 2)
        return jnp.clip((h @ w)[:, :256], -2, 2), h

    return lax.scan(step, h, x, reverse=True)


def two_loops(h, w, x):
    """One after the other, with the same weights."""
    first, states = layer(h, w, x)
    last, others = layer(first, w, x)
    return last, states, others


def nested(h, w, x):
    """Both loops read the weights."""

    def outer(_, h):
        return lax.fori_loop(0, 3, lambda _, h: jnp.clip((h @ w)[:, : h.shape[1]], -2, 2), h) + (h @ w)[:, : h.shape[1]]

    return lax.fori_loop(0, 3, outer, h)


def with_branches(h, w, x):
    """Branches read what the loop makes and carries."""

    def body(i, h):
        wide = jnp.clip(h @ w, -1, 1)
        shift = lax.cond(jnp.sum(wide) > 0, lambda: wide[:, :256] * 2, lambda: h - wide[:, 256:512])
        return jnp.clip(h + shift + wide[:, :256], -2, 2)

    return lax.fori_loop(0, 5, body, h)


def of_every_kind(h, w, x):
    """Kernels of other kinds between those of what VMEM keeps."""

    def body(i, state):
        h, table, key = state
        wide = jnp.clip(h @ w, -1, 1)
        order = jnp.argsort(wide[:, 0])
        key, draw = jax.random.split(key)
        rows = table[order % table.shape[0]]
        table = table.at[order].add(jnp.round(wide[:, :256] * 8))
        noise = jnp.sign(jax.random.uniform(draw, h.shape) - 0.5)
        return jnp.clip(wide[:, 768:] + rows[: h.shape[0]] + noise, -2, 2), jnp.sort(table, axis=0), key

    h, table, key = lax.fori_loop(0, 4, body, (h, jnp.zeros((200, 256), h.dtype), jax.random.key(3)))
    return h, table, jax.random.key_data(key)


def until_large(h, w, x):
    """The number of trips depends on data, and the condition reads what is carried."""

    def body(h):
        return h + jnp.abs(jnp.clip(h @ w, -1, 1))[:, :256]

    return lax.while_loop(lambda h: jnp.max(h) < 4, body, h)


def exchanged(h, w, x):
    """Each of two carried values becomes the other."""

    def body(_, state):
        a, b = state
        return jnp.clip((b @ w)[:, :256], -2, 2), a + 1

    return lax.fori_loop(0, 6, body, (h, h * 2))


def not_kept_alone(h, w, x):
    """The loop reads what it carries behind the kernel that makes the next one."""

    def body(_, h):
        after = jnp.clip((h @ w)[:, :256], -2, 2)
        return after + jnp.sort(h, axis=0) + jnp.max(after)

    return lax.fori_loop(0, 4, body, h)


def two_products(h, w, x):
    """Each iteration loads two parts, which are read one after the other."""
    first = jnp.moveaxis(w.reshape(256, 4, 256), 1, 0)
    return lax.scan(lambda h, parts: (jnp.clip((h @ parts[0]) @ parts[1], -2, 2), h), h, (first, first[::-1] * 2))


def without_loop(h, w, x):
    """Kernels hand on arrays, one of which is read by several and after others that need room."""
    wide = jnp.clip(h @ w, -1, 1)
    rows = wide - jnp.max(wide, axis=1, keepdims=True)
    order = jnp.argsort(jnp.sum(rows, axis=1))
    narrow = jnp.clip(rows @ w.T, -1, 1)
    again = jnp.clip((narrow + h) @ w, -1, 1)
    return again * rows, wide[order], jnp.sum(narrow, axis=0), (again.T @ narrow) / 16


def read_in_loop(h, w, x):
    """A kernel before a loop makes what the condition, branches and kernels of the loop read."""
    wide = jnp.clip(h @ w, -1, 1)
    limit = jnp.sum(jnp.abs(wide), axis=0, keepdims=True)

    def body(state):
        i, h = state
        more = lax.cond(i % 2 == 0, lambda: limit[:, :256] / 64 + 0 * h, lambda: wide[:, 256:512])
        return i + 1, jnp.clip(h + more + wide[:, :256], -2, 2)

    return lax.while_loop(lambda state: (state[0] < 5) & (jnp.sum(limit) > state[1][0, 0]), body, (0, h))


FUNCTIONS = [
    layer, backwards, two_loops, nested, with_branches, of_every_kind, until_large, exchanged, not_kept_alone,
    two_products, without_loop, read_in_loop,
]  # fmt: skip


def arguments(rows=16):
    return [numbers("h", (rows, 256)), numbers("w", (256, 1024)) / 8, numbers("x", (7, rows, 1024))]


def run(fusions, args, directory, target="v3"):
    return systole_run(fusions, args, directory, target=target, options=("--from", "fusion"))


@pytest.mark.parametrize("target", ["v3", "v2", "v6e"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_bits_are_those_of_copies(function, target, tmp_path):
    text, args = lower(function, arguments()).as_text(), arguments()
    pipeline = f"to=fusion target={target} precision=highest"
    kept = systole_opt(text, f"--systole-pipeline={pipeline}")
    copied = systole_opt(text, f"--systole-pipeline={pipeline} cross-kernel=false")
    # Where HBM is fast, two trips, as many as a loop of unknown ones is taken to have, are too few.
    assert "kernel.resident" in kept or (function is until_large and target == "v6e")
    assert "placement = <kernels" in kept or function not in (without_loop, read_in_loop)
    assert "kernel.resident" not in copied
    results = run(kept, args, tmp_path, target)
    assert bits_of(results) == bits_of(run(copied, args, tmp_path, target))
    for seed in range(3):
        drawn = with_random_plans(kept, seed, target)
        assert plans_of(drawn) != plans_of(kept)
        assert bits_of(run(drawn, args, tmp_path, target)) == bits_of(results)


@pytest.mark.parametrize(
    "function", [layer, two_loops, nested, until_large, exchanged, without_loop], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("rows", [8, 13, 128])
def test_results_are_those_of_jax(function, rows, tmp_path):
    args = arguments(rows)
    args[1] = np.round(args[1] * 16) / 16
    results = systole_run(lower(function, args).as_text(), args, tmp_path)
    expected = jax.tree.leaves(jax.jit(function)(*args))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, np.asarray(wanted), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("element", [jnp.int8, jnp.int16, jnp.bfloat16, jnp.float16])
@pytest.mark.parametrize("shape", [(7,), (1, 3), (7, 5), (256, 3)], ids=str)
def test_narrow_elements(shape, element, tmp_path):
    """VMEM keeps fewer rows of them than HBM has, which are stored behind the loop."""
    x = np.asarray(generator(f"{shape}").integers(-20, 20, shape)).astype(element)

    def sorted_twice(x):
        return lax.fori_loop(0, 3, lambda _, v: lax.sort(lax.sort(v)[..., ::-1]), x)

    def doubled(x):
        return lax.fori_loop(0, 2, lambda _, v: lax.optimization_barrier(v + v) - v, x)

    for function in [sorted_twice, doubled]:
        results = systole_run(lower(function, [x]).as_text(), [x], tmp_path)
        check_all(results, [exact_value(np.asarray(jax.jit(function)(x)))])


@pytest.mark.parametrize("trips", [0, 1, 2, 9])
def test_any_number_of_trips(trips, tmp_path):
    def function(count, h, w):
        return lax.fori_loop(0, count, lambda i, h: jnp.clip(jnp.round((h @ w)[:, :256] + i), -4, 4), h)

    args = [np.int32(trips), numbers("h", (16, 256)) * 16, np.round(numbers("w", (256, 1024)) * 2)]
    text = lower(function, args).as_text()
    assert "kernel.resident" in fused(text)
    results = systole_run(text, args, tmp_path)
    check_all(results, [exact_value(np.asarray(x)) for x in jax.tree.leaves(jax.jit(function)(*args))])


def test_donated_state(tmp_path):
    """The result is written over the argument, which the loop starts with."""

    def function(h, w):
        return lax.fori_loop(0, 5, lambda i, h: jnp.clip(jnp.round((h @ w)[:, :256] + i), -4, 4), h), jnp.sum(h)

    args = [numbers("h", (16, 256)) * 16, np.round(numbers("w", (256, 1024)) * 2)]
    text = jax.jit(function, donate_argnums=0).lower(*args).as_text()
    assert "kernel.resident" in fused(text)
    results = systole_run(text, args, tmp_path)
    check_all(results, [exact_value(np.asarray(x)) for x in jax.tree.leaves(jax.jit(function)(*args))])


def test_explain_names_them(tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(lower(layer, arguments()).as_text())
    done = systole("explain", program, "--target", "v3")
    assert done.returncode == 0, done.stderr
    assert "kept in VMEM between calls: " in done.stdout


def test_timing_alone_takes_as_many_cycles(tmp_path):
    args = arguments()
    program, inputs = tmp_path / "program.mlir", tmp_path / "args.npz"
    program.write_text(lower(layer, args).as_text())
    save_args(inputs, args)

    def cycles(*options):
        report = tmp_path / "report.json"
        words = ["run", program, "--target", "v3", "--args", inputs, "--out", tmp_path / "out.npz", *options]
        done = systole(*words, "--report", "json", "--report-file", report)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text())["cycles"]

    full = cycles()
    report = tmp_path / "report.json"
    words = ["run", program, "--target", "v3", "--args", inputs, "--timing-only"]
    done = systole(*words, "--report", "json", "--report-file", report)
    assert done.returncode == 0, done.stderr
    assert json.loads(report.read_text())["cycles"] == full


def test_results_of_kernels_stay(tmp_path):
    """HBM moves the arguments and the result of three kernels, not what they hand to each other."""
    args = [numbers("h", (128, 512)), numbers("w", (512, 512))]

    def function(h, w):
        for _ in range(3):
            h = jnp.clip(h @ w, -1, 1)
        return h

    report = tmp_path / "report.json"
    options = ("--report", "json", "--report-file", report)
    systole_run(lower(function, args).as_text(), args, tmp_path, target="v3", options=options)
    figures = json.loads(report.read_text())
    assert figures["hbm_read_bytes"] < args[0].nbytes + 3 * args[1].nbytes + 64 * 1024
    assert figures["hbm_write_bytes"] < args[0].nbytes + 64 * 1024


def test_weights_are_read_once(tmp_path):
    """HBM moves the weights of a loop as often in twenty trips as in ten."""

    def moved(trips):
        def function(h, w):
            return lax.fori_loop(0, trips, lambda _, h: jnp.clip((h @ w), -1, 1), h)

        args = [numbers("h", (16, 512)), numbers("w", (512, 512))]
        report = tmp_path / "report.json"
        options = ("--report", "json", "--report-file", report)
        systole_run(lower(function, args).as_text(), args, tmp_path, target="v3", options=options)
        return json.loads(report.read_text())["hbm_read_bytes"]

    assert moved(20) - moved(10) < 512 * 512 * 4


@pytest.mark.parametrize("target", TARGETS[:5])
def test_loads_overlap_with_products(target, tmp_path):
    """A trip takes little longer than the larger of HBM's and the MXUs' time."""

    def figures(trips):
        weights = jax.ShapeDtypeStruct((trips, 1024, 1024), F32)

        def function(x, w, v):
            return lax.scan(lambda x, part: ((x @ part[0]) @ part[1], None), x, (w, v))[0]

        program, report = tmp_path / "program.mlir", tmp_path / "report.json"
        program.write_text(lower(function, [jax.ShapeDtypeStruct((128, 1024), F32), weights, weights]).as_text())
        options = ("--timing-only", "--report", "json", "--report-file", report)
        done = systole("run", program, "--target", target, *options)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text())

    few, many = figures(6), figures(24)
    seconds = (many["device_seconds"] - few["device_seconds"]) / 18
    hbm = 2 * 1024 * 1024 * 4 / many["hbm_bytes_per_second"]
    mxus = 2 * 2 * 128 * 1024 * 1024 / many["peak_flops_per_second"]
    assert seconds <= 1.1 * max(hbm, mxus)


def test_program_without_optimizations_across_kernels(tmp_path):
    """The command line leaves them out: more cycles, the same bits."""
    text, args = lower(two_products, arguments()).as_text(), arguments()
    reports, results = [], []
    for options in ((), ("--no-cross-kernel",)):
        report = tmp_path / "report.json"
        options = (*options, "--report", "json", "--report-file", report)
        results.append(systole_run(text, args, tmp_path, target="v3", options=options))
        reports.append(json.loads(report.read_text()))
    assert bits_of(results[0]) == bits_of(results[1])
    assert reports[0]["cycles"] < reports[1]["cycles"]
    assert [report["verifier_refusal"] for report in reports] == ["", ""]
