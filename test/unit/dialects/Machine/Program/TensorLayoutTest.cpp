// The tensors that a program may declare.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/TensorLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/dialects/Machine/Program/Tensors.h"

namespace systole {
namespace {

TEST(TensorLayout, RejectsInvalidTensors) {
  EXPECT_THAT(checkTensor(makeTensor("f77", {2}, {0})).message(), testing::HasSubstr("'f77'"));
  EXPECT_FALSE(checkTensor(makeTensor("f32", {-1}, {0})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {1 << 30, 1 << 30}, {1, 0})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {0, int64_t(1) << 62}, {1, 0})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {2, 3}, {1})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {2, 3}, {1, 1})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {2, 3}, {1, 2})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {2, 3}, {1, -1})).ok());
  EXPECT_FALSE(checkTensor(makeTensor("f32", {}, {0})).ok());
}

} // namespace
} // namespace systole
