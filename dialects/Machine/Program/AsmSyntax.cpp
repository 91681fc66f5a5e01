// Conventions of the machine's text form that the assembler and the disassembler share.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/AsmSyntax.h"

#include <bit>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace systole::assembly {

using isa::FieldKind;
using isa::Operand;

// More register operands than this are hard to tell apart by position.
static constexpr int kMaxPositional = 3;

static bool isInline(FieldKind kind) {
  return kind == FieldKind::U || kind == FieldKind::I || kind == FieldKind::R ||
         kind == FieldKind::D;
}

std::optional<Operand> defaultOperand(isa::Opcode opcode, const isa::FieldInfo &field) {
  if (field.isResult)
    return std::nullopt;
  if (field.kind == FieldKind::M)
    return field.name == "mask" ? std::optional(Operand{Operand::Kind::Mask, 0}) : std::nullopt;
  if (field.name == "offset" || field.name == "mxu")
    return Operand{Operand::Kind::Immediate, 0};
  if (field.name == "stride")
    return Operand{Operand::Kind::Immediate, 1};
  if ((field.name == "core" && opcode == isa::Opcode::flag_add) || (field.name == "count" && opcode == isa::Opcode::dma_start))
    return Operand{Operand::Kind::Immediate, -1};
  return std::nullopt;
}

bool writtenByName(isa::Opcode opcode, const isa::FieldInfo &field) {
  if (isInline(field.kind) || defaultOperand(opcode, field))
    return true;
  int positional = 0;
  for (const isa::FieldInfo &other : isa::info(opcode).fields)
    positional += !other.isResult && !isInline(other.kind) && !defaultOperand(opcode, other);
  return positional > kMaxPositional;
}

bool namesRegion(const isa::FieldInfo &field) {
  return field.kind == FieldKind::R || absl::EndsWith(toAbsl(field.name), "Region");
}

std::optional<Operand> parseRegister(absl::string_view text) {
  struct Bank {
    char prefix;
    Operand::Kind kind;
    int count;
  };
  static constexpr Bank banks[] = {{'s', Operand::Kind::Scalar, isa::kScalarRegisters},
                                   {'v', Operand::Kind::Vector, isa::kVectorRegisters},
                                   {'m', Operand::Kind::Mask, isa::kMaskRegisters}};
  for (const Bank &bank : banks) {
    int number = 0;
    if (text.empty() || text[0] != bank.prefix || !absl::SimpleAtoi(text.substr(1), &number) ||
        number < 0 || number >= bank.count || text.substr(1) != absl::StrCat(number))
      continue;
    return Operand{bank.kind, number};
  }
  return std::nullopt;
}

std::string registerName(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::Vector:
    return absl::StrCat("v", operand.value);
  case Operand::Kind::Mask:
    return absl::StrCat("m", operand.value);
  default:
    return absl::StrCat("s", operand.value);
  }
}

static constexpr struct {
  program::Space space;
  absl::string_view name;
} kSpaces[] = {{program::HBM, "hbm"},
               {program::VMEM, "vmem"},
               {program::SMEM, "smem"},
               {program::HOST, "host"},
               {program::PINNED, "pinned"}};

std::optional<program::Space> parseSpace(absl::string_view text) {
  for (const auto &entry : kSpaces)
    if (entry.name == text)
      return entry.space;
  return std::nullopt;
}

absl::string_view spaceName(program::Space space) {
  for (const auto &entry : kSpaces)
    if (entry.space == space)
      return entry.name;
  return "?";
}

bool readsFloat(isa::Opcode opcode, const isa::FieldInfo &field) {
  return field.kind == FieldKind::VS && absl::StartsWith(toAbsl(isa::info(opcode).mnemonic), "v.f");
}

std::string floatText(uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value))
    return absl::StrFormat("0x%08x", bits);
  if (std::isinf(value))
    return value < 0 ? "-inf" : "+inf";
  std::string text;
  for (int digits = 1; digits <= 9; ++digits) {
    text = absl::StrFormat("%.*g", digits, value);
    float back = 0;
    if (absl::SimpleAtof(text, &back) && std::bit_cast<uint32_t>(back) == bits)
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

} // namespace systole::assembly
