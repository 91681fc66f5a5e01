// A line on the terminal about long-running tasks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/ProgressLine.h"

#include <sys/ioctl.h>

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "runtime/Report/Table.h"

namespace systole {
namespace {

constexpr std::string_view kWipe = "\r\033[K";
// Columns of a terminal of unknown width.
constexpr size_t kColumns = 80;

size_t columns(int file) {
  winsize size = {};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kColumns;
}

// Errors are ignored: only the progress display is lost.
void put(int file, std::string_view text) {
  [[maybe_unused]] ssize_t written = ::write(file, text.data(), text.size());
}

} // namespace

ProgressLine::Options ProgressLine::forTerminal() {
  Options options;
  const char *wanted = std::getenv("SYSTOLE_PROGRESS");
  options.active = ::isatty(options.file) && std::string_view(wanted ? wanted : "") != "0";
  return options;
}

ProgressLine::~ProgressLine() {
  {
    std::lock_guard lock(mutex);
    isClosing = true;
  }
  changed.notify_one();
  if (thread.joinable())
    thread.join();
}

ProgressLine::Task::Task(ProgressLine &line, std::function<std::string()> describe)
    : line(line), describe(std::move(describe)) {
  if (!line.options.active)
    return;
  start = Clock::now();
  std::lock_guard lock(line.mutex);
  place = line.tasks.insert(line.tasks.end(), this);
  if (!line.thread.joinable())
    line.thread = std::thread([&line] { line.watch(); });
  else if (line.isIdle)
    line.changed.notify_one();
}

ProgressLine::Task::~Task() {
  if (!line.options.active)
    return;
  std::lock_guard lock(line.mutex);
  line.tasks.erase(place);
  // Before the owner of the task prints anything.
  if (line.tasks.empty())
    line.wipe();
}

// While tasks are short it wakes once in `after`, regardless of their number.
void ProgressLine::watch() {
  std::unique_lock lock(mutex);
  while (!isClosing) {
    isIdle = tasks.empty();
    if (isIdle)
      changed.wait(lock, [&] { return isClosing || !tasks.empty(); });
    isIdle = false;
    changed.wait_for(lock, isShown ? options.interval : options.after, [&] { return isClosing; });
    const Clock::time_point now = Clock::now();
    if (!isClosing && !tasks.empty() && now - tasks.front()->start >= options.after)
      show(now);
    else
      wipe();
  }
}

void ProgressLine::show(Clock::time_point now) {
  const Task &oldest = *tasks.front();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - oldest.start);
  std::string text = "Systole: " + std::to_string(seconds.count()) + " s, " + oldest.describe();
  if (tasks.size() > 1)
    text += " (and " + std::to_string(tasks.size() - 1) + " more)";
  // Names come from the program: replaces control characters, which are one byte or, in
  // UTF-8, of two.
  for (size_t i = 0; i < text.size(); ++i)
    if (std::iscntrl(static_cast<unsigned char>(text[i])))
      text[i] = '?';
    else if (text[i] == '\xc2' && i + 1 < text.size() && text[i + 1] < '\xa0')
      text.replace(i, 2, "?");
  // A wrapped line could not be erased.
  text.resize(std::min(text.size(), columns(options.file) - 1));
  put(options.file, std::string(kWipe) + text + '\r');
  isShown = true;
}

void ProgressLine::wipe() {
  if (std::exchange(isShown, false))
    put(options.file, kWipe);
}

std::string cyclesSoFar(int64_t cycles, double cyclesPerSecond) {
  return grouped(cycles) + " cycles (" + scaled(double(cycles) / cyclesPerSecond, "s") + ")";
}

} // namespace systole
