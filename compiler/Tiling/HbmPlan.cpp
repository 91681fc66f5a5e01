// The static plan of a program's HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/HbmPlan.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Planning/Blocking.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>

using namespace mlir;

namespace systole {

int32_t HbmPlan::add(std::string name, RankedTensorType type, Location loc, int64_t time,
                     bool permanent) {
  HbmBuffer buffer{std::move(name), type, loc};
  // Even an array without elements has a place to point to.
  buffer.rows = std::max<int64_t>(8, paddedBytes(type) / kRowBytes);
  buffer.begin = buffer.end = time;
  buffer.permanent = permanent;
  all.push_back(std::move(buffer));
  return all.size() - 1;
}

void HbmPlan::extend(int32_t buffer, int64_t time) {
  all[buffer].begin = std::min(all[buffer].begin, time);
  all[buffer].end = std::max(all[buffer].end, time);
}

int64_t HbmPlan::place() {
  // Largest first, each at the lowest rows that no placed buffer of an
  // overlapping time holds.
  std::vector<HbmBuffer *> order;
  for (HbmBuffer &buffer : all)
    order.push_back(&buffer);
  llvm::stable_sort(order, [](HbmBuffer *a, HbmBuffer *b) {
    return a->permanent != b->permanent ? a->permanent : a->rows > b->rows;
  });
  std::vector<HbmBuffer *> placed; // by their bases
  int64_t total = 0;
  for (HbmBuffer *buffer : order) {
    int64_t base = 0;
    for (HbmBuffer *other : placed) {
      if (!buffer->permanent && !other->permanent &&
          (other->begin > buffer->end || buffer->begin > other->end))
        continue;
      if (other->base - base >= buffer->rows)
        break;
      base = std::max(base, other->base + other->rows);
    }
    buffer->base = base;
    placed.insert(
        llvm::upper_bound(placed, base, [](int64_t rows, HbmBuffer *b) { return rows < b->base; }),
        buffer);
    total = std::max(total, base + buffer->rows);
  }
  return total;
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
    if (!buffer.permanent) {
      entry.append("begin", b.getI64IntegerAttr(buffer.begin));
      entry.append("end", b.getI64IntegerAttr(buffer.end));
    }
    entries.push_back(entry.getDictionary(context));
  }
  return b.getArrayAttr(entries);
}

} // namespace systole
