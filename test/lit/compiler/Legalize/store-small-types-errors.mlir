// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %systole-opt %s --systole-store-small-types --split-input-file --verify-diagnostics

func.func @neighbours(%x: tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN> {
  // expected-error @+1 {{operation 'chlo.next_after' is not supported for floats of at most 8 bits: '(tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN>'}}
  %0 = chlo.next_after %x, %x : tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN> -> tensor<8xf8E4M3FN>
  return %0 : tensor<8xf8E4M3FN>
}
