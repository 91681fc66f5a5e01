// The headers that files of the runtime and of the tools need, precompiled for all of these.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>

#include "cmake/precompiled/Base.h"
#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
