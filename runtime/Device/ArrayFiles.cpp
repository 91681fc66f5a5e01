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
#include "runtime/Device/Shards.h"

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

constexpr absl::string_view kArgumentPrefix = "arg";

std::string entryName(int argument) { return absl::StrCat(kArgumentPrefix, argument); }

absl::Status in(const std::string &place, const absl::Status &status) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", std::string(status.message())));
}

absl::Status wrongCount(const ProgramHeader &program, size_t given) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the program takes ", plural(program.arguments_size(), "argument"), ", not ", given));
}

// "argument 2 (images)"
std::string argumentText(const ProgramHeader &program, int index) {
  const Tensor &tensor = program.arguments(index);
  const bool named = !tensor.name().empty() && tensor.name() != entryName(index);
  return absl::StrCat("argument ", index, named ? absl::StrCat(" (", tensor.name(), ")") : "");
}

// "argument 2 (images) is tensor<3x4xf32> in the program"
std::string expectation(const ProgramHeader &program, int index) {
  return absl::StrCat(argumentText(program, index), " is ",
                      typeString(wholeTensor(program.arguments(index))), " in the program");
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

} // namespace

absl::StatusOr<ArrayReader> ArrayReader::open(std::span<const std::string> paths,
                                              absl::string_view prefix) {
  ArrayReader arrays(paths, prefix);
  for (const std::string &path : paths) {
    absl::StatusOr<File> file = openFile(path);
    if (!file.ok())
      return file.status();
    const Format format = formatOf(file->get());
    if (format == Format::Other)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": it is neither an .npy nor an .npz file"));
    if (format == Format::Npy)
      continue;
    if (paths.size() != 1)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": an .npz holds all arrays; it cannot be one of several files"));
    absl::StatusOr<NpzReader> reader = NpzReader::open(path);
    if (!reader.ok())
      return in(path, reader.status());
    arrays.archive = *std::move(reader);
  }
  return arrays;
}

int64_t ArrayReader::size() const { return archive ? archive->size() : int64_t(paths.size()); }

absl::Status ArrayReader::withEntry(const std::string &name, Use use) {
  absl::StatusOr<std::unique_ptr<ByteSource>> entry = archive->entry(name);
  if (!entry.ok())
    return in(paths.front(), entry.status());
  absl::Status status = use(**entry);
  return status.ok() ? status : in(absl::StrCat(paths.front(), "(", name, ")"), status);
}

absl::Status ArrayReader::with(int64_t index, Use use) {
  if (archive)
    return withEntry(absl::StrCat(prefix, index), use);
  const std::string &path = paths[size_t(index)];
  absl::StatusOr<File> file = openFile(path);
  if (!file.ok())
    return file.status();
  FileSource source(file->get());
  absl::Status status = use(source);
  return status.ok() ? status : in(path, status);
}

absl::StatusOr<std::vector<int64_t>> ArrayReader::dims(int64_t index) {
  std::vector<int64_t> dims;
  absl::Status status = with(index, [&](ByteSource &source) {
    absl::StatusOr<NpyHeader> header = readNpyHeader(source);
    if (header.ok())
      dims = header->dims;
    return header.status();
  });
  if (!status.ok())
    return status;
  return dims;
}

// Reads an array of the type of `tensor`.
static absl::StatusOr<HostArray> readArray(ByteSource &source, const Tensor &tensor,
                                           absl::string_view expectation) {
  absl::StatusOr<NpyHeader> header = readNpyHeader(source);
  if (!header.ok())
    return header.status();
  if (!descrHolds(header->descr, tensor.dtype()) || !hasRoomFor(tensor, header->dims))
    return absl::InvalidArgumentError(absl::StrCat(
        expectation, ", but ",
        typeString(HostArray{describeDescr(header->descr), header->dims, {}}), " in the file"));
  return readNpyData(source, *header, tensor.dtype());
}

absl::StatusOr<HostArray> ArrayReader::read(int64_t index, const Tensor &tensor,
                                            absl::string_view expectation) {
  absl::StatusOr<HostArray> array = absl::UnknownError("");
  absl::Status status = with(index, [&](ByteSource &source) {
    array = readArray(source, tensor, expectation);
    return array.status();
  });
  return status.ok() ? std::move(array) : status;
}

bool ArrayReader::hasShards(int64_t index) const {
  return archive && archive->has(shardName(absl::StrCat(prefix, index), 0));
}

absl::StatusOr<HostArray> ArrayReader::readShard(int64_t index, int core, const Tensor &tensor,
                                                 absl::string_view expectation) {
  absl::StatusOr<HostArray> array = absl::UnknownError("");
  absl::Status status =
      withEntry(shardName(absl::StrCat(prefix, index), core), [&](ByteSource &source) {
        array = readArray(source, tensor, expectation);
        return array.status();
      });
  return status.ok() ? std::move(array) : status;
}

// The whole array of an argument that is given by core.
static absl::StatusOr<HostArray> readShards(ArrayReader &reader, const ProgramHeader &program,
                                            int index) {
  const Tensor &tensor = program.arguments(index);
  const std::string expected =
      absl::StrCat(argumentText(program, index), " is ", typeString(tensor), " on each core");
  ShardAssembler whole(tensor);
  for (int core = 0; core < program.cores(); ++core) {
    absl::StatusOr<HostArray> part = reader.readShard(index, core, tensor, expected);
    if (!part.ok())
      return part.status();
    if (absl::Status status = whole.add(*part); !status.ok())
      return in(absl::StrCat(reader.archivePath(), ": ", argumentText(program, index)), status);
  }
  return std::move(whole).take();
}

// InvalidArgument if the files have more or fewer arrays than the arguments need.
static absl::Status checkCount(const ArrayReader &reader, const ProgramHeader &program) {
  int64_t arrays = 0, inShards = 0;
  for (int index = 0; index < program.arguments_size(); ++index) {
    const bool hasShards = reader.hasShards(index);
    inShards += hasShards;
    arrays += hasShards ? program.cores() : 1;
  }
  if (reader.size() == arrays)
    return absl::OkStatus();
  if (inShards > 0)
    return in(reader.archivePath(),
              absl::InvalidArgumentError(absl::StrCat(
                  "it has ", plural(size_t(reader.size()), "array"), "; expected ", arrays, " of ",
                  plural(size_t(program.arguments_size()), "argument"), ", ", inShards,
                  " of them by ", plural(size_t(program.cores()), "core"))));
  const absl::Status status = wrongCount(program, size_t(reader.size()));
  return reader.archivePath().empty() ? status : in(reader.archivePath(), status);
}

absl::StatusOr<std::vector<HostArray>> readArguments(const ProgramHeader &program,
                                                     std::span<const std::string> paths) {
  for (const Tensor &tensor : program.arguments())
    if (absl::Status status = checkTensor(tensor); !status.ok())
      return status;
  absl::StatusOr<ArrayReader> reader = ArrayReader::open(paths, kArgumentPrefix);
  if (!reader.ok())
    return reader.status();
  if (absl::Status status = checkCount(*reader, program); !status.ok())
    return status;
  std::vector<HostArray> arguments;
  for (int index = 0; index < program.arguments_size(); ++index) {
    if (absl::Status status = checkNoTerms(program.arguments(index)); !status.ok())
      return status;
    absl::StatusOr<HostArray> array =
        reader->hasShards(index) ? readShards(*reader, program, index)
                                 : reader->read(index, wholeTensor(program.arguments(index)),
                                                expectation(program, index));
    if (!array.ok())
      return array.status();
    arguments.push_back(*std::move(array));
  }
  return arguments;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> readShapes(std::span<const std::string> paths) {
  absl::StatusOr<ArrayReader> reader = ArrayReader::open(paths, kArgumentPrefix);
  if (!reader.ok())
    return reader.status();
  std::vector<std::vector<int64_t>> shapes;
  for (int64_t index = 0; index < reader->size(); ++index) {
    absl::StatusOr<std::vector<int64_t>> dims = reader->dims(index);
    if (!dims.ok())
      return dims.status();
    shapes.push_back(*std::move(dims));
  }
  return shapes;
}

absl::Status checkArguments(const ProgramHeader &program, std::span<const HostArray> arguments) {
  if (arguments.size() != static_cast<size_t>(program.arguments_size()))
    return wrongCount(program, arguments.size());
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Tensor tensor = wholeTensor(program.arguments(int(index)));
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

absl::Status writeShards(const std::string &path, std::span<const std::vector<HostArray>> results) {
  std::vector<NpzEntry> entries;
  for (size_t index = 0; index < results.size(); ++index)
    for (size_t core = 0; core < results[index].size(); ++core)
      entries.push_back({shardName(absl::StrCat("out", index), int(core)), &results[index][core]});
  return writeNpz(path, entries);
}

std::string shardName(absl::string_view array, int core) { return absl::StrCat(array, "@", core); }

} // namespace systole
