// Damaged programs are rejected, trap, or end.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

#include "dialects/Machine/Program/Verify.h"
#include "test/unit/runtime/Emulator/Mutations.h"
#include "test/unit/runtime/Emulator/Samples.h"
#include "test/unit/runtime/Emulator/TextProgram.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"

using namespace systole;
using namespace systole::test;

namespace {

using Random = std::mt19937;

Program sample(size_t index) {
  absl::StatusOr<Program> program = assemble(kSamples[index], "sample");
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

struct Outcomes {
  int refused = 0, trapped = 0, ended = 0;
};

// Runs arbitrary programs, verified or not.
void runDamaged(Program program, Outcomes &outcomes, bool timingOnly) {
  EmulatorOptions options;
  options.maxCycles = 50000;
  options.memoryCapBytes = 64 << 20;
  options.timingOnly = timingOnly;
  auto emulator =
      Emulator::create(std::make_shared<Program>(std::move(program)), *Target::load("v2"), options);
  if (!emulator.ok()) {
    EXPECT_FALSE(emulator.status().message().empty());
    ++outcomes.refused;
    return;
  }
  absl::StatusOr<RunStats> stats = (*emulator)->run();
  if (stats.ok()) {
    EXPECT_LE(stats->cycles, options.maxCycles);
    ++outcomes.ended;
  } else {
    EXPECT_TRUE((*emulator)->lastTrap().has_value()) << stats.status();
    ++outcomes.trapped;
  }
}

TEST(Fuzz, SamplesRunAndVerify) {
  for (size_t i = 0; i < std::size(kSamples); ++i) {
    TextProgram machine(kSamples[i]);
    EXPECT_GT(machine.cycles(), 0);
    absl::Status status = verifyProgram(sample(i), Target::load("v2")->limits());
    EXPECT_TRUE(status.ok()) << status;
  }
}

// Mutated bytes of the file, signed again so that the checksum matches.
TEST(Fuzz, MutatedFiles) {
  Random random(20);
  Outcomes outcomes;
  int parsed = 0;
  for (int round = 0; round < 500; ++round) {
    absl::StatusOr<std::string> bytes =
        serializeProgram(sample(size_t(round) % std::size(kSamples)));
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    // The first 48 bytes are magic, version, header length and checksum.
    constexpr size_t checksum = 16, body = 48;
    for (int n = 1 + int(random() % 3); n > 0; --n) {
      size_t at = body + random() % (bytes->size() - body);
      (*bytes)[at] = char(random() % 2 ? random() : (*bytes)[at] ^ (1 << random() % 8));
    }
    auto digest = llvm::SHA256::hash(llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(bytes->data()) + body, bytes->size() - body));
    std::copy(digest.begin(), digest.end(), bytes->begin() + checksum);
    absl::StatusOr<Program> program = parseProgram(*bytes);
    if (!program.ok())
      continue;
    ++parsed;
    runDamaged(*std::move(program), outcomes, round % 4 == 0);
  }
  // The mutations are worth something only if many get through to the emulator.
  EXPECT_GT(parsed, 50);
  RecordProperty("parsed", parsed);
  RecordProperty("refused", outcomes.refused);
  RecordProperty("trapped", outcomes.trapped);
  RecordProperty("ended", outcomes.ended);
}

void mutateHeader(program::ProgramHeader &header, Random &random) {
  auto value = [&](int64_t old) -> int64_t {
    constexpr int64_t interesting[] = {0, 1, -1, 127, 128, 129, 1 << 20, int64_t(1) << 39};
    return random() % 2 ? interesting[random() % std::size(interesting)]
                        : old + int64_t(random() % 9) - 4;
  };
  auto *region = header.mutable_regions(int(random() % size_t(header.regions_size())));
  auto *descriptor = header.mutable_descriptors(int(random() % size_t(header.descriptors_size())));
  switch (random() % 9) {
  case 0:
    region->set_base(value(region->base()));
    break;
  case 1:
    region->set_size(value(region->size()));
    break;
  case 2:
    region->set_space(program::Space(random() % 4));
    break;
  case 3:
    descriptor->set_chunk(value(descriptor->chunk()));
    break;
  case 4:
    if (descriptor->counts_size())
      descriptor->set_counts(0, value(descriptor->counts(0)));
    break;
  case 5:
    if (descriptor->counts_size())
      (random() % 2 ? descriptor->mutable_src_strides() : descriptor->mutable_dst_strides())
          ->Set(0, value(256));
    break;
  case 6:
    descriptor->set_dst(program::Space(random() % 4));
    break;
  case 7: {
    auto *range =
        header.mutable_routines(int(random() % size_t(header.routines_size())))->mutable_bundles();
    random() % 2 ? range->set_begin(value(range->begin())) : range->set_end(value(range->end()));
    break;
  }
  default:
    header.set_hbm_rows(value(header.hbm_rows()));
    header.set_vmem_rows(value(header.vmem_rows()));
    header.set_cores(int32_t(1 + random() % 3));
  }
}

TEST(Fuzz, MutatedPrograms) {
  Random random(21);
  Outcomes outcomes;
  for (int round = 0; round < 3000; ++round) {
    Program program = sample(size_t(round) % std::size(kSamples));
    for (int n = 1 + int(random() % 3); n > 0; --n)
      random() % 3 ? mutateCode(program, random) : mutateHeader(program.header, random);
    runDamaged(std::move(program), outcomes, round % 4 == 0);
  }
  EXPECT_GT(outcomes.refused, 100);
  EXPECT_GT(outcomes.trapped, 100);
  EXPECT_GT(outcomes.ended, 100);
}

} // namespace
