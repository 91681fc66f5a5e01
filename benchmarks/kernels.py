"""Some 220 kernels: single operations and small groups of them, over many shapes and types.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Guards of cycles, calibration of estimates and comparisons of plans share this list. Each kernel is a JAX function
and the types of its arguments, written as in `f32[2,3]`, or `i32[8]<100` for indices below 100. Its name says
both, and is unique.
"""

import dataclasses
import re
import zlib
from collections.abc import Callable

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

TYPES = {
    "bool": np.dtype(np.bool_),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32)},
}


@dataclasses.dataclass(frozen=True)
class Argument:
    """The type of an argument, and the bound of its integers."""

    shape: tuple[int, ...]
    dtype: np.dtype
    below: int = 100

    @staticmethod
    def parse(text):
        name, shape, below = re.fullmatch(r"(\w+)\[([\d,]*)\](?:<(\d+))?", text).groups()
        return Argument(tuple(int(n) for n in shape.split(",") if n), TYPES[name], int(below or 100))

    def draw(self, rng):
        if self.dtype.kind in "iu":
            return rng.integers(0, self.below, self.shape).astype(self.dtype)
        return rng.uniform(0.1, 1, self.shape).astype(self.dtype)


@dataclasses.dataclass(frozen=True)
class Kernel:
    operation: str
    function: Callable
    types: tuple[str, ...]
    precision: str = "default"

    @property
    def name(self):
        suffix = () if self.precision == "default" else (self.precision,)
        return " ".join((self.operation, *self.types, *suffix))

    def arrays(self):
        """Shapes and types of the arguments, and of the results."""
        types = [Argument.parse(text) for text in self.types]
        arguments = [jax.ShapeDtypeStruct(type.shape, type.dtype) for type in types]
        return arguments, jax.tree.leaves(jax.eval_shape(self.function, *arguments))

    def lowered(self):
        """The function of all its arguments, as JAX lowers it for a TPU."""
        shapes, _ = self.arrays()
        return jax.jit(self.function, keep_unused=True).trace(*shapes).lower(lowering_platforms=("tpu",))

    def arguments(self):
        """Arrays that depend on the name alone; floats are positive, indices are in bounds."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [Argument.parse(text).draw(rng) for text in self.types]


def over(operation, function, *cases, precision="default"):
    """The kernels of one function. A case has the types of its arguments, separated by spaces."""
    return [Kernel(operation, function, tuple(case.split()), precision) for case in cases]


def gradients(function, *places):
    """The sums of gradients of a function's outputs with regard to the arguments at `places`, given the gradient of
    its output as last argument."""

    def gradient(*args):
        def of_places(*some):
            full = list(args[:-1])
            for place, value in zip(places, some):
                full[place] = value
            return function(*full)

        return jax.vjp(of_places, *(args[place] for place in places))[1](args[-1])

    return gradient


# Elementwise operations and broadcasts.


def gelu(x):
    return 0.5 * x * (1 + lax.erf(x * 0.5**0.5))


def adam(p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v


ELEMENTWISE = [
    *over(
        "add", lax.add, "f32[512,256] f32[512,256]", "f32[1000,999] f32[1000,999]", "f32[64,7,7,512] f32[64,7,7,512]"
    ),
    *over("add", lax.add, "bf16[1024,1024] bf16[1024,1024]", "bf16[33,77,129] bf16[33,77,129]", "f32[] f32[]"),
    *over("add", lax.add, "i8[512,512] i8[512,512]", "f32[1000003] f32[1000003]", "f32[8,56,56,64] f32[8,56,56,64]"),
    *over("multiply", lax.mul, "i32[777,130] i32[777,130]", "f16[512,384] f16[512,384]"),
    *over("divide", lax.div, "f32[512,512] f32[512,512]", "i32[256,256] i32[256,256]"),
    *over("remainder", lax.rem, "u32[100,300] u32[100,300]"),
    *over("power", lax.pow, "f32[256,512] f32[256,512]"),
    *over("exponential", lax.exp, "f32[1024,1024]", "bf16[1024,1024]", "f32[3,5,7]"),
    *over("tanh", lax.tanh, "f32[512,1024]", "bf16[1000,1001]"),
    *over("sine", lax.sin, "f32[256,256]"),
    *over("logarithm", lax.log, "f32[2048,512]"),
    *over("rsqrt", lax.rsqrt, "f32[1000,128]"),
    *over("logistic", lax.logistic, "f32[512,768]"),
    *over("relu", lambda x: jnp.maximum(x, 0), "f32[64,7,7,512]", "bf16[8,112,112,64]"),
    *over("gelu", gelu, "f32[2048,768]", "bf16[2048,3072]"),
    *over("select", lambda x, y, z: jnp.where(x > 0.5, y, z), "f32[512,512] f32[512,512] f32[512,512]"),
    *over("compare", lax.lt, "f32[640,480] f32[640,480]"),
    *over("and", lax.bitwise_and, "bool[999,513] bool[999,513]"),
    *over("convert to f32", lambda x: x.astype(jnp.float32), "bf16[1024,768]", "i8[768,1024]", "i32[300,500]"),
    *over("convert to bf16", lambda x: x.astype(jnp.bfloat16), "f32[1024,768]", "f32[101,1001]"),
    *over("adam", adam, "f32[768,3072] f32[768,3072] f32[768,3072] f32[768,3072]"),
    *over("random bits", lambda k: jax.random.bits(k, (512, 256)), "u32[2]"),
    *over("add rows", lambda x, b: x + b, "f32[2048,768] f32[768]", "bf16[1001,30] bf16[30]"),
    *over("add columns", lambda x, c: x + c[:, None], "f32[2048,768] f32[2048]", "f32[77,1001] f32[77]"),
    *over("scale features", lambda x, s, b: x * s + b, "f32[8,28,28,128] f32[128] f32[128]"),
    *over("scale images", lambda x, s: x * s[:, None, None, None], "f32[32,14,14,96] f32[32]"),
    *over("outer product", lambda x, y: x[:, None] * y, "f32[1000] f32[1500]"),
    *over("broadcast middle", lambda x, y: x + y[:, None, :], "f32[16,130,256] f32[16,256]"),
]

# Reductions and normalizations.


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-6) * scale + bias


def rms_norm(x, scale):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def batch_norm(x, scale, bias):
    mean = x.mean((0, 1, 2))
    variance = (x * x).mean((0, 1, 2)) - mean * mean
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def batch_norm_inference(x, scale, bias, mean, variance):
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def along(axis, function, **options):
    return lambda x: function(x, axis=axis, **options)


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


REDUCTIONS = [
    *(over(f"sum {axis}", along(axis, jnp.sum), "f32[128,256,64]", "bf16[40,130,257]") for axis in (0, 1, 2)),
    *(over(f"sum {axis}", along(axis, jnp.sum), "f32[2048,768]", "f32[7,999]", "i32[1000,300]") for axis in (0, 1)),
    over("sum of all", jnp.sum, "f32[1000003]", "f32[64,56,56,64]", "bf16[999,999]"),
    over("sum of features", along((0, 1, 2), jnp.sum), "f32[64,7,7,512]", "f32[8,56,56,64]", "f32[4,13,13,30]"),
    over("mean of images", along((1, 2), jnp.mean), "f32[32,7,7,2048]", "bf16[32,8,8,512]"),
    *(over(f"maximum {axis}", along(axis, jnp.max), "f32[1024,1000]") for axis in (0, 1)),
    *(over(f"argmax {axis}", along(axis, jnp.argmax), "f32[512,1000]") for axis in (0, 1)),
    over("any 1", along(1, jnp.any), "bool[512,640]"),
    over("product 0", along(0, jnp.prod), "f32[300,400]"),
    over("logsumexp", along(-1, jax.nn.logsumexp), "f32[256,30522]"),
    over("variance 1", along(1, jnp.var), "f32[1024,1024]"),
    over("norm of all", lambda x: jnp.sqrt((x * x).sum()), "f32[4096,1024]"),
]
NORMALIZATIONS = [
    *over(
        "softmax", along(-1, jax.nn.softmax), "f32[2048,2048]", "f32[8,12,128,128]", "bf16[512,1024]", "f32[33,1000]"
    ),
    *over("softmax 0", along(0, jax.nn.softmax), "f32[512,768]"),
    *over("softmax gradient", gradients(jax.nn.softmax, 0), "f32[1024,512] f32[1024,512]"),
    *over("cross entropy", cross_entropy, "f32[256,1000] i32[256]<1000"),
    *over("layer norm", layer_norm, "f32[2048,768] f32[768] f32[768]", "f32[100,77] f32[77] f32[77]"),
    *over("layer norm", layer_norm, "bf16[1024,1024] bf16[1024] bf16[1024]"),
    *over("layer norm gradient", gradients(layer_norm, 0, 1, 2), "f32[8,128,768] f32[768] f32[768] f32[8,128,768]"),
    *over("rms norm", rms_norm, "f32[2048,1024] f32[1024]"),
    *over("batch norm", batch_norm, "f32[128,7,7,64] f32[64] f32[64]", "f32[32,28,28,128] f32[128] f32[128]"),
    *over("batch norm", batch_norm, "f32[2,13,13,30] f32[30] f32[30]", "bf16[16,14,14,256] bf16[256] bf16[256]"),
    *over("batch norm gradient", gradients(batch_norm, 0, 1, 2), "f32[128,7,7,64] f32[64] f32[64] f32[128,7,7,64]"),
    *over("batch norm inference", batch_norm_inference, "f32[8,56,56,64] f32[64] f32[64] f32[64] f32[64]"),
]

# Products.


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def product(form):
    return lambda x, y: jnp.einsum(form, x, y)


def wide(form, dtype):
    return lambda x, y: jnp.einsum(form, x, y, preferred_element_type=dtype)


def perceptron(x, w, v):
    return gelu(x @ w) @ v


PLAIN = "mk,kn->mn"
PRODUCTS = [
    *over(
        PLAIN, product(PLAIN), "f32[256,256] f32[256,256]", "f32[1024,1024] f32[1024,1024]", "f32[512,256] f32[256,10]"
    ),
    *over(PLAIN, product(PLAIN), "f32[1000,999] f32[999,37]", "f32[128,3] f32[3,1000]", "f32[8,4096] f32[4096,1000]"),
    *over(PLAIN, product(PLAIN), "bf16[1024,1024] bf16[1024,1024]", "bf16[333,777] bf16[777,555]"),
    *over(PLAIN, product(PLAIN), "f16[256,512] f16[512,256]", "i32[256,129] i32[129,300]"),
    *over(PLAIN, product(PLAIN), "f32[512,512] f32[512,512]", "f32[100,900] f32[900,70]", precision="high"),
    *over(PLAIN, product(PLAIN), "f32[512,512] f32[512,512]", "f32[100,900] f32[900,70]", precision="highest"),
    *over(PLAIN, product(PLAIN), "f32[1024,768] f32[768,3072]", precision="highest"),
    *over(PLAIN, wide(PLAIN, jnp.int32), "i8[512,1024] i8[1024,512]"),
    *over(PLAIN, wide(PLAIN, jnp.float32), "bf16[1024,4096] bf16[4096,1024]"),
    *over("km,kn->mn", product("km,kn->mn"), "f32[2048,512] f32[2048,384]", "f32[1001,33] f32[1001,257]"),
    *over("mk,nk->mn", product("mk,nk->mn"), "f32[2048,768] f32[1000,768]", "bf16[512,300] bf16[130,300]"),
    *over("km,nk->mn", product("km,nk->mn"), "f32[512,768] f32[384,512]"),
    *over("mk,k->m", product("mk,k->m"), "f32[2048,1024] f32[1024]", "bf16[1000,999] bf16[999]"),
    *over("k,kn->n", product("k,kn->n"), "f32[1024] f32[1024,2048]"),
    *over("k,k->", product("k,k->"), "f32[100000] f32[100000]"),
    *over("x x^T", lambda x: x @ x.T, "f32[768,512]"),
    *over("bmk,bkn->bmn", product("bmk,bkn->bmn"), "f32[16,512,64] f32[16,64,512]", "f32[96,128,128] f32[96,128,64]"),
    *over(
        "bmk,bkn->bmn", product("bmk,bkn->bmn"), "bf16[14,860,459] bf16[14,459,263]", "f32[1000,8,16] f32[1000,16,4]"
    ),
    *over("bmk,bnk->bmn", product("bmk,bnk->bmn"), "f32[24,197,64] f32[24,197,64]"),
    *over("bqhd,bkhd->bhqk", product("bqhd,bkhd->bhqk"), "f32[8,128,12,64] f32[8,128,12,64]"),
    *over("bhqk,bkhd->bqhd", product("bhqk,bkhd->bqhd"), "f32[8,12,128,128] f32[8,128,12,64]"),
    *over("btd,dhk->bthk", product("btd,dhk->bthk"), "f32[8,128,768] f32[768,12,64]"),
    *over("bthk,hkd->btd", product("bthk,hkd->btd"), "f32[8,128,12,64] f32[12,64,768]"),
    *over("dense", lambda x, w, b: jnp.maximum(x @ w + b, 0), "f32[1024,784] f32[784,512] f32[512]"),
    *over("dense gradient", gradients(jnp.matmul, 0, 1), "f32[1024,768] f32[768,768] f32[1024,768]"),
    *over("perceptron", perceptron, "f32[512,768] f32[768,3072] f32[3072,768]"),
    *over("attention", attention, "f32[1,16,512,64] f32[1,16,512,64] f32[1,16,512,64]"),
    *over("attention", attention, "bf16[2,3,197,40] bf16[2,3,197,40] bf16[2,3,197,40]"),
    *over(
        "attention gradient",
        gradients(attention, 0, 1, 2),
        "f32[2,4,128,64] f32[2,4,128,64] f32[2,4,128,64] f32[2,4,128,64]",
    ),
]

# Convolutions and windows.


def convolution(stride=1, padding="SAME", dilation=1, groups=1):
    """A convolution of images [N, ..., C] with filters [..., I, O]."""

    def convolve(x, w):
        spatial = "DHW"[5 - x.ndim :]
        n = x.ndim - 2
        return lax.conv_general_dilated(
            x,
            w,
            (stride,) * n,
            padding,
            rhs_dilation=(dilation,) * n,
            dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"),
            feature_group_count=groups,
        )

    return convolve


def image_gradient(**options):
    """Of filters and the gradient of the output; the images give the shape alone."""
    return gradients(convolution(**options), 0)


def filter_gradient(**options):
    return gradients(convolution(**options), 1)


def pool(kind, window, stride, padding="SAME"):
    initial, reducer = (-jnp.inf, lax.max) if kind == "max" else (0.0, lax.add)
    dims, strides = (1, window, window, 1), (1, stride, stride, 1)
    return lambda x: lax.reduce_window(x, np.array(initial, x.dtype)[()], reducer, dims, strides, padding)


def convolution_block(x, w, scale, bias):
    return jnp.maximum(batch_norm(convolution()(x, w), scale, bias), 0)


CONVOLUTIONS = [
    *over("convolution", convolution(), "f32[64,7,7,512] f32[3,3,512,512]", "f32[64,14,14,256] f32[3,3,256,256]"),
    *over("convolution", convolution(), "f32[8,56,56,64] f32[3,3,64,64]", "f32[8,28,28,128] f32[3,3,128,128]"),
    *over("convolution", convolution(), "bf16[8,14,14,256] bf16[3,3,256,256]", "f32[2,28,28,1] f32[5,5,1,6]"),
    *over("convolution", convolution(), "f32[2,35,35,48] f32[5,5,48,64]", "f32[1,9,9,130] f32[3,3,130,3]"),
    *over("convolution", convolution(), "f32[8,14,14,256] f32[3,3,256,256]", precision="highest"),
    *over("convolution 1x1", convolution(), "f32[8,56,56,64] f32[1,1,64,256]", "bf16[8,7,7,512] bf16[1,1,512,2048]"),
    *over("convolution valid", convolution(padding="VALID"), "f32[32,8,8,64] f32[3,3,64,64]"),
    *over("convolution /2", convolution(2), "f32[8,224,224,3] f32[7,7,3,64]", "f32[8,56,56,128] f32[3,3,128,128]"),
    *over("convolution /2", convolution(2), "f32[8,28,28,256] f32[1,1,256,512]", "f32[3,29,29,9] f32[3,3,9,20]"),
    *over("convolution dilated", convolution(dilation=2), "f32[2,20,20,64] f32[3,3,64,64]"),
    *over(
        "convolution transposed",
        lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"),
        "f32[8,14,14,128] f32[4,4,128,64]",
    ),
    *over("convolution depthwise", convolution(groups=128), "f32[8,56,56,128] f32[3,3,1,128]"),
    *over("convolution depthwise", convolution(groups=32), "f32[8,112,112,32] f32[3,3,1,32]"),
    *over("convolution depthwise /2", convolution(2, groups=96), "f32[4,28,28,96] f32[5,5,1,96]"),
    *over("convolution grouped", convolution(groups=32), "f32[4,14,14,256] f32[3,3,8,256]"),
    *over("convolution 1-D", convolution(), "f32[16,400,80] f32[5,80,128]"),
    *over("convolution 3-D", convolution(), "f32[2,16,16,16,32] f32[3,3,3,32,32]"),
    *over("image gradient", image_gradient(), "f32[8,28,28,128] f32[3,3,128,128] f32[8,28,28,128]"),
    *over("image gradient /2", image_gradient(stride=2), "f32[8,28,28,64] f32[3,3,64,128] f32[8,14,14,128]"),
    *over("filter gradient", filter_gradient(), "f32[8,28,28,128] f32[3,3,128,128] f32[8,28,28,128]"),
    *over("filter gradient", filter_gradient(), "f32[64,7,7,512] f32[1,1,512,512] f32[64,7,7,512]"),
    *over("filter gradient /2", filter_gradient(stride=2), "f32[8,64,64,3] f32[7,7,3,64] f32[8,32,32,64]"),
    *over("filter gradient depthwise", filter_gradient(groups=64), "f32[4,28,28,64] f32[3,3,1,64] f32[4,28,28,64]"),
    *over("convolution, batch norm", convolution_block, "f32[16,14,14,128] f32[3,3,128,128] f32[128] f32[128]"),
]
WINDOWS = [
    *over("max pool", pool("max", 3, 2), "f32[8,112,112,64]", "bf16[4,35,35,96]"),
    *over("average pool", pool("add", 2, 2, "VALID"), "f32[32,28,28,32]"),
    *over("max pool gradient", gradients(pool("max", 2, 2), 0), "f32[8,28,28,64] f32[8,14,14,64]"),
    *over("sliding sum", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 9), (1, 1), "SAME"), "f32[256,1000]"),
    *(k for axis in (0, 1) for k in over(f"cumsum {axis}", along(axis, jnp.cumsum), "f32[256,1000]", "i32[1001,77]")),
    *over("cumsum 0", along(0, jnp.cumsum), "f32[100000]"),
    *over("cumulative maximum", along(1, lax.cummax), "f32[512,512]"),
]

# Indexing, movement, sorting.

INDEXING = [
    *over("embedding", lambda x, i: x[i], "f32[30522,768] i32[8,128]<30522", "bf16[1000,64] i32[100]<1000"),
    *over("take elements", lambda x, i: x[i], "f32[10000] i32[3000]<10000"),
    *over("take columns", lambda x, i: x[:, i], "f32[300,512] i32[40]<512"),
    *over("take pairs", lambda x, i, j: x[i, j], "f32[100,200] i32[500]<100 i32[500]<200"),
    *over("take along 1", lambda x, i: jnp.take_along_axis(x, i, 1), "f32[128,1000] i32[128,5]<1000"),
    *over("embedding gradient", lambda x, i, g: x.at[i].add(g), "f32[1000,256] i32[1000]<1000 f32[1000,256]"),
    *over("set rows", lambda x, i, v: x.at[i].set(v), "f32[512,128] i32[30]<512 f32[30,128]"),
    *over("add elements", lambda x, i, v: x.at[i].add(v), "f32[1000] i32[2000]<1000 f32[2000]"),
    *over("segment sum", lambda x, i: jax.ops.segment_sum(x, i, 50), "f32[600,100] i32[600]<50"),
    *over("one hot", lambda i: jax.nn.one_hot(i, 1000), "i32[512]<1000"),
    *over("dynamic slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (64, 768)), "f32[2048,768] i32[]<1000"),
    *over(
        "dynamic update slice",
        lambda x, u, i: lax.dynamic_update_slice(x, u, (0, i, 0)),
        "f32[16,512,64] f32[16,1,64] i32[]<512",
    ),
]
MOVEMENT = [
    *over("transpose", jnp.transpose, "f32[512,384]", "bf16[1024,1000]", "i8[300,500]", "f32[33,77,129]"),
    *over("transpose 0213", lambda x: x.transpose(0, 2, 1, 3), "f32[8,128,12,64]"),
    *over("transpose 201", lambda x: x.transpose(2, 0, 1), "f32[64,56,56]"),
    *over("reshape to 768 x 1024", lambda x: x.reshape(768, 1024), "f32[1024,768]"),
    *over("flatten", jnp.ravel, "f32[100,77]", "bf16[64,500]"),
    *over("split heads", lambda x: x.reshape(8, 128, 12, 64), "f32[8,128,768]"),
    *over("patches", lambda x: x.reshape(8, 14, 16, 14, 16, 3).transpose(0, 1, 3, 2, 4, 5), "f32[8,224,224,3]"),
    *over("slice", lambda x: x[100:900, 30:700], "f32[1000,1000]"),
    *over("slice 2", lambda x: x[::2, ::2], "f32[512,512]"),
    *over("pad", lambda x: jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), "f32[8,28,28,64]"),
    *over("pad 1", lambda x: jnp.pad(x, ((0, 0), (3, 25))), "f32[500,100]"),
    *over("pad interior", lambda x: lax.pad(x, 0.0, ((0, 0, 1), (0, 0, 1))), "f32[256,256]"),
    *(
        over(f"concatenate {axis}", lambda x, y, axis=axis: jnp.concatenate([x, y], axis), "f32[300,200] f32[300,200]")[
            0
        ]
        for axis in (0, 1)
    ),
    *over("reverse", lambda x: x[:, ::-1], "f32[512,640]"),
    *over("roll", lambda x: jnp.roll(x, 5, 1), "f32[300,400]"),
    *over("repeat", lambda x: jnp.repeat(x, 2), "f32[20000]"),
    *over("iota", lambda: lax.broadcasted_iota(jnp.int32, (1000, 1000), 1), ""),
]
SORTS = [
    *(k for axis in (0, 1) for k in over(f"sort {axis}", along(axis, jnp.sort), "f32[128,1000]")),
    *over("sort 0", along(0, jnp.sort), "i32[65536]"),
    *over("argsort", along(-1, jnp.argsort), "f32[64,500]"),
    *over("top 5", lambda x: lax.top_k(x, 5), "f32[128,1000]"),
]

# Loops and factorizations: several kernels each.


def recurrence(x, h, w, u):
    def step(h, x):
        h = jnp.tanh(x @ w + h @ u)
        return h, h

    return lax.scan(step, h, x)


LOOPS = [
    *over("recurrence", recurrence, "f32[20,32,128] f32[32,64] f32[128,64] f32[64,64]"),
    *over("five steps", lambda x, y: lax.fori_loop(0, 5, lambda i, v: v * x + 1, y), "f32[1000,100] f32[1000,100]"),
    *over("cholesky", jnp.linalg.cholesky, "f32[64,64]"),
    *over("substitution", lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), "f32[128,128] f32[128,10]"),
]

REDUCTIONS = [kernel for kernels in REDUCTIONS for kernel in kernels]
KERNELS = [
    *ELEMENTWISE,
    *REDUCTIONS,
    *NORMALIZATIONS,
    *PRODUCTS,
    *CONVOLUTIONS,
    *WINDOWS,
    *INDEXING,
    *MOVEMENT,
    *SORTS,
    *LOOPS,
]
