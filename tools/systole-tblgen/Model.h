// The generators' model of the instruction set: read from TableGen records,
// checked, and laid out in bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TOOLS_SYSTOLE_TBLGEN_MODEL_H
#define SYSTOLE_TOOLS_SYSTOLE_TBLGEN_MODEL_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace systole::tblgen {

inline constexpr int kBundleBits = 512;
inline constexpr int kHeaderBits = 16;
inline constexpr int kImmediates = 4;
inline constexpr int kImmediateBits = kImmediates * 32;
inline constexpr int kMaxOperands = 8; // as in dialects/Machine/InstructionSet/Isa.h

struct Slot {
  std::string name;       // "valu"
  std::string enumerator; // "Vector"
  int count, bits, opcodeBits;
  int offset; // of the first such slot in the bundle, in bits
};

struct Field {
  std::string name;
  std::string kind; // "V", "VS", ... of MachineField
  int bits;
  int offset; // in the slot's word
  bool isResult;
};

struct Latency {
  std::string name, doc;
};

struct Instruction {
  std::string mnemonic, enumerator;
  int slot;    // index into Isa::slots
  int code;    // within the slot
  int latency; // index into Isa::latencies
  std::string unit;
  std::string summary, description, semantics, feature;
  int pushes;
  bool sequencer;
  std::vector<Field> fields; // results first

  int usedBits(const Slot &s) const {
    return fields.empty() ? s.opcodeBits : fields.back().offset + fields.back().bits;
  }
};

struct Isa {
  std::vector<Slot> slots;
  std::vector<Latency> latencies;
  std::vector<Instruction> insts;
  int immediateOffset = 0; // bits

  // Reads and checks every record; a record that violates the encoding ends
  // the generator with an error at the record's location.
  explicit Isa(const llvm::RecordKeeper &records);
};

// Enumerator of Unit in Isa.h: "v2s" is V2S, "xlu" is Xlu.
std::string unitEnumerator(llvm::StringRef unit);

// The macro of IsaSemantics.inc that holds an instruction's semantics, and
// the names its expression may use.
struct SemanticsForm {
  std::string macro;
  std::string params; // "(a, b)"
};
SemanticsForm semanticsForm(const Isa &isa, const Instruction &inst);

bool emitEnums(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
bool emitTables(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
bool emitSemantics(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
bool emitDocs(llvm::raw_ostream &os, const llvm::RecordKeeper &records);

// The same for dialects that are defined by their encoding.
bool emitCodedTables(llvm::raw_ostream &os, const llvm::RecordKeeper &records);
bool emitCodedDocs(llvm::raw_ostream &os, const llvm::RecordKeeper &records);

} // namespace systole::tblgen

#endif // SYSTOLE_TOOLS_SYSTOLE_TBLGEN_MODEL_H
