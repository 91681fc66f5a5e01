// Reports: their arithmetic against numbers worked out by hand, and both forms.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole {
namespace {

using testing::HasSubstr;
using testing::Not;

UnitBounds bounds(int64_t mxu, int64_t valu, int64_t hbm) {
  UnitBounds result;
  result[Unit::Mxu] = mxu;
  result[Unit::Valu] = valu;
  result[Unit::Hbm] = hbm;
  return result;
}

// A matmul that keeps two MXUs busy for 300 of 1,000 cycles each.
Report example() {
  Report report;
  report.program = "matmul";
  report.target = "v3";
  report.targetHash = "0123456789abcdef0123456789abcdef";
  report.precision = "high";
  report.mxus = 2;
  report.cycles = 1000;
  report.deviceSeconds = 1000 / 940e6;
  report.flops = 2000000;
  report.peakFlopsPerSecond = 61.6e12;
  report.mxuBusyCycles = 600;
  report.hbmReadBytes = 65536;
  report.hbmWriteBytes = 32768;
  report.hbmPeakBytes = 98304;
  report.hbmPaddingBytes = 24576;
  report.vmemPeakBytes = 4096;
  report.bundles = 700;
  report.programBundles = 70;
  report.bounds = bounds(300, 120, 200);
  report.cycleUses = {{"bundles", "bundles that issue", 700}, {"wait", "waiting for copies", 300}};
  KernelReport small;
  small.name = small.kind = "copy";
  small.source = "model.py:3:1";
  small.calls = 2;
  small.cycles = 100;
  small.stallCycles = 90;
  small.delayCycles = 5;
  small.bytes = 4096;
  small.bounds = bounds(0, 1, 50);
  KernelReport large;
  large.name = large.kind = "dot";
  large.source = "model.py:7:5";
  large.calls = 1;
  large.cycles = 900;
  large.stallCycles = 210;
  large.delayCycles = 30;
  large.flops = 2000000;
  large.bytes = 94208;
  large.bounds = bounds(300, 119, 150);
  large.latency.cycles[static_cast<size_t>(Latency::Chain)] = 700;
  report.kernels = {small, large};
  report.compileSeconds = 0.25;
  report.emulateSeconds = 0.002;
  report.usd = 5.9e-10;
  report.usdPreemptible = 1.8e-10;
  return report;
}

TEST(Report, MxuUtilizationCountsAllArrays) {
  EXPECT_DOUBLE_EQ(example().mxuUtilization(), 600.0 / (1000 * 2));
  EXPECT_EQ(Report().mxuUtilization(), 0);
}

TEST(Report, BoundIsTheLargestUnitIfItIsHalfBusy) {
  EXPECT_EQ(boundBy(bounds(500, 120, 400), 1000), "mxu");
  EXPECT_EQ(boundBy(bounds(499, 120, 400), 1000), "latency");
  EXPECT_EQ(boundBy(bounds(300, 120, 999), 1000), "hbm");
  EXPECT_EQ(boundBy(bounds(0, 1, 0), 1), "valu");
  EXPECT_EQ(boundBy(bounds(0, 0, 0), 0), "latency");
  EXPECT_EQ(boundBy(bounds(0, 0, 0), 10), "latency");
}

TEST(Report, JsonHasEveryDocumentedField) {
  llvm::json::Object json = toJson(example());
  EXPECT_EQ(json.getString("target"), llvm::StringRef("v3"));
  EXPECT_EQ(json.getString("target_hash"), llvm::StringRef("0123456789abcdef0123456789abcdef"));
  EXPECT_EQ(json.getInteger("cycles"), 1000);
  EXPECT_EQ(json.getInteger("flops"), 2000000);
  EXPECT_EQ(json.getInteger("mxu_busy_cycles"), 600);
  EXPECT_EQ(json.getNumber("mxu_utilization"), 0.3);
  EXPECT_EQ(json.getInteger("hbm_read_bytes"), 65536);
  EXPECT_EQ(json.getInteger("hbm_write_bytes"), 32768);
  EXPECT_EQ(json.getInteger("hbm_peak_bytes"), 98304);
  EXPECT_EQ(json.getInteger("vmem_peak_bytes"), 4096);
  EXPECT_EQ(json.getInteger("bundles"), 700);
  EXPECT_EQ(json.getNumber("compile_seconds"), 0.25);
  EXPECT_EQ(json.getNumber("emulate_seconds"), 0.002);
  EXPECT_EQ(json.getNumber("usd"), 5.9e-10);
  EXPECT_EQ(json.getNumber("usd_preemptible"), 1.8e-10);
  ASSERT_TRUE(json.getObject("bound_cycles"));
  for (const char *unit : {"mxu", "valu", "load", "store", "xlu", "eup", "hbm"})
    EXPECT_TRUE(json.getObject("bound_cycles")->getInteger(unit)) << unit;
  EXPECT_EQ(json.getObject("bound_cycles")->getInteger("hbm"), 200);
  EXPECT_EQ(json.getObject("cycle_uses")->getInteger("wait"), 300);

  const llvm::json::Array *kernels = json.getArray("kernels");
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 2u);
  const llvm::json::Object &copy = *(*kernels)[0].getAsObject();
  EXPECT_EQ(copy.getString("name"), llvm::StringRef("copy"));
  EXPECT_EQ(copy.getString("source"), llvm::StringRef("model.py:3:1"));
  EXPECT_EQ(copy.getString("bound_by"), llvm::StringRef("hbm")) << "50 of 100 cycles";
  EXPECT_EQ(copy.getInteger("calls"), 2);
  EXPECT_EQ(copy.getInteger("cycles"), 100);
  EXPECT_EQ(copy.getInteger("stall_cycles"), 90);
  EXPECT_EQ(copy.getInteger("bytes"), 4096);
  EXPECT_EQ((*kernels)[1].getAsObject()->getString("bound_by"), llvm::StringRef("latency"));
}

TEST(Report, PartsAreOfAllCores) {
  Report report = example();
  report.cores = report.targetCores = 2;
  // 300 of 2 x 1,000 cycles, 100 of which the kernel's 50 of HBM are a core's share.
  const std::string text = toText(report);
  EXPECT_THAT(text, HasSubstr("Where the cycles of all cores go\n"));
  EXPECT_THAT(text, testing::ContainsRegex("waiting for copies +300 +15.0%"));
  EXPECT_THAT(text, testing::ContainsRegex("copy +2 +100 +5.0%"));
  report.kernels[0].cycles = 202;
  llvm::json::Object json = toJson(report);
  EXPECT_EQ((*json.getArray("kernels"))[0].getAsObject()->getString("bound_by"),
            llvm::StringRef("latency"))
      << "50 of 101 cycles of each core";
}

TEST(Report, TextShowsTotalsBoundsAndKernels) {
  std::string text = toText(example());
  EXPECT_THAT(text, HasSubstr("matmul, precision high\n"));
  EXPECT_THAT(text, HasSubstr("v3 (1 core), description 0123456789abcdef\n"));
  EXPECT_THAT(text, HasSubstr("1.064 us, 1,000 cycles\n"));
  // 2e6 flops in 1000 / 940e6 s are 1.88e12 flops per second.
  EXPECT_THAT(text, HasSubstr("2 Mflop, 1.88 Tflop/s, 3.1% of the peak\n"));
  EXPECT_THAT(text, HasSubstr("30.0%, busy 600 of 2 x 1,000 cycles\n"));
  EXPECT_THAT(text, HasSubstr("65.54 kB read, 32.77 kB written, 92.41 GB/s\n"));
  EXPECT_THAT(text, HasSubstr("98.3 kB HBM (25.0% padding), 4.096 kB VMEM\n"));
  EXPECT_THAT(text, HasSubstr("5.9e-10 USD on demand, 1.8e-10 USD preemptible (1 chip)\n"));
  EXPECT_THAT(text, HasSubstr("250 ms to compile, 2 ms to emulate\n"));
  EXPECT_THAT(text, HasSubstr("MXU                300   30.0%\n"));
  EXPECT_THAT(text, HasSubstr("waiting for copies     300   30.0%\n"));
  // The costlier kernel comes first.
  EXPECT_LT(text.find("dot  "), text.find("copy  "));
  EXPECT_THAT(text, HasSubstr("latency (dependent chain)"));
  EXPECT_THAT(text, HasSubstr("\nWhat usually helps against latency\ndependent chain: "));
  EXPECT_THAT(text, HasSubstr("model.py:7:5"));
  EXPECT_THAT(text, Not(HasSubstr("more with")));
}

TEST(Report, TextSumsUpTheCheapKernels) {
  Report report = example();
  for (int i = 0; i < 25; ++i) {
    KernelReport tiny;
    tiny.name = "tiny" + std::to_string(i);
    tiny.cycles = 2;
    report.kernels.push_back(tiny);
  }
  // 20 of 27 are shown: the two of the example and 18 of the tiny ones.
  EXPECT_THAT(toText(report), HasSubstr("and 7 more with 14 cycles\n"));
}

TEST(Report, TextOfAnEmptyRunHasNoNonsense) {
  std::string text = toText(Report());
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(text, HasSubstr("0 s, 0 cycles"));
}

} // namespace
} // namespace systole
