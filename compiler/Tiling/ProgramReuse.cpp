// Results over donated arguments, and values over operands that nothing needs any more.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Tensor/TensorTypes.h"
#include "compiler/Tiling/InPlaceReuse.h"
#include "compiler/Tiling/ProgramBuilder.h"
#include "dialects/Kernel/Attributes.h"

using namespace mlir;

namespace systole {

namespace {

/// The value that `value` is another shape of.
Value rootOf(Value value) {
  while (auto reinterpret = value.getDefiningOp<kernel::ReinterpretOp>())
    value = reinterpret.getSource();
  return value;
}

/// Arrays of the program's signature: of elements of several planes there is one for each.
struct Entry {
  unsigned first, count;
};

SmallVector<Entry> entriesOf(unsigned count, llvm::function_ref<Attribute(unsigned)> element) {
  SmallVector<Entry> entries;
  for (unsigned i = 0; i < count; i += entries.back().count)
    entries.push_back({i, kernel::planeCount(element(i))});
  return entries;
}

} // namespace

SmallVector<ProgramBuilder::Buffer> ProgramBuilder::argumentBuffers() {
  SmallVector<Buffer> arguments;
  for (Entry entry : entriesOf(source.getNumArguments(), [&](unsigned i) {
         return source.getArgAttr(i, kernel::kElementAttr);
       })) {
    const bool isDonated = source.getArgAttr(entry.first, "tf.aliasing_output") ||
                           source.getArgAttr(entry.first, "jax.buffer_donor");
    for (unsigned i = entry.first; i < entry.first + entry.count; ++i) {
      BlockArgument argument = source.getArgument(i);
      arguments.push_back(newBuffer(argument, ("arg" + Twine(i)).str(),
                                    isDonated ? HbmUse::Donated : HbmUse::Fixed));
      buffers[argument] = arguments.back();
      plan.setTitle(arguments.back(), nameStack(argument.getLoc()));
    }
  }
  return arguments;
}

std::optional<ProgramBuilder::Buffer>
ProgramBuilder::sharedSize(unsigned number, ValueRange results, ArrayRef<Buffer> found) {
  auto isSize = [&](unsigned i) { return bool(source.getResultAttr(i, kernel::kDynamicDimAttr)); };
  if (!isSize(number))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(results[number]);
  if (argument && source.getArgAttr(argument.getArgNumber(), kernel::kDynamicDimAttr))
    return buffers[argument];
  for (unsigned i = 0; i < number; ++i)
    if (isSize(i) && results[i] == results[number])
      return found[i];
  return std::nullopt;
}

SmallVector<ProgramBuilder::Buffer> ProgramBuilder::resultBuffers(Block &body) {
  ValueRange values = body.getTerminator()->getOperands();
  auto arguments = entriesOf(source.getNumArguments(), [&](unsigned i) {
    return source.getArgAttr(i, kernel::kElementAttr);
  });
  auto results = entriesOf(
      values.size(), [&](unsigned i) { return source.getResultAttr(i, kernel::kElementAttr); });
  llvm::erase_if(arguments, [&](Entry entry) {
    return plan.buffers()[buffers[source.getArgument(entry.first)]].use != HbmUse::Donated;
  });
  auto isSame = [&](Entry result, Entry argument) {
    return result.count == argument.count &&
           values[result.first].getType() == source.getArgument(argument.first).getType() &&
           source.getResultAttr(result.first, kernel::kEntryLayoutAttr) ==
               source.getArgAttr(argument.first, kernel::kEntryLayoutAttr) &&
           source.getResultAttr(result.first, kernel::kElementAttr) ==
               source.getArgAttr(argument.first, kernel::kElementAttr);
  };
  SmallVector<Buffer> found(values.size(), kHeld);
  // Computes `result` over `argument`, if that is possible.
  auto replace = [&](Entry result, Entry argument) {
    for (unsigned i = 0; i < result.count; ++i) {
      Value value = values[result.first + i], old = source.getArgument(argument.first + i);
      if (value != old && !placeable(body, value, old))
        return false;
    }
    for (unsigned i = 0; i < result.count; ++i) {
      Value old = source.getArgument(argument.first + i);
      found[result.first + i] = buffers[old];
      plan.keep(buffers[old]);
      chooseDestination(body, values[result.first + i], buffers[old], old);
    }
    return true;
  };
  // First arguments that are returned, then those that the same kernel reads, then all others.
  auto isReturned = [&](Entry result, Entry argument) {
    return values[result.first] == source.getArgument(argument.first);
  };
  auto isRead = [&](Entry result, Entry argument) {
    Operation *writer = rootOf(values[result.first]).getDefiningOp();
    return writer && llvm::any_of(writer->getOperands(), [&](Value operand) {
             return rootOf(operand) == source.getArgument(argument.first);
           });
  };
  auto isAny = [](Entry, Entry) { return true; };
  auto pair = [&](auto &&isWanted) {
    for (Entry result : results) {
      if (found[result.first] != kHeld)
        continue;
      auto *argument = llvm::find_if(arguments, [&](Entry argument) {
        return isSame(result, argument) && isWanted(result, argument) && replace(result, argument);
      });
      if (argument != arguments.end())
        arguments.erase(argument);
    }
  };
  pair(isReturned);
  pair(isRead);
  pair(isAny);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (found[i] != kHeld)
      continue;
    if (std::optional<Buffer> shared = sharedSize(i, values, found)) {
      found[i] = *shared;
      continue;
    }
    found[i] = newBuffer(value, ("out" + Twine(i)).str(), HbmUse::Result);
    if (auto title = source.getResultAttrOfType<StringAttr>(i, "jax.result_info"))
      plan.setTitle(found[i], title.str());
    chooseDestination(body, value, found[i], Value());
  }
  return found;
}

std::optional<ProgramBuilder::Buffer> ProgramBuilder::dyingOperand(kernel::FusionOp fusion,
                                                                   OpResult result) {
  for (Value input : fusion.getInputs()) {
    Value root = rootOf(input);
    auto it = buffers.find(root);
    if (it == buffers.end() || temporaries.lookup(it->second) != root ||
        root.getParentBlock() != fusion->getBlock() || isOnItsWay(it->second))
      continue;
    const HbmBuffer &buffer = plan.buffers()[it->second];
    if (paddedBytes(buffer.type) == paddedBytes(typeOf(result)) &&
        canComputeInPlace(result, root, kernels))
      return it->second;
  }
  return std::nullopt;
}

} // namespace systole
