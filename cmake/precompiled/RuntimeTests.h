// The headers of unit tests of the runtime and of programs, precompiled for all of them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled/Runtime.h"
