// Messages of the Debug Adapter Protocol over two streams.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_CHANNEL_H
#define SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_CHANNEL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole::debugger {

struct Request {
  int64_t number = 0; // "seq"
  std::string command;
  llvm::json::Object arguments;
};

// Reads requests on a thread of its own, so that a request to pause reaches a run that is under
// way. Responses and events are written by the caller's thread.
class Channel {
public:
  // `cancel` becomes true when a request asks to pause or to end.
  Channel(std::FILE *in, llvm::raw_ostream &out, std::atomic<bool> &cancel);
  // Waits for the end of the input.
  ~Channel();

  // The next request; nothing at the end of the input.
  std::optional<Request> next();

  void respond(const Request &request, llvm::json::Object body = {});
  void refuse(const Request &request, const std::string &message);
  void event(const char *name, llvm::json::Object body = {});

private:
  void read(std::FILE *in);
  void send(llvm::json::Object message);

  llvm::raw_ostream &out;
  std::atomic<bool> &cancel;
  int64_t sent = 0;
  std::mutex mutex; // protects the members below
  std::condition_variable changed;
  std::deque<Request> waiting;
  bool isAtEnd = false;
  std::thread reader;
};

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_CHANNEL_H
