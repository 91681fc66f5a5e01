// The error that a program needs more HBM than there is.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Diagnostics/Overflow.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Tiling/HbmPlan.h"
#include "dialects/Layout/MachineShape.h"

#include "mlir/IR/Diagnostics.h"

#include <map>

using namespace mlir;

namespace systole {

namespace {

int64_t bytesOf(const HbmBuffer &buffer) { return buffer.rows * kRowBytes; }

/// "argument 'params['w']'", "result 'out0' of jit(f)/dense/add", "temporary of ...".
std::string describe(const HbmBuffer &buffer) {
  bool isArgument = StringRef(buffer.name).starts_with("arg");
  bool isResult = StringRef(buffer.name).starts_with("out");
  const std::string &name = buffer.title.empty() ? buffer.name : buffer.title;
  std::string text = isArgument                  ? "argument '" + name + "'"
                     : isResult                  ? "result '" + name + "'"
                     : buffer.name == "carried"  ? "array that a loop carries"
                     : buffer.name == "constant" ? "constant"
                                                 : "temporary array";
  std::string layer = isArgument ? "" : nameStack(buffer.loc);
  return layer.empty() ? text : text + " of " + layer;
}

} // namespace

std::vector<const HbmBuffer *> HbmPlan::atPeak() const {
  std::map<int64_t, int64_t> changes; // of live rows
  for (const HbmBuffer &buffer : all)
    if (!buffer.permanent) {
      changes[buffer.begin] += buffer.rows;
      changes[buffer.end + 1] -= buffer.rows;
    }
  int64_t live = 0, most = 0, when = 0;
  for (auto [time, change] : changes)
    if (live += change; live > most) {
      most = live;
      when = time;
    }
  std::vector<const HbmBuffer *> found;
  for (const HbmBuffer &buffer : all)
    if (buffer.permanent || (buffer.begin <= when && when <= buffer.end))
      found.push_back(&buffer);
  llvm::stable_sort(found, [](auto *a, auto *b) { return a->rows > b->rows; });
  return found;
}

LogicalResult HbmPlan::reportOverflow(Location loc, int64_t rows, int64_t capacity) const {
  std::vector<MemoryUser> users;
  int64_t permanent = 0, total = 0;
  for (const HbmBuffer *buffer : atPeak()) {
    users.push_back({describe(*buffer), buffer->type, buffer->loc, bytesOf(*buffer),
                     payloadBytes(buffer->type)});
    total += bytesOf(*buffer);
    permanent += buffer->permanent ? bytesOf(*buffer) : 0;
  }
  StringRef advice =
      2 * permanent > total
          ? "arguments and results take most: donate arguments (donate_argnums), keep parameters "
            "in bf16, or give the program a part of the data at a time"
          : "temporary arrays take most: a smaller batch, jax.checkpoint around layers, or bf16";
  return emitOverflow(loc, "the program", "HBM", rows * kRowBytes, capacity * kRowBytes,
                      std::move(users), advice);
}

} // namespace systole
