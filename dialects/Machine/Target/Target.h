// A machine to compile for and to emulate: its constants, by name or from a file.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_TARGET_TARGET_H
#define SYSTOLE_DIALECTS_MACHINE_TARGET_TARGET_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/InstructionSet/Limits.h"
#include "dialects/Machine/Target/target.pb.h"

namespace systole {

// A checked target description and the number of cores of it that are used.
// Immutable and cheap to copy.
class Target {
public:
  // `nameOrFile` is a built-in target ("v3": one core; "v3-8": a slice of eight
  // cores) or the path of a file in the protobuf text format of target.proto, which
  // may have a number of cores behind it, too ("my.textproto-8").
  // NotFound if it is neither, InvalidArgument (naming the field, or line and
  // column) if the description is malformed, incomplete or out of range.
  static absl::StatusOr<Target> load(std::string_view nameOrFile);

  // The same from text; `origin` names it in errors.
  static absl::StatusOr<Target> parse(std::string_view text, std::string_view origin);

  // The same machine with another number of cores (at least 1).
  Target withCores(int cores) const;

  // "v3", or "v3-8" for a slice.
  std::string name() const;
  const target::TargetDescription &description() const { return *desc; }
  // Hex SHA-256 of the description's values in canonical form. It does not
  // depend on comments, the order of fields and the number of cores.
  const std::string &hash() const { return digest; }

  int cores() const { return coreCount; }
  int chips() const;
  int mxusPerCore() const { return int(desc->mxus_per_core().value()); }
  // Rows and columns of an MXU.
  int mxuSize() const { return int(desc->mxu_size().value()); }

  double clockHz() const { return desc->clock_mhz().value() * 1e6; }
  int64_t vmemRows() const;
  int64_t smemWords() const;
  // A core's share of its chip's memory, in rows of 512 bytes.
  int64_t hbmRows() const;
  // A core's share of its chip's bandwidth.
  double hbmBytesPerCycle() const;
  double iciBytesPerCycle() const;
  // A core's share of its chip's link to the host, each way.
  double hostBytesPerCycle() const;
  // Peak rate of a core's MXUs, in flops (two per multiply-add) per cycle.
  double peakFlopsPerCycle() const;

  // Cycles from issue until the result may be read or popped.
  int latency(isa::LatencyClass c) const { return latencies[size_t(c)]; }
  // Cycles from issue until the unit accepts the next instruction.
  int interval(isa::LatencyClass c) const { return intervals[size_t(c)]; }
  bool hasFeature(std::string_view feature) const;

  // The slots of a bundle.
  isa::BundleFormat bundleFormat() const;
  // The constants of a core that the program verifier needs.
  Limits limits() const;

  double seconds(double cycles) const { return cycles / clockHz(); }
  // Price of whole chips for a time; NotFound if the target has no such plan.
  absl::StatusOr<double> usd(double seconds, std::string_view plan) const;

private:
  Target() = default;

  std::shared_ptr<const target::TargetDescription> desc;
  std::string digest;
  std::array<int, size_t(isa::LatencyClass::count_)> latencies{};
  std::array<int, size_t(isa::LatencyClass::count_)> intervals{};
  int coreCount = 1;
};

// Names of the built-in targets.
std::vector<std::string> listTargets();

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_TARGET_TARGET_H
