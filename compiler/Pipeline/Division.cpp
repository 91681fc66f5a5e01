// How a program is divided among cores, from a module to the header of its program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Division.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Kernel/Attributes.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace systole {

FailureOr<Division> takeDivision(ModuleOp module, const Target &target,
                                 const CompileOptions &options) {
  Division division;
  auto cores = dyn_cast_or_null<IntegerAttr>(module->removeAttr(kernel::kCoresAttr));
  auto take = [&](StringRef name, std::vector<std::vector<int64_t>> &parts) {
    if (auto array = dyn_cast_or_null<ArrayAttr>(module->removeAttr(name)))
      for (auto numbers : array.getAsRange<DenseI64ArrayAttr>())
        parts.push_back(numbers.asArrayRef().vec());
  };
  take(kernel::kArgumentPartsAttr, division.arguments);
  take(kernel::kResultPartsAttr, division.results);
  if (!cores) {
    if (options.partitions > 1)
      return module.emitError() << "the program is not divided, and " << options.partitions
                                << " partitions are asked for";
    return division;
  }
  division.cores = int(cores.getInt());
  division.sliceCores = target.cores();
  division.places = options.places;
  if (division.cores > target.cores())
    return module.emitError() << "the program is divided among " << division.cores
                              << " cores, and target " << target.name() << " has "
                              << target.cores();
  if ((options.partitions > 1 && options.partitions != division.cores) ||
      (!options.places.empty() && int(options.places.size()) != division.cores))
    return module.emitError() << "the program is divided among " << division.cores << " cores, and "
                              << options.partitions << " are asked for";
  return division;
}

void setDivision(const Division &division, program::ProgramHeader &header) {
  if (division.cores == 0)
    return;
  header.set_cores(division.cores);
  header.set_slice_cores(division.sliceCores);
  header.mutable_core_places()->Assign(division.places.begin(), division.places.end());
  auto set = [](const std::vector<std::vector<int64_t>> &parts, auto &entries) {
    for (int i = 0; i < std::min(int(parts.size()), entries.size()); ++i) {
      program::Tensor &tensor = entries[i];
      // The shape of the whole, then a position for each core.
      const auto rank = ptrdiff_t(tensor.dims_size());
      if (parts[size_t(i)].empty())
        continue;
      tensor.mutable_whole_dims()->Assign(parts[size_t(i)].begin(),
                                          parts[size_t(i)].begin() + rank);
      tensor.mutable_core_positions()->Assign(parts[size_t(i)].begin() + rank,
                                              parts[size_t(i)].end());
    }
  };
  set(division.arguments, *header.mutable_arguments());
  set(division.results, *header.mutable_results());
}

} // namespace systole
