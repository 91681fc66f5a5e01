// Options of the address sanitizer for the fuzzers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// MLIR's and LLVM's own code is not instrumented: where it uses an allocator or a container that
// ours has marked, it looks as if it were wrong.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:allocator_may_return_null=1";
}
