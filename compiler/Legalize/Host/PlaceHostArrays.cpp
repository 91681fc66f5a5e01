// Replaces values in the memory of the host by arrays there, and copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Host/HostArrays.h"
#include "compiler/Legalize/Passes.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Attributes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PLACEHOSTARRAYS
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;

/// Where the contents of a value in the host's memory are: in an array there, in a value on the
/// device that is copied to an array once one is needed, or in both.
struct Contents {
  Value device;
  std::optional<unsigned> array;
};

class Placer {
public:
  Placer(func::FuncOp function, const HostValues &host) : function(function), host(host) {}

  void run() {
    enter();
    visit(function.getBody().front());
    const SmallVector<int64_t> arguments = entriesOf(
        function.getNumArguments(), [&](unsigned i) { return function.getArgAttrDict(i); });
    const SmallVector<int64_t> results = entriesOf(
        function.getNumResults(), [&](unsigned i) { return function.getResultAttrDict(i); });
    leave();
    // Uses come after definitions; regions of loops have been moved.
    for (Operation *op : llvm::reverse(dead)) {
      op->dropAllUses();
      op->erase();
    }
    for (auto [block, number] : llvm::reverse(deadArguments))
      block->eraseArgument(number);
    auto module = function->getParentOfType<ModuleOp>();
    if (!arrays.isEmpty())
      module->setAttr(kernel::kHostArraysAttr,
                      arrays.toAttribute(module.getContext(), arguments, results));
  }

private:
  /// The numbers of arguments or results in the program's signature, in which the sizes of dynamic
  /// dimensions are parts of their arrays.
  static SmallVector<int64_t> entriesOf(unsigned count,
                                        llvm::function_ref<DictionaryAttr(unsigned)> attributes) {
    SmallVector<int64_t> entries;
    for (unsigned i = 0; i < count; ++i) {
      DictionaryAttr given = attributes(i);
      const bool isSize = given && given.contains(kernel::kDynamicDimAttr);
      entries.push_back(entries.empty() ? 0 : entries.back() + !isSize);
    }
    return entries;
  }

  void enter() {
    for (BlockArgument argument : function.getArguments())
      if (host.contains(argument)) {
        const unsigned number = argument.getArgNumber();
        const bool isDonated = function.getArgAttr(number, "tf.aliasing_output") ||
                               function.getArgAttr(number, "jax.buffer_donor");
        contents[argument].array = arrays.add(
            {typeOf(argument), **memoryOf(function.getArgAttrDict(number)), number, -1, isDonated});
      }
  }

  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  MemoryKind memoryOfResult(unsigned number) {
    FailureOr<MemoryKind> memory = memoryOf(function.getResultAttrDict(number));
    return succeeded(memory) ? *memory : std::nullopt;
  }

  /// The array of the program's result `number`, if it is in the host's memory.
  std::optional<unsigned> resultArray(std::optional<unsigned> number, RankedTensorType type) {
    if (!number || !memoryOfResult(*number) || arrays.ofResult(*number))
      return std::nullopt;
    return arrays.add({type, *memoryOfResult(*number), -1, int64_t(*number)});
  }

  void leave() {
    Operation *end = function.getBody().front().getTerminator();
    OpBuilder b(end);
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> attributes;
    for (auto [number, value] : llvm::enumerate(end->getOperands())) {
      DictionaryAttr given = function.getResultAttrDict(number);
      if (memoryOfResult(number)) {
        returnOnHost(b, number, value);
        continue;
      }
      results.push_back(host.contains(value) ? deviceOf(b, value.getLoc(), value) : value);
      attributes.push_back(given ? given : b.getDictionaryAttr({}));
    }
    end->setOperands(results);
    SmallVector<DictionaryAttr> argumentAttributes;
    for (BlockArgument argument : function.getArguments()) {
      if (host.contains(argument)) {
        deadArguments.emplace_back(argument.getOwner(), argument.getArgNumber());
        continue;
      }
      DictionaryAttr given = function.getArgAttrDict(argument.getArgNumber());
      argumentAttributes.push_back(given ? given : b.getDictionaryAttr({}));
    }
    SmallVector<Type> inputs;
    for (BlockArgument argument : function.getArguments())
      if (!host.contains(argument))
        inputs.push_back(argument.getType());
    function.setType(b.getFunctionType(inputs, ValueRange(results).getTypes()));
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(attributes);
  }

  void returnOnHost(OpBuilder &b, unsigned number, Value value) {
    if (host.contains(value))
      if (std::optional<unsigned> known = contents[value].array) {
        HostArrays::Array &array = arrays[*known];
        if (array.result == number)
          return;
        // The caller gives the argument up.
        if (array.donated && array.result < 0 && array.memory == memoryOfResult(number) &&
            !arrays.ofResult(number)) {
          array.result = number;
          return;
        }
      }
    std::optional<unsigned> known = arrays.ofResult(number);
    const unsigned array =
        known ? *known : arrays.add({typeOf(value), *memoryOfResult(number), -1, int64_t(number)});
    arrays.store(b, value.getLoc(),
                 host.contains(value) ? deviceOf(b, value.getLoc(), value) : value, array);
  }

  //===--------------------------------------------------------------------===//
  // Contents
  //===--------------------------------------------------------------------===//

  /// The contents of `value` on the device.
  Value deviceOf(OpBuilder &b, Location loc, Value value) {
    Contents &known = contents[value];
    return known.device ? known.device : arrays.load(b, loc, *known.array);
  }

  /// The array that has the contents of `value`.
  unsigned arrayOf(OpBuilder &b, Location loc, Value value) {
    Contents &known = contents[value];
    if (!known.array) {
      known.array = newArray(value, hostUsesOf(value));
      arrays.store(b, loc, known.device, *known.array);
    }
    return *known.array;
  }

  /// An array for all of `value`: that of a result of the program, if it can be that one.
  unsigned newArray(Value value, const HostUses &uses) {
    RankedTensorType type = typeOf(value);
    if (isInEntry(value) && HostArrays::canUse({type}, uses))
      if (std::optional<unsigned> result = resultArray(uses.result, type))
        return *result;
    return arrays.add({type});
  }

  bool isInEntry(Value value) { return value.getParentBlock() == &function.getBody().front(); }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (isPlacement(&op))
        place(cast<CustomCallOp>(op));
      else if (auto loop = dyn_cast<WhileOp>(op))
        visitLoop(loop);
      else if (isa<IfOp, CaseOp>(op))
        visitChoice(&op);
      else if (llvm::any_of(op.getResults(), [&](Value value) { return host.contains(value); }))
        move(&op);
      else if (isHostCompute(&op))
        copyOperands(&op);
    }
  }

  /// The device computes operations that ask for the host.
  void copyOperands(Operation *op) {
    OpBuilder b(op);
    for (OpOperand &operand : op->getOpOperands())
      if (host.contains(operand.get()))
        operand.set(deviceFrom(b, op->getLoc(), operand.get()));
  }

  void place(CustomCallOp op) {
    OpBuilder b(op);
    Value from = op->getOperand(0), to = op->getResult(0);
    dead.push_back(op);
    if (!host.contains(to)) {
      to.replaceAllUsesWith(host.contains(from) ? deviceFrom(b, op.getLoc(), from) : from);
      return;
    }
    if (host.contains(from)) {
      contents[to] = Contents(contents[from]);
      return;
    }
    contents[to].device = from;
    // Copied at once, so that the device needs it no longer, but where it becomes a part of an
    // array, or a loop's next value.
    if (llvm::any_of(to.getUses(), [&](OpOperand &use) {
          return isPlacement(use.getOwner()) ||
                 isa<OptimizationBarrierOp, func::ReturnOp>(use.getOwner());
        })) {
      contents[to].array = newArray(to, hostUsesOf(to));
      arrays.store(b, op.getLoc(), from, *contents[to].array);
    }
  }

  /// The copy that a program asks for, also if the value is on the device still.
  Value deviceFrom(OpBuilder &b, Location loc, Value value) {
    Contents &known = contents[value];
    return known.array ? arrays.load(b, loc, *known.array) : known.device;
  }

  void move(Operation *op) {
    OpBuilder b(op);
    dead.push_back(op);
    if (isa<OptimizationBarrierOp>(op))
      return moveBarrier(b, op);
    std::optional<HostPart> part = hostPartOf(op);
    std::optional<unsigned> array;
    if (part && host.contains(part->array))
      array = contents[part->array].array;
    if (array && HostArrays::canAccess(arrays[*array], *part)) {
      if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) {
        if (std::optional<unsigned> target = writable(b, update, *array)) {
          arrays.storePart(b, op->getLoc(), deviceOrSelf(b, op->getLoc(), update.getUpdate()),
                           *target, *part);
          contents[op->getResult(0)].array = target;
          return;
        }
      } else {
        contents[op->getResult(0)].device = arrays.loadPart(b, op->getLoc(), *array, *part);
        return;
      }
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, deviceOrSelf(b, op->getLoc(), operand));
    contents[op->getResult(0)].device = b.clone(*op, mapping)->getResult(0);
  }

  Value deviceOrSelf(OpBuilder &b, Location loc, Value value) {
    return host.contains(value) ? deviceOf(b, loc, value) : value;
  }

  /// The array that `update` of `array` may be written to: that one if it is not read behind it.
  /// Values that loops and barriers pass on are read.
  std::optional<unsigned> writable(OpBuilder &b, DynamicUpdateSliceOp update, unsigned array) {
    Value old = update.getOperand();
    const bool isLast = llvm::all_of(old.getUsers(), [&](Operation *user) {
      return user == update ||
             (user->getBlock() == update->getBlock() && user->isBeforeInBlock(update) &&
              (isPlacement(user) || isa<DynamicSliceOp, SliceOp>(user)));
    });
    if (arrays[array].isOwned() && isLast && old != update.getUpdate())
      return array;
    if (arrays[array].isParted)
      return std::nullopt;
    const unsigned copy = newArray(update, hostUsesOf(update));
    arrays.store(b, update.getLoc(), arrays.load(b, update.getLoc(), array), copy);
    return copy;
  }

  /// Arrays on the host do not wait: copies are in program order. A part that was fetched stays on
  /// the device.
  void moveBarrier(OpBuilder &b, Operation *op) {
    SmallVector<Value> waiting;
    auto isOnDevice = [&](Value operand) {
      return !host.contains(operand) || !contents[operand].array;
    };
    for (Value operand : op->getOperands())
      if (isOnDevice(operand))
        waiting.push_back(deviceOrSelf(b, op->getLoc(), operand));
    auto barrier =
        OptimizationBarrierOp::create(b, op->getLoc(), ValueRange(waiting).getTypes(), waiting);
    auto passed = barrier->result_begin();
    for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
      if (!isOnDevice(operand))
        contents[result].array = contents[operand].array;
      else if (host.contains(operand))
        contents[result].device = *passed++;
      else
        result.replaceAllUsesWith(*passed++);
    }
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// How a loop carries a value.
  struct Carried {
    std::optional<unsigned> array; ///< nothing: on the device
    bool isWritten = false;        ///< by the loop
  };

  /// The array in which `loop` has its value `number`; nothing if copies cannot access the parts
  /// that the program needs.
  std::optional<unsigned> arrayInLoop(OpBuilder &b, WhileOp loop, unsigned number, bool isWritten) {
    Location loc = loop.getLoc();
    Value init = loop.getOperand()[number], result = loop->getResult(number);
    const HostUses uses = hostUsesOf(loop.getBody().getArgument(number));
    const bool isHost = host.contains(init);
    if (isHost && !isWritten) {
      const unsigned array = arrayOf(b, loc, init);
      return HostArrays::canUse(arrays[array], uses) ? std::optional(array) : std::nullopt;
    }
    if (!isWritten)
      return std::nullopt; // what the host has behind the loop is copied there
    std::optional<unsigned> known = isHost ? contents[init].array : std::nullopt;
    if (known && init.hasOneUse() && arrays[*known].isOwned() &&
        HostArrays::canUse(arrays[*known], uses))
      return known;
    std::optional<CountedLoop> counted = CountedLoop::of(loop);
    const bool isReplaced = counted && counted->stackedIn(number);
    HostArrays::Array array{typeOf(result)};
    if (HostArrays::canUse(array, uses)) {
      const unsigned number = newArray(result, uses);
      if (!isReplaced)
        arrays.store(b, loc, deviceOrSelf(b, loc, init), number);
      return number;
    }
    array.isParted = true;
    if (!isReplaced || uses.result || !HostArrays::canUse(array, uses))
      return std::nullopt;
    return arrays.add(array);
  }

  void visitLoop(WhileOp loop) {
    OpBuilder b(loop);
    const unsigned count = loop->getNumOperands();
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    std::vector<Carried> carried(count);
    SmallVector<bool> isOnHost(count);
    SmallVector<Value> inits;
    for (unsigned i = 0; i < count; ++i) {
      isOnHost[i] = host.contains(loop->getResult(i));
      Value init = loop.getOperand()[i];
      if (isOnHost[i]) {
        carried[i].isWritten = body.getTerminator()->getOperand(i) != body.getArgument(i);
        carried[i].array = arrayInLoop(b, loop, i, carried[i].isWritten);
      }
      if (!carried[i].array)
        inits.push_back(deviceOrSelf(b, loop.getLoc(), init));
      if (isOnHost[i])
        for (Value value : {Value(cond.getArgument(i)), Value(body.getArgument(i))})
          contents[value] = {carried[i].array ? Value() : value, carried[i].array};
    }
    visit(cond);
    visit(body);
    yield(body, carried);
    if (llvm::none_of(carried, [](const Carried &value) { return value.array.has_value(); }) &&
        llvm::none_of(isOnHost, [](bool is) { return is; }))
      return;
    auto replacement =
        WhileOp::create(b, loop.getLoc(), ValueRange(inits).getTypes(), ValueRange(inits));
    replacement.getCond().takeBody(loop.getCond());
    replacement.getBody().takeBody(loop.getBody());
    auto next = replacement->result_begin();
    for (unsigned i = 0; i < count; ++i) {
      Value result = loop->getResult(i);
      if (isOnHost[i])
        contents[result] = {carried[i].array ? Value() : Value(*next), carried[i].array};
      else
        result.replaceAllUsesWith(*next);
      if (!carried[i].array) {
        ++next;
        continue;
      }
      deadArguments.emplace_back(&replacement.getCond().front(), i);
      deadArguments.emplace_back(&replacement.getBody().front(), i);
    }
    dead.push_back(loop);
  }

  /// At the end of `block` the values that leave it are where `carried` says.
  void yield(Block &block, ArrayRef<Carried> carried) {
    Operation *end = block.getTerminator();
    OpBuilder b(end);
    SmallVector<Value> values;
    SmallVector<std::pair<Value, unsigned>> stores;
    for (auto [value, to] : llvm::zip_equal(end->getOperands(), carried)) {
      if (!to.array)
        values.push_back(deviceOrSelf(b, end->getLoc(), value));
      else if (to.isWritten && !(host.contains(value) && contents[value].array == to.array))
        stores.emplace_back(deviceOrSelf(b, end->getLoc(), value), *to.array);
    }
    for (auto [value, array] : stores)
      arrays.store(b, end->getLoc(), value, array);
    end->setOperands(values);
  }

  void visitChoice(Operation *op) {
    OpBuilder b(op);
    std::vector<Carried> chosen(op->getNumResults());
    SmallVector<Type> types;
    for (auto [result, choice] : llvm::zip_equal(op->getResults(), chosen)) {
      if (host.contains(result))
        choice = {newArray(result, hostUsesOf(result)), true};
      else
        types.push_back(result.getType());
    }
    for (Region &region : op->getRegions()) {
      visit(region.front());
      yield(region.front(), chosen);
    }
    if (types.size() == op->getNumResults())
      return;
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(op->getOperands());
    state.addTypes(types);
    state.addAttributes(op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *replacement = b.create(state);
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), replacement->getRegions()))
      to.takeBody(from);
    auto next = replacement->result_begin();
    for (auto [result, choice] : llvm::zip_equal(op->getResults(), chosen)) {
      if (choice.array)
        contents[result].array = choice.array;
      else
        result.replaceAllUsesWith(*next++);
    }
    dead.push_back(op);
  }

  func::FuncOp function;
  const HostValues &host;
  HostArrays arrays;
  llvm::DenseMap<Value, Contents> contents;
  SmallVector<Operation *> dead;
  SmallVector<std::pair<Block *, unsigned>> deadArguments;
};

/// Refuses arrays in the host's memory whose sizes depend on data: these are arguments and results
/// behind them.
LogicalResult checkSizes(func::FuncOp function, StringRef what, unsigned count,
                         llvm::function_ref<DictionaryAttr(unsigned)> attributes) {
  int64_t number = -1;
  for (unsigned i = 0; i < count; ++i) {
    DictionaryAttr given = attributes(i), next = i + 1 < count ? attributes(i + 1) : nullptr;
    number += !(given && given.contains(kernel::kDynamicDimAttr));
    FailureOr<MemoryKind> memory = memoryOf(given);
    if (succeeded(memory) && *memory && next && next.contains(kernel::kDynamicDimAttr))
      return emitUnimplemented(function)
             << what << " " << number
             << " has sizes that depend on data, which is not supported in the memory of the host";
  }
  return success();
}

struct PlaceHostArrays : impl::PlaceHostArraysBase<PlaceHostArrays> {
  void rewrite() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!function)
      return;
    FailureOr<HostValues> host = HostValues::of(function);
    if (failed(host) || failed(checkEntryLayouts(function)) ||
        failed(checkSizes(function, "argument", function.getNumArguments(),
                          [&](unsigned i) { return function.getArgAttrDict(i); })) ||
        failed(checkSizes(function, "result", function.getNumResults(),
                          [&](unsigned i) { return function.getResultAttrDict(i); })))
      return signalPassFailure();
    const bool returnsOnHost = llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned i) {
      FailureOr<MemoryKind> memory = memoryOf(function.getResultAttrDict(i));
      return succeeded(memory) && *memory;
    });
    bool hasPlacements = false;
    function.walk([&](Operation *op) { hasPlacements |= isPlacement(op); });
    if (!host->isEmpty() || returnsOnHost || hasPlacements)
      Placer(function, *host).run();
    function.walk([](Operation *op) { op->removeAttr(kernel::kHostComputeAttr); });
  }
};

} // namespace
} // namespace systole
