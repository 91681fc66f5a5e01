// Gives narrow arrays that no kernel can cut a form that one can.
//
// Where logical rows share rows of 512 bytes, DMA cannot start a block at just any of them. An
// elementwise operation takes such arrays as rows of 128 elements, padding included, which can
// be cut wherever a row of 512 bytes begins. Everything else works on copies with 32 bits for
// each element, made and undone in that way, and keeps narrow what stays inside of its kernel.
//
// Padding between rows (dialects/Layout/RowLayout.h) leaves few such arrays: those whose inner
// dimensions are all odd and short.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"
#include "dialects/Layout/RowLayout.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_WIDENNARROW
#include "compiler/Fusion/Passes.h.inc"

namespace {

using namespace stablehlo;

bool isNarrow(Value value) { return typeOf(value).getElementTypeBitWidth() < 32; }

/// The type of 32 bits that has all values of a narrow one.
Type wordOf(Type element) {
  OpBuilder b(element.getContext());
  return isa<FloatType>(element) ? Type(b.getF32Type()) : Type(b.getI32Type());
}

/// The rows in which a tensor lies; one with padding between its rows as it is, which can be cut
/// anywhere.
RankedTensorType rowsType(RankedTensorType type) {
  auto buffer = kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                        kernel::Space::hbm);
  if (!buffer.getPadding().isNone())
    return type;
  return RankedTensorType::get({buffer.getLogicalRows(), kLanes}, type.getElementType());
}

/// The integer that has the bits of an element.
Type bitsType(Type element) {
  if (!isa<FloatType>(element))
    return element;
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

/// The same rows under another shape.
Value reinterpreted(OpBuilder &b, Value value, RankedTensorType type) {
  if (auto inner = value.getDefiningOp<kernel::ReinterpretOp>())
    value = inner.getSource();
  if (value.getType() == type)
    return value;
  return kernel::ReinterpretOp::create(b, value.getLoc(), type, value);
}

/// Elements as integers of 32 bits, bit by bit.
Value widened(OpBuilder &b, Value value) {
  RankedTensorType type = typeOf(value);
  Type bits = bitsType(type.getElementType());
  if (bits != type.getElementType())
    value = BitcastConvertOp::create(b, value.getLoc(), type.clone(bits), value);
  return ConvertOp::create(b, value.getLoc(), type.clone(b.getI32Type()), value);
}

Value narrowed(OpBuilder &b, Value value, Type element) {
  RankedTensorType type = typeOf(value);
  Type bits = bitsType(element);
  value = ConvertOp::create(b, value.getLoc(), type.clone(bits), value);
  if (bits == element)
    return value;
  return BitcastConvertOp::create(b, value.getLoc(), type.clone(element), value);
}

/// Whether `op` on elements that are extended to 32 bits gives those of its result, of which
/// only the low bits count: it moves them, or combines integers.
bool isSameInWords(Operation *op) {
  switch (kindOf(op)) {
  case OpKind::Movement:
  case OpKind::Reshape:
  case OpKind::Indexed:
    return true;
  case OpKind::Reduce: {
    Block &body = op->getRegion(0).front();
    return typeOf(op->getResult(0)).getElementType().isInteger() && llvm::hasNItems(body, 2) &&
           body.getNumArguments() == 2 &&
           isa<AddOp, MulOp, MaxOp, MinOp, AndOp, OrOp, XorOp>(body.front());
  }
  default:
    return false;
  }
}

/// Makes all values of an operation, and of its region on scalars, integers of 32 bits.
void setWords(Operation *op) {
  auto set = [&](Value value) {
    value.setType(typeOf(value).clone(IntegerType::get(op->getContext(), 32)));
  };
  op->walk([&](Operation *inner) {
    llvm::for_each(inner->getResults(), set);
    for (Region &region : inner->getRegions())
      llvm::for_each(region.getArguments(), set);
  });
}

class Widener {
public:
  explicit Widener(Planner &planner) : planner(planner) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      OpKind kind = kindOf(&op);
      if (kind == OpKind::Control)
        for (Region &region : op.getRegions())
          run(region.front());
      else if (kind != OpKind::Transfer && !op.hasTrait<mlir::OpTrait::IsTerminator>())
        visit(&op);
    }
    // Copies that nothing reads.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (op.use_empty() && !isSequenced(&op) && !op.hasTrait<mlir::OpTrait::IsTerminator>())
        op.erase();
  }

private:
  /// How the operation of a kernel sees arrays that cannot be cut.
  enum class Form {
    narrow, ///< as they are
    inside, ///< narrowed and widened within the kernel
    all,    ///< so are all results: rows of whole cells may be more than fits, too
    words,  ///< as integers of 32 bits
    values, ///< as numbers of 32 bits, which a product takes as well
  };

  void visit(Operation *op) {
    // What is on rows already is best taken as it is, into the same kernel.
    auto isOnRows = [](Value value) {
      auto reinterpret = value.getDefiningOp<kernel::ReinterpretOp>();
      return reinterpret && typeOf(reinterpret.getSource()) == rowsType(typeOf(value));
    };
    OpBuilder b(op);
    if (llvm::any_of(op->getOperands(), isOnRows) && asRows(b, op))
      return;
    // Slices at computed positions start anywhere, too.
    // Products may be cut along several dimensions, windows of them at offsets.
    OpKind kind = kindOf(op);
    auto isConcerned = [&](Value value) {
      return !isCutAnywhere(typeOf(value)) ||
             (isNarrow(value) && (kind == OpKind::Indexed || isProduct(op)));
    };
    if (kind == OpKind::Other || !(llvm::any_of(op->getOperands(), isConcerned) ||
                                   llvm::any_of(op->getResults(), isConcerned)))
      return;
    // What every reader has its own copy of is in HBM only where it leaves the kernels.
    if (isRematerializable(op) && llvm::none_of(op->getUsers(), [](Operation *user) {
          return isa<kernel::ReinterpretOp>(user) ||
                 user->hasTrait<mlir::OpTrait::IsTerminator>() || isSequenced(user);
        }))
      return;
    kernel::FusionOp kept = buildKernel(b, op, Form::narrow);
    std::optional<double> least = costOf(op, kept);
    kept.erase();
    auto dot = dyn_cast<DotGeneralOp>(op);
    if ((least && !dot) || (!least && asRows(b, op)))
      return;
    SmallVector<Form> forms = {Form::inside, Form::all};
    if (isSameInWords(op))
      forms.insert(forms.begin(), Form::words);
    // A product of f16 is exact in its own passes; one of f32 would round its operands to bf16.
    bool hasF16 = llvm::any_of(op->getOperands(),
                               [](Value value) { return typeOf(value).getElementType().isF16(); });
    if (isProduct(op) && !hasF16)
      forms.push_back(Form::values);
    std::optional<Form> best;
    for (Form form : forms) {
      if (best && !dot)
        break;
      kernel::FusionOp fusion = buildKernel(b, op, form);
      std::optional<double> cost = costOf(op, fusion);
      fusion.erase();
      if (cost && (!least || *cost < *least)) {
        least = cost;
        best = form;
      }
    }
    if (best)
      replaceResults(b, op, buildKernel(b, op, *best), *best);
  }

  /// Cycles of the kernel of `op`, and of those that make its wide operands and undo its wide
  /// results; nothing if there is no plan.
  std::optional<double> costOf(Operation *op, kernel::FusionOp fusion) const {
    std::optional<Plan> plan = planner.plan(operationsOf(fusion));
    if (!plan)
      return std::nullopt;
    auto wordBytes = [](Value value) {
      RankedTensorType type = typeOf(value);
      return paddedBytes(type.clone(wordOf(type.getElementType())));
    };
    const MachineModel &model = planner.machine().model;
    auto conversion = [&](Value value) {
      return model.emptyKernel() +
             model.channel(double(paddedBytes(typeOf(value)) + wordBytes(value)), 1);
    };
    double cycles = plan->cycles;
    for (Value operand : op->getOperands()) {
      if (isRematerializable(operand.getDefiningOp()) ||
          llvm::is_contained(fusion.getInputs(), operand))
        continue;
      cycles += conversion(operand);
    }
    for (auto [result, found] : llvm::zip_equal(op->getResults(), fusion.getResults()))
      if (result.getType() != found.getType())
        cycles += conversion(result);
    return cycles;
  }

  //===--------------------------------------------------------------------===//
  // Rows of 128 elements
  //===--------------------------------------------------------------------===//

  /// Does elementwise work on the rows in which its operands lie, if each of its operands has
  /// the same there.
  bool asRows(OpBuilder &b, Operation *op) {
    bool isElementwise = kindOf(op) == OpKind::Elementwise ||
                         (isRematerializable(op) && kindOf(op) != OpKind::Generator);
    RankedTensorType type = typeOf(op->getResult(0));
    if (!isElementwise || type.getRank() == 0 || op->getNumResults() != 1)
      return false;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Value> rows = rowsOf(b, operand, type);
      if (!rows)
        return false;
      operands.push_back(*rows);
    }
    RankedTensorType result = rowsType(type);
    if (llvm::any_of(operands, [&](Value operand) {
          return typeOf(operand).getRank() != 0 && typeOf(operand).getShape() != result.getShape();
        }))
      return false;
    Operation *onRows;
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      onRows = splatOf(b, constant, result);
    } else {
      IRMapping mapping;
      for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
        mapping.map(from, to);
      onRows = b.clone(*op, mapping);
      onRows->getResult(0).setType(result);
    }
    replace(b, op->getResult(0), onRows->getResult(0));
    return true;
  }

  static ConstantOp splatOf(OpBuilder &b, ConstantOp constant, RankedTensorType type) {
    auto value = cast<DenseElementsAttr>(constant.getValue());
    return ConstantOp::create(b, constant.getLoc(), value.resizeSplat(type));
  }

  /// `value` on the rows of a tensor of `type`: it is of that shape, or the same everywhere.
  std::optional<Value> rowsOf(OpBuilder &b, Value value, RankedTensorType type) {
    if (typeOf(value).getRank() == 0)
      return value;
    Operation *producer = value.getDefiningOp();
    RankedTensorType rows = rowsType(typeOf(value));
    if (isSplatConstant(producer))
      return splatOf(b, cast<ConstantOp>(producer), rows);
    if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>();
        broadcast && typeOf(broadcast.getOperand()).getRank() == 0)
      return BroadcastInDimOp::create(b, value.getLoc(), rows, broadcast.getOperand(),
                                      ArrayRef<int64_t>());
    if (typeOf(value).getShape() != type.getShape() || isRematerializable(producer))
      return std::nullopt;
    return reinterpreted(b, value, rows);
  }

  /// `value` is what lies in `rows`.
  void replace(OpBuilder &b, Value value, Value rows) {
    value.replaceAllUsesWith(reinterpreted(b, rows, typeOf(value)));
    value.getDefiningOp()->erase();
  }

  //===--------------------------------------------------------------------===//
  // Elements of 32 bits
  //===--------------------------------------------------------------------===//

  /// The elements of `value` with 32 bits each, beside its producer, once.
  Value wideOf(Value value) {
    Value &wide = wides[value];
    if (wide)
      return wide;
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    RankedTensorType type = typeOf(value);
    // As bits: memory holds values that arithmetic would not give.
    RankedTensorType rows = rowsType(type.clone(bitsType(type.getElementType())));
    Value words = widened(b, reinterpreted(b, value, rows));
    return wide = reinterpreted(b, words, type.clone(b.getI32Type()));
  }

  /// The elements of a product's operand as f32 or i32, beside its producer, once.
  Value valuesOf(Value value) {
    Value &wide = values[value];
    if (wide || !isNarrow(value))
      return wide ? wide : value;
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    RankedTensorType type = typeOf(value), rows = rowsType(type);
    Type word = wordOf(type.getElementType());
    Value words =
        ConvertOp::create(b, value.getLoc(), rows.clone(word), reinterpreted(b, value, rows));
    return wide = reinterpreted(b, words, type.clone(word));
  }

  /// A kernel of `op` alone, that sees arrays which cannot be cut as `form` says.
  kernel::FusionOp buildKernel(OpBuilder &b, Operation *op, Form form) {
    // Until it is known what it reads and gives.
    auto draft =
        kernel::FusionOp::create(b, op->getLoc(), TypeRange(), ValueRange(), StringRef("loop"));
    Block *body = &draft.getBody().emplaceBlock();
    llvm::SetVector<Value> inputs;
    IRMapping mapping;
    OpBuilder inner = OpBuilder::atBlockEnd(body);
    auto argumentOf = [&](Value value) -> Value {
      if (inputs.insert(value))
        body->addArgument(value.getType(), value.getLoc());
      return body->getArgument(llvm::find(inputs, value) - inputs.begin());
    };
    auto import = [&](auto &&self, Value value) -> Value {
      Operation *producer = value.getDefiningOp();
      if (!isRematerializable(producer))
        return argumentOf(value);
      for (Value operand : producer->getOperands())
        mapping.map(operand, self(self, operand));
      return inner.clone(*producer, mapping)->getResult(0);
    };
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      Type element = typeOf(value).getElementType();
      bool isPosition = isIndexOperand(operand);
      bool isInKernel = isRematerializable(value.getDefiningOp()) || typeOf(value).getRank() == 0;
      Value imported;
      if (form == Form::values && !isPosition)
        imported = import(import, isInKernel ? value : valuesOf(value));
      else if (form == Form::words && !isPosition)
        imported = isInKernel ? widened(inner, import(import, value)) : argumentOf(wideOf(value));
      else if (form == Form::narrow || isPosition || isInKernel || isCutAnywhere(typeOf(value)))
        imported = import(import, value);
      else
        imported = narrowed(inner, argumentOf(wideOf(value)), element);
      mapping.map(value, imported);
    }
    Operation *copy = inner.clone(*op, mapping);
    if (form == Form::words)
      setWords(copy);
    SmallVector<Value> results;
    for (Value result : copy->getResults()) {
      if (isNarrow(result) && form == Form::values)
        result.setType(typeOf(result).clone(wordOf(typeOf(result).getElementType())));
      bool widens = (form == Form::inside && !isCutAnywhere(typeOf(result))) ||
                    (form == Form::all && isNarrow(result));
      results.push_back(widens ? widened(inner, result) : result);
    }
    // Windows of wide elements are of other sizes.
    assignAccess(copy);
    kernel::FusedOp::create(inner, op->getLoc(), results);
    auto fusion = kernel::FusionOp::create(b, op->getLoc(), TypeRange(ValueRange(results)),
                                           inputs.getArrayRef(), draft.getKind());
    fusion.getBody().takeBody(draft.getBody());
    draft.erase();
    return fusion;
  }

  void replaceResults(OpBuilder &b, Operation *op, kernel::FusionOp fusion, Form form) {
    for (auto [result, wide] : llvm::zip_equal(op->getResults(), fusion.getResults())) {
      if (result.getType() == wide.getType()) {
        result.replaceAllUsesWith(wide);
        continue;
      }
      RankedTensorType type = typeOf(result);
      Value rows = reinterpreted(b, wide, rowsType(type).clone(typeOf(wide).getElementType()));
      if (form == Form::values) {
        Value narrow = ConvertOp::create(b, op->getLoc(), rowsType(type), rows);
        result.replaceAllUsesWith(reinterpreted(b, narrow, type));
        continue;
      }
      Value narrow = reinterpreted(b, narrowed(b, rows, bitsType(type.getElementType())), type);
      wides[narrow] = wide;
      result.replaceAllUsesWith(narrow);
    }
    op->erase();
  }

  Planner &planner;
  llvm::DenseMap<Value, Value> wides, values;
};

struct WidenNarrow : PlanningPass<impl::WidenNarrowBase<WidenNarrow>> {
  using PlanningPass::PlanningPass;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    for (Region &region : getOperation()->getRegions())
      for (Operation &function : region.front())
        if (function.getNumRegions() == 1 && !function.getRegion(0).empty())
          Widener(planner()).run(function.getRegion(0).front());
  }
};

} // namespace

std::unique_ptr<Pass> createWidenNarrow(std::shared_ptr<Planner> planner) {
  return std::make_unique<WidenNarrow>(std::move(planner));
}

} // namespace systole
