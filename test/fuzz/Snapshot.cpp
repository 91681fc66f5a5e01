// Edits of a snapshot: it is refused, or the run goes on to a trap or to its end.
//
// The first two bytes choose the program and the cycle of the snapshot. Each four after them are an
// edit: a position and the byte there. So inputs stay valid when the form of snapshots changes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Assembler.h"
#include "runtime/Emulator/Emulator.h"
#include "test/unit/runtime/Emulator/Samples.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

#include <cstring>
#include <iterator>
#include <memory>
#include <string>

static std::unique_ptr<systole::Emulator> load(size_t sample) {
  auto program = std::make_shared<systole::Program>(
      *systole::assemble(systole::test::kSamples[sample], "sample"));
  systole::EmulatorOptions options;
  options.maxCycles = 20'000;
  options.memoryCapBytes = 64 << 20;
  return *systole::Emulator::create(program, *systole::Target::load("v2"), options);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  static const auto machines = [] {
    std::vector<std::unique_ptr<systole::Emulator>> all;
    for (size_t i = 0; i < std::size(systole::test::kSamples); ++i)
      all.push_back(load(i));
    return all;
  }();
  systole::Emulator &machine = *machines[data[0] % machines.size()];
  constexpr int64_t cyclesApart = 8;
  if (!machine.start().ok() || !machine.advance(data[1] * cyclesApart).ok())
    return 0;
  absl::StatusOr<systole::Snapshot> snapshot = machine.snapshot();
  if (!snapshot.ok())
    return 0;
  std::string bytes = snapshot->serialize();
  for (size_t at = 2; at + 4 <= size; at += 4)
    bytes[(data[at] << 16 | data[at + 1] << 8 | data[at + 2]) % bytes.size()] = char(data[at + 3]);
  // No edit would get past the digest.
  constexpr size_t digestBytes = systole::Snapshot::kDigestBytes;
  const auto digest = llvm::BLAKE3::hash<digestBytes>(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size() - digestBytes));
  std::memcpy(bytes.data() + bytes.size() - digestBytes, digest.data(), digestBytes);
  absl::StatusOr<systole::Snapshot> edited = systole::Snapshot::parse(bytes);
  if (edited.ok() && machine.restore(*edited).ok())
    (void)machine.advance(INT64_MAX);
  return 0;
}
