// Any bytes as a .sysx: refused, or a program that runs or traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Program/Verify.h"
#include "runtime/Emulator/Emulator.h"

#include <cstring>
#include <string>

// program.proto has the form: after magic, version and length of the header a digest of the rest.
static constexpr size_t kDigest = 16, kRest = kDigest + 32;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const systole::Target target = *systole::Target::load("v3");
  std::string bytes(reinterpret_cast<const char *>(data), size);
  // No input would get past the digest.
  if (size > kRest) {
    auto digest = llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(data + kRest, size - kRest));
    std::memcpy(bytes.data() + kDigest, digest.data(), digest.size());
  }
  absl::StatusOr<systole::Program> program = systole::parseProgram(bytes);
  if (!program.ok() || !systole::verifyProgram(*program, target.limits()).ok())
    return 0;
  systole::EmulatorOptions options;
  options.maxCycles = 20'000;
  options.memoryCapBytes = 64 << 20;
  auto emulator = systole::Emulator::create(
      std::make_shared<const systole::Program>(*std::move(program)), target, options);
  if (emulator.ok())
    (void)(*emulator)->run();
  return 0;
}
