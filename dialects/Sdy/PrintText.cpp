// Shardings and sharding rules in Shardy's own text.
//
// What has another structure than Shardy's, as artifacts may have it, is printed in the form of
// coded dialects.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Sdy/PrintText.h"

#include "dialects/Sdy/ShardingRule.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace systole::sdy {

using namespace coded;

namespace {

/// Writes the text of attributes. Each function returns failure for a structure without one.
class Writer {
public:
  explicit Writer(llvm::raw_ostream &out) : out(out) {}

  LogicalResult sharding(const Node &node);
  LogicalResult shardings(const Node &node);
  LogicalResult rule(const Node &node);

private:
  LogicalResult mesh(Attribute attribute);
  LogicalResult axis(Attribute attribute);
  LogicalResult dimension(Attribute attribute);
  LogicalResult tensors(ArrayRef<Attribute> mappings);
  LogicalResult list(ArrayRef<Attribute> elements, function_ref<LogicalResult(Attribute)> element);
  void factors(ArrayRef<int64_t> numbers);

  llvm::raw_ostream &out;
};

const Node *nodeOf(Attribute attribute, StringRef kind) {
  auto coded = dyn_cast_or_null<SdyAttr>(attribute);
  return coded && coded.node().kind->name == kind ? &coded.node() : nullptr;
}

LogicalResult Writer::list(ArrayRef<Attribute> elements,
                           function_ref<LogicalResult(Attribute)> element) {
  for (auto [number, attribute] : llvm::enumerate(elements)) {
    out << (number == 0 ? "" : ", ");
    if (failed(element(attribute)))
      return failure();
  }
  return success();
}

LogicalResult Writer::mesh(Attribute attribute) {
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute)) {
    out << symbol;
    return success();
  }
  const Node *node = nodeOf(attribute, "mesh");
  if (!node)
    return failure();
  out << "mesh<[";
  auto element = [&](Attribute axis) {
    const Node *named = nodeOf(axis, "mesh_axis");
    if (!named)
      return failure();
    out << StringAttr::get(axis.getContext(), named->bytes) << '=' << named->ints[0];
    return success();
  };
  if (failed(list(node->attributes, element)))
    return failure();
  out << ']';
  if (ArrayRef<int64_t> devices = node->ints.drop_front(2); !devices.empty()) {
    out << ", device_ids=[";
    llvm::interleaveComma(devices, out);
    out << ']';
  }
  out << '>';
  return success();
}

LogicalResult Writer::axis(Attribute attribute) {
  const Node *node = nodeOf(attribute, "axis_ref");
  if (!node)
    return failure();
  out << StringAttr::get(attribute.getContext(), node->bytes);
  Attribute part = node->attributes[0];
  if (!part)
    return success();
  const Node *range = nodeOf(part, "sub_axis_info");
  if (!range)
    return failure();
  out << ":(" << range->ints[0] << ')' << range->ints[1];
  return success();
}

LogicalResult Writer::dimension(Attribute attribute) {
  const Node *node = nodeOf(attribute, "dimension_sharding");
  if (!node)
    return failure();
  out << '{';
  if (failed(list(node->attributes, [&](Attribute part) { return axis(part); })))
    return failure();
  if (node->ints[1] == 0)
    out << (node->attributes.empty() ? "?" : ", ?");
  out << '}';
  if (node->ints[2] == 0)
    return success();
  out << 'p' << node->ints[3];
  return success(node->ints[3] >= 0);
}

LogicalResult Writer::sharding(const Node &node) {
  // The numbers of dimensions, of replicated and of unreduced axes, and how these are reduced.
  constexpr int64_t kSum = 0, kMax = 1, kMin = 2;
  ArrayRef<Attribute> rest = node.attributes.drop_front();
  auto take = [&](size_t count) {
    ArrayRef<Attribute> taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  const bool hasUnreduced = node.ints.size() > 2;
  const int64_t reduction = node.ints.size() > 3 ? node.ints[3] : kSum;
  // The parser makes the oldest version that has all of it.
  if ((hasUnreduced && node.ints[2] == 0) || (node.ints.size() > 3 && reduction == kSum) ||
      reduction < kSum || reduction > kMin)
    return failure();
  auto axes = [&](StringRef name, int64_t count) {
    if (count == 0)
      return success();
    out << ", " << name << '{';
    if (failed(list(take(size_t(count)), [&](Attribute part) { return axis(part); })))
      return failure();
    out << '}';
    return success();
  };
  out << '<';
  if (failed(mesh(node.attributes.front())))
    return failure();
  out << ", [";
  if (failed(list(take(size_t(node.ints[0])), [&](Attribute dim) { return dimension(dim); })))
    return failure();
  out << ']';
  if (failed(axes("replicated=", node.ints[1])) ||
      (hasUnreduced && failed(axes(reduction == kSum   ? "unreduced="
                                   : reduction == kMax ? "unreduced=max"
                                                       : "unreduced=min",
                                   node.ints[2]))))
    return failure();
  out << '>';
  return success();
}

LogicalResult Writer::shardings(const Node &node) {
  out << "<[";
  auto element = [&](Attribute attribute) {
    auto coded = dyn_cast_or_null<SdyAttr>(attribute);
    return coded && isSharding(coded.node()) ? sharding(coded.node()) : failure();
  };
  if (failed(list(node.attributes, element)))
    return failure();
  out << "]>";
  return success();
}

LogicalResult Writer::tensors(ArrayRef<Attribute> mappings) {
  out << '(';
  auto dimension = [&](Attribute attribute) {
    const Node *dim = nodeOf(attribute, "dim_mapping");
    if (!dim || dim->ints.size() < 2)
      return failure();
    for (int64_t factor : dim->ints.drop_front()) {
      if (factor < 0)
        return failure();
      out << nameOfFactor(factor);
    }
    return success();
  };
  auto tensor = [&](Attribute attribute) {
    const Node *mapping = nodeOf(attribute, "tensor_mapping");
    if (!mapping)
      return failure();
    out << '[';
    if (failed(list(mapping->attributes, dimension)))
      return failure();
    out << ']';
    return success();
  };
  if (failed(list(mappings, tensor)))
    return failure();
  out << ')';
  return success();
}

void Writer::factors(ArrayRef<int64_t> numbers) {
  out << '{';
  llvm::interleaveComma(numbers, out, [&](int64_t factor) { out << nameOfFactor(factor); });
  out << '}';
}

LogicalResult Writer::rule(const Node &node) {
  ArrayRef<int64_t> ints = node.ints;
  auto number = [&] {
    const int64_t first = ints.front();
    ints = ints.drop_front();
    return first;
  };
  auto numbers = [&] {
    const auto count = size_t(number());
    ArrayRef<int64_t> taken = ints.take_front(count);
    ints = ints.drop_front(count);
    return taken;
  };
  ArrayRef<int64_t> sizes = numbers();
  const auto operands = size_t(number());
  (void)number();
  out << '<';
  if (failed(tensors(node.attributes.take_front(operands))))
    return failure();
  out << "->";
  if (failed(tensors(node.attributes.drop_front(operands))))
    return failure();
  if (!sizes.empty()) {
    out << " {";
    llvm::interleaveComma(llvm::enumerate(sizes), out, [&](auto factor) {
      out << nameOfFactor(int64_t(factor.index())) << '=' << factor.value();
    });
    out << '}';
  }
  for (StringRef kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    ArrayRef<int64_t> ofKind = numbers();
    if (llvm::any_of(ofKind, [](int64_t factor) { return factor < 0; }))
      return failure();
    if (ofKind.empty())
      continue;
    out << ' ' << kind << '=';
    factors(ofKind);
  }
  if (number() != 0)
    out << ", custom";
  out << '>';
  return success();
}

} // namespace

bool isSharding(const Node &node) {
  return llvm::is_contained({"sharding", "sharding_v2", "sharding_v3"}, node.kind->name);
}

std::optional<std::string> textOf(const Node &node) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Writer writer(out);
  LogicalResult result = failure();
  if (isSharding(node)) {
    out << "sharding";
    result = writer.sharding(node);
  } else if (node.kind->name == "sharding_per_value") {
    out << "sharding_per_value";
    result = writer.shardings(node);
  } else if (node.kind->name == "op_sharding_rule") {
    out << "op_sharding_rule";
    result = writer.rule(node);
  }
  return succeeded(result) ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace systole::sdy
