// Reading and writing of what the host has answered.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/HostAnswers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/TensorLayout.h"
#include "runtime/Device/ArrayFiles.h"
#include "runtime/Device/Npz.h"

namespace systole {

namespace {

bool isReceive(const program::HostTransfer &transfer) {
  return !transfer.queued() && !transfer.to_host();
}

std::string entryName(const program::ProgramHeader &header, const program::HostTransfer &transfer,
                      int array, int core) {
  std::string name = absl::StrCat("channel", transfer.channel());
  if (transfer.tensors_size() > 1)
    absl::StrAppend(&name, ".", array);
  return header.cores() > 1 ? shardName(name, core) : name;
}

// The arrays that a transfer has moved, each of the type of `tensor`.
absl::StatusOr<HostArray> readArrays(NpzReader &archive, const std::string &name,
                                     const program::Tensor &tensor) {
  absl::StatusOr<std::unique_ptr<ByteSource>> entry = archive.entry(name);
  if (!entry.ok())
    return entry.status();
  absl::StatusOr<NpyHeader> header = readNpyHeader(**entry);
  if (!header.ok())
    return header.status();
  const std::vector<int64_t> &dims = header->dims;
  if (!descrHolds(header->descr, tensor.dtype()) || dims.empty() ||
      !std::equal(dims.begin() + 1, dims.end(), tensor.dims().begin(), tensor.dims().end()))
    return absl::InvalidArgumentError(
        absl::StrCat("the program receives ", typeString(tensor),
                     " each time; the entry has such arrays one after the other, but it is ",
                     typeString(HostArray{describeDescr(header->descr), dims, {}})));
  return readNpyData(**entry, *header, tensor.dtype());
}

} // namespace

absl::StatusOr<HostAnswers> HostAnswers::read(const std::string &path,
                                              const program::ProgramHeader &header) {
  auto in = [&](absl::string_view place, const absl::Status &status) {
    return absl::Status(status.code(), absl::StrCat(path, place, ": ", status.message()));
  };
  absl::StatusOr<NpzReader> archive = NpzReader::open(path);
  if (!archive.ok())
    return in("", archive.status());
  HostAnswers answers;
  for (int core = 0; core < header.cores(); ++core)
    for (const program::HostTransfer &transfer : header.transfers()) {
      if (!isReceive(transfer))
        continue;
      auto channel = std::make_shared<Channel>();
      channel->source = transfer.source();
      for (int i = 0; i < transfer.tensors_size(); ++i) {
        const std::string name = entryName(header, transfer, i, core);
        absl::StatusOr<HostArray> arrays = readArrays(*archive, name, transfer.tensors(i));
        if (!arrays.ok())
          return in(absl::StrCat("(", name, ")"), arrays.status());
        if (i > 0 && arrays->dims.front() != channel->times)
          return in(absl::StrCat("(", name, ")"),
                    absl::InvalidArgumentError(absl::StrCat(
                        "it has ", arrays->dims.front(), " arrays, where ",
                        entryName(header, transfer, 0, core), " has ", channel->times)));
        channel->times = arrays->dims.front();
        channel->arrays.push_back(*std::move(arrays));
      }
      answers.channels[{core, transfer.channel()}] = std::move(channel);
    }
  return answers;
}

void HostAnswers::addTo(HostChannels &to, int core) const {
  for (const auto &[key, channel] : channels) {
    if (key.first != core)
      continue;
    to.receives[key.second] = [channel, number = key.second, next = int64_t(0)](
                                  std::span<uint8_t> bytes,
                                  const std::atomic<bool> *) mutable -> absl::Status {
      if (next == channel->times)
        return absl::OutOfRangeError(absl::StrCat(
            channel->source.empty() ? "" : channel->source + ": ",
            "the answers of the host end: there are ", next, " over channel ", number));
      auto at = bytes.begin();
      for (const HostArray &arrays : channel->arrays) {
        const size_t each = arrays.bytes.size() / size_t(channel->times);
        at = std::ranges::copy(std::span(arrays.bytes).subspan(size_t(next) * each, each), at).out;
      }
      ++next;
      return absl::OkStatus();
    };
  }
}

void AnswerRecorder::record(HostChannels &channels, int core) {
  for (auto &[number, receive] : channels.receives)
    receive = [self = shared_from_this(), key = std::pair(core, number), receive](
                  std::span<uint8_t> arrays, const std::atomic<bool> *cancel) -> absl::Status {
      if (absl::Status status = receive(arrays, cancel); !status.ok())
        return status;
      std::lock_guard lock(self->mutex);
      self->answers[key].emplace_back(arrays.begin(), arrays.end());
      return absl::OkStatus();
    };
}

absl::Status AnswerRecorder::write(const std::string &path) const {
  std::lock_guard lock(mutex);
  std::vector<std::pair<std::string, HostArray>> arrays;
  for (int core = 0; core < header.cores(); ++core)
    for (const program::HostTransfer &transfer : header.transfers()) {
      if (!isReceive(transfer))
        continue;
      const auto found = answers.find({core, transfer.channel()});
      size_t at = 0;
      for (int i = 0; i < transfer.tensors_size(); ++i) {
        const program::Tensor &tensor = transfer.tensors(i);
        const auto each = size_t(hostBytes(tensor));
        HostArray array{tensor.dtype(), {0}, {}};
        array.dims.insert(array.dims.end(), tensor.dims().begin(), tensor.dims().end());
        if (found != answers.end()) {
          array.dims.front() = int64_t(found->second.size());
          for (const std::vector<uint8_t> &whole : found->second)
            array.bytes.insert(array.bytes.end(), whole.begin() + at, whole.begin() + at + each);
        }
        at += each;
        arrays.emplace_back(entryName(header, transfer, i, core), std::move(array));
      }
    }
  std::vector<NpzEntry> entries;
  for (const auto &[name, array] : arrays)
    entries.push_back({name, &array});
  return writeNpz(path, entries);
}

} // namespace systole
