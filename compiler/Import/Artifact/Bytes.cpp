// Reads untrusted bytes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Artifact/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace systole::artifact {

LogicalResult Bytes::readByte(uint8_t &value) {
  if (rest.empty())
    return refuse("the file is truncated");
  value = rest.front();
  rest = rest.drop_front();
  return success();
}

// The number of trailing zero bits of the first byte is the number of bytes that follow; a zero
// byte is followed by eight.
LogicalResult Bytes::readVarInt(uint64_t &value) {
  uint8_t first;
  if (failed(readByte(first)))
    return failure();
  unsigned more = first ? countr_zero(first) : 8;
  if (rest.size() < more)
    return refuse("the file is truncated");
  char bytes[8] = {};
  if (first) {
    bytes[0] = first;
    llvm::copy(rest.take_front(more), bytes + 1);
    value = support::endian::read64le(bytes) >> (more + 1);
  } else {
    llvm::copy(rest.take_front(more), bytes);
    value = support::endian::read64le(bytes);
  }
  rest = rest.drop_front(more);
  return success();
}

LogicalResult Bytes::readSignedVarInt(int64_t &value) {
  uint64_t folded;
  if (failed(readVarInt(folded)))
    return failure();
  value = static_cast<int64_t>(folded >> 1) ^ -static_cast<int64_t>(folded & 1);
  return success();
}

LogicalResult Bytes::readVarIntWithFlag(uint64_t &value, bool &flag) {
  if (failed(readVarInt(value)))
    return failure();
  flag = value & 1;
  value >>= 1;
  return success();
}

LogicalResult Bytes::checkCount(uint64_t count, StringRef what) const {
  if (count > size())
    return refuse(Twine(count) + " " + what + " in the " + Twine(size()) + " bytes that are left");
  return success();
}

LogicalResult Bytes::readCount(uint64_t &count, StringRef what) {
  return failure(failed(readVarInt(count)) || failed(checkCount(count, what)));
}

LogicalResult Bytes::readCountWithFlag(uint64_t &count, bool &flag, StringRef what) {
  return failure(failed(readVarIntWithFlag(count, flag)) || failed(checkCount(count, what)));
}

LogicalResult Bytes::readIndex(uint64_t &index, size_t size, StringRef what) {
  Bytes start = *this;
  if (failed(readVarInt(index)))
    return failure();
  if (index >= size)
    return start.refuse(what + " " + Twine(index) + " of " + Twine(size));
  return success();
}

LogicalResult Bytes::take(uint64_t size, Bytes &piece) {
  if (size > rest.size())
    return refuse(Twine(size) + " bytes are expected, " + Twine(rest.size()) + " are left");
  piece = *this;
  piece.rest = rest.take_front(size);
  rest = rest.drop_front(size);
  return success();
}

LogicalResult Bytes::readTerminated(StringRef &text) {
  size_t end = rest.find('\0');
  if (end == StringRef::npos)
    return refuse("a string is not terminated");
  text = rest.take_front(end);
  rest = rest.drop_front(end + 1);
  return success();
}

LogicalResult Bytes::align(uint64_t alignment) {
  constexpr char kPadding = '\xCB';
  if (!isPowerOf2_64(alignment) || alignment > 4096)
    return refuse("an alignment of " + Twine(alignment) + " bytes");
  while (offset() % alignment) {
    if (rest.empty() || rest.front() != kPadding)
      return refuse("a byte of padding is expected");
    rest = rest.drop_front();
  }
  return success();
}

LogicalResult Bytes::expectEnd(StringRef what) const {
  if (rest.empty())
    return success();
  return refuse(Twine(rest.size()) + " bytes too many in " + what);
}

} // namespace systole::artifact
