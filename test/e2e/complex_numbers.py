"""Runs functions of complex numbers, and compares results with NumPy in a wider format.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass

import jax
import numpy as np

from systole_cli import load_results, save_args, systole


@dataclass(frozen=True)
class Kind:
    """complex<f32> or complex<f64>, and types for references."""

    dtype: type
    part: type
    wide: type
    wide_part: type
    exponents: int  # of numbers whose squares are in range

    @property
    def name(self):
        return f"complex<f{8 * np.dtype(self.part).itemsize}>"

    @property
    def limits(self):
        return np.finfo(self.part)

    @property
    def epsilon(self):
        return float(self.limits.eps)

    @property
    def scale(self):
        """The unit in the last place beside that of f32, for which tolerances are stated."""
        return self.epsilon / 2.0**-23

    def numbers(self, shape, seed=0, scale=1.0):
        rng = np.random.default_rng(seed)
        parts = rng.standard_normal((2, *shape)) * scale
        return np.asarray(parts[0] + 1j * parts[1], self.dtype)

    def magnitudes(self, shape, seed=0):
        """Of both parts, independently of each other."""
        rng = np.random.default_rng(seed)
        exponents = rng.uniform(-self.exponents, self.exponents, (2, *shape))
        parts = rng.standard_normal((2, *shape)) * 2.0**exponents
        return np.asarray(parts[0] + 1j * parts[1], self.dtype)

    def jitted(self, function):
        """On the CPU, with elements of this width."""

        def call(*args):
            with jax.enable_x64(self is C128):
                return jax.jit(function)(*args)

        return call

    def text(self, function, *args, **options):
        with jax.enable_x64(self is C128):
            return jax.jit(function, keep_unused=True).trace(*args).lower(**options).as_text()

    def run(self, function, args, directory, **options):
        return run_text(self.text(function, *args, **options), jax.tree.leaves(args), directory)

    def close(self, result, wanted, ulps=16, atol=0.0):
        """Whether the distance of complex numbers is small beside their magnitude."""
        assert result.shape == wanted.shape
        wanted = np.asarray(wanted, self.wide if np.iscomplexobj(result) else self.wide_part)
        with np.errstate(all="ignore"):
            error = np.abs(result - wanted) - atol
            size = np.maximum(np.abs(wanted), self.limits.tiny)
        assert (error <= ulps * self.epsilon * size).all(), (
            np.max(error / size) / self.epsilon,
            np.argmax(error / size),
        )

    def same(self, result, wanted):
        """Bit for bit, but for NaN."""
        assert result.dtype == wanted.dtype and result.shape == wanted.shape
        np.testing.assert_array_equal(result, wanted)
        if result.dtype == self.dtype:
            result, wanted = result.view(self.part), np.asarray(wanted).view(self.part)
        if result.dtype == self.part:
            assert not ((np.signbit(result) ^ np.signbit(wanted)) & ~np.isnan(result)).any()


C64 = Kind(np.complex64, np.float32, np.complex128, np.float64, 60)
C128 = Kind(np.complex128, np.float64, np.clongdouble, np.longdouble, 500)


def run_text(text, args, directory, *options, name="program.mlir"):
    program, inputs, outputs = (directory / n for n in (name, "args.npz", "out.npz"))
    program.write_bytes(text) if isinstance(text, bytes) else program.write_text(text)
    save_args(inputs, args)
    command = ["run", program, "--args", inputs, "--out", outputs, "--precision", "highest", *options]
    done = systole(*command, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return load_results(outputs)
