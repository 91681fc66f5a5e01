// The cost of work that is divided among the cores of a slice, and of what moves between them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/SliceModel.h"

#include "dialects/Machine/Target/Target.h"

namespace systole {

SliceModel::SliceModel(const Target &target)
    : linkRate(target.iciBytesPerCycle()),
      linkLatency(target.description().ici_latency_cycles().value()),
      dmaStart(target.description().dma_latency_cycles().value()),
      hbmRate(target.hbmBytesPerCycle()), multiplyAddRate(target.peakFlopsPerCycle() / 2) {}

} // namespace systole
