// The program verifier: a program that keeps each rule and one that breaks it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Verify.h"

#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string verifyText(const std::string &text, const Limits &limits = testLimits()) {
  return std::string(verifyProgram(mustAssemble(text), limits).message());
}
std::string verifyBody(const std::string &body, const Limits &limits = testLimits()) {
  return verifyText(withBody(body), limits);
}

// One rule: a body that keeps it and one that breaks it, with the diagnostic.
struct Rule {
  const char *good, *bad, *error;
};
void expectRules(std::initializer_list<Rule> rules) {
  for (const Rule &rule : rules) {
    EXPECT_EQ(verifyBody(rule.good), "") << rule.good;
    EXPECT_THAT(verifyBody(rule.bad), HasSubstr(rule.error)) << rule.bad;
  }
}

// Replaces an operand of a bundle's first instruction, to values that the
// assembler would reject.
void setOperand(Program &program, size_t bundle, size_t operand, int32_t value) {
  auto decoded = isa::decode(program.code[bundle]);
  ASSERT_TRUE(decoded.ok());
  decoded->insts[0].operands[operand].value = value;
  program.code[bundle] = *isa::encode(*decoded);
}

std::string verifyWith(const std::string &body, size_t bundle, size_t operand, int32_t value) {
  Program program = mustAssemble(withBody(body));
  setOperand(program, bundle, operand, value);
  return std::string(verifyProgram(program, testLimits()).message());
}

// A machine with two loads, pushes and pops in a bundle and MXUs of 256.
Limits wideLimits() {
  Limits limits = testLimits();
  limits.bundle = {{2, 2, 2, 1, 2, 2}, 4};
  limits.mxuSize = 256;
  return limits;
}
std::string verifyWide(const std::string &body) {
  return verifyText(absl::StrCat(".program wide\n.bundle vload 2 push 2 pop 2\n",
                                 withBody(body).substr(sizeof ".program test")),
                    wideLimits());
}

TEST(Verify, BundleFormats) {
  EXPECT_EQ(verifyWide("nop"), "");
  EXPECT_THAT(verifyBody("nop", wideLimits()),
              HasSubstr("the program's bundles have 1 vload slots, the machine's 2"));
  Limits limits = testLimits();
  limits.bundle.immediates = 5;
  EXPECT_THAT(verifyBody("nop", limits), HasSubstr("4 shared immediates, the machine's 5"));
}

TEST(Verify, PairsOfABundleHaveAnOrder) {
  EXPECT_EQ(verifyWide("mxu.push v1, 8\nmxu.push v1, 8, mxu=1 delay 20\n"
                       "{ v1 = mxu.pop; v2 = mxu.pop mxu=1 }"),
            "");
  EXPECT_THAT(verifyWide("mxu.push v1, 8 delay 7\nmxu.push v1, 8 delay 20\n"
                         "{ v1 = mxu.pop; v2 = mxu.pop }"),
              HasSubstr("two results are popped from the FIFO of mxu.pop"));
  EXPECT_EQ(verifyWide("{ mxu.swap 1, 1; mxu.push v1, 8, mxu=1 } delay 20\nv1 = mxu.pop mxu=1"),
            "");
  EXPECT_THAT(verifyWide("{ mxu.swap 1, 1; mxu.push v1, 8 } delay 20\nv1 = mxu.pop"),
              HasSubstr("mxu.swap and mxu.push of MXU 0"));
}

TEST(Verify, ExtentsFollowTheSizeOfMxus) {
  EXPECT_EQ(verifyWide("mxu.latch v1, 63"), "");
  EXPECT_THAT(verifyWide("mxu.latch v1, 64"), HasSubstr("group 64 is not in 0 to 63"));
  EXPECT_EQ(verifyWide("mxu.swap 256, 256"), "");
  EXPECT_THAT(verifyWide("mxu.swap 257, 0"), HasSubstr("k 257 is not in 0 to 256"));
  const std::string push = "mxu.push.wide v1, v2, 8, 2, 2 delay 20\n", pop = "v1 = mxu.pop\n";
  EXPECT_EQ(verifyWide(push + pop + pop + pop + pop), "");
  EXPECT_THAT(verifyWide(push + pop + pop + pop), HasSubstr("1 results in the MXU FIFO"));
  EXPECT_THAT(verifyBody(push), HasSubstr("depths 2 is not in 1 to 1"));
  EXPECT_THAT(verifyWide("mxu.push.wide v1, v2, 8, 1, 3"), HasSubstr("columns 3 is not in 1 to 2"));
}

TEST(Verify, Operands) {
  expectRules({
      {"v1 = vld.b32 0, region=vx", "v1 = vld.b32 0, region=9", "vld.b32: region 9 of 5"},
      {"vst.b8 v1, 0, region=vx", "vst.b8 v1, 0, region=hx", "`hx` is in hbm, not in vmem"},
      {"s1 = s.ld 0, region=sx", "s1 = s.ld 0, region=vx", "`vx` is in vmem, not in smem"},
      {"s1 = s.ld 15, region=sx", "s1 = s.ld 16, region=sx",
       "s.ld: word 16 of region `sx`, which has 16"},
      {"s.st s1, 0, region=sx", "s.st s1, -1, region=sx", "word -1 of region"},
      {"v1 = vld.b32 56, region=vx", "v1 = vld.b32 57, region=vx",
       "vld.b32: row 57 to 64 of region `vx`, which has 64"},
      {"v1 = vld.b32 7, stride=8, region=vx", "v1 = vld.b32 8, stride=8, region=vx", "row 8 to 64"},
      {"v1 = vld.b32 7, stride=-1, region=vx", "v1 = vld.b32 6, stride=-1, region=vx",
       "row -1 to 6"},
      {"v1 = vld.b32 0, offset=56, region=vx", "v1 = vld.b32 0, offset=57, region=vx", "row 57"},
      {"v1 = vld.bf16 120, region=vx", "v1 = vld.bf16 121, region=vx", "which has 128"},
      {"vst.b8 v1, 248, region=vx", "vst.b8 v1, 249, region=vx", "which has 256"},
      // Addresses in registers and masked accesses are checked by the emulator.
      {"v1 = vld.b32 s1, offset=100, region=vx", "v1 = vld.b32 0, offset=100, region=vx",
       "row 100"},
      {"v1 = vld.b32 57, mask=m1, region=vx", "v1 = vld.b32 57, mask=m0, region=vx", "row 57"},
      {"trap s1, code=0", "trap s1, code=1", "message 1 is not in 0 to 0"},
      {"flag.add 1, core=-1, flag=0", "flag.add 1, core=1, flag=0", "core 1 is not in -1 to 0"},
      {"mxu.latch v1, 15", "mxu.latch v1, 16", "group 16 is not in 0 to 15"},
      {"mxu.swap 128, 0", "mxu.swap 129, 0", "k 129 is not in 0 to 128"},
      {"mxu.swap 0, 128", "mxu.swap 0, -1", "n -1 is not in 0 to 128"},
      {"mxu.push v1, 8 delay 30\nv2 = mxu.pop", "mxu.push v1, 9", "rows 9 is not in 0 to 8"},
      {"mxu.swap 1, 1, mxu=1", "mxu.swap 1, 1, mxu=2", "MXU 2 is not in 0 to 1"},
      {"xlu.tr.end v1, pops=1 delay 9\nv1 = xlu.pop", "xlu.tr.end v1, pops=17",
       "results 17 is not in 1 to 16"},
      {"{ s1 = s.mov 1; s2 = s.mov 2 }", "{ s1 = s.mov 1; s1 = s.add 2, 3 }",
       "s1 is written by two instructions"},
  });
}

TEST(Verify, Copies) {
  const char *good = "dma.start 0, 0, vx, hx, descriptor=load, flag=0";
  expectRules({
      {good, "dma.start 0, 0, vx, hx, descriptor=2, flag=0", "descriptor 2 of 2"},
      {good, "dma.start 0, 0, sx, hx, descriptor=load, flag=0", "`sx` is in smem, not in vmem"},
      {good, "dma.start 0, 0, vx, vx, descriptor=load, flag=0", "`vx` is in vmem, not in hbm"},
      {good, "dma.start 0, 0, vx, 77, descriptor=load, flag=0", "region 77 of 5"},
      {good, "dma.start 1, 0, vx, hx, descriptor=load, flag=0",
       "destination words 128 to 8319 of region `vx`, which has 8192"},
      {"dma.start 0, 0, vy, hx, count=1, descriptor=load, flag=0",
       "dma.start 0, 0, vy, hx, count=2, descriptor=load, flag=0", "destination words 0 to 2047"},
      {"dma.start 0, 56, vx, hx, count=1, descriptor=load, flag=0",
       "dma.start 0, 57, vx, hx, count=1, descriptor=load, flag=0",
       "source words 7296 to 8319 of region `hx`, which has 8192"},
      {"dma.start 99, 99, vx, hx, count=0, descriptor=load, flag=0",
       "dma.start -1, 0, vx, hx, descriptor=load, flag=0", "destination words -128"},
      {"dma.start s1, s1, s2, s3, descriptor=load, flag=0",
       "dma.start 0, 0, vx, hx, count=-2, descriptor=load, flag=0", "count -2"},
      // Words on both sides.
      {"dma.start 0, 8176, sx, hx, descriptor=index, flag=0",
       "dma.start 0, 8177, sx, hx, descriptor=index, flag=0", "source words 8177 to 8192"},
      {"dma.start 0, 0, sx, hx, descriptor=index, flag=0",
       "dma.start 1, 0, sx, hx, descriptor=index, flag=0", "destination words 1 to 16"},
  });
}

TEST(Verify, Features) {
  Limits limits = testLimits();
  EXPECT_THAT(verifyBody("mxu.latch.s8 v1, 0"), HasSubstr("the machine has no `mxu_int8`"));
  EXPECT_THAT(verifyBody("v1 = v.add.bf16 v2, v3"), HasSubstr("the machine has no `bf16_valu`"));
  limits.features.insert("mxu_int8");
  EXPECT_EQ(verifyBody("mxu.latch.s8 v1, 0", limits), "");
}

TEST(Verify, MachineSizes) {
  const std::string text = withBody("nop");
  const std::pair<void (*)(Limits &), const char *> changes[] = {
      {[](Limits &l) { l.hbmRows = 71; }, "uses 72 rows of hbm; the machine has 71"},
      {[](Limits &l) { l.vmemRows = 71; }, "uses 72 rows of vmem; the machine has 71"},
      {[](Limits &l) { l.smemWords = 15; }, "uses 16 words of smem; the machine has 15"},
      {[](Limits &l) { l.dmaDimensions = 1; }, "descriptor 0 has 2 dimensions"},
      {[](Limits &l) { l.instructionMemoryBundles = 1; }, "2 bundles without overlays"},
  };
  for (const auto &[change, error] : changes) {
    Limits limits = testLimits();
    change(limits);
    EXPECT_THAT(verifyText(text, limits), HasSubstr(error));
  }
  Limits exact = testLimits();
  exact.hbmRows = exact.vmemRows = 72;
  exact.smemWords = 16;
  exact.instructionMemoryBundles = 2;
  EXPECT_EQ(verifyText(text, exact), "");
}

TEST(Verify, Overlays) {
  Limits limits = testLimits();
  limits.instructionMemoryBundles = 5;
  auto text = [](const char *overlays) {
    return absl::StrCat(kPrelude, overlays,
                        "routine main {\n overlay 1\n call f\n overlay 2\n call g\n halt\n}\n"
                        "routine f { ret }\nroutine g { ret }\n");
  };
  // Overlay 0 and a routine at a time need 6 bundles.
  const char *good = ".overlay bundles 0 5\n.overlay bundles 5 6\n.overlay bundles 6 7\n";
  EXPECT_THAT(verifyText(text(good), limits),
              HasSubstr("overlay 1 of 1 bundles is at address 5; instruction memory has 5"));
  limits.instructionMemoryBundles = 6;
  EXPECT_EQ(verifyText(text(good), limits), "");
  EXPECT_THAT(verifyText(text(".overlay bundles 0 5\n.overlay bundles 5 6\n"), limits),
              HasSubstr("bundle 6 (routine `g`): is in no overlay"));
  EXPECT_THAT(verifyText(text(".overlay bundles 1 5\n.overlay bundles 0 1\n"
                              ".overlay bundles 5 7\n"),
                         limits),
              HasSubstr("does not begin in overlay 0"));
  EXPECT_THAT(verifyText(text(".overlay bundles 0 5\n.overlay bundles 5 7\n"), testLimits()),
              HasSubstr("overlay: overlay 2 is not in 0 to 1"));
  EXPECT_EQ(verifyText(text(".overlay bundles 0 5\n.overlay bundles 5 6 at 7\n"
                            ".overlay bundles 6 7 at 6\n"),
                       testLimits()),
            "");
  EXPECT_THAT(verifyText(text(".overlay bundles 0 5\n.overlay bundles 5 6 at 4\n"
                              ".overlay bundles 6 7\n"),
                         testLimits()),
              HasSubstr("overlay 1 is at address 4 of instruction memory; overlay 0 ends at 5"));
  EXPECT_THAT(verifyText(text(".overlay bundles 0 5 at 1\n.overlay bundles 5 6\n"
                              ".overlay bundles 6 7\n"),
                         testLimits()),
              HasSubstr("overlay 0 is at address 1 of instruction memory; overlay 0 begins at 0"));
}

TEST(Verify, Routines) {
  Program program = mustAssemble(
      absl::StrCat(kPrelude, "routine main { call f\n halt\n}\nroutine f { nop\n ret\n}\n"));
  const Limits limits = testLimits();
  EXPECT_EQ(verifyProgram(program, limits), absl::OkStatus());
  Program gap = program;
  gap.header.mutable_routines(1)->mutable_bundles()->set_begin(3);
  EXPECT_THAT(std::string(verifyProgram(gap, limits).message()),
              HasSubstr("routine `f` begins at bundle 3, the code before it ends at 2"));
  Program swapped = program;
  swapped.header.mutable_routines()->SwapElements(0, 1);
  swapped.header.set_entry(1);
  setOperand(swapped, 0, 0, 0);
  EXPECT_EQ(verifyProgram(swapped, limits), absl::OkStatus());
  Program tail = program;
  tail.code.push_back(tail.code[2]);
  EXPECT_THAT(std::string(verifyProgram(tail, limits).message()),
              HasSubstr("bundles from 4 belong to no routine"));
  Program call = program;
  setOperand(call, 0, 0, 2);
  EXPECT_THAT(std::string(verifyProgram(call, limits).message()),
              HasSubstr("call of routine 2 of 2"));
  setOperand(call, 0, 0, -1);
  EXPECT_THAT(std::string(verifyProgram(call, limits).message()), HasSubstr("call of routine -1"));
}

std::string routines(const std::string &code) { return absl::StrCat(kPrelude, code); }

TEST(Verify, EndsOfRoutines) {
  EXPECT_THAT(verifyText(routines("routine main { nop }")),
              HasSubstr("the last bundle of the entry routine needs `halt`"));
  EXPECT_THAT(verifyText(routines("routine main { ret }")), HasSubstr("needs `halt`"));
  EXPECT_THAT(verifyText(routines("routine main { halt }\nroutine f { halt }")),
              HasSubstr("the last bundle of a routine needs `ret`"));
  EXPECT_THAT(verifyBody("halt"), HasSubstr("`halt` is not the last bundle"));
  EXPECT_THAT(verifyBody("if s1 { halt }"), HasSubstr("`halt` is not the last bundle"));
  EXPECT_THAT(verifyText(routines("routine main { halt }\nroutine f { loop 2 { ret }\n ret\n}")),
              HasSubstr("`ret` is not the last bundle"));
}

TEST(Verify, Blocks) {
  const std::string loop = "loop 2 { nop\n nop\n }\nnop";
  EXPECT_EQ(verifyBody(loop), "");
  EXPECT_THAT(verifyWith(loop, 0, 1, 0), HasSubstr("a block of 0 bundles where 4 are left"));
  EXPECT_THAT(verifyWith(loop, 0, 1, -1), HasSubstr("a block of -1 bundles"));
  EXPECT_THAT(verifyWith(loop, 0, 1, 5), HasSubstr("a block of 5 bundles where 4 are left"));
  EXPECT_THAT(verifyWith(loop, 0, 1, INT32_MAX), HasSubstr("a block of 2147483647"));
  const std::string nested = "loop 2 { if s1 { nop }\n nop }\nnop";
  EXPECT_EQ(verifyBody(nested), "");
  EXPECT_EQ(verifyWith(nested, 1, 1, 2), "");
  EXPECT_THAT(verifyWith(nested, 1, 1, 3), HasSubstr("a block of 3 bundles where 2 are left"));
  EXPECT_THAT(verifyWith(nested, 1, 2, 2), HasSubstr("a block of 2 bundles where 1 are left"));
}

TEST(Verify, Exits) {
  EXPECT_EQ(verifyBody("while { nop\n exit s1\n nop\n }"), "");
  EXPECT_EQ(verifyBody("while { while { exit s2\n }\n exit s1\n }"), "");
  EXPECT_THAT(verifyBody("while { nop }"), HasSubstr("has 0 `exit`s directly in it"));
  EXPECT_THAT(verifyBody("while { exit s1\n exit s2 }"), HasSubstr("has 2 `exit`s"));
  EXPECT_THAT(verifyBody("while { if s1 { exit s1 } }"),
              HasSubstr("`exit` is not directly in the body of a `while`"));
  EXPECT_THAT(verifyBody("exit s1"), HasSubstr("`exit` is not directly"));
  EXPECT_THAT(verifyBody("while { loop 2 { exit s1 } }"), HasSubstr("`exit` is not directly"));
}

TEST(Verify, LoopDepth) {
  EXPECT_EQ(verifyBody("loop 2 { loop 2 { loop 2 { nop\n }\n }\n }"), "");
  EXPECT_THAT(verifyBody("loop 2 { loop 2 { loop 2 { loop 2 { nop\n }\n }\n }\n }"),
              HasSubstr("loops nest deeper than 3"));
  // Also across a call.
  auto across = [](const char *callee) {
    return routines(absl::StrCat("routine main { loop 2 { loop 2 { call f\n }\n }\n halt\n}\n",
                                 "routine f { ", callee, "\n ret\n}\n"));
  };
  EXPECT_EQ(verifyText(across("loop 2 { nop\n }")), "");
  EXPECT_THAT(verifyText(across("loop 2 { loop 2 { nop\n }\n }")),
              HasSubstr("loops nest deeper than 3, with those of called routines"));
}

TEST(Verify, BlockDepthIsBounded) {
  // 100,000 nested ifs, each around the rest.
  Program program = mustAssemble(withBody("if s1 { nop }"));
  const isa::EncodedBundle halt = program.code.back();
  isa::Bundle bundle = *isa::decode(program.code[0]);
  program.code.clear();
  constexpr int kDepth = 100000;
  for (int i = 0; i < kDepth; ++i) {
    bundle.insts[0].operands[1].value = kDepth - 1 - i;
    program.code.push_back(*isa::encode(bundle));
  }
  program.code.push_back(halt);
  program.header.mutable_routines(0)->mutable_bundles()->set_end(kDepth + 1);
  Limits limits = testLimits();
  limits.instructionMemoryBundles = kDepth + 1;
  EXPECT_THAT(std::string(verifyProgram(program, limits).message()),
              HasSubstr("blocks nest deeper than 64"));
}

TEST(Verify, Calls) {
  EXPECT_EQ(verifyText(routines("routine main { call f\n halt\n}\nroutine f { call g\n ret\n}\n"
                                "routine g { ret }")),
            "");
  EXPECT_THAT(verifyText(routines("routine main { call f\n halt\n}\nroutine f { call g\n ret\n}\n"
                                  "routine g { call h\n ret\n}\nroutine h { ret }")),
              HasSubstr("calls nest deeper than 2"));
  EXPECT_THAT(verifyText(routines("routine main { call f\n halt\n}\nroutine f { call f\n ret\n}")),
              HasSubstr("routine `f` calls itself"));
  EXPECT_THAT(verifyText(routines("routine main { halt }\nroutine f { call g\n ret\n}\n"
                                  "routine g { call f\n ret\n}")),
              HasSubstr("routine `f` calls itself"));
  EXPECT_THAT(verifyText(routines("routine main { call main\n halt\n}")),
              HasSubstr("call of the entry routine"));
}

// A chain of calls as long as a hostile program can make it.
TEST(Verify, CallDepthIsBounded) {
  std::string text = routines("routine main { call f0\n halt\n}\n");
  constexpr int kLength = 20000;
  for (int i = 0; i < kLength; ++i)
    absl::StrAppend(&text, "routine f", i, " { call f", i + 1, "\n ret\n}\n");
  absl::StrAppend(&text, "routine f", kLength, " { ret }\n");
  Limits limits = testLimits();
  limits.callDepth = INT32_MAX;
  limits.instructionMemoryBundles = INT32_MAX;
  EXPECT_THAT(verifyText(text, limits), HasSubstr("calls nest deeper than 256"));
}

TEST(Verify, Latencies) {
  expectRules({
      // Scalar results after 2 cycles.
      {"s1 = s.mov 1 delay 1\ns2 = s.add s1, 1", "s1 = s.mov 1\ns2 = s.add s1, 1",
       "s.add: s1 is read 1 cycles before its result arrives"},
      {"v1 = vld.b32 0, region=vx delay 3\nv2 = v.mov v1",
       "v1 = vld.b32 0, region=vx delay 2\nv2 = v.mov v1", "v.mov: v1 is read 1 cycles before"},
      {"m1 = v.eq v1, v2\nnop\nv1 = v.sel m1, v1, v2", "m1 = v.eq v1, v2\nv1 = v.sel m1, v1, v2",
       "m1 is read"},
      {"{ s1 = s.mov s1; s2 = s.add s1, 1 }", "{ s1 = s.mov s1; s2 = s.add s1, 1 }\ns3 = s.mov s2",
       "s2 is read"},
      // A wait may stall for any time; its own bundle issues before.
      {"s1 = s.mov 1\nwait 1, flag=0\ns2 = s.mov s1",
       "s1 = s.mov 1\n{ wait 1, flag=0; s2 = s.mov s1 }", "s1 is read"},
      // So may the code before and after a block.
      {"s1 = s.mov 1\nloop 2 { s2 = s.mov s1\n }", "s1 = s.mov 1\nloop s1 { nop\n }", "s1 is read"},
      {"if s1 { s2 = s.mov 1\n } else { s3 = s.mov s2\n }",
       "if s1 { s2 = s.mov 1\n s3 = s.mov s2\n }", "s2 is read"},
      // Two writes: the later one arrives later.
      {"v1 = vld.b32 0, region=vx delay 2\nv1 = v.mov 0", // arrives at 5 after 4
       "v1 = vld.b32 0, region=vx delay 1\nv1 = v.mov 0", "still waits for an earlier result"},
  });
}

TEST(Verify, Fifos) {
  expectRules({
      {"eup.exp v1 delay 5\nv2 = eup.pop", "eup.exp v1 delay 4\nv2 = eup.pop",
       "eup.pop: pops 1 cycles before the result arrives"},
      {"nop", "v2 = eup.pop", "eup.pop: the EUP FIFO is empty"},
      {"eup.exp v1\neup.exp v2 delay 5\nv1 = eup.pop\nv2 = eup.pop",
       "eup.exp v1\neup.exp v2\neup.exp v3", "the EUP FIFO of 2 results is full"},
      // A pop makes room for the push of its own bundle.
      {"eup.exp v1\neup.exp v2 delay 5\n{ v1 = eup.pop; eup.exp v3 } delay 6\n"
       "v1 = eup.pop\nv2 = eup.pop",
       "eup.exp v1\neup.exp v2 delay 5\n{ eup.exp v3 } delay 6\nv1 = eup.pop", "full"},
      // Nothing is left at the end.
      {"nop", "eup.exp v1", "`halt` with 1 results in the EUP FIFO"},
      {"xlu.fadd v1 delay 9\nv1 = xlu.pop", "xlu.fadd v1 delay 9\nv1 = eup.pop",
       "the EUP FIFO is empty"},
      {"mxu.push v1, 8, mxu=1 delay 19\nv1 = mxu.pop mxu=1",
       "mxu.push v1, 8, mxu=1 delay 19\nv1 = mxu.pop mxu=0", "the MXU FIFO is empty"},
      {"v2s v1, 0, 0 delay 1\ns1 = v2s.pop", "v2s v1, 0, 0\ns1 = v2s.pop", "pops 1 cycles before"},
      {"xlu.tr v1\nxlu.tr.end v2, pops=4 delay 1\n"
       "v1 = xlu.pop\nv2 = xlu.pop\nv3 = xlu.pop\nv4 = xlu.pop",
       "xlu.tr v1\nxlu.tr.end v2, pops=5", "the XLU FIFO of 4 results is full"},
  });
}

TEST(Verify, FifosOverBlocks) {
  expectRules({
      // Software pipelining: one result is always in flight.
      {"eup.exp v1 delay 5\nloop s1 { { v1 = eup.pop; eup.exp v2 } delay 5\n }\nv1 = eup.pop",
       "loop s1 { eup.exp v2 delay 5\n }\nv1 = eup.pop",
       "the body of the loop leaves 1 results in the EUP FIFO instead of 0"},
      {"if s1 { eup.exp v1 } else { eup.log v1 }\nnop delay 9\nv1 = eup.pop",
       "if s1 { eup.exp v1 }\nnop delay 9\nv1 = eup.pop",
       "the other branch of the `if` leaves 0 results in the EUP FIFO instead of 1"},
      // A while is left at its exit.
      {"while { eup.exp v1 delay 9\n exit s1\n v1 = eup.pop\n }\nv2 = eup.pop",
       "while { eup.exp v1 delay 9\n exit s1\n v1 = eup.pop\n }", "`halt` with 1 results"},
      {"while { eup.exp v1 delay 9\n exit s1\n while { exit s1\n }\n v1 = eup.pop\n }\nv2 = "
       "eup.pop",
       "while { eup.exp v1 delay 9\n exit s1\n }\nv2 = eup.pop", "the body of the loop leaves 1"},
      // Full in a later iteration is full in the first.
      {"loop 4 { eup.exp v1 delay 5\n v1 = eup.pop\n }",
       "eup.exp v1\neup.exp v1\nloop 4 { { eup.exp v1 } delay 9\n v1 = eup.pop\n }", "is full"},
  });
  EXPECT_THAT(verifyText(routines("routine main { eup.exp v1\n call f\n v1 = eup.pop\n halt\n}\n"
                                  "routine f { ret }")),
              HasSubstr("`call` with 1 results in the EUP FIFO"));
  EXPECT_THAT(verifyText(routines("routine main { call f\n halt\n}\n"
                                  "routine f { eup.exp v1\n ret\n}")),
              HasSubstr("`ret` with 1 results in the EUP FIFO"));
}

TEST(Verify, Intervals) {
  expectRules({
      // Reductions take the XLU 4 cycles, pushes an MXU 8.
      {"xlu.fadd v1 delay 3\nxlu.fadd v2 delay 9\nv1 = xlu.pop\nv1 = xlu.pop",
       "xlu.fadd v1 delay 2\nxlu.fadd v2", "xlu.fadd: its unit is busy for 1 more cycles"},
      {"mxu.push v1, 8 delay 7\nmxu.push v1, 8 delay 19\nv1 = mxu.pop\nv1 = mxu.pop",
       "mxu.push v1, 8 delay 6\nmxu.push v1, 8", "mxu.push: its unit is busy"},
      // Latch, swap and the other MXU are separate units.
      {"mxu.push v1, 8\nmxu.latch v1, 0\nmxu.latch v1, 0, mxu=1 delay 20\nv1 = mxu.pop",
       "mxu.latch v1, 0\nmxu.latch.t v1, 0", "mxu.latch.t: its unit is busy for 7 more cycles"},
      // A swap waits for its latch, pushes and latches for the swap (2 cycles, 1).
      {"mxu.latch v1, 0 delay 7\nmxu.swap 1, 1", "mxu.latch v1, 0 delay 6\nmxu.swap 1, 1",
       "mxu.swap: comes 1 cycles before the latched rows arrive"},
      {"mxu.latch v1, 0\nmxu.swap 1, 1, mxu=1", "mxu.latch v1, 0\nmxu.swap 1, 1, mxu=0",
       "comes 7 cycles before"},
      {"mxu.swap 1, 1 delay 1\nmxu.push v1, 8 delay 19\nv1 = mxu.pop",
       "mxu.swap 1, 1\nmxu.push v1, 8", "mxu.push: its unit is busy for 1 more cycles"},
      {"mxu.swap 1, 1\nmxu.latch v1, 0", "mxu.latch v1, 0 delay 6\nmxu.latch v1, 0",
       "mxu.latch: its unit is busy"},
  });
}

TEST(Verify, TransposedBlocks) {
  const std::string push = "xlu.tr v1\n";
  std::string rows;
  for (int i = 0; i < 15; ++i)
    rows += push;
  const std::string end = "xlu.tr.end v1, pops=1 delay 1\nv1 = xlu.pop";
  EXPECT_EQ(verifyBody(rows + end), "");
  EXPECT_THAT(verifyBody(rows + push), HasSubstr("a block of more than 16 pushes"));
  EXPECT_THAT(verifyBody(push + "xlu.fadd v1"), HasSubstr("the XLU is collecting a block"));
  EXPECT_THAT(verifyBody(push), HasSubstr("`halt` inside a block of `xlu.tr`"));
  // A loop of pushes is not counted here.
  EXPECT_EQ(verifyBody("loop s1 { xlu.tr v1\n }\n" + end), "");
}

TEST(Verify, NamesThePlace) {
  const std::string body =
      "kernel k source \"a.py:7\" { nop\n source \"a.py:8\" { v1 = eup.pop\n }\n"
      "v1 = eup.pop\n }";
  EXPECT_THAT(verifyBody(body), StartsWith("bundle 1 (kernel `k`, at a.py:8): eup.pop: "));
  Program program = mustAssemble(withBody("nop"));
  program.code[0][63] = 1;
  EXPECT_THAT(std::string(verifyProgram(program, testLimits()).message()),
              HasSubstr("bundle 0 (routine `main`): immediate 3 is unused but not zero"));
}

} // namespace
} // namespace systole
