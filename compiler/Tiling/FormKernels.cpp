// Turns fusions into kernels over a static plan of HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/HbmPlan.h"
#include "compiler/Tiling/InPlace.h"
#include "compiler/Tiling/KernelBuilder.h"
#include "compiler/Tiling/Passes.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/Tiling/Passes.h.inc"

namespace {

using namespace stablehlo;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Rewrites one program: from `source`, a function on tensors, to `@main`, the
/// sequencer's program.
class ProgramBuilder {
public:
  ProgramBuilder(ModuleOp module, func::FuncOp source, const KernelOptions &options)
      : module(module), source(source), kernels(module, options), b(module.getContext()) {}

  LogicalResult run(int64_t hbmRows);

private:
  using Buffer = int32_t;

  LogicalResult emitBlock(Block &block);
  LogicalResult emit(Operation *op);
  LogicalResult emitFusion(kernel::FusionOp op);
  LogicalResult emitWhile(WhileOp op);
  LogicalResult emitBranches(Operation *op, MutableArrayRef<Region> branches);

  /// Where the values that leave `block` must be at its end.
  void chooseDestinations(Block &block, ArrayRef<Buffer> destinations, ValueRange carried);
  /// Copies what is not there yet.
  void finishBlock(Block &block, ArrayRef<Buffer> destinations);
  void copy(Buffer from, Buffer to, Location loc);
  Value hbm(Buffer buffer, kernel::BufferType type, Location loc);
  Value readScalar(Buffer buffer, Type elementType, Location loc);

  Buffer newBuffer(Value value, StringRef name, bool permanent = false);
  /// The buffer of `value`, whose contents are read now.
  Buffer read(Value value);
  void touch(Buffer buffer) { plan.extend(buffer, time); }

  ModuleOp module;
  func::FuncOp source;
  KernelBuilder kernels;
  OpBuilder b;
  HbmPlan plan;
  int64_t time = 0;
  llvm::DenseMap<Value, Buffer> buffers;
  /// Where a value that is still to be computed must go.
  llvm::DenseMap<Value, Buffer> destinations;
  /// Loops that are being emitted: their first times, innermost last. A buffer from before a
  /// loop that is read in it lives until the loop's end.
  SmallVector<int64_t> loopBegins;
  SmallVector<std::pair<Buffer, int64_t>> readsInLoops;
  SmallVector<Attribute> constants;
};

ProgramBuilder::Buffer ProgramBuilder::newBuffer(Value value, StringRef name, bool permanent) {
  return plan.add(name.str(), typeOf(value), value.getLoc(), time, permanent);
}

ProgramBuilder::Buffer ProgramBuilder::read(Value value) {
  auto it = buffers.find(value);
  Buffer buffer;
  if (it != buffers.end()) {
    buffer = it->second;
  } else {
    // The only values without a buffer are constants of the image.
    auto constant = value.getDefiningOp<ConstantOp>();
    buffer = buffers[value] = newBuffer(value, "constant", /*permanent=*/true);
    constants.push_back(b.getDictionaryAttr({b.getNamedAttr("region", b.getI32IntegerAttr(buffer)),
                                             b.getNamedAttr("value", constant.getValue())}));
  }
  touch(buffer);
  if (!loopBegins.empty())
    readsInLoops.emplace_back(buffer, time);
  return buffer;
}

Value ProgramBuilder::hbm(Buffer buffer, kernel::BufferType type, Location loc) {
  return kernel::HbmOp::create(b, loc, type, buffer);
}

Value ProgramBuilder::readScalar(Buffer buffer, Type elementType, Location loc) {
  auto type = kernel::BufferType::get(b.getContext(), {}, elementType, kernel::Space::hbm);
  return kernel::ReadScalarOp::create(b, loc, b.getI32Type(), hbm(buffer, type, loc));
}

void ProgramBuilder::copy(Buffer from, Buffer to, Location loc) {
  if (from == to)
    return;
  ++time;
  touch(from);
  touch(to);
  kernel::FuncOp func = kernels.buildCopy(plan.buffers()[from].rows, loc);
  auto type = cast<kernel::BufferType>(cast<TypeAttr>(func.getOperandTypes()[0]).getValue());
  std::string line = sourceLine(loc);
  kernel::CallOp::create(b, loc, func.getSymName(),
                         ValueRange{hbm(from, type, loc), hbm(to, type, loc)},
                         line.empty() ? StringAttr() : b.getStringAttr(line));
}

LogicalResult ProgramBuilder::emitFusion(kernel::FusionOp op) {
  ++time;
  FailureOr<Blocking> blocking = kernels.blockingOf(op);
  if (failed(blocking))
    return failure();
  FailureOr<BuiltKernel> built = kernels.build(op, *blocking);
  if (failed(built))
    return failure();
  SmallVector<Value> operands;
  for (Value result : op.getResults()) {
    auto it = destinations.find(result);
    buffers[result] = it == destinations.end() ? newBuffer(result, "value") : it->second;
    touch(buffers[result]);
  }
  if (!built->func)
    return success(); // nothing but empty arrays
  for (auto [number, type] : llvm::zip_equal(built->operandInputs, built->func.getOperandTypes())) {
    Buffer buffer = number >= 0 ? read(op.getInputs()[number]) : buffers[op.getResult(-1 - number)];
    operands.push_back(
        hbm(buffer, cast<kernel::BufferType>(cast<TypeAttr>(type).getValue()), op.getLoc()));
  }
  std::string line = sourceLine(op.getLoc());
  kernel::CallOp::create(b, op.getLoc(), built->func.getSymName(), operands,
                         line.empty() ? StringAttr() : b.getStringAttr(line));
  return success();
}

void ProgramBuilder::chooseDestinations(Block &block, ArrayRef<Buffer> targets,
                                        ValueRange carried) {
  // Last loop first: where its results go decides where its initial values go.
  Operation *terminator = block.getTerminator();
  auto choose = [&](Value value, Buffer target, Value old) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || result.getOwner()->getBlock() != &block || destinations.contains(value))
      return;
    if (!canComputeInPlace(result, old, [&](kernel::FusionOp fusion) {
          auto blocking = kernels.blockingOf(fusion);
          return succeeded(blocking) ? *blocking : Blocking();
        }))
      return;
    destinations[value] = target;
  };
  for (auto [i, target] : llvm::enumerate(targets))
    choose(terminator->getOperand(i), target, carried.empty() ? Value() : carried[i]);
  for (Operation &op : llvm::reverse(block)) {
    auto loop = dyn_cast<WhileOp>(op);
    if (!loop)
      continue;
    for (auto [init, result] : llvm::zip_equal(loop.getOperand(), loop.getResults())) {
      auto it = destinations.find(result);
      Buffer home = it == destinations.end() ? newBuffer(result, "carried") : it->second;
      destinations[result] = home;
      // An initial value that nothing else reads is computed where the loop keeps it,
      // unless that is where some outer loop's old value still is.
      if (init.hasOneUse() && it == destinations.end())
        choose(init, home, Value());
    }
  }
}

void ProgramBuilder::finishBlock(Block &block, ArrayRef<Buffer> targets) {
  // All copies happen at once: a source that is also a target is saved first.
  Operation *terminator = block.getTerminator();
  struct Move {
    Buffer from, to;
    Value value;
  };
  SmallVector<Move> moves;
  for (auto [value, target] : llvm::zip_equal(terminator->getOperands(), targets))
    if (Buffer from = read(value); from != target)
      moves.push_back({from, target, value});
  for (Move &move : moves)
    if (llvm::any_of(moves, [&](Move &other) { return other.to == move.from; })) {
      Buffer saved = newBuffer(move.value, "saved");
      copy(move.from, saved, terminator->getLoc());
      move.from = saved;
    }
  for (Move &move : moves)
    copy(move.from, move.to, terminator->getLoc());
}

LogicalResult ProgramBuilder::emitWhile(WhileOp op) {
  Location loc = op.getLoc();
  ++time;
  SmallVector<Buffer> homes;
  for (Value result : op.getResults())
    homes.push_back(destinations.lookup(result));
  SmallVector<std::pair<Buffer, Buffer>> initial;
  for (auto [init, home] : llvm::zip_equal(op.getOperand(), homes)) {
    Buffer from = read(init);
    // A home may hold another initial value until it is read.
    if (llvm::is_contained(homes, from) && from != home) {
      Buffer saved = newBuffer(init, "saved");
      copy(from, saved, loc);
      from = saved;
    }
    initial.emplace_back(from, home);
  }
  for (auto [from, home] : initial)
    copy(from, home, loc);
  for (auto [argument, result, home] :
       llvm::zip_equal(op.getBody().getArguments(), op.getResults(), homes))
    buffers[argument] = buffers[result] = home;
  for (auto [argument, home] : llvm::zip_equal(op.getCond().getArguments(), homes))
    buffers[argument] = home;

  int64_t begin = ++time;
  loopBegins.push_back(begin);
  size_t firstRead = readsInLoops.size();
  for (Buffer home : homes)
    touch(home);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Block &cond = op.getCond().front();
  chooseDestinations(cond, {}, {});
  if (failed(emitBlock(cond)))
    return failure();
  Value proceed = readScalar(read(cond.getTerminator()->getOperand(0)), b.getI1Type(), loc);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  proceed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, proceed, zero);
  scf::ConditionOp::create(b, loc, proceed, ValueRange());

  b.createBlock(&loop.getAfter());
  Block &body = op.getBody().front();
  chooseDestinations(body, homes, body.getArguments());
  if (failed(emitBlock(body)))
    return failure();
  finishBlock(body, homes);
  scf::YieldOp::create(b, loc);

  int64_t end = ++time;
  for (Buffer home : homes)
    touch(home);
  // What existed before the loop is read again in the next iteration.
  for (auto [buffer, when] : llvm::drop_begin(readsInLoops, firstRead))
    if (plan.buffers()[buffer].begin < begin)
      plan.extend(buffer, end);
  loopBegins.pop_back();
  if (loopBegins.empty())
    readsInLoops.clear();
  return success();
}

/// `if` is a choice between its first and second region by "not zero"; `case` a
/// cascade of comparisons with the branch number, the last one for all others.
LogicalResult ProgramBuilder::emitBranches(Operation *op, MutableArrayRef<Region> branches) {
  Location loc = op->getLoc();
  ++time;
  SmallVector<Buffer> results;
  for (Value result : op->getResults()) {
    auto it = destinations.find(result);
    results.push_back(it == destinations.end() ? newBuffer(result, "chosen") : it->second);
    buffers[result] = results.back();
  }
  Value selectorTensor = op->getOperand(0);
  Value selector = readScalar(read(selectorTensor), typeOf(selectorTensor).getElementType(), loc);
  bool isIf = isa<IfOp>(op);

  OpBuilder::InsertionGuard guard(b);
  auto emitBranch = [&](Region &region) -> LogicalResult {
    chooseDestinations(region.front(), results, {});
    if (failed(emitBlock(region.front())))
      return failure();
    finishBlock(region.front(), results);
    return success();
  };
  for (size_t number = 0; number + 1 < branches.size(); ++number) {
    Value wanted = arith::ConstantIntOp::create(b, loc, isIf ? 0 : number, 32);
    auto predicate = isIf ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
    Value chosen = arith::CmpIOp::create(b, loc, predicate, selector, wanted);
    auto choice = scf::IfOp::create(b, loc, chosen, /*withElseRegion=*/true);
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    if (failed(emitBranch(branches[number])))
      return failure();
    b.setInsertionPoint(choice.elseBlock()->getTerminator());
  }
  if (failed(emitBranch(branches.back())))
    return failure();
  ++time;
  for (Buffer buffer : results)
    touch(buffer);
  return success();
}

LogicalResult ProgramBuilder::emit(Operation *op) {
  if (auto fusion = dyn_cast<kernel::FusionOp>(op))
    return emitFusion(fusion);
  if (auto loop = dyn_cast<WhileOp>(op))
    return emitWhile(loop);
  if (isa<IfOp, CaseOp>(op))
    return emitBranches(op, op->getRegions());
  if (isa<ConstantOp>(op))
    return success(); // on demand
  return op->emitError() << "operation '" << op->getName() << "' is not supported";
}

LogicalResult ProgramBuilder::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

LogicalResult ProgramBuilder::run(int64_t hbmRows) {
  MLIRContext *context = module.getContext();
  Location loc = source.getLoc();
  SmallVector<int32_t> arguments, results;
  for (BlockArgument argument : source.getArguments()) {
    buffers[argument] = newBuffer(argument, ("arg" + Twine(argument.getArgNumber())).str(), true);
    arguments.push_back(buffers[argument]);
  }
  Block &body = source.getBody().front();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    results.push_back(newBuffer(value, ("out" + Twine(i)).str(), true));

  b.setInsertionPointToEnd(module.getBody());
  auto main = func::FuncOp::create(b, loc, "main", b.getFunctionType({}, {}));
  b.setInsertionPointToEnd(main.addEntryBlock());
  chooseDestinations(body, results, {});
  if (failed(emitBlock(body)))
    return failure();
  finishBlock(body, results);
  func::ReturnOp::create(b, loc);

  int64_t rows = plan.place();
  if (rows > hbmRows)
    return plan.reportOverflow(loc, rows, hbmRows);
  module->setAttr("kernel.hbm_plan", plan.toAttribute(context));
  module->setAttr("kernel.hbm_rows", b.getI64IntegerAttr(rows));
  SmallVector<int64_t> payload;
  for (const HbmBuffer &buffer : plan.buffers())
    payload.push_back(payloadBytes(buffer.type));
  module->setAttr("kernel.hbm_payload", b.getDenseI64ArrayAttr(payload));
  module->setAttr("kernel.arguments", b.getDenseI32ArrayAttr(arguments));
  module->setAttr("kernel.results", b.getDenseI32ArrayAttr(results));
  module->setAttr("kernel.signature", TypeAttr::get(source.getFunctionType()));
  module->setAttr("kernel.constants", b.getArrayAttr(constants));
  source.erase();
  return success();
}

struct FormKernels : impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto source = module.lookupSymbol<func::FuncOp>("main");
    if (!source) {
      module.emitError("expects a function '@main'");
      return signalPassFailure();
    }
    source.setName("main.tensors");
    KernelOptions options;
    options.vmemBytes = vmemBytes;
    options.precision = precision;
    if (failed(ProgramBuilder(module, source, options).run(hbmRows)))
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
