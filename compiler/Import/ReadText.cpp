// Parses StableHLO text into a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/ReadText.h"

#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Import/Mosaic/Kernel.h"
#include "compiler/Import/Rank.h"
#include "compiler/Import/SourceText.h"
#include "dialects/Coded/Coded.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace systole {

/// The number of elements of a type "2x3xi1>...", or nothing for another type.
static std::optional<uint64_t> predicateElements(StringRef type) {
  constexpr uint64_t kMaxElements = uint64_t(1) << 31;
  uint64_t elements = 1;
  while (!type.consume_front("i1>")) {
    uint64_t size;
    if (type.consumeInteger(10, size) || !type.consume_front("x") || size >= kMaxElements ||
        elements >= kMaxElements)
      return std::nullopt;
    elements *= size;
  }
  return elements;
}

std::string packHexPredicates(StringRef text) {
  constexpr StringRef kOpen = "dense<\"0x", kType = "\"> : tensor<";
  std::string result;
  while (true) {
    size_t open = text.find(kOpen);
    if (open == StringRef::npos)
      break;
    size_t digits = open + kOpen.size();
    size_t close = text.find_first_not_of("0123456789abcdefABCDEF", digits);
    if (close == StringRef::npos)
      break;
    StringRef hex = text.slice(digits, close), rest = text.drop_front(close);
    result += text.take_front(digits);
    std::optional<uint64_t> elements;
    if (StringRef type = rest; type.consume_front(kType))
      elements = predicateElements(type);
    if (elements && hex.size() == 2 * *elements && *elements > 1) {
      std::vector<uint8_t> packed(llvm::divideCeil(*elements, 8));
      for (uint64_t i = 0; i < *elements; ++i)
        if (hex.substr(2 * i, 2) != "00")
          packed[i / 8] |= 1 << (i % 8);
      result += llvm::toHex(packed);
    } else {
      result += hex;
    }
    text = rest;
  }
  return result + text.str();
}

/// The parser recurses into brackets; deeper nesting would overflow the stack.
static constexpr unsigned kMaxNesting = 512;

/// Whether text may contain operations of this name; loads their dialect. VHLO's operations have no
/// custom syntax.
static bool isKnown(StringRef name, MLIRContext &context) {
  context.getOrLoadDialect(name.split('.').first);
  auto known = RegisteredOperationName::lookup(name, &context);
  return known && !coded::operationInfo(*known);
}

/// Whether text may contain attributes or types of this kind; loads their dialect.
static bool isKnown(const KindName &kind, MLIRContext &context) {
  context.getOrLoadDialect(StringRef(kind.name).split('.').first);
  return kind.sigil == '!' ? AbstractType::lookup(kind.name, &context).has_value()
                           : AbstractAttribute::lookup(kind.name, &context).has_value();
}

/// Parses text. If parsing fails in an unknown operation, attribute or type, the error names it
/// instead, since the parser's own error is then mostly about its syntax.
static OwningOpRef<ModuleOp> parse(StringRef text, StringRef fileName, MLIRContext &context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, fileName), llvm::SMLoc());
  std::optional<Diagnostic> refusal;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !refusal)
        refusal = std::move(diagnostic);
    });
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  }
  if (module || !refusal)
    return module;
  auto unimplemented = [&](size_t offset) {
    auto [line, column] = lineAndColumn(text, offset);
    return emitUnimplemented(FileLineColLoc::get(&context, fileName, line, column));
  };
  if (auto at = dyn_cast<FileLineColLoc>(refusal->getLocation())) {
    size_t offset = offsetOf(text, at.getLine(), at.getColumn());
    if (auto operation = operationAt(text, offset);
        operation && !isKnown(operation->name, context)) {
      unimplemented(operation->offset) << "operation '" << operation->name << "' is not supported";
      return nullptr;
    }
    if (auto kind = kindAt(text, offset); kind && !isKnown(*kind, context)) {
      unimplemented(kind->offset) << (kind->sigil == '!' ? "type '" : "attribute '") << kind->sigil
                                  << kind->name << "' is not supported";
      return nullptr;
    }
  }
  context.getDiagEngine().emit(std::move(*refusal));
  return nullptr;
}

LogicalResult checkAliases(StringRef text, StringRef fileName, MLIRContext &context) {
  std::optional<size_t> offset = findLargeAlias(text);
  if (!offset)
    return success();
  auto [line, column] = lineAndColumn(text, *offset);
  return emitError(FileLineColLoc::get(&context, fileName, line, column))
         << "aliases of attributes and types that nest deeper than " << kMaxAliasDepth
         << " levels, or are longer than " << kMaxAliasTokens << " tokens where they are written "
         << "out (" << kMaxExpandedTokens << " in all)";
}

/// Whether all operations within `root` are of `dialects`: most registered ones belong to lower
/// levels of the compiler.
static LogicalResult checkDialects(Operation *root, ArrayRef<StringRef> dialects) {
  auto isInput = [&](Operation *op) {
    return op->isRegistered() && llvm::is_contained(dialects, op->getName().getDialectNamespace());
  };
  WalkResult unknown = root->walk([&](Operation *op) {
    if (isInput(op))
      return WalkResult::advance();
    emitUnsupported(op);
    return WalkResult::interrupt();
  });
  return failure(unknown.wasInterrupted());
}

/// The Pallas kernels of a module are modules, whose dialects are others.
static constexpr StringRef kKernelDialects[] = {"arith",  "builtin", "cf",  "func",  "math",
                                                "memref", "scf",     "tpu", "vector"};

static OwningOpRef<ModuleOp> readDialects(StringRef producersText, StringRef fileName,
                                          MLIRContext &context, ArrayRef<StringRef> dialects,
                                          bool hasKernels) {
  std::string text = packHexPredicates(producersText);
  auto refuse = [&](size_t offset) {
    auto [line, column] = lineAndColumn(text, offset);
    return emitError(FileLineColLoc::get(&context, fileName, line, column));
  };
  if (auto offset = findTooDeep(text, kMaxNesting)) {
    refuse(*offset) << "brackets nest deeper than " << kMaxNesting;
    return nullptr;
  }
  if (auto offset = findHighRank(text)) {
    refuse(*offset) << "a tensor of more than " << kMaxRank << " dimensions, which is the maximum";
    return nullptr;
  }
  if (auto offset = findIndexArray(text)) {
    refuse(*offset) << "expected an integer or float element type of an array";
    return nullptr;
  }
  if (failed(checkAliases(text, fileName, context)))
    return nullptr;
  OwningOpRef<ModuleOp> module = parse(text, fileName, context);
  if (!module)
    return nullptr;
  auto isKernel = [&](Operation &op) { return hasKernels && isa<ModuleOp>(op); };
  for (Operation &op : *module->getBody())
    if (failed(checkDialects(&op, isKernel(op) ? ArrayRef(kKernelDialects) : dialects)))
      return nullptr;
  if (failed(verify(*module)))
    return nullptr;
  for (Operation &op : *module->getBody())
    if (isKernel(op) && failed(checkKernel(cast<ModuleOp>(op))))
      return nullptr;
  return module;
}

OwningOpRef<ModuleOp> readText(StringRef text, StringRef fileName, MLIRContext &context) {
  return readDialects(text, fileName, context, {"builtin", "func", "stablehlo", "chlo", "sdy"},
                      /*hasKernels=*/false);
}

OwningOpRef<ModuleOp> readTensorLevel(StringRef text, StringRef fileName, MLIRContext &context) {
  return readDialects(text, fileName, context, {"builtin", "func", "stablehlo", "kernel"},
                      /*hasKernels=*/true);
}

} // namespace systole
