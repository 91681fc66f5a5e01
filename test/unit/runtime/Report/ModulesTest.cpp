// Modules out of name stacks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "runtime/Report/Modules.h"

namespace systole {
namespace {

TEST(Modules, PathsWithoutTransformationsAndOperation) {
  struct Case {
    const char *names, *module;
    bool backward;
  };
  for (const Case &entry : {
           Case{"", "", false},
           {"dot_general", "", false},
           {"jit(step)/dot_general", "", false},
           {"jit(step)/ResNet50/stem/conv_general_dilated", "ResNet50/stem", false},
           {"jit(step)/jvp(layer0)/dense/dot_general", "layer0/dense", false},
           {"jit(step)/jvp()/mul", "", false},
           {"jit(step)/transpose(jvp(layer0))/dense/jit(relu)/max", "layer0/dense", true},
           {"jit(step)/transpose(jvp(a/b))/c/add", "a/b/c", true},
           {"jit(f)/while/body/closed_call/cell/tanh", "cell", false},
           {"jit(f)/vmap(head)/branch_1_fun/add", "head", false},
           {"jit(f)/odd)(/add", "odd)(", false},
       }) {
    const ModulePath path = modulePath(entry.names);
    EXPECT_EQ(path.module, entry.module) << entry.names;
    EXPECT_EQ(path.backward, entry.backward) << entry.names;
  }
}

KernelReport kernel(const char *name, const char *names, int64_t cycles) {
  KernelReport kernel;
  kernel.name = name;
  kernel.nameStack = names;
  kernel.calls = 1;
  kernel.cycles = cycles;
  return kernel;
}

TEST(Modules, AddForwardAndBackward) {
  Report report;
  report.kernels = {
      kernel("dot", "jit(f)/Net/a/dot_general", 10),
      kernel("dot", "jit(f)/Net/b/dot_general", 25),
      kernel("dot.1", "jit(f)/transpose(jvp(Net))/a/dot_general", 20),
      kernel("add", "jit(f)/add", 4),
      kernel(kSequencer, "", 3),
  };
  std::vector<ModuleReport> modules = byModule(report);
  ASSERT_EQ(modules.size(), 4u);
  EXPECT_EQ(modules[0].module, "Net/a");
  EXPECT_EQ(modules[0].forwardCycles, 10);
  EXPECT_EQ(modules[0].backwardCycles, 20);
  EXPECT_EQ(modules[0].calls, 2);
  EXPECT_EQ(modules[1].module, "Net/b");
  EXPECT_EQ(modules[2].module, "(no module)");
  EXPECT_EQ(modules[3].module, kSequencer);
  modules = byModule(report, 1);
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].module, "Net");
  EXPECT_EQ(modules[0].cycles(), 55);
}

} // namespace
} // namespace systole
