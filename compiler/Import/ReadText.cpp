// Reads a producer's text into a module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/ReadText.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace systole {

/// The number of elements of a type "2x3xi1>..." or nothing if it is no such type.
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

OwningOpRef<ModuleOp> readText(StringRef text, StringRef fileName, MLIRContext &context) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(packHexPredicates(text), fileName), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

} // namespace systole
