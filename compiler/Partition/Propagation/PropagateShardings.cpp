// Gives all values of a program the shardings that Shardy's propagation gives them
// (docs/decisions/sharding-propagation.md).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Partition/Passes.h"
#include "compiler/Partition/Propagation/Preparation.h"
#include "compiler/Partition/Propagation/Propagator.h"
#include "compiler/Partition/Propagation/ShardingRule.h"
#include "dialects/Sdy/Sdy.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PROPAGATESHARDINGS
#define GEN_PASS_DEF_POPULATESHARDINGRULES
#include "compiler/Partition/Passes.h.inc"

namespace {

using namespace partition;

struct PropagateShardings : impl::PropagateShardingsBase<PropagateShardings> {
  void rewrite() override {
    auto meshes = llvm::make_filter_range(getOperation().getOps(),
                                          [](Operation &op) { return isSdy(&op, "mesh"); });
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (meshes.empty() || !main || main.isExternal())
      return;
    splitConstants(main);
    ShardedProgram program(main);
    if (failed(program.read()))
      return signalPassFailure();
    applyConstraints(program);
    ShardingGroups groups;
    if (failed(groups.read(program)))
      return signalPassFailure();
    propagateByPriority(program, groups);
    program.write();
  }
};

struct PopulateShardingRules : impl::PopulateShardingRulesBase<PopulateShardingRules> {
  void rewrite() override {
    getOperation().walk([](Operation *op) {
      if (std::optional<ShardingRule> rule = ruleOf(op))
        op->setAttr(kShardingRuleAttr, rule->encode(op->getContext()));
    });
  }
};

} // namespace
} // namespace systole
