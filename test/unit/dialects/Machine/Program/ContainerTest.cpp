// The .sysx container: round trip, damage, hostile bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <random>

#include "dialects/Machine/Program/Disassembler.h"
#include "dialects/Machine/Program/Verify.h"
#include "test/unit/dialects/Machine/Program/TestPrograms.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/SHA256.h"
#include "gmock/gmock.h"

namespace systole {
namespace {

using testing::HasSubstr;

// The file's fixed part, as program.proto describes it.
constexpr size_t kLengthOffset = 12;
constexpr size_t kHashOffset = 16;
constexpr size_t kHeaderOffset = 48;

std::string sample() {
  return absl::StrCat(kPrelude, R"(
.argument x f32[60,128] in hx
.result y bf16[7,100] in hy
.constant hy f32 [1, 2, 3]
.constant hy i32 iota 7
.kernel k bundles 1 4 source "a.py:1" kind loop flops 100
.source "a.py:2" bundles 2 3
.allocation x hbm 64 at 0 payload 30720 source "a.py:3"
routine main {
  { dma.start dst=0, src=0, dstRegion=vx, srcRegion=hx, descriptor=load, flag=1; s1 = s.mov 3 }
  wait 1, flag=1
  loop 4 {
    if s1 { v1 = vld.b32 s1, region=vx delay 3
      eup.exp v1 delay 5
      v2 = eup.pop
    } else { nop }
    while { exit s1 }
  }
  call helper
  trap s1, "first"
  halt
}
routine helper {
  { s2 = s.ld 3, region=sx; vst.b32 v1, 0, region=vy }
  ret
}
)");
}

std::string serialized() {
  auto bytes = serializeProgram(mustAssemble(sample()));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

// Fixes the checksum, as an attacker would.
void sign(std::string &bytes) {
  if (bytes.size() < kHeaderOffset)
    return;
  const auto digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()) + kHeaderOffset,
                     bytes.size() - kHeaderOffset));
  bytes.replace(kHashOffset, digest.size(), std::string(digest.begin(), digest.end()));
}

void putU32(std::string &bytes, size_t offset, uint32_t value) {
  for (int i = 0; i < 4; ++i, value >>= 8)
    bytes[offset + size_t(i)] = char(value);
}

std::string parseError(const std::string &bytes) {
  auto program = parseProgram(bytes);
  return program.ok() ? "" : std::string(program.status().message());
}

TEST(Container, RoundTrip) {
  const Program program = mustAssemble(sample());
  const std::string bytes = serialized();
  auto back = parseProgram(bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->code, program.code);
  EXPECT_EQ(back->constants, program.constants);
  EXPECT_EQ(disassemble(*back), disassemble(program));
  EXPECT_EQ(back->header.code().bytes(), program.code.size() * 64);
  EXPECT_EQ(back->header.code().offset() % 64, 0u);
  EXPECT_EQ(verifyProgram(*back, testLimits()), absl::OkStatus());
  // The sections' offsets are the writer's, so that writing again gives the same bytes.
  EXPECT_EQ(*serializeProgram(*back), bytes);
}

TEST(Container, Files) {
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "container-test.sysx").string();
  ASSERT_EQ(writeProgram(mustAssemble(sample()), path), absl::OkStatus());
  auto back = readProgram(path);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->code, mustAssemble(sample()).code);
  std::filesystem::resize_file(path, 100);
  EXPECT_THAT(std::string(readProgram(path).status().message()), HasSubstr(path));
  std::filesystem::remove(path);
  EXPECT_EQ(readProgram(path).status().code(), absl::StatusCode::kNotFound);
  // A program that checkHeader refuses is not written.
  EXPECT_FALSE(writeProgram(Program(), path).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Container, IsRecognised) {
  EXPECT_TRUE(isProgramFile(serialized()));
  EXPECT_FALSE(isProgramFile("SYSTOLE"));
  EXPECT_FALSE(isProgramFile(sample()));
}

TEST(Container, RefusesTruncation) {
  const std::string bytes = serialized();
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::string cut = bytes.substr(0, length);
    EXPECT_NE(parseError(cut), "") << length;
    sign(cut);
    EXPECT_NE(parseError(cut), "") << length << ", signed";
  }
}

TEST(Container, RefusesEveryChangedByte) {
  const std::string bytes = serialized();
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] ^= 0x10;
    EXPECT_NE(parseError(changed), "") << at;
  }
}

TEST(Container, NamesTheDamage) {
  const std::string bytes = serialized();
  std::string changed = bytes;
  putU32(changed, 8, 3);
  EXPECT_THAT(parseError(changed), HasSubstr("format version 3"));
  changed = bytes;
  putU32(changed, kLengthOffset, 0xffffffff);
  EXPECT_THAT(parseError(changed), HasSubstr("header exceeds the file"));
  changed = bytes;
  changed.back() ^= 1;
  EXPECT_THAT(parseError(changed), HasSubstr("checksum"));
  changed = bytes;
  changed[kHeaderOffset] = '\x07'; // a field of a wire type that does not exist
  sign(changed);
  EXPECT_THAT(parseError(changed), HasSubstr("cannot be parsed"));
  changed = bytes + std::string(64, '\0');
  sign(changed);
  EXPECT_THAT(parseError(changed), HasSubstr("goes on after its last section"));
}

TEST(Container, RefusesSectionsThatDoNotFit) {
  auto parsed = parseProgram(serialized());
  ASSERT_TRUE(parsed.ok());
  // The same sections further back, so that the header has room to grow.
  constexpr uint64_t kRoom = 4096;
  program::ProgramHeader header = parsed->header;
  const uint64_t sections = header.code().offset();
  auto move = [](program::Section *section) { section->set_offset(section->offset() + kRoom); };
  move(header.mutable_code());
  for (program::Constant &constant : *header.mutable_constants())
    move(constant.mutable_data());
  auto fileAround = [&](const program::ProgramHeader &h) {
    std::string bytes = serialized().substr(0, kHeaderOffset);
    const std::string text = h.SerializeAsString();
    putU32(bytes, kLengthOffset, uint32_t(text.size()));
    bytes += text;
    EXPECT_LT(bytes.size(), sections + kRoom);
    bytes.resize(sections + kRoom);
    bytes += serialized().substr(sections);
    sign(bytes);
    return bytes;
  };
  EXPECT_EQ(parseError(fileAround(header)), "");

  using H = program::ProgramHeader;
  using Change = void (*)(H &);
  const std::pair<Change, const char *> changes[] = {
      {[](H &h) { h.mutable_code()->set_offset(h.code().offset() + 1); }, "not aligned"},
      {[](H &h) { h.mutable_code()->set_offset(0); }, "overlaps"},
      {[](H &h) { h.mutable_code()->set_offset(uint64_t(1) << 62); }, "exceeds"},
      {[](H &h) { h.mutable_code()->set_bytes(~uint64_t(0)); }, "exceeds"},
      {[](H &h) { h.mutable_code()->set_bytes(h.code().bytes() - 1); }, "whole bundles"},
      {[](H &h) { *h.mutable_constants(1)->mutable_data() = h.constants(0).data(); }, "overlaps"},
      {[](H &h) { h.mutable_constants(0)->mutable_data()->set_bytes(1 << 20); }, "exceeds"},
      {[](H &h) { h.mutable_constants(1)->mutable_data()->set_bytes(0); }, "goes on after"},
  };
  for (const auto &[change, error] : changes) {
    H changed = header;
    change(changed);
    EXPECT_THAT(parseError(fileAround(changed)), HasSubstr(error));
  }
}

// Every accepted program can be verified, shown and written again.
TEST(Container, SurvivesSignedMutations) {
  const std::string bytes = serialized();
  auto parsed = parseProgram(bytes);
  ASSERT_TRUE(parsed.ok());
  const size_t headerEnd = kHeaderOffset + parsed->header.ByteSizeLong();
  const size_t code = parsed->header.code().offset();
  std::mt19937 random(500);
  int parsedOnes = 0, verified = 0;
  constexpr int kMutations = 5000;
  for (int round = 0; round < kMutations; ++round) {
    std::string changed = bytes;
    // In turn anywhere, in the header, in the code.
    const size_t low = round % 3 == 2 ? code : round % 3 == 1 ? kHeaderOffset : 0;
    const size_t high = round % 3 == 1 ? headerEnd : changed.size();
    for (int edits = 1 + int(random() % 4); edits > 0; --edits) {
      const size_t at = low + random() % (high - low);
      if (random() % 2)
        changed[at] = char(random());
      else
        changed[at] ^= char(1 << random() % 8);
    }
    if (random() % 16 == 0)
      changed.resize(random() % changed.size());
    sign(changed);
    auto program = parseProgram(changed);
    if (!program.ok())
      continue;
    ++parsedOnes;
    verified += verifyProgram(*program, testLimits()).ok();
    EXPECT_FALSE(disassemble(*program).empty());
    EXPECT_TRUE(serializeProgram(*program).ok());
  }
  EXPECT_GT(parsedOnes, kMutations / 10);
  EXPECT_GT(verified, 10);
  EXPECT_LT(verified, parsedOnes);
}

TEST(Container, DescribesBundles) {
  const Program program = mustAssemble(sample());
  EXPECT_EQ(describeBundle(program.header, 0), "routine `main`");
  EXPECT_EQ(describeBundle(program.header, 1), "kernel `k`, at a.py:1");
  EXPECT_EQ(describeBundle(program.header, 2), "kernel `k`, at a.py:2");
  EXPECT_EQ(describeBundle(program.header, 1000), "");
}

} // namespace
} // namespace systole
