// Verifiers of the stages that sum products.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Bounds.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace systole::kernel;

/// Requirements of all products: memories, element types and passes.
template <typename Op> static LogicalResult verifyProduct(Op op) {
  for (Value operand : op->getOperands())
    if (cast<BufferType>(operand.getType()).getSpace() != Space::vmem)
      return op.emitOpError() << "expects buffers in vmem, found " << operand.getType();
  BufferType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(), out = op.getOut().getType();
  bool isFloat = isa<FloatType>(lhs.getElementType());
  if (isFloat != isa<FloatType>(rhs.getElementType()) || lhs.getElementType().isInteger(1) ||
      rhs.getElementType().isInteger(1))
    return op.emitOpError("expects two operands of floating point or two of integers");
  MLIRContext *context = op.getContext();
  Type expected = isFloat ? Type(Float32Type::get(context)) : Type(IntegerType::get(context, 32));
  bool fits = isFloat ? out.getElementType() == expected : out.getElementType().isInteger(32);
  if (!fits)
    return op.emitOpError() << "expects an output of " << expected << ", found "
                            << out.getElementType();
  if (!llvm::is_contained({1u, 3u, 6u}, op.getPrecision()))
    return op.emitOpError() << "expects a precision of 1, 3 or 6 passes, found "
                            << op.getPrecision();
  if (op.getOut() == op.getLhs() || op.getOut() == op.getRhs())
    return op.emitOpError("expects an output that is not an input");
  if (!op.getRounded())
    return success();
  BufferType rounded = cast<BufferType>(op.getRounded().getType());
  Type element = rounded.getElementType();
  if (rounded.getShape() != out.getShape() || !rounded.hasRowsOf(out) ||
      !(element.isBF16() || element.isF16()))
    return op.emitOpError()
           << "expects a rounded output of bf16 or f16 and the shape and rows of the sums, found "
           << rounded;
  auto isOnePass = [&](Type type) {
    return type.isBF16() || (type.isF32() && op.getPrecision() == 1);
  };
  if (!isOnePass(lhs.getElementType()) || !isOnePass(rhs.getElementType()))
    return op.emitOpError("expects a product of one pass beside a rounded output");
  if (llvm::is_contained({op.getLhs(), op.getRhs(), op.getOut()}, op.getRounded()))
    return op.emitOpError("expects a rounded output that is no other operand");
  return success();
}

LogicalResult DotOp::verify() {
  BufferType lhs = getLhs().getType(), rhs = getRhs().getType(), out = getOut().getType();
  int64_t rank = lhs.getRank();
  if (rank < 2 || rhs.getRank() != rank || out.getRank() != rank)
    return emitOpError() << "expects operands of one rank of at least 2, found " << lhs << ", "
                         << rhs << " and " << out;
  ArrayRef<int64_t> l = lhs.getShape(), r = rhs.getShape(), o = out.getShape();
  if (l.drop_back(2) != r.drop_back(2) || l.drop_back(2) != o.drop_back(2))
    return emitOpError() << "expects equal batch dimensions, found " << lhs << ", " << rhs
                         << " and " << out;
  int64_t k = r[rank - 2], n = r[rank - 1];
  if (getRhsTransposed())
    std::swap(k, n);
  if (l[rank - 1] != k || o[rank - 2] != l[rank - 2] || o[rank - 1] != n)
    return emitOpError() << "expects M x K times K x N to give M x N, found " << lhs << ", " << rhs
                         << " and " << out;
  return verifyProduct(*this);
}

//===----------------------------------------------------------------------===//
// contract
//===----------------------------------------------------------------------===//

namespace {

/// The coefficients of a map's results by dimension.
using Rows = SmallVector<SmallVector<int64_t>>;

/// One operand of a contraction, for its verifier.
struct Side {
  StringRef name;
  BufferType type;
  AffineMap map;
  Rows factors = {};

  bool has(unsigned dim) const { return map.isFunctionOfDim(dim); }
  bool hasAlongLanes(unsigned dim) const { return factors.back()[dim] != 0; }
};

} // namespace

static LogicalResult verifySide(ContractOp op, Side &side) {
  ArrayRef<int64_t> sizes = op.getSizes();
  AffineMap map = side.map;
  auto refuse = [&](const Twine &what) {
    return op.emitOpError() << "expects " << what << " of " << side.name << ", found "
                            << AffineMapAttr::get(map);
  };
  if (map.getNumDims() != sizes.size() || map.getNumSymbols() || side.type.getRank() == 0 ||
      static_cast<int64_t>(map.getNumResults()) != side.type.getRank())
    return refuse("one result per dimension");
  for (auto [d, result] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(result, sizes.size(), 0, &flat)) ||
        flat.size() != sizes.size() + 1)
      return refuse("sums of dimensions, with factors, and constants");
    bool isLanes = d + 1 == map.getNumResults();
    if (isLanes &&
        (flat.back() != 0 || llvm::any_of(flat, [](int64_t factor) { return factor < 0; })))
      return refuse("a sum of dimensions with factors of at least 0 along the lanes");
    flat.pop_back();
    side.factors.push_back(flat);
    if (llvm::is_contained(sizes, 0))
      continue;
    std::optional<Bounds> bounds = boundsOf(result, sizes);
    if (!bounds || bounds->min < 0 || bounds->max >= side.type.getShape()[d])
      return refuse("indices within dimension " + Twine(d));
  }
  return success();
}

/// k has the first lanes of lhs. It may be several dimensions, each of which counts whole groups of
/// eight of the next, and then has all.
static LogicalResult verifyDepth(ContractOp op, const Side &lhs, const Side &rhs) {
  ArrayRef<int64_t> sizes = op.getSizes(), factors = lhs.factors.back();
  SmallVector<unsigned> dims;
  for (auto [dim, factor] : llvm::enumerate(factors))
    if (factor)
      dims.push_back(dim);
  int64_t extent = lhs.type.getLaneCount();
  if (dims.size() == 1 && factors[dims[0]] == 1)
    return success();
  int64_t step = 1;
  bool isValid = dims.size() > 1 && extent <= systole::kLanes;
  for (unsigned dim : llvm::reverse(dims)) {
    isValid &= factors[dim] == step && !rhs.hasAlongLanes(dim);
    step = step == 1 ? (sizes[dim] + 7) / 8 * 8 : step * sizes[dim];
  }
  isValid &= extent <= step;
  if (!isValid)
    return op.emitOpError()
           << "expects the last result of the map of lhs to be k or, as long as lhs, "
              "runs of it in groups of eight, found "
           << AffineMapAttr::get(lhs.map);
  return success();
}

/// Every element of the output belongs to at most one index of its dimensions.
static LogicalResult verifyResults(ContractOp op, const Side &out) {
  llvm::SmallDenseSet<size_t> seen;
  for (auto [d, factors] : llvm::enumerate(out.factors)) {
    bool isLanes = d + 1 == out.factors.size();
    auto isOf = [](int64_t factor) { return factor != 0; };
    const int64_t *dim = llvm::find_if(factors, isOf);
    bool isValid =
        llvm::count_if(factors, isOf) == 1 && *dim > 0 && seen.insert(dim - factors.begin()).second;
    if (isValid && isLanes)
      isValid = *dim == 1 && op.getSizes()[dim - factors.begin()] == out.type.getLaneCount();
    if (!isValid)
      return op.emitOpError() << "expects the results of the map of out to be multiples of "
                                 "distinct dimensions, along the lanes one as long as out, found "
                              << op.getOutMapAttr();
  }
  return success();
}

static LogicalResult verifyLanes(ContractOp op, StringRef name, BufferType type,
                                 std::optional<ArrayRef<int64_t>> lanes) {
  if (!lanes)
    return success();
  const int64_t count = type.getRank() > 0 ? type.getLaneCount() : 0;
  if (count > systole::kLanes || lanes->size() != 2 || (*lanes)[0] < 0 ||
      (*lanes)[0] >= (*lanes)[1] || (*lanes)[1] > count)
    return op.emitOpError() << "expects a range of at most 128 lanes of " << name << ", which has "
                            << count;
  return success();
}

LogicalResult ContractOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  if (failed(verifyLanes(*this, "lhs", getLhs().getType(), getLhsLanes())) ||
      failed(verifyLanes(*this, "out", getOut().getType(), getOutLanes())))
    return failure();
  ArrayRef<int64_t> sizes = getSizes();
  if (llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return emitOpError("expects sizes of at least 0");
  Side lhs{"lhs", getLhs().getType(), getLhsMap()}, rhs{"rhs", getRhs().getType(), getRhsMap()};
  Side out{"out", getOut().getType(), getOutMap()};
  for (Side *side : {&lhs, &rhs, &out})
    if (failed(verifySide(*this, *side)))
      return failure();

  if (failed(verifyResults(*this, out)))
    return failure();
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isK = lhs.hasAlongLanes(dim), isN = out.hasAlongLanes(dim);
    if ((isK && (out.has(dim) || !rhs.has(dim))) || (isN && (lhs.has(dim) || !rhs.has(dim))) ||
        (rhs.hasAlongLanes(dim) && !isK && !isN))
      return emitOpError() << "expects k along the lanes of lhs, n along those of out and one of "
                              "them along those of rhs, found dimension "
                           << dim << " elsewhere";
    // A dimension of k or n indexes nothing but the rows or the lanes of rhs.
    auto isElsewhere = [&](const Side &side) {
      return llvm::any_of(ArrayRef(side.factors).drop_back(),
                          [&](ArrayRef<int64_t> factors) { return factors[dim] != 0; });
    };
    if ((isK && isElsewhere(lhs)) || (isN && isElsewhere(out)) ||
        (rhs.hasAlongLanes(dim) && (isElsewhere(rhs) || rhs.factors.back()[dim] != 1)))
      return emitOpError() << "expects dimension " << dim
                           << " along lanes to be no other index of the same buffer";
  }
  return verifyDepth(*this, lhs, rhs);
}
