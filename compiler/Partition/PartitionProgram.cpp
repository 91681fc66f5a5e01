// Makes a sharded program that of one core among several.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Partition/Partitioner.h"
#include "compiler/Partition/Passes.h"
#include "dialects/Kernel/Attributes.h"
#include "dialects/Kernel/SyncFlags.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PARTITIONPROGRAM
#include "compiler/Partition/Passes.h.inc"

namespace {

struct PartitionProgram : impl::PartitionProgramBase<PartitionProgram> {
  using Base::Base;

  void rewrite() override {
    // Set for programs of several cores alone (Devices.h).
    auto count = getOperation()->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
    if (!count || count.getInt() < 2)
      return;
    if (count.getInt() > kernel::kReadyFlags) {
      emitUnimplemented(getOperation())
          << "a program for " << count.getInt() << " cores is not supported; at most "
          << kernel::kReadyFlags << " are";
      return signalPassFailure();
    }
    partition::Partitioner partitioner(getOperation(), count.getInt(), divideOperations,
                                       getAnalysis<MachineAnalysis>().slice());
    if (failed(partitioner.run()))
      return signalPassFailure();
    SmallVector<Attribute> whole;
    Builder b(&getContext());
    for (const auto &[loc, name] : partitioner.fallbacks()) {
      whole.push_back(b.getArrayAttr({b.getStringAttr(name), LocationAttr(loc)}));
      if (remarks)
        emitRemark(loc) << "'" << name << "' is executed on whole arrays";
    }
    if (!whole.empty())
      getOperation()->setAttr(kernel::kWholeOperationsAttr, b.getArrayAttr(whole));
  }
};

} // namespace
} // namespace systole
