// The profiler as XLA's clients call it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Profile.h"

#include <gtest/gtest.h>

#include <vector>

#include "test/unit/runtime/Pjrt/Plugin.h"

namespace systole::pjrt {
namespace {

const ProfilerFunctions &functions() {
  const PJRT_Extension_Base *extension = testing::api().extension_start;
  while (extension && extension->type != PJRT_Extension_Type_Profiler)
    extension = extension->next;
  EXPECT_NE(extension, nullptr);
  return *reinterpret_cast<const ProfilerExtension *>(extension)->functions;
}

// The code of an error, which is then destroyed; 0 for success.
int take(ProfileError *error) {
  if (!error)
    return 0;
  ProfileCodeArgs code{};
  code.error = error;
  EXPECT_EQ(functions().code(&code), nullptr);
  ProfileMessageArgs message{};
  message.error = error;
  functions().message(&message);
  EXPECT_GT(message.messageSize, 0u);
  ProfileErrorArgs destroy{};
  destroy.error = error;
  functions().destroyError(&destroy);
  return code.code;
}

Profiler *create() {
  ProfilerCreateArgs args{};
  EXPECT_EQ(take(functions().create(&args)), 0);
  return args.profiler;
}

int call(ProfileError *(*function)(ProfilerArgs *), Profiler *profiler) {
  ProfilerArgs args{};
  args.profiler = profiler;
  return take(function(&args));
}

TEST(Profile, GivesItsDataInBothWays) {
  Profiler *profiler = create();
  EXPECT_EQ(call(functions().start, profiler), 0);
  EXPECT_EQ(call(functions().stop, profiler), 0);
  ProfilerDataArgs args{};
  args.profiler = profiler;
  EXPECT_EQ(take(functions().collect(&args)), 0);
  EXPECT_NE(args.buffer, nullptr);
  EXPECT_EQ(args.bufferSize, 0u); // nothing ran
  uint8_t mine = 7;
  args.buffer = &mine;
  EXPECT_EQ(take(functions().collect(&args)), 0);
  EXPECT_EQ(mine, 7);
  EXPECT_EQ(call(functions().destroy, profiler), 0);
}

TEST(Profile, WrongOrdersAreErrors) {
  constexpr int kInvalidArgument = 3, kFailedPrecondition = 9;
  Profiler *first = create(), *second = create();
  EXPECT_EQ(call(functions().stop, first), kFailedPrecondition);
  EXPECT_EQ(call(functions().start, first), 0);
  EXPECT_EQ(call(functions().start, first), kFailedPrecondition);
  EXPECT_EQ(call(functions().start, second), kFailedPrecondition);
  // One that is running ends with its profiler.
  EXPECT_EQ(call(functions().destroy, first), 0);
  EXPECT_EQ(call(functions().start, second), 0);
  EXPECT_EQ(call(functions().stop, second), 0);
  EXPECT_EQ(call(functions().destroy, second), 0);
  EXPECT_EQ(call(functions().start, nullptr), kInvalidArgument);
  EXPECT_EQ(call(functions().destroy, nullptr), 0);
}

} // namespace
} // namespace systole::pjrt
