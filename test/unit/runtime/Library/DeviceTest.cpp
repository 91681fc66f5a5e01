// The caller's handle of a device is destroyed while a function uses the device.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include "systole/compiler.h"

namespace systole {
namespace {

// A copy of a text whose reader waits in its middle until release().
class HeldText {
public:
  explicit HeldText(std::string_view text) : size(text.size()) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE)), before = std::min(size / 2, page);
    bytes = page + size;
    memory = static_cast<char *>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    begin = memory + page - before;
    std::memcpy(begin, text.data(), size);
    current = this;
    struct sigaction action{};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &otherAction);
    mprotect(memory + page, bytes - page, PROT_NONE);
  }
  HeldText(const HeldText &) = delete;
  HeldText &operator=(const HeldText &) = delete;
  ~HeldText() {
    sigaction(SIGSEGV, &otherAction, nullptr);
    munmap(memory, bytes);
  }

  std::string_view view() const { return {begin, size}; }
  void awaitReader() const {
    while (!reached)
      std::this_thread::yield();
  }
  void release() { released = true; }

private:
  static void onFault(int, siginfo_t *info, void *) {
    const auto *address = static_cast<const char *>(info->si_addr);
    HeldText &text = *current;
    if (address < text.memory || address >= text.memory + text.bytes) {
      sigaction(SIGSEGV, &text.otherAction, nullptr);
      return;
    }
    text.reached = true;
    while (!text.released) {
    }
    mprotect(text.memory, text.bytes, PROT_READ);
  }

  static inline HeldText *current = nullptr;
  size_t size, bytes; // of the text, and of the memory that it lies in
  char *memory, *begin;
  struct sigaction otherAction{};
  std::atomic<bool> reached = false, released = false;
};

constexpr char kNegate[] = R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
})";

// Destroys the only handle of a device while `make` reads the text, and runs what it has made.
void destroyMeanwhile(
    std::string_view text,
    const std::function<absl::StatusOr<Executable>(const Device &, std::string_view)> &make) {
  std::optional<Device> device = *Device::create();
  HeldText held(text);
  absl::StatusOr<Executable> made;
  std::thread maker([&] { made = make(*device, held.view()); });
  held.awaitReader();
  device.reset();
  held.release();
  maker.join();
  ASSERT_TRUE(made.ok()) << made.status();
  const float x = 3;
  float result = 0;
  const Buffer argument = *Buffer::fromHost(made->device(), &x, ElementType::F32, {});
  ASSERT_TRUE(made->run(std::vector{argument})->results()[0].toHost(&result, 4).ok());
  EXPECT_EQ(result, -3);
}

TEST(Device, MayBeDestroyedWhileAProgramCompiles) {
  destroyMeanwhile(
      kNegate, [](const Device &device, std::string_view text) { return compile(device, text); });
}

TEST(Device, MayBeDestroyedWhileAProgramIsLoaded) {
  const std::string sysx = *compile(*Device::create(), kNegate)->serialize();
  destroyMeanwhile(sysx, [](const Device &device, std::string_view bytes) {
    return Executable::load(device, bytes);
  });
}

} // namespace
} // namespace systole
