"""HBM: state in place, the order of kernels, recomputation where a program does not fit.

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

from systole_cli import ROOT, load_results, save_args, systole
from test_elementwise import generator

WIDTH = 256
MATRIX = WIDTH * WIDTH * 4


def adam_step(clip):
    """Adam for a chain of dense layers, in a loop of `steps` in the program."""

    def update(w, m, v, slope):
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope * slope
        return w - 0.01 * m / (jnp.sqrt(v) + 1e-3), m, v

    def step(params, m, v, x, y):
        def loss(params):
            h = x
            for w in params:
                h = jnp.tanh(h @ w)
            return jnp.mean((h - y) ** 2)

        slopes = jax.grad(loss)(params)
        if clip:
            norm = jnp.sqrt(sum(jnp.sum(s * s) for s in slopes))
            slopes = [s / jnp.maximum(norm, 1.0) for s in slopes]
        return tuple(zip(*map(update, params, m, v, slopes), strict=True))

    return step


def state_and_data(layers):
    rng = generator("adam")
    params = [rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) / 16 for _ in range(layers)]
    zeros = [np.zeros((WIDTH, WIDTH), np.float32) for _ in params]
    x, y = (rng.normal(size=(64, WIDTH)).astype(np.float32) for _ in range(2))
    return params, zeros, [z + 1 for z in zeros], x, y


def report_of(directory, text, *options, target="v3"):
    program = directory / "program.mlir"
    program.write_text(text)
    path = directory / "report.json"
    run = systole("explain", program, "--target", target, "--json", path, *options)
    assert run.returncode == 0, run.stderr
    return json.loads(path.read_text())


def results_of(directory, text, args, target="v3"):
    program, inputs, results = directory / "program.mlir", directory / "args.npz", directory / "out.npz"
    program.write_text(text)
    save_args(inputs, jax.tree.leaves(args))
    run = systole("run", program, "--args", inputs, "--out", results, "--target", target, "--precision", "highest")
    assert run.returncode == 0, run.stderr
    return load_results(results)


@pytest.mark.parametrize("loop", [False, True], ids=["once", "loop"])
@pytest.mark.parametrize("clip", [False, True], ids=["plain", "clip"])
def test_donated_state_is_updated_in_place(tmp_path, clip, loop):
    layers = 12
    args = state_and_data(layers)
    step = adam_step(clip)

    def function(params, m, v, x, y):
        if not loop:
            return step(params, m, v, x, y)
        return lax.fori_loop(0, 3, lambda _, state: step(*state, x, y), (tuple(params), tuple(m), tuple(v)))

    kept = jax.jit(function).lower(*args).as_text(debug_info=True)
    donated = jax.jit(function, donate_argnums=(0, 1, 2)).lower(*args).as_text(debug_info=True)
    state, gradients = 3 * layers * MATRIX, layers * MATRIX
    # What is live in between: the activations, one of them also rounded to bf16 for a product, and without clipping
    # a few gradients.
    data = (layers + 4.5) * 64 * WIDTH * 4 + 2 * MATRIX
    assert report_of(tmp_path, donated)["hbm_peak_bytes"] <= state + (gradients if clip else 0) + data
    assert report_of(tmp_path, kept)["hbm_peak_bytes"] >= 2 * state
    ours, theirs = (results_of(tmp_path, text, args) for text in (donated, kept))
    for one, other, reference in zip(ours, theirs, jax.tree.leaves(function(*args)), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, reference, rtol=2e-4, atol=2e-4)


def test_exchanged_and_partly_read_arguments(tmp_path):
    rng = generator("exchanged arguments")
    a, b, c = (rng.normal(size=(130, 200)).astype(np.float32) for _ in range(3))

    def function(a, b, c):
        return b, a, c.T @ c + a.sum(), c * 2, a[3:7] + b[0]

    text = jax.jit(function, donate_argnums=(0, 1, 2)).lower(a, b, c).as_text()
    for one, other in zip(results_of(tmp_path, text, [a, b, c]), function(a, b, c), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def small_machine(directory, hbm_bytes):
    """A v3 with less HBM: of both cores."""
    text = (ROOT / "dialects/Machine/Target/targets/v3.textproto").read_text()
    text = re.sub(r"hbm_bytes_per_chip \{ value: \d+", f"hbm_bytes_per_chip {{ value: {2 * hbm_bytes}", text)
    path = directory / "small.textproto"
    path.write_text(text)
    return path


def gradient_of_layers():
    """Each layer's sine is cheap to compute again from its argument, which the cosine of the way back needs."""

    def loss(weights, x):
        for w in weights:
            x = jnp.sin(x @ w)
        return jnp.sum(x)

    return jax.grad(loss)


def test_values_are_computed_again_where_a_program_does_not_fit(tmp_path):
    rng = generator("computed again")
    weights = [rng.normal(size=(128, 128)).astype(np.float32) / 12 for _ in range(8)]
    x = rng.normal(size=(4096, 128)).astype(np.float32)
    text = jax.jit(gradient_of_layers()).lower(weights, x).as_text(debug_info=True)
    free = report_of(tmp_path, text)
    small = small_machine(tmp_path, int(0.75 * free["hbm_peak_bytes"]))
    tight = report_of(tmp_path, text, target=small)
    assert tight["hbm_peak_bytes"] <= 0.75 * free["hbm_peak_bytes"]
    assert tight["cycles"] < 1.5 * free["cycles"]
    for one, other in zip(
        results_of(tmp_path, text, [*weights, x], small), results_of(tmp_path, text, [*weights, x]), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_an_error_says_what_a_layout_without_padding_would_need(tmp_path):
    program = tmp_path / "program.mlir"
    x = np.zeros((1024, 3, 5), np.float32)
    program.write_text(jax.jit(lambda x: x[:, None] * x[None]).lower(x).as_text())
    small = small_machine(tmp_path, 1 << 25)
    run = systole("compile", program, "-o", tmp_path / "program.sysx", "--target", small)
    assert run.returncode != 0
    assert f"without padding it would need {(1024 * 15 + 1024 * 1024 * 15) * 4}" in run.stderr, run.stderr
