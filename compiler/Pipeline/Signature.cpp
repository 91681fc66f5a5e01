// A program's signature and constants, from a module of kernels to its header.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Signature.h"

#include "dialects/Core/Core.h"
#include "dialects/Kernel/Attributes.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Layout/EntryLayout.h"
#include "dialects/Layout/MachineShape.h"
#include "dialects/Machine/Program/LocationTable.h"
#include "dialects/Machine/Program/PackTensor.h"
#include "dialects/Machine/Program/TensorLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <map>

using namespace mlir;

namespace systole {

namespace {

/// A tensor of type `physical` with its dimensions in the order of its layout.
program::Tensor tensorOf(RankedTensorType physical, kernel::LayoutAttr layout, std::string name,
                         int32_t region) {
  RankedTensorType type = layout.toLogical(physical);
  program::Tensor tensor;
  tensor.set_name(std::move(name));
  tensor.set_dtype(dtypeName(type.getElementType()));
  for (int64_t size : type.getShape())
    tensor.add_dims(size);
  // Set even for rank 0, as the assembler does.
  program::Layout &order = *tensor.mutable_layout();
  for (int64_t d : layout.getMinorToMajor())
    order.add_minor_to_major(d);
  if (layout.getRowTile() > 1)
    order.set_row_tile(layout.getRowTile());
  tensor.set_region(region);
  return tensor;
}

/// The elements in row-major order, i1 as bytes.
std::vector<uint8_t> hostBytes(DenseElementsAttr value) {
  std::vector<uint8_t> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool element : value.getValues<bool>())
      bytes.push_back(element);
    return bytes;
  }
  ArrayRef<char> raw = value.getRawData();
  if (!value.isSplat())
    return std::vector<uint8_t>(raw.begin(), raw.end());
  for (int64_t i = 0; i < value.getNumElements(); ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

/// The header's entry for the channel of `attr`.
program::HostTransfer &transferOf(kernel::TransferAttr attr, program::ProgramHeader &header) {
  const kernel::Direction direction = attr.getDirection();
  const bool isQueued =
      direction == kernel::Direction::outfeed || direction == kernel::Direction::infeed;
  const bool toHost =
      direction == kernel::Direction::outfeed || direction == kernel::Direction::send;
  for (program::HostTransfer &transfer : *header.mutable_transfers())
    if (transfer.queued() == isQueued && transfer.to_host() == toHost &&
        transfer.channel() == attr.getChannel())
      return transfer;
  program::HostTransfer &transfer = *header.add_transfers();
  transfer.set_queued(isQueued);
  transfer.set_channel(attr.getChannel());
  transfer.set_to_host(toHost);
  if (attr.getSource())
    transfer.set_source(attr.getSource().str());
  return transfer;
}

} // namespace

std::string dtypeName(Type elementType) {
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return name;
}

std::vector<bool> donatedArguments(ModuleOp module) {
  std::vector<bool> donated;
  auto entry = module.lookupSymbol<func::FuncOp>("main");
  // Kernel formation refuses a module without one.
  for (unsigned i = 0; entry && i < entry.getNumArguments(); ++i) {
    // The first attribute designates a result, the second one any result that fits.
    donated.push_back(entry.getArgAttr(i, "tf.aliasing_output") ||
                      entry.getArgAttr(i, "jax.buffer_donor"));
    // Its other planes follow, and sizes.
    i += kernel::planeCount(entry.getArgAttr(i, kernel::kElementAttr)) - 1;
    while (i + 1 < entry.getNumArguments() && entry.getArgAttr(i + 1, kernel::kDynamicDimAttr))
      ++i;
  }
  return donated;
}

void takeSignature(ModuleOp module, program::ProgramHeader &header,
                   std::vector<std::string> &constants) {
  auto take = [&]<typename Attr>(Attr, StringRef name) {
    auto attr = cast<Attr>(module->getAttr(name));
    module->removeAttr(name);
    return attr;
  };
  auto type = cast<FunctionType>(take(TypeAttr(), kernel::kSignatureAttr).getValue());
  auto arguments = take(DenseI32ArrayAttr(), kernel::kArgumentsAttr);
  auto results = take(DenseI32ArrayAttr(), kernel::kResultsAttr);
  auto argumentLayouts = take(ArrayAttr(), kernel::kArgumentLayoutsAttr);
  auto resultLayouts = take(ArrayAttr(), kernel::kResultLayoutsAttr);
  header.set_hbm_rows(take(IntegerAttr(), kernel::kHbmRowsAttr).getInt());
  auto add = [&](TypeRange types, ArrayAttr layouts, ArrayRef<int32_t> regions, StringRef elements,
                 StringRef dims, const Twine &name, auto &entries) {
    ArrayAttr words;
    if (module->hasAttr(elements))
      words = take(ArrayAttr(), elements);
    DenseI64ArrayAttr sizes;
    if (module->hasAttr(dims))
      sizes = take(DenseI64ArrayAttr(), dims);
    for (unsigned i = 0; i < types.size(); ++i) {
      if (sizes && sizes[i] >= 0) {
        program::DynamicDim &dim = *entries.rbegin()->add_dynamic_dims();
        dim.set_dim(sizes[i]);
        dim.set_region(regions[i]);
        continue;
      }
      program::Tensor &tensor = *entries.Add();
      tensor = tensorOf(cast<RankedTensorType>(types[i]), cast<kernel::LayoutAttr>(layouts[i]),
                        (name + Twine(entries.size() - 1)).str(), regions[i]);
      auto element = words ? dyn_cast<TypeAttr>(words[i]) : nullptr;
      if (!element)
        continue;
      tensor.set_dtype(dtypeName(element.getValue()));
      // Its other planes follow.
      for (unsigned plane = 1; plane < kernel::planeCount(element); ++plane)
        tensor.add_high_regions(regions[++i]);
    }
  };
  add(type.getInputs(), argumentLayouts, arguments.asArrayRef(), kernel::kArgumentElementsAttr,
      kernel::kArgumentSizesAttr, "arg", *header.mutable_arguments());
  add(type.getResults(), resultLayouts, results.asArrayRef(), kernel::kResultElementsAttr,
      kernel::kResultSizesAttr, "out", *header.mutable_results());
  llvm::DenseMap<int32_t, int> argumentOf; // by region
  for (auto [i, argument] : llvm::enumerate(header.arguments()))
    argumentOf[argument.region()] = int(i) + 1;
  for (program::Tensor &result : *header.mutable_results())
    result.set_aliased_input(argumentOf.lookup(result.region()));

  for (auto entry : take(ArrayAttr(), kernel::kConstantsAttr).getAsRange<DictionaryAttr>()) {
    int32_t region = cast<IntegerAttr>(entry.get("region")).getInt();
    auto value = cast<DenseElementsAttr>(entry.get("value"));
    auto type = cast<RankedTensorType>(value.getType());
    auto rowMajor = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    program::Tensor tensor = tensorOf(
        type, kernel::LayoutAttr::inOrder(type.getElementType(), rowMajor), "constant", region);
    std::vector<uint8_t> host = hostBytes(value);
    std::string device(deviceRows(tensor) * kRowBytes, '\0');
    toDevice(tensor, host.data(), reinterpret_cast<uint8_t *>(device.data()));
    header.add_constants()->set_region(region);
    constants.push_back(std::move(device));
  }

  if (auto transfers = module->getAttrOfType<ArrayAttr>(kernel::kTransfersAttr))
    for (auto [number, attr] : llvm::enumerate(transfers.getAsRange<kernel::TransferAttr>())) {
      program::HostTransfer &transfer = transferOf(attr, header);
      kernel::WordsAttr words = attr.getWords();
      if (words && words.getPlane() > 0) {
        transfer.mutable_tensors()->rbegin()->add_high_regions(number);
        continue;
      }
      program::Tensor &tensor = *transfer.add_tensors();
      tensor = tensorOf(cast<RankedTensorType>(attr.getType().getValue()), attr.getLayout(),
                        kernel::nameOfTransfer(attr), number);
      if (words)
        tensor.set_dtype(dtypeName(words.getElement()));
    }

  auto entries = take(ArrayAttr(), kernel::kAllocationsAttr);
  auto plan = cast<ArrayAttr>(module->getAttr(kernel::kHbmPlanAttr));
  LocationTable locations;
  for (auto [region, entry] : llvm::zip_equal(plan.getAsRange<kernel::HbmRegionAttr>(),
                                              entries.getAsRange<DictionaryAttr>())) {
    auto text = [entry = entry](StringRef name) {
      auto attr = entry.getAs<StringAttr>(name);
      return attr ? attr.str() : std::string();
    };
    auto number = [entry = entry](StringRef name) {
      auto attr = entry.getAs<IntegerAttr>(name);
      return attr ? attr.getInt() : 0;
    };
    program::Location location;
    location.set_source(text("source"));
    location.set_user(text("user"));
    location.set_name_stack(text("name_stack"));
    program::Allocation *allocation = header.add_allocations();
    allocation->set_name(text("name"));
    allocation->set_location(locations.add(header, location));
    allocation->set_begin(number("begin"));
    allocation->set_end(number("end"));
    allocation->set_space(program::HBM);
    allocation->set_base(region.getBase());
    allocation->set_size(region.getRows());
    allocation->set_payload_bytes(number("payload"));
  }
}

/// Inserts `entry` at `number` in `entries`, which is as long at least.
static void insert(google::protobuf::RepeatedPtrField<program::Tensor> &entries, int number,
                   program::Tensor entry) {
  *entries.Add() = std::move(entry);
  for (int i = entries.size() - 1; i > number; --i)
    entries.SwapElements(i, i - 1);
}

void addHostArrays(ModuleOp module, program::ProgramHeader &header) {
  ArrayAttr arrays = kernel::hostArraysOf(module);
  if (!arrays)
    return;
  module->removeAttr(kernel::kHostArraysAttr);
  // By the number of the argument or result, which others follow.
  std::map<int64_t, program::Tensor> arguments, results;
  std::map<int64_t, int64_t> aliases; // of results
  for (auto [number, array] : llvm::enumerate(arrays.getAsRange<kernel::HostArrayAttr>())) {
    auto type = cast<RankedTensorType>(array.getType().getValue());
    ArrayRef<int64_t> shape = type.getShape();
    program::Tensor tensor;
    tensor.set_dtype(dtypeName(type.getElementType()));
    tensor.mutable_dims()->Add(shape.begin(), shape.end());
    const std::vector<int64_t> order = entryOrder({shape.data(), shape.size()});
    tensor.mutable_layout()->mutable_minor_to_major()->Add(order.begin(), order.end());
    if (const int64_t tile = entryTile({shape.data(), shape.size()}); tile > 1)
      tensor.mutable_layout()->set_row_tile(tile);
    tensor.set_memory(program::Memory(array.getMemory()));
    const int32_t region = kernel::firstPinnedRegion(arrays, number);
    tensor.set_region(region);
    for (int32_t plane = 1; plane < kernel::pinnedRegions(array); ++plane)
      tensor.add_high_regions(region + plane);
    if (array.getResult() >= 0)
      results[array.getResult()] = tensor;
    if (array.getResult() >= 0 && array.getArgument() >= 0)
      aliases[array.getResult()] = array.getArgument();
    tensor.set_donated(array.getDonated());
    if (array.getArgument() >= 0)
      arguments[array.getArgument()] = tensor;
  }
  // The numbers that arguments on the device have among all.
  std::vector<int> numbers;
  for (int number = 0; int(numbers.size()) < header.arguments_size(); ++number)
    if (!arguments.contains(number))
      numbers.push_back(number);
  for (program::Tensor &result : *header.mutable_results())
    if (result.aliased_input() > 0)
      result.set_aliased_input(numbers[size_t(result.aliased_input() - 1)] + 1);
  for (auto &[number, tensor] : arguments)
    insert(*header.mutable_arguments(), int(number), tensor);
  for (auto &[number, tensor] : results) {
    if (auto alias = aliases.find(number); alias != aliases.end())
      tensor.set_aliased_input(int(alias->second) + 1);
    insert(*header.mutable_results(), int(number), tensor);
  }
  for (int i = 0; i < header.arguments_size(); ++i)
    header.mutable_arguments(i)->set_name("arg" + std::to_string(i));
  for (int i = 0; i < header.results_size(); ++i)
    header.mutable_results(i)->set_name("out" + std::to_string(i));
}

void placeSignature(ModuleOp module, program::ProgramHeader &header) {
  auto regions = cast<ArrayAttr>(module->getAttr("core.regions")).getAsRange<core::RegionAttr>();
  auto firstIn = [&](core::MemorySpace space) {
    auto found =
        llvm::find_if(regions, [&](core::RegionAttr region) { return region.getSpace() == space; });
    return static_cast<int32_t>(std::distance(regions.begin(), found));
  };
  const int32_t firstHbm = firstIn(core::MemorySpace::hbm),
                firstPinned = firstIn(core::MemorySpace::pinned),
                firstHost = firstIn(core::MemorySpace::host);
  auto renumber = [&](auto &entries, int32_t others) {
    for (auto &entry : entries) {
      int32_t first = others;
      if constexpr (requires { entry.memory(); })
        first = entry.memory() == program::DEVICE ? others : firstPinned;
      entry.set_region(entry.region() + first);
      if constexpr (requires { entry.high_regions(); })
        for (int32_t &region : *entry.mutable_high_regions())
          region += first;
      if constexpr (requires { entry.dynamic_dims(); })
        for (program::DynamicDim &dim : *entry.mutable_dynamic_dims())
          dim.set_region(dim.region() + first);
    }
  };
  renumber(*header.mutable_arguments(), firstHbm);
  renumber(*header.mutable_results(), firstHbm);
  renumber(*header.mutable_constants(), firstHbm);
  for (program::HostTransfer &transfer : *header.mutable_transfers())
    renumber(*transfer.mutable_tensors(), firstHost);
}

} // namespace systole
