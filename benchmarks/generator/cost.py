"""Work and memory of a traced program, to keep generated programs within bounds.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import dataclasses
import math

import jax

UNKNOWN_TRIPS = 8


@dataclasses.dataclass(frozen=True)
class Cost:
    multiplications: float = 0  # of products and convolutions
    elements: float = 0  # of all results
    equations: int = 0  # as they are written, not as often as they run

    def __add__(self, other):
        return Cost(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def times(self, count):
        return Cost(self.multiplications * count, self.elements * count, self.equations)


def inner_jaxprs(params):
    for value in params.values():
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(one, "jaxpr"):
                yield one.jaxpr
            elif hasattr(one, "eqns"):
                yield one


def of_equation(equation):
    name, params = equation.primitive.name, equation.params
    elements = sum(math.prod(v.aval.shape) for v in equation.outvars)
    if name == "dot_general":
        (contracted, _), _ = params["dimension_numbers"]
        return Cost(elements * math.prod(equation.invars[0].aval.shape[d] for d in contracted), elements, 1)
    if name == "conv_general_dilated":
        kernel, numbers = equation.invars[1].aval.shape, params["dimension_numbers"]
        return Cost(elements * math.prod(kernel) / kernel[numbers.rhs_spec[0]], elements, 1)
    trips = params["length"] if name == "scan" else UNKNOWN_TRIPS if name == "while" else 1
    inner = sum((of_jaxpr(jaxpr) for jaxpr in inner_jaxprs(params)), Cost())
    return inner.times(trips) + Cost(0, elements, 1)


def of_jaxpr(jaxpr):
    return sum((of_equation(equation) for equation in jaxpr.eqns), Cost())


def of_traced(traced):
    """Of a jax.stages.Traced."""
    return of_jaxpr(traced.jaxpr.jaxpr)


def bytes_of(tree):
    return sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(tree))
