// The random bits of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_RANDOM_TD
#define SYSTOLE_DIALECTS_STABLEHLO_RANDOM_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let summary = "Random bits generated from a state";
  let semantics = [{
    Fills `output` with bits of the counter-based generator `rng_algorithm`, which
    `initial_state` starts, and yields the state that continues the sequence.

    Constraint: `initial_state` and `output_state` have the same type.
  }];
  let arguments = (ins
    RankedTensorOf<[StableHLO_Int, StableHLO_Float]>:$initial_state,
    StableHLO_RngAlgorithmAttr:$rng_algorithm);
  let results = (outs
    RankedTensorOf<[StableHLO_Int, StableHLO_Float]>:$output_state,
    StaticShapeTensorOf<[StableHLO_Int, StableHLO_Float]>:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<Enum>($rng_algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @rng_bit_generator(%s: tensor<2xui64>)
        -> (tensor<2xui64>, tensor<3x5xui32>) {
      %state, %bits = stablehlo.rng_bit_generator %s, algorithm = PHILOX
          : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
      return %state, %bits : tensor<2xui64>, tensor<3x5xui32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_RANDOM_TD
