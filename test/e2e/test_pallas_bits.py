"""Bits of elements in Pallas kernels: conversions between all types, bitcasts of vectors and of refs, packing.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from pallas_kernels import BF16, call, close, numbers, run, text_of
from systole_cli import systole

CPU = jax.devices("cpu")[0]
FLOATS = ["float32", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3b11fnuz"]
INTEGERS = ["int32", "uint32", "int16", "uint16", "int8", "uint8", "int4", "uint4", "int2", "uint2"]


def bits_of(dtype):
    return int(dtype.split("float")[1].split("_")[0]) if "float" in dtype else int(dtype.split("int")[1])


def random_bits(dtype, shape):
    """All bit patterns but NaN, and numbers below the normal ones of 32 bits, which TPUs take for 0."""
    width = bits_of(dtype)
    bits = np.random.default_rng(width).integers(0, 1 << width, shape, dtype=np.uint64)
    with jax.default_device(CPU):
        unsigned = jnp.asarray(bits.astype(np.uint32)).astype(f"uint{width}")
        values = lax.bitcast_convert_type(unsigned, jnp.dtype(dtype))
        if dtype in FLOATS:
            wide = values.astype(jnp.float32)
            values = jnp.where(jnp.isnan(wide) | (jnp.abs(wide) < 2.0**-126), jnp.zeros_like(values), values)
        return np.asarray(values)


def targets_of(dtype):
    """Mosaic does not convert floats of 8 bits to others of 8."""
    others = [other for other in FLOATS + INTEGERS if other != dtype]
    return [other for other in others if not ("float8" in dtype and "float8" in other)]


def converted(x, target):
    """Rounded once to a float, which JAX on the CPU does not do for all; else as JAX converts."""
    if target in FLOATS:
        return x.astype(np.float32).astype(jnp.dtype(target)).astype(np.float32)
    with jax.default_device(CPU):
        return np.asarray(jnp.asarray(x).astype(target).astype(jnp.float32))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_conversions(dtype, tmp_path):
    targets = targets_of(dtype)

    def kernel(x, *outs):
        for out, target in zip(outs, targets, strict=True):
            out[...] = x[...].astype(target)

    x = random_bits(dtype, (128, 128))
    shapes = [jax.ShapeDtypeStruct(x.shape, jnp.dtype(target)) for target in targets]
    found = run(lambda x: tuple(pl.pallas_call(kernel, out_shape=shapes)(x)), [x], tmp_path)
    for value, target in zip(found, targets, strict=True):
        value = value.view(jnp.dtype(target)) if value.dtype.kind == "V" else value
        expected = converted(x, target)
        np.testing.assert_array_equal(value.astype(np.float32), expected, err_msg=target)


def as_words(x, dtype):
    """Rows that share a word, from its lowest bits, as elements of `dtype`."""
    count = np.dtype(dtype).itemsize // x.dtype.itemsize
    rows, columns = x.shape
    return np.ascontiguousarray(x.reshape(rows // count, count, columns).swapaxes(1, 2)).view(dtype)[..., 0]


WORDS = [(BF16, np.uint32), (np.int8, np.int32), (np.int8, np.int16), (np.int16, np.float32)]


def finite(x, wide):
    return x if np.dtype(wide).kind != "f" else (x & 0x3FFF | 0x1000)


@pytest.mark.parametrize("columns", [128, 256, 384])
@pytest.mark.parametrize("narrow, wide", WORDS, ids=lambda t: np.dtype(t).name)
def test_refs_of_the_same_bits(narrow, wide, columns, tmp_path):
    """Loads, strided loads and stores of words, and of their parts, whatever the rows begin with."""
    x = finite(numbers(64, columns, dtype=narrow), wide)
    words = as_words(x, wide)

    def kernel(x, whole, part, strided, back):
        view = x.bitcast(wide)
        whole[...] = view[...]
        part[...] = view[4:12]
        strided[...] = view[pl.ds(1, 4, stride=3)]
        back.bitcast(wide)[0:8] = view[8:16]
        back[8 * (64 // len(words)) :] = whole.bitcast(narrow)[8 * (64 // len(words)) :]

    shapes = [((len(words), columns), wide), ((8, columns), wide), ((4, columns), wide), (x.shape, narrow)]
    out = [jax.ShapeDtypeStruct(*shape) for shape in shapes]
    found = run(lambda x: tuple(pl.pallas_call(kernel, out_shape=out)(x)), [x], tmp_path)
    several = 64 // len(words)
    back = np.concatenate([x[8 * several : 16 * several], x[8 * several :]])
    close(found, [words, words[4:12], words[1:13:3], back], 0)


def test_a_slice_of_scratch_memory_as_words(tmp_path):
    """As ragged paged attention reads pages of keys and values."""

    def kernel(x, out, buffer, semaphore):
        copy = pltpu.make_async_copy(x, buffer.at[1], semaphore)
        copy.start()
        copy.wait()
        out[...] = buffer.at[1].reshape(64, 128).bitcast(jnp.uint32)[pl.ds(0, 16, stride=2)]

    x = numbers(4, 16, 128, dtype=BF16)
    options = dict(
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM((2, 4, 16, 128), BF16), pltpu.SemaphoreType.DMA],
    )
    found = run(lambda x: call(kernel, ((16, 128), np.uint32), **options)(x), [x], tmp_path)
    close(found, [as_words(x.reshape(64, 128), np.uint32)[::2]], 0)


def test_vectors_of_other_widths(tmp_path):
    def kernel(x, nibbles, words, joined):
        words[...] = pltpu.bitcast(x[...], jnp.int32)
        joined[...] = pltpu.bitcast(nibbles[...], jnp.int32)

    x = numbers(32, 200, dtype=np.int8)
    nibbles = random_bits("int4", (64, 128))
    out = [jax.ShapeDtypeStruct((8, 200), np.int32), jax.ShapeDtypeStruct((8, 128), np.int32)]
    found = run(lambda x, y: tuple(pl.pallas_call(kernel, out_shape=out)(x, y)), [x, nibbles], tmp_path)
    low = nibbles.astype(np.int8).reshape(8, 8, 128).astype(np.uint32) & 15
    expected = sum(low[:, part] << np.uint32(4 * part) for part in range(8)).astype(np.uint32).view(np.int32)
    close(found, [as_words(x, np.int32), expected], 0)


@pytest.mark.parametrize(
    "wide, narrow", [("float32", "bfloat16"), ("int32", "int16"), ("int32", "int4"), ("int16", "int8")]
)
def test_packed_elements(wide, narrow, tmp_path):
    count = bits_of(wide) // bits_of(narrow)
    unsigned = f"uint{bits_of(wide)}"

    def kernel(x, packed, unpacked):
        packed[...] = pltpu.pack_elementwise([x[part] for part in range(count)], packed_dtype=jnp.dtype(narrow))
        for part in range(count):
            unpacked[part] = pltpu.unpack_elementwise(
                packed[...], index=part, packed_dtype=jnp.dtype(narrow), unpacked_dtype=jnp.dtype(wide)
            )

    x = numbers(count, 16, 200, dtype=wide)
    out = [jax.ShapeDtypeStruct(x.shape[1:], np.dtype(unsigned)), jax.ShapeDtypeStruct(x.shape, np.dtype(wide))]
    packed, unpacked = run(lambda x: tuple(pl.pallas_call(kernel, out_shape=out)(x)), [x], tmp_path)
    with jax.default_device(CPU):
        parts = jnp.asarray(x).astype(narrow)
        bits = np.asarray(lax.bitcast_convert_type(parts, f"uint{bits_of(narrow)}").astype(unsigned))
        np.testing.assert_array_equal(unpacked, np.asarray(parts.astype(wide)))
    expected = np.bitwise_or.reduce([bits[part] << (part * bits_of(narrow)) for part in range(count)])
    np.testing.assert_array_equal(packed, expected.astype(unsigned))


def test_stochastic_rounding_is_one_of_two_neighbours(tmp_path):
    def kernel(x, bits, out):
        out[...] = pltpu.stochastic_round(x[...], bits[...], target_dtype=jnp.bfloat16)

    x = numbers(64, 128)
    x[0, :3] = np.inf, -np.inf, 0
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 32, x.shape, dtype=np.uint32)
    (found,) = run(lambda x, bits: call(kernel, (x.shape, BF16))(x, bits), [x, bits], tmp_path)
    down = (x.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    up = ((x.view(np.uint32) & np.uint32(0xFFFF0000)) + np.uint32(0x10000)).view(np.float32)
    value = found.astype(np.float32)
    assert ((value == down) | (value == up)).all()
    # The share of numbers that are rounded away from zero is that of their bits below.
    share = (x.view(np.uint32) & np.uint32(0xFFFF)) / 65536
    assert abs((value == up).mean() - share.mean()) < 0.02


@pytest.mark.parametrize(
    ("given", "target"), [("uint4", "int4"), ("int4", "uint4"), ("uint2", "int2"), ("int2", "uint2")]
)
def test_small_integers_have_their_sign_in_memory(given, target, tmp_path):
    """The program reads what the kernel stores."""

    def kernel(x, out):
        out[...] = x[...].astype(target)

    def function(x):
        return call(kernel, (x.shape, jnp.dtype(target)))(x.astype(given)).astype(jnp.int32)

    x = np.arange(16 * 128, dtype=np.int32).reshape(16, 128) % (1 << bits_of(given))
    if not given.startswith("u"):
        x -= 1 << (bits_of(given) - 1)
    width = bits_of(target)
    expected = x % (1 << width)
    if not target.startswith("u"):
        expected = np.where(expected >= 1 << (width - 1), expected - (1 << width), expected)
    close(run(function, [x], tmp_path), [expected], 0)


@pytest.mark.parametrize("target", ["int8", "int32", "float32"])
@pytest.mark.parametrize("given", FLOATS + ["int8", "int16", "int32"])
def test_scalars_are_converted(given, target, tmp_path):
    def kernel(x, out):
        for place in range(4):
            out[place] = x[place].astype(target)

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    x = np.array([7, -3, 0, 5], np.float32).astype(jnp.dtype(given))
    function = call(kernel, ((4,), jnp.dtype(target)), in_specs=[smem], out_specs=smem)
    close(run(function, [x], tmp_path), [np.array([7, -3, 0, 5], np.float32).astype(target)], 0)


@pytest.mark.parametrize(("given", "target"), [("int4", "int8"), ("int8", "int4"), ("int32", "int4")])
def test_bitcasts_of_refs_of_small_integers_are_refused(given, target, tmp_path):
    """Memory holds one of them in each byte: the bits of a byte would be others."""

    def kernel(x, out):
        out[...] = x.bitcast(jnp.dtype(target))[...]

    rows = 8 * bits_of(given) // bits_of(target)
    x = np.zeros((8, 256), jnp.dtype(given))
    (tmp_path / "p.mlir").write_text(text_of(call(kernel, ((rows, 256), jnp.dtype(target))), [x]))
    done = systole("run", tmp_path / "p.mlir", "--timing-only", "--target", "v5e")
    assert done.returncode == 1 and "operation 'tpu.memref_bitcast' is not supported" in done.stderr
