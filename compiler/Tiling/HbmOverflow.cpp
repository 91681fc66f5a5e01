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

#include <algorithm>

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

LogicalResult HbmPlan::reportOverflow(Location loc, int64_t rows, int64_t capacity) const {
  std::vector<MemoryUser> users;
  int64_t callers = 0, callersElements = 0;
  for (const HbmBuffer &buffer : all)
    if (buffer.isCallers()) {
      callers += bytesOf(buffer);
      callersElements += payloadBytes(buffer.type);
    }
  const auto [when, live] = atPeak(bytesOf);
  const int64_t elements =
      std::max(callersElements,
               atPeak([](const HbmBuffer &buffer) { return payloadBytes(buffer.type); }).second);
  for (const HbmBuffer &buffer : all)
    if (buffer.isLiveAt(when) || (buffer.isCallers() && callers > live))
      users.push_back(
          {describe(buffer), buffer.type, buffer.loc, bytesOf(buffer), payloadBytes(buffer.type)});
  StringRef advice =
      2 * callers > rows * kRowBytes
          ? "arguments and results take most: donate arguments (donate_argnums), keep parameters "
            "in bf16, or give the program a part of the data at a time"
          : "temporary arrays take most: a smaller batch, jax.checkpoint around layers, or bf16";
  return emitOverflow(loc, "the program", "HBM", rows * kRowBytes, capacity * kRowBytes,
                      std::move(users), advice, elements);
}

} // namespace systole
