// From the bytes of a file to a verified module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Format.h"

#include "compiler/Import/Artifact/Operations.h"
#include "compiler/Import/Elements.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace systole::artifact {

LogicalResult Format::decodeBuiltin(EntryReader &reader, uint64_t code, Type &) {
  return reader.bytes.refuse("MLIR's type " + Twine(code) + ", which " + name() +
                             " do not contain");
}

DenseElementsAttr Format::elementsFrom(Type type, ArrayRef<char> bytes) {
  return systole::elementsFrom(type, bytes);
}

FailureOr<Operation *> Format::create(OperationState &state) { return Operation::create(state); }

OwningOpRef<ModuleOp> readModule(StringRef bytes, Format &format, Location file) {
  MLIRContext &context = *file.getContext();
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
    if (succeeded(container.read(Bytes(bytes, refusal), format))) {
      AttributeTable table(container, context);
      module = readOperations(table);
    }
    if (module && (failed(verify(*module)) || failed(format.check(*module))))
      module = nullptr;
  }
  if (module)
    return module;
  if (refused && !isa<UnknownLoc>(refused->getLocation())) {
    context.getDiagEngine().emit(std::move(*refused));
    return nullptr;
  }
  InFlightDiagnostic error = emitError(file);
  if (refused && refusal.reason())
    error << StringRef(*refusal.reason()).split(": ").first << ": " << refused->str();
  else if (refused)
    error << refused->str();
  else
    error << refusal.reason().value_or("the file is malformed");
  return nullptr;
}

} // namespace systole::artifact
