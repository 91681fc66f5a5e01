// Versions, errors, element types and events of the C interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Library/C/Objects.h"

#include <new>

#include "llvm/Support/JSON.h"

using namespace systole;
using namespace systole::c;

// Where there is no memory for an error either.
static systole_error &outOfMemory() {
  static systole_error error{absl::StatusCode::kResourceExhausted, "this host is out of memory"};
  return error;
}

systole_error *systole::c::toError(const absl::Status &status) {
  if (status.ok())
    return nullptr;
  try {
    // Names of a program's operations may be any bytes.
    return new systole_error{status.code(), llvm::json::fixUTF8(llvm::StringRef(
                                                status.message().data(), status.message().size()))};
  } catch (const std::bad_alloc &) {
    return &outOfMemory();
  }
}

uint32_t systole_api_version(void) { return SYSTOLE_API_VERSION; }

const char *systole_version(void) { return SYSTOLE_VERSION_STRING; }

systole_error_code systole_error_get_code(const systole_error *error) {
  // Both are the codes of google.rpc.
  return error ? systole_error_code(error->code) : SYSTOLE_OK;
}

const char *systole_error_message(const systole_error *error) {
  return error ? error->message.c_str() : "";
}

void systole_error_destroy(systole_error *error) {
  if (error != &outOfMemory())
    delete error;
}

const char *systole_element_type_name(systole_element_type type) {
  // Names are literals.
  return v0::elementTypeName(v0::ElementType(type)).data();
}

systole_element_type systole_element_type_from_name(const char *name) {
  return name ? systole_element_type(v0::elementTypeFromName(name)) : SYSTOLE_INVALID;
}

size_t systole_element_type_bytes(systole_element_type type) {
  return size_t(v0::elementBytes(v0::ElementType(type)));
}

int systole_event_is_ready(const systole_event *event) { return event && event->event.isReady(); }

systole_error *systole_event_await(const systole_event *event) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(event);
    return event->event.await();
  });
}

systole_error *systole_event_on_ready(const systole_event *event, systole_callback callback,
                                      void *user_data) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(event);
    SYSTOLE_REQUIRE(callback);
    event->event.onReady([=](const absl::Status &status) {
      systole_error *error = toError(status);
      callback(error, user_data);
      systole_error_destroy(error);
    });
    return absl::OkStatus();
  });
}

void systole_event_destroy(systole_event *event) { delete event; }

systole_error *systole_cancellation_create(systole_cancellation **cancellation) {
  return guard([&]() -> absl::Status {
    SYSTOLE_REQUIRE(cancellation);
    *cancellation = new systole_cancellation;
    return absl::OkStatus();
  });
}

void systole_cancellation_cancel(systole_cancellation *cancellation) {
  if (cancellation)
    cancellation->cancellation.cancel();
}

void systole_cancellation_destroy(systole_cancellation *cancellation) { delete cancellation; }
