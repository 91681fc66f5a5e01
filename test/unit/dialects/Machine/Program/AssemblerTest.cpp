// From the text form of programs to programs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <random>

#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string errorOf(const std::string &text) {
  auto program = assemble(text);
  return program.ok() ? "" : std::string(program.status().message());
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

TEST(Assembler, OperandsByPlaceNameAndDefault) {
  const Program program = mustAssemble(withBody(R"(
    v1 = vld.b32 s2, 3, m4, -5, vx
    v1 = vld.b32 s2, region=vx, offset=-5, mask=m4, stride=3
    v1 = vld.b32 s2, region=vx
  )"));
  const isa::Bundle first = bundleAt(program, 0);
  ASSERT_EQ(first.insts.size(), 1u);
  using K = Operand::Kind;
  const Inst &inst = first.insts[0];
  EXPECT_EQ(inst.opcode, Opcode::vld_b32);
  EXPECT_THAT(std::vector(inst.operands.begin(), inst.operands.begin() + 6),
              ElementsAre(Operand{K::Vector, 1}, Operand{K::Scalar, 2}, Operand{K::Immediate, 3},
                          Operand{K::Mask, 4}, Operand{K::Immediate, -5},
                          Operand{K::Immediate, 2}));
  EXPECT_EQ(bundleAt(program, 1), first);
  const Inst defaults = bundleAt(program, 2).insts.at(0);
  EXPECT_EQ(defaults.operands[2], (Operand{K::Immediate, 1}));
  EXPECT_EQ(defaults.operands[3], (Operand{K::Mask, 0}));
  EXPECT_EQ(defaults.operands[4], (Operand{K::Immediate, 0}));
}

TEST(Assembler, BundleFormats) {
  const std::string head = ".program wide\n.bundle valu 4 push 2 immediates 6\n";
  const std::string code = "routine main {\n{ v1 = v.mov 1; v2 = v.mov 2; v3 = v.mov 3\n"
                           "v4 = v.mov 4; xlu.rotate v5, 5; eup.exp v6 }\nhalt\n}\n";
  const Program program = mustAssemble(head + code);
  const isa::BundleFormat format = formatOf(program.header);
  EXPECT_EQ(format, (isa::BundleFormat{{2, 4, 1, 1, 2, 1}, 6}));
  EXPECT_EQ(isa::decode(program.code[0], format)->insts.size(), 6u);
  expectRoundTrip(program);
  auto bytes = serializeProgram(program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(parseProgram(*bytes)->code, program.code);
  EXPECT_THAT(errorOf(".program wide\n" + code), HasSubstr("only 2 valu slots"));
  EXPECT_THAT(errorOf(".program wide\n.bundle valu 9\n"), HasSubstr("9 valu slots, not 2 to 8"));
  EXPECT_THAT(errorOf(".program wide\n.bundle mxu 2\n"), HasSubstr("a slot or `immediates`"));
}

TEST(Assembler, BundlesDelaysAndOrder) {
  const Program program = mustAssemble(withBody(R"(
    { v1 = eup.pop; s1 = s.mov 1; wait 2, flag=3 } delay 9   // a comment
    nop
    {
      s1 = s.mov 1

      s2 = s.mov 0x10
    }
    {} delay 65535
  )"));
  const isa::Bundle first = bundleAt(program, 0);
  ASSERT_EQ(first.insts.size(), 3u);
  EXPECT_EQ(first.delay, 9);
  EXPECT_EQ(first.insts[0].opcode, Opcode::wait);
  EXPECT_EQ(first.insts[1].opcode, Opcode::s_mov);
  EXPECT_EQ(first.insts[2].opcode, Opcode::eup_pop);
  EXPECT_EQ(bundleAt(program, 1), isa::Bundle());
  EXPECT_EQ(bundleAt(program, 2).insts.at(1).operands[1].value, 16);
  EXPECT_EQ(bundleAt(program, 3).delay, 65535);
}

TEST(Assembler, LengthsOfControl) {
  const Program program = mustAssemble(absl::StrCat(kPrelude, R"(
  routine helper { ret }
  routine main {
    loop s1 with { s2 = s.mov 0 } delay 2 {
      if s3 { nop
        nop
      } else { nop }
      while { exit s1
      }
    }
    if s1 { nop }
    call helper
    call last
    halt
  }
  routine last { ret }
  )"));
  EXPECT_EQ(program.header.entry(), 1);
  const isa::Bundle loop = bundleAt(program, 1);
  EXPECT_EQ(loop.delay, 2);
  EXPECT_EQ(loop.insts.at(0).opcode, Opcode::loop);
  EXPECT_EQ(loop.insts[0].operands[1].value, 6);
  EXPECT_EQ(loop.insts.at(1).opcode, Opcode::s_mov);
  const Inst branch = bundleAt(program, 2).insts.at(0);
  EXPECT_EQ(branch.operands[1].value, 2);
  EXPECT_EQ(branch.operands[2].value, 1);
  EXPECT_EQ(bundleAt(program, 6).insts.at(0).operands[0].value, 1); // while
  EXPECT_EQ(bundleAt(program, 8).insts.at(0).operands[2].value, 0); // no else
  EXPECT_EQ(bundleAt(program, 10).insts.at(0).operands[0].value, 0);
  EXPECT_EQ(bundleAt(program, 11).insts.at(0).operands[0].value, 2);
}

TEST(Assembler, NumbersAndNames) {
  const Program program = mustAssemble(absl::StrCat(R"(.program numbers
    .define eight 8
    .define half 0.5
    .region a hbm eight
    .region b vmem eight
  routine main {
    s1 = s.mov eight
    s1 = s.mov b
    v1 = v.mov half
    v1 = v.fadd v0, -1.5e0f
    v1 = v.fadd v0, #2
    v1 = v.fadd v0, 0
    s1 = s.mov 0xffffffff
    s1 = s.mov -2147483648
    v1 = v.fmax v0, -inf
    trap s1, "no"
    trap s1, "other"
    trap s1, "no"
    halt
  })"));
  auto value = [&](size_t bundle, size_t operand) {
    return bundleAt(program, bundle).insts.at(0).operands[operand].value;
  };
  EXPECT_EQ(value(0, 1), 8);
  EXPECT_EQ(value(1, 1), 1);
  EXPECT_EQ(value(2, 1), 0x3f000000);
  EXPECT_EQ(value(3, 2), std::bit_cast<int32_t>(-1.5f));
  EXPECT_EQ(value(4, 2), 2);
  EXPECT_EQ(value(5, 2), 0);
  EXPECT_EQ(value(6, 1), -1);
  EXPECT_EQ(value(7, 1), INT32_MIN);
  EXPECT_EQ(value(8, 2), int32_t(0xff800000));
  EXPECT_EQ(value(9, 1), 0);
  EXPECT_EQ(value(10, 1), 1);
  EXPECT_EQ(value(11, 1), 0);
  EXPECT_EQ(program.header.traps_size(), 2);
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

TEST(Assembler, Header) {
  const Program program = mustAssemble(R"(// first a comment
.program "a name"
.producer "by hand"
.module jit_f
.target v2 hash "00ff"
.precision highest
.flops 12
.compile_seconds "0.25"
.region x hbm 16
.region y hbm 16 at 8 owner "k" named "y y"
.region s smem 4
.memory vmem 32
.argument x f32[2,3,128] layout [2, 0, 1] in x donated
.result y f32[] in y
.result z f32[2,3,128] layout [2, 0, 1] in x alias 0
.result w i64[3] in x and y
.result v f32[4,64] tile 2 in x
.result u f32[4,64] in x dynamic 1 in y
.constant x f32 [1, 2.5, -inf]
.constant y i32 iota 3 from 5 step -2
.constant y i32 splat -1 count 2
.constant y hex ["00ff", "a5"]
.allocation buf hbm 4 at 2 payload 100 source "a.py:1"
.overlay bundles 0 4
.kernel late bundles 0 2 source "k.py:9" kind dot flops 7 bytes 8
.source "k.py:10" bundles 1 3
routine main {
  nop
  kernel k kind loop { source "b.py:2" { nop
      nop }
  }
  halt
})");
  const program::ProgramHeader &h = program.header;
  EXPECT_EQ(h.name(), "a name");
  EXPECT_EQ(h.module(), "jit_f");
  EXPECT_EQ(h.target_hash(), "00ff");
  EXPECT_EQ(h.compile_seconds(), 0.25);
  EXPECT_EQ(h.hbm_rows(), 24);
  EXPECT_EQ(h.vmem_rows(), 32);
  EXPECT_EQ(h.smem_words(), 4);
  EXPECT_EQ(h.regions(1).name(), "y y");
  EXPECT_EQ(h.regions(1).base(), 8);
  EXPECT_THAT(h.arguments(0).layout().minor_to_major(), ElementsAre(2, 0, 1));
  EXPECT_TRUE(h.arguments(0).donated());
  EXPECT_EQ(h.results(0).dims_size(), 0);
  EXPECT_EQ(h.results(1).aliased_input(), 1);
  EXPECT_EQ(h.results(2).region(), 0);
  EXPECT_THAT(h.results(2).high_regions(), ElementsAre(1));
  EXPECT_EQ(h.results(2).layout().row_tile(), 0);
  EXPECT_EQ(h.results(3).layout().row_tile(), 2);
  EXPECT_EQ(h.results(4).dynamic_dims(0).dim(), 1);
  EXPECT_EQ(h.results(4).dynamic_dims(0).region(), 1);
  const std::string word[] = {std::string("\0\0\x80\x3f", 4), std::string("\0\0\x20\x40", 4),
                              std::string("\0\0\x80\xff", 4)};
  EXPECT_EQ(program.constants.at(0), word[0] + word[1] + word[2]);
  EXPECT_EQ(program.constants.at(1), std::string("\5\0\0\0\3\0\0\0\1\0\0\0", 12));
  EXPECT_EQ(program.constants.at(2), std::string(8, '\xff'));
  EXPECT_EQ(program.constants.at(3), std::string("\0\xff\xa5", 3));
  EXPECT_EQ(h.kernels(0).flops(), 7);
  EXPECT_EQ(h.kernels(1).bundles().begin(), 1);
  EXPECT_EQ(h.kernels(1).bundles().end(), 3);
  EXPECT_EQ(h.sources(1).bundles().begin(), 1);
  expectRoundTrip(program);
}

TEST(Assembler, RegionsFollowOneAnother) {
  const Program program = mustAssemble(R"(.program p
.memory vmem 100
.region a vmem 8
.region b hbm 4
.region c vmem 8
.region d vmem 8 at 50
.region e vmem 8
routine main { halt })");
  const auto &regions = program.header.regions();
  std::vector<int64_t> bases;
  for (const auto &region : regions)
    bases.push_back(region.base());
  EXPECT_THAT(bases, ElementsAre(0, 0, 8, 50, 58));
  EXPECT_EQ(program.header.vmem_rows(), 100);
}

TEST(Assembler, NumbersOfRoutines) {
  const Program program = mustAssemble(R"(.program p
.routine helper
routine main { call helper
  call last
  halt }
routine last { ret }
routine helper { ret })");
  const auto &routines = program.header.routines();
  ASSERT_EQ(routines.size(), 3);
  EXPECT_EQ(routines.Get(0).name(), "helper");
  EXPECT_EQ(routines.Get(0).bundles().begin(), 4);
  EXPECT_EQ(routines.Get(1).name(), "main");
  EXPECT_EQ(routines.Get(2).name(), "last");
  EXPECT_EQ(program.header.entry(), 1);
  EXPECT_EQ(bundleAt(program, 0).insts.at(0).operands[0].value, 0);
  EXPECT_EQ(bundleAt(program, 1).insts.at(0).operands[0].value, 2);
  expectRoundTrip(program);
}

TEST(Assembler, RecognisesItsText) {
  EXPECT_TRUE(isAssemblyText("\n  // words\n .program x"));
  EXPECT_FALSE(isAssemblyText("module {}"));
  EXPECT_FALSE(isAssemblyText("SYSTOLE\n"));
  EXPECT_FALSE(isAssemblyText(".region x hbm 1"));
  EXPECT_FALSE(isAssemblyText(""));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Assembler, Errors) {
  // The body's first line is line 11.
  const struct {
    const char *body, *error;
  } cases[] = {
      {"s1 = s.foo 1", "12:6: unknown instruction `s.foo`"},
      {"s1 = s.add 1", "12:6: `s.add` needs operand `b`"},
      {"s1 = s.add 1, 2, 3", "12:18: `s.add` has only 2 operands"},
      {"s1 = s.add 1, c=2", "12:15: `s.add` has no operand `c`"},
      {"s1 = s.add a=1, 2", "12:17: an operand without a name"},
      {"s1 = s.add 1, a=2", "12:15: operand `a` is given twice"},
      {"q1 = s.mov 1", "12:1: `q1` is not a register"},
      {"s.mov 1", "12:1: `s.mov` has a result"},
      {"s1 = halt", "12:6: `halt` has no result"},
      {"s32 = s.mov 1", "12:1: `s32` is not a register"},
      {"s1 = s.mov x", "12:12: unknown name `x`"},
      {"v1 = vld.b32 s1, region=nowhere", "12:25: unknown region `nowhere`"},
      {"dma.start 0, 0, hx, hx, -1, nothing, 3", "12:29: unknown descriptor `nothing`"},
      {"call nobody", "12:6: unknown routine `nobody`"},
      {"v1 = v.fadd v0, 1", "12:17: `1` is an integer where f32 is meant: write 1.0, or #1"},
      {"s1 = s.mov 4294967296", "12:12: `4294967296` needs more than 32 bits"},
      {"s1 = s.mov 1e40", "12:12: `1e40` is beyond the range of f32"},
      {"s1 = s.mov 12ab", "12:12: `12ab` is not a number"},
      {"s1 = s.mov 0xg", "12:12: `0xg` is not a hexadecimal number"},
      {"s1 = s.mov 1; s2 = s.mov 2", "12:13: instructions of one bundle stand in braces"},
      {"{ s1 = s.mov 1 s2 = s.mov 2 }", "12:16: expected `;` or `}`, found `s2`"},
      {"{ loop 4 }", "12:3: `loop` stands before its block"},
      {"loop 4\nnop", "12:7: expected `{`, found the end of the line"},
      {"loop {}", "12:6: expected a constant, found `{`"},
      {"nop delay 65536", "12:11: 65536 is not in 0 to 65535"},
      {"kernel k {}", "12:10: the block has no bundle"},
      {"trap s1, \"open", "12:10: the string has no end on its line"},
      {"s1 = s.mov @", "12:12: unexpected character `@`"},
      {"v1 = v.rots s1, 1", "12:1: v.rots: operand `a` cannot be a scalar register"},
      {"v1 = v.rots 1, 1", "12:13: expected a vector register, found `1`"},
      {"m0 = v.eq v1, v2", "12:1: v.eq: operand `d` cannot be m0"},
      {"{ v1 = v.add 1, 2; v2 = v.add 3, 4; s1 = s.mov 5 }", "needs one more shared immediate"},
      {"{ halt; ret }", "12:1: ret: must be the first scalar instruction"},
      {"v1 = vld.b32 0, offset=40000, region=vx", "`offset` is 40000, not in -32768 to 32767"},
  };
  for (const auto &test : cases)
    EXPECT_THAT(errorOf(withBody(std::string("\n") + test.body)), HasSubstr(test.error))
        << test.body;
}

TEST(Assembler, ErrorsOfDirectives) {
  const struct {
    const char *text, *error;
  } cases[] = {
      {".region s1 hbm 4", "2:9: `s1` is a register"},
      {".region x hbm 4\n.region x hbm 4", "3:9: `x` is declared twice"},
      {".region x dram 4", "2:11: expected `hbm`, `vmem`, `smem` or `host`, found `dram`"},
      {".region x hbm -1", "2:15: -1 is not in 0 to"},
      {".region x hbm", "2:14: expected an integer, found the end of the text"},
      {".region x hbm 4 extra", "2:17: expected the end of the line, found `extra`"},
      {".nothing", "2:1: unknown directive `.nothing`"},
      {"nothing", "2:1: expected a directive or `routine`, found `nothing`"},
      {".region x hbm 1\n.constant x f32 splat 1 count 129", "more than the region's 512 bytes"},
      {".constant x f32 [1]", "2:11: expected the name of a region declared above"},
      {".region x hbm 1\n.constant x hex [\"0g\"]", "3:18: expected pairs of digits"},
      {".region x hbm 1\n.constant x i32 [1.5]", "3:18: expected an integer, found `1.5`"},
      {".define a 1\n.define a 2", "3:9: `a` cannot be defined again"},
      {".descriptor d hbm vmem", "2:19: expected `to`, found `vmem`"},
      {".entry nobody\nroutine main { halt }", "2:8: unknown routine `nobody`"},
      {"routine main { halt }\nroutine main { halt }", "3:9: `main` is declared twice"},
      {".routine f\nroutine main { halt }", "2:10: routine `f` has no block"},
      {".routine f\n.routine f", "3:10: `f` is declared twice"},
      {"routine main {\n}", "2:9: routine `main` has no bundle"},
      {"routine main {\nhalt", "3:5: expected an instruction, found the end of the text"},
      {".region x vmem 8\n.argument a f32[8] in x\nroutine main { halt }",
       "argument `a`: region `x` is not in HBM"},
      {".cores 0", "2:8: 0 is not in 1 to"},
      {".cores 4 of at [0]", "2:13: expected an integer, found `at`"},
      {".cores 4 at [4294967296]", "2:14: 4294967296 is not in -2147483648 to 2147483647"},
      {".cores 2 of 1\nroutine main { halt }", "2 cores of a slice of 1"},
      {".region x hbm 8\n.argument a f32[8] in x whole [16]",
       "3:35: expected `at`, found the end of the text"},
      {".region x hbm 8\n.argument a f32[8] in x whole [16] at [0, 0]",
       "3:39: 2 indices of 1 dimensions"},
      {"", "entry routine 0 of 0"},
  };
  for (const auto &test : cases)
    EXPECT_THAT(errorOf(std::string(".program p\n") + test.text), HasSubstr(test.error))
        << test.text;
}

TEST(Assembler, DeepNestingIsAnError) {
  std::string body;
  for (int i = 0; i < 100000; ++i)
    body += "if s1 {\n";
  EXPECT_THAT(errorOf(withBody(body)), HasSubstr("blocks nest too deeply"));
}

TEST(Assembler, OriginNamesTheFile) {
  auto program = assemble(".program p\n.bad", "x.sysasm");
  EXPECT_THAT(std::string(program.status().message()), StartsWith("x.sysasm:2:1: "));
}

// No text makes it crash or hang; the seeds are texts with every construct.
TEST(Assembler, SurvivesMutatedText) {
  const std::string seed =
      absl::StrCat(kPrelude, ".cores 2 of 8 at [3, 1]\n",
                   ".argument a f32[8,128] in hx whole [16,128] at [0,0] [1,0]\n",
                   ".constant hx f32 [1, -2.5e3f, inf]\n.kernel k bundles 0 1\n",
                   "routine main {\n loop 3 with { s1 = s.mov -1 } delay 2 {\n if s1 { nop } else {"
                   " { v1 = v.fma v0, 2.0, #3; trap s1, \"x\" } }\n }\n call f\n halt\n}\n",
                   "routine f { while { exit s2\n }\n ret }\n");
  mustAssemble(seed);
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text.erase(at, 1 + random() % 8);
        break;
      case 1:
        text[at] = char(random() % 256);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 12));
        break;
      }
    }
    auto program = assemble(text);
    refused += !program.ok();
    if (program.ok())
      expectRoundTrip(*program);
  }
  EXPECT_GT(refused, 5000);
}

} // namespace
} // namespace systole
