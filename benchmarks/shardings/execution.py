"""Results of random functions of JAX that are divided among the devices of a slice, against XLA's on the CPU.

    TPU_LIBRARY_PATH=build/lib/libsystole_pjrt.so SYSTOLE_TARGET=v3-8 JAX_PLATFORMS=tpu,cpu \
        benchmarks/shardings/execution.py [--programs N] [--seed S]

Prints the share of functions whose results agree with those of the CPU, and the first others. Arguments are whole
numbers divided by 8, and products are of f32. Results may differ by as much as those of the CPU do when each argument
changes by one unit in the last place, times --factor: sums are in another order. Devices that have the same part of a
result must have the same bits.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import sys

import jax
import numpy as np
import random_jax

jax.config.update("jax_default_matmul_precision", "highest")


def values(arguments, seed):
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.integers(0, 2, shape.shape) if shape.dtype == np.int32 else
                       rng.integers(-8, 9, shape.shape) / 8, shape.dtype) for shape in arguments]


def on_cpu(seed, arrays):
    """The results of XLA on the CPU, of whole arguments and without constraints: it divides manual computations alone."""
    made, _, _ = random_jax.function(seed, jax.devices("cpu"), constraints=False)
    with jax.default_device(jax.devices("cpu")[0]):
        return [np.asarray(x) for x in jax.jit(made)(*arrays)]


def replicas_differ(result):
    parts = {}
    for shard in result.addressable_shards:
        bits = np.asarray(shard.data).tobytes()
        if parts.setdefault(str(shard.index), bits) != bits:
            return True
    return False


def compare(seed, factor):
    """What is wrong with a function's results; None if nothing is."""
    made, shapes, _ = random_jax.function(seed, jax.devices())
    arrays = values(shapes, seed)
    given = [jax.device_put(x, shape.sharding) if shape.sharding else x for x, shape in zip(arrays, shapes)]
    expected = on_cpu(seed, arrays)
    moved = on_cpu(seed, [np.nextafter(x, np.float32(np.inf)) if x.dtype == np.float32 else x for x in arrays])
    for number, (result, near, far) in enumerate(zip(jax.jit(made)(*given), expected, moved)):
        if replicas_differ(result):
            return f"result {number}: replicas differ"
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(near), initial=1e-6, where=np.isfinite(near))
            bound = factor * (np.nan_to_num(np.abs(near - far), posinf=0.0) + 2.0**-22 * scale)
            wrong = ~(np.abs(np.asarray(result) - near) <= bound) & ~(np.asarray(result) == near)
            wrong &= ~(np.isnan(np.asarray(result)) & np.isnan(near))
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            return (f"result {number}: {np.count_nonzero(wrong)} of {wrong.size} differ, the first at {place}: "
                    f"{np.asarray(result)[place]} instead of {near[place]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first function")
    parser.add_argument("--factor", type=float, default=16)
    arguments = parser.parse_args()
    made = agree = 0
    for seed in range(arguments.seed, arguments.seed + arguments.programs):
        try:
            jax.jit(random_jax.function(seed, jax.devices("cpu"))[0]).lower(
                *random_jax.function(seed, jax.devices("cpu"))[1])
        except (TypeError, ValueError, NotImplementedError):
            continue
        made += 1
        try:
            fault = compare(seed, arguments.factor)
        except jax.errors.JaxRuntimeError as error:
            fault = str(error).splitlines()[0]
        agree += fault is None
        if fault:
            print(f"function {seed}: {fault}", flush=True)
    print(f"{agree} of {made} functions agree")
    return 0 if agree == made else 1


if __name__ == "__main__":
    sys.exit(main())
