// Puts several rows side by side where they fill a row of 128 lanes together.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/FewRows.h"
#include "compiler/Layout/Order.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Layout/RowPieces.h"
#include "compiler/Layout/RowTiles.h"
#include "compiler/Model/MachineAnalysis.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorLevel.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_TILEROWS
#include "compiler/Layout/Passes.h.inc"

namespace {

using namespace stablehlo;

class RowTiler {
public:
  RowTiler(func::FuncOp function, const MachineModel &model)
      : function(function), tiles(function, model) {}

  void run() {
    Block &body = function.getBody().front();
    // All at once: each change of one entry's attributes copies the list of all.
    SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
    for (BlockArgument argument : body.getArguments())
      if (enter(function.getArgAttrDict(argument.getArgNumber()), argument, argumentAttrs))
        retype(argument);
    visit(body);
    Operation *terminator = body.getTerminator();
    for (OpOperand &result : terminator->getOpOperands()) {
      Value value = result.get();
      bool isTiled =
          enter(function.getResultAttrDict(result.getOperandNumber()), value, resultAttrs);
      result.set(isTiled ? tiled(value) : plain(value));
    }
    function.setAllArgAttrs(argumentAttrs);
    function.setAllResultAttrs(resultAttrs);
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                       terminator->getOperandTypes()));
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
  }

private:
  /// The attributes of an argument or result of the function, with its row tile; whether it has
  /// one.
  bool enter(DictionaryAttr given, Value value, SmallVectorImpl<DictionaryAttr> &attributes) {
    auto layout = given.getAs<kernel::LayoutAttr>(kernel::kEntryLayoutAttr);
    RankedTensorType type = typeOf(value);
    int64_t tile = layout ? entryTileOf(type, layout.getOrder()) : 1;
    bool isTiled = tile > 1;
    NamedAttrList list(given);
    if (isTiled)
      list.set(kernel::kEntryLayoutAttr,
               kernel::LayoutAttr::inOrder(type.getElementType(), layout.getOrder(), tile));
    attributes.push_back(list.getDictionary(function.getContext()));
    return isTiled;
  }

  /// A tensor as the program has it, with full rows, or, with one element for each row, in pieces
  /// for the positions in full rows and spread over the lanes of these; null where nothing needed
  /// it so far.
  struct Forms {
    Value plain, tiled, spread = {};
    Pieces pieces = {};
  };

  Forms &formsOf(Value value) {
    auto [forms, isNew] = known.try_emplace(value);
    if (isNew)
      forms->second.plain = value;
    return forms->second;
  }

  Value reshaped(Value value, RankedTensorType type) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    return ReshapeOp::create(b, value.getLoc(), type, value);
  }

  Value plain(Value value) {
    Forms &forms = formsOf(value);
    if (!forms.plain && forms.pieces.empty())
      forms.plain = reshaped(forms.tiled, typeOf(value));
    if (!forms.plain) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(forms.pieces.back());
      forms.plain = joinRows(b, forms.pieces, typeOf(value));
    }
    return forms.plain;
  }

  Value tiled(Value value) {
    Forms &forms = formsOf(value);
    if (forms.tiled)
      return forms.tiled;
    Operation *producer = plain(value).getDefiningOp();
    Value made;
    if (producer && (isa<ConstantOp>(producer) || isRematerializable(producer)))
      made = rematerialized(producer);
    return formsOf(value).tiled = made ? made : reshaped(plain(value), tiledType(typeOf(value)));
  }

  /// The tiled form of a value that each reader has a copy of; null if it is a reshape.
  Value rematerialized(Operation *op) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    RankedTensorType type = tiledType(typeOf(op->getResult(0)));
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<ConstantOp>([&](auto op) -> Value {
          auto elements = cast<DenseElementsAttr>(op.getValue());
          return ConstantOp::create(b, op.getLoc(),
                                    elements.isSplat() ? elements.resizeSplat(type)
                                                       : elements.reshape(type));
        })
        .Case<IotaOp>([&](auto op) { return tiledIota(op, b, type); })
        .Case<BroadcastInDimOp>([&](auto op) { return tiledBroadcast(op, b, type); })
        .Default([](Operation *) { return Value(); });
  }

  Value tiledIota(IotaOp op, OpBuilder &b, RankedTensorType type) {
    int64_t lanes = type.getRank() - 1, rows = lanes - 1;
    auto dim = static_cast<int64_t>(op.getIotaDimension());
    Location loc = op.getLoc();
    if (dim < rows)
      return IotaOp::create(b, loc, type, dim);
    RankedTensorType counts = type.clone(b.getI32Type());
    int64_t columns = typeOf(op).getDimSize(lanes);
    auto constant = [&](int64_t value) {
      return ConstantOp::create(b, loc,
                                DenseElementsAttr::get(counts, static_cast<int32_t>(value)));
    };
    Value lane = IotaOp::create(b, loc, counts, lanes), index;
    if (dim == lanes) {
      index = AndOp::create(b, loc, lane, constant(columns - 1));
    } else {
      Value row =
          MulOp::create(b, loc, IotaOp::create(b, loc, counts, rows), constant(kLanes / columns));
      index = AddOp::create(
          b, loc, row, ShiftRightLogicalOp::create(b, loc, lane, constant(llvm::Log2_64(columns))));
    }
    return counts == type ? index : ConvertOp::create(b, loc, type, index);
  }

  /// Vectors of features are repeated inside of a row, before all else.
  Value tiledBroadcast(BroadcastInDimOp op, OpBuilder &b, RankedTensorType type) {
    ArrayRef<int64_t> dims = op.getBroadcastDimensions();
    if (!llvm::is_sorted(dims))
      return nullptr;
    if (differsByRow(op)) {
      Value spread = broadcastSpread.lookup(op);
      return broadcastRows(
          b, op, spread ? spread : spreadOf(b, op.getOperand(), positionsInRow(typeOf(op))), type);
    }
    Location loc = op.getLoc();
    int64_t lanes = type.getRank() - 1;
    Value operand = plain(op.getOperand());
    RankedTensorType from = typeOf(operand);
    SmallVector<int64_t> shape, kept;
    for (auto [size, d] : llvm::zip_equal(from.getShape(), dims))
      if (size != 1) {
        shape.push_back(size);
        kept.push_back(d);
      }
    if (shape.size() != dims.size())
      operand = ReshapeOp::create(b, loc, from.clone(shape), operand);
    if (!kept.empty() && kept.back() == lanes) {
      int64_t tile = positionsInRow(typeOf(op));
      if (kept.size() > 1 && kept[kept.size() - 2] == lanes - 1) {
        operand = ReshapeOp::create(b, loc, tiledType(typeOf(operand)), operand);
      } else {
        SmallVector<int64_t> repeated(shape), places;
        repeated.insert(repeated.end() - 1, tile);
        for (size_t i = 0; i < shape.size(); ++i)
          places.push_back(i + (i + 1 == shape.size() ? 1 : 0));
        operand = BroadcastInDimOp::create(b, loc, from.clone(repeated), operand, places);
        shape.back() *= tile;
        operand = ReshapeOp::create(b, loc, from.clone(shape), operand);
      }
    }
    return BroadcastInDimOp::create(b, loc, type, operand, kept);
  }

  void visit(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      if (op.getNumResults() == 0 || !retyped.contains(op.getResult(0)))
        ops.push_back(&op);
    for (Operation *op : ops) {
      if (kindOf(op) == OpKind::Control)
        visitControl(op);
      else if (isa<OptimizationBarrierOp>(op))
        passThrough(op, op->getResults());
      else if (hasPieces(op))
        takePieces(op);
      else if (auto reshape = dyn_cast<ReshapeOp>(op))
        visit(reshape);
      else if (keepsTile(op) && isTiled(tileOwner(op)))
        runTiled(op);
      else if (takesFewRows(op) && isTiledOnly(op->getOperand(0)))
        runOnFewRows(op);
      else
        takePlain(op);
    }
  }

  /// Whether a result of `op` is made in pieces: one element for each row, which is broadcast along
  /// rows in the end.
  bool hasPieces(Operation *op) {
    if (isReducedInPieces(op))
      return true;
    if (kindOf(op) != OpKind::Elementwise && !movesUnits(op))
      return false;
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return !formsOf(value).pieces.empty(); }) &&
           isBroadcastAlongRows(op->getResult(0));
  }

  bool isReducedInPieces(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return reduce && reducesRows(reduce) && isTiled(reduce.getInputs().front()) &&
           isBroadcastAlongRows(reduce.getResult(0));
  }

  void takePieces(Operation *op) {
    OpBuilder b(op);
    RankedTensorType type = typeOf(op->getResult(0));
    Forms forms;
    if (isReducedInPieces(op)) {
      auto reduce = cast<ReduceOp>(op);
      forms.pieces = reduceRows(b, reduce, tiled(reduce.getInputs().front()));
      forms.spread = spreadRows(b, forms.pieces, type);
    } else {
      int64_t positions = 0;
      for (Value operand : op->getOperands())
        positions = std::max<int64_t>(positions, formsOf(operand).pieces.size());
      SmallVector<Pieces> operands;
      SmallVector<Value> spread;
      for (Value operand : op->getOperands()) {
        operands.push_back(piecesOf(b, operand, positions));
        spread.push_back(spreadOf(b, operand, positions));
      }
      for (int64_t i = 0; i < positions; ++i)
        forms.pieces.push_back(
            copyOf(b, op, llvm::map_to_vector(operands, [&](const Pieces &all) { return all[i]; }),
                   pieceType(type, positions)));
      forms.spread = copyOf(b, op, spread, spreadType(type, positions));
      if (!movesUnits(op))
        markPerRow(forms.spread.getDefiningOp());
    }
    // What nothing reads of these is erased.
    known[op->getResult(0)] = forms;
    replaced.push_back(op);
  }

  /// The same on one form of the operands, with a result of type `type`.
  static Value copyOf(OpBuilder &b, Operation *op, ArrayRef<Value> operands,
                      RankedTensorType type) {
    if (movesUnits(op))
      return operands.front().getType() == type
                 ? operands.front()
                 : ReshapeOp::create(b, op->getLoc(), type, operands.front());
    Operation *copy = b.insert(op->clone());
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }

  /// The value spread over the lanes of rows with `positions` positions, if that is known: readers
  /// may broadcast it along rows of several lengths.
  Value knownSpread(Value value, int64_t positions) {
    const Forms &forms = formsOf(value);
    return int64_t(forms.pieces.size()) == positions ? forms.spread : nullptr;
  }

  Value spreadOf(OpBuilder &b, Value value, int64_t positions) {
    if (Value spread = knownSpread(value, positions))
      return spread;
    Value whole = plain(value);
    RankedTensorType type = typeOf(whole);
    if (type.getRank() == 0)
      return whole;
    if (Value same = scalarAs(b, whole, spreadType(type, positions)))
      return same;
    return spreadRows(b, splitRows(b, whole, positions), type);
  }

  Pieces piecesOf(OpBuilder &b, Value value, int64_t positions) {
    if (const Pieces &pieces = formsOf(value).pieces; int64_t(pieces.size()) == positions)
      return pieces;
    Value whole = plain(value);
    if (typeOf(whole).getRank() == 0)
      return Pieces(positions, whole);
    if (Value same = scalarAs(b, whole, pieceType(typeOf(whole), positions)))
      return Pieces(positions, same);
    return splitRows(b, whole, positions);
  }

  /// A tensor of equal elements with another shape; null if it is none.
  static Value scalarAs(OpBuilder &b, Value value, RankedTensorType type) {
    Operation *op = value.getDefiningOp();
    if (isSplatConstant(op)) {
      auto elements = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue()).resizeSplat(type);
      return ConstantOp::create(b, value.getLoc(), cast<ElementsAttr>(elements));
    }
    auto broadcast = dyn_cast_or_null<BroadcastInDimOp>(op);
    if (!broadcast || typeOf(broadcast.getOperand()).getRank() > 0)
      return nullptr;
    return BroadcastInDimOp::create(b, value.getLoc(), type, broadcast.getOperand(),
                                    ArrayRef<int64_t>{});
  }

  void takePlain(Operation *op) {
    if (isa<BroadcastInDimOp>(op))
      if (Value spread = knownSpread(op->getOperand(0), positionsInRow(typeOf(op->getResult(0)))))
        broadcastSpread[op] = spread;
    for (OpOperand &operand : op->getOpOperands())
      operand.set(plain(operand.get()));
  }

  /// Sums of the positions of each row, which is a dimension of its own: [.., 2, 64] are summed as
  /// [.., 128], not as [.., 1, 128].
  void sumRows(ReduceOp op) {
    OpBuilder b(op);
    auto withoutPositions = [&](RankedTensorType type) {
      SmallVector<int64_t> shape(tiledType(type).getShape());
      shape.erase(shape.end() - 2);
      return type.clone(shape);
    };
    auto made = cast<ReduceOp>(b.insert(op->clone()));
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      made->setOperand(i, reshaped(tiled(input), withoutPositions(typeOf(input))));
    for (auto [result, other] : llvm::zip_equal(op.getResults(), made.getResults())) {
      other.setType(withoutPositions(typeOf(result)));
      known[result] = {nullptr,
                       ReshapeOp::create(b, op.getLoc(), tiledType(typeOf(result)), other)};
    }
    replaced.push_back(op);
  }

  void runTiled(Operation *op) {
    int64_t tile = positionsInRow(typeOf(tileOwner(op)));
    RankedTensorType type = typeOf(tileOwner(op));
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && type.getDimSize(type.getRank() - 2) == tile)
      return sumRows(reduce);
    OpBuilder b(op);
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool isWhole = isIndexOperand(operand) || typeOf(value).getRank() == 0;
      operands.push_back(isWhole ? plain(value) : tiled(value));
    }
    Operation *made = b.insert(op->clone());
    made->setOperands(operands);
    renumber(made, tile);
    for (auto [result, other] : llvm::zip_equal(op->getResults(), made->getResults())) {
      other.setType(tiledType(typeOf(result)));
      known[result] = {nullptr, other};
    }
    replaced.push_back(op);
  }

  /// Whether nothing has made the plain form of a tiled tensor, nor should.
  bool isTiledOnly(Value value) { return !formsOf(value).plain; }

  void runOnFewRows(Operation *op) {
    for (OpOperand &operand : llvm::drop_begin(op->getOpOperands()))
      operand.set(plain(operand.get()));
    OpBuilder b(op);
    Value result = op->getResult(0), made = takeFewRows(b, op, tiled(op->getOperand(0)));
    if (made.getType() == result.getType())
      known[result] = {made, nullptr};
    else
      known[result] = {nullptr, made};
    replaced.push_back(op);
  }

  /// Attributes that count along the last two dimensions.
  static void renumber(Operation *op, int64_t tile) {
    auto divide = [&](ArrayRef<int64_t> values) {
      SmallVector<int64_t> result(values);
      result[result.size() - 2] /= tile;
      return result;
    };
    auto asRow = [&](ArrayRef<int64_t> values) {
      SmallVector<int64_t> result = divide(values);
      result.back() *= tile;
      return result;
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case<SliceOp>([&](auto op) {
          op.setStartIndices(divide(op.getStartIndices()));
          op.setLimitIndices(asRow(op.getLimitIndices()));
        })
        .Case<PadOp>([&](auto op) {
          op.setEdgePaddingLow(divide(op.getEdgePaddingLow()));
          op.setEdgePaddingHigh(divide(op.getEdgePaddingHigh()));
        })
        .Case<DynamicSliceOp, GatherOp>(
            [&](auto op) { op.setSliceSizes(asRow(op.getSliceSizes())); });
  }

  /// Reshapes begin and end with the forms that their operand and result have.
  void visit(ReshapeOp op) {
    Value operand = op.getOperand(), result = op.getResult();
    Value source = isTiled(operand) ? tiled(operand) : plain(operand);
    if (!isTiled(result)) {
      op.getOperandMutable().assign(source);
      return;
    }
    OpBuilder b(op);
    known[result] = {nullptr, ReshapeOp::create(b, op.getLoc(), tiledType(typeOf(result)), source)};
    replaced.push_back(op);
  }

  /// The value has its tiled type from now on. Operations that were not visited yet see another one
  /// of the type that it had.
  void retype(Value value) {
    RankedTensorType type = typeOf(value);
    value.setType(tiledType(type));
    Value stand = reshaped(value, type);
    value.replaceAllUsesExcept(stand, stand.getDefiningOp());
    known[stand] = {nullptr, value};
    retyped[stand] = value;
    replaced.push_back(stand.getDefiningOp());
  }

  void retypeTiled(ValueRange values) {
    for (Value value : values)
      if (tiles.isTiled(value))
        retype(value);
  }

  bool isTiled(Value value) const {
    Value other = retyped.lookup(value);
    return tiles.isTiled(other ? other : value);
  }

  /// Gives the operands of `op` the forms of `results`.
  void passTo(Operation *op, ValueRange results) {
    for (auto [operand, result] : llvm::zip_equal(op->getOpOperands(), results))
      operand.set(isTiled(result) ? tiled(operand.get()) : plain(operand.get()));
  }

  void passThrough(Operation *op, ValueRange results) {
    passTo(op, results);
    retypeTiled(results);
  }

  void visitControl(Operation *op) {
    bool isLoop = isa<WhileOp>(op);
    if (isLoop)
      passTo(op, op->getResults());
    else
      takePlain(op);
    for (Region &region : op->getRegions()) {
      retypeTiled(region.getArguments());
      visit(region.front());
      Operation *terminator = region.front().getTerminator();
      if (isLoop && region.getRegionNumber() == 0)
        takePlain(terminator);
      else
        passTo(terminator, op->getResults());
    }
    retypeTiled(op->getResults());
  }

  func::FuncOp function;
  RowTiles tiles;
  llvm::DenseMap<Value, Forms> known;
  llvm::DenseMap<Operation *, Value> broadcastSpread; ///< of operands that have this form
  llvm::DenseMap<Value, Value> retyped;               ///< by what stands for them
  SmallVector<Operation *> replaced;
};

struct TileRows : impl::TileRowsBase<TileRows> {
  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    auto entry = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!entry) {
      getOperation().emitError("expects a function '@main'");
      return signalPassFailure();
    }
    RowTiler(entry, getAnalysis<MachineAnalysis>().model()).run();
  }
};

} // namespace
} // namespace systole
