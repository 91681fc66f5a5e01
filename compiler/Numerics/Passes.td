//===- Passes.td - Values to compare, and wider types --------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_NUMERICS_PASSES_TD
#define SYSTOLE_COMPILER_NUMERICS_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def InsertTaps : RewritePass<"systole-insert-taps"> {
  let summary = "Send the values of a program to the host while it runs";
  let description = [{
    Operations have numbers in program order. Behind each operation that computes floating-point
    numbers, of more than constants and for some use, or those of `only`, `kernel.send` sends its first result over a channel of its own,
    3 * number behind the channels that the program has. With `own` the next channel has the result of
    the operation in `own-type` on the operands that the program has, and the one behind it, of
    additions and subtractions, the larger magnitude of the two operands. The operands of `operands-of`
    have channels behind those of all operations, and so have, with `indices`, those that are indices,
    and, with `all-results`, results behind the first one.

    With `wide` the program computes in that type: floating-point types that are narrower become it,
    products have the precision HIGHEST, and roundings are left out. Arguments and results keep their
    types. Operations that depend on the bits of a number (bitcast_convert, custom calls, random bits)
    have operands and results of the types of the program.
  }];
  let options = [
    ListOption<"only", "only", "int64_t", "numbers of operations, instead of those that compute floats">,
    Option<"operandsOf", "operands-of", "int64_t", /*default=*/"-1", "the number of an operation whose operands are tapped">,
    Option<"allResults", "all-results", "bool", /*default=*/"false", "tap all results, not the first ones">,
    Option<"indices", "indices", "bool", /*default=*/"false", "tap indices of slices, gathers and scatters">,
    Option<"own", "own", "bool", /*default=*/"false", "tap what each operation gives in wide types">,
    Option<"ownType", "own-type", "std::string", /*default=*/"\"f32\"", "f32 or f64">,
    Option<"wide", "wide", "std::string", /*default=*/"", "f32 or f64, the type of the program">];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect",
                           "::systole::kernel::KernelDialect"];
}

def RaisePrecision : RewritePass<"systole-raise-precision"> {
  let summary = "Compute some operations in a wider type";
  let description = [{
    The operations of these numbers (see `systole-insert-taps`) are computed in `type`, products with
    the precision HIGHEST. Those that are listed read each other's results without rounding; to all
    others these have the program's types.
  }];
  let options = [
    ListOption<"operations", "operations", "int64_t", "numbers of operations">,
    Option<"type", "type", "std::string", /*default=*/"\"f32\"", "f32 or f64">];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

#endif // SYSTOLE_COMPILER_NUMERICS_PASSES_TD
