"""Random choices of one program, and the sizes that it may have.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import hashlib

import numpy as np

# Sizes of programs that are computed here.
SMALL = {
    "batch": (1, 2, 3, 7, 8),
    "length": (1, 5, 7, 16, 33, 64, 127, 128, 129),
    "features": (1, 7, 8, 24, 64, 127, 128, 129, 256),
    "inner": (8, 33, 128, 200, 256),
    "heads": (1, 2, 3, 4),
    "head": (7, 8, 16, 64),
    "hidden": (1, 8, 33, 64, 128),
    "depth": (1, 2, 3, 4),
    "channels": (1, 3, 7, 8, 16, 33, 128),
    "image": (1, 7, 8, 14, 16, 28),
    "words": (7, 127, 300, 1000),
    "classes": (2, 10, 127, 129),
    "experts": (2, 3, 4, 8),
    "trips": (1, 2, 3, 5),
    "nodes": (7, 33, 128, 129),
    "edges": (1, 20, 127, 300),
}
# Sizes of networks that people train, whose programs are only timed.
REAL = {
    "batch": (1, 7, 8, 16, 32, 64, 128),
    "length": (1, 127, 128, 129, 256, 512, 1000, 1024, 2048),
    "features": (127, 128, 129, 256, 384, 512, 768, 1000, 1024, 2048, 4096),
    "inner": (128, 512, 1000, 1024, 2048, 3072, 4096),
    "heads": (1, 4, 6, 8, 12, 16),
    "head": (32, 64, 80, 127, 128),
    "hidden": (64, 127, 128, 512, 1024),
    "depth": (1, 2, 3, 4, 6, 12),
    "channels": (3, 16, 24, 32, 64, 96, 127, 128, 129, 256, 512, 1024),
    "image": (1, 7, 14, 28, 32, 56, 112, 127, 224),
    "words": (127, 1000, 1001, 8192, 32000, 50257),
    "classes": (2, 10, 1000, 1001),
    "experts": (2, 4, 8, 16),
    "trips": (1, 2, 3, 5, 8, 16),
    "nodes": (127, 1000, 2708, 10_000),
    "edges": (129, 1000, 5429, 50_000),
}


class Draw:
    """Random choices that depend on a text alone. The largest sizes are left out after attempts that were beyond the
    bounds."""

    def __init__(self, seed, real, attempt=0):
        digest = hashlib.sha256(str(seed).encode()).digest()
        self.rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
        table = REAL if real else SMALL
        self.sizes = {kind: sizes[: max(2, len(sizes) - attempt // 2)] for kind, sizes in table.items()}
        self.real = real
        self.differentiated = False  # no loop may have an unknown number of iterations

    def pick(self, choices, weights=None):
        if weights is not None:
            weights = np.array(weights, float) / sum(weights)
        return choices[self.rng.choice(len(choices), p=weights)]

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def size(self, kind):
        return int(self.pick(self.sizes[kind]))

    def divisor(self, number, most=1 << 30):
        """One of the divisors of a number."""
        return self.pick([n for n in range(1, min(number, most) + 1) if number % n == 0])


def some_targets(seed, targets, count):
    """`count` of the targets, by the seed of a program."""
    order = Draw(f"{seed} targets", False).rng.permutation(len(targets))
    return [targets[i] for i in order[:count]]
