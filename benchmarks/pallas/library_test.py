"""Lowers the kernels of jax.experimental.pallas.ops.tpu, of which JAX's tests leave out some, and runs the programs of
JAX's pages on Pallas. capture.py runs these beside JAX's tests; nothing is computed.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import os
import pathlib
import re

import jax
import jax.numpy as jnp
import pytest
from jax.experimental.pallas.ops.tpu import example_kernel, flash_attention, matmul, megablox, paged_attention
from jax.experimental.pallas.ops.tpu import ragged_paged_attention as ragged
from jax.experimental.pallas.ops.tpu import splash_attention as splash
from jax.experimental.pallas.ops.tpu.random import philox, threefry

CHECKOUT = pathlib.Path(os.environ["PALLAS_CHECKOUT"])
PAGES = "quickstart tpu/matmul tpu/pipelining tpu/sparse tpu/core_map".split()


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def lower(function, *operands, grad=False):
    """Lowers a function of arrays, or that and its derivatives by all arrays of floats."""
    if grad:
        floats = [index for index, each in enumerate(operands) if jnp.issubdtype(each.dtype, jnp.floating)]
        inner = function
        function = jax.grad(lambda *args: inner(*args).astype(jnp.float32).sum(), argnums=floats)
    jax.jit(function).trace(*operands).lower(lowering_platforms=("tpu",))


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int8, jnp.int4, jnp.float8_e5m2])
@pytest.mark.parametrize("size,block,depth", [(256, 128, 128), (512, 256, 256), (1024, 512, 256), (4096, 1024, 512)])
def test_matmul(dtype, size, block, depth):
    out = jnp.int32 if jnp.issubdtype(dtype, jnp.integer) else jnp.float32
    operand = array(size, size, dtype=dtype)
    for result in {out, dtype}:
        call = functools.partial(matmul.matmul, block_shape=(block, block), block_k=depth, out_dtype=result)
        lower(call, operand, operand)


def test_double():
    lower(example_kernel.double, array(8, 128))


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("bias,segments", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length,width,blocks", [(128, 128, None), (256, 64, None), (512, 128, 128), (1024, 128, 256)])
def test_flash_attention(grad, dtype, bias, segments, causal, length, width, blocks):
    operand = array(2, 2, length, width, dtype=dtype)
    operands = [operand] * 3
    if bias:
        operands.append(array(2, 2, length, length, dtype=dtype))
    if segments:
        operands.append(array(2, length, dtype=jnp.int32))
    sizes = None
    if blocks:
        sizes = flash_attention.BlockSizes(
            block_q=blocks,
            block_k_major=2 * blocks,
            block_k=blocks,
            block_b=1,
            block_q_major_dkv=blocks,
            block_k_major_dkv=blocks,
            block_k_dkv=blocks,
            block_q_dkv=blocks,
            block_k_major_dq=2 * blocks,
            block_k_dq=blocks,
            block_q_dq=blocks,
        )

    def call(q, k, v, *rest):
        ids = flash_attention.SegmentIds(rest[-1], rest[-1]) if segments else None
        ab = rest[0] if bias else None
        return flash_attention.flash_attention(q, k, v, ab, ids, causal=causal, sm_scale=width**-0.5, block_sizes=sizes)

    lower(call, *operands, grad=grad)


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("rows,depth,columns,groups,tiling", [(512, 256, 384, 4, None), (1024, 1024, 512, 8, 256)])
def test_gmm(grad, transpose, dtype, rows, depth, columns, groups, tiling):
    weights = (groups, columns, depth) if transpose else (groups, depth, columns)
    rest = {"tiling": (tiling,) * 3} if tiling else {}

    def call(lhs, rhs, sizes):
        return megablox.gmm(lhs, rhs, sizes, dtype, transpose_rhs=transpose, **rest)

    lower(
        call, array(rows, depth, dtype=dtype), array(*weights, dtype=dtype), array(groups, dtype=jnp.int32), grad=grad
    )


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("heads,kv_heads,width", [(8, 8, 128), (32, 4, 128), (16, 2, 256)])
@pytest.mark.parametrize("cap", [None, 1.0])
def test_paged_attention(dtype, inline, heads, kv_heads, width, cap):
    pages = array(kv_heads, 4 * 32, 16, width, dtype=dtype)
    call = functools.partial(
        paged_attention.paged_attention,
        pages_per_compute_block=4,
        inline_seq_dim=inline,
        attn_logits_soft_cap=cap,
    )
    lower(
        call,
        array(4, heads, width, dtype=dtype),
        pages,
        pages,
        array(4, dtype=jnp.int32),
        array(4, 32, dtype=jnp.int32),
    )


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("heads,kv_heads", [(32, 8), (8, 1), (16, 2)])
@pytest.mark.parametrize("window,cap", [(None, None), (128, 50.0)])
def test_ragged_paged_attention(dtype, heads, kv_heads, window, cap):
    call = functools.partial(
        ragged.ragged_paged_attention,
        sm_scale=0.088,
        sliding_window=window,
        soft_cap=cap,
        num_kv_pages_per_block=8,
        num_queries_per_block=32,
    )
    lower(
        call,
        array(256, heads, 128, dtype=dtype),
        array(128, 16, 2 * kv_heads, 128, dtype=dtype),
        array(16, dtype=jnp.int32),
        array(16, 16, dtype=jnp.int32),
        array(17, dtype=jnp.int32),
        array(1, dtype=jnp.int32),
    )


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("mask", ["full", "causal", "local"])
@pytest.mark.parametrize("shared,fused", [(False, False), (True, True)])
def test_splash_attention(grad, dtype, mask, shared, fused):
    length, heads, width = 1024, 2, 128
    shape = (length, length)
    masks = {
        "full": lambda: splash.FullMask(shape),
        "causal": lambda: splash.CausalMask(shape),
        "local": lambda: splash.LocalMask(shape, (256, 0), 0),
    }
    sizes = splash.BlockSizes(
        block_q=512,
        block_kv=512,
        block_kv_compute=256,
        block_q_dkv=512,
        block_kv_dkv=512,
        block_kv_dkv_compute=256,
        block_q_dq=None if fused else 512,
        block_kv_dq=None if fused else 512,
        use_fused_bwd_kernel=fused,
    )
    make = splash.make_splash_mqa_single_device if shared else splash.make_splash_mha_single_device
    kernel = make(splash.MultiHeadMask([masks[mask]()] * heads), block_sizes=sizes)
    query = array(heads, length, width, dtype=dtype)
    lower(kernel, query, *[array(length, width, dtype=dtype) if shared else query] * 2, grad=grad)


@pytest.mark.parametrize("shape", [(8, 128), (256, 256), (512, 1024), (100, 300)])
def test_random_bits(shape):
    key = array(2, dtype=jnp.uint32)
    lower(lambda k: threefry.plthreefry_random_bits(k, 32, shape), key)
    lower(lambda k: philox.philox_random_bits(k, 32, shape), key)


@pytest.mark.parametrize("page", PAGES)
def test_page(page):
    """Runs the cells of a page of JAX's documentation, all of them even if some fail."""
    text = (CHECKOUT / f"docs/pallas/{page}.md").read_text()
    names, errors = {"__name__": "page"}, []
    for cell in re.findall(r"^```(?:\{code-cell\}.*|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        try:
            exec(compile(cell, page, "exec"), names)
        except Exception as error:  # Cells that show a mistake, or need another device.
            errors.append(f"{type(error).__name__}: {error}")
    if errors:
        pytest.xfail("; ".join(errors)[:2000])
