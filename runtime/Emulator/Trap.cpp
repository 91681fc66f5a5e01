// Names of traps and their form as a status.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Trap.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace systole {

static constexpr std::string_view kNames[] = {
    "read too early",
    "write conflict",
    "FIFO empty",
    "FIFO full",
    "pop too early",
    "unit busy",
    "transpose order",
    "memory owned by a copy in flight",
    "address out of bounds",
    "bad operand",
    "copy queue full",
    "deadlock",
    "loops too deep",
    "calls too deep",
    "control left its routine",
    "bundle not resident",
    "copies in flight at halt",
    "trap instruction",
    "watchdog",
    "cancelled",
    "memory cap",
    "value not computed",
    "unsupported",
    "host transfer failed",
};
static_assert(std::size(kNames) == size_t(TrapKind::count_));

std::string_view name(TrapKind kind) { return kNames[size_t(kind)]; }

static absl::StatusCode codeOf(TrapKind kind) {
  switch (kind) {
  case TrapKind::Cancelled:
    return absl::StatusCode::kCancelled;
  case TrapKind::Watchdog:
    return absl::StatusCode::kDeadlineExceeded;
  case TrapKind::MemoryCap:
    return absl::StatusCode::kResourceExhausted;
  case TrapKind::OutOfBounds:
    return absl::StatusCode::kOutOfRange;
  case TrapKind::Instruction:
    return absl::StatusCode::kAborted;
  case TrapKind::Unknown:
  case TrapKind::Unsupported:
    return absl::StatusCode::kUnimplemented;
  default:
    return absl::StatusCode::kFailedPrecondition;
  }
}

absl::Status toStatus(const TrapInfo &trap) {
  if (!trap.cause.ok())
    return trap.cause;
  std::string_view what = name(trap.kind);
  std::string text = absl::StrCat(absl::string_view(what.data(), what.size()), ": ", trap.text,
                                  " (bundle ", trap.bundle);
  if (!trap.kernel.empty())
    absl::StrAppend(&text, ", kernel `", trap.kernel, "`");
  if (!trap.nameStack.empty())
    absl::StrAppend(&text, " of ", trap.nameStack);
  if (!trap.source.empty())
    absl::StrAppend(&text, ", ", trap.source);
  absl::StrAppend(&text, ", cycle ", trap.cycle);
  if (trap.core != 0)
    absl::StrAppend(&text, ", core ", trap.core);
  absl::StrAppend(&text, ")");
  return absl::Status(codeOf(trap.kind), text);
}

} // namespace systole
