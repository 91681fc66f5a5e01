// Operations on terms of sums.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Terms.h"

#include "compiler/Tensor/Identities.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/Imported.h"
#include "dialects/StableHLO/Reducers.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

/// The operation by which a reduction of one array combines elements; null if it does more.
static Operation *combinerOf(ReduceOp reduce) {
  return reduce.getInputs().size() == 1 ? systole::combinerOf(reduce.getBody().front()) : nullptr;
}

/// Whether a reduction begins with the identity of its combiner.
static bool beginsWithIdentity(ReduceOp reduce, Operation *combiner) {
  DenseElementsAttr start;
  return !isa<ComplexType>(typeOf(combiner->getResult(0)).getElementType()) &&
         matchPattern(reduce->getOperand(1), m_Constant(&start)) && start == identityOf(combiner);
}

bool isSum(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isa_and_nonnull<AddOp>(combinerOf(reduce));
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getInputs().size() == 1 &&
           isa_and_nonnull<AddOp>(systole::combinerOf(scatter.getUpdateComputation().front()));
  return isa<DotGeneralOp, ConvolutionOp, GatherOp>(op);
}

SmallVector<unsigned> initialOperands(Operation *op) {
  if (isa<ReduceOp>(op))
    return {1};
  if (isa<ScatterOp>(op))
    return {0};
  return {};
}

bool hasTerms(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  Operation *combiner = reduce ? combinerOf(reduce) : nullptr;
  return isSum(op) || isa_and_nonnull<MaxOp, MinOp, AndOp, OrOp>(combiner) ||
         (isa_and_nonnull<MulOp>(combiner) && beginsWithIdentity(reduce, combiner));
}

/// Whether a conversion rounds, but does not overflow: the sum of rounded terms is the rounded sum,
/// but for rounding.
static bool keepsRange(Type from, Type to) {
  auto source = dyn_cast<FloatType>(from), target = dyn_cast<FloatType>(to);
  return source && target &&
         APFloat::semanticsMaxExponent(target.getFloatSemantics()) >=
             APFloat::semanticsMaxExponent(source.getFloatSemantics());
}

SmallVector<unsigned> operandsOfTerms(Operation *op, ArrayRef<const Sharding *> operands,
                                      ArrayRef<AxisPart> axes) {
  if (isa<AddOp, SubtractOp, NegOp, ConcatenateOp, ReshapeOp, TransposeOp, BroadcastInDimOp,
          SliceOp, ReverseOp, RealOp, ImagOp, ComplexOp, PadOp>(op))
    return llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
  if (isa<ConvertOp>(op))
    return keepsRange(typeOf(op->getOperand(0)).getElementType(),
                      typeOf(op->getResult(0)).getElementType())
               ? SmallVector<unsigned>{0}
               : SmallVector<unsigned>();
  if (isa<SelectOp>(op))
    return {1, 2};
  if (isa<DynamicUpdateSliceOp>(op))
    return {0, 1};
  if (isa<DynamicSliceOp, GatherOp>(op))
    return {0};
  if (isa<ReduceOp>(op))
    return isSum(op) ? SmallVector<unsigned>{0, 1} : SmallVector<unsigned>();
  // Linear in each factor by itself. Quotients are not in their dividends: those of integers are
  // rounded, and 0 / 0 is NaN on cores whose term is 0.
  if (isa<MulOp, DotGeneralOp, ConvolutionOp>(op))
    for (auto [number, sharding] : llvm::enumerate(operands))
      if (sharding && ArrayRef<AxisPart>(sharding->unreduced) == axes)
        return {unsigned(number)};
  return {};
}

Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  // The sum of -0 and any x is x, of +0 and -0 it is +0.
  auto zeroOf = [](Type element) {
    return APFloat::getZero(cast<FloatType>(element).getFloatSemantics(), /*Negative=*/true);
  };
  DenseElementsAttr elements;
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    const APFloat zero = zeroOf(complex.getElementType());
    elements = DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
  } else if (isa<FloatType>(type.getElementType())) {
    elements = DenseElementsAttr::get(type, zeroOf(type.getElementType()));
  } else {
    elements = DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType()));
  }
  return ConstantOp::create(b, loc, elements);
}

} // namespace systole::partition
