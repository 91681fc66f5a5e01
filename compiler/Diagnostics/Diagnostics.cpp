// What the compiler's errors have in common: where, about what, and whose fault.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace systole {

/// What marks diagnostics that are not of the input, among their metadata.
static constexpr StringLiteral kLack = "lack", kTooLarge = "too large";

static void mark(InFlightDiagnostic &diagnostic, StringRef mark) {
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(mark);
}

static InFlightDiagnostic emitMarked(Location loc, StringRef name) {
  InFlightDiagnostic diagnostic = emitError(loc);
  mark(diagnostic, name);
  return diagnostic;
}

InFlightDiagnostic &markLack(InFlightDiagnostic &diagnostic) {
  mark(diagnostic, kLack);
  return diagnostic;
}
InFlightDiagnostic &&markLack(InFlightDiagnostic &&diagnostic) {
  mark(diagnostic, kLack);
  return std::move(diagnostic);
}

InFlightDiagnostic emitLack(Location loc) { return emitMarked(loc, kLack); }
InFlightDiagnostic emitTooLarge(Location loc) { return emitMarked(loc, kTooLarge); }

/// The name of a function or of what a call calls, as StableHLO and its encoding have them.
static Attribute nameIn(Operation *op, StringRef attribute) {
  Attribute name = op->getAttr(attribute);
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(name);
  return symbol ? symbol.getAttr() : name;
}

/// The location of the first with a line among an operation, what it stands in, and who calls that.
static std::optional<Location> placeOf(Operation *op, DenseSet<Operation *> &seen) {
  Operation *function = nullptr;
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (!sourceLine(at->getLoc()).empty())
      return at->getLoc();
    if (at->hasAttr(SymbolTable::getSymbolAttrName()))
      function = at;
  }
  if (!function || !function->getBlock() || !seen.insert(function).second)
    return std::nullopt;
  std::optional<Location> place;
  Attribute name = nameIn(function, SymbolTable::getSymbolAttrName());
  for (Operation &other : *function->getBlock())
    other.walk([&](Operation *caller) {
      if (nameIn(caller, "callee") == name)
        place = placeOf(caller, seen);
      return place ? WalkResult::interrupt() : WalkResult::advance();
    });
  return place;
}

InFlightDiagnostic emitLack(Operation *op) {
  DenseSet<Operation *> seen;
  return emitLack(placeOf(op, seen).value_or(op->getLoc()));
}

Fault faultOf(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() != DiagnosticArgument::DiagnosticArgumentKind::String)
      continue;
    if (argument.getAsString() == kLack)
      return Fault::Compiler;
    if (argument.getAsString() == kTooLarge)
      return Fault::Machine;
  }
  return Fault::Input;
}

InFlightDiagnostic emitUnsupported(Operation *op, StringRef name, TypeRange operands,
                                   TypeRange results, Attribute callTarget, const Twine &where) {
  InFlightDiagnostic diagnostic = emitLack(op);
  diagnostic << "operation '" << name << "'";
  if (auto target = dyn_cast_or_null<StringAttr>(callTarget))
    diagnostic << " of '" << target.getValue() << "'";
  diagnostic << " is not supported" << where << ": "
             << FunctionType::get(op->getContext(), operands, results);
  return diagnostic;
}

InFlightDiagnostic emitUnsupported(Operation *op, const Twine &where) {
  return emitUnsupported(op, op->getName().getStringRef(), op->getOperandTypes(),
                         op->getResultTypes(), op->getAttr(kCallTarget), where);
}

} // namespace systole
