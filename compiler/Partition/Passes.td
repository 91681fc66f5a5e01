//===- Passes.td - From a sharded program to that of a core --*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_PARTITION_PASSES_TD
#define SYSTOLE_COMPILER_PARTITION_PASSES_TD

include "compiler/Diagnostics/RewritePass.td"
include "mlir/Pass/PassBase.td"

def PropagateShardings : RewritePass<"systole-propagate-shardings"> {
  let summary = "Give all values the shardings that follow from those that are given";
  let description = [{
    As Shardy's propagation does: each operation has a rule that says which dimensions of its operands
    and results correspond. Results of operations get the attribute `sdy.sharding`, as do the entry's
    arguments and results, such that their parts are equal.
  }];
  let dependentDialects = ["::systole::sdy::SdyDialect"];
}

def PopulateShardingRules : RewritePass<"systole-populate-sharding-rules"> {
  let summary = "Show the sharding rule of each operation as its attribute sdy.sharding_rule";
  let dependentDialects = ["::systole::sdy::SdyDialect"];
}

def PartitionProgram : RewritePass<"systole-partition"> {
  let summary = "Make a sharded program that of one core among several";
  let description = [{
    Arguments and results become the parts of one core, with the way in which they are divided in
    attributes of the module. Bodies of manual computations take their place. Other operations are
    divided along the factors of their sharding rules. One that cannot be is executed by each core on
    whole arrays, which it gathers from the parts of others, and of whose result it takes its part.
  }];
  let options = [Option<"remarks", "remarks", "bool", /*default=*/"false",
                        "name the operations that are executed on whole arrays">,
                 Option<"divideOperations", "divide-operations", "bool", /*default=*/"true",
                        "divide operations outside of manual computations">];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def CombineCollectives : RewritePass<"systole-combine-collectives"> {
  let summary = "Combine small reductions over the same groups into one";
  let description = [{
    Those of a block that do not depend on each other, of one element type and body. What depends on some
    of them moves behind the one.
  }];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect"];
}

def ExpandCollectives : RewritePass<"systole-expand-collectives"> {
  let summary = "Expand collective operations into exchanges of blocks between cores";
  let description = [{
    Data moves by `kernel.exchange`. Reductions are those of the blocks of all cores of a group, in
    the order of the group, of which each core reduces its part if they are large.
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"v3-8\"", "the slice">];
  let dependentDialects = ["::systole::stablehlo::StableHLODialect", "::systole::kernel::KernelDialect"];
}

#endif // SYSTOLE_COMPILER_PARTITION_PASSES_TD
