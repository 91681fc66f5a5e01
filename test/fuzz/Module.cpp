// From bytes to the graph level, with its verifiers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Module.h"

#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Pipeline/Register.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

using namespace mlir;

namespace systole::fuzz {

namespace {

/// Making a context takes longer than most inputs; what they leave in it would fill the memory.
constexpr unsigned kInputsOfAContext = 200;

MLIRContext &context() {
  static DialectRegistry registry = [] {
    DialectRegistry dialects;
    registerAllDialects(dialects);
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
  static const Target target = *Target::load("v3");
  MLIRContext &in = context();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&in, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  OwningOpRef<ModuleOp> module = read(bytes, "input", in);
  bool accepted = false;
  if (module) {
    PassManager passes(&in);
    buildPipeline(passes, target, PipelineOptions(), Level::Input, Level::Graph);
    accepted = succeeded(passes.run(*module));
  }
  if (accepted == (errors > 0))
    llvm::report_fatal_error(accepted ? "accepted with a diagnostic" : "refused without one");
}

} // namespace systole::fuzz
