// Loads target descriptions and provides their constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Target/Target.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dialects/Machine/Target/Builtin.h"
#include "dialects/Machine/Target/Check.h"
#include "dialects/Machine/Target/Reflection.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace systole {

namespace {

constexpr int kMaxCores = 4096;
constexpr size_t kMaxFileBytes = 1 << 20;

absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

// Keeps the first syntax error and its position.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, int column, const std::string &text) override {
    if (message.empty())
      message = absl::StrCat(line + 1, ":", column + 1, ": ", text);
  }
  std::string message;
};

// One "path=value" line per field that is set, in the order of field numbers:
// the text that is hashed. Numbers are printed so that they read back exactly.
void canonical(const google::protobuf::Message &message, const std::string &prefix,
               std::string &out) {
  using google::protobuf::FieldDescriptor;
  const auto *reflection = message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string path = absl::StrCat(prefix, field->name(), field->is_repeated() ? "[]" : "");
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const auto &inner = field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                                 : reflection->GetMessage(message, field);
        canonical(inner, path + ".", out);
        continue;
      }
      std::string value;
      google::protobuf::TextFormat::PrintFieldValueToString(message, field,
                                                            field->is_repeated() ? i : -1, &value);
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
        char buffer[32];
        auto end =
            std::to_chars(buffer, buffer + sizeof buffer, reflection->GetDouble(message, field));
        value.assign(buffer, end.ptr);
      }
      absl::StrAppend(&out, path, "=", value, "\n");
    }
  }
}

absl::StatusOr<std::string> readFile(const std::string &path) {
  // A named pipe would be waited for.
  std::error_code error;
  if (const auto status = std::filesystem::status(path, error);
      exists(status) && !is_regular_file(status))
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(in.gcount()));
  if (text.size() > kMaxFileBytes || in.bad())
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a target description"));
  return text;
}

// "v3-8" is v3 and 8 cores; "v3" is v3 and one core. 0 cores: not a number.
std::pair<std::string_view, int> splitSlice(std::string_view name) {
  size_t dash = name.rfind('-');
  if (dash == std::string_view::npos)
    return {name, 1};
  int cores = 0;
  const char *begin = name.data() + dash + 1, *end = name.data() + name.size();
  auto [rest, error] = std::from_chars(begin, end, cores);
  if (error != std::errc() || rest != end || cores < 1 || cores > kMaxCores)
    return {name.substr(0, dash), 0};
  return {name.substr(0, dash), cores};
}

} // namespace

std::vector<std::string> listTargets() {
  std::vector<std::string> names;
  for (const BuiltinTarget &target : builtinTargets())
    names.emplace_back(target.name);
  return names;
}

absl::StatusOr<Target> Target::load(std::string_view nameOrFile) {
  auto [base, cores] = splitSlice(nameOrFile);
  for (const BuiltinTarget &builtin : builtinTargets()) {
    if (builtin.name != base)
      continue;
    if (cores == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("target \"", view(nameOrFile),
                       "\": the number of cores is not between 1 and ", kMaxCores));
    absl::StatusOr<Target> target = parse(builtin.text, builtin.name);
    return target.ok() ? target->withCores(cores) : target;
  }
  std::string_view path = nameOrFile;
  absl::StatusOr<std::string> text = readFile(std::string(path));
  if (absl::IsNotFound(text.status()) && cores > 1) {
    path = base;
    text = readFile(std::string(path));
  } else {
    cores = 1;
  }
  if (absl::IsNotFound(text.status()))
    return absl::NotFoundError(
        absl::StrCat("target \"", view(nameOrFile), "\" is neither a known target (",
                     absl::StrJoin(listTargets(), ", "),
                     ", or one with a number of cores as in v3-8) nor a file"));
  if (!text.ok())
    return text.status();
  absl::StatusOr<Target> target = parse(*text, path);
  return target.ok() ? target->withCores(cores) : target;
}

absl::StatusOr<Target> Target::parse(std::string_view text, std::string_view origin) {
  const std::unique_ptr<google::protobuf::Message> fields = emptyDescription();
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(16);
  if (!parser.ParseFromString(std::string(text), fields.get()))
    return absl::InvalidArgumentError(absl::StrCat(view(origin), ":", error.message));
  auto desc = std::make_shared<target::TargetDescription>();
  {
    // Protobuf would log its own messages.
    google::protobuf::LogSilencer silence;
    if (!desc->ParseFromString(fields->SerializeAsString()))
      return absl::InvalidArgumentError(absl::StrCat(view(origin), ": a text is not UTF-8"));
  }
  if (absl::Status status = checkDescription(*desc); !status.ok())
    return absl::InvalidArgumentError(absl::StrCat(view(origin), ": ", status.message()));

  Target target;
  std::string hashed;
  canonical(*fields, "", hashed);
  auto digest = llvm::SHA256::hash(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(hashed.data()), hashed.size()));
  target.digest = llvm::toHex(digest, /*LowerCase=*/true);
  for (const target::Latency &latency : desc->latencies())
    for (size_t i = 0; i < size_t(isa::LatencyClass::count_); ++i)
      if (isa::name(isa::LatencyClass(i)) == latency.latency_class()) {
        target.latencies[i] = latency.cycles();
        target.intervals[i] = latency.interval();
      }
  target.desc = std::move(desc);
  if (absl::Status status = isa::checkFormat(target.bundleFormat()); !status.ok())
    return absl::InvalidArgumentError(absl::StrCat(view(origin), ": ", status.message()));
  return target;
}

Target Target::withCores(int cores) const {
  Target other = *this;
  other.coreCount = cores < 1 ? 1 : cores;
  return other;
}

std::string Target::name() const {
  return coreCount == 1 ? desc->name() : absl::StrCat(desc->name(), "-", coreCount);
}

int Target::chips() const {
  int perChip = int(desc->cores_per_chip().value());
  return (coreCount + perChip - 1) / perChip;
}

int64_t Target::vmemRows() const {
  return int64_t(desc->vmem_bytes_per_core().value()) / isa::kRowBytes;
}

int64_t Target::smemWords() const { return int64_t(desc->smem_bytes_per_core().value()) / 4; }

int64_t Target::hbmRows() const {
  return int64_t(desc->hbm_bytes_per_chip().value() / desc->cores_per_chip().value()) /
         isa::kRowBytes;
}

double Target::hbmBytesPerCycle() const {
  return desc->hbm_gb_per_s_per_chip().value() * 1e9 / desc->cores_per_chip().value() / clockHz();
}

double Target::iciBytesPerCycle() const {
  return desc->ici_gb_per_s_per_link().value() * 1e9 / clockHz();
}

double Target::hostBytesPerCycle() const {
  return desc->host_gb_per_s_per_chip().value() * 1e9 / desc->cores_per_chip().value() / clockHz();
}

double Target::peakFlopsPerCycle() const {
  const double rows = double(isa::kSublanes) / interval(isa::LatencyClass::mxu_push);
  return 2 * rows * mxuSize() * mxuSize() * mxusPerCore();
}

bool Target::hasFeature(std::string_view feature) const {
  for (const std::string &name : desc->features())
    if (name == feature)
      return true;
  return false;
}

isa::BundleFormat Target::bundleFormat() const {
  isa::BundleFormat format;
  auto set = [&](isa::Slot slot, const target::Constant &count) {
    format.slots[size_t(slot)] = uint8_t(count.value());
  };
  set(isa::Slot::Scalar, desc->scalar_slots());
  set(isa::Slot::Vector, desc->vector_slots());
  set(isa::Slot::Load, desc->load_slots());
  set(isa::Slot::Store, desc->store_slots());
  set(isa::Slot::Push, desc->push_slots());
  set(isa::Slot::Pop, desc->pop_slots());
  format.immediates = uint8_t(desc->shared_immediates().value());
  return format;
}

Limits Target::limits() const {
  Limits limits;
  for (size_t i = 0; i < limits.latencies.size(); ++i)
    limits.latencies[i] = {latencies[i], intervals[i]};
  limits.hbmRows = hbmRows();
  limits.vmemRows = vmemRows();
  limits.smemWords = smemWords();
  limits.instructionMemoryBundles = int64_t(desc->instruction_memory_bundles().value());
  limits.loopDepth = int(desc->loop_depth().value());
  limits.callDepth = int(desc->call_depth().value());
  limits.bundle = bundleFormat();
  limits.mxus = mxusPerCore();
  limits.mxuSize = mxuSize();
  limits.mxuFifoDepth = int(desc->mxu_fifo_depth().value());
  limits.xluFifoDepth = int(desc->xlu_fifo_depth().value());
  limits.eupFifoDepth = int(desc->eup_fifo_depth().value());
  limits.v2sFifoDepth = int(desc->v2s_fifo_depth().value());
  limits.dmaQueueDepth = int(desc->dma_queue_depth().value());
  limits.dmaDimensions = int(desc->dma_dimensions().value());
  limits.features.insert(desc->features().begin(), desc->features().end());
  return limits;
}

absl::StatusOr<double> Target::usd(double seconds, std::string_view plan) const {
  for (const target::Price &price : desc->prices())
    if (price.name() == plan)
      return seconds / 3600 * price.usd_per_chip_hour() * chips();
  return absl::NotFoundError(
      absl::StrCat("target ", desc->name(), " has no price plan \"", view(plan), "\""));
}

} // namespace systole
