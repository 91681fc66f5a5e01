// Conversion between the device's form of arrays and that of channels.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Client/HostChannels.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"

namespace systole {

static absl::string_view nameOfQueue(const program::HostTransfer &transfer) {
  return transfer.to_host() ? "outfeed" : "infeed";
}

static bool hasFunction(const program::HostTransfer &transfer, const HostChannels &channels) {
  if (transfer.queued())
    return transfer.to_host() ? bool(channels.outfeed) : bool(channels.infeed);
  return transfer.to_host() ? channels.sends.contains(transfer.channel())
                            : channels.receives.contains(transfer.channel());
}

absl::Status checkChannels(const Program &program, const HostChannels &channels) {
  for (const program::HostTransfer &transfer : program.header.transfers()) {
    if (hasFunction(transfer, channels))
      continue;
    const std::string at = transfer.source().empty() ? "" : " at " + transfer.source();
    if (transfer.queued())
      return absl::UnimplementedError(absl::StrCat("the program uses the ", nameOfQueue(transfer),
                                                   at, ", which clients of this kind do not have"));
    return absl::InvalidArgumentError(
        absl::StrCat("the program ", transfer.to_host() ? "sends to" : "receives from", " channel ",
                     transfer.channel(), at, ", for which no callback is given"));
  }
  return absl::OkStatus();
}

ChannelPort::ChannelPort(const Program &program, const HostChannels &channels)
    : channels(channels) {
  for (const program::HostTransfer &transfer : program.header.transfers()) {
    Exchange &exchange = exchanges.emplace_back(&transfer);
    size_t hostAt = 0;
    for (const program::Tensor &tensor : transfer.tensors()) {
      const Planes planes = planesOf(tensor);
      for (int plane = 0; plane < planes.count; ++plane)
        pieces[planes.regions[plane]] = {&exchange, &tensor, exchange.pieces++, plane, hostAt};
      hostAt += size_t(hostBytes(tensor));
    }
    exchange.bytes = hostAt;
  }
}

void ChannelPort::finish(Exchange &exchange) {
  // `= {}` would keep what they have reserved.
  exchange.host = std::vector<uint8_t>();
  exchange.planes = std::vector<uint8_t>();
}

absl::Status ChannelPort::failed(absl::Status status) {
  if (failure.ok())
    failure = std::move(status);
  return failure;
}

// An error of a queue, with the line of the operation that uses it.
static absl::Status atSource(const program::HostTransfer &transfer, const absl::Status &status) {
  if (transfer.source().empty())
    return status;
  return absl::Status(status.code(), absl::StrCat(transfer.source(), ": ", status.message()));
}

absl::Status ChannelPort::deliver(const Exchange &exchange) {
  const program::HostTransfer &transfer = *exchange.transfer;
  if (!transfer.queued())
    return channels.sends.at(transfer.channel())(exchange.host);
  auto at = exchange.host.begin();
  for (const program::Tensor &tensor : transfer.tensors()) {
    const auto end = at + hostBytes(tensor);
    if (absl::Status status =
            channels.outfeed({.dtype = tensor.dtype(),
                              .dims = {tensor.dims().begin(), tensor.dims().end()},
                              .bytes = {at, end}});
        !status.ok())
      return atSource(transfer, status);
    at = end;
  }
  return absl::OkStatus();
}

absl::Status ChannelPort::obtain(Exchange &exchange, const std::atomic<bool> *cancel) {
  exchange.host.resize(exchange.bytes);
  const program::HostTransfer &transfer = *exchange.transfer;
  if (!transfer.queued())
    return channels.receives.at(transfer.channel())(exchange.host, cancel);
  auto at = exchange.host.begin();
  for (const program::Tensor &tensor : transfer.tensors()) {
    absl::StatusOr<HostArray> array = channels.infeed(tensor, cancel);
    if (!array.ok())
      return atSource(transfer, array.status());
    assert(int64_t(array->bytes.size()) == hostBytes(tensor) && "an array of the type");
    at = std::ranges::copy(array->bytes, at).out;
  }
  return absl::OkStatus();
}

absl::StatusOr<ChannelPort::Piece> ChannelPort::pieceIn(int region, bool toHost) {
  auto found = pieces.find(region);
  if (found == pieces.end() || found->second.exchange->transfer->to_host() != toHost)
    return absl::InvalidArgumentError(absl::StrCat("nothing is ", toHost ? "sent" : "received",
                                                   " through region ", region, " of the host"));
  const Piece &piece = found->second;
  Exchange &exchange = *piece.exchange;
  if (piece.number != exchange.next)
    return absl::InvalidArgumentError(
        absl::StrCat("region ", region, " of the host is copied out of turn: the program has not ",
                     toHost ? "sent" : "received", " all that goes over channel ",
                     exchange.transfer->channel()));
  assert(exchange.next < exchange.pieces && "a transfer has its pieces in turn");
  exchange.next = (exchange.next + 1) % exchange.pieces;
  return piece;
}

// The bytes of one of a tensor's planes.
static std::span<uint8_t> planeOf(std::vector<uint8_t> &planes, const program::Tensor &tensor,
                                  int plane) {
  assert(plane < planesOf(tensor).count && "no such plane");
  const size_t bytes = planes.size() / size_t(planesOf(tensor).count);
  return std::span(planes).subspan(size_t(plane) * bytes, bytes);
}

static void copy(const void *from, void *to, size_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, bytes);
}

absl::Status ChannelPort::send(int region, absl::Span<const uint32_t> words) {
  absl::StatusOr<Piece> piece = pieceIn(region, /*toHost=*/true);
  if (!piece.ok())
    return failed(piece.status());
  const program::Tensor &tensor = *piece->tensor;
  Exchange &exchange = *piece->exchange;
  if (piece->number == 0)
    exchange.host.resize(exchange.bytes);
  // Rows after the last element need not be sent.
  if (piece->plane == 0)
    exchange.planes.assign(size_t(deviceRows(tensor)) * isa::kRowBytes, 0);
  std::span<uint8_t> plane = planeOf(exchange.planes, tensor, piece->plane);
  copy(words.data(), plane.data(), std::min(plane.size(), words.size() * 4));
  if (piece->plane + 1 == planesOf(tensor).count && hostBytes(tensor) > 0)
    fromDevice(tensor, exchange.planes.data(), exchange.host.data() + piece->hostAt);
  if (exchange.next != 0)
    return absl::OkStatus();
  absl::Status status = deliver(exchange);
  finish(exchange);
  return status.ok() ? status : failed(std::move(status));
}

absl::Status ChannelPort::receive(int region, absl::Span<uint32_t> words,
                                  const std::atomic<bool> *cancel) {
  absl::StatusOr<Piece> piece = pieceIn(region, /*toHost=*/false);
  if (!piece.ok())
    return failed(piece.status());
  const program::Tensor &tensor = *piece->tensor;
  Exchange &exchange = *piece->exchange;
  if (piece->number == 0)
    if (absl::Status status = obtain(exchange, cancel); !status.ok())
      return failed(std::move(status));
  if (piece->plane == 0) {
    exchange.planes.resize(size_t(deviceRows(tensor)) * isa::kRowBytes);
    if (hostBytes(tensor) > 0)
      toDevice(tensor, exchange.host.data() + piece->hostAt, exchange.planes.data());
  }
  std::span<uint8_t> plane = planeOf(exchange.planes, tensor, piece->plane);
  copy(plane.data(), words.data(), std::min(plane.size(), words.size() * 4));
  if (exchange.next == 0)
    finish(exchange);
  return absl::OkStatus();
}

ChannelPorts::ChannelPorts(const Program &program, std::span<const HostChannels> channels) {
  ports.reserve(channels.size());
  for (const HostChannels &each : channels)
    ports.emplace_back(program, each);
}

std::vector<HostPort *> ChannelPorts::byCore() {
  std::vector<HostPort *> result;
  for (ChannelPort &port : ports)
    result.push_back(&port);
  return result;
}

absl::Status ChannelPorts::status() const {
  for (const ChannelPort &port : ports)
    if (!port.status().ok())
      return port.status();
  return absl::OkStatus();
}

} // namespace systole
