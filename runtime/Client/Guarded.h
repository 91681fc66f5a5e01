// Exceptions as statuses, for callers without exceptions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_GUARDED_H
#define SYSTOLE_RUNTIME_CLIENT_GUARDED_H

#include <exception>
#include <new>
#include <system_error>

#include "absl/status/status.h"

namespace systole {

// The status of `call()`, or one for the exception that it throws.
template <typename Call> absl::Status guarded(Call call) {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("this host is out of memory");
  } catch (const std::system_error &error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return absl::ResourceExhaustedError("this host starts no more threads");
    return absl::InternalError(error.what());
  } catch (const std::exception &error) {
    return absl::InternalError(error.what());
  } catch (...) {
    return absl::InternalError("unknown exception");
  }
}

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_GUARDED_H
