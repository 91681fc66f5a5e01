// assert() that is active although NDEBUG is defined. The preset `assertions` puts this folder before the
// system's: classes of LLVM and MLIR have another size without NDEBUG than in the packaged libraries, so the
// macro stays defined there, and only assert(), also in their headers, behaves as if it were not.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// No include guard: like the header that it stands before, each inclusion defines the macro anew.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include_next <assert.h>
#pragma pop_macro("NDEBUG")
