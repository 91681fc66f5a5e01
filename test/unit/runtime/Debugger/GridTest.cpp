// Steps of grids.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Grid.h"

#include <gmock/gmock.h>

#include "dialects/Machine/Program/Assembler.h"
#include "runtime/Debugger/Places.h"

using namespace systole;
using namespace systole::debugger;
using ::testing::ElementsAre;

namespace {

// A kernel with a loop in its loop, one that calls a routine with two loops, and one without.
const char *const kKernels = R"(
.program grids
.kernel nested bundles 1 5
.kernel called bundles 5 6
.kernel plain bundles 6 7
routine main {
  nop
  loop 3 {
    nop
    loop 2 {
      nop
    }
  }
  call work
  nop
  halt
}
routine work {
  nop
  loop 20 {
    nop
  }
  loop 2 {
    nop
    nop
  }
}
)";

TEST(Grid, StepsAreIterationsOfTheOutermostLoop) {
  auto program = assemble(kKernels);
  ASSERT_TRUE(program.ok()) << program.status();
  const auto &kernels = program->header.kernels();
  ASSERT_EQ(kernels.size(), 3);
  EXPECT_EQ(gridStep(*program, kernels[0]), 2);
  EXPECT_EQ(gridStep(*program, kernels[1]), 12);
  EXPECT_EQ(gridStep(*program, kernels[2]), 6);
  const Places places(*program);
  EXPECT_THAT(*places.find("grid *"), ElementsAre(2, 6, 12));
  EXPECT_FALSE(places.find("grid nothing").ok());
}

} // namespace
