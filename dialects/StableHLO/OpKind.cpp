// The kind of tensor operations.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/StableHLO/OpKind.h"

#include "dialects/StableHLO/OpKindInterface.cpp.inc"
