"""Random programs with shardings, as text: the same program for the same seed.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

MESHES = [{"x": 2}, {"x": 4}, {"x": 8}, {"x": 2, "y": 2}, {"x": 2, "y": 4}, {"x": 4, "y": 2}, {"x": 2, "y": 2, "z": 2},
          {"x": 2, "y": 1, "z": 3}]
SIZES = [2, 4, 4, 6, 8, 8, 12, 16, 3, 5]


def kind_of(shape):
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


class Program:
    """Lines of a function body on values of f32, by name with their shapes."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.mesh = self.rng.choice(MESHES)
        self.has_priorities = self.rng.random() < 0.3
        self.count = self.groups = 0
        self.depth = 0
        rng = self.rng
        base = [rng.choice(SIZES) for _ in range(3)]
        arguments = [[rng.choice(base) for _ in range(rng.choice([1, 2, 2, 2, 3]))] for _ in range(rng.randint(2, 4))]
        values = [(f"%arg{i}", shape) for i, shape in enumerate(arguments)]
        named = [f"{name}: {kind_of(shape)}{self.attribute(shape, 0.7)}" for name, shape in values]
        lines = self.block(values, rng.randint(6, 14))
        results = rng.sample(values[len(arguments) :], min(rng.randint(1, 3), len(values) - len(arguments)))
        kinds = ", ".join(kind_of(shape) + self.attribute(shape, 0.15) for _, shape in results)
        plain = ", ".join(kind_of(shape) for _, shape in results)
        returned = ", ".join(name for name, _ in results)
        axes = ", ".join(f'"{name}"={size}' for name, size in self.mesh.items())
        devices = ""
        total = 1
        for size in self.mesh.values():
            total *= size
        if rng.random() < 0.15 and total > 1:
            order = rng.sample(range(total), total)
            if order != sorted(order):
                devices = f", device_ids=[{', '.join(map(str, order))}]"
        body = "\n".join(f"    {line}" for line in lines)
        self.text = (f"module {{\n  sdy.mesh @mesh = <[{axes}]{devices}>\n"
                     f"  func.func public @main({', '.join(named)}) -> ({kinds}) {{\n{body}\n"
                     f"    return {returned} : {plain}\n  }}\n}}\n")

    # Shardings

    def axes(self):
        """The axes of the mesh in random order, some of them divided into two parts."""
        parts = []
        for name, size in self.mesh.items():
            if size in (4, 8) and self.rng.random() < 0.15:
                parts += [f'"{name}":(1)2', f'"{name}":(2){size // 2}']
            else:
                parts.append(f'"{name}"')
        self.rng.shuffle(parts)
        return parts

    def sharding(self, shape, closed=None, banned=()):
        rng = self.rng
        parts = [part for part in self.axes() if part.split('"')[1] not in banned]
        parts = parts[: rng.randint(0, len(parts))]
        dims = [[] for _ in shape]
        replicated = []
        for part in parts:
            where = rng.randrange(len(shape)) if rng.random() < 0.9 and shape else None
            # Parts of one axis that follow each other are one.
            if where is None or (dims[where] and dims[where][-1].split(":")[0] == part.split(":")[0]):
                if not any(other.split(":")[0] == part.split(":")[0] for other in replicated):
                    replicated.append(part)
            else:
                dims[where].append(part)
        is_closed = rng.random() < 0.7 if closed is None else closed
        texts = []
        for axes in dims:
            is_open = not is_closed and rng.random() < 0.7
            text = "{" + ", ".join(axes + ["?"] * is_open) + "}"
            if self.has_priorities and (axes or is_open) and rng.random() < 0.4:
                text += f"p{rng.randint(0, 2)}"
            texts.append(text)
        order = {name: number for number, name in enumerate(self.mesh)}
        replicated.sort(key=lambda part: (order[part.split('"')[1]], part))
        rest = f", replicated={{{', '.join(replicated)}}}" if replicated else ""
        return f"<@mesh, [{', '.join(texts)}]{rest}>"

    def attribute(self, shape, share):
        return f" {{sdy.sharding = #sdy.sharding{self.sharding(shape)}}}" if self.rng.random() < share else ""

    # Operations

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def block(self, values, steps):
        lines = []
        makers = [self.elementwise] * 6 + [self.binary] * 7 + [self.dot] * 5 + [self.reshape] * 2 + [
            self.transpose] * 2 + [self.reduce] * 3 + [self.broadcast] * 2 + [self.constant] * 2 + [
            self.constraint] * 4 + [self.slice, self.concatenate, self.gather, self.sort, self.update,
                                    self.barrier, self.group, self.pad]
        if self.depth < 2:
            makers += [self.loop, self.branch, self.manual]
        for _ in range(steps):
            made = self.rng.choice(makers)(lines, values)
            if made:
                values.append(made)
        return lines

    def pick(self, values, condition=lambda shape: True):
        fitting = [value for value in values if condition(value[1])]
        # Late values more often, so that programs are deep.
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.6 else fitting)

    def elementwise(self, lines, values):
        name, shape = self.pick(values)
        result, kind = self.fresh(), kind_of(shape)
        lines.append(f"{result} = stablehlo.{self.rng.choice(['tanh', 'negate', 'sine'])} {name} : {kind}")
        return result, shape

    def binary(self, lines, values):
        name, shape = self.pick(values)
        other, _ = self.pick(values, lambda other: other == shape)
        result, kind = self.fresh(), kind_of(shape)
        lines.append(f"{result} = stablehlo.{self.rng.choice(['add', 'multiply'])} {name}, {other} : {kind}")
        return result, shape

    def dot(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) >= 1)
        if not picked:
            return None
        name, shape = picked
        dim = self.rng.randrange(len(shape))
        picked = self.pick(values, lambda other: shape[dim] in other and len(other) + len(shape) <= 5)
        if not picked:
            return None
        other, right = picked
        place = right.index(shape[dim])
        shape_of_result = shape[:dim] + shape[dim + 1 :] + right[:place] + right[place + 1 :]
        result = self.fresh()
        lines.append(f"{result} = stablehlo.dot_general {name}, {other}, contracting_dims = [{dim}] x [{place}] : "
                     f"({kind_of(shape)}, {kind_of(right)}) -> {kind_of(shape_of_result)}")
        return result, shape_of_result

    def reshape(self, lines, values):
        name, shape = self.pick(values)
        if len(shape) >= 2 and self.rng.random() < 0.5:
            d = self.rng.randrange(len(shape) - 1)
            target = shape[:d] + [shape[d] * shape[d + 1]] + shape[d + 2 :]
        else:
            target = []
            for size in shape:
                divisor = self.rng.choice([f for f in (1, 2, 3, 4) if size % f == 0])
                target += [divisor, size // divisor] if self.rng.random() < 0.4 and len(shape) < 4 else [size]
        result = self.fresh()
        lines.append(f"{result} = stablehlo.reshape {name} : ({kind_of(shape)}) -> {kind_of(target)}")
        return result, target

    def transpose(self, lines, values):
        name, shape = self.pick(values)
        order = self.rng.sample(range(len(shape)), len(shape))
        target = [shape[d] for d in order]
        result = self.fresh()
        lines.append(f"{result} = stablehlo.transpose {name}, dims = {order} : ({kind_of(shape)}) -> {kind_of(target)}")
        return result, target

    def reduce(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) >= 2)
        if not picked:
            return None
        name, shape = picked
        dim = self.rng.randrange(len(shape))
        target = shape[:dim] + shape[dim + 1 :]
        zero, result = self.fresh(), self.fresh()
        lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
        lines.append(f"{result} = stablehlo.reduce({name} init: {zero}) applies stablehlo.add across dimensions = "
                     f"[{dim}] : ({kind_of(shape)}, tensor<f32>) -> {kind_of(target)}")
        return result, target

    def broadcast(self, lines, values):
        name, shape = self.pick(values, lambda shape: len(shape) <= 3) or (None, None)
        if name is None:
            return None
        target = list(shape)
        new = self.rng.randint(0, len(shape))
        target.insert(new, self.rng.choice(SIZES))
        dims = [d if d < new else d + 1 for d in range(len(shape))]
        result = self.fresh()
        lines.append(f"{result} = stablehlo.broadcast_in_dim {name}, dims = {dims} : ({kind_of(shape)}) -> "
                     f"{kind_of(target)}")
        return result, target

    def constant(self, lines, values):
        _, shape = self.pick(values)
        result, kind = self.fresh(), kind_of(shape)
        if shape and self.rng.random() < 0.5:
            lines.append(f"{result} = stablehlo.iota dim = {self.rng.randrange(len(shape))} : {kind}")
        else:
            lines.append(f"{result} = stablehlo.constant dense<1.0> : {kind}")
        return result, shape

    def constraint(self, lines, values):
        name, shape = self.pick(values)
        result, kind = self.fresh(), kind_of(shape)
        closed = self.rng.random() < 0.7
        lines.append(f"{result} = sdy.sharding_constraint {name} {self.sharding(shape, closed, self.banned)} : {kind}")
        # Some are without users, and all users of the value remain.
        return (result, shape) if self.rng.random() < 0.8 else None

    banned = ()

    def slice(self, lines, values):
        name, shape = self.pick(values)
        target = [self.rng.choice([size, max(1, size // 2)]) for size in shape]
        ranges = ", ".join(f"0:{size}" for size in target)
        result = self.fresh()
        lines.append(f"{result} = stablehlo.slice {name} [{ranges}] : ({kind_of(shape)}) -> {kind_of(target)}")
        return result, target

    def pad(self, lines, values):
        name, shape = self.pick(values)
        high = [self.rng.choice([0, 0, 2]) for _ in shape]
        target = [size + more for size, more in zip(shape, high)]
        zeros = [0] * len(shape)
        zero, result = self.fresh(), self.fresh()
        lines.append(f"{zero} = stablehlo.constant dense<0.0> : tensor<f32>")
        lines.append(f"{result} = stablehlo.pad {name}, {zero}, low = {zeros}, high = {high}, interior = {zeros} : "
                     f"({kind_of(shape)}, tensor<f32>) -> {kind_of(target)}")
        return result, target

    def concatenate(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) >= 1)
        if not picked:
            return None
        name, shape = picked
        other, _ = self.pick(values, lambda other: other == shape)
        dim = self.rng.randrange(len(shape))
        target = [size * (2 if d == dim else 1) for d, size in enumerate(shape)]
        result, kind = self.fresh(), kind_of(shape)
        lines.append(f"{result} = stablehlo.concatenate {name}, {other}, dim = {dim} : ({kind}, {kind}) -> "
                     f"{kind_of(target)}")
        return result, target

    def gather(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) == 2)
        if not picked:
            return None
        name, shape = picked
        count = self.rng.choice(SIZES)
        indices, result = self.fresh(), self.fresh()
        target = [count, shape[1]]
        lines.append(f"{indices} = stablehlo.iota dim = 0 : tensor<{count}x1xi32>")
        lines.append(f'{result} = "stablehlo.gather"({name}, {indices}) <{{dimension_numbers = #stablehlo.gather<'
                     "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                     f"slice_sizes = array<i64: 1, {shape[1]}>, indices_are_sorted = false}}> : ({kind_of(shape)}, "
                     f"tensor<{count}x1xi32>) -> {kind_of(target)}")
        return result, target

    def sort(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) >= 1)
        if not picked:
            return None
        name, shape = picked
        result, kind = self.fresh(), kind_of(shape)
        lines.append(f'{result} = "stablehlo.sort"({name}) <{{dimension = {self.rng.randrange(len(shape))} : i64, '
                     "is_stable = true}> ({\n^bb0(%l: tensor<f32>, %r: tensor<f32>):\n%p = stablehlo.compare LT, %l, "
                     "%r : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) : "
                     f"({kind}) -> {kind}")
        return result, shape

    def update(self, lines, values):
        picked = self.pick(values, lambda shape: len(shape) >= 1)
        if not picked:
            return None
        name, shape = picked
        result, zero, part = self.fresh(), self.fresh(), self.fresh()
        small = [1, *shape[1:]]
        ranges = ", ".join(f"0:{size}" for size in small)
        indices = ", ".join([zero] * len(shape))
        lines.append(f"{zero} = stablehlo.constant dense<0> : tensor<i32>")
        lines.append(f"{part} = stablehlo.slice {name} [{ranges}] : ({kind_of(shape)}) -> {kind_of(small)}")
        scalars = ", ".join(["tensor<i32>"] * len(shape))
        lines.append(f"{result} = stablehlo.dynamic_update_slice {name}, {part}, {indices} : ({kind_of(shape)}, "
                     f"{kind_of(small)}, {scalars}) -> {kind_of(shape)}")
        return result, shape

    def barrier(self, lines, values):
        name, shape = self.pick(values)
        other, second = self.pick(values)
        result = self.fresh()
        lines.append(f"{result}:2 = stablehlo.optimization_barrier {name}, {other} : {kind_of(shape)}, "
                     f"{kind_of(second)}")
        values.append((f"{result}#1", second))
        return f"{result}#0", shape

    def group(self, lines, values):
        name, shape = self.pick(values)
        other, _ = self.pick(values, lambda other: other == shape)
        if name == other or self.depth:
            return None
        self.groups += 1
        for value in (name, other):
            lines.append(f"sdy.sharding_group {value} group_id={self.groups} : {kind_of(shape)}")
        return None

    def inner(self, values, steps):
        """The lines of a region that reads values, and a value of it of the first one's shape."""
        self.depth += 1
        own = list(values)
        lines = self.block(own, steps)
        self.depth -= 1
        fitting = [name for name, shape in own[len(values) :] if shape == values[0][1]]
        return lines, fitting[-1] if fitting else values[0][0]

    def loop(self, lines, values):
        name, shape = self.pick(values)
        second, other = self.pick(values)
        result, first, last, zero = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        test, carried = self.fresh(), self.fresh()
        body, end = self.inner([(first, shape), (last, other)], self.rng.randint(2, 5))
        kinds = f"tensor<i32>, {kind_of(shape)}, {kind_of(other)}"
        lines.append(f"{zero} = stablehlo.constant dense<0> : tensor<i32>")
        lines.append(f"{result}:3 = stablehlo.while({carried} = {zero}, {first} = {name}, {last} = {second}) : {kinds}")
        lines.append(f"cond {{\n{test} = stablehlo.compare LT, {carried}, {carried} : (tensor<i32>, tensor<i32>) -> "
                     f"tensor<i1>\nstablehlo.return {test} : tensor<i1>\n}} do {{")
        lines += [*body, f"stablehlo.return {carried}, {end}, {last} : {kinds}", "}"]
        values.append((f"{result}#2", other))
        return f"{result}#1", shape

    def branch(self, lines, values):
        picked = self.pick(values)
        index, result = self.fresh(), self.fresh()
        bodies = []
        for _ in range(2):
            body, end = self.inner([picked, *values[-3:]], self.rng.randint(1, 3))
            bodies.append("\n".join([*body, f"stablehlo.return {end} : {kind_of(picked[1])}"]))
        lines.append(f"{index} = stablehlo.constant dense<0> : tensor<i32>")
        lines.append(f'{result} = "stablehlo.case"({index}) ({{\n{bodies[0]}\n}}, {{\n{bodies[1]}\n}}) : '
                     f"(tensor<i32>) -> {kind_of(picked[1])}")
        return result, picked[1]

    def manual(self, lines, values):
        if self.banned:
            return None
        sizes = dict(self.mesh)
        manual = sorted(self.rng.sample(list(sizes), self.rng.randint(1, len(sizes))), key=list(sizes).index)
        picked = self.pick(values, lambda shape: any(size % sizes[manual[0]] == 0 for size in shape))
        if not picked:
            return None
        name, shape = picked
        dim = next(d for d, size in enumerate(shape) if size % sizes[manual[0]] == 0)
        free = [axis for axis in sizes if axis not in manual]
        local = [size // sizes[manual[0]] if d == dim else size for d, size in enumerate(shape)]

        def outer():
            others = self.rng.randrange(len(shape)) if free and self.rng.random() < 0.4 else None
            texts = []
            for d in range(len(shape)):
                axes = [f'"{manual[0]}"'] * (d == dim) + ([f'"{free[0]}"'] if d == others else [])
                texts.append("{" + ", ".join(axes + ["?"] * (bool(free) and self.rng.random() < 0.5)) + "}")
            rest = [f'"{axis}"' for axis in manual[1:]]
            replicated = f", replicated={{{', '.join(rest)}}}" if rest else ""
            return f"<@mesh, [{', '.join(texts)}]{replicated}>"

        argument, result = self.fresh(), self.fresh()
        given, returned = outer(), outer()
        self.banned = manual
        # Values that are named inside are of the body alone.
        body, end = self.inner([(argument, local)], self.rng.randint(1, 4))
        self.banned = ()
        axes = ", ".join(f'"{axis}"' for axis in manual)
        lines.append(f"{result} = sdy.manual_computation({name}) in_shardings=[{given}] out_shardings=[{returned}] "
                     f"manual_axes={{{axes}}} ({argument}: {kind_of(local)}) {{")
        lines += [*body, f"sdy.return {end} : {kind_of(local)}", f"}} : ({kind_of(shape)}) -> {kind_of(shape)}"]
        return result, shape
