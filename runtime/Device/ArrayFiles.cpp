// Reading arguments and writing results, checked against the signature.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/ArrayFiles.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "dialects/Machine/Program/program.pb.h"
#include "runtime/Device/Npy.h"
#include "runtime/Device/Npz.h"

namespace systole {
namespace {

using program::ProgramHeader;
using program::Tensor;

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

class FileSource : public ByteSource {
public:
  explicit FileSource(std::FILE *file) : file(file) {}

  absl::StatusOr<size_t> read(uint8_t *to, size_t count) override {
    size_t got = std::fread(to, 1, count, file);
    if (got == 0 && std::ferror(file))
      return absl::InvalidArgumentError("it cannot be read");
    return got;
  }

private:
  std::FILE *file;
};

std::string plural(size_t count, const char *what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string entryName(int argument) { return absl::StrCat("arg", argument); }

absl::Status in(const std::string &place, const absl::Status &status) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", std::string(status.message())));
}

absl::Status wrongCount(const ProgramHeader &program, size_t given) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the program takes ", plural(program.arguments_size(), "argument"), ", not ", given));
}

// "argument 2 (images) is tensor<3x4xf32> in the program"
std::string expectation(const ProgramHeader &program, int index) {
  const Tensor &tensor = program.arguments(index);
  const bool named = !tensor.name().empty() && tensor.name() != entryName(index);
  return absl::StrCat("argument ", index, named ? absl::StrCat(" (", tensor.name(), ")") : "",
                      " is ", typeString(tensor), " in the program");
}

absl::StatusOr<HostArray> readArgument(const ProgramHeader &program, int index,
                                       ByteSource &source) {
  const Tensor &tensor = program.arguments(index);
  absl::StatusOr<NpyHeader> header = readNpyHeader(source);
  if (!header.ok())
    return header.status();
  if (!descrHolds(header->descr, tensor.dtype()) || !hasRoomFor(tensor, header->dims))
    return absl::InvalidArgumentError(absl::StrCat(
        expectation(program, index), ", but ",
        typeString(HostArray{describeDescr(header->descr), header->dims, {}}), " in the file"));
  return readNpyData(source, *header, tensor.dtype());
}

absl::StatusOr<File> openFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  return file;
}

enum class Format { Npy, Npz, Other };

Format formatOf(std::FILE *file) {
  char magic[2] = {};
  size_t got = std::fread(magic, 1, 2, file);
  // A stream that cannot be rewound is neither.
  if (std::fseek(file, 0, SEEK_SET) != 0)
    return Format::Other;
  std::string_view start(magic, got);
  return start == "PK" ? Format::Npz : start == "\x93N" ? Format::Npy : Format::Other;
}

absl::StatusOr<std::vector<HostArray>> readNpz(const ProgramHeader &program,
                                               const std::string &path) {
  absl::StatusOr<NpzReader> reader = NpzReader::open(path);
  if (!reader.ok())
    return in(path, reader.status());
  const int count = program.arguments_size();
  if (reader->size() != count)
    return in(path, wrongCount(program, reader->size()));
  std::vector<HostArray> arguments;
  for (int index = 0; index < count; ++index) {
    std::string name = entryName(index);
    absl::StatusOr<std::unique_ptr<ByteSource>> entry = reader->entry(name);
    if (!entry.ok())
      return in(path, entry.status());
    absl::StatusOr<HostArray> array = readArgument(program, index, **entry);
    if (!array.ok())
      return in(absl::StrCat(path, "(", name, ")"), array.status());
    arguments.push_back(*std::move(array));
  }
  return arguments;
}

} // namespace

absl::StatusOr<std::vector<HostArray>> readArguments(const ProgramHeader &program,
                                                     std::span<const std::string> paths) {
  for (const Tensor &tensor : program.arguments())
    if (absl::Status status = checkTensor(tensor); !status.ok())
      return status;
  std::vector<File> files;
  for (const std::string &path : paths) {
    absl::StatusOr<File> file = openFile(path);
    if (!file.ok())
      return file.status();
    Format format = formatOf(file->get());
    if (format == Format::Other)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": it is neither an .npy nor an .npz file"));
    if (format == Format::Npz) {
      if (paths.size() != 1)
        return absl::InvalidArgumentError(
            absl::StrCat(path, ": an .npz holds all arguments; it cannot be one of several files"));
      return readNpz(program, path);
    }
    files.push_back(*std::move(file));
  }
  if (files.size() != static_cast<size_t>(program.arguments_size()))
    return wrongCount(program, files.size());
  std::vector<HostArray> arguments;
  for (size_t index = 0; index < files.size(); ++index) {
    FileSource source(files[index].get());
    absl::StatusOr<HostArray> array = readArgument(program, index, source);
    if (!array.ok())
      return in(paths[index], array.status());
    arguments.push_back(*std::move(array));
  }
  return arguments;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> readShapes(std::span<const std::string> paths) {
  std::vector<std::vector<int64_t>> shapes;
  auto read = [&](ByteSource &source) {
    absl::StatusOr<NpyHeader> header = readNpyHeader(source);
    if (header.ok())
      shapes.push_back(header->dims);
    return header.status();
  };
  for (const std::string &path : paths) {
    absl::StatusOr<File> file = openFile(path);
    if (!file.ok())
      return file.status();
    if (formatOf(file->get()) != Format::Npz) {
      FileSource source(file->get());
      if (absl::Status status = read(source); !status.ok())
        return in(path, status);
      continue;
    }
    absl::StatusOr<NpzReader> reader = NpzReader::open(path);
    if (!reader.ok())
      return in(path, reader.status());
    for (int index = 0; index < reader->size(); ++index) {
      absl::StatusOr<std::unique_ptr<ByteSource>> entry = reader->entry(entryName(index));
      absl::Status status = entry.ok() ? read(**entry) : entry.status();
      if (!status.ok())
        return in(path, status);
    }
  }
  return shapes;
}

absl::Status checkArguments(const ProgramHeader &program, std::span<const HostArray> arguments) {
  if (arguments.size() != static_cast<size_t>(program.arguments_size()))
    return wrongCount(program, arguments.size());
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Tensor &tensor = program.arguments(index);
    const HostArray &array = arguments[index];
    if (absl::Status status = checkTensor(tensor); !status.ok())
      return status;
    if (array.dtype != tensor.dtype() || !hasRoomFor(tensor, array.dims))
      return absl::InvalidArgumentError(
          absl::StrCat(expectation(program, index), ", but given as ", typeString(array)));
    Tensor actual = tensor;
    std::ranges::copy(array.dims, actual.mutable_dims()->begin());
    if (array.bytes.size() != static_cast<size_t>(hostBytes(actual)))
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", index, " has ", array.bytes.size(), " bytes; ",
                       typeString(array), " takes ", hostBytes(actual)));
  }
  return absl::OkStatus();
}

absl::Status writeResults(const std::string &path, std::span<const HostArray> results) {
  std::vector<NpzEntry> entries;
  for (size_t index = 0; index < results.size(); ++index)
    entries.push_back({absl::StrCat("out", index), &results[index]});
  return writeNpz(path, entries);
}

} // namespace systole
