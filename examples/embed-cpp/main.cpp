// Compiles a dense layer, runs it on an emulated device, and prints results and costs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string_view>
#include <vector>

#include "systole/compiler.h"

namespace {

constexpr std::string_view kProgram = R"(
module @dense {
  func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x3xf32>
    %3 = stablehlo.tanh %2 : tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
})";

// `count` numbers from `first` on, `step` apart.
std::vector<float> sequence(int count, float first, float step) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(first + step * float(i));
  return values;
}

absl::Status run() {
  absl::StatusOr<systole::Device> device = systole::Device::create({.target = "v3"});
  if (!device.ok())
    return device.status();
  absl::StatusOr<systole::Executable> executable =
      systole::compile(*device, kProgram, {.precision = "highest", .fileName = "dense.mlir"});
  if (!executable.ok())
    return executable.status();

  const std::vector<float> data[] = {sequence(32, -1, 0.0625f), sequence(24, 0.5f, -0.03125f),
                                     sequence(3, 0, 0.25f)};
  // The weights are column-major here: strides say so.
  const int64_t weightStrides[] = {4, 32};
  std::vector<systole::Buffer> arguments;
  for (size_t i = 0; i < std::size(data); ++i) {
    const systole::TensorType &type = executable->signature().arguments[i].type;
    absl::StatusOr<systole::Buffer> buffer = systole::Buffer::fromHost(
        *device, data[i].data(), type.elementType, type.dims,
        i == 1 ? std::span<const int64_t>(weightStrides) : std::span<const int64_t>());
    if (!buffer.ok())
      return buffer.status();
    arguments.push_back(*std::move(buffer));
  }

  // The copy waits for the run on the device, not here.
  absl::StatusOr<systole::Execution> execution = executable->runAsync(arguments);
  if (!execution.ok())
    return execution.status();
  float results[12];
  absl::StatusOr<systole::Event> copied =
      execution->results()[0].toHostAsync(results, sizeof(results));
  if (!copied.ok())
    return copied.status();
  if (absl::Status status = copied->await(); !status.ok())
    return status;
  for (float result : results)
    std::printf("%.7g\n", result);

  absl::StatusOr<systole::Report> report = execution->report();
  if (!report.ok())
    return report.status();
  std::printf("%lld cycles on %s, %lld flops\n", (long long)report->cycles, report->target.c_str(),
              (long long)report->flops);
  return absl::OkStatus();
}

} // namespace

int main() {
  const absl::Status status = run();
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
