// Encoding and decoding of bundles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/InstructionSet/Isa.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace systole::isa {
namespace {

using Kind = Operand::Kind;
using testing::HasSubstr;

Operand scalar(int n) { return {Kind::Scalar, n}; }
Operand vector(int n) { return {Kind::Vector, n}; }
Operand mask(int n) { return {Kind::Mask, n}; }
Operand constant(int32_t n) { return {Kind::Immediate, n}; }

Inst inst(Opcode opcode, std::initializer_list<Operand> operands) {
  Inst result;
  result.opcode = opcode;
  std::copy(operands.begin(), operands.end(), result.operands.begin());
  return result;
}

std::string encodeError(Bundle bundle) {
  auto result = encode(bundle);
  return result.ok() ? "" : std::string(result.status().message());
}
std::string decodeError(const EncodedBundle &bytes) {
  auto result = decode(bytes);
  return result.ok() ? "" : std::string(result.status().message());
}

class Random {
public:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
  int32_t word() { return int32_t(engine()); }

  Operand operand(const FieldInfo &field) {
    const int64_t values = int64_t(1) << field.bits;
    switch (field.kind) {
    case FieldKind::V:
      return vector(below(kVectorRegisters));
    case FieldKind::M:
      return mask(field.isResult ? 1 + below(kMaskRegisters - 1) : below(kMaskRegisters));
    case FieldKind::S:
      return field.isResult || below(2) ? scalar(below(kScalarRegisters)) : constant(word());
    case FieldKind::VS:
      switch (below(3)) {
      case 0:
        return vector(below(kVectorRegisters));
      case 1:
        return scalar(below(kScalarRegisters));
      default:
        return constant(word());
      }
    case FieldKind::I:
      return constant(below(int(values)) - int(values / 2));
    case FieldKind::L:
      return constant(word());
    default:
      return constant(below(int(values)));
    }
  }

  Inst inst(Opcode opcode) {
    Inst result;
    result.opcode = opcode;
    const InstInfo &instInfo = info(opcode);
    for (size_t i = 0; i < instInfo.fields.size(); ++i)
      result.operands[i] = operand(instInfo.fields[i]);
    return result;
  }

  std::mt19937 engine{20231};
};

constexpr int kFirstOpcode = 1;

int distinctConstants(const Bundle &bundle) {
  std::vector<int32_t> values;
  for (const Inst &i : bundle.insts)
    for (size_t k = 0; k < info(i.opcode).fields.size(); ++k) {
      const FieldKind kind = info(i.opcode).fields[k].kind;
      const bool shared = kind == FieldKind::S || kind == FieldKind::VS || kind == FieldKind::L;
      if (shared && i.operands[k].kind == Kind::Immediate &&
          std::find(values.begin(), values.end(), i.operands[k].value) == values.end())
        values.push_back(i.operands[k].value);
    }
  return int(values.size());
}

TEST(Encoding, EveryOpcodeRoundTrips) {
  Random random;
  for (int opcode = kFirstOpcode; opcode < int(Opcode::count_); ++opcode)
    for (int round = 0; round < 50; ++round) {
      Bundle bundle;
      bundle.delay = uint16_t(random.below(1 << 16));
      bundle.insts = {random.inst(Opcode(opcode))};
      auto bytes = encode(bundle);
      if (distinctConstants(bundle) > kBaseImmediates) {
        EXPECT_FALSE(bytes.ok());
        continue;
      }
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      auto back = decode(*bytes);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(*back, bundle) << info(Opcode(opcode)).mnemonic;
    }
}

// A format with more of most slots.
constexpr BundleFormat kWide = {{2, 4, 3, 1, 2, 2}, 8};

void roundTripFullBundles(const BundleFormat &format, size_t many) {
  Random random;
  int encoded = 0;
  for (int round = 0; round < 5000; ++round) {
    Bundle bundle;
    std::array<int, kSlotKinds> used{};
    bool sequencer = false;
    for (int attempt = 0; attempt < 48; ++attempt) {
      const auto opcode = Opcode(kFirstOpcode + random.below(int(Opcode::count_) - kFirstOpcode));
      const InstInfo &i = info(opcode);
      if (used[size_t(i.slot)] == format.count(i.slot) || (sequencer && i.sequencer))
        continue;
      Bundle more = bundle;
      more.insts.push_back(random.inst(opcode));
      if (distinctConstants(more) > format.immediates)
        continue;
      ++used[size_t(i.slot)];
      sequencer |= i.sequencer;
      bundle = more;
    }
    sortBySlot(bundle);
    auto bytes = encode(bundle, format);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_TRUE(std::all_of(bytes->begin() + format.bytes(), bytes->end(),
                            [](uint8_t byte) { return byte == 0; }));
    auto back = decode(*bytes, format);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, bundle);
    encoded += bundle.insts.size() >= many;
  }
  EXPECT_GT(encoded, 1000);
}

TEST(Encoding, FullBundlesRoundTrip) { roundTripFullBundles({}, 5); }
TEST(Encoding, FullWideBundlesRoundTrip) { roundTripFullBundles(kWide, 9); }

TEST(Encoding, FormatsTakeWholeWords) {
  EXPECT_EQ(BundleFormat().bytes(), 64);
  // 16 + 2 * 32 + 4 * 40 + 3 * 64 + 64 + 2 * 64 + 2 * 32 + 8 * 32 = 944 bits.
  EXPECT_EQ(kWide.bytes(), 128);
  EXPECT_TRUE(checkFormat(BundleFormat()).ok());
  EXPECT_TRUE(checkFormat(kWide).ok());
  auto error = [](BundleFormat format) { return std::string(checkFormat(format).message()); };
  EXPECT_THAT(error({{2, 2, 1, 1, 1, 0}, 4}), HasSubstr("0 pop slots, not 1 to 4"));
  EXPECT_THAT(error({{2, 2, 1, 2, 1, 1}, 4}), HasSubstr("2 vstore slots, not 1 to 1"));
  EXPECT_THAT(error({{2, 2, 1, 1, 1, 1}, 9}), HasSubstr("9 shared immediates, not 4 to 8"));
  EXPECT_THAT(error({{4, 8, 4, 1, 4, 4}, 8}), HasSubstr("192 bytes, not 0 to 128"));
}

// Bits worked out by hand: the second load of a bundle with two lies behind two words of 32,
// two of 40 and one of 64 bits, the fifth immediate behind all slots and four immediates.
TEST(Encoding, WiderFormatsMoveWhatFollows) {
  const BundleFormat format = {{2, 2, 2, 1, 1, 1}, 5};
  EXPECT_EQ(format.bytes(), 80);
  Bundle bundle;
  const Inst load =
      inst(Opcode::vld_b32, {vector(7), scalar(9), scalar(1), mask(0), constant(0), constant(1)});
  bundle.insts = {inst(Opcode::s_add, {scalar(1), constant(11), constant(12)}),
                  inst(Opcode::s_add, {scalar(2), constant(13), constant(14)}),
                  inst(Opcode::v_mov, {vector(3), constant(15)}), load, load};
  auto bytes = encode(bundle, format);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(std::vector<uint8_t>(bytes->begin() + 20, bytes->begin() + 28),
            std::vector<uint8_t>(bytes->begin() + 28, bytes->begin() + 36));
  EXPECT_EQ((*bytes)[20] & 0x3f, 1);
  const int immediates = (16 + 2 * 32 + 2 * 40 + 2 * 64 + 64 + 64 + 32) / 8;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ((*bytes)[size_t(immediates + 4 * i)], 11 + i);
  EXPECT_EQ(*decode(*bytes, format), bundle);
  EXPECT_FALSE(decode(*bytes).ok());
  EXPECT_FALSE(encode(bundle).ok());
}

// Any bytes are rejected, or are the encoding of their
// decoding.
TEST(Encoding, DecodingIsCanonicalOnRandomBits) {
  Random random;
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    Bundle bundle;
    bundle.insts = {random.inst(Opcode(kFirstOpcode + round % (int(Opcode::count_) - 1)))};
    auto bytes = encode(bundle);
    if (!bytes.ok())
      continue;
    for (int flips = 1 + random.below(3); flips > 0; --flips)
      (*bytes)[size_t(random.below(BundleFormat().bytes()))] ^= uint8_t(1 << random.below(8));
    auto back = decode(*bytes);
    if (!back.ok())
      continue;
    auto again = encode(*back);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *bytes);
    ++accepted;
  }
  EXPECT_GT(accepted, 1000);
}

// Bits worked out by hand from the tables of docs/isa.md.
TEST(Encoding, BitsAsDocumented) {
  Bundle bundle;
  bundle.delay = 0x0103;
  bundle.insts = {inst(Opcode::s_add, {scalar(1), scalar(2), constant(-5)}),
                  inst(Opcode::v_mov, {vector(3), scalar(4)}),
                  inst(Opcode::vld_b32, {vector(7), scalar(9), constant(-5), mask(2), constant(-8),
                                         constant(0xabc)})};
  auto bytes = encode(bundle);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EncodedBundle expected{};
  auto put = [&](int byte, int count, uint64_t word) {
    for (int i = 0; i < count; ++i, word >>= 8)
      expected[size_t(byte + i)] = uint8_t(word);
  };
  put(0, 2, 0x0103);
  // s.add is the second of its slot; d, a, b from bit 7, six bits each; the
  // constant is immediate 0.
  put(2, 4, 2 | 1 << 7 | 2 << 13 | 32 << 19);
  // v.mov is the first; d in five bits from bit 8, a as splat of s4.
  put(10, 5, 1 | 3 << 8 | (32 + 4) << 13);
  // vld.b32 is the first; d 6, address 11, stride 17, mask 23, offset 27, region 43.
  put(20, 8,
      1 | 7 << 6 | 9 << 11 | 32 << 17 | 2 << 23 | uint64_t(0xfff8) << 27 | uint64_t(0xabc) << 43);
  put(48, 4, 0xfffffffb);
  EXPECT_EQ(*bytes, expected);
}

TEST(Encoding, EqualConstantsShareAnImmediate) {
  Bundle bundle;
  bundle.insts = {inst(Opcode::s_add, {scalar(1), constant(7), constant(7)}),
                  inst(Opcode::s_sub, {scalar(2), constant(8), constant(7)}),
                  inst(Opcode::v_add, {vector(1), constant(9), constant(8)}),
                  inst(Opcode::v_add, {vector(2), constant(10), constant(9)})};
  EXPECT_EQ(encodeError(bundle), "");
  bundle.insts[3].operands[2] = constant(11);
  EXPECT_THAT(encodeError(bundle),
              HasSubstr("v.add: operand `b` needs one more shared immediate; a bundle has 4"));
}

TEST(Encoding, RejectsOperandsOutOfRange) {
  auto one = [](Inst i) {
    Bundle bundle;
    bundle.insts = {i};
    return encodeError(bundle);
  };
  EXPECT_THAT(one(inst(Opcode::s_mov, {scalar(32), scalar(0)})), HasSubstr("not one of s0 to s31"));
  EXPECT_THAT(one(inst(Opcode::v_mov, {vector(-1), scalar(0)})), HasSubstr("not one of v0 to v31"));
  EXPECT_THAT(one(inst(Opcode::m_and, {mask(16), mask(0), mask(0)})),
              HasSubstr("not one of m0 to m15"));
  EXPECT_THAT(one(inst(Opcode::m_and, {mask(0), mask(1), mask(2)})), HasSubstr("cannot be m0"));
  EXPECT_THAT(one(inst(Opcode::s_mov, {constant(1), scalar(0)})),
              HasSubstr("cannot be a constant"));
  EXPECT_THAT(one(inst(Opcode::s_mov, {scalar(1), vector(0)})),
              HasSubstr("cannot be a vector register"));
  EXPECT_THAT(one(inst(Opcode::v_rots, {vector(0), scalar(1), scalar(1)})),
              HasSubstr("cannot be a scalar register"));
  EXPECT_THAT(one(inst(Opcode::s_mov, {scalar(1)})), HasSubstr("operand `a` is missing"));
  EXPECT_THAT(one(inst(Opcode::ret, {scalar(1)})), HasSubstr("too many operands"));
  EXPECT_THAT(one(inst(Opcode::none, {})), HasSubstr("no opcode"));
  EXPECT_THAT(one(inst(Opcode::count_, {})), HasSubstr("no opcode"));
  EXPECT_THAT(one(inst(Opcode::mxu_pop, {vector(0), constant(8)})), HasSubstr("not in 0 to 7"));
  EXPECT_THAT(one(inst(Opcode::mxu_pop, {vector(0), scalar(0)})), HasSubstr("must be a constant"));
  EXPECT_THAT(one(inst(Opcode::vld_b32,
                       {vector(7), scalar(9), constant(1), mask(2), constant(32768), constant(0)})),
              HasSubstr("`offset` is 32768, not in -32768 to 32767"));
}

TEST(Encoding, RefusesCrowdedBundles) {
  const Inst move = inst(Opcode::s_mov, {scalar(1), scalar(2)});
  const Inst halt = inst(Opcode::halt, {});
  const Inst pop = inst(Opcode::eup_pop, {vector(1)});
  Bundle bundle;
  bundle.insts = {move, move, move};
  EXPECT_THAT(encodeError(bundle), HasSubstr("only 2 scalar slots"));
  bundle.insts = {pop, pop};
  EXPECT_THAT(encodeError(bundle), HasSubstr("only 1 pop slot"));
  bundle.insts = {pop, move};
  EXPECT_THAT(encodeError(bundle), HasSubstr("not in slot order"));
  bundle.insts = {move, halt};
  EXPECT_THAT(encodeError(bundle), HasSubstr("halt: must be the first scalar instruction"));
  sortBySlot(bundle);
  EXPECT_EQ(encodeError(bundle), "");
  bundle.insts = {halt, halt};
  EXPECT_THAT(encodeError(bundle), HasSubstr("must be the first scalar instruction"));
}

TEST(Decoding, RefusesMalformedBytes) {
  EncodedBundle bytes{};
  EXPECT_EQ(decodeError(bytes), "");
  bytes[2] = 0x7f;
  EXPECT_THAT(decodeError(bytes), HasSubstr("opcode 127 of the scalar slot does not exist"));
  bytes[2] = 0;
  bytes[3] = 1;
  EXPECT_THAT(decodeError(bytes), HasSubstr("reserved bits of the scalar slot"));
  bytes[3] = 0;
  bytes[60] = 1;
  EXPECT_THAT(decodeError(bytes), HasSubstr("immediate 3 is unused but not zero"));
  bytes[60] = 0;

  // s.mov s0, immediate 1: the first immediate that is named must be 0.
  auto scalarWord = [&](uint32_t word) {
    for (int i = 0; i < 4; ++i, word >>= 8)
      bytes[size_t(2 + i)] = uint8_t(word);
  };
  scalarWord(1 | 33 << 13);
  EXPECT_THAT(decodeError(bytes), HasSubstr("canonical"));
  scalarWord(1 | 36 << 13);
  EXPECT_THAT(decodeError(bytes), HasSubstr("names an immediate that does not exist"));
  scalarWord(1 | 32 << 7);
  EXPECT_THAT(decodeError(bytes), HasSubstr("operand `d` does not name a register"));
  // An instruction in the second place of an empty first one.
  scalarWord(0);
  bytes[6] = 1;
  EXPECT_THAT(decodeError(bytes), HasSubstr("canonical"));
}

TEST(Tables, MnemonicsNameTheirOpcodes) {
  for (int opcode = kFirstOpcode; opcode < int(Opcode::count_); ++opcode)
    EXPECT_EQ(opcodeFromMnemonic(info(Opcode(opcode)).mnemonic), Opcode(opcode));
  EXPECT_EQ(opcodeFromMnemonic("v.fma"), Opcode::v_fma);
  EXPECT_EQ(opcodeFromMnemonic("while"), Opcode::while_);
  EXPECT_EQ(opcodeFromMnemonic(""), std::nullopt);
  EXPECT_EQ(opcodeFromMnemonic("v.fm"), std::nullopt);
  EXPECT_EQ(name(LatencyClass::eup_long), "eup_long");
  EXPECT_EQ(name(LatencyClass::count_), "");
  EXPECT_EQ(name(Slot::Vector), "valu");
}

} // namespace
} // namespace systole::isa
