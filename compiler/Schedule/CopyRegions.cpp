// The memory that copies in flight concern.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/CopyRegions.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {

// The fields of dma.start and dma.send: dst, src, dstRegion, srcRegion, count or core, descriptor,
// flag.
constexpr size_t kDstRegion = 2, kSrcRegion = 3, kDescriptor = 5, kCopyFlag = 6;
// Those of wait: value, flag.
constexpr size_t kWaitFlag = 1;
constexpr int32_t kAnyRegion = -1;
// As in program.proto.
constexpr int32_t kVmem = 1, kSmem = 2;

CopyRegions::CopyRegions(const Module &module, const Function &f, const AliasAnalysis &alias)
    : module(module), f(f), alias(alias) {
  for (InstId i = 0; i < f.insts.size(); ++i)
    if (isCopy(i))
      addRegions(i, regionsOfFlag[flagOf(i)]);
}

static bool isSend(const Function &f, InstId i) {
  return f.insts[i].opcode == isa::Opcode::dma_send;
}

bool CopyRegions::isCopy(InstId i) const {
  return f.insts[i].opcode == isa::Opcode::dma_start || isSend(f, i);
}

bool CopyRegions::isWait(InstId i) const {
  return f.insts[i].opcode == isa::Opcode::wait && regionsOfFlag.contains(flagOf(i));
}

int32_t CopyRegions::flagOf(InstId i) const {
  const Operand &flag = f.ops(i)[isCopy(i) ? kCopyFlag : kWaitFlag];
  assert(flag.isImm() && "instructions name their flag by number");
  return flag.value;
}

void CopyRegions::addRegions(InstId copy, std::vector<int32_t> &regions) const {
  auto ops = f.ops(copy);
  size_t number = size_t(ops[kDescriptor].value);
  const DescriptorInfo *descriptor =
      number < module.descriptors.size() ? &module.descriptors[number] : nullptr;
  auto add = [&](const Operand &region, int32_t DescriptorInfo::*space) {
    bool isOnChip = !descriptor || descriptor->*space == kVmem || descriptor->*space == kSmem;
    if (isOnChip)
      regions.push_back(region.isImm() ? region.value : kAnyRegion);
  };
  // The destination of a send is memory of another core, or nothing else accesses it until it has
  // arrived.
  if (!isSend(f, copy))
    add(ops[kDstRegion], &DescriptorInfo::dst);
  add(ops[kSrcRegion], &DescriptorInfo::src);
}

bool CopyRegions::overlaps(const std::vector<int32_t> &regions, const MemoryAccess &access) const {
  return std::any_of(regions.begin(), regions.end(), [&](int32_t region) {
    return region == kAnyRegion || alias.regionsOverlap(region, access.region);
  });
}

bool CopyRegions::touches(InstId i, const MemoryAccess &access) const {
  if (!isCopy(i))
    return overlaps(regionsOfFlag.find(flagOf(i))->second, access);
  std::vector<int32_t> regions;
  addRegions(i, regions);
  return overlaps(regions, access);
}

} // namespace systole::machine
