// Runs programs in text form for tests.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_TEXTPROGRAM_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_TEXTPROGRAM_H

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "dialects/Machine/Program/Assembler.h"
#include "runtime/Emulator/Emulator.h"
#include "gtest/gtest.h"

namespace systole::test {

// A program on a machine. Construction fails the test if the text is refused.
class TextProgram {
public:
  explicit TextProgram(const std::string &text, const Target &target = *Target::load("v2"),
                       const EmulatorOptions &options = {}) {
    absl::StatusOr<Program> program = assemble(text, "test.sysasm");
    if (!program.ok()) {
      ADD_FAILURE() << program.status();
      return;
    }
    auto created =
        Emulator::create(std::make_shared<Program>(*std::move(program)), target, options);
    loadStatus = created.status();
    if (created.ok())
      emulator = *std::move(created);
  }

  int region(const std::string &name) const {
    const auto &header = emulator->program().header;
    for (int i = 0; i < header.regions_size(); ++i)
      if (header.regions(i).name() == name)
        return i;
    ADD_FAILURE() << "no region " << name;
    return 0;
  }

  template <typename T>
  void write(const std::string &name, const std::vector<T> &values, int core = 0) {
    ASSERT_TRUE(emulator) << loadStatus;
    auto span = emulator->writeHbm(region(name), core);
    ASSERT_TRUE(span.ok()) << span.status();
    ASSERT_LE(values.size() * sizeof(T), span->size());
    std::memcpy(span->data(), values.data(), values.size() * sizeof(T));
  }
  template <typename T> std::vector<T> read(const std::string &name, int core = 0) const {
    if (!emulator)
      return std::vector<T>(1 << 16);
    auto span = emulator->readHbm(region(name), core);
    std::vector<T> values(span.ok() ? span->size() / sizeof(T) : 0);
    EXPECT_TRUE(span.ok()) << span.status();
    if (span.ok())
      std::memcpy(values.data(), span->data(), span->size());
    return values;
  }

  // Cycles of a run that must succeed; -1 if it does not.
  int64_t cycles(std::atomic<int64_t> *progress = nullptr) {
    if (!emulator) {
      ADD_FAILURE() << loadStatus;
      return -1;
    }
    absl::StatusOr<RunStats> result = emulator->run(nullptr, progress);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok())
      return -1;
    stats = *std::move(result);
    return stats.cycles;
  }

  absl::Status loadStatus;
  std::unique_ptr<Emulator> emulator;
  RunStats stats;
};

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_TEXTPROGRAM_H
