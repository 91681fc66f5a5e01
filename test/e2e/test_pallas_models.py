"""Kernels of JAX's library within models, forward and backward: one program, right and priced.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas.ops.tpu import flash_attention
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

from pallas_kernels import numbers, run, text_of
from systole_cli import systole

CPU = jax.devices("cpu")[0]
HEADS, ROWS, DEPTH, WIDTH, TOKENS = 2, 256, 128, 256, 64


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k)
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), -1), v)


def agree(found, expected, tolerance):
    """Largest differences, by the largest number of an array."""
    for value, reference in zip(found, jax.tree.leaves(expected), strict=True):
        reference = np.asarray(reference)
        assert value.shape == reference.shape
        assert np.abs(value - reference).max() <= tolerance * np.abs(reference).max()


def on_cpu(function, *args):
    with jax.default_device(CPU):
        return jax.jit(function)(*args)


@pytest.mark.parametrize("target", ["v5e", "v6e"])
def test_flash_attention_and_its_gradient(target, tmp_path):
    names = "q k_major k q_major_dkv k_major_dkv k_dkv q_dkv k_major_dq k_dq q_dq".split()
    blocks = flash_attention.BlockSizes(block_b=1, **{f"block_{name}": 128 for name in names})

    def flash(q, k, v):
        return flash_attention.flash_attention(q, k, v, causal=True, block_sizes=blocks)

    def with_gradient(function):
        return lambda q, k, v, w: (function(q, k, v), jax.grad(lambda *a: (function(*a) * w).sum(), (0, 1, 2))(q, k, v))

    args = [numbers(1, HEADS, ROWS, DEPTH, seed=seed) * scale for seed, scale in enumerate((0.1, 0.5, 1, 1))]
    found = run(with_gradient(flash), args, tmp_path, target=target)
    agree(found, on_cpu(with_gradient(attention), *args), 1e-5)


def normalized(x):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)


def loss(weights, tokens, attend):
    """Of a GPT of one layer, for the next token."""
    x = weights["embedding"][tokens]
    parts = [(normalized(x) @ weights[name]).reshape(*tokens.shape, HEADS, DEPTH).swapaxes(1, 2) for name in "qkv"]
    heads = attend(parts[0] * DEPTH**-0.5, *parts[1:]).swapaxes(1, 2).reshape(*tokens.shape, HEADS * DEPTH)
    x = x + heads @ weights["out"]
    x = x + jax.nn.gelu(normalized(x) @ weights["up"]) @ weights["down"]
    logits = jax.nn.log_softmax(x @ weights["embedding"].T)
    return -jnp.take_along_axis(logits[:, :-1], tokens[:, 1:, None], -1).mean()


def test_splash_attention_in_a_training_step(tmp_path):
    sizes = {name: 128 for name in splash.BlockSizes.__dataclass_fields__ if name.startswith("block_")}
    mask = masks.MultiHeadMask([masks.CausalMask((ROWS, ROWS)) for _ in range(HEADS)])
    kernel = splash.make_splash_mha_single_device(mask, block_sizes=splash.BlockSizes(**sizes))
    shapes = dict(embedding=(TOKENS, WIDTH), out=(HEADS * DEPTH, WIDTH), up=(WIDTH, 2 * WIDTH), down=(2 * WIDTH, WIDTH))
    shapes |= {name: (WIDTH, HEADS * DEPTH) for name in "qkv"}
    names = list(shapes)
    values = [numbers(*shape, seed=seed) * np.float32(0.05) for seed, shape in enumerate(shapes.values())]
    tokens = np.random.default_rng(0).integers(0, TOKENS, (2, ROWS)).astype(np.int32)

    def step(attend):
        def function(tokens, *values):
            return jax.value_and_grad(lambda v: loss(dict(zip(names, v, strict=True)), tokens, attend))(values)

        return function

    args = [tokens, *values]
    found = run(step(jax.vmap(kernel)), args, tmp_path, target="v5e")
    agree(found, on_cpu(step(attention), *args), 2e-4)

    # Each of the kernels, forward and backward, has its name, its time and its arithmetic.
    program = tmp_path / "program.mlir"
    program.write_text(text_of(step(jax.vmap(kernel)), args))
    report = tmp_path / "report.json"
    done = systole("run", program, "--args", tmp_path / "args.npz", "--target", "v5e", "--report-file", report)
    assert done.returncode == 0, done.stderr
    kernels = [kernel for kernel in json.loads(report.read_text())["kernels"] if kernel["kind"].startswith("pallas")]
    assert len(kernels) == 3
    assert all("splash" in kernel["name"] and kernel["cycles"] > 0 and kernel["flops"] > 0 for kernel in kernels)
