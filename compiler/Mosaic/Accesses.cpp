// Loads and stores of Mosaic kernels, and the refs that they name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Mosaic/Translator.h"
#include "dialects/Mosaic/Mosaic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::mosaic {

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

/// A box under another shape: a view of the buffer in which the dimensions that the box has as a
/// whole are those of `shape`, behind others of which it has one index. Nothing if rows would move.
static std::optional<Ref> reshape(OpBuilder &b, Location loc, const Ref &ref,
                                  ArrayRef<int64_t> shape) {
  kernel::BufferType type = ref.type();
  SmallVector<int64_t> box = ref.box();
  int64_t leading = type.getRank();
  while (leading > 0 && box[leading - 1] == type.getShape()[leading - 1] &&
         ref.first[leading - 1] == Index())
    --leading;
  bool isOne =
      llvm::all_of(ArrayRef(box).take_front(leading), [](int64_t size) { return size == 1; });
  if (ref.isPanels || ref.counted >= 0 || !isOne || type.getSpace() == kernel::Space::smem)
    return std::nullopt;
  SmallVector<int64_t> sizes(type.getShape().take_front(leading));
  sizes.append(shape.begin(), shape.end());
  if (ref.viewed) {
    // Elements that share a word are rows on both sides.
    if (shape.size() < 2 || box.size() < 2 || sizes.end()[-2] % ref.rowsOfMemref() != 0 ||
        sizes.back() != type.getShape().back())
      return std::nullopt;
    sizes.end()[-2] = sizes.end()[-2] * ref.rowsOfBuffer() / ref.rowsOfMemref();
  }
  auto view =
      kernel::BufferType::get(b.getContext(), sizes, type.getElementType(), type.getSpace());
  int64_t lanes = view.getLaneCount(), given = type.getLaneCount();
  if (!(lanes == given || (lanes % kLanes == 0 && given % kLanes == 0)) || !view.hasRowsOf(type))
    return std::nullopt;
  Ref result = Ref::whole(kernel::ViewOp::create(b, loc, view, ref.buffer));
  result.viewed = ref.viewed;
  result.shape.assign(shape.begin(), shape.end());
  result.dimOf = llvm::to_vector(llvm::seq(leading, int64_t(sizes.size())));
  std::copy(ref.first.begin(), ref.first.begin() + leading, result.first.begin());
  return result;
}

LogicalResult AccessTranslator::visitRef(Operation *op) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (isa<memref::AllocaOp>(op)) {
    auto space = dyn_cast_or_null<tpu::MemorySpaceAttr>(type.getMemorySpace());
    bool isSmem = space && space.getValue() == tpu::MemorySpace::smem;
    if (!space || (!isSmem && space.getValue() != tpu::MemorySpace::vmem))
      return emitUnsupported(op);
    Type element = type.getElementType();
    auto buffer =
        isSmem ? kernel::BufferType::get(b.getContext(), type.getShape(), wordOf(element),
                                         kernel::Space::smem)
               : kernel::BufferType::get(b.getContext(), type.getShape(),
                                         tensorType(element).getElementType(), kernel::Space::vmem);
    translator.bind(op->getResult(0), Ref::whole(kernel::AllocOp::create(b, loc, buffer)));
    return success();
  }
  if (isa<tpu::AllocaSemaphoreOp>(op)) {
    translator.bind(op->getResult(0), Ref::whole(allocateSemaphores(b, loc, type)));
    return success();
  }
  auto it = op->getNumOperands() ? values.refs.find(op->getOperand(0)) : values.refs.end();
  if (it == values.refs.end())
    return emitUnsupported(op);
  const Ref source = it->second;
  if (auto slice = dyn_cast<tpu::MemRefSliceOp>(op)) {
    if (slice.getDynamicSizes().size() > 1)
      return emitUnsupported(op, " with several sizes that are computed");
    SmallVector<int64_t> sizes(type.getShape());
    auto *counted = llvm::find(sizes, ShapedType::kDynamic);
    Value count;
    if (counted != sizes.end()) {
      *counted = source.shape[counted - sizes.begin()];
      count = scalar(slice.getDynamicSizes().front());
      if (!count)
        return failure();
      // Elements that share a word, and panels, have sizes that are known.
      if (source.viewed || source.isPanels || counted + 1 == sizes.end())
        return emitUnsupported(op, " of a size that is computed");
    }
    SmallVector<Index> begin;
    for (Value index : slice.getBaseIdx()) {
      Value word = scalar(index);
      if (!word)
        return failure();
      begin.push_back(indexOf(word));
    }
    if (!source.hasSlice(begin, sizes))
      return emitUnsupported(op);
    Ref part = source.slice(b, loc, begin, sizes);
    if (count) {
      part.counted = counted - sizes.begin();
      part.count = count;
    }
    translator.bind(slice.getResult(), part);
    return success();
  }
  if (isa<tpu::EraseLayoutOp>(op)) {
    translator.bind(op->getResult(0), source);
    return success();
  }
  if (isa<tpu::MemRefSqueezeOp>(op))
    if (std::optional<Ref> squeezed = source.squeeze(type.getShape())) {
      translator.bind(op->getResult(0), *squeezed);
      return success();
    }
  // Memory holds integers of 2 or 4 bits each in a byte, not several in one.
  auto bitsOf = [](Type memref) {
    return cast<MemRefType>(memref).getElementType().getIntOrFloatBitWidth();
  };
  if (isa<tpu::MemRefBitcastOp>(op) &&
      (bitsOf(type) == bitsOf(op->getOperand(0).getType()) ||
       (bitsOf(type) >= 8 && bitsOf(op->getOperand(0).getType()) >= 8))) {
    if (std::optional<Ref> cast = source.bitcast(type.getElementType(), type.getShape())) {
      translator.bind(op->getResult(0), *cast);
      return success();
    }
  }
  if (isa<tpu::MemRefReshapeOp>(op))
    if (std::optional<Ref> reshaped = reshape(b, loc, source, type.getShape())) {
      translator.bind(op->getResult(0), *reshaped);
      return success();
    }
  return emitUnsupported(op);
}

std::optional<Ref> AccessTranslator::boxOf(Operation *op, Value memref, ValueRange indices,
                                           ArrayRef<int64_t> sizes) {
  auto it = values.refs.find(memref);
  if (it == values.refs.end()) {
    emitUnsupported(op);
    return std::nullopt;
  }
  const Ref ref = it->second;
  SmallVector<Index> begin;
  for (Value index : indices) {
    Value word = scalar(index);
    if (!word)
      return std::nullopt;
    begin.push_back(indexOf(word));
  }
  // A vector of lower rank lies along the last dimensions.
  SmallVector<int64_t> all(ref.shape.size() - sizes.size(), 1);
  all.append(sizes.begin(), sizes.end());
  if (!ref.hasSlice(begin, all)) {
    if (!ref.isPanels) {
      emitUnsupported(op);
      return std::nullopt;
    }
    emitUnimplemented(op)
        << "an access to columns that do not begin and end at multiples of 128 is "
           "not supported where the grid divides the columns of an array of "
        << ref.type().getElementType();
    return std::nullopt;
  }
  return ref.slice(b, op->getLoc(), begin, all);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// The offsets of a box as scalars; none if they are all 0.
static SmallVector<Value> offsetsOf(OpBuilder &b, Location loc, const Ref &box) {
  SmallVector<Value> offsets;
  if (llvm::any_of(box.first, [](const Index &index) { return index != Index(); }))
    for (const Index &index : box.first)
      offsets.push_back(materialize(b, loc, index));
  return offsets;
}

/// How a copy steps through a box: from an index within `sizes` to one of the buffer, but for where
/// the box begins.
namespace {
struct Steps {
  SmallVector<int64_t> sizes;
  AffineMap map;
};
} // namespace

/// `strides` are those of the memref's dimensions. Rows of the buffer that are one of the memref
/// follow one another: they have a dimension of their own.
static Steps stepsOf(OpBuilder &b, const Ref &box, ArrayRef<int64_t> strides) {
  const int64_t rank = box.type().getRank(), several = box.rowsOfBuffer();
  Steps steps{box.box(), {}};
  SmallVector<AffineExpr> results;
  for (int64_t dim = 0; dim < rank; ++dim)
    results.push_back(b.getAffineDimExpr(dim + (several > 1 && dim == rank - 1)));
  for (auto [dim, stride] : llvm::zip(box.dimOf, strides))
    if (dim >= 0)
      results[dim] = results[dim] * stride;
  if (several > 1) {
    results[rank - 2] = results[rank - 2] * several + b.getAffineDimExpr(rank - 1);
    steps.sizes[rank - 2] /= several;
    steps.sizes.insert(steps.sizes.end() - 1, several);
  }
  steps.map = AffineMap::get(int64_t(steps.sizes.size()), 0, results, b.getContext());
  return steps;
}

static bool hasStride(ArrayRef<int64_t> strides) {
  return llvm::any_of(strides, [](int64_t stride) { return stride != 1; });
}

/// The tensor of an array in panels, [..., C / 128, R, 128], as [..., R, C].
static Value fromPanels(Tensors &t, Value panels) {
  auto type = cast<RankedTensorType>(panels.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 3], order[rank - 2]);
  SmallVector<int64_t> shape(type.getShape().drop_back(3));
  shape.append({type.getDimSize(rank - 2), type.getDimSize(rank - 3) * type.getDimSize(rank - 1)});
  return t.reshape(t.transpose(panels, order), shape);
}

static Value toPanels(Tensors &t, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t rank = type.getRank() + 1;
  SmallVector<int64_t> split(type.getShape().drop_back());
  split.append({type.getShape().back() / kLanes, kLanes});
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 3], order[rank - 2]);
  return t.transpose(t.reshape(rows, split), order);
}

/// `elements` with the elements of `wanted`: the same bits, or converted between i1 and integers.
static Value inMemory(Tensors &t, Value elements, Type wanted) {
  Type given = cast<RankedTensorType>(elements.getType()).getElementType();
  if (given == wanted)
    return elements;
  if (given.getIntOrFloatBitWidth() == wanted.getIntOrFloatBitWidth())
    return t.bitcast(elements, wanted);
  return t.convert(elements, wanted);
}

Value AccessTranslator::read(Location loc, const Ref &accessed, ArrayRef<int64_t> strides,
                             RankedTensorType type) {
  const Ref box = hasStride(strides) ? accessed : parts.take(b, loc, accessed);
  // Memory has the array's elements: unsigned ones, or the same bits.
  Type element = box.type().getElementType();
  auto shaped = [&](Value elements) -> Value {
    Tensors t = tensors(loc);
    elements = t.reshape(elements, box.box());
    elements = inMemory(t, box.viewed ? bitcastRows(t, elements, element, box.viewed) : elements,
                        type.getElementType());
    if (box.isPanels)
      elements = fromPanels(t, elements);
    return t.reshape(elements, type.getShape());
  };
  if (!hasStride(strides))
    if (Value known = segment.stored(box))
      return shaped(known);
  if (segment.writes(box.buffer) && failed(flush(loc)))
    return nullptr;
  if (box.isWhole() && !hasStride(strides))
    return shaped(segment.read(loc, box.buffer, RankedTensorType::get(box.box(), element)));
  Steps steps = stepsOf(b, box, strides);
  Value part = allocate(loc, steps.sizes, element);
  kernel::CopyOp::create(b, loc, box.buffer, part, offsetsOf(b, loc, box), ValueRange(),
                         steps.sizes, steps.map, b.getMultiDimIdentityMap(steps.sizes.size()));
  return shaped(segment.read(loc, part, RankedTensorType::get(steps.sizes, element)));
}

Value AccessTranslator::allocate(Location loc, ArrayRef<int64_t> shape, Type element) {
  return kernel::AllocOp::create(
      b, loc, kernel::BufferType::get(b.getContext(), shape, element, kernel::Space::vmem));
}

/// A vector as the elements of a box of memory.
static Value asElements(Tensors &t, Value tensor, const Ref &box) {
  SmallVector<int64_t> shape = box.box();
  Type element = box.type().getElementType();
  if (!box.viewed)
    tensor = inMemory(t, tensor, element);
  else if (box.rowsOfBuffer() > 1)
    shape.end()[-2] /= box.rowsOfBuffer();
  else
    shape.end()[-2] *= box.rowsOfMemref();
  if (box.isPanels) {
    SmallVector<int64_t> rows(shape);
    rows.erase(rows.end() - 3);
    rows.back() *= shape.end()[-3];
    tensor = toPanels(t, t.reshape(tensor, rows));
  } else {
    tensor = t.reshape(tensor, shape);
  }
  return box.viewed ? bitcastRows(t, tensor, box.viewed, element) : tensor;
}

LogicalResult AccessTranslator::copyOut(Location loc, Value elements, const Ref &box,
                                        ArrayRef<int64_t> strides) {
  Steps steps = stepsOf(b, box, strides);
  Tensors t = tensors(loc);
  elements = t.reshape(elements, steps.sizes);
  Value source = allocate(loc, steps.sizes, typeOf(elements).getElementType());
  segment.store(loc, elements, Ref::whole(source));
  if (failed(flush(loc)))
    return failure();
  kernel::CopyOp::create(b, loc, source, box.buffer, ValueRange(), offsetsOf(b, loc, box),
                         steps.sizes, b.getMultiDimIdentityMap(steps.sizes.size()), steps.map);
  return success();
}

LogicalResult AccessTranslator::write(Location loc, Value tensor, Type element, const Ref &accessed,
                                      ArrayRef<int64_t> strides) {
  const Ref box = hasStride(strides) ? accessed : parts.take(b, loc, accessed);
  Tensors t = tensors(loc);
  // Memory holds integers of less than a byte with their sign, or zeros, above them.
  if (isSmall(element) && element.isInteger() && box.type().getStorageBits() == 8)
    tensor = extendSmall(t, tensor, element.getIntOrFloatBitWidth(),
                         !box.type().getElementType().isUnsignedInteger());
  Value elements = asElements(t, tensor, box);
  if (hasStride(strides))
    return copyOut(loc, elements, box, strides);
  // Live values that are still to be computed must not read what is replaced.
  SmallVector<Value> others;
  for (auto &[value, other] : values.tensors)
    if (other != elements && other != tensor && translator.isNeeded(value))
      others.push_back(other);
  if (segment.writes(box.buffer) ||
      (segment.reads(box.buffer) && !segment.mayStore(elements, box, others)))
    return copyOut(loc, elements, box, {});
  const bool replaces = segment.reads(box.buffer);
  segment.store(loc, elements, box);
  return replaces ? flush(loc, /*mayShare=*/true) : success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult AccessTranslator::loadElement(Operation *op) {
  auto load = cast<memref::LoadOp>(op);
  SmallVector<int64_t> ones(load.getMemRefType().getRank(), 1);
  std::optional<Ref> box = boxOf(op, load.getMemRef(), load.getIndices(), ones);
  if (!box)
    return failure();
  Value result = load.getResult();
  Type element = result.getType();
  if (box->type().getSpace() == kernel::Space::vmem) {
    Value value = read(op->getLoc(), *box, {}, RankedTensorType::get({}, element));
    values.tensors[result] = value;
    return success(bool(value));
  }
  if (box->type().getSpace() != kernel::Space::smem)
    return emitUnsupported(op);
  SmallVector<Value> indices;
  for (const Index &index : box->first)
    indices.push_back(materialize(b, op->getLoc(), index));
  Value word = kernel::LoadScalarOp::create(b, op->getLoc(), b.getI32Type(), box->buffer, indices);
  if (element.isF32()) {
    values.words[result] = word;
  } else if (isa<FloatType>(element)) {
    // SMEM holds numbers of f32, and the bits of floats of a byte.
    Tensors t = tensors(op->getLoc());
    Value stored = segment.read(word);
    values.tensors[result] = isSmall(element)
                                 ? t.convert(stored, tensorType(element).getElementType())
                                 : t.convert(t.bitcast(stored, b.getF32Type()), element);
  } else if (element.isInteger(1)) {
    values.scalars[result] = arith::TruncIOp::create(b, op->getLoc(), b.getI1Type(), word);
  } else if (isa<IntegerType>(element)) {
    values.scalars[result] = word;
  } else {
    return emitUnsupported(op);
  }
  return success();
}

LogicalResult AccessTranslator::storeElement(Operation *op) {
  auto store = cast<memref::StoreOp>(op);
  SmallVector<int64_t> ones(store.getMemRefType().getRank(), 1);
  std::optional<Ref> box = boxOf(op, store.getMemRef(), store.getIndices(), ones);
  if (!box)
    return failure();
  if (box->type().getSpace() == kernel::Space::vmem) {
    Value value = tensor(store.getValueToStore());
    return value ? write(op->getLoc(), value, store.getValueToStore().getType(), *box, {})
                 : failure();
  }
  if (box->type().getSpace() != kernel::Space::smem)
    return emitUnsupported(op);
  Value word = values.words.lookup(store.getValueToStore());
  if (!word)
    word = scalar(store.getValueToStore());
  if (!word)
    return failure();
  if (word.getType().isInteger(1))
    word = arith::ExtUIOp::create(b, op->getLoc(), b.getI32Type(), word);
  SmallVector<Value> indices;
  for (const Index &index : box->first)
    indices.push_back(materialize(b, op->getLoc(), index));
  kernel::StoreScalarOp::create(b, op->getLoc(), word, box->buffer, indices);
  return success();
}

LogicalResult AccessTranslator::visit(Operation *op) {
  Location loc = op->getLoc();
  auto load = [&](Value base, ValueRange indices, ArrayRef<int32_t> strides) -> LogicalResult {
    RankedTensorType type = tensorType(op->getResult(0).getType());
    std::optional<Ref> box = boxOf(op, base, indices, type.getShape());
    if (!box)
      return failure();
    if (box->type().getSpace() != kernel::Space::vmem)
      return emitUnsupported(op);
    Value value = read(loc, *box, SmallVector<int64_t>(strides), type);
    values.tensors[op->getResult(0)] = value;
    return success(bool(value));
  };
  auto store = [&](Value stored, Value base, ValueRange indices, ArrayRef<int32_t> strides,
                   Value mask, bool adds) -> LogicalResult {
    RankedTensorType type = tensorType(stored.getType());
    std::optional<Ref> box = boxOf(op, base, indices, type.getShape());
    Value value = box ? tensor(stored) : Value();
    if (!value)
      return failure();
    if (box->type().getSpace() != kernel::Space::vmem)
      return emitUnsupported(op);
    SmallVector<int64_t> steps(strides);
    if (mask || adds) {
      Value old = read(loc, *box, steps, type);
      Value where = mask ? tensor(mask) : Value();
      value = tensor(stored);
      if (!old || !value || (mask && !where))
        return failure();
      Tensors t = tensors(loc);
      if (adds)
        value = t.apply<stablehlo::AddOp>(old, value);
      if (mask)
        value = t.select(where, value, old);
    }
    return write(loc, value, getElementTypeOrSelf(stored.getType()), *box, steps);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp) { return loadElement(op); })
      .Case([&](memref::StoreOp) { return storeElement(op); })
      .Case([&](vector::LoadOp access) { return load(access.getBase(), access.getIndices(), {}); })
      .Case([&](tpu::VectorLoadOp access) {
        if (access.getMask())
          return LogicalResult(emitUnsupported(op));
        return load(access.getBase(), access.getIndices(), access.getStrides());
      })
      .Case([&](tpu::StridedLoadOp access) {
        return load(access.getBase(), access.getIndices(), access.getStrides());
      })
      .Case([&](vector::StoreOp access) {
        return store(access.getValueToStore(), access.getBase(), access.getIndices(), {}, nullptr,
                     false);
      })
      .Case([&](tpu::VectorStoreOp access) {
        return store(access.getValueToStore(), access.getBase(), access.getIndices(),
                     access.getStrides(), access.getMask(), access.getAdd());
      })
      .Case([&](tpu::StridedStoreOp access) {
        return store(access.getValueToStore(), access.getBase(), access.getIndices(),
                     access.getStrides(), nullptr, false);
      })
      .Default([&](Operation *) { return TransferTranslator(translator).visit(op); });
}

} // namespace systole::mosaic
