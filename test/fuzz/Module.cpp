// From bytes to one function of supported operations and types, with all verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Module.h"

#include "compiler/Import/Passes.h"
#include "dialects/CHLO/CHLO.h"
#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/VHLO/VHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <optional>

using namespace mlir;

namespace systole::fuzz {

namespace {

/// Creating a context takes longer than most inputs, but attributes and types accumulate in it.
constexpr unsigned kInputsOfAContext = 200;

MLIRContext &context() {
  static DialectRegistry registry = [] {
    DialectRegistry dialects;
    dialects.insert<func::FuncDialect, chlo::CHLODialect, stablehlo::StableHLODialect,
                    vhlo::VhloDialect, sdy::SdyDialect>();
    return dialects;
  }();
  static std::optional<MLIRContext> current;
  static unsigned inputs = 0;
  if (inputs++ % kInputsOfAContext == 0) {
    current.emplace(registry, MLIRContext::Threading::DISABLED);
    current->printOpOnDiagnostic(false);
  }
  return *current;
}

} // namespace

void importModule(llvm::StringRef bytes, Reader read) {
  MLIRContext &in = context();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&in, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  OwningOpRef<ModuleOp> module = read(bytes, "input", in);
  bool accepted = false;
  if (module) {
    PassManager passes(&in);
    passes.addPass(createVhloToStableHLO());
    passes.addPass(createDropShardings());
    passes.addPass(createResolveEntry());
    passes.addPass(createInlineCalls());
    passes.addPass(createNarrowDoubles());
    passes.addPass(createNarrowDoubleArguments());
    passes.addPass(createCheckTypes());
    passes.addPass(createResolveConstants());
    accepted = succeeded(passes.run(*module));
  }
  if (accepted == (errors > 0))
    llvm::report_fatal_error(accepted ? "accepted with a diagnostic" : "refused without one");
}

} // namespace systole::fuzz
