// Any bytes as the module of a Pallas kernel or as its configuration: it is read, or there is one
// diagnostic.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Config.h"
#include "compiler/Import/Mosaic/Kernel.h"
#include "compiler/Import/Mosaic/ReadMosaic.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

using namespace mlir;

/// Attributes and types accumulate in a context, which takes longer to create than to read most
/// inputs.
static constexpr unsigned kInputsOfAContext = 200;

static bool reads(llvm::StringRef bytes, Location file) {
  if (bytes.starts_with("{"))
    return succeeded(systole::readMosaicConfig(bytes, file));
  FailureOr<OwningOpRef<ModuleOp>> module = systole::readMosaic(bytes, file);
  if (failed(module))
    return false;
  systole::MosaicKernel kernel = systole::kernelOf(**module);
  if (kernel.firstScratch() + kernel.scratch != kernel.function.getNumArguments())
    llvm::report_fatal_error("arguments are not what the kernel's attributes say");
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::optional<MLIRContext> context;
  static unsigned inputs = 0;
  if (inputs++ % kInputsOfAContext == 0) {
    context.emplace(MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
  }
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&*context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  bool accepted = reads({reinterpret_cast<const char *>(data), size},
                        FileLineColLoc::get(&*context, "input", /*line=*/0, /*column=*/0));
  if (errors != (accepted ? 0 : 1))
    llvm::report_fatal_error(accepted ? "accepted with a diagnostic" : "refused without one");
  return 0;
}
