// Random machine programs without hazards, which use every unit and every form of access.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_RANDOMPROGRAM_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_RANDOMPROGRAM_H

#include <array>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace systole::test {

// The text of a program that copies `x` to VMEM, computes in loops, and copies VMEM to `y`. Regions
// a and b of VMEM have 64 rows each; the programs access rows of any alignment and stride.
class RandomProgram {
public:
  // With `isWide` for a machine whose MXUs have 256 x 256 cells, else for any with 128 x 128.
  explicit RandomProgram(uint32_t seed, bool isWide = false) : isWide(isWide), random(seed) {}

  std::string text() {
    body = absl::StrCat(".program random\n",
                        isWide ? ".bundle valu 2 vload 2 push 2 pop 2 immediates 6\n" : "");
    body += R"(.region x hbm 128
.region y hbm 128
.region z hbm 320
.region a vmem 64
.region b vmem 64
.region w smem 64
.constant x f32 splat 1.25 count 16384
.descriptor in hbm to vmem chunk 1024 counts [8] src [1024] dst [1024]
.descriptor out vmem to hbm chunk 1024 counts [8] src [1024] dst [1024]
.descriptor rows vmem to vmem chunk 128 counts [8] src [256] dst [128]
.descriptor some vmem to hbm chunk 1024
.descriptor counted vmem to hbm chunk 1024 counts_words
.message "one " i32 [] ""
.message "two " i32 [2] ""
routine main {
)";
    line("s7 = s.mov 8");
    line("s8 = s.mov 64");
    copy("dst=0, src=0, dstRegion=a, srcRegion=x, descriptor=in");
    copy("dst=0, src=s8, dstRegion=b, srcRegion=x, descriptor=in");
    line("v1 = v.lane");
    line("v2 = v.sublane");
    line("v3 = v.fadd v1, 0.5");
    line("m1 = v.lt v1, 77");
    line("m2 = v.lt v2, 5");
    line("m6 = v.ne v2, 0");
    for (int s = 1; s < 6; ++s)
      line(absl::StrCat("s", s, " = s.mov ", pick(24)));
    const int loops = 1 + pick(3);
    for (int loop = 0; loop < loops; ++loop) {
      // As many results wait at the end of the loop as at its beginning.
      std::array<int, kUnits> carried{};
      for (int unit = 0; unit < kUnits; ++unit) {
        carried[size_t(unit)] = pick(3);
        fill(unit, carried[size_t(unit)]);
      }
      absl::StrAppend(&body, "  loop ", 2 + pick(3), " {\n");
      const int count = 4 + pick(60);
      for (int i = 0; i < count; ++i)
        instruction();
      for (int unit = 0; unit < kUnits; ++unit) {
        fill(unit, carried[size_t(unit)]);
        while (waiting[size_t(unit)] > carried[size_t(unit)])
          pop(unit);
      }
      body += "  }\n";
      popAll();
    }
    if (!pick(4))
      fillQueue();
    for (int v = 0; v < 8; ++v)
      line(absl::StrCat("vst.b32 v", v, ", ", 8 * v, ", region=a"));
    copy("dst=0, src=0, dstRegion=y, srcRegion=a, descriptor=out");
    copy("dst=s8, src=0, dstRegion=y, srcRegion=b, descriptor=out");
    body += "  halt\n}\n";
    return body;
  }

private:
  static constexpr int kUnits = 3; // XLU, EUP, MXU

  int pick(int count) { return int(random() % uint32_t(count)); }
  template <size_t n> std::string one(const char *const (&names)[n]) { return names[pick(int(n))]; }
  std::string vector() { return absl::StrCat("v", pick(10)); }
  std::string mask() { return absl::StrCat("m", 1 + pick(5)); }
  std::string scalar() { return absl::StrCat("s", 1 + pick(5)); }
  // An operand of an instruction, of which immediates are written as its type.
  std::string vectorOrScalar(const std::string &inst) {
    const bool isFloat = inst.starts_with("v.f");
    return pick(3) ? vector() : pick(2) ? scalar() : absl::StrCat(pick(100), isFloat ? ".5" : "");
  }

  void line(const std::string &inst, int delay = 40) {
    absl::StrAppend(&body, "  ", inst, " delay ", delay, "\n");
  }
  int extent() { return 1 + pick(isWide ? 256 : 128); }
  void binary(const std::string &result, const std::string &inst) {
    line(absl::StrCat(result, " = ", inst, " ", vector(), ", ", vectorOrScalar(inst)));
  }
  void copy(const std::string &operands) {
    line(absl::StrCat("dma.start ", operands, ", flag=0"), 0);
    line("wait 1, flag=0");
  }

  // More copies than the queue holds, beside vectors.
  void fillQueue() {
    const bool countsWords = pick(2) == 0;
    line("s6 = s.mov 0");
    body += "  loop 40 {\n";
    line(absl::StrCat("dma.start dst=s6, src=0, dstRegion=z, srcRegion=a, descriptor=",
                      countsWords ? "counted" : "some", ", flag=1"),
         0);
    line("v5 = v.fadd v5, v6", 4);
    line("s6 = s.add s6, 8", 1);
    body += "  }\n";
    line(absl::StrCat("wait ", countsWords ? 40 * 1024 : 40, ", flag=1"), 0);
  }

  // Eight rows of a region, of a width and a stride.
  std::string rows(int shift) {
    constexpr int strides[] = {1, 1, 1, 0, 2, 3, 5, -1};
    const int stride = strides[pick(8)], size = 64 << shift;
    if (stride > 0 && !pick(6)) // the first row is outside, and not accessed
      return absl::StrCat(-stride, ", ", stride, ", region=", pick(2) ? "a" : "b", ", mask=m6");
    std::string address;
    if (stride == 1 && pick(2))
      address = scalar(); // below 32
    else
      address = absl::StrCat(stride < 0 ? 7 + pick(size - 7) : pick(size - 7 * stride));
    return absl::StrCat(address, ", ", stride, ", region=", pick(2) ? "a" : "b",
                        pick(3) ? "" : absl::StrCat(", mask=", mask()));
  }

  void push(int unit, const std::string &inst, int results = 1) {
    while (waiting[size_t(unit)] + results > 4)
      pop(unit);
    line(inst, 10 + pick(30));
    waiting[size_t(unit)] += results;
  }
  void pop(int unit) {
    constexpr const char *units[kUnits] = {"xlu", "eup", "mxu"};
    line("nop", isWide ? 300 : 150);
    line(absl::StrCat(vector(), " = ", units[unit], ".pop"));
    --waiting[size_t(unit)];
  }
  void fill(int unit, int count) {
    constexpr const char *pushes[kUnits] = {"xlu.rotate v1, 5", "eup.exp v1", "mxu.push v1, 8"};
    while (waiting[size_t(unit)] < count)
      push(unit, pushes[unit]);
  }
  void popAll() {
    for (int unit = 0; unit < kUnits; ++unit)
      while (waiting[size_t(unit)] > 0)
        pop(unit);
  }

  void instruction() {
    static const char *const kTwo[] = {"v.fadd", "v.fsub", "v.fmul", "v.fmax", "v.add", "v.xor"};
    static const char *const kCompare[] = {"v.flt", "v.lt", "v.eq", "v.ne"};
    static const char *const kReduce[] = {"xlu.fadd", "xlu.max", "xlu.add"};
    static const char *const kEup[] = {"eup.exp", "eup.tanh", "eup.sin", "eup.rsqrt"};
    switch (pick(20)) {
    case 0:
    case 1: {
      static const char *const kLoads[] = {"vld.b32", "vld.b32", "vld.b32", "vld.bf16",
                                           "vld.s16", "vld.u8",  "vld.f16"};
      const int load = pick(7);
      return line(absl::StrCat(vector(), " = ", kLoads[load], " ",
                               rows(load < 3    ? 0
                                    : load == 5 ? 2
                                                : 1)));
    }
    case 2:
    case 3: {
      static const char *const kStores[] = {"vst.b32",  "vst.b32", "vst.b32",
                                            "vst.bf16", "vst.b16", "vst.b8"};
      const int store = pick(6);
      return line(absl::StrCat(kStores[store], " ", vector(), ", ",
                               rows(store < 3    ? 0
                                    : store == 5 ? 2
                                                 : 1)));
    }
    case 4:
    case 5:
      return binary(vector(), one(kTwo));
    case 6:
      return line(absl::StrCat(vector(), " = v.sel ", mask(), ", ", vector(), ", ", vector()));
    case 7:
      return pick(2) ? binary(mask(), one(kCompare))
                     : line(absl::StrCat(mask(), " = m.xor ", mask(), ", ", mask()));
    case 8:
      return line(absl::StrCat(vector(), " = v.rots ", vector(), ", ",
                               pick(2) ? scalar() : absl::StrCat(pick(9))));
    case 9:
      return line(
          absl::StrCat(vector(), " = v.gathers ", vector(), ", ", vectorOrScalar("v.gathers")));
    case 10: // registers are exchanged in a bundle
      body += absl::StrCat("  { v4 = v.mov v5\n    v5 = v.mov v4 } delay 40\n");
      return;
    case 11:
      return push(0, absl::StrCat(one(kReduce), " ", vector()));
    case 12:
      return push(0, pick(2) ? absl::StrCat("xlu.rotate ", vector(), ", ", scalar())
                             : absl::StrCat("xlu.bcast ", vector(), ", ", pick(128)));
    case 13:
      if (pick(2))
        return push(0, absl::StrCat("xlu.gather ", vector(), ", ", vector()));
      line(absl::StrCat("xlu.tr ", vector()), 10);
      return push(0, absl::StrCat("xlu.tr.end ", vector(), ", pops=2"), 2);
    case 14:
      return push(1, absl::StrCat(one(kEup), " ", vector()));
    case 15:
      line(absl::StrCat(pick(3) ? "mxu.latch " : "mxu.latch.t ", vector(), ", ",
                        pick(isWide ? 64 : 16)),
           10);
      return pick(2) ? line(absl::StrCat("mxu.swap ", extent(), ", ", extent()), 300) : void();
    case 16:
      if (isWide && pick(2)) {
        const int depths = 1 + pick(2), columns = 1 + pick(2);
        return push(2,
                    absl::StrCat("mxu.push.wide ", vector(), ", ", vector(), ", ",
                                 pick(4) ? 8 : pick(9), ", ", depths, ", ", columns),
                    depths * columns);
      }
      return push(2, absl::StrCat("mxu.push ", vector(), ", ", pick(4) ? 8 : pick(9)));
    case 19:
      line(absl::StrCat("log.word ", scalar(), ", 0"), pick(3));
      return pick(2) ? line("log.word s1, 1\n  log.word s2, 1") : void();
    case 17:
      if (pick(2))
        return copy("dst=s7, src=0, dstRegion=b, srcRegion=a, descriptor=rows");
      // A scalar of the data, which is the address of later accesses.
      line(absl::StrCat("v2s ", vector(), ", ", pick(8), ", ", pick(128)));
      line("s6 = v2s.pop");
      return line(absl::StrCat(scalar(), " = s.and s6, 31"));
    default:
      for (int unit = 0; unit < kUnits; ++unit)
        if (waiting[size_t(unit)] > 0)
          pop(unit);
    }
  }

  const bool isWide;
  std::mt19937 random;
  std::string body;
  std::array<int, kUnits> waiting{};
};

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_RANDOMPROGRAM_H
