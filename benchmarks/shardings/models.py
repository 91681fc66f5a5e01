"""Training steps on a mesh of 8 devices whose shardings are those of their arguments and a few annotations.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math

import random_jax  # noqa: F401 Before JAX is: it asks for eight devices.

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P


class Program:
    """A training step, and its arguments as `jax.ShapeDtypeStruct`s with shardings: values by name, and a batch."""

    def __init__(self, loss, mesh, parameters, specs, *batch):
        """`loss` is a function of values and batch; `specs` of a name and a shape. A batch's arrays are (shape, spec,
        dtype, and for integers the bound of its numbers)."""

        def argument(shape, spec, dtype=jnp.float32, bound=None):
            return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))

        self.mesh = mesh
        self.bounds = [rest[3] if len(rest) > 3 else None for rest in batch]
        self.arguments = (
            {name: argument(shape, specs(name, shape)) for name, shape in parameters.items()},
            *(argument(*rest) for rest in batch),
        )

        def update(values, *batch):
            value, gradients = jax.value_and_grad(loss)(values, *batch)
            return jax.tree.map(lambda value, gradient: value - 0.1 * gradient, values, gradients), value

        self.function = update

    def draw(self, seed=0):
        """Arrays for the arguments: small values, and a batch of normal numbers or integers below their bounds."""
        rng = np.random.default_rng(seed)
        values = {
            name: np.asarray(rng.normal(size=a.shape) * a.shape[-2 if len(a.shape) > 1 else 0] ** -0.5, a.dtype)
            for name, a in self.arguments[0].items()
        }
        return (
            values,
            *(
                np.asarray(rng.normal(size=a.shape) if bound is None else rng.integers(0, bound, a.shape), a.dtype)
                for a, bound in zip(self.arguments[1:], self.bounds)
            ),
        )

    def lowered(self):
        return jax.jit(self.function).lower(*self.arguments).as_text()


def mesh_of(devices=None, **sizes):
    count = math.prod(sizes.values())
    return Mesh(
        np.array((devices or jax.devices())[:count]).reshape(tuple(sizes.values())),
        tuple(sizes),
        axis_types=(AxisType.Auto,) * len(sizes),
    )


def resnet(devices=None, stages=(3, 4, 6, 3)):
    """Bottlenecks with batch normalization over the whole batch; parameters are on all devices."""
    parameters, plan = {"stem": (7, 7, 3, 16)}, []
    channels = 16

    def convolution(name, size, inputs, outputs):
        parameters[name] = (size, size, inputs, outputs)
        parameters[f"{name}.scale"] = parameters[f"{name}.offset"] = (outputs,)

    convolution("stem", 7, 3, 16)
    for stage, blocks in enumerate(stages):
        width = 8 << stage
        for block in range(blocks):
            name, stride = f"{stage}.{block}", 2 if stage and not block else 1
            convolution(f"{name}.a", 1, channels, width)
            convolution(f"{name}.b", 3, width, width)
            convolution(f"{name}.c", 1, width, 4 * width)
            if not block:
                convolution(f"{name}.d", 1, channels, 4 * width)
            plan.append((name, stride))
            channels = 4 * width
    parameters["head"] = (channels, 10)

    def normalized(values, name, x, stride=1):
        x = lax.conv_general_dilated(
            x, values[name], (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        return (x - mean) * lax.rsqrt(variance + 1e-5) * values[f"{name}.scale"] + values[f"{name}.offset"]

    def loss(values, images, labels):
        x = jax.nn.relu(normalized(values, "stem", images, 2))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for name, stride in plan:
            y = jax.nn.relu(normalized(values, f"{name}.a", x))
            y = jax.nn.relu(normalized(values, f"{name}.b", y, stride))
            y = normalized(values, f"{name}.c", y)
            x = jax.nn.relu(y + (normalized(values, f"{name}.d", x, stride) if f"{name}.d" in values else x))
        logits = jax.nn.log_softmax(x.mean((1, 2)) @ values["head"])
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

    return Program(
        loss,
        mesh_of(devices, data=8),
        parameters,
        lambda name, shape: P(),
        ((16, 32, 32, 3), P("data")),
        ((16,), P("data"), jnp.int32, 10),
    )


def transformer(mesh, specs, batch_spec, constraint):
    """Decoder layers in a scan; `constraint` is that of activations between layers."""
    layers, width, heads, vocabulary = 2, 32, 4, 64
    parameters = {
        "embedding": (vocabulary, width),
        "qkv": (layers, width, 3, heads, width // heads),
        "out": (layers, heads, width // heads, width),
        "up": (layers, width, 4 * width),
        "down": (layers, 4 * width, width),
        "norm": (layers, 2, width),
    }

    def norm(x, scale):
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale

    def layer(x, values):
        q, k, v = jnp.einsum("btd,dshe->sbhte", norm(x, values["norm"][0]), values["qkv"])
        scores = jnp.einsum("bhte,bhse->bhts", q, k)
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
        mixed = jnp.einsum("bhts,bhse->bthe", jax.nn.softmax(scores), v)
        x = x + jnp.einsum("bthe,hed->btd", mixed, values["out"])
        x = x + jax.nn.relu(norm(x, values["norm"][1]) @ values["up"]) @ values["down"]
        if constraint is not None:
            x = lax.with_sharding_constraint(x, NamedSharding(mesh, constraint))
        return x, None

    def loss(values, tokens):
        x = values["embedding"][tokens]
        x, _ = lax.scan(layer, x, {name: value for name, value in values.items() if name != "embedding"})
        logits = jax.nn.log_softmax(x @ values["embedding"].T)
        return -jnp.take_along_axis(logits[:, :-1], tokens[:, 1:, None], -1).mean()

    return Program(loss, mesh, parameters, specs, ((8, 16), batch_spec, jnp.int32, vocabulary))


def megatron(devices=None, annotated=True):
    """Heads and hidden features are divided among four devices, the batch between two."""
    specs = {"embedding": P("model"), "qkv": P(None, None, None, "model"), "out": P(None, "model"),
             "up": P(None, None, "model"), "down": P(None, "model"), "norm": P()}
    mesh = mesh_of(devices, data=2, model=4)
    return transformer(mesh, lambda name, shape: specs[name], P("data"), P("data") if annotated else None)


def megatron_by_parameters(devices=None):
    """The same without any annotation of activations."""
    return megatron(devices, annotated=False)


def fsdp(devices=None):
    """Each parameter is divided along its largest dimension, the batch among all devices."""

    def spec(name, shape):
        largest = max(range(len(shape)), key=lambda d: shape[d])
        return P(*("data" if d == largest else None for d in range(len(shape))))

    return transformer(mesh_of(devices, data=8), spec, P("data"), P("data"))


MODELS = {"resnet": resnet, "megatron": megatron, "megatron_by_parameters": megatron_by_parameters, "fsdp": fsdp}
