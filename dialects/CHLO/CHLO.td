// All of the CHLO dialect, for the tools that read it whole (the reference
// documentation); each family of operations is compiled on its own.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "dialects/CHLO/Binary.td"
include "dialects/CHLO/Broadcast.td"
include "dialects/CHLO/Composed.td"
include "dialects/CHLO/Creation.td"
include "dialects/CHLO/Ordering.td"
include "dialects/CHLO/Unary.td"
