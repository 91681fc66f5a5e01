// How a program is divided among cores, from a module to the header of its program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Division.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Kernel/Attributes.h"
#include "dialects/Machine/Program/LocationTable.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <span>

using namespace mlir;

namespace systole {

static program::Location programLocation(Location loc) {
  const std::string source = sourceLine(loc), user = userLine(loc);
  program::Location location;
  location.set_source(source);
  location.set_user(user == source ? "" : user);
  location.set_name_stack(nameStack(loc));
  return location;
}

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
  if (auto whole = dyn_cast_or_null<ArrayAttr>(module->removeAttr(kernel::kWholeOperationsAttr)))
    for (auto operation : whole.getAsRange<ArrayAttr>())
      division.wholeOperations.emplace_back(
          cast<StringAttr>(operation[0]).str(),
          programLocation(Location(cast<LocationAttr>(operation[1]))));
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
  auto set = [&division](const std::vector<std::vector<int64_t>> &parts, auto &entries) {
    for (int i = 0; i < std::min(int(parts.size()), entries.size()); ++i) {
      program::Tensor &tensor = entries[i];
      // The shape of the whole, then a position for each core, and its term if there are several.
      const auto rank = size_t(tensor.dims_size()), positions = rank * size_t(division.cores);
      const std::span<const int64_t> numbers(parts[size_t(i)]);
      if (numbers.empty())
        continue;
      auto assign = [](std::span<const int64_t> from, auto &to) {
        to.Assign(from.begin(), from.end());
      };
      assign(numbers.first(rank), *tensor.mutable_whole_dims());
      assign(numbers.subspan(rank, positions), *tensor.mutable_core_positions());
      assign(numbers.subspan(rank + positions), *tensor.mutable_core_terms());
    }
  };
  LocationTable locations(header);
  for (const auto &[name, location] : division.wholeOperations) {
    program::WholeOperation &operation = *header.add_whole_operations();
    operation.set_name(name);
    operation.set_location(locations.add(header, location));
  }
  set(division.arguments, *header.mutable_arguments());
  set(division.results, *header.mutable_results());
}

} // namespace systole
