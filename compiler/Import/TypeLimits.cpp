// How large the types of a text may be.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/TypeLimits.h"

#include "dialects/Coded/Coded.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;

namespace systole {
namespace {

/// Levels of attributes and types together; artifacts have as many of each.
constexpr uint64_t kMaxDepth = 1024;
/// Types and attributes in a type, each as often as it is written.
constexpr uint64_t kMaxSize = 1 << 22;

class TypeLimits {
public:
  bool isWithin(Type type) {
    Extent extent = measure(type);
    return extent.depth <= kMaxDepth && extent.size <= kMaxSize;
  }

private:
  struct Extent {
    uint64_t depth = 1, size = 1;
  };
  /// A type or an attribute, by its unique storage.
  using Key = const void *;
  struct Pending {
    Attribute attribute;
    Type type;
    bool isExpanded = false;

    Key key() const { return type ? type.getAsOpaquePointer() : attribute.getAsOpaquePointer(); }
  };

  /// The elements of a coded attribute or type, which MLIR does not know; false of others.
  template <typename Kind>
  static bool visitNode(Kind kind, llvm::function_ref<void(Attribute)> ofAttribute,
                        llvm::function_ref<void(Type)> ofType) {
    coded::CodedDialect *dialect = coded::codedDialect(kind.getDialect());
    if (!dialect)
      return false;
    const coded::Node &node = dialect->nodeOf(kind);
    llvm::for_each(node.attributes, ofAttribute);
    llvm::for_each(node.types, ofType);
    return true;
  }

  template <typename Visit> static void forEachElement(const Pending &whole, Visit visit) {
    auto ofAttribute = [&](Attribute each) { each ? visit(Pending{each, {}}) : void(); };
    auto ofType = [&](Type each) { each ? visit(Pending{{}, each}) : void(); };
    if (whole.type && visitNode(whole.type, ofAttribute, ofType))
      return;
    if (whole.attribute && visitNode(whole.attribute, ofAttribute, ofType))
      return;
    if (whole.type)
      whole.type.walkImmediateSubElements(ofAttribute, ofType);
    else
      whole.attribute.walkImmediateSubElements(ofAttribute, ofType);
  }

  /// Without recursion, since types may be deeper than the stack.
  Extent measure(Type type) {
    SmallVector<Pending> stack{{{}, type}};
    while (!stack.empty()) {
      Pending next = stack.pop_back_val();
      if (extents.contains(next.key()))
        continue;
      if (!next.isExpanded) {
        stack.push_back(next);
        stack.back().isExpanded = true;
        forEachElement(next, [&](Pending each) { stack.push_back(each); });
        continue;
      }
      Extent extent;
      forEachElement(next, [&](const Pending &each) {
        Extent inner = extents.lookup(each.key());
        extent.depth = std::max(extent.depth, inner.depth + 1);
        extent.size = std::min(extent.size + inner.size, kMaxSize + 1);
      });
      extents[next.key()] = extent;
    }
    return extents.lookup(type.getAsOpaquePointer());
  }

  llvm::DenseMap<Key, Extent> extents;
};

} // namespace

LogicalResult checkTypeLimits(ModuleOp module) {
  TypeLimits limits;
  auto isWithin = [&](Type type) { return limits.isWithin(type); };
  WalkResult result = module->walk([&](Operation *op) {
    bool areWithin = llvm::all_of(op->getResultTypes(), isWithin);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        areWithin = areWithin && llvm::all_of(block.getArgumentTypes(), isWithin);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      areWithin = areWithin && isWithin(function.getFunctionType());
    if (areWithin)
      return WalkResult::advance();
    emitError(op->getLoc()) << "a type that nests deeper than " << kMaxDepth
                            << " levels or has more than " << kMaxSize << " parts";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace systole
