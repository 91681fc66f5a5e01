// Orders of dimensions, and what they cost.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Layout/Order.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Layout/RowLayout.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace systole {

Order rowMajor(int64_t rank) { return llvm::to_vector<4>(llvm::seq<int64_t>(0, rank)); }

bool isRowMajor(ArrayRef<int64_t> order) {
  return llvm::equal(order, llvm::seq<int64_t>(0, order.size()));
}

bool takesRowMajor(Operation *op) {
  // Blocks of an exchange are rows of memory, one behind the other; kernels of the program name
  // dimensions.
  return isa<kernel::ExchangeOp, kernel::MosaicCallOp>(op);
}

Order compactRowMajor(RankedTensorType type) {
  Order order = rowMajor(type.getRank());
  auto last =
      llvm::find_if(llvm::reverse(order), [&](int64_t d) { return type.getDimSize(d) != 1; });
  if (last != order.rend())
    std::rotate(last.base() - 1, last.base(), order.end());
  return order;
}

Order inverse(ArrayRef<int64_t> order) {
  Order places(order.size());
  for (auto [place, d] : llvm::enumerate(order))
    places[d] = place;
  return places;
}

Order preferredOrder(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  std::vector<int64_t> minorToMajor = entryOrder({shape.data(), shape.size()});
  return llvm::to_vector<4>(llvm::reverse(minorToMajor));
}

int64_t entryTileOf(RankedTensorType type, ArrayRef<int64_t> order) {
  ArrayRef<int64_t> shape = type.getShape();
  return isRowMajor(order) ? entryTile({shape.data(), shape.size()}) : 1;
}

FailureOr<Order> entryOrderOf(DictionaryAttr attributes, RankedTensorType type,
                              function_ref<InFlightDiagnostic()> emitError) {
  auto mode = attributes ? attributes.getAs<StringAttr>("mhlo.layout_mode") : nullptr;
  if (!mode || mode == "default" || mode == "auto")
    return preferredOrder(type);
  StringRef text = mode.getValue();
  auto [list, tile] = text.split(':');
  SmallVector<StringRef> numbers;
  bool isOrder = list.consume_front("{") && text.ends_with("}");
  if (tile.empty())
    list.consume_back("}");
  if (!list.empty())
    list.split(numbers, ',');
  Order order;
  SmallVector<bool> seen(type.getRank());
  for (StringRef number : llvm::reverse(numbers)) {
    int64_t d = 0;
    isOrder &= !number.trim().getAsInteger(10, d) && d >= 0 && d < type.getRank() && !seen[d];
    if (!isOrder)
      break;
    seen[d] = true;
    order.push_back(d);
  }
  if (!isOrder || int64_t(order.size()) != type.getRank())
    return emitError() << "the layout '" << text << "' is no order of the dimensions of " << type;
  std::string whole;
  llvm::raw_string_ostream(whole) << kernel::LayoutAttr::inOrder(type.getElementType(), order,
                                                                 entryTileOf(type, order));
  if (!tile.empty() && !StringRef(whole).contains(":" + tile.str()))
    return emitError() << "the layout '" << text << "' of " << type
                       << " has tiles that are not supported; '" << whole << "' is";
  return order;
}

RankedTensorType physicalType(RankedTensorType type, ArrayRef<int64_t> order) {
  return type.clone(inOrder(type.getShape(), order));
}

RankedTensorType logicalType(RankedTensorType physical, ArrayRef<int64_t> order) {
  return physicalType(physical, inverse(order));
}

Order withoutUnits(RankedTensorType type, ArrayRef<int64_t> order) {
  return llvm::to_vector<4>(
      llvm::make_filter_range(order, [&](int64_t d) { return type.getDimSize(d) != 1; }));
}

int64_t bytesIn(RankedTensorType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> minorToMajor(llvm::reverse(order));
  int bits = std::max(8u, type.getElementTypeBitWidth());
  return physicalRows(type.getShape(), minorToMajor, bits) * kRowBytes;
}

int64_t relayoutBytes(RankedTensorType type, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from == to)
    return 0;
  if (withoutUnits(type, from) == withoutUnits(type, to) &&
      type.getDimSize(from.back()) == type.getDimSize(to.back()))
    return 0;
  return bytesIn(type, from) + bytesIn(type, to);
}

} // namespace systole
