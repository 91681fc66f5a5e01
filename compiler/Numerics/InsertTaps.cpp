// Sends the values of a program to the host while it runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Numerics/IndexBounds.h"
#include "compiler/Numerics/Passes.h"
#include "compiler/Numerics/WideTypes.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/Imported.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_INSERTTAPS
#include "compiler/Numerics/Passes.h.inc"

namespace {

using namespace stablehlo;
using numerics::WideTypes;

/// Channels of each operation.
constexpr int64_t kChannels = 3;

bool isFloat(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  Type element = tensor.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return isa<FloatType>(element);
}

/// Whether the operation converts numbers to a type that has all of them.
bool isExactConversion(Operation *op) {
  if (!isa<ConvertOp>(op))
    return false;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return from && to && (from == to || (to.getWidth() >= 32 && from.getWidth() < to.getWidth()));
}

/// Whether the operation computes floating-point numbers, rather than moves them.
bool computesFloats(Operation *op) {
  if (op->getNumResults() == 0 || !llvm::any_of(op->getResultTypes(), isFloat) ||
      isExactConversion(op))
    return false;
  switch (kindOf(op)) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Broadcast:
  case OpKind::Reshape:
  case OpKind::Movement:
  case OpKind::Indexed:
  case OpKind::Control:
  case OpKind::Transfer:
    return isa<ScatterOp, kernel::MosaicCallOp>(op);
  default:
    return true;
  }
}

/// Whether the operation has floating-point numbers from the host.
bool receivesFloats(Operation *op) {
  return isa<kernel::RecvOp>(op) && llvm::any_of(op->getResultTypes(), isFloat);
}

/// The operations whose results are the same in each run: constants, and what is computed from
/// these alone. Their numbers are the program's own.
class ConstantOperations {
public:
  /// Of an operation whose operands have been asked for.
  bool contain(Operation *op) {
    const bool isConstant =
        kindOf(op) == OpKind::Constant ||
        (op->getNumRegions() == 0 && op->getNumOperands() > 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return constants.contains(operand.getDefiningOp()); }));
    if (isConstant)
      constants.insert(op);
    if (isConstant && (hasNonfinite(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
                         return nonfinite.contains(operand.getDefiningOp());
                       })))
      nonfinite.insert(op);
    return isConstant;
  }

  /// Whether such an operation has the numbers of a constant that are not finite.
  bool isNonfinite(Operation *op) const { return nonfinite.contains(op); }

private:
  static bool hasNonfinite(Operation *op) {
    Attribute value;
    if (!matchPattern(op, m_Constant(&value)))
      return false;
    auto elements = dyn_cast<DenseFPElementsAttr>(value);
    return elements && !llvm::all_of(elements.getValues<APFloat>(),
                                     [](const APFloat &number) { return number.isFinite(); });
  }

  llvm::DenseSet<Operation *> constants, nonfinite;
};

/// Numbers of operations, those of a module, by the value that they compute.
class Names {
public:
  explicit Names(ArrayRef<Operation *> operations) {
    for (auto [number, op] : llvm::enumerate(operations))
      numbers[op] = static_cast<int64_t>(number);
  }

  TappedOperation describe(Operation *op) const {
    TappedOperation tapped;
    tapped.number = numbers.lookup(op);
    tapped.operation = op->getName().getStringRef();
    tapped.name = op->getName().stripDialect().str() + "." + std::to_string(tapped.number);
    if (op->getNumResults() > 0)
      llvm::raw_string_ostream(tapped.type) << op->getResult(0).getType();
    tapped.source = sourceLine(op->getLoc());
    tapped.user = userLine(op->getLoc());
    tapped.nameStack = nameStack(op->getLoc());
    for (Value operand : op->getOperands())
      tapped.operands.push_back(numberOf(operand));
    for (Operation *at = op->getParentOp(); at; at = at->getParentOp())
      tapped.loopDepth += isa<WhileOp>(at);
    tapped.hasFloats = llvm::any_of(op->getResultTypes(), isFloat);
    tapped.isMovement = kindOf(op) == OpKind::Movement || kindOf(op) == OpKind::Indexed;
    for (Operation *user : op->getUsers()) {
      tapped.isReturned |= isa<func::ReturnOp>(user);
      if (isa<stablehlo::ReturnOp>(user) && numerics::isControlFlow(user->getParentOp()))
        tapped.yieldsTo = numbers.lookup(user->getParentOp());
    }
    tapped.isContraction = isa<DotGeneralOp, DotOp, ConvolutionOp, EinsumOp>(op);
    tapped.isAddition = isa<AddOp, SubtractOp>(op);
    tapped.isReduction = isa<ReduceOp, ReduceWindowOp, ScatterOp, SelectAndScatterOp>(op);
    tapped.isElementwise = kindOf(op) == OpKind::Elementwise;
    tapped.isConversion = isa<ConvertOp, ReducePrecisionOp>(op);
    return tapped;
  }

private:
  /// A loop-carried value has the number of its loop.
  int64_t numberOf(Value value) const {
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      op = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(op))
        return -1 - int64_t(argument.getArgNumber());
    }
    return numbers.lookup(op);
  }

  llvm::DenseMap<Operation *, int64_t> numbers;
};

int64_t nextChannel(ModuleOp module) {
  int64_t next = 0;
  module.walk([&](Operation *op) {
    if (auto send = dyn_cast<kernel::SendOp>(op))
      next = std::max<int64_t>(next, send.getChannel() + 1);
    if (auto recv = dyn_cast<kernel::RecvOp>(op))
      next = std::max<int64_t>(next, recv.getChannel() + 1);
  });
  return next;
}

struct InsertTaps : impl::InsertTapsBase<InsertTaps> {
  using InsertTapsBase::InsertTapsBase;

  InsertTaps(const TapOptions &options) : operations(options.operations) {
    if (options.only)
      only = *options.only;
    isSelected = options.only.has_value();
    operandsOf = options.operandsOf.value_or(-1);
    indices = options.indices;
    allResults = options.allResults;
    own = options.own;
    ownType = options.ownType;
    wide = options.wide;
  }

  FloatType typeOf(StringRef name) {
    Builder b(&getContext());
    if (name == "f32")
      return b.getF32Type();
    if (name == "f64")
      return b.getF64Type();
    getOperation().emitError() << "'" << name << "' is neither f32 nor f64";
    return nullptr;
  }

  void send(OpBuilder &b, Location loc, Value value, int64_t channel) {
    taps.insert(kernel::SendOp::create(b, loc, value, channel, /*array=*/0, kernel::WordsAttr(),
                                       kernel::LayoutAttr(), /*queued=*/false));
  }

  /// From `channel` on.
  void tapOperands(Operation *op, TappedOperation &tapped, int64_t &channel) {
    OpBuilder b(op);
    for (Value operand : op->getOperands()) {
      send(b, op->getLoc(), operand, channel);
      tapped.operandValues.push_back(channel++);
    }
  }

  void tapOtherResults(Operation *op, TappedOperation &tapped, int64_t &channel) {
    if (op->getNumResults() < 2)
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults().drop_front(1)) {
      send(b, op->getLoc(), result, channel);
      tapped.otherValues.push_back(channel++);
    }
  }

  void tapIndices(Operation *op, TappedOperation &tapped, int64_t &channel) {
    OpBuilder b(op);
    for (IndexBounds bounds : numerics::indexBounds(op)) {
      bounds.channel = channel++;
      send(b, op->getLoc(), op->getOperand(bounds.operand), bounds.channel);
      tapped.indices.push_back(std::move(bounds));
    }
  }

  void tap(Operation *op, TappedOperation &tapped, int64_t base, const WideTypes *ownTypes) {
    const int64_t channel = base + kChannels * tapped.number;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    send(b, op->getLoc(), op->getResult(0), tapped.value = channel);
    if (!ownTypes || !ownTypes->changes(op))
      return;
    IRMapping map;
    Value result = ownTypes->apply(b, op, map).front();
    send(b, op->getLoc(), result, tapped.own = channel + 1);
    if (!tapped.isAddition || !isa<FloatType>(getElementTypeOrSelf(result.getType())))
      return;
    SmallVector<Value> magnitudes;
    for (Value operand : op->getOperands()) {
      Value operandInWide =
          ownTypes->convert(b, op->getLoc(), operand, ownTypes->widened(operand.getType()));
      magnitudes.push_back(AbsOp::create(b, op->getLoc(), operandInWide));
    }
    Value larger = MaxOp::create(b, op->getLoc(), magnitudes[0], magnitudes[1]);
    send(b, op->getLoc(), larger, tapped.magnitude = channel + 2);
  }

  void rewrite() override {
    const FloatType programType = wide.empty() ? nullptr : typeOf(wide);
    const FloatType typeOfOwn = own ? typeOf(ownType) : nullptr;
    if ((!wide.empty() && !programType) || (own && !typeOfOwn))
      return signalPassFailure();
    taps.clear();
    const int64_t base = nextChannel(getOperation());
    getOperation()->setAttr(kernel::kFirstTapAttr,
                            IntegerAttr::get(IntegerType::get(&getContext(), 64), base));
    const SmallVector<Operation *> numbered = numerics::numberedOperations(getOperation());
    const Names names(numbered);
    std::vector<TappedOperation> all;
    llvm::DenseSet<int64_t> selected(only.begin(), only.end());
    // Channels behind those of the operations.
    int64_t further = base + kChannels * static_cast<int64_t>(numbered.size());
    std::optional<WideTypes> ownTypes;
    if (typeOfOwn)
      ownTypes.emplace(typeOfOwn);
    ConstantOperations constants;
    for (Operation *op : numbered) {
      TappedOperation tapped = names.describe(op);
      const bool isConstant = constants.contain(op);
      // For the first one that is not finite: also of constants, and from callbacks.
      const bool isComputed =
          allResults ? ((computesFloats(op) || (tapped.isMovement && tapped.hasFloats)) &&
                        !constants.isNonfinite(op)) ||
                           receivesFloats(op)
                     : computesFloats(op) && !isConstant;
      const bool isWanted = isSelected || !only.empty() ? selected.contains(tapped.number)
                                                        : isComputed && !op->use_empty();
      if (isWanted && op->getNumResults() > 0 && isa<RankedTensorType>(op->getResult(0).getType()))
        tap(op, tapped, base, ownTypes ? &*ownTypes : nullptr);
      if (isWanted && allResults)
        tapOtherResults(op, tapped, further);
      if (tapped.number == operandsOf)
        tapOperands(op, tapped, further);
      if (indices)
        tapIndices(op, tapped, further);
      all.push_back(std::move(tapped));
    }
    if (programType)
      for (auto function : getOperation().getOps<func::FuncOp>())
        WideTypes(programType, taps).rewrite(function.getBody());
    if (operations)
      *operations = std::move(all);
  }

  std::vector<TappedOperation> *operations = nullptr;
  bool isSelected = false;
  llvm::DenseSet<Operation *> taps;
};

} // namespace

std::unique_ptr<Pass> createInsertTaps(const TapOptions &options) {
  return std::make_unique<InsertTaps>(options);
}

} // namespace systole
