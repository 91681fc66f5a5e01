// Recreates CHLO operations from the custom calls that encode them in portable artifacts.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "dialects/CHLO/CHLO.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RECOMPOSECHLO
#include "compiler/Import/Passes.h.inc"

namespace {

using stablehlo::CustomCallOp;

/// Unary and binary functions without attributes.
constexpr StringLiteral kFunctions[] = {
    "acos",   "acosh",      "asin",      "asinh",   "atan",   "atanh",  "bessel_i1e", "conj",
    "cosh",   "digamma",    "erf",       "erf_inv", "erfc",   "is_inf", "is_neg_inf", "is_pos_inf",
    "lgamma", "next_after", "polygamma", "sinh",    "square", "tan",    "zeta"};

/// The operation that a call of `mhlo.` and `name` encodes, with its attributes; "" if there is
/// none.
std::string operationOf(StringRef name, DictionaryAttr given, Builder &b,
                        SmallVectorImpl<NamedAttribute> &attributes) {
  if (llvm::is_contained(kFunctions, name))
    return ("chlo." + name).str();
  auto k = given ? dyn_cast_or_null<IntegerAttr>(given.get("k")) : IntegerAttr();
  auto largest = given ? dyn_cast_or_null<BoolAttr>(given.get("largest")) : BoolAttr();
  if (name != "topk" || !k || !k.getType().isInteger(64) || (largest && !largest.getValue()))
    return "";
  attributes.push_back(b.getNamedAttr("k", k));
  return "chlo.top_k";
}

struct RecomposeChlo : impl::RecomposeChloBase<RecomposeChlo> {
  void rewrite() override {
    WalkResult walk = getOperation().walk([](CustomCallOp call) {
      StringRef name = call.getCallTargetName();
      if (!name.consume_front("mhlo."))
        return WalkResult::advance();
      OpBuilder b(call);
      SmallVector<NamedAttribute> attributes;
      OperationName known(
          operationOf(name, call->getAttrOfType<DictionaryAttr>("mhlo.attributes"), b, attributes),
          call.getContext());
      if (!known.isRegistered())
        return WalkResult::advance();
      OperationState state(call.getLoc(), known);
      state.addOperands(call.getOperands());
      state.addTypes(call.getResultTypes());
      state.addAttributes(attributes);
      Operation *made = b.create(state);
      if (failed(verify(made)))
        return WalkResult::interrupt();
      call.replaceAllUsesWith(made->getResults());
      call.erase();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace systole
