// Which rows of a program's plan belong to its arguments and results.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_ARRAYBINDINGS_H
#define SYSTOLE_RUNTIME_CLIENT_ARRAYBINDINGS_H

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Emulator/State/AddressMap.h"

namespace systole {

// An argument or a result of a program.
struct BoundArray {
  // Whether its rows in a run are those of the caller's array. Others are copied: those without
  // elements, and those that share rows with another array that they are not aliased with, a
  // constant, or the size of a dimension. The compiler makes no such programs.
  bool isBound = false;
  // Of a result that is computed over an argument: its number.
  std::optional<size_t> aliased;
  // Whether the program may write over the argument.
  bool isDonated = false;
};

class ArrayBindings {
public:
  // InvalidArgument if an array is larger than its region.
  static absl::StatusOr<ArrayBindings> create(const program::ProgramHeader &header);

  const std::vector<BoundArray> &arguments() const { return ofArguments; }
  const std::vector<BoundArray> &results() const { return ofResults; }

  // A place in a memory for a bound array; none if it is with the rows that belong to the run.
  struct Place {
    std::optional<int64_t> row;
    bool isReadOnly = false;
  };
  // How many rows of the plan belong to the run: those that no array has, and those of arguments
  // without a place.
  int64_t ownRows(program::Space space, const std::vector<Place> &arguments) const;

  // The map of a memory in a run: `arguments` and `results` have a place for each, those of
  // aliased results are not looked at; `own` is the first of as many rows, which lie side by side.
  emulation::AddressMap map(program::Space space, const std::vector<Place> &arguments,
                            const std::vector<Place> &results, int64_t own) const;

private:
  static constexpr size_t kNoArray = SIZE_MAX;
  // Rows of the plan that an array has, from its row `offset` on.
  struct Part {
    int64_t begin, end;
    size_t array = kNoArray; // results are behind arguments
    int64_t offset = 0;
  };
  const std::vector<Part> &partsOf(program::Space space) const {
    return space == program::HBM ? hbm : pinned;
  }
  absl::Status add(const program::ProgramHeader &header, const program::Tensor &tensor,
                   size_t array);
  // Rows that something else has from the start or to the end of a program.
  void addOthers(const program::ProgramHeader &header);
  // Leaves those arrays bound whose rows nobody else has.
  void keepSeparate();
  // Whether the result is of the argument's type, and has its rows.
  static bool isAliased(const program::ProgramHeader &header, const program::Tensor &result);

  std::vector<BoundArray> ofArguments, ofResults;
  std::vector<Part> hbm, pinned; // of bound arrays, by their rows
  int64_t hbmRows = 0, pinnedRows = 0;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_ARRAYBINDINGS_H
