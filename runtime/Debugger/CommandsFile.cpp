// Commands that write tensors and values to files, or compare them with some.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "dialects/Machine/Program/WholeFile.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Debugger/Console.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Floats.h"
#include "runtime/Device/Npy.h"

namespace systole::debugger {

// The value and the file of a command: the last word is the file.
struct ValueAndFile {
  HostArray array;
  std::string file;
};

static absl::StatusOr<ValueAndFile> parse(const Console &console, absl::string_view text) {
  const size_t space = text.find_last_of(" \t");
  if (space == absl::string_view::npos)
    return absl::InvalidArgumentError("it takes a value and a file");
  absl::StatusOr<HostArray> array =
      valueOf(console, absl::StripAsciiWhitespace(text.substr(0, space)));
  if (!array.ok())
    return array.status();
  return ValueAndFile{*std::move(array), std::string(text.substr(space + 1))};
}

absl::Status writeValue(Console &console, absl::string_view text) {
  absl::StatusOr<ValueAndFile> given = parse(console, text);
  if (!given.ok())
    return given.status();
  const std::vector<uint8_t> &bytes = given->array.bytes;
  return writeWholeFile(given->file,
                        npyHeader(given->array) + std::string(bytes.begin(), bytes.end()));
}

absl::Status compareValue(Console &console, absl::string_view text) {
  absl::StatusOr<ValueAndFile> given = parse(console, text);
  if (!given.ok())
    return given.status();
  program::Tensor type;
  type.set_dtype(given->array.dtype);
  type.mutable_dims()->Assign(given->array.dims.begin(), given->array.dims.end());
  absl::StatusOr<ArrayReader> reader = ArrayReader::open({&given->file, 1}, "arg");
  if (!reader.ok())
    return reader.status();
  absl::StatusOr<HostArray> other =
      reader->read(0, type, absl::StrCat("the value is ", typeString(given->array)));
  if (!other.ok())
    return other.status();
  const std::vector<double> values = numbersOf(given->array), others = numbersOf(*other);
  int64_t different = 0;
  size_t first = 0;
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == others[i] || (std::isnan(values[i]) && std::isnan(others[i])))
      continue;
    if (different++ == 0)
      first = i;
    // A NaN against a number differs by more than any number.
    const double difference = std::fabs(values[i] - others[i]);
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
  }
  if (different == 0) {
    console.out << "all " << values.size() << " numbers are equal\n";
    return absl::OkStatus();
  }
  std::vector<int64_t> index(given->array.dims.size());
  auto rest = int64_t(given->array.dtype.starts_with("complex") ? first / 2 : first);
  for (size_t d = index.size(); d-- > 0; rest /= given->array.dims[d])
    index[d] = rest % given->array.dims[d];
  console.out << different << " of " << values.size() << " numbers differ, by "
              << absl::StrCat(largest) << " at most; the first at [" << absl::StrJoin(index, ", ")
              << "]: " << absl::StrCat(values[first], " and ", others[first], " in the file\n");
  return absl::OkStatus();
}

} // namespace systole::debugger
