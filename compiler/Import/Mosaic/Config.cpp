// The configuration of a Pallas kernel's call.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Mosaic/Config.h"

#include "compiler/Diagnostics/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

namespace systole {

namespace {

/// LLVM's parser of JSON recurses into brackets. JAX writes four levels.
constexpr unsigned kMaxNesting = 64;

bool nestsTooDeep(StringRef json) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > kMaxNesting)
      return true;
    else if (!inString && depth && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

/// Reads fields of objects; the first one that is malformed is reported.
class Reader {
public:
  explicit Reader(Location loc) : loc(loc) {}

  LogicalResult refuse(const Twine &reason) {
    return emitError(loc) << "the configuration of a Pallas kernel is malformed: " << reason;
  }

  /// Sets `value` if the object has the field.
  template <typename T> LogicalResult read(const Object &object, StringRef name, T &value) {
    const Json *field = object.get(name);
    return field ? convert(*field, name, value) : success();
  }

  LogicalResult config(const Json &json, MosaicConfig &config);

private:
  LogicalResult convert(const Json &field, StringRef name, bool &value) {
    auto found = field.getAsBoolean();
    value = found.value_or(false);
    return found ? success() : refuse("'" + name + "' is not true or false");
  }
  LogicalResult convert(const Json &field, StringRef name, int64_t &value) {
    auto found = field.getAsInteger();
    value = found.value_or(0);
    return found ? success() : refuse("'" + name + "' is not an integer");
  }
  template <typename T>
  LogicalResult convert(const Json &field, StringRef name, std::optional<T> &value) {
    return convert(field, name, value.emplace());
  }
  LogicalResult convert(const Json &field, StringRef name, MosaicCost &cost) {
    const Object *object = field.getAsObject();
    if (!object)
      return refuse("'" + name + "' is not an object");
    return failure(failed(read(*object, "flops", cost.flops)) ||
                   failed(read(*object, "transcendentals", cost.transcendentals)) ||
                   failed(read(*object, "bytes_accessed", cost.bytesAccessed)) ||
                   failed(read(*object, "remote_bytes_transferred", cost.remoteBytesTransferred)));
  }
  /// An array, with a function for each element.
  LogicalResult list(const Object &object, StringRef name,
                     function_ref<LogicalResult(const Json &)> element) {
    const Json *field = object.get(name);
    if (!field)
      return success();
    const Array *array = field->getAsArray();
    if (!array)
      return refuse("'" + name + "' is not an array");
    for (const Json &value : *array)
      if (failed(element(value)))
        return failure();
    return success();
  }
  /// An array of objects.
  LogicalResult objects(const Object &object, StringRef name,
                        function_ref<LogicalResult(const Object &)> element) {
    return list(object, name, [&](const Json &value) {
      const Object *entry = value.getAsObject();
      return entry ? element(*entry) : refuse("'" + name + "' has an element that is no object");
    });
  }

  LogicalResult placements(const Object &object, StringRef name, bool areResults,
                           std::vector<MosaicPlacement> &placements);
  LogicalResult memory(const Object &object, MosaicConfig &config);
  LogicalResult flag(const Object &object, MosaicConfig &config);
  LogicalResult call(const Object &object, MosaicConfig &config);

  Location loc;
};

bool isMemory(int64_t color) {
  switch (static_cast<MosaicMemory>(color)) {
  case MosaicMemory::Hbm:
  case MosaicMemory::Vmem:
  case MosaicMemory::Semaphores:
  case MosaicMemory::Smem:
  case MosaicMemory::Host:
  case MosaicMemory::ScalarSemaphores:
    return true;
  }
  return false;
}

/// Operands have `operand_index`, results of which there are several `shape_index` of one number.
LogicalResult Reader::placements(const Object &object, StringRef name, bool areResults,
                                 std::vector<MosaicPlacement> &placements) {
  return objects(object, name, [&](const Object &entry) {
    int64_t index = 0, color = -1;
    unsigned indices = 0;
    if (failed(read(entry, "color", color)) || failed(read(entry, "operand_index", index)) ||
        failed(list(entry, "shape_index", [&](const Json &value) {
          ++indices;
          return convert(value, "shape_index", index);
        })))
      return failure();
    if (!isMemory(color))
      return refuse("'" + name + "' has the memory " + Twine(color) + ", which is not known");
    if (index < 0 || indices > 1 || (!areResults && !entry.get("operand_index")))
      return refuse("'" + name + "' has an element without the number of an array");
    placements.push_back({index, static_cast<MosaicMemory>(color)});
    return success();
  });
}

LogicalResult Reader::memory(const Object &object, MosaicConfig &config) {
  int64_t space = -1, offset = 0, size = -1;
  if (failed(read(object, "memory_space", space)) || failed(read(object, "offset", offset)) ||
      failed(read(object, "size", size)))
    return failure();
  if (space != static_cast<int64_t>(MosaicMemory::Vmem) || offset != 0 || size < 0)
    return refuse("'scoped_memory_configs' is " + Twine(size) + " bytes at " + Twine(offset) +
                  " of memory " + Twine(space) + "; only VMEM from 0 on can be limited");
  config.vmemLimitBytes = size;
  return success();
}

LogicalResult Reader::flag(const Object &object, MosaicConfig &config) {
  auto name = object.getString("flag_type");
  const Object *value = object.getObject("value");
  if (!name || !value)
    return refuse("'flag_configs' has an element without 'flag_type' or 'value'");
  MosaicFlag &flag = config.flags.emplace_back(MosaicFlag{name->str(), false});
  if (auto boolean = value->getBoolean("boolean_value"))
    flag.value = *boolean;
  else if (auto integer = value->getInteger("integer_value"))
    flag.value = *integer;
  else if (auto number = value->getNumber("double_value"))
    flag.value = *number;
  else
    return refuse("flag '" + *name + "' has no value");
  return success();
}

LogicalResult Reader::call(const Object &object, MosaicConfig &config) {
  auto body = object.getString("body");
  if (!body)
    return refuse("there is no 'body'");
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(*body, bytes))
    return refuse("'body' is not base64: " + llvm::toString(std::move(error)));
  config.body.assign(bytes.begin(), bytes.end());
  if (failed(read(object, "has_communication", config.hasCommunication)) ||
      failed(read(object, "collective_id", config.collectiveId)) ||
      failed(read(object, "cost_estimate", config.cost)) ||
      failed(read(object, "serialization_format", config.serializationFormat)) ||
      failed(read(object, "needs_hlo_passes", config.needsHloPasses)) ||
      failed(read(object, "needs_layout_passes", config.needsLayoutPasses)) ||
      failed(list(object, "allow_input_fusion",
                  [&](const Json &value) {
                    bool allow;
                    if (failed(convert(value, "allow_input_fusion", allow)))
                      return failure();
                    config.allowInputFusion.push_back(allow);
                    return success();
                  })) ||
      failed(read(object, "internal_scratch_in_bytes", config.internalScratchBytes)) ||
      failed(placements(object, "output_memory_space_colors", /*areResults=*/true,
                        config.resultMemories)) ||
      failed(placements(object, "input_memory_space_colors", /*areResults=*/false,
                        config.operandMemories)) ||
      failed(read(object, "disable_bounds_checks", config.disableBoundsChecks)) ||
      failed(read(object, "disable_semaphore_checks", config.disableSemaphoreChecks)) ||
      failed(read(object, "skip_device_barrier", config.skipDeviceBarrier)) ||
      failed(read(object, "shape_invariant_numerics", config.shapeInvariantNumerics)))
    return failure();
  if (config.internalScratchBytes.value_or(0) < 0)
    return refuse("'internal_scratch_in_bytes' is negative");
  return success();
}

LogicalResult Reader::config(const Json &json, MosaicConfig &config) {
  const Object *object = json.getAsObject();
  const Object *callConfig = object ? object->getObject("custom_call_config") : nullptr;
  if (!callConfig)
    return refuse("there is no 'custom_call_config'");
  if (auto device = object->getString("device_type"); device && device->contains("SPARSECORE"))
    return emitUnimplemented(loc) << "a Pallas kernel for a SparseCore is not supported; kernels "
                                     "for a TensorCore are";
  if (failed(call(*callConfig, config)))
    return failure();
  return failure(failed(objects(*object, "scoped_memory_configs",
                                [&](const Object &entry) { return memory(entry, config); })) ||
                 failed(objects(*object, "flag_configs",
                                [&](const Object &entry) { return flag(entry, config); })));
}

} // namespace

FailureOr<MosaicConfig> readMosaicConfig(StringRef json, Location loc) {
  Reader reader(loc);
  if (nestsTooDeep(json))
    return reader.refuse("brackets nest deeper than " + Twine(kMaxNesting));
  llvm::Expected<Json> value = llvm::json::parse(json);
  if (!value)
    return reader.refuse(llvm::toString(value.takeError()));
  MosaicConfig config;
  if (failed(reader.config(*value, config)))
    return failure();
  return config;
}

} // namespace systole
