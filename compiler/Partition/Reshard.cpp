// Brings tensors from one sharding to another, by collectives.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Partition/Reshard.h"

#include "compiler/Partition/PaddedParts.h"
#include "compiler/Partition/PerCore.h"
#include "compiler/Partition/ReshardPlan.h"
#include "compiler/Partition/Terms.h"
#include "compiler/Tensor/Stacks.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;

namespace systole::partition {

using namespace stablehlo;

DenseIntElementsAttr groupsAlong(Builder &b, const MeshSharding &sharding, size_t d) {
  const Mesh &mesh = sharding.mesh;
  const int64_t parts = sharding.sharding.parts(d);
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> groups;
  for (int64_t core = 0; core < mesh.size(); ++core) {
    SmallVector<int64_t> others;
    for (const Mesh::Axis &axis : mesh.axes) {
      int64_t coordinate = mesh.coordinate(core, axis.name);
      for (const AxisPart &along : sharding.sharding.dims[d])
        if (along.name == axis.name) {
          const int64_t behind = axis.size / (along.before * along.size);
          coordinate -= coordinate / behind % along.size * behind;
        }
      others.push_back(coordinate);
    }
    auto &group = groups[others];
    group.resize(size_t(parts));
    group[size_t(sharding.sharding.partOf(mesh, core, d))] = core;
  }
  SmallVector<int64_t> numbers;
  for (const auto &[others, group] : groups)
    llvm::append_range(numbers, group);
  return DenseIntElementsAttr::get(
      RankedTensorType::get({int64_t(groups.size()), parts}, b.getI64Type()), numbers);
}

static MeshSharding alongAlone(const Mesh &mesh, ArrayRef<AxisPart> axes) {
  MeshSharding along{mesh, {}};
  along.sharding.dims.emplace_back(axes);
  return along;
}

static ChannelHandleAttr channelOf(OpBuilder &b) {
  return ChannelHandleAttr::get(b.getContext(), 1, 1);
}

static void setBody(OpBuilder &b, Location loc, Region &region, Type element, Region *body) {
  if (body) {
    IRMapping mapping;
    body->cloneInto(&region, mapping);
    return;
  }
  auto scalar = RankedTensorType::get({}, element);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  Value sum = AddOp::create(b, loc, block->getArgument(0), block->getArgument(1));
  ReturnOp::create(b, loc, sum);
}

Value reduceOver(OpBuilder &b, Location loc, Value part, const Mesh &mesh, ArrayRef<AxisPart> axes,
                 Region *body) {
  auto sum = AllReduceOp::create(b, loc, TypeRange(part.getType()), part,
                                 groupsAlong(b, alongAlone(mesh, axes), 0), channelOf(b),
                                 /*use_global_device_ids=*/true);
  setBody(b, loc, sum.getComputation(), typeOf(part).getElementType(), body);
  return sum.getResult(0);
}

namespace {

/// Emits the steps of a plan.
class Resharding {
public:
  Resharding(OpBuilder &b, Location loc, const Mesh &mesh, RankedTensorType whole)
      : b(b), loc(loc), mesh(mesh), whole(whole) {}

  Value apply(Value part, const Sharding &before, const ReshardStep &step) {
    const RankedTensorType type = *paddedPart(whole, step.after);
    const MeshSharding along = alongAlone(mesh, step.axes);
    switch (step.kind) {
    case ReshardStep::Kind::AllReduce:
      return reduceOver(b, loc, part, mesh, step.axes);
    case ReshardStep::Kind::ReduceScatter: {
      auto sum = ReduceScatterOp::create(b, loc, type, part, step.to, groupsAlong(b, along, 0),
                                         channelOf(b), /*use_global_device_ids=*/true);
      setBody(b, loc, sum.getComputation(), type.getElementType(), nullptr);
      return sum;
    }
    case ReshardStep::Kind::Slice:
      return slice(part, step.axes, step.to, type);
    case ReshardStep::Kind::AllToAll:
      return AllToAllOp::create(b, loc, TypeRange(type), part, step.to, step.from,
                                along.sharding.parts(0), groupsAlong(b, along, 0), channelOf(b))
          .getResult(0);
    case ReshardStep::Kind::Permute:
      return permute(part, {mesh, before}, {mesh, step.after});
    case ReshardStep::Kind::AllGather:
      return AllGatherOp::create(b, loc, TypeRange(type), part, step.from, groupsAlong(b, along, 0),
                                 channelOf(b),
                                 /*use_global_device_ids=*/true)
          .getResult(0);
    case ReshardStep::Kind::Embed:
      return embed(part, step.axes, step.from, type);
    case ReshardStep::Kind::Mask:
      return mask(part, step.axes);
    }
    llvm_unreachable("unknown step");
  }

  /// Each core gets its part from one that has it: from itself, if it can be, and no core sends to
  /// two others.
  Value permute(Value part, const MeshSharding &from, const MeshSharding &to) {
    std::map<SmallVector<int64_t>, SmallVector<int64_t>> senders;
    for (int64_t core = 0; core < mesh.size(); ++core)
      senders[placeOf(from, core)].push_back(core);
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (bool toSelf : {true, false})
      for (int64_t core = 0; core < mesh.size(); ++core) {
        SmallVector<int64_t> &having = senders[placeOf(to, core)];
        auto *self = llvm::find(having, core);
        if (toSelf) {
          if (self == having.end())
            continue;
          pairs.push_back({core, core});
          having.erase(self);
        } else if (llvm::none_of(pairs, [&](const auto &pair) { return pair.second == core; })) {
          pairs.push_back({having.pop_back_val(), core});
        }
      }
    llvm::sort(pairs);
    SmallVector<int64_t> numbers;
    for (auto [source, target] : pairs)
      numbers.append({source, target});
    auto table = DenseIntElementsAttr::get(
        RankedTensorType::get({int64_t(pairs.size()), 2}, b.getI64Type()), numbers);
    return CollectivePermuteOp::create(b, loc, part.getType(), part, table, channelOf(b));
  }

private:
  /// The position of a core's part, and which of the terms it has.
  static SmallVector<int64_t> placeOf(const MeshSharding &of, int64_t core) {
    SmallVector<int64_t> place;
    for (size_t d = 0; d < of.sharding.dims.size(); ++d)
      place.push_back(of.sharding.partOf(of.mesh, core, d));
    place.push_back(placeAlong(of.mesh, of.sharding.unreduced, core));
    return place;
  }

  SmallVector<int64_t> places(ArrayRef<AxisPart> axes) {
    SmallVector<int64_t> places;
    for (int64_t core = 0; core < mesh.size(); ++core)
      places.push_back(placeAlong(mesh, axes, core));
    return places;
  }

  /// Where the core's part along `axes`, of `size` positions of dimension `d`, begins.
  SmallVector<Value> startsOf(ArrayRef<AxisPart> axes, size_t d, int64_t rank, int64_t size) {
    SmallVector<Value> starts;
    for (size_t dim = 0; dim < size_t(rank); ++dim) {
      SmallVector<int64_t> first(size_t(mesh.size()), 0);
      if (dim == d)
        for (auto [start, place] : llvm::zip_equal(first, places(axes)))
          start = place * size;
      starts.push_back(perCore(b, loc, first));
    }
    return starts;
  }

  Value slice(Value part, ArrayRef<AxisPart> axes, size_t d, RankedTensorType type) {
    const auto starts = startsOf(axes, d, type.getRank(), type.getDimSize(unsigned(d)));
    return DynamicSliceOp::create(b, loc, type, part, starts, type.getShape());
  }

  Value embed(Value part, ArrayRef<AxisPart> axes, size_t d, RankedTensorType type) {
    const auto starts = startsOf(axes, d, type.getRank(), typeOf(part).getDimSize(unsigned(d)));
    return DynamicUpdateSliceOp::create(b, loc, type, zeros(b, loc, type), part, starts);
  }

  Value mask(Value part, ArrayRef<AxisPart> axes) {
    if (typeOf(part).getElementType().isIntOrFloat() && isZero(part))
      return part;
    Value place = perCore(b, loc, places(axes));
    Value isFirst = CompareOp::create(b, loc, place, perCore(b, loc, {0}), ComparisonDirection::EQ,
                                      ComparisonTypeAttr());
    return SelectOp::create(b, loc, part.getType(), isFirst, part, zeros(b, loc, typeOf(part)));
  }

  OpBuilder &b;
  Location loc;
  const Mesh &mesh;
  RankedTensorType whole;
};

} // namespace

static bool haveEqualParts(const Sharding &a, const Sharding &b) {
  if (!a.unreduced.empty() || !b.unreduced.empty())
    return false;
  for (size_t d = 0; d < a.dims.size(); ++d)
    if (a.parts(d) != b.parts(d))
      return false;
  return true;
}

/// The steps between shardings that divide a tensor, of type `padded`, evenly.
static Value reshardEvenly(OpBuilder &b, Location loc, Value part, RankedTensorType padded,
                           const MeshSharding &from, const MeshSharding &to) {
  const Mesh &mesh = from.sharding.isWhole() ? to.mesh : from.mesh;
  Resharding resharding(b, loc, mesh, padded);
  Sharding now = from.sharding;
  for (const ReshardStep &step : planReshard(from.sharding, to.sharding)) {
    part = resharding.apply(part, now, step);
    now = step.after;
  }
  return part;
}

Value reshard(OpBuilder &b, Location loc, Value part, RankedTensorType whole,
              const MeshSharding &from, const MeshSharding &to) {
  // Nothing of an empty tensor moves.
  if (whole.getNumElements() == 0) {
    const RankedTensorType type = *paddedPart(whole, to.sharding);
    return type == part.getType()
               ? part
               : ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>()));
  }
  if (from.mesh != to.mesh && !from.sharding.isWhole() && !to.sharding.isWhole()) {
    if (haveEqualParts(from.sharding, to.sharding))
      return Resharding(b, loc, from.mesh, whole).permute(part, from, to);
    Sharding gathered;
    gathered.dims.resize(from.sharding.dims.size());
    const MeshSharding all = {from.mesh, gathered};
    return reshard(b, loc, reshard(b, loc, part, whole, from, all), whole, all, to);
  }
  // Dimensions have the padding of `from` during the steps, or that of `to` if they are not divided
  // yet. Between two paddings they are whole: behind the first steps, in the sharding `between`.
  MeshSharding between = to;
  SmallVector<int64_t> sizes, partBefore(typeOf(part).getShape()), behind, last;
  for (size_t d = 0; d < to.sharding.dims.size(); ++d) {
    const int64_t size = whole.getDimSize(unsigned(d)),
                  source = paddedSize(whole, from.sharding, d),
                  target = paddedSize(whole, to.sharding, d);
    const bool isDivided = from.sharding.parts(d) > 1, staysDivided = to.sharding.parts(d) > 1;
    sizes.push_back(isDivided ? source : target);
    if (!isDivided)
      partBefore[d] = target;
    if (isDivided && staysDivided && source != target)
      between.sharding.dims[d].clear();
    behind.push_back(between.sharding.parts(d) > 1 ? sizes.back() : size);
    last.push_back(staysDivided ? target : size);
  }
  auto resizeTo = [&](ArrayRef<int64_t> wholeSizes) {
    part = resize(b, loc, part, paddedPart(whole.clone(wholeSizes), between.sharding)->getShape());
  };
  part = resize(b, loc, part, partBefore);
  part = reshardEvenly(b, loc, part, whole.clone(sizes), from, between);
  resizeTo(behind);
  if (between == to)
    return part;
  resizeTo(last);
  return reshardEvenly(b, loc, part, whole.clone(last), between, to);
}

} // namespace systole::partition
