// The kernels of a block as memory sees them: what runs before what, and what is live meanwhile.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/BlockMemory.h"

#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/CarriedValues.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <queue>

using namespace mlir;

namespace systole {

static Value rootOf(Value value) {
  while (Value source = aliasedBy(value))
    value = source;
  return value;
}

/// Arrays in HBM; the sequencer holds integers of rank 0, and others have no size to speak of.
static int64_t bytesOf(Value value) {
  return typeOf(value).getRank() == 0 ? 0 : paddedBytes(typeOf(value));
}

int64_t roomInHbm(func::FuncOp function, int64_t hbmRows) {
  Block &body = function.getBody().front();
  int64_t fixed = 0;
  for (BlockArgument argument : body.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), "tf.aliasing_output") &&
        !function.getArgAttr(argument.getArgNumber(), "jax.buffer_donor"))
      fixed += paddedBytes(typeOf(argument));
  for (auto constant : body.getOps<stablehlo::ConstantOp>())
    fixed += paddedBytes(typeOf(constant.getResult()));
  // Kernels add small buffers, and may leave gaps between all of them.
  constexpr int64_t gapsOf = 256;
  const int64_t room = hbmRows * kRowBytes;
  return room - room / gapsOf - fixed;
}

BlockMemory::BlockMemory(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    numbers[&op] = ops.size();
    ops.push_back(&op);
  }
  nodes.resize(ops.size());
  for (auto [number, op] : llvm::enumerate(ops))
    if (kindOf(op) == OpKind::Control)
      for (Region &region : op->getRegions()) {
        BlockMemory inner(region.front());
        nodes[number].innerBytes = std::max(
            nodes[number].innerBytes, inner.peakBytes(inner.programOrder()) - inner.homeBytes());
      }
  addValues();
  addEffects();
  addInPlace();
}

int64_t BlockMemory::homeBytes() const {
  int64_t bytes = 0;
  for (const Array &array : all)
    bytes += array.isHome ? array.bytes : 0;
  return bytes;
}

unsigned BlockMemory::arrayOf(Value root) {
  auto [it, isNew] = arrayNumbers.try_emplace(root, all.size());
  if (!isNew)
    return it->second;
  Array &array = all.emplace_back();
  array.value = root;
  Operation *producer = root.getDefiningOp();
  if (producer && producer->getBlock() == &block) {
    array.producer = int(numbers.lookup(producer));
    array.bytes = isa<stablehlo::ConstantOp>(producer) ? 0 : bytesOf(root);
    return it->second;
  }
  // What loops carry may be replaced once it has been read, and so may donated arguments.
  auto argument = dyn_cast<BlockArgument>(root);
  auto function = argument && argument.getOwner() == &block
                      ? dyn_cast<func::FuncOp>(block.getParentOp())
                      : nullptr;
  bool isGiven = argument && argument.getOwner() == &block &&
                 (!function || function.getArgAttr(argument.getArgNumber(), "tf.aliasing_output") ||
                  function.getArgAttr(argument.getArgNumber(), "jax.buffer_donor"));
  array.bytes = isGiven ? bytesOf(root) : 0;
  array.stays = !isGiven;
  array.isHome = isGiven && !function;
  return it->second;
}

void BlockMemory::addEdge(unsigned before, unsigned after) {
  if (before == after || llvm::is_contained(nodes[after].before, before))
    return;
  nodes[after].before.push_back(before);
  nodes[before].after.push_back(after);
}

void BlockMemory::addValues() {
  for (auto [number, op] : llvm::enumerate(ops)) {
    Node &node = nodes[number];
    auto read = [&, number = number](Value value) {
      if (Operation *producer = value.getDefiningOp(); producer && producer->getBlock() == &block)
        addEdge(numbers.lookup(producer), number);
      else if (!isa<BlockArgument>(value) || value.getParentBlock() != &block)
        return;
      unsigned array = arrayOf(rootOf(value));
      if (!isAlias(ops[number]) && !llvm::is_contained(node.reads, array)) {
        node.reads.push_back(array);
        all[array].users.push_back(number);
      }
    };
    if (op->getNumRegions() == 0 || isa<kernel::FusionOp>(op))
      llvm::for_each(op->getOperands(), read);
    else
      op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), read); });
    if (!isAlias(op))
      for (Value result : op->getResults())
        node.writes.push_back(arrayOf(result));
  }
  for (Value value : block.getTerminator()->getOperands())
    if (value.getParentBlock() == &block)
      all[arrayOf(rootOf(value))].stays = true;
}

void BlockMemory::addEffects() {
  struct Accesses {
    std::optional<unsigned> write;
    SmallVector<unsigned> reads; ///< since then
  };
  // Of each array of the host, and of all channels together.
  llvm::DenseMap<int64_t, Accesses> all;
  const int64_t channels = -1;
  for (auto [number, op] : llvm::enumerate(ops))
    op->walk([&, number = number](Operation *inner) {
      if (kindOf(inner) != OpKind::Transfer)
        return;
      auto fetch = dyn_cast<kernel::FetchOp>(inner);
      auto offload = dyn_cast<kernel::OffloadOp>(inner);
      Accesses &known = all[fetch     ? int64_t(fetch.getArray())
                            : offload ? int64_t(offload.getArray())
                                      : channels];
      if (known.write)
        addEdge(*known.write, number);
      if (fetch) {
        known.reads.push_back(number);
        return;
      }
      for (unsigned read : known.reads)
        addEdge(read, number);
      known = {number, {}};
    });
}

bool BlockMemory::reaches(unsigned from, unsigned to) const {
  std::vector<bool> seen(nodes.size());
  SmallVector<unsigned> open{from};
  while (!open.empty()) {
    unsigned number = open.pop_back_val();
    if (number == to)
      return true;
    for (unsigned after : nodes[number].after)
      if (!seen[after]) {
        seen[after] = true;
        open.push_back(after);
      }
  }
  return false;
}

void BlockMemory::readBefore(ArrayRef<std::pair<unsigned, unsigned>> replaced) {
  auto addEdges = [&](bool isEarlier) {
    for (auto [array, writer] : replaced)
      for (unsigned user : all[array].users)
        if (isEarlier ? user < writer : user > writer && !reaches(writer, user))
          addEdge(user, writer);
  };
  // As the program has it, before other readers are moved to the front of a writer.
  addEdges(/*isEarlier=*/true);
  addEdges(/*isEarlier=*/false);
}

void BlockMemory::addInPlace() {
  Operation *terminator = block.getTerminator();
  const bool isLoop = isa<stablehlo::WhileOp>(block.getParentOp());
  SmallVector<std::pair<unsigned, unsigned>> replaced; // arrays, and what replaces them
  for (auto [number, op] : llvm::enumerate(ops)) {
    Node &node = nodes[number];
    auto pair = [&, number = number](Value input, Value result, bool isNeeded) {
      unsigned from = arrayOf(rootOf(input)), to = arrayOf(result);
      node.inPlace.emplace_back(from, to);
      if (isNeeded)
        replaced.emplace_back(from, number);
    };
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      for (auto [init, result] : llvm::zip_equal(loop.getOperand(), loop.getResults()))
        if (init.getParentBlock() == &block)
          pair(init, result, isa<BlockArgument>(rootOf(init)));
      continue;
    }
    auto fusion = dyn_cast<kernel::FusionOp>(op);
    if (!fusion || !fusion.getPlan())
      continue;
    FailureOr<Blocking> blocking = blockingOf(fusion);
    if (failed(blocking))
      continue;
    Block &body = fusion.getBody().front();
    for (OpResult result : fusion->getResults()) {
      Value inner = body.getTerminator()->getOperand(result.getResultNumber());
      auto updated = updatedInput(fusion, result.getResultNumber());
      const bool leaves = llvm::is_contained(result.getUsers(), terminator);
      for (auto [i, input] : llvm::enumerate(fusion.getInputs())) {
        if (updated) {
          if (*updated == i)
            pair(input, result, /*isNeeded=*/true);
          continue;
        }
        Value root = rootOf(input);
        if (input.getParentBlock() != &block || bytesOf(root) != bytesOf(result) ||
            readsInHbm(fusion, i) || !canWriteOver(*blocking, body.getArgument(i), inner))
          continue;
        // What a loop carries is replaced by its next value, which goes nowhere else.
        auto argument = dyn_cast<BlockArgument>(root);
        const bool isHome = argument && all[arrayOf(root)].isHome;
        const unsigned number = argument ? argument.getArgNumber() : 0;
        if (isHome
                ? number >= terminator->getNumOperands() || terminator->getOperand(number) != result
                : leaves && isLoop)
          continue;
        // Donated arguments take results.
        pair(input, result, leaves && argument);
      }
    }
    // Those that replace an argument come first.
    llvm::stable_sort(node.inPlace, [&](auto &a, auto &b) {
      return isa<BlockArgument>(all[a.first].value) > isa<BlockArgument>(all[b.first].value);
    });
  }
  readBefore(replaced);
}

KernelOrder BlockMemory::programOrder() const {
  KernelOrder order(ops.size());
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i;
  return order;
}

std::vector<LiveBuffer> BlockMemory::liveBuffers(ArrayRef<unsigned> order) const {
  std::vector<unsigned> readers(all.size()), homes(all.size());
  std::vector<LiveBuffer> buffers;
  const int64_t end = order.size();
  auto add = [&](const Array &array, int64_t begin) {
    buffers.push_back({array.bytes, begin, array.stays || array.isHome ? end : begin});
    return buffers.size() - 1;
  };
  for (auto [number, array] : llvm::enumerate(all)) {
    readers[number] = array.users.size();
    if (array.producer < 0)
      homes[number] = add(array, -1);
  }
  for (auto [time, number] : llvm::enumerate(order)) {
    const Node &node = nodes[number];
    if (node.innerBytes > 0)
      buffers.push_back({node.innerBytes, int64_t(time), int64_t(time)});
    llvm::SmallDenseSet<unsigned, 8> replaced;
    for (auto [from, to] : node.inPlace)
      if (readers[from] == 1 && !all[from].stays && all[from].bytes == all[to].bytes &&
          !replaced.contains(from) && !replaced.contains(to)) {
        replaced.insert_range(ArrayRef{from, to});
        homes[to] = homes[from];
        int64_t &last = buffers[homes[to]].end;
        last = all[to].stays ? end : std::max(last, int64_t(time));
      }
    for (unsigned array : node.reads) {
      buffers[homes[array]].end = std::max(buffers[homes[array]].end, int64_t(time));
      --readers[array];
    }
    for (unsigned array : node.writes)
      if (!replaced.contains(array))
        homes[array] = add(all[array], time);
  }
  return buffers;
}

int64_t BlockMemory::peakBytes(ArrayRef<unsigned> order) const {
  return mostLive(liveBuffers(order));
}

KernelOrder BlockMemory::schedule(From from, Next next) const {
  const bool isReversed = from == From::End;
  const size_t count = nodes.size();
  std::vector<unsigned> waiting(count), readers(all.size());
  std::vector<bool> isLive(all.size());
  for (auto [number, array] : llvm::enumerate(all)) {
    readers[number] = array.users.size();
    isLive[number] = isReversed && array.stays;
  }
  // Bytes that are live after an operation and not before, in the direction of time that is
  // followed.
  auto taken = [&](unsigned number) {
    int64_t bytes = 0;
    for (unsigned array : nodes[number].reads) {
      if (isReversed)
        bytes += isLive[array] ? 0 : all[array].bytes;
      else if (readers[array] == 1 && !all[array].stays)
        bytes -= all[array].bytes;
    }
    for (unsigned array : nodes[number].writes)
      if (all[array].stays || !all[array].users.empty())
        bytes += isReversed ? -all[array].bytes : all[array].bytes;
    return bytes;
  };
  // The smallest first. An entry whose bytes are out of date is followed by one with the new
  // ones.
  using Entry = std::tuple<int64_t, unsigned, int64_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<bool> isDone(count);
  auto push = [&](unsigned number) {
    const int64_t bytes = taken(number);
    const unsigned place = isReversed ? count - 1 - number : number;
    ready.emplace(next == Next::Eager ? std::min<int64_t>(bytes, 1) : bytes, place, bytes);
  };
  for (unsigned number = 0; number < count; ++number) {
    waiting[number] = isReversed ? nodes[number].after.size() : nodes[number].before.size();
    if (waiting[number] == 0)
      push(number);
  }
  KernelOrder order;
  while (!ready.empty()) {
    auto [key, place, bytes] = ready.top();
    ready.pop();
    const unsigned number = isReversed ? count - 1 - place : place;
    if (isDone[number] || bytes != taken(number))
      continue;
    isDone[number] = true;
    order.push_back(number);
    SmallVector<unsigned> changed;
    for (unsigned array : nodes[number].reads) {
      --readers[array];
      if (isReversed && !isLive[array]) {
        isLive[array] = true;
        llvm::append_range(changed, all[array].users);
      } else if (!isReversed && readers[array] == 1) {
        llvm::append_range(changed, all[array].users);
      }
    }
    for (unsigned other : isReversed ? nodes[number].before : nodes[number].after)
      if (--waiting[other] == 0)
        push(other);
    for (unsigned other : changed)
      if (!isDone[other] && waiting[other] == 0)
        push(other);
  }
  assert(order.size() == count && "a graph without cycles");
  if (isReversed)
    std::reverse(order.begin(), order.end());
  return order;
}

KernelOrder BlockMemory::bestOrder() const {
  KernelOrder best = programOrder();
  int64_t fewest = peakBytes(best);
  for (From from : {From::Start, From::End})
    for (Next next : {Next::Eager, Next::Best}) {
      KernelOrder order = schedule(from, next);
      if (int64_t bytes = peakBytes(order); bytes < fewest) {
        fewest = bytes;
        best = std::move(order);
      }
    }
  return best;
}

void BlockMemory::apply(ArrayRef<unsigned> order) const {
  for (unsigned number : order)
    ops[number]->moveBefore(block.getTerminator());
}

} // namespace systole
