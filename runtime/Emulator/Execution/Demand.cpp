// The choice of kernels and arguments on which control depends.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Demand.h"

#include <algorithm>

#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole::emulation {

// Inputs that are loaded before anything asks for them: integers, which are likely to be indices,
// and constants. The part of all bytes that these may take.
static constexpr int64_t kPartLoadedAtFirst = 16;

static bool isInteger(const program::Tensor &tensor) {
  return tensor.dtype().starts_with("i") || tensor.dtype().starts_with("ui");
}

Demand::Demand(const program::ProgramHeader &header, bool withArguments, int64_t mostBytes)
    : header(header), mostBytes(mostBytes / kPartLoadedAtFirst),
      computed(size_t(header.kernels_size()) + 1), available(size_t(header.regions_size())),
      loaded(size_t(header.regions_size())) {
  calls.push_back(-1);
  for (int i = 0; i < header.kernels_size(); ++i) {
    const int32_t whole = header.kernels(i).part_of();
    calls.push_back(whole > 0 && whole <= header.kernels_size() ? whole - 1 : i);
  }
  auto add = [&](int32_t region, bool isAvailable, bool isLikely) {
    if (region < 0 || region >= header.regions_size() ||
        header.regions(region).space() != program::HBM)
      return;
    initial.push_back(region);
    available[size_t(region)] = isAvailable;
    if (isLikely)
      load(region);
  };
  for (const program::Constant &constant : header.constants())
    add(constant.region(), true, true);
  for (const program::Tensor &argument : header.arguments()) {
    const Planes planes = planesOf(argument);
    for (int32_t region : planes.all())
      add(region, withArguments, isInteger(argument));
  }
  this->mostBytes = mostBytes;
}

bool Demand::load(int32_t region) {
  const int64_t bytes = header.regions(region).size() * isa::kRowBytes;
  if (!available[size_t(region)] || loaded[size_t(region)] || loadedBytes + bytes > mostBytes)
    return false;
  loadedBytes += bytes;
  return loaded[size_t(region)] = true;
}

void Demand::beginRun() {
  needed.clear();
  missing.reset();
}

bool Demand::add(const Origins::Source &source) {
  auto compute = [&](int32_t kernel) {
    if (computed[size_t(kernel + 1)])
      return false;
    // A call is computed with all of its parts.
    for (size_t i = 0; i < calls.size(); ++i)
      computed[i] = computed[i] || calls[i] == kernel;
    return true;
  };
  if (source.kind == Origins::Source::Kind::Kernel)
    return compute(callOf(source.index));
  bool isMore = load(source.index);
  for (auto write = writes.lower_bound({source.index, -1});
       write != writes.end() && write->first == source.index; ++write)
    isMore |= compute(write->second);
  return isMore;
}

bool Demand::grow() {
  if (++runs >= kMostRuns)
    return false;
  bool isMore = false;
  for (const Origin origin : needed)
    for (const Origins::Source &source : sets.sources(origin))
      isMore |= add(source);
  return isMore;
}

} // namespace systole::emulation
