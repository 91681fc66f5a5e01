// Parses the bytes of HLO protos.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H
#define SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "llvm/ADT/StringRef.h"

namespace systole::hlo {

/// A module and the number of devices that it runs on.
struct Source {
  HloModuleProto module;
  int64_t replicas = 1, partitions = 1;
};

/// Parses a module, alone or in a message that contains it. Returns the error, or "".
std::string parseProto(llvm::StringRef bytes, Source &source);

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_READPROTO_H
