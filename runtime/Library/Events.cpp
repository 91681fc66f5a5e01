// Events and cancellations of the C++ interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Library/State.h"

namespace systole::v0 {

bool Event::isReady() const { return state->event.isReady(); }

absl::Status Event::await() const { return state->event.await(); }

void Event::onReady(Callback callback) const { state->event.onReady(std::move(callback)); }

Cancellation::Cancellation() : state(std::make_shared<State>()) {}

void Cancellation::cancel() const { state->cancelled = true; }

bool Cancellation::isCancelled() const { return state->cancelled; }

} // namespace systole::v0
