// One instruction as an operation of the interpreter.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cassert>

#include "absl/strings/str_cat.h"
#include "runtime/Emulator/Code/Code.h"

namespace systole::emulation {

using isa::FieldKind;
using isa::Opcode;
using isa::Operand;

namespace {

absl::Status invalid(const isa::InstInfo &info, const std::string &text) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(info.mnemonic), ": ", text));
}

struct InstDecoder {
  const Program &program;
  const Target &target;
  const isa::Inst &inst;
  const isa::InstInfo &info = isa::info(inst.opcode);
  Op op{};
  int operandCount = 0;
  std::array<bool, 5> isVector{};
  std::vector<int32_t> constants{}; // U, I, R, D and L fields in their order

  int registerOf(const Operand &operand) const {
    switch (operand.kind) {
    case Operand::Kind::Scalar:
      return operand.value;
    case Operand::Kind::Vector:
      return kVectorBase + operand.value;
    default:
      return kMaskBase + operand.value;
    }
  }

  absl::Status fields() {
    for (size_t i = 0; i < info.fields.size(); ++i) {
      const isa::FieldInfo &field = info.fields[i];
      const Operand &operand = inst.operands[i];
      if (field.isResult) {
        op.dest = uint8_t(registerOf(operand));
        op.destOffset = offsetOfRegister(op.dest);
        continue;
      }
      bool isRegister = field.kind == FieldKind::V || field.kind == FieldKind::VS ||
                        field.kind == FieldKind::M || field.kind == FieldKind::S;
      if (!isRegister) {
        constants.push_back(operand.value);
        continue;
      }
      if (operandCount == int(op.operands.size()))
        return invalid(info, "has too many operands");
      isVector[operandCount] = operand.kind == Operand::Kind::Vector;
      op.scalars |= uint8_t((field.kind == FieldKind::S || field.kind == FieldKind::VS) &&
                            !isVector[operandCount])
                    << operandCount;
      if (operand.kind == Operand::Kind::Immediate) {
        op.literals |= uint8_t(1 << operandCount);
        op.operands[operandCount] = operand.value;
      } else {
        int reg = registerOf(operand);
        op.operands[operandCount] = offsetOfRegister(reg);
        assert(op.numReads < op.reads.size() && "more registers than an operation reads");
        if (reg != kMaskBase)
          op.reads[op.numReads++] = uint8_t(reg);
      }
      op.operandCount = uint8_t(++operandCount);
    }
    return absl::OkStatus();
  }

  absl::Status checkRegion(int region, program::Space space) {
    if (region < 0 || region >= program.header.regions_size())
      return invalid(info, absl::StrCat("region ", region, " of ", program.header.regions_size()));
    if (program.header.regions(region).space() != space)
      return invalid(info, absl::StrCat("region `", program.header.regions(region).name(),
                                        "` is not in ", program::Space_Name(space)));
    op.aux = region;
    return absl::OkStatus();
  }

  absl::Status mxu(int index, Handler handler, int unitBase) {
    if (index < 0 || index >= target.mxusPerCore())
      return invalid(info, absl::StrCat("MXU ", index, " of ", target.mxusPerCore()));
    op.handler = handler;
    op.unit = uint8_t(unitBase + index);
    return absl::OkStatus();
  }

  absl::Status pushWide(int depths, int columns, int number) {
    const int most = target.mxuSize() / kTileSize;
    for (int tiles : {depths, columns})
      if (tiles < 1 || tiles > most)
        return invalid(info, absl::StrCat(tiles, " tiles of ", most));
    op.count = uint8_t(depths * columns);
    op.aux = depths;
    return mxu(number, Handler::PushWide, kMxu);
  }

  void push(Handler handler, int unit) {
    assert(unit < kMxu && "MXUs are numbered by a field");
    op.handler = handler;
    op.unit = uint8_t(unit);
    op.count = 1;
  }

  absl::Status pop(int unit) {
    op.handler = unit == kToScalar ? Handler::PopScalar : Handler::PopVector;
    op.unit = uint8_t(unit);
    return absl::OkStatus();
  }

  absl::Status lanes() {
    op.handler = Handler::Lanes;
    op.lanes = kernels().lanes[size_t(inst.opcode)][op.scalars];
    return op.lanes ? absl::OkStatus() : invalid(info, "is not known to the emulator");
  }

  absl::Status memory(Handler handler, KernelTable::Row row) {
    op.handler = handler;
    op.row = row;
    op.offset = int16_t(constants[0]);
    int bits = 32;
    switch (inst.opcode) {
    case Opcode::vld_bf16:
    case Opcode::vld_f16:
    case Opcode::vld_s16:
    case Opcode::vld_u16:
    case Opcode::vst_bf16:
    case Opcode::vst_f16:
    case Opcode::vst_b16:
      bits = 16;
      break;
    case Opcode::vld_s8:
    case Opcode::vld_u8:
    case Opcode::vst_b8:
      bits = 8;
      break;
    default:
      break;
    }
    assert(operandCount > 0 && constants.size() == 2 && "an offset, a region, and the mask last");
    op.packShift = bits == 32 ? 0 : bits == 16 ? 1 : 2;
    op.allCells = op.operands[operandCount - 1] == offsetOfRegister(kMaskBase);
    return checkRegion(constants[1], program::VMEM);
  }

  absl::Status copy() {
    op.handler = Handler::Copy;
    op.unit = kDma;
    op.aux = constants[0];
    op.count = uint8_t(constants[1]);
    if (op.aux < 0 || op.aux >= program.header.descriptors_size())
      return invalid(
          info, absl::StrCat("descriptor ", op.aux, " of ", program.header.descriptors_size()));
    const program::Descriptor &d = program.header.descriptors(op.aux);
    if ((inst.opcode == Opcode::dma_send) != (d.arrival_flag() > 0))
      return invalid(info, absl::StrCat("descriptor ", op.aux, " has ",
                                        d.arrival_flag() > 0 ? "an" : "no", " arrival flag"));
    int levels = 0;
    for (int i = 0; i < d.counts_size(); ++i)
      if (d.counts(i) != 1)
        levels = i + 1;
    if (1 + levels > int(target.description().dma_dimensions().value()))
      return invalid(info, absl::StrCat("descriptor ", op.aux, " has ", 1 + levels,
                                        " dimensions; the target copies ",
                                        target.description().dma_dimensions().value()));
    return absl::OkStatus();
  }

  absl::Status handler() {
    const KernelTable &table = kernels();
    switch (inst.opcode) {
    case Opcode::s_ld:
      op.handler = Handler::SmemLoad;
      return checkRegion(constants[0], program::SMEM);
    case Opcode::s_st:
      op.handler = Handler::SmemStore;
      return checkRegion(constants[0], program::SMEM);
    case Opcode::flag_read:
      op.handler = Handler::FlagRead;
      op.count = uint8_t(constants[0]);
      return absl::OkStatus();
    case Opcode::flag_add:
      op.handler = Handler::FlagAdd;
      op.count = uint8_t(constants[0]);
      return absl::OkStatus();
    case Opcode::flag_signal:
      op.handler = Handler::FlagSignal;
      return absl::OkStatus();
    case Opcode::log_word:
      op.handler = Handler::LogWord;
      op.aux = constants[0];
      if (op.aux >= program.header.log_messages_size())
        return invalid(info, absl::StrCat("names log message ", op.aux, " of ",
                                          program.header.log_messages_size()));
      return absl::OkStatus();
    case Opcode::s_core:
      op.handler = Handler::CoreNumber;
      return absl::OkStatus();
    case Opcode::trap:
      op.handler = Handler::Trap;
      op.aux = constants[0];
      return absl::OkStatus();
    case Opcode::loop:
    case Opcode::if_:
    case Opcode::exit:
    case Opcode::wait:
      op.handler = Handler::ControlValue;
      return absl::OkStatus();
    case Opcode::v_rots:
      op.handler = Handler::RotateSublanes;
      return absl::OkStatus();
    case Opcode::v_gathers:
      op.handler = Handler::GatherSublanes;
      return absl::OkStatus();
    case Opcode::xlu_rotate:
      push(Handler::Rotate, kXlu);
      return absl::OkStatus();
    case Opcode::xlu_bcast:
      push(Handler::Broadcast, kXlu);
      return absl::OkStatus();
    case Opcode::xlu_gather:
      push(Handler::GatherLanes, kXlu);
      op.push = table.gatherLanes;
      return absl::OkStatus();
    case Opcode::xlu_tr:
      push(Handler::Transpose, kXlu);
      op.count = 0;
      return absl::OkStatus();
    case Opcode::xlu_tr_end:
      push(Handler::TransposeEnd, kXlu);
      op.count = uint8_t(constants[0]);
      if (op.count < 1 || op.count > kMostResults)
        return invalid(info, absl::StrCat("delivers ", constants[0], " results; 1 to ",
                                          kMostResults, " exist"));
      return absl::OkStatus();
    case Opcode::v2s:
      push(Handler::ToScalar, kToScalar);
      return absl::OkStatus();
    case Opcode::mxu_latch:
      return mxu(constants[0], Handler::Latch, kLatch);
    case Opcode::mxu_latch_t:
      return mxu(constants[0], Handler::LatchTransposed, kLatch);
    case Opcode::mxu_latch_s8:
      return mxu(constants[0], Handler::LatchS8, kLatch);
    case Opcode::mxu_swap:
      return mxu(constants[0], Handler::Swap, kSwap);
    case Opcode::mxu_push:
      op.count = 1;
      return mxu(constants[0], Handler::Push, kMxu);
    case Opcode::mxu_push_s8:
      op.count = 1;
      return mxu(constants[0], Handler::PushS8, kMxu);
    case Opcode::mxu_push_wide:
      return pushWide(constants[0], constants[1], constants[2]);
    case Opcode::mxu_pop:
      return mxu(constants[0], Handler::PopVector, kMxu);
    case Opcode::xlu_pop:
      return pop(kXlu);
    case Opcode::eup_pop:
      return pop(kEup);
    case Opcode::v2s_pop:
      return pop(kToScalar);
    case Opcode::dma_start:
    case Opcode::dma_send:
      return copy();
    default:
      break;
    }
    if (auto row = table.loadRow[size_t(inst.opcode)])
      return memory(Handler::Load, row);
    if (auto row = table.storeRow[size_t(inst.opcode)])
      return memory(Handler::Store, row);
    if (auto function = table.eup[size_t(inst.opcode)]) {
      push(Handler::Eup, kEup);
      op.push = function;
      return absl::OkStatus();
    }
    if (auto function = table.reduce[size_t(inst.opcode)]) {
      push(Handler::Reduce, kXlu);
      op.push = function;
      return absl::OkStatus();
    }
    if (info.slot == isa::Slot::Vector)
      return lanes();
    op.handler = Handler::Scalar;
    return absl::OkStatus();
  }
};

} // namespace

CellTime cellTimeOf(const Op &op) {
  switch (op.handler) {
  case Handler::Scalar:
  case Handler::SmemLoad:
  case Handler::SmemStore:
  case Handler::CoreNumber:
  case Handler::FlagRead:
  case Handler::FlagAdd:
  case Handler::FlagSignal:
  case Handler::LogWord:
  case Handler::Trap:
  case Handler::ControlValue:
  case Handler::CommitScalar:
    return CellTime::None;
  case Handler::PopScalar:
  case Handler::Copy:
    return CellTime::Now;
  default:
    return CellTime::Later;
  }
}

bool writesVectorOrMask(const Op &op) {
  switch (op.handler) {
  case Handler::Lanes:
  case Handler::RotateSublanes:
  case Handler::GatherSublanes:
  case Handler::Load:
  case Handler::PopVector:
  case Handler::CommitVector:
  case Handler::CommitMask:
    return true;
  default:
    return false;
  }
}

bool isProduct(const Op &op) {
  return op.handler == Handler::Push || op.handler == Handler::PushS8 ||
         op.handler == Handler::PushWide;
}

int resultCount(const Op &op) {
  switch (op.handler) {
  case Handler::Rotate:
  case Handler::Broadcast:
  case Handler::GatherLanes:
  case Handler::Reduce:
  case Handler::TransposeEnd:
  case Handler::Eup:
  case Handler::ToScalar:
  case Handler::Push:
  case Handler::PushS8:
  case Handler::PushWide:
    return op.count;
  default:
    return 0;
  }
}

absl::Status decodeInst(const Program &program, const Target &target, const isa::Inst &inst,
                        std::vector<Op> &ops) {
  InstDecoder decoder{program, target, inst};
  if (!decoder.info.feature.empty() && !target.hasFeature(decoder.info.feature))
    return invalid(decoder.info, absl::StrCat("target ", target.name(), " has no feature ",
                                              std::string(decoder.info.feature)));
  switch (inst.opcode) {
  case Opcode::while_:
  case Opcode::call:
  case Opcode::ret:
  case Opcode::halt:
  case Opcode::overlay:
  case Opcode::overlay_start:
    return absl::OkStatus(); // all is in the block
  default:
    break;
  }
  decoder.op.opcode = inst.opcode;
  decoder.op.latency = uint16_t(target.latency(decoder.info.latency));
  decoder.op.interval = uint16_t(target.interval(decoder.info.latency));
  if (absl::Status status = decoder.fields(); !status.ok())
    return status;
  if (absl::Status status = decoder.handler(); !status.ok())
    return status;
  decoder.op.cellTime = cellTimeOf(decoder.op);
  if (writesVectorOrMask(decoder.op))
    decoder.op.maskResult = maskAtOffset(decoder.op.destOffset);
  if (!decoder.op.allCells &&
      (decoder.op.handler == Handler::Load || decoder.op.handler == Handler::Store))
    decoder.op.rowMask = maskAtOffset(decoder.op.operands[size_t(decoder.operandCount) - 1]);
  ops.push_back(decoder.op);
  return absl::OkStatus();
}

} // namespace systole::emulation
