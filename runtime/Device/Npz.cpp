// .npz archives, by libzip.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Npz.h"

#include <zip.h>

#include <list>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/WholeFile.h"

namespace systole {
namespace {

std::string message(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

class EntrySource : public ByteSource {
public:
  explicit EntrySource(zip_file_t *file) : file(file) {}
  EntrySource(const EntrySource &) = delete;
  EntrySource &operator=(const EntrySource &) = delete;
  ~EntrySource() override { zip_fclose(file); }

  absl::StatusOr<size_t> read(uint8_t *to, size_t count) override {
    zip_int64_t got = zip_fread(file, to, count);
    if (got < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("it cannot be unpacked: ", zip_file_strerror(file)));
    return got;
  }

private:
  zip_file_t *file;
};

absl::Status addEntry(zip_t *archive, const std::string &name, const std::string &header,
                      const HostArray &array) {
  const zip_buffer_fragment_t parts[2] = {
      {reinterpret_cast<zip_uint8_t *>(const_cast<char *>(header.data())), header.size()},
      {const_cast<zip_uint8_t *>(array.bytes.data()), array.bytes.size()}};
  zip_source_t *source = zip_source_buffer_fragment(archive, parts, array.bytes.empty() ? 1 : 2, 0);
  if (!source)
    return absl::UnavailableError(zip_strerror(archive));
  zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return absl::UnavailableError(zip_strerror(archive));
  }
  constexpr zip_uint16_t firstOfJanuary1980 = 1 << 5 | 1;
  if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, index, 0, firstOfJanuary1980, 0) != 0)
    return absl::UnavailableError(zip_strerror(archive));
  return absl::OkStatus();
}

} // namespace

void NpzReader::Close::operator()(zip *archive) const { zip_discard(archive); }

absl::StatusOr<NpzReader> NpzReader::open(const std::string &path) {
  int code = 0;
  zip_t *archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!archive)
    return absl::InvalidArgumentError(absl::StrCat("it is no .npz file: ", message(code)));
  return NpzReader(archive);
}

int64_t NpzReader::size() const { return zip_get_num_entries(archive.get(), 0); }

int64_t NpzReader::find(const std::string &name) const {
  const int64_t index = zip_name_locate(archive.get(), (name + ".npy").c_str(), 0);
  return index >= 0 ? index : zip_name_locate(archive.get(), name.c_str(), 0);
}

absl::StatusOr<std::unique_ptr<ByteSource>> NpzReader::entry(const std::string &name) {
  const int64_t index = find(name);
  if (index < 0) {
    const char *first = size() > 0 ? zip_get_name(archive.get(), 0, 0) : nullptr;
    return absl::InvalidArgumentError(absl::StrCat(
        "it has no array '", name, "'",
        first ? absl::StrCat("; its first is '", absl::CHexEscape(first), "'") : std::string()));
  }
  zip_file_t *file = zip_fopen_index(archive.get(), index, 0);
  if (!file)
    return absl::InvalidArgumentError(
        absl::StrCat("its array '", name, "' cannot be unpacked: ", zip_strerror(archive.get())));
  return std::make_unique<EntrySource>(file);
}

absl::Status writeNpz(const std::string &path, std::span<const NpzEntry> entries) {
  // An archive without entries is this record; libzip would not create a file.
  static constexpr std::string_view nothing("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
  if (entries.empty())
    return writeWholeFile(path, nothing);

  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *memory = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_t *archive =
      memory ? zip_open_from_source(memory, ZIP_CREATE | ZIP_TRUNCATE, &error) : nullptr;
  if (!archive) {
    zip_source_free(memory);
    return absl::ResourceExhaustedError("an .npz archive cannot be made");
  }
  zip_source_keep(memory);
  std::unique_ptr<zip_source_t, decltype(&zip_source_free)> owner(memory, zip_source_free);
  // libzip reads the headers when the archive is closed; a list keeps them in place.
  std::list<std::string> headers;
  for (const NpzEntry &entry : entries) {
    headers.push_back(npyHeader(*entry.array));
    absl::Status status = addEntry(archive, entry.name, headers.back(), *entry.array);
    if (!status.ok()) {
      zip_discard(archive);
      return status;
    }
  }
  if (zip_close(archive) != 0) {
    std::string why = zip_strerror(archive);
    zip_discard(archive);
    return absl::ResourceExhaustedError(absl::StrCat("an .npz archive cannot be made: ", why));
  }

  absl::Status made;
  absl::Status written = writeWholeFile(path, [&](FileSink sink) {
    if (zip_source_open(memory) != 0) {
      made = absl::ResourceExhaustedError("an .npz archive cannot be made");
      return false;
    }
    // In chunks that fit the processor's caches.
    std::vector<char> piece(256 << 10);
    zip_int64_t got;
    bool taken = true;
    while (taken && (got = zip_source_read(memory, piece.data(), piece.size())) > 0)
      taken = sink(std::string_view(piece.data(), got));
    zip_source_close(memory);
    if (taken && got < 0)
      made = absl::ResourceExhaustedError("an .npz archive cannot be made");
    return taken && got == 0;
  });
  return made.ok() ? written : made;
}

} // namespace systole
