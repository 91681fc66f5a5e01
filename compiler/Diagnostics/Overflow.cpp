// The error for a memory of the machine that is too small.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Overflow.h"

#include "compiler/Diagnostics/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole {

std::string ownerAt(StringRef what, Location loc) {
  std::string text = what.str(), layer = nameStack(loc), user = userLine(loc);
  if (!layer.empty())
    text += " of " + layer;
  if (!user.empty() && user != sourceLine(loc))
    text += " (" + user + ")";
  return text;
}

LogicalResult emitOverflow(Location loc, StringRef owner, StringRef memory, int64_t needed,
                           int64_t available, std::vector<MemoryUser> users, StringRef advice,
                           std::optional<int64_t> perfect) {
  constexpr size_t kNamed = 5;
  int64_t withoutPadding = 0;
  for (const MemoryUser &user : users)
    withoutPadding += user.elementBytes;
  withoutPadding = perfect.value_or(withoutPadding);
  const bool isPadding = withoutPadding <= available;
  InFlightDiagnostic diagnostic = emitResourceExhausted(loc);
  diagnostic << owner << " needs " << needed << " bytes of " << memory << ", and a core has "
             << available << ": " << (isPadding ? "padding" : "the program")
             << " does not fit, without padding it would need " << withoutPadding;
  llvm::stable_sort(users,
                    [](const MemoryUser &a, const MemoryUser &b) { return a.bytes > b.bytes; });
  for (const MemoryUser &user : ArrayRef(users).take_front(kNamed))
    diagnostic.attachNote(user.loc)
        << user.description << ", laid out as " << user.type << ", takes " << user.bytes
        << " bytes, of which " << user.bytes - user.elementBytes << " are padding";
  diagnostic.attachNote(loc)
      << (isPadding ? "the last dimension of an array is padded to 128 elements, of bf16 two rows "
                      "and of 8 bits four to 512 bytes: give large arrays a long last dimension, "
                      "join or flatten small ones"
                    : advice);
  return failure();
}

} // namespace systole
