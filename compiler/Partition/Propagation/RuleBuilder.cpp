// Builds a sharding rule factor by factor.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Propagation/RuleBuilder.h"

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace systole::partition {

RuleBuilder::RuleBuilder(TypeRange operands, TypeRange results) {
  auto addTensors = [](SmallVector<TensorFactorsOfDims> &tensors, TypeRange types) {
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      tensors.emplace_back(shaped && shaped.hasRank() ? size_t(shaped.getRank()) : 0);
    }
  };
  addTensors(rule.operands, operands);
  addTensors(rule.results, results);
}

int64_t RuleBuilder::factor(int64_t size, FactorKind kind, bool isBlocked) {
  const auto number = int64_t(rule.sizes.size());
  rule.sizes.push_back(size);
  if (isBlocked)
    rule.blocked.push_back(number);
  if (kind == FactorKind::Reduction)
    rule.reduction.push_back(number);
  else if (kind == FactorKind::NeedReplication)
    rule.needReplication.push_back(number);
  else if (kind == FactorKind::Permutation)
    rule.permutation.push_back(number);
  return number;
}

RuleBuilder &RuleBuilder::add(ArrayRef<int64_t> operandDims, ArrayRef<int64_t> resultDims,
                              int64_t size, FactorKind kind, bool isBlocked) {
  const int64_t number = factor(size, kind, isBlocked);
  auto addTo = [&](SmallVector<TensorFactorsOfDims> &tensors, ArrayRef<int64_t> dims) {
    for (auto [tensor, dim] : llvm::zip_equal(tensors, dims))
      if (dim != kNone && (size != 1 || tensor[size_t(dim)].empty()))
        tensor[size_t(dim)].push_back(number);
  };
  addTo(rule.operands, operandDims);
  addTo(rule.results, resultDims);
  return *this;
}

void RuleBuilder::addToEach(MutableArrayRef<TensorFactorsOfDims> tensors, int64_t dim,
                            int64_t factor) {
  for (TensorFactorsOfDims &tensor : tensors)
    if (!tensor.empty())
      tensor[size_t(dim)].push_back(factor);
}

RuleBuilder &RuleBuilder::addToAll(int64_t dim, int64_t size, FactorKind kind, bool isBlocked) {
  const int64_t number = factor(size, kind, isBlocked);
  addToEach(rule.operands, dim, number);
  addToEach(rule.results, dim, number);
  return *this;
}

RuleBuilder &RuleBuilder::addToOperands(int64_t dim, int64_t size, FactorKind kind) {
  addToEach(rule.operands, dim, factor(size, kind, /*isBlocked=*/false));
  return *this;
}

RuleBuilder &RuleBuilder::addToResults(int64_t dim, int64_t size, FactorKind kind) {
  addToEach(rule.results, dim, factor(size, kind, /*isBlocked=*/false));
  return *this;
}

RuleBuilder &RuleBuilder::addShape(ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape))
    addToAll(int64_t(dim), size);
  return *this;
}

RuleBuilder &RuleBuilder::addShapes(ArrayRef<int64_t> shape, ArrayRef<int64_t> result,
                                    FactorKind kind, bool isBlocked) {
  for (auto [dim, size, resultSize] : llvm::enumerate(shape, result)) {
    if (size == resultSize)
      addToAll(int64_t(dim), size);
    else
      addToAll(int64_t(dim), size, kind, isBlocked);
  }
  return *this;
}

ShardingRule RuleBuilder::take() {
  for (auto *tensors : {&rule.operands, &rule.results})
    for (TensorFactorsOfDims &tensor : *tensors)
      for (DimFactors &dim : tensor)
        if (dim.empty())
          dim.push_back(factor(1, FactorKind::PassThrough, /*isBlocked=*/false));
  return std::move(rule);
}

ShardingRule identityRule(ArrayRef<int64_t> shape, size_t operands) {
  ShardingRule rule;
  rule.sizes.assign(shape.begin(), shape.end());
  TensorFactorsOfDims tensor;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    tensor.push_back({int64_t(dim)});
  rule.operands.assign(operands, tensor);
  rule.results.assign(1, tensor);
  return rule;
}

Attribute ShardingRule::encode(MLIRContext *context) const {
  auto *dialect = context->getOrLoadDialect<sdy::SdyDialect>();
  coded::NodeBuilder node = dialect->builder("op_sharding_rule");
  auto append = [](coded::NodeBuilder &to, ArrayRef<int64_t> list) {
    to.ints.push_back(int64_t(list.size()));
    llvm::append_range(to.ints, list);
  };
  append(node, sizes);
  for (const auto *tensors : {&operands, &results}) {
    node.ints.push_back(int64_t(tensors->size()));
    for (const TensorFactorsOfDims &tensor : *tensors) {
      coded::NodeBuilder mapping = dialect->builder("tensor_mapping");
      mapping.ints.push_back(int64_t(tensor.size()));
      for (const DimFactors &dim : tensor) {
        coded::NodeBuilder factors = dialect->builder("dim_mapping");
        append(factors, dim);
        mapping.attributes.push_back(dialect->attribute(factors.node()));
      }
      node.attributes.push_back(dialect->attribute(mapping.node()));
    }
  }
  for (const auto *kind : {&reduction, &needReplication, &permutation, &blocked})
    append(node, *kind);
  node.ints.push_back(isCustom);
  return dialect->attribute(node.node());
}

std::optional<ShardingRule> ShardingRule::decode(Attribute attribute) {
  auto coded = dyn_cast_or_null<sdy::SdyAttr>(attribute);
  if (!coded || coded.node().kind->name != "op_sharding_rule")
    return std::nullopt;
  ArrayRef<int64_t> ints = coded.node().ints;
  ArrayRef<Attribute> mappings = coded.node().attributes;
  auto number = [&] {
    const int64_t first = ints.front();
    ints = ints.drop_front();
    return first;
  };
  auto list = [&] {
    ArrayRef<int64_t> first = ints.drop_front().take_front(size_t(ints.front()));
    ints = ints.drop_front(first.size() + 1);
    return SmallVector<int64_t>(first);
  };
  ShardingRule rule;
  rule.sizes = list();
  const auto operands = size_t(number()), results = size_t(number());
  auto tensorsOf = [](ArrayRef<Attribute> mappings) {
    SmallVector<TensorFactorsOfDims> tensors;
    for (Attribute mapping : mappings) {
      TensorFactorsOfDims &tensor = tensors.emplace_back();
      for (Attribute dim : cast<sdy::SdyAttr>(mapping).node().attributes)
        tensor.emplace_back(cast<sdy::SdyAttr>(dim).node().ints.drop_front());
    }
    return tensors;
  };
  rule.operands = tensorsOf(mappings.take_front(operands));
  rule.results = tensorsOf(mappings.drop_front(operands).take_front(results));
  for (auto *kind : {&rule.reduction, &rule.needReplication, &rule.permutation, &rule.blocked})
    *kind = list();
  rule.isCustom = number() != 0;
  return rule;
}

} // namespace systole::partition
