// Bytes of HLO protos as messages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H
#define SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "llvm/ADT/StringRef.h"

namespace systole::hlo {

/// A module and on how many devices it runs.
struct Source {
  HloModuleProto module;
  int64_t replicas = 1, partitions = 1;
};

/// Parses a module, by itself or in an envelope. Returns why that cannot be done, or "".
std::string parseProto(llvm::StringRef bytes, Source &source);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H
