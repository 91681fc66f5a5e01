// Encoding and decoding of bundles, driven by the generated tables.
//
// A bundle is little-endian: the delay, then the words of the slots in their order, then
// the shared immediates, up to a multiple of 16 bytes. In a word the opcode is lowest, the
// fields follow in the order of InstInfo::fields, the remaining bits are zero.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/InstructionSet/Isa.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace systole::isa {

namespace {

struct SlotInfo {
  const char *name;
  int bits, opcodeBits;
};

#include "dialects/Machine/InstructionSet/IsaTables.cpp.inc"

static_assert(std::size(kSlots) == kSlotKinds);
static_assert(std::size(kInsts) == size_t(Opcode::count_));
static_assert(std::size(kLatencyNames) == size_t(LatencyClass::count_));

// First values of S and VS fields that number registers of the next kind,
// and then immediates.
constexpr int kScalarImmediate = kScalarRegisters;
constexpr int kSplatScalar = kVectorRegisters;
constexpr int kSplatImmediate = kVectorRegisters + kScalarRegisters;

using Immediates = std::array<int32_t, kMaxImmediates>;
constexpr int kImmediateBits = 32;

uint64_t readWord(const EncodedBundle &bytes, int bitOffset, int bits) {
  uint64_t word = 0;
  for (int i = bits / 8 - 1; i >= 0; --i)
    word = word << 8 | bytes[bitOffset / 8 + i];
  return word;
}

void writeWord(EncodedBundle &bytes, int bitOffset, int bits, uint64_t word) {
  for (int i = 0; i < bits / 8; ++i, word >>= 8)
    bytes[bitOffset / 8 + i] = uint8_t(word);
}

absl::Status fieldError(const InstInfo &inst, const FieldInfo &field, std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat(absl::string_view(inst.mnemonic.data(), inst.mnemonic.size()), ": operand `",
                   absl::string_view(field.name.data(), field.name.size()), "` ",
                   absl::string_view(text.data(), text.size())));
}

// Shared immediates of a bundle while it is encoded; equal ones are stored once.
struct ImmediatePool {
  int most;
  Immediates values{};
  int used = 0;

  // -1 when none is left.
  int add(int32_t value) {
    for (int i = 0; i < used; ++i)
      if (values[i] == value)
        return i;
    if (used == most)
      return -1;
    values[used] = value;
    return used++;
  }
};

bool inRange(int32_t value, int limit) { return value >= 0 && value < limit; }

absl::StatusOr<uint64_t> encodeRegister(const InstInfo &inst, const FieldInfo &field,
                                        const Operand &operand, ImmediatePool &pool) {
  using Kind = Operand::Kind;
  const bool splat = field.kind == FieldKind::VS;
  switch (operand.kind) {
  case Kind::Vector:
    if (field.kind != FieldKind::V && !splat)
      return fieldError(inst, field, "cannot be a vector register");
    if (!inRange(operand.value, kVectorRegisters))
      return fieldError(inst, field, "is not one of v0 to v31");
    return operand.value;
  case Kind::Mask:
    if (field.kind != FieldKind::M)
      return fieldError(inst, field, "cannot be a mask register");
    if (!inRange(operand.value, kMaskRegisters))
      return fieldError(inst, field, "is not one of m0 to m15");
    if (field.isResult && operand.value == 0)
      return fieldError(inst, field, "cannot be m0, which always reads as all ones");
    return operand.value;
  case Kind::Scalar:
    if (field.kind != FieldKind::S && !splat)
      return fieldError(inst, field, "cannot be a scalar register");
    if (!inRange(operand.value, kScalarRegisters))
      return fieldError(inst, field, "is not one of s0 to s31");
    return (splat ? kSplatScalar : 0) + operand.value;
  case Kind::Immediate: {
    if ((field.kind != FieldKind::S && !splat && field.kind != FieldKind::L) || field.isResult)
      return fieldError(inst, field, "cannot be a constant");
    int index = pool.add(operand.value);
    if (index < 0)
      return fieldError(inst, field,
                        absl::StrCat("needs one more shared immediate; a bundle has ", pool.most));
    if (field.kind == FieldKind::L)
      return index;
    return (splat ? kSplatImmediate : kScalarImmediate) + index;
  }
  case Kind::None:
    break;
  }
  return fieldError(inst, field, "is missing");
}

absl::StatusOr<uint64_t> encodeField(const InstInfo &inst, const FieldInfo &field,
                                     const Operand &operand, ImmediatePool &pool) {
  int64_t low = 0, high = (int64_t(1) << field.bits) - 1;
  switch (field.kind) {
  case FieldKind::I:
    low = -(int64_t(1) << (field.bits - 1));
    high = -low - 1;
    [[fallthrough]];
  case FieldKind::U:
  case FieldKind::R:
  case FieldKind::D:
    if (operand.kind != Operand::Kind::Immediate)
      return fieldError(inst, field, "must be a constant");
    if (operand.value < low || operand.value > high)
      return fieldError(inst, field,
                        absl::StrCat("is ", operand.value, ", not in ", low, " to ", high));
    return uint64_t(operand.value) & uint64_t((int64_t(1) << field.bits) - 1);
  default:
    return encodeRegister(inst, field, operand, pool);
  }
}

// `immediate` becomes the index of the shared immediate that the field names,
// or -1; the caller fills in its value. A bundle has `immediates` of them.
absl::StatusOr<Operand> decodeField(const InstInfo &inst, const FieldInfo &field, uint64_t raw,
                                    int immediates, int &immediate) {
  using Kind = Operand::Kind;
  immediate = -1;
  const int value = int(raw);
  switch (field.kind) {
  case FieldKind::V:
    return Operand{Kind::Vector, value};
  case FieldKind::M:
    if (field.isResult && value == 0)
      return fieldError(inst, field, "cannot be m0, which always reads as all ones");
    return Operand{Kind::Mask, value};
  case FieldKind::U:
  case FieldKind::R:
  case FieldKind::D:
    return Operand{Kind::Immediate, value};
  case FieldKind::I: {
    const int sign = 1 << (field.bits - 1);
    return Operand{Kind::Immediate, (value ^ sign) - sign};
  }
  case FieldKind::L:
    immediate = value;
    break;
  case FieldKind::S:
    if (value < kScalarImmediate)
      return Operand{Kind::Scalar, value};
    if (field.isResult)
      return fieldError(inst, field, "does not name a register");
    immediate = value - kScalarImmediate;
    break;
  case FieldKind::VS:
    if (value < kSplatScalar)
      return Operand{Kind::Vector, value};
    if (value < kSplatImmediate)
      return Operand{Kind::Scalar, value - kSplatScalar};
    immediate = value - kSplatImmediate;
    break;
  }
  if (immediate >= immediates)
    return fieldError(inst, field, "names an immediate that does not exist");
  return Operand{Kind::Immediate, 0};
}

absl::StatusOr<Inst> decodeWord(int slot, uint64_t word, const BundleFormat &format,
                                const Immediates &immediates, unsigned &used) {
  const SlotInfo &slotInfo = kSlots[slot];
  const uint64_t code = word & ((uint64_t(1) << slotInfo.opcodeBits) - 1);
  if (code >= kOpcodesOfSlot[slot].size())
    return absl::InvalidArgumentError(
        absl::StrCat("opcode ", code, " of the ", slotInfo.name, " slot does not exist"));
  Inst inst;
  inst.opcode = kOpcodesOfSlot[slot][code];
  const InstInfo &instInfo = info(inst.opcode);
  word >>= slotInfo.opcodeBits;
  for (size_t i = 0; i < instInfo.fields.size(); ++i) {
    const FieldInfo &field = instInfo.fields[i];
    int immediate;
    auto operand = decodeField(instInfo, field, word & ((uint64_t(1) << field.bits) - 1),
                               format.immediates, immediate);
    if (!operand.ok())
      return operand.status();
    if (immediate >= 0) {
      operand->value = immediates[immediate];
      used |= 1u << immediate;
    }
    inst.operands[i] = *operand;
    word >>= field.bits;
  }
  if (word != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("reserved bits of the ", slotInfo.name, " slot are not zero"));
  return inst;
}

} // namespace

const InstInfo &info(Opcode opcode) {
  const auto index = size_t(opcode);
  return kInsts[index < std::size(kInsts) ? index : 0];
}

std::optional<Opcode> opcodeFromMnemonic(std::string_view mnemonic) {
  static const auto *const table = [] {
    auto *map = new std::unordered_map<std::string_view, Opcode>;
    for (size_t i = 1; i < std::size(kInsts); ++i)
      map->emplace(kInsts[i].mnemonic, Opcode(i));
    return map;
  }();
  auto it = table->find(mnemonic);
  if (it == table->end())
    return std::nullopt;
  return it->second;
}

std::string_view name(LatencyClass latency) {
  const auto index = size_t(latency);
  return index < std::size(kLatencyNames) ? kLatencyNames[index] : std::string_view();
}

std::string_view name(Slot slot) { return kSlots[size_t(slot)].name; }

// Bits from the start of a bundle to its immediates.
static int immediateOffset(const BundleFormat &format) {
  int bits = kHeaderBits;
  for (int slot = 0; slot < kSlotKinds; ++slot)
    bits += format.slots[size_t(slot)] * kSlots[slot].bits;
  return bits;
}

int BundleFormat::bytes() const {
  constexpr int wordBytes = 16, wordBits = wordBytes * 8;
  const int bits = immediateOffset(*this) + immediates * kImmediateBits;
  return (bits + wordBits - 1) / wordBits * wordBytes;
}

absl::Status checkFormat(const BundleFormat &format) {
  auto check = [](absl::string_view what, int value, int low, int high) -> absl::Status {
    if (value >= low && value <= high)
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("a bundle with ", value, " ", what, ", not ", low, " to ", high));
  };
  for (int slot = 0; slot < kSlotKinds; ++slot)
    if (auto status = check(absl::StrCat(kSlots[slot].name, " slots"), format.slots[size_t(slot)],
                            kBaseSlots[size_t(slot)], kMaxSlots[size_t(slot)]);
        !status.ok())
      return status;
  if (auto status = check("shared immediates", format.immediates, kBaseImmediates, kMaxImmediates);
      !status.ok())
    return status;
  return check("bytes", format.bytes(), 0, kMaxBundleBytes);
}

void sortBySlot(Bundle &bundle) {
  auto before = [](const Inst &a, const Inst &b) {
    const InstInfo &x = info(a.opcode), &y = info(b.opcode);
    return x.slot != y.slot ? x.slot < y.slot : x.sequencer && !y.sequencer;
  };
  auto begin = bundle.insts.begin();
  for (auto it = begin; it != bundle.insts.end(); ++it)
    std::rotate(std::upper_bound(begin, it, *it, before), it, std::next(it));
}

absl::StatusOr<EncodedBundle> encode(const Bundle &bundle, const BundleFormat &format) {
  EncodedBundle bytes{};
  writeWord(bytes, 0, kHeaderBits, bundle.delay);
  ImmediatePool pool{format.immediates};
  int slot = 0, position = 0, offset = kHeaderBits;
  for (const Inst &inst : bundle.insts) {
    if (inst.opcode == Opcode::none || inst.opcode >= Opcode::count_)
      return absl::InvalidArgumentError("an instruction has no opcode");
    const InstInfo &instInfo = info(inst.opcode);
    const absl::string_view mnemonic(instInfo.mnemonic.data(), instInfo.mnemonic.size());
    const int instSlot = int(instInfo.slot);
    if (instSlot < slot)
      return absl::InvalidArgumentError(absl::StrCat(mnemonic, ": not in slot order"));
    for (; slot < instSlot; ++slot, position = 0)
      offset += format.slots[size_t(slot)] * kSlots[slot].bits;
    const SlotInfo &slotInfo = kSlots[slot];
    if (const int count = format.slots[size_t(slot)]; position == count)
      return absl::InvalidArgumentError(absl::StrCat(mnemonic, ": a bundle has only ", count, " ",
                                                     slotInfo.name,
                                                     count == 1 ? " slot" : " slots"));
    if (instInfo.sequencer && position != 0)
      return absl::InvalidArgumentError(
          absl::StrCat(mnemonic, ": must be the first scalar instruction, and the only one of "
                                 "control or synchronisation, in its bundle"));

    uint64_t word = instInfo.code;
    int shift = slotInfo.opcodeBits;
    for (size_t i = 0; i < instInfo.fields.size(); ++i) {
      auto raw = encodeField(instInfo, instInfo.fields[i], inst.operands[i], pool);
      if (!raw.ok())
        return raw.status();
      word |= *raw << shift;
      shift += instInfo.fields[i].bits;
    }
    for (size_t i = instInfo.fields.size(); i < inst.operands.size(); ++i)
      if (inst.operands[i] != Operand())
        return absl::InvalidArgumentError(absl::StrCat(mnemonic, ": has too many operands"));
    writeWord(bytes, offset + position * slotInfo.bits, slotInfo.bits, word);
    ++position;
  }
  offset = immediateOffset(format);
  for (int i = 0; i < format.immediates; ++i)
    writeWord(bytes, offset + kImmediateBits * i, kImmediateBits, uint32_t(pool.values[i]));
  return bytes;
}

absl::StatusOr<Bundle> decode(const EncodedBundle &bytes, const BundleFormat &format) {
  Immediates immediates{};
  int offset = immediateOffset(format);
  for (int i = 0; i < format.immediates; ++i)
    immediates[i] = int32_t(readWord(bytes, offset + kImmediateBits * i, kImmediateBits));

  Bundle bundle;
  bundle.delay = uint16_t(readWord(bytes, 0, kHeaderBits));
  unsigned used = 0;
  offset = kHeaderBits;
  for (int slot = 0; slot < kSlotKinds; ++slot) {
    const SlotInfo &slotInfo = kSlots[slot];
    for (int i = 0; i < format.slots[size_t(slot)]; ++i, offset += slotInfo.bits) {
      auto inst =
          decodeWord(slot, readWord(bytes, offset, slotInfo.bits), format, immediates, used);
      if (!inst.ok())
        return inst.status();
      if (inst->opcode != Opcode::none)
        bundle.insts.push_back(*inst);
    }
  }
  for (int i = 0; i < format.immediates; ++i)
    if (!(used >> i & 1) && immediates[i] != 0)
      return absl::InvalidArgumentError(absl::StrCat("immediate ", i, " is unused but not zero"));
  // Only the order of slots of one kind and of the immediates is left to check:
  // a bundle has one encoding, so that equal programs have equal bytes.
  auto canonical = encode(bundle, format);
  if (!canonical.ok())
    return canonical.status();
  if (*canonical != bytes)
    return absl::InvalidArgumentError("slots or immediates are not in canonical order");
  return bundle;
}

} // namespace systole::isa
