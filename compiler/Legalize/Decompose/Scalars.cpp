// Decomposes small tensors in the bodies of reducers, sorts and scatters into scalars.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Decompose/Decompose.h"
#include "compiler/Legalize/Refine/Sources.h"
#include "compiler/Tensor/OpKinds.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole::decomposition {

using namespace stablehlo;

namespace {

/// Elements of a tensor that is taken apart: each becomes an operation.
constexpr int64_t kMostScalars = 64;

RankedTensorType scalarOf(Type type) {
  return RankedTensorType::get({}, cast<RankedTensorType>(type).getElementType());
}

class Scalars {
public:
  /// `parent` is the operation whose body this is.
  Scalars(Operation *parent, Block &body) : parent(parent), body(body) {}

  void run();

private:
  using Elements = SmallVector<Value>;

  bool isScalar(Operation *op);
  bool canTakeApart(Operation *op);
  Elements elementsOf(Value value);
  std::optional<Elements> apply(Operation *op);
  Elements constants(ConstantOp op);
  Elements counts(IotaOp op);
  Elements elementwise(Operation *op);
  Elements reduce(ReduceOp op, unsigned result);
  Elements multiply(DotGeneralOp op);
  Elements lookUp(DynamicSliceOp op);

  Operation *parent;
  Block &body;
  llvm::DenseMap<Value, Elements> known;
};

/// Whether later passes apply an operation to whole tensors as it is.
bool Scalars::isScalar(Operation *op) {
  auto isScalarType = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getRank() == 0;
  };
  return llvm::all_of(op->getOperandTypes(), isScalarType) &&
         llvm::all_of(op->getResultTypes(), isScalarType) &&
         !isa<DotGeneralOp, OptimizationBarrierOp, TransposeOp, ReverseOp, SliceOp, PadOp,
              ConcatenateOp, ReduceOp, IotaOp, DynamicSliceOp>(op);
}

/// Elements of a value from outside are taken there.
Scalars::Elements Scalars::elementsOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return {value};
  Tensors t(parent);
  Value flat = t.reshape(value, {type.getNumElements()});
  Elements elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(t.take(flat, 0, i));
  return known[value] = elements;
}

Scalars::Elements Scalars::constants(ConstantOp op) {
  Tensors t(op);
  Elements elements;
  for (Attribute value : cast<DenseElementsAttr>(op.getValue()).getValues<Attribute>())
    elements.push_back(
        ConstantOp::create(t.b, t.loc, DenseElementsAttr::get(scalarOf(op.getType()), value)));
  return elements;
}

Scalars::Elements Scalars::counts(IotaOp op) {
  Tensors t(op);
  Elements elements;
  refine::forEachIndex(op.getType().getShape(), [&](ArrayRef<int64_t> index) {
    elements.push_back(t.number(op.getType().getElementType(), index[op.getIotaDimension()]));
  });
  return elements;
}

Scalars::Elements Scalars::elementwise(Operation *op) {
  OpBuilder b(op);
  SmallVector<Elements> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return elementsOf(operand); });
  Elements elements;
  Type type = op->getResult(0).getType();
  for (int64_t i = 0; i < cast<RankedTensorType>(type).getNumElements(); ++i) {
    OperationState state(op->getLoc(), op->getName());
    for (const Elements &operand : operands)
      state.addOperands(operand[operand.size() == 1 ? 0 : i]);
    state.addTypes(scalarOf(type));
    state.addAttributes(op->getAttrs());
    elements.push_back(b.create(state)->getResult(0));
  }
  return elements;
}

/// One result of a reduction, from the first element on.
Scalars::Elements Scalars::reduce(ReduceOp op, unsigned result) {
  Tensors t(op);
  auto count = static_cast<unsigned>(op.getInputs().size());
  ArrayRef<int64_t> from = shapeOf(op.getInputs().front()), to = shapeOf(op.getResult(0));
  auto sums = SmallVector<Elements>(ShapedType::getNumElements(to));
  for (Elements &sum : sums)
    for (Value initial : op.getInitValues())
      sum.push_back(t.convert(initial, typeOf(op.getResult(sum.size())).getElementType()));
  refine::forEachIndex(from, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    for (auto [d, i] : llvm::enumerate(index))
      if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d)))
        kept.push_back(i);
    Elements &sum = sums[refine::linear(kept, to)];
    IRMapping mapping;
    Block &block = op.getBody().front();
    for (unsigned i = 0; i < count; ++i) {
      Value element = elementsOf(op.getInputs()[i])[refine::linear(index, from)];
      mapping.map(block.getArgument(i), sum[i]);
      mapping.map(block.getArgument(count + i),
                  t.convert(element, typeOf(op.getResult(i)).getElementType()));
    }
    for (Operation &inner : block.without_terminator())
      t.b.clone(inner, mapping);
    for (auto [value, next] : llvm::zip_equal(sum, block.getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(next);
  });
  return llvm::map_to_vector(sums, [&](Elements &sum) { return sum[result]; });
}

/// Sums of products in the order of the depth.
Scalars::Elements Scalars::multiply(DotGeneralOp op) {
  Tensors t(op);
  Type element = op.getType().getElementType();
  Elements lhs = elementsOf(op.getLhs()), rhs = elementsOf(op.getRhs()), result;
  SmallVector<int64_t> lhsFree = op.getLhsFreeDims(), rhsFree = op.getRhsFreeDims(), depth;
  for (int64_t d : op.getLhsContractingDims())
    depth.push_back(shapeOf(op.getLhs())[d]);
  size_t batch = op.getLhsBatchingDims().size();
  refine::forEachIndex(shapeOf(op), [&](ArrayRef<int64_t> index) {
    Value sum = zeros(t, RankedTensorType::get({}, element));
    refine::forEachIndex(depth, [&](ArrayRef<int64_t> at) {
      auto factor = [&](const Elements &values, Value operand, ArrayRef<int64_t> batchDims,
                        ArrayRef<int64_t> freeDims, ArrayRef<int64_t> summed, size_t firstFree) {
        SmallVector<int64_t> place(shapeOf(operand).size());
        for (auto [number, d] : llvm::enumerate(batchDims))
          place[d] = index[number];
        for (auto [number, d] : llvm::enumerate(freeDims))
          place[d] = index[firstFree + number];
        for (auto [number, d] : llvm::enumerate(summed))
          place[d] = at[number];
        return t.convert(values[refine::linear(place, shapeOf(operand))], element);
      };
      Value left = factor(lhs, op.getLhs(), op.getLhsBatchingDims(), lhsFree,
                          op.getLhsContractingDims(), batch);
      Value right = factor(rhs, op.getRhs(), op.getRhsBatchingDims(), rhsFree,
                           op.getRhsContractingDims(), batch + lhsFree.size());
      sum = t.apply<AddOp>(sum, t.apply<MulOp>(left, right));
    });
    result.push_back(sum);
  });
  return result;
}

/// A slice at each position that there is, of which one is selected.
Scalars::Elements Scalars::lookUp(DynamicSliceOp op) {
  Tensors t(op);
  Elements source = elementsOf(op.getOperand()), result;
  ArrayRef<int64_t> shape = shapeOf(op.getOperand()), sizes = shapeOf(op);
  SmallVector<int64_t> room;
  SmallVector<Value> starts;
  for (auto [start, size, taken] : llvm::zip_equal(op.getStartIndices(), shape, sizes)) {
    // Narrow types may not hold the last position.
    Value wide = typeOf(start).getElementTypeBitWidth() < 32 ? t.convert(start, t.b.getI32Type())
                                                             : Value(start);
    Type type = typeOf(wide).getElementType();
    room.push_back(size - taken + 1);
    starts.push_back(
        t.apply<MinOp>(t.apply<MaxOp>(wide, t.number(type, 0)), t.number(type, size - taken)));
  }
  refine::forEachIndex(room, [&](ArrayRef<int64_t> first) {
    Value isHere;
    for (auto [d, start] : llvm::enumerate(starts)) {
      Value number = t.number(typeOf(start).getElementType(), first[d]);
      Value isEqual = t.compare(ComparisonDirection::EQ, start, number);
      isHere = isHere ? t.apply<AndOp>(isHere, isEqual) : isEqual;
    }
    Elements here;
    refine::forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> place;
      for (auto [i, offset] : llvm::zip_equal(index, first))
        place.push_back(i + offset);
      here.push_back(source[refine::linear(place, shape)]);
    });
    if (result.empty())
      result = here;
    for (auto [value, other] : llvm::zip_equal(result, here))
      value = value == other ? value : t.select(isHere, other, value);
  });
  return result;
}

/// Whether an operation's tensors are small, and the elements of its operands known or outside.
bool Scalars::canTakeApart(Operation *op) {
  auto isSmall = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() <= kMostScalars;
  };
  auto isKnown = [&](Value value) {
    return typeOf(value).getRank() == 0 || known.contains(value) ||
           !body.getParent()->isAncestor(value.getParentRegion());
  };
  return llvm::all_of(op->getOperandTypes(), isSmall) &&
         llvm::all_of(op->getResultTypes(), isSmall) && llvm::all_of(op->getOperands(), isKnown);
}

/// The elements of an operation's result; std::nullopt if it cannot be taken apart.
std::optional<Scalars::Elements> Scalars::apply(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constants(constant);
  if (auto iota = dyn_cast<IotaOp>(op))
    return counts(iota);
  if (auto product = dyn_cast<DotGeneralOp>(op))
    return multiply(product);
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return lookUp(slice);
  if (std::optional<SmallVector<refine::Source>> sources = refine::sourcesOf(op)) {
    SmallVector<Elements> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return elementsOf(operand); });
    return llvm::map_to_vector(
        *sources, [&](refine::Source source) { return operands[source.operand][source.element]; });
  }
  bool isElementwise =
      kindOf(op) == OpKind::Elementwise || op->hasTrait<mlir::OpTrait::Elementwise>();
  if (!isElementwise || op->getNumRegions() != 0)
    return std::nullopt;
  return elementwise(op);
}

void Scalars::run() {
  SmallVector<Operation *> dead;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (isScalar(&op) || !canTakeApart(&op))
      continue;
    for (auto [number, result] : llvm::enumerate(op.getResults())) {
      std::optional<Elements> elements;
      if (isa<OptimizationBarrierOp>(op))
        elements = elementsOf(op.getOperand(number));
      else if (auto reduction = dyn_cast<ReduceOp>(op))
        elements = reduce(reduction, number);
      else
        elements = apply(&op);
      if (!elements)
        break;
      known[result] = *elements;
      if (typeOf(result).getRank() == 0)
        result.replaceAllUsesWith(elements->front());
      if (number + 1 == op.getNumResults())
        dead.push_back(&op);
    }
  }
  for (Operation *op : llvm::reverse(dead))
    if (op->use_empty())
      op->erase();
}

} // namespace

void decomposeTensorsInBodies(Operation *root) {
  root->walk([](Operation *op) {
    if (isa<ReduceOp, ReduceWindowOp, SelectAndScatterOp, SortOp, ScatterOp, MapOp>(op))
      for (Region &region : op->getRegions())
        Scalars(op, region.front()).run();
  });
}

} // namespace systole::decomposition
