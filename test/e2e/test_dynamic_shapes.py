"""Programs whose shapes follow from those of their arguments: models that JAX exported with symbolic dimensions.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

from systole_cli import load_results, rotated_target, save_args, systole, systole_run

BATCHES = (1, 2, 3, 7, 16)


def export_for_tpu(function, *args):
    return export.export(jax.jit(function), platforms=["tpu"])(*args)


def run_artifact(exported, args, directory, *options):
    """The results of an exported program, read as a portable artifact; the process."""
    program, inputs, outputs = (directory / n for n in ("program.mlirbc", "args.npz", "out.npz"))
    program.write_bytes(exported.mlir_module_serialized)
    save_args(inputs, args)
    target = rotated_target()
    words = ["run", program, "--args", inputs, "--out", outputs, "--target", target, "--precision", "highest"]
    done = systole(*words, *options)
    return done, load_results(outputs) if done.returncode == 0 else None


def check(function, exported, args, directory):
    done, got = run_artifact(exported, args, directory)
    assert done.returncode == 0, done.stderr[-4000:]
    expected = jax.tree.leaves(jax.jit(function)(*args))
    assert len(got) == len(expected)
    for result, value in zip(got, expected):
        assert result.dtype == value.dtype
        np.testing.assert_allclose(result, value, rtol=2e-5, atol=2e-6)


def classifier(images, kernel, weights, bias):
    """A convolution, pooling, a dense layer and a softmax; every layer reads the batch's size."""
    x = lax.conv_general_dilated(images, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = jax.nn.relu(x)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    return jax.nn.softmax(x @ weights + bias)


def loss(images, labels, kernel, weights, bias):
    chosen = jnp.take_along_axis(classifier(images, kernel, weights, bias), labels[:, None], axis=1)
    return -jnp.mean(jnp.log(chosen))


def parameters():
    rng = np.random.default_rng(0)
    normal = lambda *shape: (rng.normal(size=shape) * 0.3).astype(np.float32)
    return normal(3, 3, 3, 8), normal(4 * 4 * 8, 10), normal(10)


def specs(args):
    return [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in args]


def test_a_model_at_five_batches(tmp_path):
    (batch,) = export.symbolic_shape("batch")
    images = jax.ShapeDtypeStruct((batch, 8, 8, 3), jnp.float32)
    exported = export_for_tpu(classifier, images, *specs(parameters()))
    assert "?x8x8x3" in exported.mlir_module()
    for size in BATCHES:
        x = np.random.default_rng(size).normal(size=(size, 8, 8, 3)).astype(np.float32)
        check(classifier, exported, [x, *parameters()], tmp_path)


def test_gradients_at_five_batches(tmp_path):
    (batch,) = export.symbolic_shape("batch")
    images = jax.ShapeDtypeStruct((batch, 8, 8, 3), jnp.float32)
    labels = jax.ShapeDtypeStruct((batch,), jnp.int32)
    gradient = jax.value_and_grad(loss, argnums=(2, 3, 4))
    exported = export_for_tpu(gradient, images, labels, *specs(parameters()))
    for size in BATCHES:
        rng = np.random.default_rng(size)
        x = rng.normal(size=(size, 8, 8, 3)).astype(np.float32)
        y = rng.integers(0, 10, size).astype(np.int32)
        check(gradient, exported, [x, y, *parameters()], tmp_path)


def shapes(x, y):
    """Sizes that are computed: sums, products, quotients and remainders of dimensions."""
    n, m = x.shape
    half = lax.dynamic_slice_in_dim(x, 0, n // 2, 0)
    padded = jnp.pad(x, ((0, n % 3), (1, 0)))
    joined = jnp.concatenate([x, x[::2], jnp.zeros((2, m))])
    pairs = (y[:, None] * y[None, :]).reshape(-1)
    total = lax.fori_loop(0, n, lambda i, sums: sums + x[i], jnp.zeros(m))
    steps = jnp.arange(n) * jnp.arange(1, 2 * n, 2)
    return half, padded, joined, pairs, total, steps, jnp.cumsum(x, 0), jnp.sort(x, 0), jnp.var(x, 0), jnp.argmax(x, 1)


def test_computed_sizes(tmp_path):
    n, m, k = export.symbolic_shape("n, m, k", constraints=["n >= 2"])
    args = [jax.ShapeDtypeStruct((n, m), jnp.float32), jax.ShapeDtypeStruct((k,), jnp.float32)]
    exported = export_for_tpu(shapes, *args)
    for sizes in ((2, 3, 1), (5, 4, 3), (9, 130, 6)):
        rng = np.random.default_rng(sizes[0])
        x, y = (rng.normal(size=s).astype(np.float32) for s in (sizes[:2], sizes[2:]))
        check(shapes, exported, [x, y], tmp_path)


def gathers(x, i):
    n = x.shape[0]
    keys = jax.random.fold_in(jax.random.key(7), 3)
    return x[i], x.at[i].add(1.0), lax.top_k(x.T, 2), jax.random.uniform(keys, (n, 2)), x[jnp.clip(i, 0, n - 1), 0]


def test_gathers_and_random_numbers(tmp_path):
    n, k = export.symbolic_shape("n, k", constraints=["n >= 2"])
    args = [jax.ShapeDtypeStruct((n, 6), jnp.float32), jax.ShapeDtypeStruct((k,), jnp.int32)]
    exported = export_for_tpu(gathers, *args)
    for size, count in ((2, 1), (7, 4), (20, 33)):
        rng = np.random.default_rng(size)
        x = rng.normal(size=(size, 6)).astype(np.float32)
        i = rng.integers(0, size, count).astype(np.int32)
        check(gathers, exported, [x, i], tmp_path)


def test_assertions_name_what_is_wrong(tmp_path):
    n, m = export.symbolic_shape("n, m", constraints=["n >= 2", "m == 3 * n"])
    args = [jax.ShapeDtypeStruct((n,), jnp.float32), jax.ShapeDtypeStruct((m,), jnp.float32)]
    exported = export_for_tpu(lambda x, y: (x * 2, y + 1), *args)
    check(lambda x, y: (x * 2, y + 1), exported, [np.ones(3, np.float32), np.ones(9, np.float32)], tmp_path)
    done, _ = run_artifact(exported, [np.ones(3, np.float32), np.ones(8, np.float32)], tmp_path)
    assert done.returncode != 0
    assert "Found inconsistency between dimension size args[1].shape[0] (= 8)" in done.stderr
    assert "the specification '3*n' (= 9)" in done.stderr
    done, _ = run_artifact(exported, [np.ones((3, 1), np.float32), np.ones(9, np.float32)], tmp_path)
    assert done.returncode != 0
    assert "argument 0 has 2 dimensions, but is declared as 'tensor<?xf32>'" in done.stderr


def test_shapes_as_an_option(tmp_path):
    """A program file is for one list of shapes."""
    text = """func.func @main(%x: tensor<?x3xf32>, %y: tensor<f32>) -> tensor<?x3xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %three = stablehlo.constant dense<3> : tensor<1xi32>
      %shape = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %z = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
      %r = stablehlo.add %x, %z : tensor<?x3xf32>
      return %r : tensor<?x3xf32>
    }"""
    source, program, inputs, outputs = (tmp_path / n for n in ("in.mlir", "out.sysx", "args.npz", "out.npz"))
    source.write_text(text)
    done = systole("compile", source, "-o", program)
    assert "argument 0 has sizes that are not known, 'tensor<?x3xf32>'" in done.stderr
    done = systole("compile", source, "-o", program, "--argument-shapes", "[[5, 3], []]")
    assert done.returncode == 0, done.stderr
    x = np.arange(15, dtype=np.float32).reshape(5, 3)
    save_args(inputs, [x, np.float32(2)])
    done = systole("run", program, "--args", inputs, "--out", outputs)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(load_results(outputs)[0], x + 2)
    for wrong in ("[5, 3]", "[" * 100_000):
        done = systole("compile", source, "-o", program, "--argument-shapes", wrong)
        assert done.returncode == 1 and "--argument-shapes" in done.stderr


@pytest.mark.parametrize("size", [0, 1, 5])
def test_cut_dimensions(size, tmp_path):
    """A bounded dimension whose size is known."""
    text = f"""func.func @main(%x: tensor<5x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>> {{
      %n = stablehlo.constant dense<{size}> : tensor<i32>
      %r = stablehlo.set_dimension_size %x, %n, dim = 0
          : (tensor<5x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>>
      %s = stablehlo.negate %r : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
      return %s : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
    }}"""
    x = np.arange(15, dtype=np.float32).reshape(5, 3)
    (got,) = systole_run(text, [x], tmp_path)
    np.testing.assert_array_equal(got, -x[:size])


def test_memory_of_the_host(tmp_path):
    """Copies have the shapes of their operands."""

    def function(x):
        kept = jax.device_put(x * 2, jax.memory.Space.Host)
        return x * x - jax.device_put(kept, jax.memory.Space.Device)

    (n,) = export.symbolic_shape("n")
    exported = export_for_tpu(function, jax.ShapeDtypeStruct((n, 5), jnp.float32))
    for size in (1, 9):
        x = np.random.default_rng(size).normal(size=(size, 5)).astype(np.float32)
        done, got = run_artifact(exported, [x], tmp_path)
        assert done.returncode == 0, done.stderr[-4000:]
        np.testing.assert_allclose(got[0], x * x - 2 * x, rtol=2e-5, atol=2e-6)
