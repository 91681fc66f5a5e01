// Reads untrusted bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_ARTIFACT_BYTES_H
#define SYSTOLE_COMPILER_IMPORT_ARTIFACT_BYTES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace systole::artifact {

/// Why the input is rejected. Only the first reason is kept.
class Refusal {
public:
  /// Always returns failure.
  llvm::LogicalResult at(size_t offset, const llvm::Twine &reason) {
    if (!text)
      text = ("byte " + llvm::Twine(offset) + ": " + reason).str();
    return llvm::failure();
  }
  const std::optional<std::string> &reason() const { return text; }

private:
  std::optional<std::string> text;
};

/// A byte range of the file with a read position. Malformed contents are rejected, and nothing is
/// read beyond the end.
class Bytes {
public:
  Bytes(llvm::StringRef file, Refusal &refusal) : rest(file), file(file), refusal(&refusal) {}

  size_t offset() const { return rest.data() - file.data(); } ///< in the file
  size_t size() const { return rest.size(); }                 ///< of the remaining bytes
  bool empty() const { return rest.empty(); }
  llvm::LogicalResult refuse(const llvm::Twine &reason) const {
    return refusal->at(offset(), reason);
  }

  llvm::LogicalResult readByte(uint8_t &value);
  llvm::LogicalResult readVarInt(uint64_t &value);
  llvm::LogicalResult readSignedVarInt(int64_t &value);
  llvm::LogicalResult readVarIntWithFlag(uint64_t &value, bool &flag);
  /// A number of items that take at least one byte each.
  llvm::LogicalResult readCount(uint64_t &count, llvm::StringRef what);
  llvm::LogicalResult readCountWithFlag(uint64_t &count, bool &flag, llvm::StringRef what);
  /// An index into a list of `size` items.
  llvm::LogicalResult readIndex(uint64_t &index, size_t size, llvm::StringRef what);
  llvm::LogicalResult take(uint64_t size, Bytes &piece);
  /// The bytes before the next zero byte, which is consumed.
  llvm::LogicalResult readTerminated(llvm::StringRef &text);
  /// Skips the padding up to a multiple of `alignment` from the start of the file.
  llvm::LogicalResult align(uint64_t alignment);
  llvm::StringRef text() const { return rest; }
  llvm::LogicalResult expectEnd(llvm::StringRef what) const;

private:
  llvm::LogicalResult checkCount(uint64_t count, llvm::StringRef what) const;

  llvm::StringRef rest, file;
  Refusal *refusal;
};

} // namespace systole::artifact

#endif // SYSTOLE_COMPILER_IMPORT_ARTIFACT_BYTES_H
