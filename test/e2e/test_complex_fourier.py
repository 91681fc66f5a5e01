"""Fourier transforms of complex numbers, against NumPy in a wider format.

Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from complex_numbers import C64, C128, run_text


@pytest.fixture(params=[C64, C128], ids=["c64", "c128"])
def kind(request):
    return request.param


LENGTHS = [1, 2, 3, 7, 8, 60, 127, 128, 129, 243, 1000, 2048]


def spectrum_close(kind, result, wanted):
    """The error of a transform is a small part of the largest elements."""
    assert result.shape == wanted.shape
    if result.size:
        assert (
            np.abs(result - wanted).max() <= 2e-6 * kind.scale * max(np.sqrt(np.mean(np.abs(wanted) ** 2)), 1e-20) * 4
        )


# Transforms of complex<f64> take seconds to compile.
TRANSFORMS = [(C64, length) for length in LENGTHS] + [(C128, length) for length in (1, 2, 7, 60, 129)]


@pytest.mark.parametrize(("kind", "length"), TRANSFORMS, ids=[f"{k.name}-{length}" for k, length in TRANSFORMS])
def test_transforms_of_any_length(kind, length, tmp_path):
    def function(z, x):
        forward = jnp.fft.fft(z)
        return forward, jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z[:, : length // 2 + 1], length)

    z, x = kind.numbers((3, length)), kind.numbers((3, length), 1).real
    results = kind.run(function, (z, x), tmp_path)
    half = z[:, : length // 2 + 1].astype(kind.wide)
    wanted = [np.fft.fft(z.astype(kind.wide)), np.fft.ifft(z.astype(kind.wide))]
    wanted += [np.fft.rfft(x.astype(kind.wide_part)), np.fft.irfft(half, length)]
    for result, each in zip(results, wanted, strict=True):
        spectrum_close(kind, result, each)


@pytest.mark.parametrize("target", ["v2", "v5e"])
def test_a_million_elements(target, tmp_path):
    """Kernels with more operands than a call passes in registers."""
    z = C64.numbers((16, 64, 1024))
    text = C64.text(lambda z: [jnp.fft.fft(z)], z)
    (result,) = run_text(text, [z], tmp_path, "--target", target)
    spectrum_close(C64, result, np.fft.fft(z.astype(C64.wide)))


@pytest.mark.parametrize("length", [1031, 2062])
def test_transforms_of_large_primes(length, tmp_path):
    kind = C64
    z = kind.numbers((2, length))
    forward, back = kind.run(lambda z: (jnp.fft.fft(z), jnp.fft.ifft(z)), (z,), tmp_path)
    spectrum_close(kind, forward, np.fft.fft(z.astype(kind.wide)))
    spectrum_close(kind, back, np.fft.ifft(z.astype(kind.wide)))


def test_transforms_of_several_dimensions(kind, tmp_path):
    def function(z, x):
        return (
            jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.rfftn(x), jnp.fft.irfft2(z, s=(6, 9)), jnp.fft.fft(z, axis=0),
            jnp.fft.hfft(z[0], 9), jnp.fft.ihfft(x[0]), jnp.fft.fftshift(z), jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape),
        )  # fmt: skip

    z, x = kind.numbers((4, 6, 5)), kind.numbers((4, 6, 5), 1).real
    a, b = z.astype(kind.wide), x.astype(kind.wide_part)
    wanted = [np.fft.fft2(a), np.fft.ifftn(a), np.fft.rfftn(b), np.fft.irfft2(a, s=(6, 9)), np.fft.fft(a, axis=0)]
    wanted += [np.fft.hfft(a[0], 9), np.fft.ihfft(b[0]), np.fft.fftshift(a), b]
    for result, each in zip(kind.run(function, (z, x), tmp_path), wanted, strict=True):
        spectrum_close(kind, result, each)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 3)], ids=str)
def test_empty_transforms(kind, shape, tmp_path):
    (result,) = kind.run(lambda z: lax.fft(z, "FFT", (shape[-1],)), (kind.numbers(shape),), tmp_path)
    assert result.shape == shape and result.dtype == kind.dtype


def test_gradients_of_transforms(kind, tmp_path):
    def function(x):
        return jax.grad(lambda x: jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 4))(x)

    x = kind.numbers((30,)).real
    (result,) = kind.run(function, (x,), tmp_path)
    np.testing.assert_allclose(result, kind.jitted(function)(x), rtol=1e-4 * kind.scale, atol=1e-2 * kind.scale)


def test_the_inverse_of_one_element_is_empty(tmp_path):
    results = C64.run(lambda z: (jnp.fft.irfft(z), jnp.fft.irfft2(z)), (C64.numbers((3, 1)),), tmp_path)
    assert [r.shape for r in results] == [(3, 0), (3, 0)]
