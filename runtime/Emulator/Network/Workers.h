// Host threads that execute the cores of a slice together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_NETWORK_WORKERS_H
#define SYSTOLE_RUNTIME_EMULATOR_NETWORK_WORKERS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace systole::emulation {

class Workers {
public:
  // The calling thread of `run` is one of `threads`, which are at least 1. Fewer if the host has
  // none left.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  // Calls task(0) to task(count - 1), each once, on any of the threads; returns behind the last.
  void run(int count, const std::function<void(int)> &task);

private:
  void work();
  void takeTasks();

  std::vector<std::thread> threads;
  const std::function<void(int)> *task = nullptr;
  int count = 0;
  std::atomic<int> next = 0;         // task to take
  std::atomic<uint32_t> round = 0;   // of calls of `run`
  std::atomic<uint32_t> working = 0; // threads that have not finished it
  std::atomic<bool> ends = false;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_NETWORK_WORKERS_H
