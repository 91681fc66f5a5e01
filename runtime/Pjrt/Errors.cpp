// Statuses in the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"

namespace systole::pjrt {

// For the case that there is no memory for an error object.
static PJRT_Error &outOfMemory() {
  static PJRT_Error error{absl::ResourceExhaustedError("this host is out of memory")};
  return error;
}

PJRT_Error *toError(absl::Status status) {
  if (status.ok())
    return nullptr;
  auto *error = new (std::nothrow) PJRT_Error{std::move(status)};
  return error ? error : &outOfMemory();
}

void Error_Destroy(PJRT_Error_Destroy_Args &args) {
  if (args.error != &outOfMemory())
    delete args.error;
}

void Error_Message(PJRT_Error_Message_Args &args) {
  absl::string_view message = args.error ? args.error->status.message() : absl::string_view();
  args.message = message.data();
  args.message_size = message.size();
}

absl::Status Error_GetCode(PJRT_Error_GetCode_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.error);
  // Both enumerations are the codes of google.rpc.
  args.code = static_cast<PJRT_Error_Code>(args.error->status.code());
  return absl::OkStatus();
}

} // namespace systole::pjrt
