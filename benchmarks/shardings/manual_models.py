"""Training steps whose communication is written by hand: `shard_map` over a mesh of 8 devices.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from models import Program, mesh_of


def pipeline(devices=None, width=32, batches=4):
    """A layer on each device; activations of several small batches go from device to device (GPipe)."""
    mesh = mesh_of(devices, stage=8)

    def forward(weight, x):
        stage, stages = lax.axis_index("stage"), 8
        ring = [(i, (i + 1) % stages) for i in range(stages)]

        def step(carry, time):
            now, outputs = carry
            first = lax.dynamic_index_in_dim(x, jnp.clip(time, 0, batches - 1), keepdims=False)
            now = jax.nn.gelu(jnp.where(stage == 0, first, now) @ weight[0])
            place = jnp.clip(time - (stages - 1), 0, batches - 1)
            outputs = jnp.where(
                (stage == stages - 1) & (time >= stages - 1),
                lax.dynamic_update_index_in_dim(outputs, now, place, 0),
                outputs,
            )
            return (lax.ppermute(now, "stage", ring), outputs), None

        start = lax.pcast((jnp.zeros_like(x[0]), jnp.zeros_like(x)), "stage", to="varying")
        (_, outputs), _ = lax.scan(step, start, jnp.arange(batches + stages - 1))
        return lax.psum(outputs, "stage")

    divided = jax.shard_map(forward, mesh=mesh, in_specs=(P("stage"), P()), out_specs=P())

    def loss(values, x, y):
        return ((divided(values["layers"], x) - y) ** 2).mean()

    return Program(
        loss,
        mesh,
        {"layers": (8, width, width)},
        lambda name, shape: P("stage"),
        ((batches, 8, width), P()),
        ((batches, 8, width), P()),
    )


def sequence_parallel(devices=None, length=64, heads=8, size=16):
    """Attention over a sequence that is divided among devices: heads are exchanged for positions (Ulysses)."""
    mesh = mesh_of(devices, sequence=8)

    def attention(q, k, v):
        q, k, v = (lax.all_to_all(x, "sequence", split_axis=2, concat_axis=1, tiled=True) for x in (q, k, v))
        scores = jnp.einsum("bthd,bshd->bhts", q, k) * size**-0.5
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
        mixed = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v)
        return lax.all_to_all(mixed, "sequence", split_axis=1, concat_axis=2, tiled=True)

    spec = P(None, "sequence")
    divided = jax.shard_map(attention, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec)

    def loss(values, x, y):
        q, k, v = (jnp.einsum("btc,chd->bthd", x, values[name]) for name in ("q", "k", "v"))
        out = jnp.einsum("bthd,hdc->btc", divided(q, k, v), values["out"])
        return ((out - y) ** 2).mean()

    width = heads * size
    shapes = dict.fromkeys(("q", "k", "v"), (width, heads, size)) | {"out": (heads, size, width)}
    return Program(loss, mesh, shapes, lambda name, shape: P(), ((2, length, width), spec), ((2, length, width), spec))


def experts(devices=None, width=32, tokens=64, capacity=16):
    """An expert on each device; tokens go to that of their greatest gate and back (Switch)."""
    mesh = mesh_of(devices, expert=8)

    def layer(gates, up, down, x):
        probabilities = jax.nn.softmax(x @ gates)
        choice = probabilities.argmax(-1)
        chosen = jax.nn.one_hot(choice, 8)
        place = (jnp.cumsum(chosen, 0) - 1) * chosen
        kept = chosen * (place < capacity)
        dispatch = kept[..., None] * jax.nn.one_hot(place.sum(-1).astype(jnp.int32), capacity)[:, None]
        sent = jnp.einsum("tc,tep->epc", x, dispatch)
        got = lax.all_to_all(sent, "expert", split_axis=0, concat_axis=0, tiled=True)
        hidden = jax.nn.relu(jnp.einsum("epc,cf->epf", got, up[0]))
        done = jnp.einsum("epf,fc->epc", hidden, down[0])
        back = lax.all_to_all(done, "expert", split_axis=0, concat_axis=0, tiled=True)
        weight = (probabilities * chosen).sum(-1, keepdims=True)
        return x + weight * jnp.einsum("epc,tep->tc", back, dispatch)

    spec = P("expert")
    divided = jax.shard_map(layer, mesh=mesh, in_specs=(P(), spec, spec, spec), out_specs=spec)

    def loss(values, x, y):
        return ((divided(values["gates"], values["up"], values["down"], x) - y) ** 2).mean()

    shapes = {"gates": (width, 8), "up": (8, width, 4 * width), "down": (8, 4 * width, width)}
    return Program(
        loss,
        mesh,
        shapes,
        lambda name, shape: P() if name == "gates" else spec,
        ((8 * tokens, width), spec),
        ((8 * tokens, width), spec),
    )


MODELS = {"pipeline": pipeline, "sequence_parallel": sequence_parallel, "experts": experts}
