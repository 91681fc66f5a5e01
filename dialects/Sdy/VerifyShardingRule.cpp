// Verification of sharding rules against their operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Sdy/ShardingRule.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace systole::sdy {

using namespace coded;

namespace {

/// The lists of numbers of a node, of which each stands behind its length.
class Lists {
public:
  explicit Lists(ArrayRef<int64_t> ints) : rest(ints) {}

  int64_t number() {
    int64_t first = rest.front();
    rest = rest.drop_front();
    return first;
  }
  ArrayRef<int64_t> list() {
    const auto size = size_t(number());
    ArrayRef<int64_t> first = rest.take_front(size);
    rest = rest.drop_front(size);
    return first;
  }

private:
  ArrayRef<int64_t> rest;
};

class RuleVerifier {
public:
  RuleVerifier(Operation *op, const Node &rule)
      : op(op), mappings(rule.attributes), lists(rule.ints), sizes(lists.list()),
        isUsed(sizes.size()) {}

  LogicalResult run() {
    const int64_t operands = lists.number();
    const int64_t results = lists.number();
    for (auto [factor, size] : llvm::enumerate(sizes))
      if (size < 0)
        return error() << "factor " << nameOfFactor(int64_t(factor)) << " has size " << size;
    if (failed(tensors("operand", op->getOperandTypes(), operands)) ||
        failed(tensors("result", op->getResultTypes(), results)))
      return failure();
    if (int unused = isUsed.find_first_unset(); unused >= 0)
      return error() << "factor " << nameOfFactor(unused) << " is in no operand and no result";
    return kinds();
  }

private:
  InFlightDiagnostic error() { return op->emitOpError() << "sdy.sharding_rule: "; }

  /// One mapping for each of the values of `types`.
  LogicalResult tensors(StringRef what, TypeRange types, int64_t count) {
    ArrayRef<Attribute> given = mappings.take_front(size_t(count));
    mappings = mappings.drop_front(size_t(count));
    if (types.size() != given.size())
      return error() << "requires a mapping for each of " << types.size() << " " << what
                     << "s, but there are " << given.size();
    if (given.empty())
      return error() << "is for operations with operands and results, but there is no " << what;
    for (auto [number, type, mapping] : llvm::enumerate(types, given))
      if (failed(tensor((what + " " + Twine(number)).str(), type, mapping)))
        return failure();
    return success();
  }

  LogicalResult tensor(StringRef what, Type type, Attribute mapping) {
    auto shape = dyn_cast<RankedTensorType>(type);
    if (!shape || !shape.hasStaticShape())
      return error() << what << " is no tensor of a static shape: " << type;
    auto coded = dyn_cast<SdyAttr>(mapping);
    if (!coded || coded.node().kind->name != "tensor_mapping")
      return error() << what << " has no tensor_mapping";
    ArrayRef<Attribute> dims = coded.node().attributes;
    if (int64_t(dims.size()) != shape.getRank())
      return error() << what << " has " << shape.getRank() << " dimensions, but its mapping has "
                     << dims.size();
    llvm::BitVector isHere(sizes.size());
    for (Attribute dim : dims)
      if (failed(dimension(what, dim, isHere)))
        return failure();
    return success();
  }

  LogicalResult dimension(StringRef what, Attribute mapping, llvm::BitVector &isHere) {
    auto coded = dyn_cast<SdyAttr>(mapping);
    if (!coded || coded.node().kind->name != "dim_mapping")
      return error() << what << " has no dim_mapping";
    ArrayRef<int64_t> factors = Lists(coded.node().ints).list();
    if (factors.empty())
      return error() << what << " has a dimension without factors";
    for (int64_t factor : factors) {
      if (failed(known(factor)))
        return failure();
      if (isHere.test(unsigned(factor)))
        return error() << what << " has factor " << nameOfFactor(factor) << " twice";
      if (sizes[size_t(factor)] == 1 && factors.size() > 1)
        return error() << what << " has factor " << nameOfFactor(factor)
                       << " of size 1 in a dimension of several factors";
      isHere.set(unsigned(factor));
      isUsed.set(unsigned(factor));
    }
    return success();
  }

  LogicalResult known(int64_t factor) {
    if (factor >= 0 && factor < int64_t(sizes.size()))
      return success();
    return error() << "there are " << sizes.size() << " factors with a size, and factor "
                   << (factor < 0 ? std::to_string(factor) : nameOfFactor(factor))
                   << " is not among them";
  }

  /// Factors that are reduced, need replication or are permuted: each is one of these at most.
  /// Those along which propagation is blocked are any.
  LogicalResult kinds() {
    llvm::BitVector isSpecial(sizes.size());
    for (StringRef kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
      const bool isExclusive = kind != "blocked_propagation";
      int64_t last = -1;
      for (int64_t factor : lists.list()) {
        if (failed(known(factor)))
          return failure();
        if (factor <= last)
          return error() << "requires the factors of " << kind << " in ascending order";
        if (isExclusive && isSpecial.test(unsigned(factor)))
          return error() << "factor " << nameOfFactor(factor)
                         << " is of more than one kind of reduction, need_replication and "
                            "permutation";
        if (isExclusive)
          isSpecial.set(unsigned(factor));
        last = factor;
      }
    }
    if (lists.number() != 0 && op->getName().getStringRef() != "stablehlo.custom_call")
      return error() << "only custom calls have custom rules";
    return success();
  }

  Operation *op;
  ArrayRef<Attribute> mappings;
  Lists lists;
  ArrayRef<int64_t> sizes;
  llvm::BitVector isUsed;
};

} // namespace

std::string nameOfFactor(int64_t factor) {
  constexpr int64_t kLast = 'z' - 'i';
  if (factor <= kLast)
    return std::string(1, char('i' + factor));
  return ("z_" + Twine(factor - kLast)).str();
}

LogicalResult verifyShardingRule(Operation *op, Attribute attribute) {
  auto rule = dyn_cast<SdyAttr>(attribute);
  if (!rule || rule.node().kind->name != "op_sharding_rule")
    return op->emitOpError() << "sdy.sharding_rule: expects an op_sharding_rule";
  return RuleVerifier(op, rule.node()).run();
}

} // namespace systole::sdy
