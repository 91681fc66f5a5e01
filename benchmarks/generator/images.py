"""Blocks on images [batch, height, width, channels], as in ResNet, MobileNet, EfficientNet, ConvNeXt and U-Net.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import Block, batch_norm, convolve, factor, group_norm, kernel, layer_norm, matrix, offset, sequence


def normed(draw, channels):
    """A norm of images: (parameters, function)."""
    params = {"scale": factor(channels), "bias": offset(channels)}
    kind = draw.pick(("batch", "group", "fixed"), (5, 2, 2))
    if kind == "batch":
        return params, lambda p, x: batch_norm(x, p["scale"], p["bias"])
    if kind == "group":
        groups = draw.divisor(channels, 32)
        return params, lambda p, x: group_norm(x, p["scale"], p["bias"], groups)
    return params, lambda p, x: x * p["scale"] + p["bias"]  # statistics that were folded into it


def conv_norm(draw, window, inputs, outputs, stride=1, groups=1, act=jax.nn.relu):
    norm_params, norm = normed(draw, outputs)
    params = {"w": kernel(window, inputs, outputs, groups), "norm": norm_params}

    def apply(p, x, _):
        return act(norm(p["norm"], convolve(x, p["w"], stride, groups)))

    return Block("convolution", params, apply)


def nothing(x):
    return x


def squeeze_excite(channels):
    """Factors of channels from the means of all positions."""
    few = max(1, channels // 4)
    params = {"in": matrix(channels, few), "b": offset(few), "out": matrix(few, channels), "c": offset(channels)}

    def apply(p, x, _):
        y = jax.nn.silu(x.mean((1, 2)) @ p["in"] + p["b"])
        return x * jax.nn.sigmoid(y @ p["out"] + p["c"])[:, None, None, :]

    return Block("squeeze and excite", params, apply)


def around(block, act=nothing):
    apply = lambda p, x, context: act(x + block.apply(p, x, context))
    return Block(block.name, block.params, apply, block.forms)


def resnet(draw, channels):
    """A basic block or a bottleneck, perhaps with groups, as in ResNeXt."""
    conv = lambda window, a, b, groups=1, act=jax.nn.relu: conv_norm(draw, window, a, b, 1, groups, act)
    if draw.chance(0.4):
        parts = [conv((3, 3), channels, channels), conv((3, 3), channels, channels, act=nothing)]
    else:
        inner = max(1, channels // 4)
        groups = draw.divisor(inner, 32) if draw.chance(0.2) else 1
        parts = [conv((1, 1), channels, inner), conv((3, 3), inner, inner, groups)]
        parts.append(conv((1, 1), inner, channels, act=nothing))
    return around(sequence(parts, "resnet"), jax.nn.relu)


def mobile(draw, channels):
    """An inverted residual with a depthwise convolution; with squeeze and excite it is EfficientNet's."""
    is_efficient, wide = draw.chance(0.5), channels * draw.pick((1, 3, 4, 6))
    window = draw.pick(((3, 3), (3, 3), (5, 5)))
    act = jax.nn.silu if is_efficient else lambda x: jnp.clip(x, 0, 6)
    parts = [conv_norm(draw, (1, 1), channels, wide, act=act), conv_norm(draw, window, wide, wide, 1, wide, act)]
    if is_efficient:
        parts.append(squeeze_excite(wide))
    parts.append(conv_norm(draw, (1, 1), wide, channels, act=nothing))
    return around(sequence(parts, "efficientnet" if is_efficient else "mobilenet"))


def separable(draw, channels):
    """Depthwise, then pointwise convolutions, without a connection around them, as in the first MobileNet."""
    depthwise = conv_norm(draw, (3, 3), channels, channels, 1, channels)
    wide = conv_norm(draw, (1, 1), channels, draw.size("channels"))
    inner = wide.params["w"].shape[-1]
    return sequence([depthwise, wide, conv_norm(draw, (1, 1), inner, channels)], "separable")


def convnext(draw, channels):
    """A depthwise convolution of 7 x 7, a norm of rows, a perceptron and a factor for each channel."""
    params = {
        "w": kernel((7, 7), channels, channels, channels),
        "scale": factor(channels),
        "bias": offset(channels),
        "in": matrix(channels, 4 * channels),
        "b": offset(4 * channels),
        "out": matrix(4 * channels, channels),
        "gamma": factor(channels),
    }

    def apply(p, x, _):
        y = layer_norm(convolve(x, p["w"], 1, channels), p["scale"], p["bias"])
        return x + jax.nn.gelu(y @ p["in"] + p["b"], approximate=True) @ p["out"] * p["gamma"]

    return Block("convnext", params, apply)


def pooled(draw, kind):
    """A function that halves an image: the largest or the mean of windows, whole or with a border."""
    window = draw.pick((2, 3))
    if kind == "max":
        return lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, window, window, 1), (1, 2, 2, 1), "SAME")
    return lambda x: lax.reduce_window(x, 0.0, lax.add, (1, window, window, 1), (1, 2, 2, 1), "SAME") / window**2


def halved(draw, inputs, outputs):
    """A block to half the height and width: strided convolutions, or pooling."""
    if draw.chance(0.6):
        window = draw.pick(((3, 3), (1, 1), (2, 2)))
        block = conv_norm(draw, window, inputs, outputs, 2)
        return Block("stride", block.params, block.apply)
    pool, block = pooled(draw, draw.pick(("max", "mean"))), conv_norm(draw, (1, 1), inputs, outputs)
    return Block("pooling", block.params, lambda p, x, context: block.apply(p, pool(x), context))


def unet(draw, channels, make, levels):
    """Half the size and back again, with what was skipped beside it."""
    inner = channels * draw.pick((1, 2))
    down, bottom = halved(draw, channels, inner), make(inner)
    if levels > 1:
        bottom = sequence([bottom, unet(draw, inner, make, levels - 1)])
    transposed = draw.chance(0.6)
    join = conv_norm(draw, (3, 3), 2 * channels, channels)
    params = {"down": down.params, "bottom": bottom.params, "join": join.params}
    params["up"] = kernel((2, 2), inner, channels)

    def enlarged(w, y, shape):
        if transposed:
            y = lax.conv_transpose(y, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        else:
            y = convolve(jnp.repeat(jnp.repeat(y, 2, axis=1), 2, axis=2), w)
        return y[:, : shape[1], : shape[2]]

    def apply(p, x, context):
        y = bottom.apply(p["bottom"], down.apply(p["down"], x, context), context)
        return join.apply(p["join"], jnp.concatenate([x, enlarged(p["up"], y, x.shape)], axis=-1), context)

    return Block("unet", params, apply, bottom.all_forms() | down.all_forms())


def generator(draw, inputs, outputs, image):
    """Transposed convolutions from one position to an image, as in DCGAN: (block, its height and width)."""
    count, size = max(1, int(math.log2(max(image, 2)))), 1
    blocks, channels = [], inputs
    for level in range(count):
        features = outputs if level == count - 1 else max(1, channels // 2)
        blocks.append(transposed(draw, channels, features, level == count - 1))
        channels, size = features, 2 * size
    return sequence(blocks, "dcgan"), size


def transposed(draw, inputs, outputs, is_last):
    norm_params, norm = normed(draw, outputs)

    def apply(p, x, _):
        y = lax.conv_transpose(x, p["w"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.tanh(y) if is_last else jax.nn.relu(norm(p["norm"], y))

    return Block("transposed", {"w": kernel((4, 4), inputs, outputs), "norm": norm_params}, apply)
