// The operations of the StableHLO dialect that order effects and exchange data with the host.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_TRANSFERS_TD
#define SYSTOLE_DIALECTS_STABLEHLO_TRANSFERS_TD

include "dialects/StableHLO/Attributes.td"
include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_CreateTokenOp : StableHLO_Op<"create_token", [Pure]> {
  let summary = "Begin an order of effects";
  let semantics = [{
    Makes a token that stands for no effect.
  }];
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let example = [{
    func.func @create_token() -> !stablehlo.token {
      %t = stablehlo.create_token : !stablehlo.token
      return %t : !stablehlo.token
    }
  }];
}

def StableHLO_AfterAllOp : StableHLO_Op<"after_all", [Pure]> {
  let summary = "Join several orders of effects";
  let semantics = [{
    Makes a token that stands for the effects of all inputs.
  }];
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = "($inputs^)? attr-dict `:` type($result)";
  let example = [{
    func.func @after_all(%a: !stablehlo.token, %b: !stablehlo.token) -> !stablehlo.token {
      %t = stablehlo.after_all %a, %b : !stablehlo.token
      return %t : !stablehlo.token
    }
  }];
}

def StableHLO_SendOp : StableHLO_Op<"send"> {
  let summary = "Send arrays over a channel";
  let semantics = [{
    Sends `inputs` over the channel, after the effects of `token`: to the host if
    `is_host_transfer`, else to other devices.

    Constraint: the channel's type is that of the direction.
  }];
  let arguments = (ins
    Variadic<StableHLO_PerAxisTensor>:$inputs,
    StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHLO_Token:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @send(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
      %r = "stablehlo.send"(%x, %t) <{
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>,
        is_host_transfer = true
      }> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      return %r : !stablehlo.token
    }
  }];
}

def StableHLO_RecvOp : StableHLO_Op<"recv"> {
  let summary = "Receive arrays over a channel";
  let semantics = [{
    Waits, after the effects of `token`, for a message over the channel, from the host if
    `is_host_transfer`, else from another device. The results are the arrays, then a token.

    Constraints:
    - the last result is a token, all others are tensors;
    - the channel's type is that of the direction.
  }];
  let arguments = (ins
    StableHLO_Token:$token,
    StableHLO_ChannelHandleAttr:$channel_handle,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
    OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
  let example = [{
    func.func @recv(%t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
      %r:2 = "stablehlo.recv"(%t) <{
        channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>,
        is_host_transfer = true
      }> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
      return %r#0, %r#1 : tensor<4xf32>, !stablehlo.token
    }
  }];
}

def StableHLO_InfeedOp : StableHLO_Op<"infeed"> {
  let summary = "Take arrays from the device's infeed";
  let semantics = [{
    Takes, after the effects of `token`, the next arrays from the infeed, the queue that the host
    fills, and waits for them. The results are the arrays, then a token. `infeed_config` means
    nothing here. `layout`, an order of dimensions for each array, does not change its elements.

    Constraints:
    - there is at least one result;
    - the last result is a token, all others are tensors.
  }];
  let arguments = (ins
    StableHLO_Token:$token,
    DefaultValuedAttr<StrAttr, "\"\"">:$infeed_config,
    OptionalAttr<TypedArrayAttrBase<I64ArrayAttr, "array of arrays of 64-bit integers">>:$layout);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
  let example = [{
    func.func @infeed(%t: !stablehlo.token) -> (tensor<4xf32>, tensor<i32>, !stablehlo.token) {
      %r:3 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0], []]}>
        : (!stablehlo.token) -> (tensor<4xf32>, tensor<i32>, !stablehlo.token)
      return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<i32>, !stablehlo.token
    }
  }];
}

def StableHLO_OutfeedOp : StableHLO_Op<"outfeed"> {
  let summary = "Append arrays to the device's outfeed";
  let semantics = [{
    Appends `inputs`, after the effects of `token`, to the outfeed, the queue that the host empties.
    `outfeed_config` means nothing here.
  }];
  let arguments = (ins
    Variadic<StableHLO_PerAxisTensor>:$inputs,
    StableHLO_Token:$token,
    DefaultValuedAttr<StrAttr, "\"\"">:$outfeed_config);
  let results = (outs StableHLO_Token:$result);
  let example = [{
    func.func @outfeed(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
      %r = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}>
        : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      return %r : !stablehlo.token
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_TRANSFERS_TD
