// Loops and branches that carry padded arrays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Legalize/Refine/PaddedForms.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;

namespace {

/// The values that carry an array: one of type `type`, and the sizes of the dimensions in `dims`.
struct Carried {
  RankedTensorType declared, type;
  SmallVector<int64_t> dims;
};

using Carriers = SmallVector<Carried>;

SmallVector<Type> typesOf(PaddedTensors &t, const Carriers &carriers) {
  SmallVector<Type> types, sizes;
  for (const Carried &carried : carriers) {
    types.push_back(carried.type);
    sizes.append(carried.dims.size(), RankedTensorType::get({}, t.b.getI32Type()));
  }
  llvm::append_range(types, sizes);
  return types;
}

/// The values that carry arrays.
FailureOr<SmallVector<Value>> carriedValues(PaddedForm &f, PaddedTensors &t,
                                            const Carriers &carriers, ValueRange values) {
  SmallVector<Value> result, sizes;
  for (auto [i, carried, value] : llvm::enumerate(carriers, values)) {
    Padded array = f.at(value);
    for (int64_t dim = 0; dim < array.rank(); ++dim) {
      if (llvm::is_contained(carried.dims, dim)) {
        array = t.resized(array, dim, carried.type.getDimSize(dim));
        sizes.push_back(t.length(array, dim));
      } else if (array.sizes[dim] && carried.declared.isDynamicDim(dim)) {
        return f.refuse("value #" + Twine(i) + " needs a type with a bound");
      } else if (array.sizes[dim]) {
        array = t.fixed(array, dim, carried.type.getDimSize(dim));
      }
    }
    result.push_back(array.value);
  }
  llvm::append_range(result, sizes);
  return result;
}

/// The arrays that `values` carry.
Arrays arraysOf(const Carriers &carriers, ValueRange values) {
  Arrays arrays;
  ValueRange sizes = values.drop_front(carriers.size());
  for (auto [carried, value] : llvm::zip(carriers, values)) {
    Padded array(value);
    for (int64_t dim : carried.dims) {
      array.sizes[dim] = sizes.front();
      sizes = sizes.drop_front();
    }
    arrays.push_back(array);
  }
  return arrays;
}

} // namespace

Form loop(PaddedForm &f, WhileOp op) {
  Carriers carriers;
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    RankedTensorType declared = typeOf(result);
    Padded init = f.at(operand);
    SmallVector<int64_t> shape(init.shape()), dims;
    for (int64_t dim = 0; dim < init.rank(); ++dim) {
      std::optional<int64_t> extent = extentOf(declared, dim);
      if (!declared.isDynamicDim(dim) || (!extent && !init.sizes[dim]))
        continue;
      dims.push_back(dim);
      shape[dim] = extent.value_or(shape[dim]);
    }
    carriers.push_back({declared, RankedTensorType::get(shape, declared.getElementType()), dims});
  }
  FailureOr<SmallVector<Value>> inits = carriedValues(f, f.t, carriers, op->getOperands());
  if (failed(inits))
    return failure();
  SmallVector<Type> types = typesOf(f.t, carriers);
  auto made = WhileOp::create(f.t.b, f.t.loc, types, *inits);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    to.takeBody(from);
    Block &block = to.front();
    for (unsigned i = block.getNumArguments(); i < types.size(); ++i)
      block.addArgument(types[i], f.t.loc);
    for (auto [argument, type] : llvm::zip_equal(block.getArguments(), types))
      argument.setType(type);
    unsigned count = carriers.size();
    Arrays carried = arraysOf(carriers, block.getArguments());
    for (const Padded &array : carried)
      if (array.isPadded())
        f.arrays.insert({array.value, array});
    if (failed(f.visit(block)))
      return failure();
    if (&to == &made.getCond())
      continue;
    Operation *end = block.getTerminator();
    PaddedTensors t(end);
    FailureOr<SmallVector<Value>> next =
        carriedValues(f, t, carriers, end->getOperands().take_front(count));
    if (failed(next))
      return failure();
    end->setOperands(*next);
  }
  return arraysOf(carriers, made->getResults());
}

Form choice(PaddedForm &f) {
  Operation *op = f.op;
  Carriers carriers;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    RankedTensorType declared = f.declared(i);
    Arrays yielded;
    for (Region &region : op->getRegions())
      yielded.push_back(f.at(region.front().getTerminator()->getOperand(i)));
    SmallVector<int64_t> shape, dims;
    for (int64_t dim = 0; dim < declared.getRank(); ++dim) {
      int64_t most = 0;
      bool isPadded = false;
      for (const Padded &array : yielded) {
        isPadded |= array.sizes[dim] || array.shape()[dim] != yielded[0].shape()[dim];
        most = std::max(most, array.shape()[dim]);
      }
      if (isPadded)
        dims.push_back(dim);
      shape.push_back(isPadded ? extentOf(declared, dim).value_or(most) : most);
    }
    carriers.push_back({declared, RankedTensorType::get(shape, declared.getElementType()), dims});
  }
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), typesOf(f.t, carriers),
                       op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *made = f.t.b.create(state);
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    to.takeBody(from);
    Operation *end = to.front().getTerminator();
    PaddedTensors t(end);
    FailureOr<SmallVector<Value>> values = carriedValues(f, t, carriers, end->getOperands());
    if (failed(values))
      return failure();
    end->setOperands(*values);
  }
  return arraysOf(carriers, made->getResults());
}

} // namespace systole::refine
