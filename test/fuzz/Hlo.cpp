// Any bytes as a module of HLO, proto or text: a program, or one diagnostic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/ReadHlo.h"
#include "test/fuzz/Module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  systole::fuzz::importModule({reinterpret_cast<const char *>(data), size}, systole::readHlo);
  return 0;
}
