// The static plan of a program's HBM.
// See docs/decisions/hbm-planning.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/HbmPlan.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/Offsets.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace systole {

int32_t HbmPlan::add(std::string name, RankedTensorType type, Location loc, int64_t time,
                     HbmUse use) {
  HbmBuffer buffer{std::move(name), type, loc};
  // Even an array without elements has a place to point to.
  buffer.rows = std::max<int64_t>(8, paddedBytes(type) / kRowBytes);
  buffer.begin = buffer.end = time;
  buffer.use = use;
  all.push_back(std::move(buffer));
  int32_t number = all.size() - 1;
  if (use == HbmUse::Result)
    setUnwritten(number);
  return number;
}

void HbmPlan::extend(int32_t buffer, int64_t time) {
  all[buffer].begin = std::min(all[buffer].begin, time);
  all[buffer].end = std::max(all[buffer].end, time);
}

void HbmPlan::closeTimes() {
  int64_t last = 0;
  for (const HbmBuffer &buffer : all)
    last = std::max(last, buffer.end);
  for (HbmBuffer &buffer : all) {
    if (buffer.use == HbmUse::Fixed || buffer.use == HbmUse::Donated)
      buffer.begin = 0;
    if (buffer.use == HbmUse::Fixed || buffer.use == HbmUse::Result)
      buffer.end = last;
    buffer.begin = std::min(buffer.begin, buffer.end);
  }
}

std::pair<int64_t, int64_t>
HbmPlan::atPeak(llvm::function_ref<int64_t(const HbmBuffer &)> size) const {
  std::map<int64_t, int64_t> changes;
  // What the caller allocates is there before and after.
  for (const HbmBuffer &buffer : all) {
    changes[buffer.begin] += size(buffer);
    changes[buffer.end + 1] -= size(buffer);
  }
  int64_t live = 0, most = -1, when = 0;
  for (auto [time, change] : changes)
    if (live += change; live > most) {
      most = live;
      when = time;
    }
  return {when, most};
}

int64_t HbmPlan::place(int64_t capacity) {
  closeTimes();
  std::vector<LiveBuffer> buffers;
  for (const HbmBuffer &buffer : all)
    buffers.push_back({buffer.rows, buffer.begin, buffer.end, buffer.isCallers()});
  const int64_t rows = all.empty() ? 0 : assignOffsets(buffers, capacity);
  for (auto [buffer, placed] : llvm::zip_equal(all, buffers))
    buffer.base = placed.offset;
  return rows;
}

ArrayAttr HbmPlan::toAttribute(MLIRContext *context) const {
  SmallVector<Attribute> regions;
  for (const HbmBuffer &buffer : all)
    regions.push_back(kernel::HbmRegionAttr::get(context, StringAttr::get(context, buffer.name),
                                                 buffer.rows, buffer.base));
  return ArrayAttr::get(context, regions);
}

ArrayAttr HbmPlan::allocations(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> entries;
  for (const HbmBuffer &buffer : all) {
    NamedAttrList entry;
    std::string source = sourceLine(buffer.loc), user = userLine(buffer.loc);
    // The name of an argument's location is its own.
    std::string names =
        buffer.title.empty() || buffer.name.starts_with("out") ? nameStack(buffer.loc) : "";
    auto add = [&](StringRef name, StringRef text) {
      if (!text.empty())
        entry.append(name, b.getStringAttr(text));
    };
    add("name", buffer.title.empty() ? buffer.name : buffer.title);
    add("source", source);
    add("user", user == source ? "" : user);
    add("name_stack", names);
    entry.append("payload", b.getI64IntegerAttr(payloadBytes(buffer.type)));
    if (buffer.use != HbmUse::Fixed) {
      entry.append("begin", b.getI64IntegerAttr(buffer.begin));
      entry.append("end", b.getI64IntegerAttr(buffer.end));
    }
    entries.push_back(entry.getDictionary(context));
  }
  return b.getArrayAttr(entries);
}

} // namespace systole
