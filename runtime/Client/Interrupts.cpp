// Detection of Ctrl-C while the host waits for this library.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Interrupts.h"

#include <cassert>
#include <csignal>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

namespace systole {
namespace {

std::atomic<uint64_t> interrupts = 0;
static_assert(std::atomic<uint64_t>::is_always_lock_free, "a signal handler counts them");

std::mutex mutex; // protects the members below, except in the handler
int scopes = 0;
// The host's handlers that ours replaced, the latest last. There are several if the host installed
// another one during a scope: that one may call its predecessor, which is ours, and ours then calls
// the handler before. Only changed while ours is not installed.
constexpr int kMostHosts = 8;
std::array<struct sigaction, kMostHosts> hosts;
int hostCount = 0;

std::atomic<int> depth = 0; // of the handler's calls
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler counts with it");

void notice(int signal, siginfo_t *info, void *context) {
  const int level = std::max(depth.fetch_add(1), 0);
  if (level == 0)
    interrupts.fetch_add(1, std::memory_order_relaxed);
  if (level < hostCount) {
    const struct sigaction &host = hosts[size_t(hostCount - 1 - level)];
    if (host.sa_flags & SA_SIGINFO)
      host.sa_sigaction(signal, info, context);
    else
      host.sa_handler(signal);
  }
  depth.fetch_sub(1);
}

bool isSame(const struct sigaction &a, const struct sigaction &b) {
  if ((a.sa_flags & SA_SIGINFO) != (b.sa_flags & SA_SIGINFO))
    return false;
  return a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler;
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
  // One that the host has put back called none of those after it.
  hostCount = int(std::find_if(hosts.begin(), hosts.begin() + hostCount,
                               [&](auto &host) { return isSame(host, current); }) -
                  hosts.begin());
  if (hostCount == kMostHosts) {
    std::copy(hosts.begin() + 1, hosts.end(), hosts.begin());
    --hostCount;
  }
  hosts[size_t(hostCount++)] = current;
  struct sigaction action = current;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = notice;
  ::sigaction(SIGINT, &action, nullptr);
}

// Unless the host has replaced it.
void restore() {
  struct sigaction current;
  if (::sigaction(SIGINT, nullptr, &current) != 0 || !isOurs(current))
    return;
  assert(hostCount > 0 && "ours took the place of another");
  ::sigaction(SIGINT, &hosts[size_t(--hostCount)], nullptr);
}

} // namespace

InterruptScope::InterruptScope() : before(interrupts.load(std::memory_order_relaxed)) {
  std::lock_guard lock(mutex);
  // A handler of the host that left by siglongjmp did not come back to count itself out.
  if (scopes++ == 0)
    depth = 0;
  // Anew in each: the host may have installed another handler since the first.
  install();
}

InterruptScope::~InterruptScope() {
  std::lock_guard lock(mutex);
  assert(scopes > 0 && "each scope ends once");
  if (--scopes == 0)
    restore();
}

bool InterruptScope::interrupted() const {
  return interrupts.load(std::memory_order_relaxed) != before;
}

} // namespace systole
