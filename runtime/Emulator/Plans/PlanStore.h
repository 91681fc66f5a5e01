// The plans of a program, made when parts of its blocks are executed again. Threads share them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANSTORE_H
#define SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANSTORE_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/Emulator/Plans/Plan.h"

namespace systole::emulation {

class PlanStore {
public:
  // Of a program and its code, which have to outlive it.
  PlanStore(const program::ProgramHeader &header, const Code &code) : header(header), code(code) {}
  PlanStore(const PlanStore &) = delete;
  PlanStore &operator=(const PlanStore &) = delete;

  // Makes room for plans, before the first execution.
  void prepare();

  struct Found {
    const Plan *plan = nullptr;
    bool mayHavePlan = true; // now, for other numbers of results, or once it is executed again
  };
  // The plan of a part, the operations from one to before another, which begins with so many
  // results in FIFOs of these depths; null if it is executed for the first time, or has none. A
  // plan that does not pay is dropped, unless every part has one.
  Found find(uint32_t begin, uint32_t end, const ResultCounts &results, const ResultCounts &depths,
             bool everyPart);

  // Whether a block is to be interpreted: no part of it had a plan when it was executed.
  bool isInterpreted(int32_t block) const {
    return interpreted[size_t(block)].load(std::memory_order_relaxed);
  }
  // From the next execution of a block on; `find` has been called for its parts. Not if it copies:
  // threads may have a part of a copy, for which interpreted instructions do not wait.
  void interpret(int32_t block);

  // Of all plans so far: their number, the instructions and bytes that they have, and the time in
  // which they were made.
  struct Usage {
    int64_t plans = 0, instructions = 0, bytes = 0, nanoseconds = 0;
  };
  Usage usage();

private:
  // A plan, or that there is none, for the numbers of results that it depends on.
  struct Entry {
    std::optional<Plan> plan;
    std::vector<std::pair<uint8_t, int>> results; // by unit
    std::atomic<Entry *> next = nullptr;
  };
  struct Part {
    std::atomic<bool> wasExecuted = false;
    std::atomic<Entry *> first = nullptr;
  };

  // An entry of a part, or null and the link to which one would be added, behind so many plans.
  struct Search {
    std::atomic<Entry *> *link;
    Entry *entry = nullptr;
    int plans = 0;
  };
  static Search search(Part &part, const ResultCounts &results);
  static bool hasPlan(const Part &part);
  Entry *add(std::atomic<Entry *> &link, uint32_t begin, uint32_t end, const ResultCounts &results,
             const ResultCounts &depths, bool everyPart);

  const program::ProgramHeader &header;
  const Code &code;
  std::mutex mutex; // guards the making of plans
  Usage used;
  std::once_flag once;
  std::vector<Part> parts;                    // by their first operation
  std::vector<std::atomic<bool>> interpreted; // by block
  std::deque<Entry> entries;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_PLANS_PLANSTORE_H
