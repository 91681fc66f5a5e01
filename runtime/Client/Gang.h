// Tasks that take the queues of several devices at once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_CLIENT_GANG_H
#define SYSTOLE_RUNTIME_CLIENT_GANG_H

#include <functional>
#include <mutex>
#include <span>

#include "runtime/Client/Stream.h"

namespace systole {

// Submits `task` to all of `streams`: it is called once, on the thread of one of them, when each
// has finished what was submitted to it before, and none of them goes on until it has ended. With
// `mayRunHere` it has been called on the caller's thread on return if all streams are idle.
// `order` is the lock of all gangs whose streams may be the same: two of them are in one order on
// all streams that they share, so neither waits for the other one's end. No stream's task that
// waits for the host calls this (Stream::isWaitingHere). Throws std::system_error, and drops the
// task, if the host has no thread for a stream.
void runOnAll(std::span<Stream *const> streams, std::mutex &order, std::function<void()> task,
              bool mayRunHere);

} // namespace systole

#endif // SYSTOLE_RUNTIME_CLIENT_GANG_H
