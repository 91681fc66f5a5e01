// Reads the instruction set from TableGen records and checks its encoding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole-tblgen/Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

namespace systole::tblgen {

// Records come sorted by name; their identifiers follow the order of the files.
static std::vector<const Record *> inFileOrder(const RecordKeeper &records, StringRef cls) {
  std::vector<const Record *> defs(records.getAllDerivedDefinitions(cls));
  llvm::sort(defs, LessRecordByID());
  return defs;
}

std::string unitEnumerator(StringRef unit) {
  std::string name;
  bool upper = true;
  for (char c : unit) {
    name += upper ? toUpper(c) : c;
    upper = isDigit(c);
  }
  return name;
}

static std::string opcodeEnumerator(StringRef mnemonic) {
  std::string name = mnemonic.str();
  llvm::replace(name, '.', '_');
  if (name == "if" || name == "while")
    name += '_';
  return name;
}

static void addFields(const Record *def, const DagInit *dag, bool isResult,
                      std::vector<Field> &fields, int &offset) {
  for (unsigned i = 0, e = dag->getNumArgs(); i != e; ++i) {
    auto *type = dyn_cast<DefInit>(dag->getArg(i));
    if (!type || !type->getDef()->isSubClassOf("MachineField"))
      PrintFatalError(def->getLoc(), "operand " + Twine(i) + " is not a MachineField");
    Field field{dag->getArgNameStr(i).str(), type->getDef()->getValueAsString("FieldKind").str(),
                int(type->getDef()->getValueAsInt("FieldBits")), offset, isResult};
    if (field.name.empty())
      PrintFatalError(def->getLoc(), "operand " + Twine(i) + " has no name");
    if (isResult && !is_contained({"V", "M", "S"}, field.kind))
      PrintFatalError(def->getLoc(), "result `" + field.name + "` is not a register");
    offset += field.bits;
    fields.push_back(std::move(field));
  }
}

static void checkFits(const Record *def, const Slot &slot, const Instruction &inst) {
  if (inst.usedBits(slot) > slot.bits)
    PrintFatalError(def->getLoc(), "`" + inst.mnemonic + "` needs " + Twine(inst.usedBits(slot)) +
                                       " bits, slot " + slot.name + " has " + Twine(slot.bits));
  if (inst.code >= (1 << slot.opcodeBits))
    PrintFatalError(def->getLoc(), "no opcode is left in slot " + slot.name);
  if (inst.fields.size() > size_t(kMaxOperands))
    PrintFatalError(def->getLoc(),
                    "`" + inst.mnemonic + "` has more than " + Twine(kMaxOperands) + " operands");
  int results = llvm::count_if(inst.fields, [](const Field &f) { return f.isResult; });
  if (results > 1)
    PrintFatalError(def->getLoc(), "`" + inst.mnemonic + "` has more than one result");
}

Isa::Isa(const RecordKeeper &records) {
  std::map<const Record *, int> slotIndex, latencyIndex;
  int offset = kHeaderBits;
  for (const Record *def : inFileOrder(records, "MachineSlot")) {
    StringRef enumerator = def->getName();
    enumerator.consume_back("Slot");
    Slot slot{def->getValueAsString("Name").str(),   enumerator.str(),
              int(def->getValueAsInt("Count")),      int(def->getValueAsInt("Bits")),
              int(def->getValueAsInt("OpcodeBits")), offset};
    if (slot.bits % 8 != 0 || slot.bits > 64)
      PrintFatalError(def->getLoc(), "a slot is whole bytes, at most 8");
    offset += slot.count * slot.bits;
    slotIndex[def] = slots.size();
    slots.push_back(std::move(slot));
  }
  immediateOffset = offset;
  if (offset + kImmediateBits != kBundleBits)
    PrintFatalError("header, slots and immediates take " + Twine(offset + kImmediateBits) +
                    " bits, not " + Twine(kBundleBits));

  for (const Record *def : inFileOrder(records, "LatencyClass")) {
    latencyIndex[def] = latencies.size();
    latencies.push_back({def->getValueAsString("Name").str(), def->getValueAsString("Doc").str()});
  }

  std::vector<int> codes(slots.size(), 0);
  StringSet<> mnemonics;
  for (const Record *def : inFileOrder(records, "MachineInst")) {
    Instruction inst;
    inst.mnemonic = def->getValueAsString("Mnemonic").str();
    if (!mnemonics.insert(inst.mnemonic).second)
      PrintFatalError(def->getLoc(), "mnemonic `" + inst.mnemonic + "` is defined twice");
    inst.enumerator = opcodeEnumerator(inst.mnemonic);
    inst.slot = slotIndex.at(def->getValueAsDef("Slot"));
    inst.code = ++codes[inst.slot];
    inst.latency = latencyIndex.at(def->getValueAsDef("Latency"));
    inst.unit = def->getValueAsDef("Unit")->getValueAsString("Name").str();
    inst.summary = def->getValueAsString("summary").str();
    inst.description = def->getValueAsString("description").str();
    inst.semantics = def->getValueAsString("Semantics").trim().str();
    inst.feature = def->getValueAsString("Feature").str();
    inst.pushes = def->getValueAsInt("Pushes");
    // Control transfers and synchronisation stop or redirect the whole bundle,
    // so there is one of them, in the first slot.
    inst.sequencer = latencies[inst.latency].name == "control";
    if (inst.sequencer && slots[inst.slot].enumerator != "Scalar")
      PrintFatalError(def->getLoc(), "a sequencer instruction belongs in a scalar slot");
    int bit = slots[inst.slot].opcodeBits;
    addFields(def, def->getValueAsDag("Outs"), true, inst.fields, bit);
    addFields(def, def->getValueAsDag("Ins"), false, inst.fields, bit);
    checkFits(def, slots[inst.slot], inst);
    if (!inst.semantics.empty() && semanticsForm(*this, inst).macro.empty())
      PrintFatalError(def->getLoc(), "no semantics macro fits `" + inst.mnemonic + "`");
    insts.push_back(std::move(inst));
  }
}

SemanticsForm semanticsForm(const Isa &isa, const Instruction &inst) {
  StringRef slot = isa.slots[inst.slot].enumerator;
  auto operands = llvm::make_filter_range(inst.fields, [](const Field &f) { return !f.isResult; });
  std::string params = "(";
  for (const Field &field : operands)
    params += (params.size() > 1 ? ", " : "") + field.name;
  params += ")";

  if (slot == "Push" && inst.unit == "xlu")
    return {"SYSTOLE_REDUCE_OP", "(a, b)"};
  if (slot == "Push" && inst.unit == "eup")
    return {"SYSTOLE_EUP_OP", params};
  if (inst.fields.empty() || !inst.fields[0].isResult)
    return {};
  if (slot == "Scalar")
    return {"SYSTOLE_SCALAR_OP", params};
  if (slot != "Vector")
    return {};
  if (inst.fields[0].kind == "V")
    return {"SYSTOLE_VECTOR_OP", params};
  bool masks = llvm::all_of(operands, [](const Field &f) { return f.kind == "M"; });
  return {masks ? "SYSTOLE_MASK_OP" : "SYSTOLE_COMPARE_OP", params};
}

} // namespace systole::tblgen
