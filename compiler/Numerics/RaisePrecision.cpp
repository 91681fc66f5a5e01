// Computes some operations in a wider type.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Numerics/Passes.h"
#include "compiler/Numerics/WideTypes.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_RAISEPRECISION
#include "compiler/Numerics/Passes.h.inc"

namespace {

struct RaisePrecision : impl::RaisePrecisionBase<RaisePrecision> {
  using RaisePrecisionBase::RaisePrecisionBase;

  RaisePrecision(const RaiseOptions &options) {
    operations = options.operations;
    type = options.type;
  }

  void rewrite() override {
    OpBuilder b(&getContext());
    if (type != "f32" && type != "f64") {
      getOperation().emitError() << "'" << type << "' is neither f32 nor f64";
      return signalPassFailure();
    }
    const numerics::WideTypes types(type == "f64" ? FloatType(b.getF64Type())
                                                  : FloatType(b.getF32Type()));
    const SmallVector<Operation *> numbered = numerics::numberedOperations(getOperation());
    IRMapping wide;
    SmallVector<int64_t> inOrder(operations.begin(), operations.end());
    llvm::sort(inOrder);
    for (int64_t number : inOrder) {
      if (number < 0 || number >= int64_t(numbered.size())) {
        getOperation().emitError() << "there is no operation " << number;
        return signalPassFailure();
      }
      Operation *op = numbered[size_t(number)];
      if (!types.changes(op))
        continue;
      b.setInsertionPoint(op);
      SmallVector<Value> results = types.apply(b, op, wide);
      for (auto [result, original] : llvm::zip_equal(results, op->getResults())) {
        Value rounded = types.convert(b, op->getLoc(), result, original.getType());
        original.replaceAllUsesWith(rounded);
        wide.map(rounded, result);
      }
      op->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createRaisePrecision(const RaiseOptions &options) {
  return std::make_unique<RaisePrecision>(options);
}

} // namespace systole
