// Reads portable artifacts.
// See docs/decisions/importers.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/ReadArtifact.h"

#include "compiler/Import/Artifact/Operations.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace systole {

using namespace artifact;

bool isBytecode(StringRef bytes) { return bytes.starts_with(kMagic); }

OwningOpRef<ModuleOp> readArtifact(StringRef bytes, StringRef fileName, MLIRContext &context) {
  // The first diagnostic is the cause. Its offset in the file is reported if it has no source
  // location.
  std::optional<Diagnostic> refused;
  Refusal refusal;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (!refused && !refusal.reason() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        refused = std::move(diagnostic);
    });
    Container container;
    if (succeeded(container.read(Bytes(bytes, refusal)))) {
      AttributeTable table(container, context);
      module = readOperations(table);
    }
    if (module && failed(verify(*module)))
      module = nullptr;
  }
  if (module)
    return module;
  if (refused && !isa<UnknownLoc>(refused->getLocation())) {
    context.getDiagEngine().emit(std::move(*refused));
    return nullptr;
  }
  // Line 0 stands for the whole file.
  InFlightDiagnostic error = emitError(FileLineColLoc::get(&context, fileName, 0, 0));
  if (refused && refusal.reason())
    error << StringRef(*refusal.reason()).split(": ").first << ": " << refused->str();
  else if (refused)
    error << refused->str();
  else
    error << refusal.reason().value_or("the file is malformed");
  return nullptr;
}

} // namespace systole
