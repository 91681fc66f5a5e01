// The instruction set as tables: opcodes, fields, bundles and their encoding,
// generated from the `core` dialect's TableGen. Needs no MLIR.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_ISA_H
#define SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_ISA_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dialects/Layout/MachineShape.h"

namespace systole::isa {

// The shape of the machine as `int`, as fields and registers are numbered.
inline constexpr int kSublanes = systole::kSublanes;
inline constexpr int kLanes = systole::kLanes;
inline constexpr int kRowBytes = systole::kRowBytes;
inline constexpr int kScalarRegisters = 32;
inline constexpr int kVectorRegisters = 32;
inline constexpr int kMaskRegisters = 16; // m0 reads as all ones
inline constexpr int kSyncFlags = systole::kSyncFlags;
inline constexpr int kMaxOperands = 8;

enum class Slot : uint8_t { Scalar, Vector, Load, Store, Push, Pop };
inline constexpr int kSlotKinds = 6;

enum class Unit : uint8_t { Core, Xlu, Eup, Mxu, Dma, V2S };

// See MachineField in CoreBase.td.
enum class FieldKind : uint8_t { V, VS, M, S, U, I, R, D, L };

// Opcode (none = 0, then one per instruction in the order of Core.td: s_mov,
// s_add, ...; a '.' of the mnemonic is a '_'; if_ and while_ for `if` and
// `while`) and LatencyClass (scalar, scalar_mul, ...), both with their count as
// last enumerator `count_`. BaseFormat: the slots of CoreBase.td.
#include "dialects/Machine/InstructionSet/IsaEnums.h.inc"

// The slots and shared immediates of a machine's bundles. Later machines have
// more than those of CoreBase.td, never fewer; the order of the slots is the same.
struct BundleFormat {
  std::array<uint8_t, kSlotKinds> slots = kBaseSlots; // by Slot
  uint8_t immediates = kBaseImmediates;

  int count(Slot slot) const { return slots[size_t(slot)]; }
  // Of an encoded bundle: whole words of 16 bytes.
  int bytes() const;
  bool operator==(const BundleFormat &) const = default;
};

// The most that a format may have. Two stores of a bundle would have no order.
inline constexpr std::array<uint8_t, kSlotKinds> kMaxSlots = {4, 8, 4, 1, 4, 4};
inline constexpr int kMaxImmediates = 8; // that operands can name
inline constexpr int kMaxBundleBytes = 128;

// InvalidArgument if the format has fewer or more slots or immediates than a machine may have.
absl::Status checkFormat(const BundleFormat &format);

struct FieldInfo {
  std::string_view name;
  FieldKind kind;
  uint8_t bits;
  bool isResult;
};

struct InstInfo {
  std::string_view mnemonic;
  Slot slot;
  Unit unit;
  LatencyClass latency;
  uint8_t code;   // the opcode's number within its slot, from 1
  uint8_t pushes; // results added to the unit's FIFO
  bool sequencer; // control or synchronisation: must sit in scalar slot 0
  std::string_view feature;
  std::span<const FieldInfo> fields; // results first, then operands
};

const InstInfo &info(Opcode opcode);
std::optional<Opcode> opcodeFromMnemonic(std::string_view mnemonic);
std::string_view name(LatencyClass latency);
std::string_view name(Slot slot);

// One operand after decoding. U, I, R, D and L fields are Immediate.
struct Operand {
  enum class Kind : uint8_t { None, Vector, Mask, Scalar, Immediate };
  Kind kind = Kind::None;
  int32_t value = 0; // register number or constant
  bool operator==(const Operand &) const = default;
};

struct Inst {
  Opcode opcode = Opcode::none;
  std::array<Operand, kMaxOperands> operands; // in the order of InstInfo::fields
  bool operator==(const Inst &) const = default;
};

// The instructions that issue in one cycle, followed by `delay` empty cycles. At most
// the format's count of each slot; in slot order, a sequencer instruction first.
struct Bundle {
  uint16_t delay = 0;
  std::vector<Inst> insts;
  bool operator==(const Bundle &) const = default;
};

// Sorts the instructions of a bundle into the order that Bundle requires; the
// sort is stable, except that a sequencer instruction comes first.
void sortBySlot(Bundle &bundle);

// The bytes behind those of the format are zero.
using EncodedBundle = std::array<uint8_t, kMaxBundleBytes>;

// InvalidArgument when the bundle does not fit: too many instructions of a
// slot or not in slot order, a register or constant out of range, m0 as result,
// more distinct shared immediates than the format has.
absl::StatusOr<EncodedBundle> encode(const Bundle &bundle, const BundleFormat &format = {});
// InvalidArgument for an opcode that does not exist, non-zero reserved bits, an
// unused immediate that is not zero, or any encoding other than that of encode:
// so encode(decode(x)) is x.
absl::StatusOr<Bundle> decode(const EncodedBundle &bytes, const BundleFormat &format = {});

} // namespace systole::isa

#endif // SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_ISA_H
