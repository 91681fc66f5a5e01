// Compiled programs and their runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_EXECUTABLE_H
#define SYSTOLE_EXECUTABLE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "systole/buffer.h"
#include "systole/device.h"
#include "systole/event.h"
#include "systole/export.h"
#include "systole/report.h"

namespace systole::SYSTOLE_V0 {

/// How an array is divided among the devices of a program.
struct Division {
  /// The sizes of the whole array; empty if each device has all of it.
  std::vector<int64_t> wholeDims = {};
  /// By device the position of its part among the parts, an index for each dimension; empty if
  /// `wholeDims` is.
  std::vector<std::vector<int64_t>> positions = {};
  /// By device which term of the array it has, if that is a sum of terms; else empty.
  std::vector<int64_t> terms = {};
};

struct Argument {
  std::string name;
  TensorType type; ///< of one device's part
  /// The caller gives the buffer up: a run may put a result into its memory.
  bool donated = false;
  Division division = {};
};

struct Result {
  std::string name;
  TensorType type; ///< of one device's part
  Division division = {};
};

/// A token is an array of type i1 without elements, `tensor<0xi1>`, as XLA's clients pass it.
struct Signature {
  std::vector<Argument> arguments;
  std::vector<Result> results;
};

/// Bytes of HBM that a program takes while it runs.
struct ProgramMemory {
  int64_t code = 0;
  int64_t arguments = 0;
  int64_t results = 0;
  int64_t aliased = 0; ///< of results that take the memory of donated arguments
  int64_t temporaries = 0;
  int64_t peak = 0;
};

struct RunOptions {
  /// Cancels this run alone.
  std::optional<Cancellation> cancellation = {};
  /// Donated arguments stay with the caller.
  bool keepDonated = false;
};

/// A run that was started. A handle: copies are the same run.
class SYSTOLE_EXPORT Execution {
public:
  struct State;

  /// Completes with the run's status when its results are ready.
  Event done() const;
  /// All of the first device, then those of the second one, and so on, in the order of
  /// Executable::devices(). May be arguments of other runs, and be copied to the host
  /// asynchronously, before they are ready.
  const std::vector<Buffer> &results() const;
  /// Waits for the run. Its error if it failed.
  absl::StatusOr<Report> report() const;

private:
  friend struct Access;
  std::shared_ptr<State> state;
};

/// A program that is loaded on a device, or on several of a slice. A handle: copies are the same
/// executable. All functions may be called from any thread; runs of one device come one after the
/// other, in the order of calls.
class SYSTOLE_EXPORT Executable {
public:
  struct State;

  /// From a `.sysx` file's bytes, which are not trusted. A program for several devices is loaded on
  /// those of the device's slice that it was compiled for. InvalidArgument if they are damaged or
  /// break the machine's rules, FailedPrecondition if they were compiled for another target, or for
  /// more devices than the slice has.
  static absl::StatusOr<Executable> load(const Device &device, std::string_view sysx);

  /// The bytes of a `.sysx` file: load() and the command `systole run` take them.
  absl::StatusOr<std::string> serialize() const;

  /// The source module's name; "main" if it has none.
  const std::string &name() const;
  const Signature &signature() const;
  const std::string &precision() const;
  ProgramMemory memory() const;
  /// The first of them.
  Device device() const;
  /// In the order of the program's partitions.
  const std::vector<Device> &devices() const;

  /// Starts a run and returns. Arguments are all of the first device, then those of the second one,
  /// and so on, each on its device. InvalidArgument if the arguments do not fit the signature, one
  /// is donated and given twice, or on another device; FailedPrecondition if one has been released
  /// or donated; Unimplemented for programs that send to the host or receive from it over a
  /// channel; ResourceExhausted if this host starts no more threads. The caller keeps all arguments
  /// then. Other errors are the status of done(): that of an argument that a failed run was to
  /// compute, ResourceExhausted without room in HBM, Cancelled, Aborted for a trap of the program.
  absl::StatusOr<Execution> runAsync(std::span<const Buffer> arguments,
                                     const RunOptions &options = {}) const;
  /// Waits for the run, whose errors it returns.
  absl::StatusOr<Execution> run(std::span<const Buffer> arguments,
                                const RunOptions &options = {}) const;

  /// The report of a run without data: where control depends on data, loops have one iteration
  /// and branches take the costlier side. DeadlineExceeded for programs of over 100 million
  /// cycles.
  absl::StatusOr<Report> predict() const;

private:
  friend struct Access;
  std::shared_ptr<State> state;
};

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_EXECUTABLE_H
