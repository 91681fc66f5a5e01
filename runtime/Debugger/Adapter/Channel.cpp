// Messages of the Debug Adapter Protocol over two streams.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Adapter/Channel.h"

#include <algorithm>
#include <utility>

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"

namespace systole::debugger {

Channel::Channel(std::FILE *in, llvm::raw_ostream &out, std::atomic<bool> &cancel)
    : out(out), cancel(cancel), reader([this, in] { read(in); }) {}

Channel::~Channel() { reader.join(); }

// Whether the parser, which recurses, may read a text: requests have few levels.
static bool isShallow(llvm::StringRef text) {
  constexpr int mostLevels = 100;
  int level = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (isQuoted && c == '\\')
      ++i;
    else if (c == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && (c == '[' || c == '{') && ++level > mostLevels)
      return false;
    else if (!isQuoted && (c == ']' || c == '}'))
      --level;
  }
  return true;
}

// Whether a run that is under way ends for a request.
static bool interrupts(const Request &request) {
  return request.command == "pause" || request.command == "disconnect" ||
         request.command == "terminate";
}

void Channel::read(std::FILE *in) {
  // Both protocols put a header with the length before each message.
  llvm::lsp::JSONTransportInputOverFile input(in);
  std::string text;
  bool isEnding = false;
  while (!isEnding && !input.isEndOfInput() && !input.hasError()) {
    if (llvm::failed(input.readMessage(text)) || !isShallow(text))
      continue;
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    llvm::json::Object *message = value->getAsObject();
    if (!message || message->getString("type").value_or("") != "request")
      continue;
    Request request;
    request.number = message->getInteger("seq").value_or(0);
    request.command = message->getString("command").value_or("").str();
    if (llvm::json::Object *arguments = message->getObject("arguments"))
      request.arguments = std::move(*arguments);
    isEnding = interrupts(request) && request.command != "pause";
    const std::lock_guard lock(mutex);
    if (interrupts(request))
      cancel.store(true, std::memory_order_relaxed);
    waiting.push_back(std::move(request));
    changed.notify_all();
  }
  const std::lock_guard lock(mutex);
  isAtEnd = true;
  cancel.store(true, std::memory_order_relaxed);
  changed.notify_all();
}

std::optional<Request> Channel::next() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !waiting.empty() || isAtEnd; });
  if (waiting.empty())
    return std::nullopt;
  Request request = std::move(waiting.front());
  waiting.pop_front();
  // The run that was to end has ended.
  cancel.store(isAtEnd || std::ranges::any_of(waiting, interrupts), std::memory_order_relaxed);
  return request;
}

void Channel::send(llvm::json::Object message) {
  message["seq"] = ++sent;
  const std::string text = llvm::formatv("{0}", llvm::json::Value(std::move(message)));
  out << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  out.flush();
}

void Channel::respond(const Request &request, llvm::json::Object body) {
  send(llvm::json::Object{{"type", "response"},
                          {"request_seq", request.number},
                          {"success", true},
                          {"command", llvm::json::fixUTF8(request.command)},
                          {"body", std::move(body)}});
}

void Channel::refuse(const Request &request, const std::string &message) {
  send(llvm::json::Object{
      {"type", "response"},
      {"request_seq", request.number},
      {"success", false},
      {"command", llvm::json::fixUTF8(request.command)},
      {"message", llvm::json::fixUTF8(message)},
      {"body",
       llvm::json::Object{{"error", llvm::json::Object{{"id", 1},
                                                       {"format", llvm::json::fixUTF8(message)},
                                                       {"showUser", true}}}}}});
}

void Channel::event(const char *name, llvm::json::Object body) {
  send(llvm::json::Object{{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

} // namespace systole::debugger
