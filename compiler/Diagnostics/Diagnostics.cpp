// Errors of the compiler: their locations and categories.
// See docs/decisions/errors-and-verification.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace systole {

/// Metadata of diagnostics that do not report invalid input.
static constexpr StringLiteral kUnimplemented = "unimplemented", kExhausted = "resource exhausted",
                               kInternal = "internal";

static void mark(InFlightDiagnostic &diagnostic, StringRef mark) {
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(mark);
}

static InFlightDiagnostic emitMarked(Location loc, StringRef name) {
  InFlightDiagnostic diagnostic = emitError(loc);
  mark(diagnostic, name);
  return diagnostic;
}

InFlightDiagnostic &markUnimplemented(InFlightDiagnostic &diagnostic) {
  mark(diagnostic, kUnimplemented);
  return diagnostic;
}
InFlightDiagnostic &&markUnimplemented(InFlightDiagnostic &&diagnostic) {
  mark(diagnostic, kUnimplemented);
  return std::move(diagnostic);
}

InFlightDiagnostic emitUnimplemented(Location loc) { return emitMarked(loc, kUnimplemented); }
InFlightDiagnostic emitResourceExhausted(Location loc) { return emitMarked(loc, kExhausted); }
InFlightDiagnostic emitInternal(Location loc) { return emitMarked(loc, kInternal); }

/// The symbol name of a function, or of the callee of a call, in StableHLO or VHLO.
static Attribute nameIn(Operation *op, StringRef attribute) {
  Attribute name = op->getAttr(attribute);
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(name);
  return symbol ? symbol.getAttr() : name;
}

/// The first location with a line among `op`, its ancestors, and callers of its function.
static std::optional<Location> findLocation(Operation *op, DenseSet<Operation *> &seen) {
  Operation *function = nullptr;
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (!sourceLine(at->getLoc()).empty())
      return at->getLoc();
    if (at->hasAttr(SymbolTable::getSymbolAttrName()))
      function = at;
  }
  if (!function || !function->getBlock() || !seen.insert(function).second)
    return std::nullopt;
  std::optional<Location> location;
  Attribute name = nameIn(function, SymbolTable::getSymbolAttrName());
  for (Operation &other : *function->getBlock())
    other.walk([&](Operation *caller) {
      if (nameIn(caller, "callee") == name)
        location = findLocation(caller, seen);
      return location ? WalkResult::interrupt() : WalkResult::advance();
    });
  return location;
}

InFlightDiagnostic emitUnimplemented(Operation *op) {
  DenseSet<Operation *> seen;
  return emitUnimplemented(findLocation(op, seen).value_or(op->getLoc()));
}

InFlightDiagnostic emitResourceExhausted(Operation *op) {
  DenseSet<Operation *> seen;
  return emitResourceExhausted(findLocation(op, seen).value_or(op->getLoc()));
}

ErrorCategory categoryOf(Diagnostic &diagnostic) {
  for (DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() != DiagnosticArgument::DiagnosticArgumentKind::String)
      continue;
    if (argument.getAsString() == kUnimplemented)
      return ErrorCategory::Unimplemented;
    if (argument.getAsString() == kExhausted)
      return ErrorCategory::ResourceExhausted;
    if (argument.getAsString() == kInternal)
      return ErrorCategory::Internal;
  }
  return ErrorCategory::InvalidInput;
}

bool isOperationError(Diagnostic &diagnostic) {
  const std::string text = diagnostic.str();
  const auto [name, rest] = StringRef(text).split("' op ");
  return !rest.empty() && name.starts_with("'") && !name.contains(' ');
}

InFlightDiagnostic emitUnsupported(Operation *op, StringRef name, TypeRange operands,
                                   TypeRange results, Attribute callTarget, const Twine &where) {
  InFlightDiagnostic diagnostic = emitUnimplemented(op);
  diagnostic << "operation '" << name << "'";
  if (auto target = dyn_cast_or_null<StringAttr>(callTarget))
    diagnostic << " of '" << target.getValue() << "'"
               << (target.getValue() == "tpu_custom_call" ? " (a Pallas kernel)" : "");
  diagnostic << " is not supported" << where << ": "
             << FunctionType::get(op->getContext(), operands, results);
  return diagnostic;
}

InFlightDiagnostic emitUnsupported(Operation *op, const Twine &where) {
  return emitUnsupported(op, op->getName().getStringRef(), op->getOperandTypes(),
                         op->getResultTypes(), op->getAttr(kCallTarget), where);
}

} // namespace systole
