// The operations of the StableHLO dialect for control flow.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_CONTROLFLOW_TD
#define SYSTOLE_DIALECTS_STABLEHLO_CONTROLFLOW_TD

include "mlir/IR/SymbolInterfaces.td"
include "dialects/StableHLO/Attributes.td"

// Regions of one block that end in `stablehlo.return` and may use values from outside.
class StableHLO_RegionOp<string mnemonic, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [
          RecursiveMemoryEffects, RecursivelySpeculatable,
          SingleBlockImplicitTerminator<"ReturnOp">]> {
  let hasRegionVerifier = 1;
}

def StableHLO_ReturnOp
    : StableHLO_Op<"return", [Pure, Terminator]> {
  let summary = "End a region with its values";
  let semantics = [{
    Hands values to the operation that owns the region.

    Constraint: that operation belongs to this dialect, too, or is a function, which some
    producers end in this way.
  }];
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let hasVerifier = 1;
  let example = [{
    func.func @return(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %r = "stablehlo.if"(%p) ({
        stablehlo.return %x : tensor<f32>
      }, {
        %y = stablehlo.negate %x : tensor<f32>
        stablehlo.return %y : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      return %r : tensor<f32>
    }
  }];
}

def StableHLO_IfOp : StableHLO_RegionOp<"if", [OpKindOf<"Control">]> {
  let summary = "Run one of two branches";
  let semantics = [{
    Runs `true_branch` if the predicate is true, else `false_branch`, and yields
    the values that the branch returns.

    Constraints:
    - the branches take no arguments;
    - each returns values of the result types.
  }];
  let arguments = (ins StableHLO_PredScalar:$pred);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$true_branch,
                        SizedRegion<1>:$false_branch);
  let example = [{
    func.func @if(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.if"(%p) ({
        %y = stablehlo.tanh %x : tensor<4xf32>
        stablehlo.return %y : tensor<4xf32>
      }, {
        stablehlo.return %x : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_CaseOp : StableHLO_RegionOp<"case", [OpKindOf<"Control">]> {
  let summary = "Run one of several branches";
  let semantics = [{
    Runs branch number `index`, the last one if there is none of that number,
    and yields the values that it returns.

    Constraints:
    - there is at least one branch;
    - the branches take no arguments;
    - each returns values of the result types.
  }];
  let arguments = (ins StableHLO_I32Scalar:$index);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
  let example = [{
    func.func @case(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.case"(%i) ({
        stablehlo.return %x : tensor<4xf32>
      }, {
        %y = stablehlo.negate %x : tensor<4xf32>
        stablehlo.return %y : tensor<4xf32>
      }, {
        %y = stablehlo.exponential %x : tensor<4xf32>
        stablehlo.return %y : tensor<4xf32>
      }) : (tensor<i32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_WhileOp : StableHLO_RegionOp<"while",
    [OpKindOf<"Control">, StableHLO_PairwiseSameType, InferTypeOpAdaptor,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<OpAsmOpInterface,
                               ["getAsmBlockArgumentNames"]>]> {
  let summary = "Repeat a body while a condition holds";
  let semantics = [{
    Carries the values of `operand` through a loop. As long as `cond` returns
    true of them, `body` replaces them; the last ones are the results. That a
    loop does not end is an effect: only one that certainly ends may be dropped.

    Constraints:
    - operand i and result i have the same type;
    - `cond` and `body` take arguments of those types;
    - `cond` returns one `tensor<i1>`;
    - `body` returns values of those types.
  }];
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let example = [{
    func.func @while(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n, SIGNED
            : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %b = stablehlo.sine %a : tensor<4xf32>
        stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
      }
      return %r#1 : tensor<4xf32>
    }
  }];
}

def StableHLO_CompositeOp : StableHLO_Op<"composite",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An operation defined by its decomposition, a function";
  let semantics = [{
    Calls the function `decomposition` with the inputs. `name`, `version`,
    `composite_attributes` and `composite_regions` identify the operation, for compilers
    with a better lowering.

    Constraints:
    - `name` has a namespace, as in `my.op`;
    - `decomposition` is a function with the types of the inputs and the results.
  }];
  let arguments = (ins
    Variadic<StableHLO_TensorOrToken>:$inputs,
    StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let assemblyFormat = [{
    $name $inputs (` ` `(` $composite_regions^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = stablehlo.composite "my.twice" %x {decomposition = @twice}
          : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = stablehlo.add %x, %x : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_CustomCallOp : StableHLO_Op<"custom_call"> {
  let summary = "An operation that the producer and the compiler define by name";
  let semantics = [{
    Computes the function that the compiler knows by the name `call_target_name`.
    `backend_config`, and `api_version`, its calling convention, are for the target;
    `operand_layouts` and `result_layouts` list the dimensions of each array from the
    one that changes fastest; those of a tuple that is the only result are its elements'.
    `output_operand_aliases` list the parts of results that share memory with parts of
    operands.

    Constraints:
    - `api_version` is from 0 to 4;
    - `backend_config` is a dictionary if `api_version` is 4, else a string;
    - there are layouts for all operands and results, or for none; each is a
      permutation of an array's dimensions, empty for a token, and any list for an
      unranked tensor; a tuple within them has none;
    - parts that share memory have the same type.
  }];
  let arguments = (ins
    Variadic<StableHLO_CustomCallValue>:$inputs,
    SymbolNameAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<I32Attr, "1">:$api_version,
    OptionalAttr<FlatSymbolRefArrayAttr>:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts,
    OptionalAttr<ArrayAttr>:$result_layouts,
    OptionalAttr<StableHLO_OutputOperandAliasesAttr>:$output_operand_aliases);
  let results = (outs Variadic<StableHLO_CustomCallValue>:$results);
  let assemblyFormat = [{
    $call_target_name `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @custom_call(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
      %r:2 = stablehlo.custom_call @Qr(%x)
          : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
      return %r#0, %r#1 : tensor<4x3xf32>, tensor<3xf32>
    }
  }];
}

def StableHLO_MapOp : StableHLO_RegionOp<"map"> {
  let summary = "Apply a function to each element";
  let semantics = [{
    Every element of the result is the result of `computation` for the inputs'
    elements at the same index.

    Constraints:
    - there is at least one input, and all of them have the same shape;
    - `dimensions` lists all dimensions in ascending order;
    - `computation` takes a scalar of each input's element type and returns one of
      the result's;
    - the result has the inputs' shape.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
  let example = [{
    func.func @map(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.multiply %a, %b : tensor<f32>
        %s = stablehlo.add %m, %a : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_OptimizationBarrierOp
    : StableHLO_Op<"optimization_barrier",
                   [StableHLO_PairwiseSameType, InferTypeOpAdaptor,
                    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Order computations before and after a barrier";
  let semantics = [{
    Yields its operands unchanged, once all of them have been computed. No producer of an operand
    may be moved after it or merged with a user of its results. Each result is a new value, so
    barriers of the same operands are not merged either (it has the effect of an allocation).

    Constraint: operand i and result i have the same type.
  }];
  let arguments = (ins Variadic<StableHLO_BarrierValue>:$operand);
  let results = (outs Variadic<StableHLO_BarrierValue>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseType>(type($operand), type($result))):
    (`(` `)`)?
  }];
  let example = [{
    func.func @optimization_barrier(%x: tensor<4xf32>, %y: tensor<i32>)
        -> (tensor<4xf32>, tensor<i32>) {
      %r:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<i32>
      return %r#0, %r#1 : tensor<4xf32>, tensor<i32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_CONTROLFLOW_TD
