// Places in a program as its users name them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_PLACES_H
#define SYSTOLE_RUNTIME_DEBUGGER_PLACES_H

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dialects/Machine/Program/Program.h"

namespace systole::debugger {

// Whether a location, "path/model.py:12:3", is at a line of a file whose path ends with `file`.
bool isAtLine(absl::string_view location, absl::string_view file, int64_t line);

// Bundles of a program by source line, layer and kernel.
class Places {
public:
  // `program` outlives this.
  explicit Places(const Program &program);

  // The bundles that a text names: "*17" (a bundle), "model.py:12" (where code of a line begins),
  // "layer NAME" (kernels with that part of a name stack), "grid NAME" (each step of a kernel's
  // grid), "transfer send4" (where an array is sent or received), else kernels by name, in which *
  // stands for any text. InvalidArgument if there are none.
  absl::StatusOr<std::vector<int64_t>> find(absl::string_view text) const;

  // Where code of an operation begins, by its line with the column and its name stack.
  std::vector<int64_t> findOperation(absl::string_view source, absl::string_view nameStack) const;

  // "bundle 17, kernel `dot`, model.py:12:3".
  std::string describe(int64_t bundle) const;
  // Where the code of a bundle comes from.
  const program::Location &locationAt(int64_t bundle) const;
  // Its index in the header, or -1.
  int kernelAt(int64_t bundle) const { return kernels.at(size_t(bundle)); }
  // The name stack of a kernel, or "".
  std::string layerOf(int64_t bundle) const;

  // By bundle: those of another source line than `bundle`, those of another operation by its line
  // and column, and those at which a kernel or a step of its grid begins.
  std::vector<bool> otherLines(int64_t bundle) const;
  std::vector<bool> otherOperations(int64_t bundle) const;
  std::vector<bool> kernelBegins() const;
  std::vector<bool> gridStepBegins() const;

private:
  // By bundle: those whose location has another text than that of `bundle`.
  template <typename TextOf> std::vector<bool> others(int64_t bundle, TextOf textOf) const;

  const Program &program;
  const program::ProgramHeader &header;
  // By bundle: 1 + the index of its location, or 0; and its kernel, or -1.
  std::vector<int32_t> locations, kernels;
};

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_PLACES_H
