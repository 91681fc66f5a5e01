// Events in the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Objects.h"

namespace systole::pjrt {

absl::Status Event_Destroy(PJRT_Event_Destroy_Args &args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Event_IsReady(PJRT_Event_IsReady_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.event);
  args.is_ready = args.event->event.isReady();
  return absl::OkStatus();
}

absl::Status Event_Error(PJRT_Event_Error_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.event);
  if (!args.event->event.isReady())
    return absl::FailedPreconditionError("the event is not ready");
  return args.event->event.await();
}

absl::Status Event_Await(PJRT_Event_Await_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.event);
  return args.event->event.await();
}

absl::Status Event_OnReady(PJRT_Event_OnReady_Args &args) {
  SYSTOLE_PJRT_REQUIRE(args.event);
  SYSTOLE_PJRT_REQUIRE(args.callback);
  args.event->event.onReady([callback = args.callback, user = args.user_arg](
                                const absl::Status &status) { callback(toError(status), user); });
  return absl::OkStatus();
}

} // namespace systole::pjrt
