// Where an array or the value of an operation is.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Debugger/Operand.h"
#include "llvm/ADT/SetVector.h"

namespace systole::debugger {

// The step of the program's kernels that runs now, or 0.
static int64_t presentStep(const Console &console) {
  const int kernel = console.session.core().point().kernel;
  return kernel < 0 ? 0 : console.program.header.kernels(kernel).step();
}

// When a buffer has its contents.
static std::string livenessOf(const Console &console, const program::Region &region) {
  for (const program::Allocation &allocation : console.program.header.allocations()) {
    if (allocation.space() != region.space() || allocation.base() != region.base())
      continue;
    if (allocation.begin() == 0 && allocation.end() == 0)
      return ", in the whole run";
    const int64_t now = presentStep(console);
    return absl::StrCat(", from step ", allocation.begin(), " to ", allocation.end(),
                        " of the kernels", now > 0 ? absl::StrCat("; this is step ", now) : "");
  }
  return "";
}

static void showTensor(Console &console, const program::Tensor &tensor) {
  const Planes planes = planesOf(tensor);
  for (const int32_t plane : planes.all()) {
    const program::Region &region = console.program.header.regions(plane);
    console.out << program::Space_Name(region.space()) << " words " << region.base() * isa::kLanes
                << " to " << (region.base() + region.size()) * isa::kLanes - 1 << ", region `"
                << region.name() << '`' << livenessOf(console, region) << '\n';
  }
}

// The kernels that have code of an operation.
static absl::Status showValue(Console &console, const std::string &name) {
  absl::StatusOr<Values::Place> place = console.values->placeOf(name);
  if (!place.ok())
    return place.status();
  llvm::SetVector<int> kernels;
  for (const int64_t bundle : console.places.findOperation(place->source, place->nameStack))
    if (const int kernel = console.places.kernelAt(bundle); kernel >= 0)
      kernels.insert(kernel);
  for (const int kernel : kernels) {
    const program::Kernel &entry = console.program.header.kernels(kernel);
    console.out << "in registers and VMEM of kernel `" << entry.name() << "`, bundles "
                << entry.bundles().begin() << " to " << entry.bundles().end() - 1 << '\n';
  }
  if (kernels.empty())
    console.out
        << "no kernel has code at its line: it is part of a kernel of another operation, was "
           "computed when the program was compiled, or comes from the host\n";
  console.out << "`print " << name << "` computes it\n";
  return absl::OkStatus();
}

absl::Status whereIs(Console &console, absl::string_view text) {
  const std::string known = withLocals(console, text);
  absl::StatusOr<NamedTensor> named = findTensor(console.program, known);
  if (named.ok() && named->rest.empty()) {
    showTensor(console, named->tensor);
    return absl::OkStatus();
  }
  if (named.ok()) {
    absl::StatusOr<std::vector<WatchedWords>> words = wordsOf(console.program, known);
    if (!words.ok())
      return words.status();
    for (const WatchedWords &range : *words)
      console.out << program::Space_Name(range.space) << " words " << range.first << " to "
                  << range.first + range.count - 1 << '\n';
    return absl::OkStatus();
  }
  const std::optional<ValueName> value = console.values ? parseValueName(known) : std::nullopt;
  return value ? showValue(console, value->name) : named.status();
}

} // namespace systole::debugger
