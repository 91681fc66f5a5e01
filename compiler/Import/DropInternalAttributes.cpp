// Removes attributes of the compiler's own dialects from an imported program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_DROPINTERNALATTRIBUTES
#include "compiler/Import/Passes.h.inc"

namespace {

bool isInternal(NamedAttribute attribute) {
  StringRef dialect = attribute.getName().getValue().split('.').first;
  return attribute.getName().size() > dialect.size() &&
         llvm::is_contained({"core", "kernel", "systole"}, dialect);
}

/// The dictionaries of arguments or results without internal attributes; null if all are empty.
SmallVector<Attribute> without(ArrayAttr entries) {
  SmallVector<Attribute> kept;
  bool isChanged = false;
  if (!entries)
    return kept;
  for (auto entry : entries.getAsRange<DictionaryAttr>()) {
    SmallVector<NamedAttribute> attributes(
        llvm::make_filter_range(entry, [](NamedAttribute a) { return !isInternal(a); }));
    isChanged |= attributes.size() != entry.size();
    kept.push_back(DictionaryAttr::get(entry.getContext(), attributes));
  }
  return isChanged ? kept : SmallVector<Attribute>();
}

struct DropInternalAttributes : impl::DropInternalAttributesBase<DropInternalAttributes> {
  void rewrite() override {
    Builder b(&getContext());
    getOperation()->walk([&](Operation *op) {
      for (NamedAttribute attribute :
           llvm::to_vector(llvm::make_filter_range(op->getDiscardableAttrs(), isInternal)))
        op->removeDiscardableAttr(attribute.getName());
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        return;
      if (auto kept = without(function.getArgAttrsAttr()); !kept.empty())
        function.setArgAttrsAttr(b.getArrayAttr(kept));
      if (auto kept = without(function.getResAttrsAttr()); !kept.empty())
        function.setResAttrsAttr(b.getArrayAttr(kept));
    });
  }
};

} // namespace
} // namespace systole
