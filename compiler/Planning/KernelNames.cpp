// Names of kernels, after what they compute.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/KernelNames.h"

#include "compiler/Tensor/OpKinds.h"
#include "dialects/Kernel/Kernel.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole {

/// Operations that a name leaves out if there are others: they change the form of data at most.
static bool isTrivial(Operation &op) {
  switch (kindOf(&op)) {
  case OpKind::Constant:
  case OpKind::Generator:
  case OpKind::Broadcast:
  case OpKind::Reshape:
  case OpKind::Other:
    return true;
  default:
    return isa<stablehlo::ConvertOp, stablehlo::BitcastConvertOp>(op);
  }
}

/// How much an operation says about its kernel.
static int weightOf(Operation &op) {
  switch (kindOf(&op)) {
  case OpKind::Dot:
  case OpKind::Convolution:
  case OpKind::Reduce:
  case OpKind::Sort:
  case OpKind::Lookup:
  case OpKind::Indexed:
    return 3;
  case OpKind::Elementwise:
    return 2;
  default:
    return 1;
  }
}

static std::string nameOf(Operation &op) {
  StringRef name = op.getName().stripDialect();
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    // By the last operation of its body before the result is returned.
    Operation *last = reduce.getBody().front().getTerminator()->getPrevNode();
    return last ? "reduce_" + last->getName().stripDialect().str() : "reduce";
  }
  name.consume_front("column_");
  name.consume_back("_general");
  name.consume_back("_in_dim");
  return name.str();
}

std::string kernelName(Block &body) {
  constexpr size_t kNamed = 3;
  SmallVector<Operation *> ops;
  auto add = [&](Operation &op) {
    if (!isTrivial(op))
      ops.push_back(&op);
  };
  for (Operation &op : body.without_terminator())
    if (auto several = dyn_cast<kernel::ElementwiseOp>(op))
      llvm::for_each(several.getOps(), add);
    else
      add(op);
  if (ops.empty()) {
    for (Operation &op : llvm::reverse(body.without_terminator()))
      if (kindOf(&op) != OpKind::Constant)
        return nameOf(op);
    return "fill";
  }
  llvm::SmallSetVector<StringRef, 4> names;
  std::vector<std::string> texts; // of `ops`
  for (Operation *op : ops)
    texts.push_back(nameOf(*op));
  auto order = llvm::to_vector(llvm::seq<size_t>(0, ops.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    int first = weightOf(*ops[a]), second = weightOf(*ops[b]);
    return first != second ? first > second : a > b;
  });
  SmallVector<size_t> named;
  for (size_t i : order)
    if (named.size() < kNamed && names.insert(texts[i]))
      named.push_back(i);
  llvm::sort(named);
  std::string name = llvm::join(llvm::map_range(named, [&](size_t i) { return texts[i]; }), "_");
  return ops.size() == 1 ? name : name + "_fusion";
}

} // namespace systole
