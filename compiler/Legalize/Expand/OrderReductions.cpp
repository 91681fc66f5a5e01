// Rewrites reductions whose result depends on the order of elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Choice.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/Counterparts.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/StableHLO/Traits.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ORDERREDUCTIONS
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;
using namespace expansion;

/// Larger reducers are not analyzed: the analysis visits pairs of operations and combinations of
/// comparison outcomes.
constexpr size_t kMaxOperations = 256;

/// Whether a reducer is symmetric in its two sets of arguments, judged by the structure of its
/// operations.
bool exchangesArguments(Block &body) {
  unsigned count = body.getNumArguments();
  Counterparts exchanged(
      body, [=](unsigned argument) { return std::optional((argument + count / 2) % count); });
  return llvm::all_of(body.getTerminator()->getOperands(),
                      [&](Value result) { return exchanged.contain(result, result); });
}

/// Rewrites one reduction.
class Orderer {
public:
  explicit Orderer(ReduceOp op) : op(op), t(op), dims(op.getDimensions()) { llvm::sort(dims); }

  void choose(const Choice &choice);
  void combinePairs();
  void combineHalves();

private:
  /// The input that counts along the reduced dimension, if there is one.
  std::optional<unsigned> countingInput() {
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      if (auto iota = input.getDefiningOp<IotaOp>();
          iota && dims.size() == 1 && static_cast<int64_t>(iota.getIotaDimension()) == dims[0] &&
          (typeOf(input).getElementType().isInteger(32) ||
           typeOf(input).getElementType().isInteger(64)))
        return i;
    return std::nullopt;
  }

  /// The indices of elements, in the order in which they are combined.
  Value elementIndices() {
    Type i32 = t.b.getI32Type();
    SmallVector<int64_t> shape(shapeOf(op.getInputs().front()));
    // Without reduced dimensions each element is alone.
    Value all = dims.empty() ? t.number(i32, 0, shape) : Value();
    for (int64_t dim : dims) {
      Value along = t.iota(i32, shape, dim);
      all = all ? t.apply<AddOp>(t.apply<MulOp>(all, t.number(i32, shape[dim], shape)), along)
                : along;
    }
    return all;
  }

  /// The inputs with all reduced dimensions as one, the first.
  SmallVector<Value> reducedFirst() {
    ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
    SmallVector<int64_t> order(dims), rest = {1};
    for (int64_t dim : dims)
      rest[0] *= shape[dim];
    for (auto [dim, size] : llvm::enumerate(shape))
      if (!llvm::is_contained(dims, static_cast<int64_t>(dim))) {
        order.push_back(dim);
        rest.push_back(size);
      }
    return llvm::map_to_vector(
        op.getInputs(), [&](Value input) { return t.reshape(t.transpose(input, order), rest); });
  }

  /// Combines the halves of the first dimension until one element is left.
  SmallVector<Value> halve(SmallVector<Value> values);
  /// Replaces the results by those of the initial values and of one element.
  void replaceBy(SmallVector<Value> values);

  SmallVector<Value> combine(ValueRange first, ValueRange second) {
    SmallVector<Value> args(first);
    llvm::append_range(args, second);
    return applyBody(t, op.getBody(), args);
  }

  ReduceOp op;
  Tensors t;
  SmallVector<int64_t> dims;
};

// Element indices, reduced along with the elements, tell which of two elements comes first, and the
// body receives that one as its first argument. This is correct because an associative selection
// prefers elements in a fixed order, and among equal ones always the first or always the last.
void Orderer::choose(const Choice &choice) {
  Block &body = op.getBody().front();
  unsigned half = op.getInputs().size(), indexInput;
  SmallVector<Value> inputs(op.getInputs()), inits(op.getInitValues());
  SmallVector<Type> types(op.getResultTypes());
  if (std::optional<unsigned> counting = countingInput()) {
    indexInput = *counting;
  } else {
    indexInput = half;
    inputs.push_back(elementIndices());
    // Initial values precede all elements.
    inits.push_back(t.number(t.b.getI32Type(), -1));
    types.push_back(typeOf(op.getResult(0)).clone(t.b.getI32Type()));
  }
  auto reduce = ReduceOp::create(t.b, t.loc, types, inputs, inits, op.getDimensions());
  Block &ordered = reduce.getBody().emplaceBlock();
  for (int side = 0; side < 2; ++side)
    for (Value input : inputs)
      ordered.addArgument(RankedTensorType::get({}, typeOf(input).getElementType()), t.loc);
  auto *first = ordered.getArguments().begin(), *second = first + inputs.size();

  t.b.setInsertionPointToEnd(&ordered);
  Value isFirst = t.compare(Tensors::Direction::LT, first[indexInput], second[indexInput]);
  isFirst.getDefiningOp()->setAttr(kernel::kAscendingAttr, t.b.getUnitAttr());
  SmallVector<Value> args, results;
  for (unsigned i = 0; i < half; ++i)
    args.push_back(t.select(isFirst, first[i], second[i]));
  for (unsigned i = 0; i < half; ++i)
    args.push_back(t.select(isFirst, second[i], first[i]));
  IRMapping mapping;
  mapping.map(body.getArguments(), args);
  for (Operation &inner : body.without_terminator())
    t.b.clone(inner, mapping);
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(result));
  if (indexInput == half) {
    Value earlier = t.apply<MinOp>(first[indexInput], second[indexInput]);
    Value later = t.apply<MaxOp>(first[indexInput], second[indexInput]);
    Value condition = mapping.lookupOrDefault(choice.condition);
    results.push_back(choice.takesFirst ? t.select(condition, earlier, later)
                                        : t.select(condition, later, earlier));
  }
  ReturnOp::create(t.b, t.loc, results);
  op.replaceAllUsesWith(reduce.getResults().take_front(half));
  op.erase();
}

// Combines neighbours, halving the number of elements until one is left. An unpaired element
// remains last.
void Orderer::combinePairs() {
  SmallVector<Value> values = reducedFirst();
  auto part = [&](int64_t start, int64_t count) {
    return llvm::map_to_vector(
        values, [&](Value value) { return t.slice(value, 0, start, count, /*stride=*/2); });
  };
  SmallVector<Value> behind;
  for (int64_t count = shapeOf(values.front())[0]; count > 1; count /= 2) {
    if (count % 2 == 1) {
      SmallVector<Value> last = part(count - 1, 1);
      behind = behind.empty() ? last : combine(last, behind);
    }
    values = combine(part(0, count / 2), part(1, count / 2));
  }
  if (!behind.empty())
    values = combine(values, behind);
  replaceBy(values);
}

void Orderer::replaceBy(SmallVector<Value> values) {
  ArrayRef<int64_t> result = shapeOf(op.getResult(0));
  SmallVector<Value> inits =
      llvm::map_to_vector(op.getInitValues(), [&](Value init) { return t.fill(init, result); });
  for (Value &value : values)
    value = t.reshape(value, result);
  op.replaceAllUsesWith(combine(inits, values));
  op.erase();
}

SmallVector<Value> Orderer::halve(SmallVector<Value> values) {
  auto part = [&](int64_t start, int64_t count) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return t.slice(value, 0, start, count); });
  };
  SmallVector<Value> behind;
  for (int64_t count = shapeOf(values.front())[0]; count > 1; count /= 2) {
    int64_t half = count / 2;
    if (count % 2 == 1) {
      SmallVector<Value> last = part(count - 1, 1);
      behind = behind.empty() ? last : combine(last, behind);
    }
    values = combine(part(0, half), part(half, half));
  }
  return behind.empty() ? values : combine(values, behind);
}

// Elements that are far apart are combined first, so that rows stay whole. Of many elements that
// are alone in their result, rows of one register are combined first.
void Orderer::combineHalves() {
  constexpr int64_t row = kSublanes * kLanes;
  SmallVector<Value> values = reducedFirst();
  int64_t count = shapeOf(values.front())[0], rows = count / row;
  if (rows < 2 || typeOf(values.front()).getNumElements() > count)
    return replaceBy(halve(values));
  auto inRows = [&](Value value) {
    return t.reshape(t.slice(t.reshape(value, {count}), 0, 0, rows * row), {rows, row});
  };
  SmallVector<Value> main = halve(llvm::map_to_vector(values, inRows));
  for (Value &value : main)
    value = t.reshape(value, {row});
  SmallVector<Value> sum = halve(main);
  if (count > rows * row) {
    auto rest = [&](Value value) {
      return t.slice(t.reshape(value, {count}), 0, rows * row, count - rows * row);
    };
    sum = combine(sum, halve(llvm::map_to_vector(values, rest)));
  }
  replaceBy(sum);
}

/// Whether a reducer computes with f64 more than comparisons, signs and choices: each operation is
/// several hundred on words, which a kernel would contain once for each step of its reduction, and
/// the order of sums that kernels choose is that of f32 sums.
bool computesDoubles(Block &body) {
  return llvm::any_of(body.without_terminator(), [](Operation &op) {
    return typeOf(op.getResult(0)).getElementType().isF64() &&
           !isa<ConstantOp, ConvertOp, SelectOp, MaxOp, MinOp, ClampOp, AbsOp, NegOp, SignOp>(op);
  });
}

LogicalResult order(ReduceOp op) {
  Block &body = op.getBody().front();
  bool isSmall = body.getOperations().size() <= kMaxOperations, isLong = computesDoubles(body);
  if (typeOf(op.getInputs().front()).getNumElements() == 0)
    return success();
  bool isSymmetric = isSmall && exchangesArguments(body);
  if (isSymmetric && !isLong)
    return success();
  if (!isSymmetric && isSmall && !isLong)
    if (std::optional<Choice> choice = choiceOf(body)) {
      Orderer(op).choose(*choice);
      return success();
    }
  if (failed(checkElementwise(op.getBody())))
    return failure();
  if (isSymmetric)
    Orderer(op).combineHalves();
  else
    Orderer(op).combinePairs();
  return success();
}

struct OrderReductions : impl::OrderReductionsBase<OrderReductions> {
  void rewrite() override {
    WalkResult result = getOperation()->walk(
        [](ReduceOp op) { return failed(order(op)) ? WalkResult::interrupt() : WalkResult(); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
