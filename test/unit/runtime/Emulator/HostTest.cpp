// Copies between a core and the host: contents, completion, failures.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <thread>

#include "test/unit/runtime/Emulator/TextProgram.h"
#include "gmock/gmock.h"

using namespace systole;
using namespace systole::test;

namespace {

// Keeps the sent data; answers with numbers that count on.
class Recorder : public HostPort {
public:
  absl::Status send(int region, absl::Span<const uint32_t> words) override {
    sent.emplace_back(region, std::vector<uint32_t>(words.begin(), words.end()));
    return result;
  }
  absl::Status receive(int, absl::Span<uint32_t> words, const std::atomic<bool> *cancel) override {
    while (waits && cancel && !*cancel)
      std::this_thread::yield();
    std::iota(words.begin(), words.end(), next);
    next += uint32_t(words.size());
    return result;
  }

  std::vector<std::pair<int, std::vector<uint32_t>>> sent;
  uint32_t next = 1000;
  absl::Status result;
  bool waits = false;
};

std::vector<uint32_t> iota(size_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

const char *const exchange = R"(
.program exchange
.region x hbm 2
.region y hbm 1
.region out host 2
.region in host 1
.send sent f32[256] in out channel 2
.recv received f32[128] in in channel 3
.descriptor send hbm to host chunk 256
.descriptor recv host to hbm chunk 128
routine main {
  dma.start dst=0, src=0, dstRegion=out, srcRegion=x, descriptor=send, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=y, srcRegion=in, descriptor=recv, flag=0
  wait 2, flag=0
  halt
}
)";

TEST(Host, SendsAndReceives) {
  TextProgram machine(exchange);
  machine.write("x", iota(256));
  Recorder host;
  absl::StatusOr<RunStats> stats = machine.emulator->run(&host);
  ASSERT_TRUE(stats.ok()) << stats.status();
  ASSERT_EQ(host.sent.size(), 1u);
  EXPECT_EQ(host.sent[0].first, machine.region("out"));
  EXPECT_EQ(host.sent[0].second, iota(256));
  EXPECT_EQ(machine.read<uint32_t>("y")[127], 1127u);
  // v2's share of the link is 15.75 GB/s / 2 / 700 MHz = 11.25 bytes a cycle. The copy to the host
  // begins at 350 and takes ceil(1024 / 11.25) = 92 cycles (3 of the HBM channel): there at 442 +
  // 700. The answer begins then and takes ceil(512 / 11.25) = 46: here at 1188 + 700.
  EXPECT_EQ(stats->cycles, 1188 + 700 + 1 + 1);
  EXPECT_EQ(stats->total.hostSentBytes, 1024);
  EXPECT_EQ(stats->total.hostReceivedBytes, 512);
  EXPECT_EQ(stats->total.hostCycles, 92 + 46);
  EXPECT_EQ(stats->total.hbmCycles, 3 + 2);
  EXPECT_EQ(stats->total.hbmReadBytes, 1024);
  EXPECT_EQ(stats->total.hbmWriteBytes, 512);
}

TEST(Host, TimingNeedsNoHost) {
  EmulatorOptions options;
  options.timingOnly = true;
  TextProgram machine(exchange, *Target::load("v2"), options);
  EXPECT_EQ(machine.cycles(), 1890);
}

TEST(Host, CopiesToTheHostShareItsLink) {
  TextProgram machine(R"(
.program two
.region x hbm 2
.region out host 2
.region more host 2
.descriptor send hbm to host chunk 256
routine main {
  dma.start dst=0, src=0, dstRegion=out, srcRegion=x, descriptor=send, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=more, srcRegion=x, descriptor=send, flag=0
  wait 2, flag=0
  halt
}
)");
  Recorder host;
  absl::StatusOr<RunStats> stats = machine.emulator->run(&host);
  ASSERT_TRUE(stats.ok()) << stats.status();
  // 92 cycles each, one behind the other.
  EXPECT_EQ(stats->cycles, 350 + 92 + 92 + 700 + 1 + 1);
  ASSERT_EQ(host.sent.size(), 2u);
  EXPECT_EQ(host.sent[0].first, machine.region("out"));
  EXPECT_EQ(host.sent[1].first, machine.region("more"));
}

TEST(Host, StridedRowsAreOneMessage) {
  TextProgram machine(R"(
.program strided
.region x hbm 6
.region y hbm 6
.region out host 3
.region in host 3
.descriptor send hbm to host chunk 128 counts [3] src [256] dst [128]
.descriptor recv host to hbm chunk 128 counts [3] src [128] dst [256]
routine main {
  dma.start dst=0, src=1, dstRegion=out, srcRegion=x, descriptor=send, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=y, srcRegion=in, descriptor=recv, flag=0
  wait 2, flag=0
  halt
}
)");
  machine.write("x", iota(6 * 128));
  machine.write("y", std::vector<uint32_t>(6 * 128, 7));
  Recorder host;
  absl::StatusOr<RunStats> stats = machine.emulator->run(&host);
  ASSERT_TRUE(stats.ok()) << stats.status();
  std::vector<uint32_t> y = machine.read<uint32_t>("y");
  ASSERT_EQ(host.sent[0].second.size(), 3u * 128);
  for (uint32_t i = 0; i < 3 * 128; ++i) {
    EXPECT_EQ(host.sent[0].second[i], (i / 128 * 2 + 1) * 128 + i % 128);
    EXPECT_EQ(y[i / 128 * 256 + i % 128], 1000 + i);
    EXPECT_EQ(y[i / 128 * 256 + 128 + i % 128], 7u);
  }
}

TEST(Host, AnErrorOfTheHostEndsTheRunAsItIs) {
  TextProgram machine(exchange);
  Recorder host;
  host.result = absl::DataLossError("no more");
  EXPECT_EQ(machine.emulator->run(&host).status(), host.result);
  EXPECT_EQ(machine.emulator->lastTrap()->kind, TrapKind::Host);
  // The next run is independent of it.
  host.result = absl::OkStatus();
  EXPECT_TRUE(machine.emulator->run(&host).ok());
}

TEST(Host, WithoutAHostTransfersAreRefused) {
  TextProgram machine(exchange);
  absl::Status status = machine.emulator->run().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), testing::HasSubstr("sends to the host (region `out`)"));
}

TEST(Host, AWaitForTheHostCanBeCancelled) {
  std::atomic<bool> cancel = false;
  EmulatorOptions options;
  options.cancel = &cancel;
  TextProgram machine(exchange, *Target::load("v2"), options);
  Recorder host;
  host.waits = true;
  std::thread canceller([&] { cancel = true; });
  absl::Status status = machine.emulator->run(&host).status();
  canceller.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

// The trap of one copy, after which the program waits.
absl::Status trapOf(const std::string &descriptor, const std::string &copy) {
  TextProgram machine(R"(
.program wrong
.region x hbm 8
.region v vmem 8
.region out host 2
.region in host 2
.descriptor d )" + descriptor +
                      R"(
routine main {
  s1 = s.mov 1
  dma.start )" + copy +
                      R"(, descriptor=d, flag=0
  wait 1, flag=0
  halt
}
)");
  if (!machine.emulator)
    return machine.loadStatus;
  Recorder host;
  return machine.emulator->run(&host).status();
}

TEST(Host, WrongCopiesAreTraps) {
  EXPECT_THAT(trapOf("hbm to host chunk 384", "dst=0, src=0, dstRegion=out, srcRegion=x").message(),
              testing::HasSubstr("address out of bounds: dma.start a copy of 384 words from or to "
                                 "region `out` of the host, which has 256"));
  EXPECT_THAT(
      trapOf("hbm to host chunk 128", "dst=s1, src=0, dstRegion=out, srcRegion=x").message(),
      testing::HasSubstr("bad operand: dma.start a copy does not begin where region `out`"));
  EXPECT_THAT(trapOf("host to hbm chunk 128", "dst=0, src=0, dstRegion=s1, srcRegion=in").message(),
              testing::HasSubstr("bad operand"));
}

TEST(Host, CopiesInFlightAreGuarded) {
  TextProgram machine(R"(
.program early
.region y hbm 1
.region v vmem 1
.region in host 1
.descriptor recv host to hbm chunk 128
.descriptor load hbm to vmem chunk 128
routine main {
  dma.start dst=0, src=0, dstRegion=y, srcRegion=in, descriptor=recv, flag=0
  nop
  dma.start dst=0, src=0, dstRegion=v, srcRegion=y, descriptor=load, flag=1
  wait 1, flag=1
  wait 1, flag=0
  halt
}
)");
  Recorder host;
  EXPECT_FALSE(machine.emulator->run(&host).ok());
  EXPECT_EQ(machine.emulator->lastTrap()->kind, TrapKind::MemoryOwned);
}

const char *const pinned = R"(
.program pinned
.region x hbm 2
.region y hbm 1
.region p pinned 4
.descriptor offload hbm to pinned chunk 256
.descriptor fetch pinned to hbm chunk 128
routine main {
  dma.start dst=1, src=0, dstRegion=p, srcRegion=x, descriptor=offload, flag=0
  wait 1, flag=0
  dma.start dst=0, src=2, dstRegion=y, srcRegion=p, descriptor=fetch, flag=1
  wait 1, flag=1
  halt
}
)";

TEST(Host, PinnedMemoryKeepsWhatIsCopiedToIt) {
  TextProgram machine(pinned);
  machine.write("x", iota(256));
  absl::StatusOr<RunStats> stats = machine.emulator->run();
  ASSERT_TRUE(stats.ok()) << stats.status();
  auto memory = machine.emulator->pinned(machine.region("p"));
  ASSERT_TRUE(memory.ok());
  ASSERT_EQ(memory->size(), 4u * 512);
  const auto *words = reinterpret_cast<const uint32_t *>(memory->data());
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(words[128 + 255], 255u);
  EXPECT_EQ(machine.read<uint32_t>("y")[0], 128u);
  // As with the host: the first copy is there at 350 + 92 + 700, when the second is issued. That
  // begins 350 cycles later and takes 46.
  const int64_t first = 350 + 92 + 700;
  EXPECT_EQ(stats->cycles, first + 1 + 350 + 46 + 700 + 1 + 1);
  EXPECT_EQ(stats->total.hostSentBytes, 1024);
  EXPECT_EQ(stats->total.hostReceivedBytes, 512);

  EmulatorOptions options;
  options.timingOnly = true;
  EXPECT_EQ(TextProgram(pinned, *Target::load("v2"), options).cycles(), stats->cycles);
}

TEST(Host, BothDirectionsOfTheLinkMoveAtOnce) {
  TextProgram machine(R"(
.program both
.region x hbm 2
.region y hbm 2
.region p pinned 4
.descriptor offload hbm to pinned chunk 256
.descriptor fetch pinned to hbm chunk 256
routine main {
  dma.start dst=0, src=0, dstRegion=p, srcRegion=x, descriptor=offload, flag=0
  nop
  dma.start dst=0, src=2, dstRegion=y, srcRegion=p, descriptor=fetch, flag=0
  wait 2, flag=0
  halt
}
)");
  EXPECT_EQ(machine.cycles(), 2 + 350 + 92 + 700 + 1 + 1);
}

TEST(Host, RowsOfPinnedMemoryAreGuarded) {
  TextProgram machine(R"(
.program guarded
.region x hbm 1
.region y hbm 1
.region p pinned 4
.descriptor offload hbm to pinned chunk 128
.descriptor fetch pinned to hbm chunk 128
routine main {
  dma.start dst=2, src=0, dstRegion=p, srcRegion=x, descriptor=offload, flag=0
  nop
  dma.start dst=0, src=2, dstRegion=y, srcRegion=p, descriptor=fetch, flag=1
  wait 1, flag=1
  wait 1, flag=0
  halt
}
)");
  EXPECT_THAT(std::string(machine.emulator->run().status().message()),
              testing::HasSubstr("reads PINNED row 2, which a copy in flight writes"));
  EXPECT_EQ(machine.emulator->lastTrap()->kind, TrapKind::MemoryOwned);

  TextProgram beyond(R"(
.program beyond
.region x hbm 2
.region p pinned 2
.descriptor offload hbm to pinned chunk 256
routine main {
  s1 = s.mov 1
  dma.start dst=s1, src=0, dstRegion=p, srcRegion=x, descriptor=offload, flag=0
  wait 1, flag=0
  halt
}
)");
  EXPECT_FALSE(beyond.emulator->run().ok());
  EXPECT_EQ(beyond.emulator->lastTrap()->kind, TrapKind::OutOfBounds);
}

// Two cores with a host each: what they send, and what they get, is their own.
TEST(Host, EachCoreHasItsPort) {
  const std::string text = std::string(".cores 2\n") + exchange;
  TextProgram machine(text, Target::load("v2")->withCores(2));
  Recorder hosts[2];
  hosts[1].next = 5000;
  for (int core : {0, 1})
    machine.write<uint32_t>("x", std::vector<uint32_t>(256, uint32_t(70 + core)), core);
  absl::StatusOr<RunStats> stats = machine.emulator->run(HostPorts({&hosts[0], &hosts[1]}));
  ASSERT_TRUE(stats.ok()) << stats.status();
  for (int core : {0, 1}) {
    EXPECT_EQ(machine.read<uint32_t>("y", core)[127], core == 0 ? 1127u : 5127u);
    ASSERT_EQ(hosts[core].sent.size(), 1u);
    EXPECT_EQ(hosts[core].sent[0].second, std::vector<uint32_t>(256, uint32_t(70 + core)));
  }
}

} // namespace
