// Independent work on several threads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/WorkerThreads.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace systole {

void runOnThreads(std::span<const int64_t> lengths, llvm::function_ref<void(size_t)> work,
                  bool inOrder) {
  llvm::ThreadPoolStrategy strategy = llvm::hardware_concurrency();
  strategy.Limit = true;
  if (inOrder || lengths.size() < 2 || strategy.compute_thread_count() < 2) {
    for (size_t number = 0; number < lengths.size(); ++number)
      work(number);
    return;
  }
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  strategy.ThreadsRequested = unsigned(lengths.size());
  llvm::DefaultThreadPool pool(strategy);
  for (size_t number : order)
    pool.async([&, number] { work(number); });
  pool.wait();
}

} // namespace systole
