// Reads the Pallas kernels that a program brings along.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Config.h"
#include "compiler/Import/Mosaic/Kernel.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"
#include "compiler/Import/Passes.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_IMPORTMOSAIC
#include "compiler/Import/Passes.h.inc"

namespace {

using stablehlo::CustomCallOp;

constexpr llvm::StringLiteral kTarget = "tpu_custom_call";

struct ImportMosaic : impl::ImportMosaicBase<ImportMosaic> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ImportMosaicBase::getDependentDialects(registry);
    registerMosaicDialects(registry);
  }

  void rewrite() override {
    SmallVector<CustomCallOp> calls;
    getOperation()->walk([&](CustomCallOp op) {
      if (op.getCallTargetName() == kTarget)
        calls.push_back(op);
    });
    for (CustomCallOp op : calls)
      if (failed(import(op)))
        return signalPassFailure();
  }

  LogicalResult import(CustomCallOp op) {
    auto text = dyn_cast_or_null<StringAttr>(op.getBackendConfigAttr());
    if (!text)
      return op.emitError("expects the configuration of a Pallas kernel as a string");
    FailureOr<MosaicConfig> config = readMosaicConfig(text.getValue(), op.getLoc());
    if (failed(config))
      return failure();
    // Equal calls, as of one layer in a model of many, share a kernel.
    ModuleOp &kernel = kernels[text.getValue()];
    if (!kernel) {
      FailureOr<OwningOpRef<ModuleOp>> read = readMosaic(config->body, op.getLoc());
      if (failed(read))
        return failure();
      auto named = op->getAttrOfType<StringAttr>("kernel_name");
      StringRef name = named ? named.getValue() : kernelOf(**read).function.getSymName();
      kernel = read->release();
      kernel.setSymName(name.empty() ? "kernel" : name);
      SymbolTable(getOperation()).insert(kernel);
    }
    if (config->hasCommunication)
      return emitUnimplemented(op) << "Pallas kernel '" << kernel.getSymName()->str()
                                   << "' communicates with other devices, which is not supported";
    SmallVector<int64_t> aliases(op.getNumResults(), -1);
    if (ArrayAttr list = op.getOutputOperandAliasesAttr())
      for (auto alias : list.getAsRange<stablehlo::OutputOperandAliasAttr>()) {
        ArrayRef<int64_t> result = alias.getOutputTupleIndices();
        int64_t number = result.empty() ? 0 : result.front();
        if (number < 0 || number >= int64_t(aliases.size()))
          return op.emitError() << "names result " << number << " of " << aliases.size();
        aliases[number] = alias.getOperandIndex();
      }
    OpBuilder b(op);
    auto limit =
        config->vmemLimitBytes ? b.getI64IntegerAttr(*config->vmemLimitBytes) : IntegerAttr();
    auto call = kernel::MosaicCallOp::create(
        b, op.getLoc(), op.getResultTypes(), op.getInputs(),
        FlatSymbolRefAttr::get(kernel.getSymNameAttr()), b.getDenseI64ArrayAttr(aliases),
        op.getHasSideEffect() ? b.getUnitAttr() : UnitAttr(), limit,
        config->cost ? b.getI64IntegerAttr(config->cost->flops) : IntegerAttr(),
        config->cost ? b.getI64IntegerAttr(config->cost->bytesAccessed) : IntegerAttr());
    op.replaceAllUsesWith(call.getOutputs());
    op.erase();
    return success();
  }

  llvm::StringMap<ModuleOp> kernels;
};

} // namespace
} // namespace systole
