// Detection of Ctrl-C while the host waits for this library.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Interrupts.h"

#include <csignal>

#include <atomic>
#include <mutex>

namespace systole {
namespace {

std::atomic<uint64_t> interrupts = 0;
static_assert(std::atomic<uint64_t>::is_always_lock_free, "a signal handler counts them");

std::mutex mutex; // protects the members below, except in the handler
int scopes = 0;
// The host's action. Only changed while ours is not installed.
struct sigaction host = {};

std::atomic<bool> isHandling = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void notice(int signal, siginfo_t *info, void *context) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
  // A host's handler that was installed during a scope may call its predecessor, which is this
  // one.
  if (isHandling.exchange(true))
    return;
  if (host.sa_flags & SA_SIGINFO)
    host.sa_sigaction(signal, info, context);
  else
    host.sa_handler(signal);
  isHandling = false;
}

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == notice;
}

void install() {
  struct sigaction current;
  if (::sigaction(SIGINT, nullptr, &current) != 0 || isOurs(current))
    return;
  // The default action ends the process, so no handler is needed.
  if (!(current.sa_flags & SA_SIGINFO) &&
      (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN))
    return;
  host = current;
  struct sigaction action = current;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = notice;
  ::sigaction(SIGINT, &action, nullptr);
}

// Unless the host has replaced it.
void restore() {
  struct sigaction current;
  if (::sigaction(SIGINT, nullptr, &current) == 0 && isOurs(current))
    ::sigaction(SIGINT, &host, nullptr);
}

} // namespace

InterruptScope::InterruptScope() : before(interrupts.load(std::memory_order_relaxed)) {
  std::lock_guard lock(mutex);
  if (scopes++ == 0)
    install();
}

InterruptScope::~InterruptScope() {
  std::lock_guard lock(mutex);
  if (--scopes == 0)
    restore();
}

bool InterruptScope::interrupted() const {
  return interrupts.load(std::memory_order_relaxed) != before;
}

} // namespace systole
