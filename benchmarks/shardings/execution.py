"""Results of random functions of JAX that are divided among the devices of a slice, against XLA's on the CPU.

    TPU_LIBRARY_PATH=build/lib/libsystole_pjrt.so SYSTOLE_TARGET=v3-8 JAX_PLATFORMS=tpu,cpu \
        benchmarks/shardings/execution.py [--programs N] [--seed S]

Prints the share of functions whose results agree with those of the CPU or of one device of the slice, and the others.
Arguments are whole numbers divided by 8, and products are of f32. Results may differ by as much as those of one device
do when each argument changes by one unit in the last place, times --factor: sums are in another order. Devices that have
the same part of a result must have the same bits.

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


def on_one_device(seed, platform, arrays):
    """The results of one device: of whole arguments, without constraints. Manual computations are divided still."""
    devices = jax.devices(platform)
    made, _, _ = random_jax.function(seed, devices, constraints=False)
    with jax.default_device(devices[0]):
        return [np.asarray(x) for x in jax.jit(made)(*arrays)]


def replicas_differ(result):
    parts = {}
    for shard in result.addressable_shards:
        bits = np.asarray(shard.data).tobytes()
        if parts.setdefault(str(shard.index), bits) != bits:
            return True
    return False


def differences(results, seed, platform, arrays, factor):
    """What differs from the results of one device of a platform; None if nothing does."""
    moved = [np.nextafter(x, np.float32(np.inf)) if x.dtype == np.float32 else x for x in arrays]
    nearest, farthest = on_one_device(seed, platform, arrays), on_one_device(seed, platform, moved)
    for number, (result, near, far) in enumerate(zip(results, nearest, farthest)):
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(near), initial=1e-6, where=np.isfinite(near))
            bound = factor * (np.nan_to_num(np.abs(near - far), posinf=0.0) + 2.0**-22 * scale)
            wrong = ~(np.abs(result - near) <= bound) & ~(result == near) & ~(np.isnan(result) & np.isnan(near))
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            return (f"result {number}: {np.count_nonzero(wrong)} of {wrong.size} differ, the first at {place}: "
                    f"{result[place]} instead of {near[place]}")
    return None


def compare(seed, factor):
    """What is wrong with a function's results; None if nothing is."""
    made, shapes, _ = random_jax.function(seed, jax.devices())
    arrays = values(shapes, seed)
    given = [jax.device_put(x, shape.sharding) if shape.sharding else x for x, shape in zip(arrays, shapes)]
    results = jax.jit(made)(*given)
    for number, result in enumerate(results):
        if replicas_differ(result):
            return f"result {number}: replicas differ"
    results = [np.asarray(x) for x in results]
    fault = differences(results, seed, "cpu", arrays, factor)
    # Where one device rounds as many do, it is not for the division that they differ from the CPU.
    return fault and differences(results, seed, None, arrays, factor) and fault


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
