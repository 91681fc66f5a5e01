"""What a program computes with a model: results, gradients, steps of training.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Each takes a Draw and gives a Task. Its function takes its arguments by position, the parameters first, then a step
i32[] and a key of random numbers u32[2], then the rest.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from .blocks import Context, Weight, wide
from .models import Input, model
from .optimizers import optimizer


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    function: Callable  # of `arguments`
    arguments: tuple  # trees of Weights, Inputs and types of further arrays
    donated: tuple[int, ...]
    forms: frozenset[str]


STEP, KEY = Input((), 1000), Input((2,), 1 << 31)


def as_computed(tree, compute):
    """Floats in the type in which the network is computed, but in f64 where the program is evaluated in it."""

    def cast(x):
        is_cast = compute is not None and jnp.issubdtype(x.dtype, jnp.floating) and x.dtype != jnp.float64
        return x.astype(compute) if is_cast else x

    return jax.tree.map(cast, tree)


def context_of(step, key, taps=None):
    return Context(step, jax.random.wrap_key_data(key.astype(jnp.uint32)), taps)


def loss_of(net, compute):
    def loss(params, step, key, *inputs):
        params, inputs = as_computed((params, inputs), compute)
        return wide(net.loss(params, inputs, context_of(step, key)))

    return loss


def forward(draw, compute):
    net = model(draw)

    def function(params, step, key, *inputs):
        params, inputs = as_computed((params, inputs), compute)
        taps = []
        return net.outputs(params, inputs, context_of(step, key, taps)), taps

    return Task("forward", function, (net.params, STEP, KEY, *net.inputs), (), net.forms)


def gradient(draw, compute):
    draw.differentiated = True
    net = model(draw)
    loss = loss_of(net, compute)
    of_inputs = net.inputs[0].below is None and draw.chance(0.4)
    with_value = draw.chance(0.5)
    places = (0, 3) if of_inputs else 0
    function = jax.value_and_grad(loss, places) if with_value else jax.grad(loss, places)
    return Task("gradient", function, (net.params, STEP, KEY, *net.inputs), (), net.forms)


def moments_like(params, count):
    """The state of an optimizer in the middle of a run."""
    moments = tuple(jax.tree.map(lambda w: Weight(w.shape, 0.01, 0.1), params) for _ in range(count))
    return Input((), 100), moments


def train_step(draw, compute):
    """A step of an optimizer, with the gradient of a batch, or a sum over parts of it (gradient accumulation)."""
    draw.differentiated = True
    net = model(draw)
    loss = loss_of(net, compute)
    name, update, moments = optimizer(draw)
    parts = draw.pick((1, 1, 2, 3)) if net.has_batch else 1

    def function(params, step, key, state, *inputs):
        if parts == 1:
            value, gradients = jax.value_and_grad(loss)(params, step, key, *inputs)
        else:

            def accumulate(sums, part):
                found = jax.value_and_grad(loss)(params, step, key, *part)
                return jax.tree.map(jnp.add, sums, found), None

            types = jax.eval_shape(jax.value_and_grad(loss), params, step, key, *jax.tree.map(lambda x: x[0], inputs))
            start = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), types)
            (value, gradients), _ = lax.scan(accumulate, start, inputs)
            value, gradients = jax.tree.map(lambda x: x / parts, (value, gradients))
        params, state = update(params, state, gradients)
        return params, state, value

    inputs = net.inputs if parts == 1 else jax.tree.map(lambda i: repeated(i, parts), net.inputs)
    names = {name} | ({"accumulated gradients"} if parts > 1 else set())
    arguments = (net.params, STEP, KEY, moments_like(net.params, moments), *inputs)
    return Task("train step", function, arguments, donated(draw, (0, 3)), net.forms | names)


def repeated(given, count):
    return Input((count, *given.shape), given.below)


def donated(draw, places):
    return places if draw.chance(0.7) else ()


def train_loop(draw, compute):
    """Several steps of training in one program, on a batch for each, or the same one."""
    draw.differentiated = True
    net = model(draw)
    loss = loss_of(net, compute)
    name, update, moments = optimizer(draw)
    count, is_scan = draw.size("trips"), draw.chance(0.6)

    def function(params, step, key, state, *inputs):
        def one(carry, batch):
            params, state, step = carry
            value, gradients = jax.value_and_grad(loss)(params, step, key, *batch)
            params, state = update(params, state, gradients)
            return (params, state, step + 1), value

        start = (params, state, step)
        if is_scan:
            (params, state, _), values = lax.scan(one, start, inputs)
            return params, state, values
        params, state, _ = lax.fori_loop(0, count, lambda _, carry: one(carry, inputs)[0], start)
        return params, state

    inputs = jax.tree.map(lambda i: repeated(i, count), net.inputs) if is_scan else net.inputs
    arguments = (net.params, STEP, KEY, moments_like(net.params, moments), *inputs)
    return Task("train loop", function, arguments, donated(draw, (0, 3)), net.forms | {name})


def per_example(draw, compute):
    """The gradients of each example, by vmap, and their sum after each has been clipped."""
    draw.differentiated = True
    net = model(draw)
    if not net.has_batch:
        return gradient(draw, compute)
    loss = loss_of(net, compute)

    def of_one(params, step, key, *inputs):
        return jax.grad(loss)(params, step, key, *(x[None] for x in inputs))

    def function(params, step, key, *inputs):
        axes = (None, None, None, *(0 for _ in inputs))
        gradients = jax.vmap(of_one, in_axes=axes)(params, step, key, *inputs)
        squares = sum(jnp.square(wide(g)).reshape(g.shape[0], -1).sum(1) for g in jax.tree.leaves(gradients))
        scale = lax.rsqrt(jnp.maximum(squares, 1.0))
        return jax.tree.map(lambda g: jnp.einsum("b,b...->...", scale.astype(g.dtype), g), gradients)

    return Task("gradient of each example", function, (net.params, STEP, KEY, *net.inputs), (), net.forms)
