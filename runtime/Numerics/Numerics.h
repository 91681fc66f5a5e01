// Where a program loses digits: its values against those of the same program in wider types.
// See docs/decisions/numerics.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_NUMERICS_H
#define SYSTOLE_RUNTIME_NUMERICS_NUMERICS_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Numerics/Errors.h"
#include "runtime/Numerics/TapRun.h"

namespace systole::numerics {

// An operation over all times that it was executed, on all cores.
struct OperationNumerics {
  TappedOperation operation;
  std::string dtype; // of its result
  int64_t executions = 0;
  ErrorSums total;                  // against the program in wide types
  ErrorSums own;                    // against the operation in wide types on the same operands
  bool hasOwn = false;              // else it computes the same in wide types
  int64_t nans = 0, infinities = 0; // of all its elements
  Exponents exponents;              // of the values in wide types
  Cancellation cancellation;
  std::vector<double> steps; // the norm of the total error at each execution, of the first ones
};

struct ResultNumerics {
  std::string name;
  ErrorSums errors;
};

// The effect of computing an operation in wide types: with those that read it, if its type is a
// narrow one.
struct Remedy {
  const OperationNumerics *operation = nullptr;
  double error = 0; // of the results
  int64_t cycles = 0;
};

struct Numerics {
  std::string wide;                          // the type of the other run
  std::vector<OperationNumerics> operations; // in program order
  std::vector<ResultNumerics> results;       // of floating-point types
  int64_t cycles = 0;                        // of the program as it is
  // Whether the program with taps has the same results, bit for bit, as without them.
  bool areResultsEqual = true;
  // Why values were not compared from some operation on: "" if all were.
  std::string divergence;

  std::vector<HostArray> wideResults; // none if they are those of other branches

  // The norm of the errors of all results.
  double error() const;
  // The operations with an error of their own, the largest norm first.
  std::vector<const OperationNumerics *> ranked() const;
};

struct NumericsOptions {
  std::string wide = "f32";
  size_t queueBytes = size_t(256) << 20; // values of one run that the other has not reached yet
};

// Runs the program three times: as it is, with taps, and in wide types, the last two side by side.
absl::StatusOr<Numerics> analyze(const Compile &compile, const Target &target,
                                 const RunInputs &inputs, const NumericsOptions &options = {});

// Runs the program with each of the operations that lose most, `most` of them, in wide types.
absl::StatusOr<std::vector<Remedy>> tryRemedies(const Numerics &numerics, const Compile &compile,
                                                const Target &target, const RunInputs &inputs,
                                                size_t most);

// The errors of floating-point results, and their norms together: the root of their mean square.
// One above 1 counts as 1, since no digit is right: a gradient that is zero would outweigh all
// others.
std::vector<ResultNumerics> errorsOf(const program::ProgramHeader &header,
                                     const std::vector<HostArray> &results,
                                     const std::vector<HostArray> &references);
double normOf(const std::vector<ResultNumerics> &results);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_NUMERICS_H
