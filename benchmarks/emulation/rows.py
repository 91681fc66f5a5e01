"""The programs of the table of emulation times, by name: functions to (function, arguments).

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "models"))


def random(*shape, dtype=np.float32):
    values = np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)
    return (values * 8 if dtype == np.int8 else values).astype(dtype)


def matmul(size, dtype):
    result = jnp.int32 if dtype == np.int8 else dtype

    def make():
        return lambda x, y: jnp.matmul(x, y, preferred_element_type=result), (random(size, size, dtype=dtype),) * 2

    return make


def convolution(window, gradients):
    """A layer of ResNet-50 of a batch of 8: 56 x 56 images of 64 features."""

    def make():
        x, w = random(8, 56, 56, 64), random(window, window, 64, 64)

        def forward(x, w):
            return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

        function = jax.grad(lambda x, w: jnp.sum(forward(x, w) ** 2), (0, 1)) if gradients else forward
        return function, (x, w)

    return make


def rowwise(function, *shape):
    return lambda: (function, (random(*shape),))


def layer_norm(x):
    return (x - x.mean(1, keepdims=True)) * lax.rsqrt(x.var(1, keepdims=True) + 1e-5)


def chain(x):
    return jnp.tanh(jnp.exp(-x * x) + jnp.sin(x)) * jax.nn.sigmoid(x)


def threefry():
    return lambda key: jax.random.bits(jax.random.wrap_key_data(key), (1 << 22,)), (np.array([1, 2], np.uint32),)


def cnn_step():
    """A step of training of two convolutions and a dense layer, 64 images of 28 x 28."""
    params = [random(3, 3, 1, 16), random(3, 3, 16, 32), random(7 * 7 * 32, 10)]
    images, labels = random(64, 28, 28, 1), np.arange(64, dtype=np.int32) % 10

    def loss(params, images, labels):
        x = images
        for filters in params[:2]:
            x = lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        log = jax.nn.log_softmax(x.reshape(64, -1) @ params[2])
        return -jnp.take_along_axis(log, labels[:, None], 1).mean()

    def step(params, images, labels):
        value, gradients = jax.value_and_grad(loss)(params, images, labels)
        return value, [p - 0.01 * g for p, g in zip(params, gradients, strict=True)]

    return step, (params, images, labels)


def model(name, size):
    def make():
        import models

        return models.MODELS[name](size)

    return make


def sort():
    return lambda x: jnp.sort(x), (random(300_000),)


def gather():
    rows = np.random.default_rng(0).integers(0, 50_000, 20_000).astype(np.int32)
    return lambda x, rows: x[rows], (random(50_000, 128), rows)


def eager():
    """Two hundred operations, each a program of its own."""

    def function(x):
        for number in range(100):
            x = (x + 1.0) * 0.5 if number % 2 else jnp.maximum(x, 0.1) - 0.05
        return x

    return function, (random(64, 64),)


ROWS = {
    **{f"matmul f32 {n}": matmul(n, np.float32) for n in (256, 512, 1024, 2048)},
    "matmul bf16 1024": matmul(1024, jnp.bfloat16),
    "matmul i8 1024": matmul(1024, np.int8),
    "convolution 3x3": convolution(3, False),
    "convolution 3x3, gradients": convolution(3, True),
    "convolution 1x1": convolution(1, False),
    "convolution 1x1, gradients": convolution(1, True),
    "softmax 3000x1000": rowwise(jax.nn.softmax, 3000, 1000),
    "layer norm 4096x768": rowwise(layer_norm, 4096, 768),
    "elementwise chain 16 M": rowwise(chain, 16 << 20),
    "sum of rows 4096x4096": rowwise(lambda x: x.sum(1), 4096, 4096),
    "sum of columns 4096x4096": rowwise(lambda x: x.sum(0), 4096, 4096),
    "transpose 4096x4096": rowwise(jnp.transpose, 4096, 4096),
    "Threefry 4 M": threefry,
    "CNN step": cnn_step,
    "ResNet-50 inference": model("resnet50-inference", "full"),
    "ResNet-50 step": model("resnet50", "full"),
    "bi-LSTM step": model("bilstm", "full"),
    "BERT step": model("bert", "full"),
    "GPT decode": model("llama-decode", "full"),
    "200 eager operations": eager,
}
# Programs of which the emitted code is slow itself. They are not in the mean.
OTHERS = {
    "sort 300,000": sort,
    "cumulative sum 4096x4096": rowwise(lambda x: jnp.cumsum(x, 1), 4096, 4096),
    "gather of 20,000 rows": gather,
}
EAGER = {"200 eager operations"}
