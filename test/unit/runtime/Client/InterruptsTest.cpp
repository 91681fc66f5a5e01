// SIGINT on its way to the host's handler.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/Interrupts.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>

#include <memory>
#include <thread>

namespace systole {
namespace {

volatile std::sig_atomic_t seen = 0, seenByOther = 0;
void count(int) { seen = seen + 1; }
void countForOther(int, siginfo_t *, void *) { seenByOther = seenByOther + 1; }

struct sigaction current() {
  struct sigaction action;
  ::sigaction(SIGINT, nullptr, &action);
  return action;
}

class Interrupts : public testing::Test {
protected:
  void SetUp() override {
    ::sigaction(SIGINT, nullptr, &before);
    seen = 0;
    seenByOther = 0;
  }
  void TearDown() override { ::sigaction(SIGINT, &before, nullptr); }

  struct sigaction before;
};

TEST_F(Interrupts, ReachTheHostAndEachScope) {
  std::signal(SIGINT, count);
  {
    InterruptScope outer;
    EXPECT_FALSE(outer.interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(outer.interrupted());
    EXPECT_EQ(seen, 1);
    std::thread([] {
      InterruptScope later;
      EXPECT_FALSE(later.interrupted());
    }).join();
    std::raise(SIGINT);
    EXPECT_EQ(seen, 2);
  }
  EXPECT_EQ(current().sa_handler, count);
  std::raise(SIGINT);
  EXPECT_EQ(seen, 3);
}

TEST_F(Interrupts, KeepTheHandlersFlagsAndItsInformation) {
  struct sigaction action = {};
  action.sa_sigaction = countForOther;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGINT, &action, nullptr);
  InterruptScope scope;
  EXPECT_EQ(current().sa_flags & (SA_RESTART | SA_ONSTACK), SA_RESTART | SA_ONSTACK);
  std::raise(SIGINT);
  EXPECT_TRUE(scope.interrupted());
  EXPECT_EQ(seenByOther, 1);
}

TEST_F(Interrupts, LeaveAHandlerThatTheHostInstallsMeanwhile) {
  std::signal(SIGINT, count);
  auto scope = std::make_unique<InterruptScope>();
  struct sigaction action = {};
  action.sa_sigaction = countForOther;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGINT, &action, nullptr);
  scope = nullptr;
  EXPECT_EQ(current().sa_sigaction, countForOther);
}

TEST_F(Interrupts, ReachScopesThatBeginAfterTheHostInstalledAnotherHandler) {
  std::signal(SIGINT, count);
  {
    InterruptScope before;
    struct sigaction action = {};
    action.sa_sigaction = countForOther;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGINT, &action, nullptr);
    InterruptScope after;
    std::raise(SIGINT);
    EXPECT_TRUE(after.interrupted());
    EXPECT_TRUE(before.interrupted());
    EXPECT_EQ(seenByOther, 1);
    EXPECT_EQ(seen, 0);
  }
  EXPECT_EQ(current().sa_sigaction, countForOther);
}

// The handler that the host found when it installed its own during a scope.
struct sigaction found;
void countAndPassOn(int signal, siginfo_t *info, void *context) {
  seenByOther = seenByOther + 1;
  found.sa_sigaction(signal, info, context);
}

TEST_F(Interrupts, EndWhereTheHostPassesThemOnToTheHandlerThatItFound) {
  std::signal(SIGINT, count);
  {
    InterruptScope scope;
    struct sigaction action = {};
    action.sa_sigaction = countAndPassOn;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGINT, &action, &found);
  }
  {
    InterruptScope scope;
    std::raise(SIGINT);
    EXPECT_TRUE(scope.interrupted());
    EXPECT_EQ(seenByOther, 1);
    EXPECT_EQ(seen, 1);
  }
  // The same behind the scope.
  std::raise(SIGINT);
  EXPECT_EQ(seenByOther, 2);
  EXPECT_EQ(seen, 2);
}

sigjmp_buf leave;
void leaveByJump(int) {
  seen = seen + 1;
  siglongjmp(leave, 1);
}

TEST_F(Interrupts, ReachAHostThatLeavesItsHandlerByAJump) {
  std::signal(SIGINT, leaveByJump);
  static int times; // jumps change no static variable
  for (times = 1; times <= 2; ++times) {
    InterruptScope scope;
    if (sigsetjmp(leave, /*savemask=*/1) == 0)
      std::raise(SIGINT);
    EXPECT_EQ(seen, times);
  }
}

TEST_F(Interrupts, ChangeNothingWhereTheHostHasNoHandler) {
  for (auto handler : {SIG_DFL, SIG_IGN}) {
    std::signal(SIGINT, handler);
    InterruptScope scope;
    EXPECT_EQ(current().sa_handler, handler);
  }
}

} // namespace
} // namespace systole
