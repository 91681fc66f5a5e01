// Elementwise work on pairs of bf16.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Pairs.h"
#include "compiler/Codegen/Body.h"
#include "dialects/StableHLO/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;
namespace hlo = systole::stablehlo;

constexpr int64_t kPair = 2; // rows in a physical one

static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<hlo::AddOp, hlo::SubtractOp, hlo::MulOp, hlo::MaxOp, hlo::MinOp,
                         hlo::ClampOp, hlo::NegOp, hlo::AbsOp>(op);
}

bool codegen::worksOnPairs(Block &body) {
  auto isBf16 = [](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor && tensor.getElementType().isBF16();
  };
  for (Operation &op : body) {
    if (!llvm::all_of(op.getOperands(), isBf16) || !llvm::all_of(op.getResults(), isBf16))
      return false;
    // A value that is stored as it was loaded would keep denormals, which arithmetic flushes.
    if (isa<kernel::YieldOp>(op))
      return llvm::all_of(op.getOperands(),
                          [](Value value) { return isArithmetic(value.getDefiningOp()); });
    auto constant = dyn_cast<hlo::ConstantOp>(op);
    if (!isArithmetic(&op) && !(constant && isa<DenseElementsAttr>(constant.getValue())))
      return false;
  }
  return false;
}

bool codegen::pairRows(Emitter &e, SmallVectorImpl<Access> &accesses, size_t inputs,
                       SmallVectorImpl<LoopDim> &dims, size_t sublaneDim) {
  LoopDim &along = dims[sublaneDim];
  if (along.extent % kPair != 0)
    return false;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    const bool isPaired = along.strides[number] == 1;
    if (!access.buffer.type.getElementType().isBF16() || access.lanes == Access::Lanes::chosen ||
        !(isPaired || (along.strides[number] == 0 && number < inputs)))
      return false;
    if (!isPaired)
      continue;
    if (access.buffer.isPart || access.first % kPair != 0)
      return false;
    for (const LoopDim &dim : dims)
      if (&dim != &along && dim.strides[number] % kPair != 0)
        return false;
  }
  for (auto [number, access] : llvm::enumerate(accesses)) {
    access.isRepeated = along.strides[number] == 0;
    if (access.isRepeated)
      continue;
    BufferRef &buffer = access.buffer;
    buffer.type = kernel::BufferType::get(e.b.getContext(), {buffer.type.getPhysicalRows(), kLanes},
                                          e.b.getI32Type(), buffer.type.getSpace());
    if (buffer.base)
      buffer.base = e.divide(buffer.base, kPair);
    access.first /= kPair;
    for (LoopDim &dim : dims)
      if (&dim != &along)
        dim.strides[number] /= kPair;
  }
  along.extent /= kPair;
  return true;
}

namespace {
struct PairEmitter {
  Emitter &e;

  /// The bf16 with these upper bits of an f32 in both halves of every cell.
  Value constant(uint32_t bits) const {
    return e.constant(static_cast<int32_t>(bits | bits >> 16));
  }
  template <typename Op> Value binary(Value a, Value b) const {
    return Op::create(e.b, e.loc, e.vectorType(), a, b);
  }
  Value negated(Value a) const {
    constexpr uint32_t minusOne = 0xbf800000;
    return binary<core::VMulBf16Op>(a, constant(minusOne));
  }
  Value emit(Operation &op, ArrayRef<Value> args) const;
};
} // namespace

Value PairEmitter::emit(Operation &op, ArrayRef<Value> args) const {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](hlo::ConstantOp value) {
        APFloat number = *cast<DenseElementsAttr>(value.getValue()).value_begin<APFloat>();
        constexpr int half = 16;
        return constant(static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue()) << half);
      })
      .Case([&](hlo::AddOp) { return binary<core::VAddBf16Op>(args[0], args[1]); })
      .Case([&](hlo::SubtractOp) { return binary<core::VSubBf16Op>(args[0], args[1]); })
      .Case([&](hlo::MulOp) { return binary<core::VMulBf16Op>(args[0], args[1]); })
      .Case([&](hlo::MaxOp) { return binary<core::VMaxBf16Op>(args[0], args[1]); })
      .Case([&](hlo::MinOp) { return binary<core::VMinBf16Op>(args[0], args[1]); })
      .Case([&](hlo::ClampOp) {
        return binary<core::VMinBf16Op>(binary<core::VMaxBf16Op>(args[0], args[1]), args[2]);
      })
      .Case([&](hlo::NegOp) { return negated(args[0]); })
      .Case([&](hlo::AbsOp) { return binary<core::VMaxBf16Op>(args[0], negated(args[0])); });
}

SmallVector<Value> codegen::emitPairs(Emitter &e, Block &body, ValueRange args) {
  llvm::SmallDenseMap<Value, Value, 16> values;
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), args))
    values[argument] = value;
  const Location stage = e.loc;
  SmallVector<Value> operands;
  for (Operation &op : body) {
    operands = llvm::map_to_vector(op.getOperands(), [&](Value x) { return values.lookup(x); });
    if (isa<kernel::YieldOp>(op))
      break;
    e.loc = op.getLoc();
    values[op.getResult(0)] = PairEmitter{e}.emit(op, operands);
  }
  e.loc = stage;
  return operands;
}
