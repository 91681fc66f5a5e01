// From programs to their text form and back.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Disassembler.h"

#include <fstream>
#include <random>
#include <sstream>

#include "dialects/Machine/Program/AsmLexer.h"
#include "dialects/Machine/Program/AsmSyntax.h"
#include "dialects/Machine/Program/Verify.h"
#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Operand;
using testing::HasSubstr;

// One instruction of every opcode with random operands.
TEST(Disassembler, EveryInstructionRoundTrips) {
  std::mt19937 random(3);
  Program program = mustAssemble(withBody(""));
  for (int opcode = 1; opcode < int(Opcode::count_); ++opcode) {
    const isa::InstInfo &info = isa::info(Opcode(opcode));
    // Lengths of blocks are the assembler's own.
    if (info.mnemonic == "loop" || info.mnemonic == "if" || info.mnemonic == "while")
      continue;
    for (int round = 0; round < 20; ++round) {
      isa::Bundle bundle;
      bundle.delay = uint16_t(random() % 3);
      Inst &inst = bundle.insts.emplace_back();
      inst.opcode = Opcode(opcode);
      for (size_t i = 0; i < info.fields.size(); ++i) {
        const isa::FieldInfo &field = info.fields[i];
        using K = Operand::Kind;
        const uint32_t bits = uint32_t(random());
        const uint32_t mask = (uint32_t(1) << field.bits) - 1;
        switch (field.kind) {
        case isa::FieldKind::V:
          inst.operands[i] = {K::Vector, int32_t(bits % 32)};
          break;
        case isa::FieldKind::M:
          inst.operands[i] = {K::Mask, int32_t(1 + bits % 15)};
          break;
        case isa::FieldKind::S:
        case isa::FieldKind::VS:
          if (field.isResult || random() % 2)
            inst.operands[i] = {K::Scalar, int32_t(bits % 32)};
          else
            inst.operands[i] = {K::Immediate, int32_t(random() % 4 ? bits : bits % 7)};
          break;
        case isa::FieldKind::I:
          inst.operands[i] = {K::Immediate, int32_t(bits & mask) - int32_t(mask / 2)};
          break;
        case isa::FieldKind::L:
          inst.operands[i] = {K::Immediate, int32_t(bits)};
          break;
        default:
          inst.operands[i] = {K::Immediate, int32_t(bits & mask)};
          break;
        }
      }
      auto bytes = isa::encode(bundle);
      if (!bytes.ok())
        continue; // a fifth immediate
      program.code.insert(program.code.begin(), *bytes);
    }
  }
  program.header.mutable_routines(0)->mutable_bundles()->set_end(int64_t(program.code.size()));
  EXPECT_GT(program.code.size(), 2000u);
  expectRoundTrip(program);
}

TEST(Disassembler, Text) {
  const Program program = mustAssemble(withBody(R"(
    { vst.b16 v1, s2, offset=4, region=vx; v1 = v.fmul v0, 0.1; s3 = s.mov hx } delay 4
    dma.start 0, s1, vx, hx, -1, load, 3
  )"));
  EXPECT_THAT(disassemble(program),
              HasSubstr("routine main {\n"
                        "  { s3 = s.mov 0; v1 = v.fmul v0, 0.1f; vst.b16 v1, s2, offset=4, "
                        "region=vx } delay 4\n"
                        "  dma.start dst=0, src=s1, dstRegion=vx, srcRegion=hx, descriptor=d0, "
                        "flag=3\n"
                        "  halt\n}"));
  DisassembleOptions options;
  options.bundleNumbers = true;
  EXPECT_THAT(disassemble(program, options), HasSubstr("halt  // 2\n"));
  EXPECT_EQ(printBundle(bundleAt(program, 2)), "halt");
}

TEST(Disassembler, OddNames) {
  Program program = mustAssemble(withBody("v0 = vld.b32 0, region=vx"));
  auto &regions = *program.header.mutable_regions();
  regions.Mutable(0)->set_name("");
  regions.Mutable(1)->set_name("v3");
  regions.Mutable(2)->set_name("a \"b\"\n");
  regions.Mutable(3)->set_name("a \"b\"\n");
  regions.Mutable(4)->set_name("delay");
  program.header.mutable_routines(0)->set_name("f(x)");
  program.header.mutable_traps(0)->assign("caf\xc3\xa9 \\ \t");
  expectRoundTrip(program);
}

TEST(Disassembler, CoresAndParts) {
  for (const char *cores :
       {".cores 4", ".cores 4 of 8", ".cores 4 of 8 at [0, 1, 6, 7]", ".cores 4 at [3, 2, 1, 0]"}) {
    const Program program = mustAssemble(absl::StrCat(
        kPrelude, cores,
        "\n.argument x bf16[2,64] in hx whole [4,64] at [0,0] [1,0] [0,0] [1,0] donated\n",
        ".result y bf16[2,64] in hx whole [4,128] at [0,0] [0,1] [1,0] [1,1] alias 0\n",
        "routine main { halt }\n"));
    const std::string text = disassemble(program);
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\n", cores, "\n")));
    EXPECT_THAT(text, HasSubstr(" in hx whole [4, 64] at [0, 0] [1, 0] [0, 0] [1, 0] donated\n"));
    expectRoundTrip(program);
  }
}

TEST(Disassembler, LogMessages) {
  const Program program = mustAssemble(absl::StrCat(
      kPrelude, ".message \"say \\\"x\\\"\"\n.message typed \"\" f32 [2, 3] \" and \" i8 [] \"\"\n",
      "routine main {\n  log.word s1, 1\n  halt\n}\n"));
  EXPECT_THAT(disassemble(program),
              HasSubstr(".message \"say \\\"x\\\"\"\n"
                        ".message typed \"\" f32 [2, 3] \" and \" i8 [] \"\"\n"));
  EXPECT_THAT(disassemble(program), HasSubstr("  log.word s1, message=1\n"));
  expectRoundTrip(program);
}

// Unstructured code is shown, not followed.
TEST(Disassembler, MalformedCode) {
  Program program = mustAssemble(withBody("loop 3 { nop }\nnop"));
  isa::Bundle loop = bundleAt(program, 0);
  loop.insts[0].operands[1].value = 100;
  program.code[0] = *isa::encode(loop);
  program.code[2][2] = 0x7f;
  const std::string text = disassemble(program);
  EXPECT_THAT(text, HasSubstr("// malformed: loop 3, lengths [100]"));
  EXPECT_THAT(text, HasSubstr("// invalid bundle: opcode 127"));
}

TEST(Disassembler, LargeConstantsAreLeftOut) {
  const Program program = mustAssemble(
      absl::StrCat(kPrelude, ".constant hx f32 splat 1 count 100\nroutine main { halt }\n"));
  DisassembleOptions options;
  options.maxConstantBytes = 399;
  EXPECT_THAT(disassemble(program, options), HasSubstr("// .constant hx of 400 bytes\n"));
  options.maxConstantBytes = 400;
  EXPECT_THAT(disassemble(program, options), HasSubstr(".constant hx hex ["));
}

// The page's worked example assembles, and passes verification for a machine
// whose latencies its delays cover.
TEST(Documentation, WorkedExample) {
  std::ifstream file(SYSTOLE_DOCS "/assembly.md");
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string page = stream.str(), mark = "<!-- example: worked -->\n```\n";
  const size_t begin = page.find(mark);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("```", begin + mark.size());
  const Program program = mustAssemble(page.substr(begin + mark.size(), end - begin - mark.size()));
  EXPECT_EQ(program.code.size(), 10u);
  EXPECT_EQ(verifyProgram(program, testLimits()), absl::OkStatus());
  expectRoundTrip(program);
}

TEST(FloatText, GivesTheBitsBack) {
  EXPECT_EQ(assembly::floatText(0x3dcccccd), "0.1f");
  EXPECT_EQ(assembly::floatText(0x80000000), "-0.0f");
  EXPECT_EQ(assembly::floatText(0x7f800000), "+inf");
  EXPECT_EQ(assembly::floatText(0x7fc00001), "0x7fc00001");
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t bits = uint32_t(random());
    const std::string text = assembly::floatText(bits);
    EXPECT_EQ(uint32_t(assembly::Lexer(text).next().integer), bits) << text;
  }
}

} // namespace
} // namespace systole
