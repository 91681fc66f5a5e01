// Gradients of filters, and convolutions on the vector unit (compiler/Tiling/StageFilter.cpp and
// StageChannels.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/StageEstimator.h"
#include "compiler/Planning/FilterParts.h"
#include "compiler/Planning/Precision.h"

#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

void StageEstimator::estimateFilter(stablehlo::ConvolutionOp op, int passes) {
  int64_t groups = op.getFeatureGroupCount();
  size_t spatial = op.getWindow().size();
  VmemBlock image = paddedImage(op);
  VmemBlock gradient = require(op->getOpOperand(1));
  bool isRounded = roundsGradient(op, passes);
  if (isRounded) {
    gradient.element = BFloat16Type::get(op.getContext());
    use(op.getRhs());
    estimateElements(gradient, 1, {0, 0, 1}, {0, 0, 1});
  }
  SmallVector<int64_t> positions(gradient.shape.begin(), gradient.shape.end());
  SmallVector<int64_t> result = blocking.blockShape(op.getResult());
  int64_t outputs = positions.pop_back_val();
  if (groups > 1)
    image = splitGroups(image, 0, groups);
  LaneFold fold = laneFoldOf(op);
  std::pair<VmemBlock, VmemBlock> folded =
      fold.isNeeded() ? foldedImage(op, image) : std::pair(image, image);
  Type sum = isa<FloatType>(gradient.element) ? Type(Float32Type::get(op.getContext()))
                                              : Type(IntegerType::get(op.getContext(), 32));
  estimateSums(op, groups == 1 && isOnePass(op, passes), [&](bool rounds, bool accumulates) {
    VmemBlock sums(result, sum), blockSums = sums, restSums = sums;
    if (fold.isNeeded()) {
      blockSums = VmemBlock(foldedSums(fold, result, fold.blocks(), fold.folded), sum);
      restSums = VmemBlock(foldedSums(fold, result, 1, fold.rest()), sum);
    }
    if (groups > 1) {
      sums.shape[spatial] /= groups;
      sums.shape.insert(sums.shape.begin() + spatial, groups);
    }
    bool isFirst = true;
    for (const FilterPart &part : filterParts(op, positions)) {
      // Boxes of positions as rows, then transposed: they lie along the lanes.
      int64_t boxes = part.boxes(), depth = part.depth();
      VmemBlock rows({boxes, depth, outputs}, gradient.element);
      VmemBlock lanes({boxes, outputs, depth}, gradient.element);
      if (part.hasGaps())
        estimateElements(rows, 0, {}, {});
      CopyStage stage;
      stage.packing = kernel::LayoutAttr::packingOf(gradient.element);
      int64_t boxPitch = rows.pitch(0) * kLanes, rowPitch = rows.tiles() * kLanes;
      for (size_t d = spatial + 1; d-- > 0;) {
        const FilterPart::Dim &dim = part.dims[d];
        int64_t cells = gradient.pitch(d) * kLanes;
        stage.loops.push_back({dim.blocks, cells * dim.boxStep(), boxPitch});
        boxPitch *= dim.blocks;
      }
      int64_t place = rowPitch;
      for (size_t d : llvm::reverse(part.order)) {
        stage.loops.push_back(
            {part.dims[d].run, gradient.pitch(d) * kLanes * part.dims[d].runStep(), place});
        place = place == rowPitch ? rowPitch * part.pitch() : place * part.dims[d].run;
      }
      stage.loops.push_back({outputs, 1, 1});
      stage.srcLanes = stage.dstLanes = outputs;
      if (!isRounded)
        use(op.getRhs());
      add(costOf(stage, model));
      Side whole{{0, 0, 0}, {1, 1, 1}};
      estimateCopy(rows, lanes, lanes.shape, whole, whole, {0, 2, 1});
      if (groups > 1)
        lanes = splitGroups(lanes, 1, groups);

      // The space: the window, boxes, groups, runs in boxes, outputs, features.
      SmallVector<int64_t> sizes(ArrayRef<int64_t>(result).take_front(spatial));
      for (const FilterPart::Dim &dim : part.dims)
        sizes.push_back(dim.blocks);
      sizes.push_back(groups);
      for (int64_t d : part.order)
        sizes.push_back(part.dims[d].run);
      sizes.append({outputs / groups, 1});
      size_t group = 2 * spatial + 1, count = sizes.size(), output = count - 2, feature = count - 1;
      auto run = [&](int64_t d) -> size_t {
        return group + 1 + (llvm::find(part.order, d) - part.order.begin());
      };
      auto contract = [&](const VmemBlock &rhs, const VmemBlock &out, int64_t blocks,
                          const SharedTaps &set, bool roundsResult, bool adds) {
        SmallVector<int64_t> space = sizes;
        space.back() = out.lanes();
        auto isShared = [&](size_t d) { return part.shared && d == size_t(*part.shared); };
        if (part.shared) {
          space[*part.shared] = set.taps;
          space[spatial + *part.shared + 1] = set.count;
        }
        for (size_t d = 0; d < spatial; ++d)
          if (fold.isFolded(d))
            space[d] = d == fold.outer ? blocks : 1;
        Contraction contraction(space);
        contraction.lhs = lanes;
        contraction.rhs = rhs;
        contraction.out = out;
        IndexMap &ofLhs = contraction.ofLhs, &ofRhs = contraction.ofRhs, &ofOut = contraction.ofOut;
        if (groups > 1)
          ofRhs.along(group);
        ofRhs.along(spatial, part.dims[0].boxStep()).plus(run(0), part.dims[0].runStep());
        for (auto [d, window] : llvm::enumerate(op.getWindow())) {
          bool isBlock =
              fold.isFolded(d) && (d > fold.outer || (&rhs == &folded.second && fold.isOneBlock()));
          int64_t step = isBlock ? 1 : window.rhsDilation;
          int64_t apart = isBlock            ? 0
                          : fold.isFolded(d) ? fold.folded * window.stride
                                             : window.stride;
          ofRhs.along(d, isShared(d) ? 0 : apart)
              .plus(spatial + d + 1, step * part.dims[d + 1].boxStep())
              .plus(run(d + 1), step * part.dims[d + 1].runStep());
          ofOut.along(d, isShared(d) ? set.tapStep : 1);
        }
        ofRhs.along(feature);
        ofLhs.constant();
        int64_t number = 1;
        for (size_t d = spatial + 1; d-- > 0;) {
          ofLhs.plus(spatial + d, number);
          if (d > 0 && isShared(d - 1))
            ofLhs.plus(d - 1, -set.apart * number);
          number *= part.dims[d].blocks;
        }
        if (groups > 1) {
          ofLhs.along(group);
          ofOut.along(group);
        }
        ofLhs.along(output);
        ofLhs.constant();
        int64_t factor = 1;
        for (int64_t d : llvm::reverse(part.order)) {
          ofLhs.plus(run(d), factor);
          factor = d == part.order.back() ? part.pitch() : factor * part.dims[d].run;
        }
        ofOut.along(output).along(feature);
        estimateContraction(contraction, op, passes, roundsResult, adds);
      };
      bool isLater = !isFirst || (accumulates && !fold.isNeeded());
      isFirst = false;
      for (const SharedTaps &set : sharedTaps(op, part)) {
        bool adds = isLater || !set.begins;
        if (!fold.isNeeded()) {
          contract(image, sums, 0, set, rounds, adds);
          continue;
        }
        contract(folded.second, blockSums, fold.blocks(), set, false, adds);
        if (fold.rest() > 0)
          contract(fold.rest() == 1 ? folded.first : folded.second, restSums, 1, set, false, adds);
      }
    }
    if (!fold.isNeeded())
      return;
    estimateUnfolding(op, blockSums, restSums, sums);
    if (accumulates)
      estimateElements(sums, 2, {1}, {1});
  });
}

void StageEstimator::estimateUnfolding(stablehlo::ConvolutionOp op, const VmemBlock &blocks,
                                       const VmemBlock &rest, const VmemBlock &sums) {
  LaneFold fold = laneFoldOf(op);
  VmemBlock from = blocks;
  size_t rank = sums.shape.size();
  for (const FoldLevel &level : unfoldLevels(fold, sums.shape)) {
    VmemBlock to(level.shape, sums.element);
    auto move = [&](const VmemBlock &source, int64_t tap, int64_t step, int64_t first) {
      SmallVector<int64_t> sizes(source.shape.begin(), source.shape.end());
      sizes.back() = to.lanes();
      Side read{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)}, written = read;
      read.first.back() = tap * to.lanes();
      written.strides[level.dim] = step;
      written.first[level.dim] = first;
      use(op.getResult());
      estimateCopy(source, to, sizes, read, written);
    };
    for (int64_t tap = 0; tap < fold.folding(level.dim); ++tap)
      move(from, tap, fold.folding(level.dim), tap);
    if (level.dim == fold.outer)
      for (int64_t tap = 0; tap < fold.rest(); ++tap)
        move(rest, tap, 1, fold.blocks() * fold.folded + tap);
    from = to;
  }
}

void StageEstimator::estimateChannels(stablehlo::ConvolutionOp op) {
  VmemBlock image = paddedImage(op);
  VmemBlock kernel = require(op->getOpOperand(1));
  Type element = typeOf(op.getResult()).getElementType();
  bool isFloat = isa<FloatType>(element), isWide = element.getIntOrFloatBitWidth() == 32;
  SmallVector<SmallVector<WindowPhase>> phases = phasesOf(op, blocking);
  for (const SmallVector<WindowPhase> &phase : phases) {
    SmallVector<int64_t> shape = {blocking.blockShape(op.getResult()).front()};
    int64_t taps = 1;
    for (const WindowPhase &dim : phase) {
      shape.push_back(dim.out.count);
      taps *= dim.tap.count;
    }
    shape.push_back(image.lanes());
    size_t rank = shape.size();
    int64_t parts = llvm::divideCeil(taps, kTapsPerStage);
    define(op.getResult());
    if (parts == 0)
      estimateElements(VmemBlock(shape, element), 0, {}, {});
    for (int64_t part = 0; part < parts; ++part) {
      int64_t count = taps * (part + 1) / parts - taps * part / parts;
      MapStage stage;
      stage.sizes.assign(shape.begin(), shape.end());
      StageInput ofImage, ofKernel;
      ofImage.block = image;
      ofKernel.block = kernel;
      ofImage.indices.push_back({0});
      for (auto [d, dim] : llvm::enumerate(phase)) {
        ofImage.indices.push_back({static_cast<int64_t>(d + 1), dim.stride});
        ofKernel.indices.push_back({});
      }
      ofImage.indices.push_back({static_cast<int64_t>(rank - 1)});
      ofKernel.indices.push_back({});
      ofKernel.indices.push_back({static_cast<int64_t>(rank - 1)});
      for (int64_t tap = 0; tap < count; ++tap) {
        stage.inputs.push_back(ofImage);
        stage.inputs.push_back(ofKernel);
      }
      bool adds = part > 0;
      if (adds) {
        StageInput sums;
        sums.block = VmemBlock(shape, element);
        for (size_t d = 0; d < rank; ++d)
          sums.indices.push_back({static_cast<int64_t>(d)});
        stage.inputs.push_back(sums);
      }
      int sums = int(count) - !adds;
      stage.body.all = {sums, int(count), isFloat && !isWide};
      stage.body.chain = {sums, 1, isFloat && !isWide};
      stage.outputs = {element};
      use(op.getResult());
      add(costOf(stage, model));
    }
    if (phases.size() == 1)
      continue;
    VmemBlock from(shape, element), to = blockOf(op.getResult());
    Side source{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)}, into = source;
    for (auto [d, dim] : llvm::enumerate(phase)) {
      into.first[d + 1] = dim.out.first;
      into.strides[d + 1] = dim.out.step;
    }
    use(op.getResult());
    estimateCopy(from, to, shape, source, into);
  }
}

void StageEstimator::estimateChannelFilter(stablehlo::ConvolutionOp op) {
  VmemBlock image = paddedImage(op);
  VmemBlock gradient = require(op->getOpOperand(1));
  int64_t along = sublaneDimOf(op, blocking), extent = gradient.shape[along];
  VmemBlock longer = gradient;
  longer.shape[along] = llvm::alignTo(extent, kSublanes);
  size_t rank = gradient.shape.size();
  Side whole{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 1)};
  use(op.getRhs());
  bool isRagged = longer.shape[along] != extent;
  if (isRagged)
    estimateCopy(gradient, longer, gradient.shape, whole, whole);
  // The space has that dimension before the features.
  SmallVector<int64_t> place(rank), sizes;
  for (size_t d = 0; d + 1 < rank; ++d)
    if (static_cast<int64_t>(d) != along) {
      place[d] = sizes.size();
      sizes.push_back(longer.shape[d]);
    }
  place[along] = sizes.size();
  sizes.append({longer.shape[along], longer.lanes()});
  place[rank - 1] = rank - 1;
  Type sum = typeOf(op.getResult()).getElementType();
  SmallVector<int64_t> filter = blocking.blockShape(op.getResult());
  int64_t taps = 1;
  for (int64_t size : ArrayRef(filter).drop_back(2))
    taps *= size;
  define(op.getResult());
  int64_t parts = llvm::divideCeil(taps, kTapsPerStage);
  for (int64_t part = 0; part < parts; ++part) {
    int64_t count = taps * (part + 1) / parts - taps * part / parts;
    ReduceStage stage;
    stage.sizes.assign(sizes.begin(), sizes.end());
    StageInput ofGradient, ofImage;
    ofGradient.block = longer;
    ofImage.block = image;
    for (size_t d = 0; d < rank; ++d) {
      ofGradient.indices.push_back({place[d]});
      int64_t factor = d > 0 && d + 1 < rank ? op.getWindow()[d - 1].rhsDilation : 1;
      ofImage.indices.push_back({place[d], factor});
    }
    stage.inputs.push_back(ofGradient);
    stage.inputs.append(count, ofImage);
    stage.outputs.append(count, sum);
    for (size_t d = 0; d + 1 < rank; ++d)
      stage.dims.push_back(static_cast<int64_t>(d));
    stage.body.all = {isRagged ? int(count) + 1 : 0, int(count)};
    stage.body.chain = {isRagged ? 1 : 0, 1};
    if (isRagged)
      stage.pinned.push_back(place[along]);
    stage.combiner.all = {int(count)};
    stage.combiner.chain = {1};
    use(op.getRhs());
    use(op->getOpOperand(0));
    add(costOf(stage, model));
    // Each sum is a row of the result.
    VmemBlock row({longer.lanes()}, sum);
    for (int64_t tap = 0; tap < count; ++tap)
      estimateCopy(row, row, row.shape, {{0}, {1}}, {{0}, {1}});
  }
  if (blocking.chunksOf(op))
    estimateElements(blockOf(op.getResult()), 2, {3}, {2});
}

} // namespace systole
