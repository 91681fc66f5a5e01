// The Fourier transforms of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_SPECTRA_TD
#define SYSTOLE_DIALECTS_STABLEHLO_SPECTRA_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_FftOp : StableHLO_InferredOp<"fft", [Pure]> {
  let summary = "Discrete Fourier transform along the last dimensions";
  let semantics = [{
    Transforms along the last dimensions, as many as `fft_length` has entries: `FFT` sums
    exp(-2 pi i j k / n) times element j for each k < n, `IFFT` is its inverse. `RFFT` is the
    `FFT` of real numbers, of which only the first n / 2 + 1 elements of the last dimension are
    kept; `IRFFT` is its inverse, so its operand is taken to be such a part of a result that
    is real.

    Constraints:
    - `fft_length` has one, two or three entries, at most one for each dimension;
    - `FFT` and `IFFT` transform complex numbers, `RFFT` real ones into complex ones and `IRFFT`
      complex ones into real ones, of the same precision;
    - `fft_length` is the sizes of those dimensions, of the real one of operand and result;
    - operand and result have the same shape, but for the last dimension of `RFFT` and `IRFFT`,
      in which the complex one has n / 2 + 1 elements if the real one has n, and none for none.
  }];
  let arguments = (ins
    StableHLO_FloatOrComplexTensor:$operand,
    StableHLO_FftTypeAttr:$fft_type,
    DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<Enum>($fft_type) `,` `length` `=` $fft_length attr-dict `:`
    functional-type(operands, results)
  }];
  let example = [{
    func.func @fft(%x: tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>> {
      %r = stablehlo.fft %x, type = RFFT, length = [8]
          : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
      return %r : tensor<3x5xcomplex<f32>>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_SPECTRA_TD
