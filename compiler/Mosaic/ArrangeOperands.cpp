// Gives the operands and results of Mosaic kernels forms that DMA can copy blocks of.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Mosaic/Passes.h"
#include "compiler/Mosaic/TensorOps.h"
#include "compiler/Mosaic/Windows.h"
#include "compiler/Tensor/Tensors.h"
#include "dialects/Layout/ElementTypes.h"
#include "dialects/Mosaic/Mosaic.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ARRANGEMOSAICOPERANDS
#include "compiler/Mosaic/Passes.h.inc"

namespace {

using expansion::Tensors;

/// How an array lies for a kernel: padded to `shape`, then as panels, [..., C / 128, R, 128] for
/// [..., R, C], if these are wanted, with elements of another type in SMEM.
struct Form {
  SmallVector<int64_t> shape;
  bool isPanels = false;
  Type element;

  RankedTensorType type() const {
    if (!isPanels)
      return RankedTensorType::get(shape, element);
    SmallVector<int64_t> panels(ArrayRef(shape).drop_back(2));
    panels.append({shape.back() / kLanes, shape[shape.size() - 2], kLanes});
    return RankedTensorType::get(panels, element);
  }
  SmallVector<int64_t> padded(ArrayRef<int64_t> given) const {
    SmallVector<int64_t> high;
    for (auto [extent, wanted] : llvm::zip_equal(given, shape))
      high.push_back(wanted - extent);
    return high;
  }
};

kernel::BufferType bufferOf(RankedTensorType type) {
  return kernel::BufferType::get(type.getContext(), type.getShape(), type.getElementType(),
                                 kernel::Space::hbm);
}

bool startsAtWholeRows(const Form &form, ArrayRef<int64_t> block) {
  SmallVector<int64_t> parts(block);
  if (form.isPanels) {
    parts.assign(block.begin(), block.end() - 2);
    parts.append(
        {int64_t(llvm::divideCeil(block.back(), kLanes)), block[block.size() - 2], kLanes});
  }
  return kernel::startsAtWholeRows(bufferOf(form.type()), parts);
}

/// The form of an array of which a kernel sees blocks.
Form formOf(RankedTensorType array, const mosaic::Window &window, bool isRegular) {
  ArrayRef<int64_t> block = window.type.getShape();
  Form form{SmallVector<int64_t>(array.getShape()), false, array.getElementType()};
  if (block.size() != form.shape.size() || block.empty())
    return form;
  // A block is not larger than the array. What code computes names whole blocks.
  for (auto [extent, part] : llvm::zip_equal(form.shape, block))
    extent = isRegular ? std::max(extent, part) : int64_t(llvm::alignTo(extent, part));
  if (window.isElements || startsAtWholeRows(form, block))
    return form;
  int64_t packing = 32 / bufferOf(array).getStorageBits();
  if (block.back() < form.shape.back() && form.shape.size() >= 2) {
    form.isPanels = true;
    form.shape.back() = llvm::alignTo(form.shape.back(), kLanes);
  }
  // Rows that share one of 512 bytes belong to one index of the dimensions around them.
  for (size_t dim = form.shape.size() - 1; dim-- > 0 && !startsAtWholeRows(form, block);)
    form.shape[dim] = llvm::alignTo(form.shape[dim], packing);
  return form;
}

struct ArrangeMosaicOperands : impl::ArrangeMosaicOperandsBase<ArrangeMosaicOperands> {
  void rewrite() override {
    SmallVector<kernel::MosaicCallOp> calls;
    getOperation()->walk([&](kernel::MosaicCallOp call) { calls.push_back(call); });
    for (kernel::MosaicCallOp call : calls)
      if (failed(arrange(call)))
        return signalPassFailure();
  }

  LogicalResult arrange(kernel::MosaicCallOp call) {
    auto body = getOperation().lookupSymbol<ModuleOp>(call.getCalleeAttr().getAttr());
    if (!body)
      return success();
    if (failed(mosaic::checkCall(call, body)))
      return failure();
    MosaicKernel kernel = kernelOf(body);
    auto inputs = int64_t(call.getInputs().size());
    SmallVector<Form> forms;
    SmallVector<Type> arrays(call.getInputs().getTypes());
    llvm::append_range(arrays, call.getResultTypes());
    for (Type type : arrays) {
      auto array = cast<RankedTensorType>(type);
      forms.push_back({SmallVector<int64_t>(array.getShape()), false, array.getElementType()});
    }
    const bool isRegular = mosaic::hasAffineWindows(kernel, inputs);
    for (const mosaic::Window &window : mosaic::windowsOf(kernel, inputs)) {
      size_t number = window.number >= 0 ? window.number : inputs - 1 - window.number;
      // Truth values are integers in the kernel's memory.
      if (forms[number].element.isInteger(1))
        forms[number].element = mosaic::tensorType(window.type.getElementType()).getElementType();
      auto array = RankedTensorType::get(forms[number].shape, forms[number].element);
      auto space = dyn_cast_or_null<tpu::MemorySpaceAttr>(window.type.getMemorySpace());
      if (space && space.getValue() == tpu::MemorySpace::vmem && window.transform)
        forms[number] = formOf(array, window, isRegular);
      else if (space && space.getValue() == tpu::MemorySpace::smem)
        forms[number].element = mosaic::wordOf(array.getElementType());
      else if (mosaic::isCopiedInColumnTiles(window))
        forms[number].isPanels = bufferOf(array).getStorageBits() < 32;
    }
    for (int64_t number = 0;
         number < inputs - int64_t(kernel.windows) + int64_t(call.getNumResults()); ++number)
      forms[number].element = mosaic::wordOf(forms[number].element);
    // A result over an operand lies as that does.
    for (auto [result, alias] : llvm::enumerate(call.getAliases()))
      if (alias >= 0 &&
          failed(join(call, kernel, alias, forms[alias], int64_t(result), forms[inputs + result])))
        return failure();
    rewrite(call, forms);
    return success();
  }

  /// Gives an operand and the result over it one form, that of both windows.
  static LogicalResult join(kernel::MosaicCallOp call, const MosaicKernel &kernel, int64_t operand,
                            Form &form, int64_t result, Form &other) {
    for (auto [extent, wanted] : llvm::zip_equal(form.shape, other.shape))
      extent = std::max(extent, wanted);
    form.isPanels |= other.isPanels;
    if (form.isPanels)
      form.shape.back() = llvm::alignTo(form.shape.back(), kLanes);
    other = form;
    // Of arrays in HBM a kernel sees panels if it copies single ones.
    for (const mosaic::Window &window : mosaic::windowsOf(kernel, call.getInputs().size()))
      if (form.isPanels && (window.number == operand || window.number == -1 - result) &&
          mosaic::isInHbm(window) && !mosaic::mayBePanels(window))
        return emitUnimplemented(call.getLoc())
               << "operand " << operand << " of a Pallas kernel and result " << result
               << " over it are not supported where one has blocks of columns of " << form.element
               << " and the other is copied otherwise";
    return success();
  }

  void rewrite(kernel::MosaicCallOp call, ArrayRef<Form> forms) {
    Tensors t(call);
    SmallVector<Value> inputs;
    bool isChanged = false;
    for (auto [input, form] : llvm::zip(call.getInputs(), forms)) {
      Value value = t.convert(input, form.element);
      SmallVector<int64_t> high = form.padded(typeOf(value).getShape()), none(high.size(), 0);
      if (llvm::any_of(high, [](int64_t count) { return count > 0; }))
        value = t.pad(value, zero(t, form.element), none, high, none);
      if (form.isPanels)
        value = t.transpose(t.reshape(value, splitRows(form)), panelOrder(form));
      isChanged |= value != input;
      inputs.push_back(value);
    }
    SmallVector<Type> types;
    for (auto [result, form] :
         llvm::zip_equal(call.getOutputs(), forms.drop_front(inputs.size()))) {
      types.push_back(form.type());
      isChanged |= types.back() != result.getType();
    }
    if (!isChanged)
      return;
    auto arranged = kernel::MosaicCallOp::create(t.b, t.loc, types, inputs, call->getAttrs());
    SmallVector<Value> results;
    for (auto [result, value, form] : llvm::zip_equal(call.getOutputs(), arranged.getOutputs(),
                                                      forms.drop_front(inputs.size()))) {
      auto type = cast<RankedTensorType>(result.getType());
      Value rows = value;
      if (form.isPanels)
        rows = t.reshape(t.transpose(value, panelOrder(form)), form.shape);
      if (typeOf(rows).getShape() != type.getShape()) {
        SmallVector<int64_t> first(type.getRank(), 0), ones(type.getRank(), 1);
        rows = t.slice(rows, first, type.getShape(), ones);
      }
      results.push_back(t.convert(rows, type.getElementType()));
    }
    call->replaceAllUsesWith(results);
    call->erase();
  }

  static Value zero(Tensors &t, Type element) {
    return isa<FloatType>(element) ? t.real(element, 0) : t.number(element, 0);
  }
  static SmallVector<int64_t> splitRows(const Form &form) {
    SmallVector<int64_t> shape(form.shape);
    shape.back() /= kLanes;
    shape.push_back(kLanes);
    return shape;
  }
  /// Exchanges rows and panels.
  static SmallVector<int64_t> panelOrder(const Form &form) {
    auto rank = int64_t(form.shape.size()) + 1;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(order[rank - 3], order[rank - 2]);
    return order;
  }
};

} // namespace
} // namespace systole
