// Plans by parts and by the numbers of results with which these begin.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Plans/PlanStore.h"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "runtime/Emulator/Code/Liveness.h"

namespace systole::emulation {

// Plans of one part: few numbers of results occur, at the beginning of a loop and inside of it.
static constexpr int kMostPlansOfPart = 4;
// A part of fewer operations gains nothing.
static constexpr uint32_t kLeastOps = 3;
// The time for a plan of a part of more would be noticed: some instructions look at many others.
static constexpr uint32_t kMostOps = 20000;

static bool matches(const std::vector<std::pair<uint8_t, int>> &of, const ResultCounts &results) {
  return std::ranges::all_of(of,
                             [&](const auto &each) { return results[each.first] == each.second; });
}

// The live-out registers of a part that ends before an operation.
static RegisterSet liveOutOfPart(const Code &code, uint32_t begin, uint32_t end) {
  auto beginsBehind = [&](uint32_t op, const Block &b) {
    return op < code.bundles[size_t(b.begin)].firstOp;
  };
  auto next = std::upper_bound(code.blocks.begin(), code.blocks.end(), begin, beginsBehind);
  assert(next != code.blocks.begin() && "a part is of a block");
  return liveBefore(code, size_t(next - code.blocks.begin()) - 1, end);
}

template <typename T> static int64_t bytesOf(const std::vector<T> &values) {
  return int64_t(values.capacity() * sizeof(T));
}

static int64_t bytesOf(const Plan &plan) {
  int64_t bytes = int64_t(sizeof(plan)) + bytesOf(plan.places) + bytesOf(plan.ops) +
                  bytesOf(plan.stages) + bytesOf(plan.shared) + bytesOf(plan.stores);
  for (const Stage &stage : plan.stages)
    bytes += bytesOf(stage.places) + bytesOf(stage.fetches);
  for (const std::vector<SharedRows> &group : plan.shared)
    bytes += bytesOf(group);
  return bytes;
}

PlanStore::Usage PlanStore::usage() {
  std::lock_guard lock(mutex);
  return used;
}

PlanStore::Search PlanStore::search(Part &part, const ResultCounts &results) {
  Search search{&part.first};
  for (Entry *entry = search.link->load(std::memory_order_acquire); entry;
       entry = search.link->load(std::memory_order_acquire)) {
    if (matches(entry->results, results))
      return {search.link, entry, search.plans};
    search.link = &entry->next;
    ++search.plans;
  }
  return search;
}

bool PlanStore::hasPlan(const Part &part) {
  for (const Entry *entry = part.first.load(std::memory_order_acquire); entry;
       entry = entry->next.load(std::memory_order_acquire))
    if (entry->plan)
      return true;
  return false;
}

void PlanStore::prepare() {
  std::call_once(once, [&] {
    parts = std::vector<Part>(code.ops.size());
    interpreted = std::vector<std::atomic<bool>>(code.blocks.size());
  });
}

void PlanStore::interpret(int32_t block) {
  const Block &b = code.blocks[size_t(block)];
  const auto begin = code.ops.begin() + code.bundles[size_t(b.begin)].firstOp,
             end = code.ops.begin() + code.bundles[size_t(b.end)].firstOp;
  if (std::none_of(begin, end, [](const Op &op) { return op.handler == Handler::Copy; }))
    interpreted[size_t(block)].store(true, std::memory_order_relaxed);
}

PlanStore::Found PlanStore::find(uint32_t begin, uint32_t end, const ResultCounts &results,
                                 const ResultCounts &depths, bool everyPart) {
  Part &part = parts[begin];
  if (!part.wasExecuted.exchange(true, std::memory_order_relaxed))
    return {};
  Search found = search(part, results);
  if (!found.entry && found.plans < kMostPlansOfPart) {
    std::lock_guard lock(mutex);
    // Another thread may have made it.
    found = search(part, results);
    if (!found.entry && found.plans < kMostPlansOfPart)
      found.entry = add(*found.link, begin, end, results, depths, everyPart);
  }
  if (found.entry && found.entry->plan)
    return {&*found.entry->plan, true};
  return {nullptr, hasPlan(part)};
}

PlanStore::Entry *PlanStore::add(std::atomic<Entry *> &link, uint32_t begin, uint32_t end,
                                 const ResultCounts &results, const ResultCounts &depths,
                                 bool everyPart) {
  Entry &made = entries.emplace_back();
  if (end - begin >= kLeastOps && end - begin <= kMostOps) {
    const auto start = std::chrono::steady_clock::now();
    made.plan =
        makePlan(header, code.ops, {begin, end, liveOutOfPart(code, begin, end)}, results, depths);
    used.nanoseconds += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    if (made.plan)
      made.results = std::exchange(made.plan->results, {});
    else
      for (size_t unit = 0; unit < results.size(); ++unit)
        made.results.emplace_back(uint8_t(unit), results[unit]);
    if (made.plan && !made.plan->pays && !everyPart)
      made.plan.reset();
    if (made.plan) {
      ++used.plans;
      used.instructions += made.plan->instructions;
      used.bytes += bytesOf(*made.plan);
    }
  }
  link.store(&made, std::memory_order_release);
  return &made;
}

} // namespace systole::emulation
