"""Random functions of JAX on a mesh, lowered to text: the programs whose shardings are compared.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 " + os.environ.get("XLA_FLAGS", "")

import math
import random
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

MESHES = [(2,), (4,), (8,), (3,), (6,), (2, 2), (2, 4), (4, 2), (2, 3), (2, 2, 2)]
SIZES = [2, 3, 4, 6, 8, 8, 12, 16]
NAMES = "xyz"


def spec(rng, mesh, rank, sizes, unconstrained=0.0):
    """How a random sharding divides dimensions, evenly."""
    axes = [name for name in mesh.axis_names if rng.random() < 0.7]
    rng.shuffle(axes)
    dims = [[] for _ in range(rank)]
    for axis in axes if rank else []:
        d = rng.randrange(rank)
        if sizes[d] % (math.prod(mesh.shape[a] for a in dims[d]) * mesh.shape[axis]) == 0:
            dims[d].append(axis)
    return PartitionSpec(*(tuple(dim) if dim else
                           PartitionSpec.UNCONSTRAINED if rng.random() < unconstrained else None for dim in dims))


class Body:
    """Applies random operations to arrays."""

    def __init__(self, rng, mesh, depth=0, constraints=True):
        self.rng, self.mesh, self.depth, self.constraints = rng, mesh, depth, constraints

    def axis(self, x):
        return self.rng.randrange(x.ndim)

    def alike(self, x):
        """An array of the shape of `x`: one of those that are there, a constant, or made of another one."""
        same = [other for other in self.pool if other.shape == x.shape]
        choice = self.rng.randrange(6)
        if choice == 0:
            return jnp.full(x.shape, 0.5)
        if choice == 1 and x.ndim:
            return lax.broadcasted_iota(jnp.float32, x.shape, self.axis(x))
        rows = [other for other in self.pool if x.ndim and other.ndim == 1 and other.shape[0] in x.shape]
        if choice < 4 and rows:
            row = self.rng.choice(rows)
            d = self.rng.choice([d for d in range(x.ndim) if x.shape[d] == row.shape[0]])
            return lax.broadcast_in_dim(row, x.shape, (d,))
        return self.rng.choice(same)

    def unary(self, x):
        return self.rng.choice([jnp.tanh, jnp.exp, jnp.negative, jax.nn.softmax, lambda x: jnp.square(x) + x])(x)

    def binary(self, x):
        return self.rng.choice([jnp.add, jnp.multiply, jnp.maximum, jnp.subtract])(x, self.alike(x))

    def select(self, x):
        return jnp.where(x > self.alike(x), x, self.alike(x))

    def dot(self, x):
        y = self.rng.choice([other for other in self.pool if other.ndim > 0])
        pairs = [(i, j) for i in range(x.ndim) for j in range(y.ndim) if x.shape[i] == y.shape[j]]
        self.rng.shuffle(pairs)
        taken = []
        for i, j in pairs:
            if len(taken) < 2 and all(i != a and j != b for a, b in taken):
                taken.append((i, j))
        batch = taken[1:] if self.rng.random() < 0.5 else []
        contracted = taken[:1] if batch else taken
        if x.ndim + y.ndim - 2 * len(contracted) - len(batch) > 4:
            return self.unary(x)
        return lax.dot_general(x, y, (tuple(zip(*contracted)) or ((), ()), tuple(zip(*batch)) or ((), ())))

    def reduce(self, x):
        axes = tuple(d for d in range(x.ndim) if self.rng.random() < 0.5)
        y = self.rng.choice([jnp.sum, jnp.max])(x, axis=axes, keepdims=self.rng.random() < 0.3)
        return x - jnp.max(x, axis=axes, keepdims=True) if self.rng.random() < 0.3 else y

    def extreme(self, x):
        return jnp.argmax(x, axis=self.axis(x)).astype(jnp.float32)

    def reshape(self, x):
        factors = []
        for size in x.shape:
            while size > 1:
                factor = next((p for p in (2, 3, 5, 7) if size % p == 0), size)
                factors.append(factor)
                size //= factor
        cuts = sorted(self.rng.sample(range(1, max(2, len(factors))), min(len(factors) - 1, self.rng.randint(0, 3)))
                      if len(factors) > 1 else [])
        return x.reshape([math.prod(factors[a:b]) for a, b in zip([0, *cuts], [*cuts, len(factors)])])

    def transpose(self, x):
        return x.transpose(self.rng.sample(range(x.ndim), x.ndim))

    def broadcast(self, x):
        if x.ndim > 3:
            return self.unary(x)
        d = self.rng.randint(0, x.ndim)
        return lax.broadcast_in_dim(x, (*x.shape[:d], self.rng.choice(SIZES), *x.shape[d:]),
                                    [i + (i >= d) for i in range(x.ndim)])

    def concatenate(self, x):
        d = self.axis(x)
        if self.rng.random() < 0.5:
            return jnp.roll(x, self.rng.randint(1, 3), d)
        return jnp.concatenate([x, self.alike(x)], d)

    def slice(self, x):
        d = self.axis(x)
        choice, size = self.rng.randrange(5), x.shape[d]
        if choice == 0:
            return jnp.flip(x, d)
        if choice == 1:
            return lax.pad(x, 0.0, [(1, 1, 0) if i == d else (0, 0, 0) for i in range(x.ndim)])
        part = max(1, size // 2)
        if choice == 2:
            return lax.dynamic_slice_in_dim(x, self.number, part, d)
        if choice == 3:
            return lax.dynamic_update_slice_in_dim(x, lax.slice_in_dim(self.alike(x), 0, part, axis=d), self.number, d)
        return lax.slice_in_dim(x, 0, part, axis=d)

    def convolution(self, x):
        while x.ndim < 3:
            x = x[None]
        spatial = x.ndim - 2
        groups = self.rng.choice([1, 1, x.shape[1]])
        kernel = jnp.full((x.shape[1], x.shape[1] // groups, *[min(3, size) for size in x.shape[2:]]), 0.1)
        kernel = kernel * jnp.mean(self.rng.choice(self.pool))
        return lax.conv_general_dilated(x, kernel, [1] * spatial, self.rng.choice(["SAME", "VALID"]),
                                        feature_group_count=groups)

    def window(self, x):
        if self.rng.random() < 0.3:
            return jnp.cumsum(x, self.axis(x))
        sizes = [self.rng.choice([1, 2]) for _ in x.shape]
        return lax.reduce_window(x, -np.inf, lax.max, sizes, self.rng.choice([sizes, [1] * x.ndim]), "VALID")

    def indexed(self, x):
        d = self.axis(x)
        places = self.places % x.shape[d]
        choice = self.rng.randrange(4)
        if choice == 0:
            return jnp.take_along_axis(x, jnp.argsort(x, axis=d), d)
        if choice == 1:
            return jnp.moveaxis(jnp.moveaxis(x, d, 0).at[places].add(1.0), 0, d)
        if choice == 2:
            return x.at[(slice(None),) * d + (self.number,)].set(0.5)
        return jnp.take(x, places, axis=d)

    def sort(self, x):
        return jnp.sort(x, axis=self.axis(x))

    def constrain(self, x):
        dims = spec(self.rng, self.mesh, x.ndim, x.shape, unconstrained=self.rng.choice([0, 0.5, 1]))
        return lax.with_sharding_constraint(x, NamedSharding(self.mesh, dims)) if self.constraints else x

    def inner(self):
        body = Body(self.rng, self.mesh, self.depth + 1, self.constraints)
        body.number, body.places = self.number, self.places
        return body

    def loop(self, x):
        y, inner = self.alike(x), self.inner()
        seed = self.rng.random()

        def step(_, carried):
            inner.rng = random.Random(seed)
            x, y = carried
            z = inner.grow([x, y], 2)[-1]
            return y, x + (z if z.shape == x.shape else jnp.mean(z))

        if self.rng.random() < 0.5:
            return lax.fori_loop(0, 3, step, (x, y))[self.rng.randrange(2)]
        if x.ndim == 0:
            return self.unary(x)
        return lax.scan(lambda carry, row: (carry * 0.5 + row, carry), jnp.mean(x, 0), x)[self.rng.randrange(2)]

    def branch(self, x):
        def of(seed):
            def branch(x, y):
                inner = self.inner()
                inner.rng = random.Random(seed)
                z = inner.grow([x, y], 2)[-1]
                return z if z.shape == x.shape else x + jnp.mean(z)
            return branch

        return lax.switch(self.number, [of(self.rng.random()) for _ in range(self.rng.choice([2, 2, 3]))], x,
                          self.alike(x))

    def barrier(self, x):
        return lax.optimization_barrier((x, self.alike(x)))[self.rng.randrange(2)]

    def manual(self, x):
        if self.depth or x.ndim == 0:
            return self.unary(x)
        names = [name for name in self.mesh.axis_names if self.rng.random() < 0.7] or self.mesh.axis_names[:1]
        dims = [name for name in spec(self.rng, self.mesh, x.ndim, x.shape)]
        kept = PartitionSpec(*(tuple(a for a in dim if a in names) or None if dim else None for dim in dims))
        add = self.rng.random() < 0.3

        def local(x):
            y = jnp.tanh(x) if self.rng.random() < 0.5 else x @ jnp.swapaxes(x, -1, -2) @ x if x.ndim > 1 else x * x
            return y + lax.psum(y, names[0]) if add else y

        return jax.shard_map(local, mesh=self.mesh, in_specs=kept, out_specs=kept, axis_names=set(names),
                             check_vma=False)(x)

    def grow(self, arrays, count):
        self.pool = list(arrays)
        usual = [self.unary, self.binary, self.binary, self.dot, self.dot, self.reduce, self.reshape, self.transpose,
                 self.broadcast, self.constrain]
        rare = [self.select, self.extreme, self.concatenate, self.slice, self.slice, self.convolution, self.window,
                self.indexed, self.sort, self.barrier, self.manual] + ([self.loop, self.branch] if self.depth < 1 else [])
        for _ in range(count):
            # What was made last is read more often, so that chains become long.
            x = self.pool[-1] if self.rng.random() < 0.5 else self.rng.choice(self.pool)
            operation = self.rng.choice(usual if self.rng.random() < 0.65 else rare)
            if x.ndim == 0 and operation not in (self.unary, self.binary, self.broadcast):
                operation = self.unary
            made = operation(x)
            if made.size <= 1 << 16 and 0 not in made.shape:
                self.pool.append(made)
        return self.pool


def varied(rng, text):
    """The text with what JAX does not write: open dimensions, priorities and parts of axes."""
    sizes = {name: int(size) for name, size in re.findall(r'"(\w)"=(\d+)', text)}
    change = rng.choice(["", "", "", "open", "priority", "part"])

    def dims(match):
        dim = match[0]
        if change == "open" and "?" not in dim and rng.random() < 0.5:
            return dim[:-1] + (", ?}" if len(dim) > 2 else "?}")
        if change == "priority" and len(dim) > 3 and rng.random() < 0.5:
            return f"{dim}p{rng.randint(1, 2)}"
        if change == "part" and len(dim) == 5 and dim[1] == '"' and sizes[dim[2]] % 2 == 0 and sizes[dim[2]] > 2:
            size = sizes[dim[2]]
            return rng.choice([dim, f'{{"{dim[2]}":(1)2}}', f'{{"{dim[2]}":(2){size // 2}}}'])
        return dim

    def sharding(match):
        return match[1] + re.sub(r"\{[^{}]*\}", dims, match[2])

    lines = []
    for line in text.splitlines():
        if "manual_computation" not in line:
            line = re.sub(r"((?:#sdy\.sharding|sharding_constraint %\S+ )<@mesh, )(\[[^\]]*\])", sharding, line)
        lines.append(line)
    return "\n".join(lines)


def function(seed, devices, constraints=True):
    """A function, its arguments' shapes and shardings, and the numbers behind; the same for the same seed."""
    rng = random.Random(seed)
    sizes = rng.choice(MESHES)
    mesh = Mesh(np.array(devices[: math.prod(sizes)]).reshape(sizes), tuple(NAMES[: len(sizes)]),
                axis_types=(AxisType.Auto,) * len(sizes))
    common = rng.sample(SIZES, 3)
    shapes = [[rng.choice(common) for _ in range(rng.choice([1, 2, 2, 3, 3, 4]))] for _ in range(rng.randint(1, 4))]
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(
        mesh, spec(rng, mesh, len(shape), shape)) if rng.random() < 0.6 else None) for shape in shapes]
    count, returned = rng.randint(2, 14), rng.randint(1, 3)
    inner = rng.random()
    differentiated = rng.random() < 0.15

    def grown(number, places, *arrays):
        body = Body(random.Random(inner), mesh, constraints=constraints)
        body.number, body.places = number, places
        return tuple(body.grow(arrays, count)[-returned:])

    def differentiating(number, places, *arrays):
        return jax.grad(lambda *arrays: sum(jnp.sum(x) for x in grown(number, places, *arrays)),
                        argnums=tuple(range(len(arrays))))(*arrays)

    scalars = [jax.ShapeDtypeStruct((), jnp.int32), jax.ShapeDtypeStruct((6,), jnp.int32)]
    return differentiating if differentiated else grown, scalars + arguments, rng


def program(seed):
    """The text of a program; the same for the same seed."""
    made, arguments, rng = function(seed, jax.devices())
    return varied(rng, jax.jit(made).lower(*arguments).as_text())
