// Checks of a target description: units and ranges of all constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/Check.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "dialects/Machine/InstructionSet/Isa.h"
#include "dialects/Machine/Target/Reflection.h"

namespace systole {

using namespace target;

namespace {

struct Rule {
  std::string_view field;
  std::string_view unit;
  double min, max;
  bool integral;
};

constexpr Rule slotRule(std::string_view field, isa::Slot slot) {
  return {field, "slots", double(isa::kBaseSlots[size_t(slot)]),
          double(isa::kMaxSlots[size_t(slot)]), true};
}

// Upper bounds are limits of the emulator's representation, not of plausibility.
constexpr Rule kRules[] = {
    {"clock_mhz", "MHz", 1, 1e6, false},
    {"cores_per_chip", "cores", 1, 64, true},
    {"mxus_per_core", "arrays", 1, 8, true},
    {"mxu_size", "rows", 128, 256, true},
    {"vmem_bytes_per_core", "bytes", 4096, double(1 << 30), true},
    {"smem_bytes_per_core", "bytes", 512, double(1 << 24), true},
    {"hbm_bytes_per_chip", "bytes", 4096, double(1LL << 40), true},
    {"hbm_gb_per_s_per_chip", "GB/s", 0.001, 1e6, false},
    {"instruction_memory_bundles", "bundles", 16, double(1 << 24), true},
    {"loop_depth", "loops", 1, 64, true},
    {"call_depth", "calls", 1, 64, true},
    {"mxu_fifo_depth", "results", 1, 256, true},
    {"xlu_fifo_depth", "results", 1, 256, true},
    {"eup_fifo_depth", "results", 1, 256, true},
    {"v2s_fifo_depth", "results", 1, 256, true},
    {"dma_queue_depth", "copies", 1, 120, true},
    {"dma_latency_cycles", "cycles", 0, 1e6, true},
    {"dma_min_chunk_bytes", "bytes", 4, 65536, true},
    {"dma_dimensions", "dimensions", 2, 4, true},
    {"vmem_copy_bytes_per_cycle", "bytes/cycle", 0.001, 1e6, false},
    {"overlay_bytes_per_cycle", "bytes/cycle", 0.001, 1e6, false},
    {"ici_links", "links", 0, 64, true},
    {"ici_gb_per_s_per_link", "GB/s", 0.001, 1e6, false},
    {"ici_latency_cycles", "cycles", 1, 1e6, true},
    {"host_gb_per_s_per_chip", "GB/s", 0.001, 1e6, false},
    {"host_latency_cycles", "cycles", 0, 1e6, true},
    slotRule("scalar_slots", isa::Slot::Scalar),
    slotRule("vector_slots", isa::Slot::Vector),
    slotRule("load_slots", isa::Slot::Load),
    slotRule("store_slots", isa::Slot::Store),
    slotRule("push_slots", isa::Slot::Push),
    slotRule("pop_slots", isa::Slot::Pop),
    {"shared_immediates", "immediates", isa::kBaseImmediates, isa::kMaxImmediates, true},
};

absl::Status error(std::string_view field, const std::string &text) {
  return absl::InvalidArgumentError(
      absl::StrCat(absl::string_view(field.data(), field.size()), ": ", text));
}

absl::Status checkConstant(const Rule &rule, const Constant &constant) {
  double value = constant.value();
  if (constant.unit() != rule.unit)
    return error(rule.field, absl::StrCat("the unit is \"", std::string(rule.unit), "\", not \"",
                                          constant.unit(), "\""));
  if (!(value >= rule.min && value <= rule.max))
    return error(rule.field,
                 absl::StrCat("value ", value, " is not between ", rule.min, " and ", rule.max));
  if (rule.integral && value != std::floor(value))
    return error(rule.field, absl::StrCat("value ", value, " is not a whole number"));
  if (constant.source().empty())
    return error(rule.field, "no source is given");
  if (constant.confidence() == UNSPECIFIED || !Confidence_IsValid(constant.confidence()))
    return error(rule.field, "no confidence is given");
  return absl::OkStatus();
}

absl::Status checkConstants(const TargetDescription &desc) {
  for (const NamedConstant &constant : constantsOf(desc)) {
    const Rule *rule = nullptr;
    for (const Rule &r : kRules)
      if (r.field == constant.name)
        rule = &r;
    if (!rule)
      return error(constant.name, "this constant has no rule");
    if (!constant.value)
      return error(constant.name, "this constant is missing");
    if (absl::Status status = checkConstant(*rule, *constant.value); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status checkLatencies(const TargetDescription &desc) {
  constexpr size_t count = size_t(isa::LatencyClass::count_);
  std::array<bool, count> seen{};
  for (const Latency &latency : desc.latencies()) {
    std::string field = absl::StrCat("latencies \"", latency.latency_class(), "\"");
    size_t index = 0;
    while (index < count && isa::name(isa::LatencyClass(index)) != latency.latency_class())
      ++index;
    if (index == count)
      return error(field, "there is no such latency class");
    if (seen[index])
      return error(field, "given twice");
    seen[index] = true;
    bool control = isa::LatencyClass(index) == isa::LatencyClass::control;
    if (latency.cycles() < (control ? 0 : 1) || latency.cycles() > 4096)
      return error(field, absl::StrCat("cycles ", latency.cycles(), " is not between ",
                                       control ? 0 : 1, " and 4096"));
    if (latency.interval() < 1 || latency.interval() > 4096)
      return error(field,
                   absl::StrCat("interval ", latency.interval(), " is not between 1 and 4096"));
    if (latency.source().empty())
      return error(field, "no source is given");
    if (latency.confidence() == UNSPECIFIED || !Confidence_IsValid(latency.confidence()))
      return error(field, "no confidence is given");
  }
  for (size_t i = 0; i < count; ++i)
    if (!seen[i])
      return error(
          "latencies",
          absl::StrCat("class \"", std::string(isa::name(isa::LatencyClass(i))), "\" is missing"));
  return absl::OkStatus();
}

} // namespace

absl::Status checkDescription(const TargetDescription &desc) {
  if (desc.name().empty())
    return error("name", "it is empty");
  if (absl::Status status = checkConstants(desc); !status.ok())
    return status;
  if (const double size = desc.mxu_size().value(); size != 128 && size != 256)
    return error("mxu_size", absl::StrCat("value ", size, " is not 128 or 256"));
  if (absl::Status status = checkLatencies(desc); !status.ok())
    return status;
  std::set<std::string> plans;
  for (const Price &price : desc.prices()) {
    std::string field = absl::StrCat("prices \"", price.name(), "\"");
    if (price.name().empty() || !plans.insert(price.name()).second)
      return error(field, "a plan needs a name of its own");
    if (!(price.usd_per_chip_hour() >= 0 && price.usd_per_chip_hour() < 1e6))
      return error(field, absl::StrCat("usd_per_chip_hour ", price.usd_per_chip_hour(),
                                       " is not between 0 and 1000000"));
    if (price.source().empty())
      return error(field, "no source is given");
  }
  return absl::OkStatus();
}

} // namespace systole
