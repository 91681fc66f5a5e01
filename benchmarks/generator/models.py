"""Models: inputs, parameters and a function to results and to a loss, drawn at random.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from . import attention, feed_forward, images, recurrent
from .blocks import Block, Weight, matrix, norm_of_rows, offset, sequence, wide
from .structures import structure


@dataclasses.dataclass(frozen=True)
class Input:
    """An argument: floats, or integers below a bound. A leaf of trees of inputs."""

    shape: tuple[int, ...]
    below: int | None = None  # None: floats


@dataclasses.dataclass(frozen=True)
class Model:
    params: Any  # tree of Weights
    inputs: tuple  # trees of Inputs; the first dimension of each is the batch, if `has_batch`
    outputs: Callable  # (params, inputs, context) -> array
    loss: Callable  # (params, inputs, context) -> scalar
    forms: frozenset[str]
    has_batch: bool = True


def cross_entropy(logits, labels):
    logs = jax.nn.log_softmax(wide(logits))
    return -jnp.take_along_axis(logs, labels[..., None], axis=-1).mean()


def rows_block(draw, length, features):
    """A block of a transformer or a recurrent network; `length` is None for [batch, features]."""
    kinds = [
        (feed_forward.products, 2),
        (feed_forward.perceptron, 1.5),
        (feed_forward.gated_unit, 1.5),
        (feed_forward.experts, 1),
    ]
    if length is not None:
        attend = lambda draw, features: attention.attention(draw, length, features)
        kinds += [(attend, 4), (recurrent.recurrent, 1.5), (recurrent.linear_recurrence, 0.7)]
        if draw.chance(0.25):  # the layer of a transformer
            return sequence([attend(draw, features), draw.pick([kinds[1], kinds[2]])[0](draw, features)], "layer")
    return draw.pick([f for f, _ in kinds], [w for _, w in kinds])(draw, features)


def of_rows(draw):
    """On texts, on rows of numbers, or on vectors: a trunk of blocks, and classes or numbers at its end."""
    features, batch = draw.size("features"), draw.size("batch")
    length = None if draw.chance(0.2) else draw.size("length")
    shape = (batch,) if length is None else (batch, length)
    trunk = structure(draw, lambda: rows_block(draw, length, features))
    norm_params, norm = norm_of_rows(draw, features)
    params = {"trunk": trunk.params, "norm": norm_params}
    of_words = length is not None and draw.chance(0.6)
    words = draw.size("words") if of_words else draw.size("classes")
    tied = of_words and draw.chance(0.4)
    if of_words:
        params["words"] = Weight((words, features), 0.5)
    if not tied:
        params["head"] = matrix(features, words)
    pools = not of_words and length is not None and draw.chance(0.5)
    labels = Input((batch,) if pools else shape, words)
    inputs = (Input(shape, words) if of_words else Input((*shape, features)), labels)

    def outputs(p, inputs, context):
        x = p["words"][inputs[0]] if of_words else inputs[0]
        x = norm(p["norm"], trunk.apply(p["trunk"], x, context))
        if pools:
            x = x.mean(1)
        return x @ (p["words"].T if tied else p["head"])

    def loss(p, inputs, context):
        return cross_entropy(outputs(p, inputs, context), inputs[1])

    return Model(params, inputs, outputs, loss, trunk.all_forms())


IMAGE_BLOCKS = (images.resnet, images.mobile, images.separable, images.convnext)


def of_images(draw):
    """A stem, one to three stages of blocks of one kind, and classes of images or of positions."""
    batch, size, channels = draw.size("batch"), draw.size("image"), draw.size("channels")
    kind = draw.pick(IMAGE_BLOCKS)
    make = lambda channels: structure(draw, lambda: kind(draw, channels), draw.pick((0, 1, 1)))
    stem = images.conv_norm(draw, draw.pick(((3, 3), (7, 7), (4, 4))), 3, channels, draw.pick((1, 2, 4)))
    blocks = [stem, make(channels)]
    if draw.chance(0.25):
        blocks.append(images.unet(draw, channels, make, draw.pick((1, 2))))
    for _ in range(draw.pick((0, 1, 2))):
        before, channels = channels, draw.size("channels")
        blocks += [images.halved(draw, before, channels), make(channels)]
    trunk = sequence(blocks, "stages")
    classes = draw.size("classes")
    params = {"trunk": trunk.params, "head": matrix(channels, classes), "bias": offset(classes)}
    inputs = (Input((batch, size, size, 3)), Input((batch,), classes))

    def outputs(p, inputs, context):
        x = trunk.apply(p["trunk"], inputs[0], context).mean((1, 2))
        return x @ p["head"] + p["bias"]

    def loss(p, inputs, context):
        return cross_entropy(outputs(p, inputs, context), inputs[1])

    return Model(params, inputs, outputs, loss, trunk.all_forms())


def of_generators(draw):
    """Images from noise, and how real they look to strided convolutions: the loss of DCGAN's generator."""
    batch, inputs, image = draw.size("batch"), draw.size("channels"), min(draw.size("image"), 64)
    make, size = images.generator(draw, inputs, 3, image)
    features = draw.size("channels")
    judge = sequence([images.halved(draw, 3, features), images.conv_norm(draw, (4, 4), features, features, 2)])
    params = {"make": make.params, "judge": judge.params, "head": matrix(features, 1)}

    def outputs(p, inputs, context):
        return make.apply(p["make"], inputs[0][:, None, None, :], context)

    def loss(p, inputs, context):
        score = judge.apply(p["judge"], outputs(p, inputs, context), context).mean((1, 2)) @ p["head"]
        return jax.nn.softplus(-wide(score)).mean()

    return Model(params, (Input((batch, inputs)),), outputs, loss, make.all_forms() | judge.all_forms())


def of_graphs(draw):
    """Messages along edges, summed at their ends: jax.ops.segment_sum."""
    nodes, edges, features = draw.size("nodes"), draw.size("edges"), draw.size("features")
    classes, normed = draw.size("classes"), draw.chance(0.5)

    def make_block():
        params = {"own": matrix(features, features), "message": matrix(features, features), "b": offset(features)}
        by_attention = draw.chance(0.3)
        if by_attention:
            params["score"] = matrix(features, 1)

        def apply(p, x, context):
            senders, receivers = context.edges
            messages = x @ p["message"]
            sent = messages[senders]
            if by_attention:
                scores = jnp.exp(jnp.tanh(wide(sent + messages[receivers]) @ wide(p["score"])))
                total = jax.ops.segment_sum(scores, receivers, nodes)
                sent = (sent * (scores / total[receivers])).astype(x.dtype)
            gathered = jax.ops.segment_sum(sent, receivers, nodes)
            if normed:
                degree = jax.ops.segment_sum(jnp.ones_like(sent[:, :1]), receivers, nodes)
                gathered = gathered / jnp.maximum(degree, 1)
            return x + jax.nn.relu(gathered + x @ p["own"] + p["b"])

        return Block("graph", params, apply)

    trunk = structure(draw, make_block, 1)
    params = {"trunk": trunk.params, "head": matrix(features, classes)}
    inputs = (Input((nodes, features)), (Input((edges,), nodes), Input((edges,), nodes)), Input((nodes,), classes))

    def outputs(p, inputs, context):
        context = dataclasses.replace(context, edges=inputs[1])
        return trunk.apply(p["trunk"], inputs[0], context) @ p["head"]

    def loss(p, inputs, context):
        return cross_entropy(outputs(p, inputs, context), inputs[2])

    return Model(params, inputs, outputs, loss, trunk.all_forms(), has_batch=False)


MODELS = ((of_rows, 6), (of_images, 4), (of_generators, 0.7), (of_graphs, 0.8))


def model(draw):
    return draw.pick([f for f, _ in MODELS], [w for _, w in MODELS])(draw)
