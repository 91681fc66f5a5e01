"""Kernels of public projects: where they are, arguments for them, and their results as NumPy computes them.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import typing

import jax.numpy as jnp
import numpy as np

bf16 = jnp.bfloat16


@dataclasses.dataclass(frozen=True)
class Project:
    """empty: the names of modules that are replaced by empty ones."""

    url: str
    commit: str
    folder: str = ""
    empty: tuple = ()


PROJECTS = {
    "tpu-inference": Project(
        "https://github.com/vllm-project/tpu-inference",
        "b8692ff01fa191343836996c27a39dc95f008b88",
        empty=("tpu_inference", "tpu_inference.logger"),
    ),
    "tokamax": Project(
        "https://github.com/openxla/tokamax", "64435bbc3c3db10596ca2c4bf5aeb3abb760932c", empty=("tokamax",)
    ),
    "maxtext": Project(
        "https://github.com/AI-Hypercomputer/maxtext",
        "e591f30cbbf217ed67ef71263ec0538239f9c3b8",
        "src",
        ("maxtext", "maxtext.kernels.attention", "maxtext.kernels.megablox"),
    ),
    "recurrentgemma": Project(
        "https://github.com/google-deepmind/recurrentgemma",
        "2efa84dac0e68e63547a27a18fa943c98f1c312e",
        empty=("recurrentgemma", "recurrentgemma.jax"),
    ),
    "sglang-jax": Project(
        "https://github.com/sgl-project/sglang-jax", "cddbf6f1cc33cbdd453bd8f36ff7051cf46ca176", "python"
    ),
    "maxdiffusion": Project(
        "https://github.com/AI-Hypercomputer/maxdiffusion",
        "7cfb8801d41d1728f0232cd7ee59e900a151fecf",
        "src",
        ("maxdiffusion",),
    ),
    "qwix": Project("https://github.com/google/qwix", "aa623acb24c418563265fd8d541c1d51fc285269"),
}


@dataclasses.dataclass(frozen=True)
class Case:
    """make(module) is a function to jit, its arguments, and a function of these that computes its results. tolerance
    bounds the largest difference, relative to the largest value of an array. Three kinds: 1e-5 where all is f32;
    2^-7, two units of bf16, where operands of products or results are rounded to bf16; 2^-6 where rounded values are
    rounded again, such as sums that a loop carries on."""

    projects: tuple
    module: str
    make: typing.Callable
    tolerance: float


CASES = {}
F32, ROUNDED, TWICE = 1e-5, 2.0**-7, 2.0**-6


def kernel(projects, module, tolerance):
    def add(make):
        CASES[make.__name__] = Case(tuple(projects.split()), module, make, tolerance)
        return make

    return add


def normal(*shape, dtype=bf16, seed=0, scale=1.0):
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * scale).astype(dtype)


def wide(*arrays):
    return [each.astype(np.float64) for each in arrays]


def attend(q, k, v, mask=True, scale=1.0):
    """Attention [tokens, heads, width] with fewer heads of k and v, or one without its dimension."""
    q, k, v = wide(q, k, v)
    k, v = (np.repeat(each, q.shape[1] // each.shape[1], 1) for each in (k, v))
    logits = np.where(mask, np.einsum("qhd,khd->hqk", q, k) * scale, -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", weights / weights.sum(-1, keepdims=True), v)


def causal(queries, keys):
    """The last queries of a sequence."""
    return np.arange(keys) <= np.arange(keys - queries, keys)[:, None]


def grouped(lhs, rhs, sizes):
    ends = np.cumsum(sizes)
    return np.concatenate([lhs[end - size : end] @ each for end, size, each in zip(ends, sizes, rhs)])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Four sequences: two that decode one token, one with its prompt's second part, one with the whole prompt.
LENGTHS = np.array([70, 33, 52, 42], np.int32)
STARTS = np.array([0, 1, 2, 22, 64], np.int32)
PAGES = np.random.default_rng(0).permutation(40)[:32].astype(np.int32)
DISTRIBUTION = np.array([2, 2, 4], np.int32)


@kernel("tpu-inference", "tpu_inference.kernels.ragged_paged_attention.v3.kernel", TWICE)
def ragged_paged_attention_v3(module):
    cache = normal(40, 16, 2, 2, 128, seed=1)

    def call(q, k, v, cache):
        return module.ragged_paged_attention(q, k, v, cache, LENGTHS, PAGES, STARTS, DISTRIBUTION, sm_scale=128**-0.5)

    def reference(q, k, v, cache):
        out, cache = [], cache.reshape(40, 16, 4, 128).copy()
        for i, (length, pages) in enumerate(zip(LENGTHS, PAGES.reshape(4, 8))):
            rows = slice(STARTS[i], STARTS[i + 1])
            count = STARTS[i + 1] - STARTS[i]
            places = pages[np.arange(length) // 16], np.arange(length) % 16
            new = tuple(each[-count:] for each in places)
            cache[*new, ::2], cache[*new, 1::2] = k[rows], v[rows]
            known = cache[*places]
            out.append(attend(q[rows], known[:, ::2], known[:, 1::2], causal(count, length), 128**-0.5))
        return np.concatenate(out), cache.reshape(40, 16, 2, 2, 128)

    return call, (normal(64, 8, 128), normal(64, 2, 128), normal(64, 2, 128, seed=2), cache), reference


@kernel("tpu-inference", "tpu_inference.kernels.ragged_paged_attention.v2.kernel", ROUNDED)
def ragged_paged_attention_v2(module):
    def call(q, cache):
        return module.ragged_paged_attention(
            *(q, cache, LENGTHS, PAGES.reshape(4, 8), STARTS, np.array([4], np.int32)),
            sm_scale=128**-0.5,
            num_kv_pages_per_block=4,
            num_queries_per_block=16,
        )

    def reference(q, cache):
        out = []
        for i, (length, pages) in enumerate(zip(LENGTHS, PAGES.reshape(4, 8))):
            known = cache[pages].reshape(128, 4, 128)[:length]
            rows = q[STARTS[i] : STARTS[i + 1]]
            out.append(attend(rows, known[:, ::2], known[:, 1::2], causal(len(rows), length), 128**-0.5))
        return np.concatenate(out)

    return call, (normal(64, 8, 128), normal(40, 16, 4, 128, seed=1)), reference


@kernel("tpu-inference", "tpu_inference.kernels.mla.v1.kernel", ROUNDED)
def mla_ragged_paged_attention(module):
    def call(nope, rope, new, new_rope, cache):
        return module.mla_ragged_paged_attention(
            *(nope, rope, new, new_rope, cache, LENGTHS, PAGES, STARTS, DISTRIBUTION),
            sm_scale=576**-0.5,
            num_kv_pages_per_block=4,
            num_queries_per_block=8,
        )

    def reference(nope, rope, new, new_rope, cache):
        out, cache = [], cache.reshape(40, 16, 640).copy()
        for i, (length, pages) in enumerate(zip(LENGTHS, PAGES.reshape(4, 8))):
            rows = slice(STARTS[i], STARTS[i + 1])
            count = STARTS[i + 1] - STARTS[i]
            places = pages[np.arange(length) // 16], np.arange(length) % 16
            written = np.concatenate([new[rows], new_rope[rows], np.zeros((count, 64), bf16)], 1)
            cache[*(each[-count:] for each in places)] = written
            known = cache[*places][:, None]
            q = np.concatenate([nope[rows], rope[rows]], -1)
            out.append(attend(q, known[..., :576], known[..., :512], causal(count, length), 576**-0.5))
        return np.concatenate(out), cache.reshape(40, 8, 2, 640)

    cache = normal(40, 8, 2, 640, seed=1)
    cache[..., 576:] = 0
    return call, (normal(64, 16, 512), normal(64, 16, 64), normal(64, 512), normal(64, 64, seed=1), cache), reference


@kernel("tpu-inference", "tpu_inference.kernels.megablox.gmm_v2", ROUNDED)
def gmm_v2(module):
    sizes = np.array([100, 0, 56, 100], np.int32)
    return (
        lambda lhs, rhs: module.gmm_v2(lhs, rhs, sizes),
        (normal(256, 512), normal(4, 512, 256)),
        lambda lhs, rhs: grouped(*wide(lhs, rhs), sizes),
    )


@kernel("tpu-inference", "tpu_inference.kernels.quantized_matmul.kernel", ROUNDED)
def quantized_matmul(module):
    def reference(x, w, scale):
        """Its arithmetic on x is that of bf16, and integers are rounded to zero."""
        step = np.abs(x).max(1, keepdims=True) / bf16(127)
        return (x * (bf16(1) / step)).astype(np.int8).astype(np.float64) @ w.T * step * scale

    w = np.random.default_rng(0).integers(-127, 128, (256, 512)).astype(np.int8)
    tuned = module.TunedValue(64, 128, 256, 1)
    call = lambda x, w, scale: module.quantized_matmul_kernel(x, w, scale, x_q_dtype=jnp.int8, tuned_value=tuned)
    return call, (normal(64, 512), w, np.abs(normal(256, dtype=np.float32)) / 127), reference


@kernel("tpu-inference", "tpu_inference.kernels.gdn.v2.gdn_decode_kernel", TWICE)
def gated_delta_rule_decode(module):
    """Eight sequences of a batch of eight: two heads of queries and keys, four of values."""
    slots = np.array([3, 0, 11, 5, 8, 1, 9, 4], np.int32)

    def call(mixed, b, a, state, log, bias):
        return module.ragged_gated_delta_rule_decode_only(
            *(mixed, b, a, state, log, bias, np.arange(9, dtype=np.int32), slots, np.array([8, 8, 8], np.int32)),
            **dict(n_kq=2, n_v=4, d_k=128, d_v=128),
        )

    def reference(mixed, b, a, state, log, bias):
        mixed, b, a, state, log, bias = wide(mixed, b, a, state, log, bias)
        q, k, v = (each.reshape(8, -1, 128) for each in np.split(mixed, [256, 512], 1))
        q, k = (np.repeat(each / np.sqrt((each**2).sum(-1, keepdims=True) + 1e-6), 2, 1) for each in (q, k))
        decay = np.exp(-np.exp(log) * np.log1p(np.exp(a + bias)))[..., None, None]
        before = state[slots] * decay
        change = (v - np.einsum("thk,thkv->thv", k, before)) * sigmoid(b)[..., None]
        after = before + k[..., None] * change[..., None, :]
        state[slots] = after
        return state, np.einsum("thk,thkv->thv", q, after).reshape(8, 512) * 128**-0.5

    heads = [normal(4, dtype=np.float32, seed=seed) for seed in (1, 2)]
    gates = [normal(8, 4, dtype=np.float32, seed=seed) for seed in (1, 2)]
    return call, (normal(8, 1024), *gates, normal(12, 4, 128, 128, dtype=np.float32), *heads), reference


@kernel("tpu-inference", "tpu_inference.kernels.causal_conv1d.causal_conv1d", ROUNDED)
def ragged_causal_conv1d(module):
    slots, fresh = np.array([2, 0, 5, 3], np.int32), np.array([1, 1, 1, 0], np.int32)

    def call(x, state, weight, bias):
        return module.ragged_causal_conv1d(
            x, state, weight, bias, STARTS, slots, DISTRIBUTION, fresh, kernel_size=4, tile_size=16
        )

    def reference(x, state, weight, bias):
        x, state, weight, bias = wide(x, state, weight, bias)
        out = []
        for i, slot in enumerate(slots):
            rows = np.concatenate([state[slot] * fresh[i], x[STARTS[i] : STARTS[i + 1]]])
            count = len(rows) - 3
            out.append(sum(rows[k : k + count] * weight[:, 0, k] for k in range(4)) + bias)
            state[slot] = rows[-3:]
        return np.concatenate(out), state

    return call, (normal(64, 256), normal(6, 3, 256), normal(256, 1, 4), normal(256)), reference


@kernel("tpu-inference", "tpu_inference.kernels.gdn.triangle_solver", F32)
def triangle_inverse(module):
    matrix = np.tril(normal(8, 64, 64, dtype=np.float32, scale=0.1), -1) + np.eye(64, dtype=np.float32)
    call = lambda matrix: module.newton_schulz_inverse_pallas(matrix, block_size=4)
    return call, (matrix,), lambda matrix: np.linalg.inv(*wide(matrix))


@kernel("maxtext", "maxtext.kernels.tokamax_splash_attention.splash_attention_kernel", ROUNDED)
def splash_attention(module):
    def call(q, k, v):
        config = module.SplashConfig(block_q=128, block_kv=256, block_kv_compute=128)
        mask = module.mask_lib.CausalMask((512, 512))
        return module.make_splash_mha_single_device(mask, config=config)(q * 128**-0.5, k, v)

    def reference(q, k, v):
        q, k, v = (each.swapaxes(0, 1) for each in (q, k, v))
        return attend(q, k, v, causal(512, 512), 128**-0.5).swapaxes(0, 1)

    return call, (normal(4, 512, 128), normal(2, 512, 128), normal(2, 512, 128, seed=1)), reference


@kernel("tokamax", "tokamax._src.ops.linear_softmax_cross_entropy_loss.pallas_mosaic_tpu_kernel", F32)
def linear_softmax_cross_entropy_loss(module):
    def call(x, labels, w):
        function = module.linear_softmax_cross_entropy_loss_fwd_pallas_mosaic_tpu
        return function(x, labels, w, b_block_size=128, h_block_size=128, v_block_size=256, reduction="mean")

    def reference(x, labels, w):
        logits = np.matmul(*wide(x, w))
        sums = np.log(np.exp(logits).sum(1))
        return (sums - logits[np.arange(256), labels]).mean(), sums

    labels = np.random.default_rng(0).integers(0, 1024, 256).astype(np.int32)
    return call, (normal(256, 256), labels, normal(256, 1024, scale=0.1)), reference


@kernel("maxtext qwix", "maxtext.kernels.megablox.backend", ROUNDED)
def megablox_gmm(module):
    sizes = np.array([100, 0, 56, 100], np.int32)
    return (
        lambda lhs, rhs: module.gmm(lhs, rhs, sizes, bf16, tiling=(128, 256, 128)),
        (normal(256, 512), normal(4, 512, 256)),
        lambda lhs, rhs: grouped(*wide(lhs, rhs), sizes),
    )


@kernel("maxtext", "maxtext.kernels.attention.ragged_attention", ROUNDED)
def ragged_gqa(module):
    lengths = np.array([300, 512, 17, 256], np.int32)

    def reference(q, k, v):
        q, k, v = wide(q, k, v)
        k, v = (np.repeat(each, 4, 2) for each in (k, v))
        mask = np.arange(512) < lengths[:, None, None]
        logits = np.where(mask, np.einsum("bqhd,bkhd->bhk", q, k), -np.inf)
        largest = logits.max(-1, keepdims=True)
        weights = np.exp(logits - largest)
        out = np.einsum("bhk,bkhd->bhd", weights, v)
        return out[:, None], largest[:, None], weights.sum(-1, keepdims=True)[:, None]

    operands = normal(4, 1, 8, 128, scale=0.1), normal(4, 512, 2, 128), normal(4, 512, 2, 128, seed=1)
    return lambda q, k, v: module.ragged_gqa(q, k, v, lengths, block_size=128), operands, reference


@kernel("recurrentgemma", "recurrentgemma.jax.pallas", F32)
def lru_scan(module):
    def reference(x, a, state):
        x, a, state = wide(x, a, state)
        out = []
        for t in range(x.shape[1]):
            state = state * a[:, t] + x[:, t]
            out.append(state)
        return np.stack(out, 1), state

    a = sigmoid(normal(2, 256, 256, dtype=np.float32, seed=1) + 2)
    state = normal(2, 256, dtype=np.float32)
    return module.lru_pallas_scan, (normal(2, 256, 256, dtype=np.float32), a, state), reference


@kernel("sglang-jax", "sgl_jax.srt.kernels.grouped_topk.v1.kernel", F32)
def grouped_topk(module):
    def reference(logits, bias):
        scores = logits + bias
        groups = np.sort(scores.reshape(-1, 8, 8), -1)[..., -2:].sum(-1)
        kept = np.argsort(-groups, -1, kind="stable")[:, :4]
        mask = (np.arange(8) == kept[..., None]).any(1).repeat(8, 1)
        chosen = np.argsort(-np.where(mask, scores, -np.inf), -1, kind="stable")[:, :8]
        return np.take_along_axis(logits, chosen, 1), chosen

    call = lambda logits, bias: module.grouped_topk_pallas(logits, bias, num_expert_group=8, topk_group=4, topk=8)
    return call, (normal(256, 64, dtype=np.float32), normal(64, dtype=np.float32)), reference


@kernel("maxdiffusion", "maxdiffusion.kernels.custom_splash_attention", ROUNDED)
def custom_splash_attention(module):
    def call(q, k, v):
        blocks = module._BlockSizes(block_q=128, block_kv=256, block_kv_compute=128, block_kv_compute_in=128)
        make = module.make_splash_mha(blocks, use_base2_exp=False)
        return make(q * 128**-0.5, k, v)

    def reference(q, k, v):
        q, k, v = (each.swapaxes(0, 1) for each in (q, k, v))
        return attend(q, k, v, True, 128**-0.5).transpose(1, 2, 0)

    return call, (normal(2, 256, 128), normal(2, 512, 128), normal(2, 512, 128, seed=1)), reference


def recurrence(q, k, v, decay, beta, before, starts):
    """A linear recurrence [tokens, heads, width] over each sequence; with beta, the delta rule."""
    out, states = [], []
    for i, state in enumerate(before):
        for t in range(starts[i], starts[i + 1]):
            state = state * decay[t]
            change = v[t] if beta is None else (v[t] - np.einsum("hk,hkv->hv", k[t], state)) * beta[t][:, None]
            state = state + k[t][..., None] * change[:, None]
            out.append(np.einsum("hk,hkv->hv", q[t], state))
        states.append(state)
    return np.stack(out)[None], np.stack(states)


@kernel("sglang-jax", "sgl_jax.srt.kernels.simple_gla.simple_gla", TWICE)
def simple_gated_linear_attention(module):
    starts, gamma = np.array([0, 100, 192], np.int32), np.array([-0.02, -0.1], np.float32)

    def call(q, k, v, state):
        return module.simple_gla_fwd(q, k, v, g_gamma=gamma, h0=state, use_ht=True, cu_seqlens_dev=starts)

    def reference(q, k, v, state):
        q, k, v, state = wide(q[0], k[0], v[0], state)
        decay = np.broadcast_to(np.exp(gamma)[:, None, None], (192, 2, 1, 1))
        return recurrence(q * 128**-0.5, k, v, decay, None, state, starts)

    arrays = [normal(1, 192, 2, 128, seed=seed, scale=0.3) for seed in range(3)]
    return call, (*arrays, normal(2, 2, 128, 128, dtype=np.float32)), reference


@kernel("sglang-jax", "sgl_jax.srt.kernels.kda.kda", TWICE)
def kimi_delta_attention(module):
    starts = np.array([0, 100, 192], np.int32)

    def call(q, k, v, g, beta, state):
        return module.chunk_kda_fwd(q, k, v, g, beta, 128**-0.5, state, True, starts)[:2]

    def reference(q, k, v, g, beta, state):
        q, k, v, g, beta, state = wide(q[0], k[0], v[0], g[0], beta[0], state)
        return recurrence(q * 128**-0.5, k, v, np.exp(g)[..., None], beta, state, starts)

    q, k, v = [normal(1, 192, 2, 128, dtype=np.float32, seed=seed) for seed in range(3)]
    q, k = ((each / np.linalg.norm(each, axis=-1, keepdims=True)).astype(bf16) for each in (q, k))
    g = -np.abs(normal(1, 192, 2, 128, dtype=np.float32, scale=0.1))
    beta = sigmoid(normal(1, 192, 2, dtype=np.float32))
    return call, (q, k, v.astype(bf16), g, beta, normal(2, 2, 128, 128, dtype=np.float32)), reference


@kernel("qwix", "qwix.contrib.kernels.quantized_matmul", F32)
def subchannel_quantized_matmul(module):
    """Scales for each 128 rows, 512 columns and 256 of the sum; blocks as its configuration has them."""

    def call(x, x_scale, y, y_scale):
        return module.quantized_matmul(x, x_scale, y, y_scale, bm=256, bk=512, bn=1024, dtype=jnp.float32)

    def reference(x, x_scale, y, y_scale):
        x, x_scale, y, y_scale = wide(x, x_scale, y, y_scale)
        return (x * x_scale.repeat(128, 0).repeat(256, 1)) @ (y * y_scale.repeat(256, 0).repeat(512, 1))

    x, y = (
        np.random.default_rng(0).integers(-127, 128, shape).astype(np.int8) for shape in [(256, 1024), (1024, 1024)]
    )
    scales = [np.abs(normal(*shape, dtype=np.float32)) for shape in [(2, 4), (4, 2)]]
    return call, (x, scales[0], y, scales[1]), reference
