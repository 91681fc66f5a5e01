// HLO instructions with a direct counterpart in StableHLO: normalization, factorization, Fourier
// transforms, random bits, custom calls.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Hlo/Memories.h"
#include "compiler/Import/Hlo/Opcodes.h"
#include "dialects/StableHLO/StableHLO.h"

using namespace mlir;

namespace systole::hlo {

namespace {

FailureOr<Values> buildBatchNorm(Emitter &emitter, const Node &node) {
  Builder &b = emitter.builder;
  return emitter.make(
      node, node.opcode.becomes, node.leaves(),
      {b.getNamedAttr("epsilon", b.getF32FloatAttr(node.proto.epsilon())),
       b.getNamedAttr("feature_index", b.getI64IntegerAttr(node.proto.feature_index()))});
}

FailureOr<Values> buildCholesky(Emitter &emitter, const Node &node) {
  return emitter.make(node, "stablehlo.cholesky", node.leaves(),
                      flagAttribute(emitter, "lower", node.proto.cholesky_options().lower()));
}

FailureOr<Values> buildTriangularSolve(Emitter &emitter, const Node &node) {
  const TriangularSolveOptions &options = node.proto.triangular_solve_options();
  auto transpose = stablehlo::symbolizeTranspose(options.transpose_a());
  if (!transpose)
    return emitter.error(node) << "transposition " << options.transpose_a() << " is not known";
  return emitter.make(
      node, "stablehlo.triangular_solve", node.leaves(),
      {flagAttribute(emitter, "left_side", options.left_side()),
       flagAttribute(emitter, "lower", options.lower()),
       flagAttribute(emitter, "unit_diagonal", options.unit_diagonal()),
       emitter.builder.getNamedAttr("transpose_a",
                                    stablehlo::TransposeAttr::get(emitter.context(), *transpose))});
}

FailureOr<Values> buildFft(Emitter &emitter, const Node &node) {
  auto type = stablehlo::symbolizeFftType(node.proto.fft_type());
  if (!type)
    return emitter.error(node) << "transform " << node.proto.fft_type() << " is not known";
  ArrayRef<int64_t> length(node.proto.fft_length().data(), node.proto.fft_length_size());
  Builder &b = emitter.builder;
  return emitter.make(
      node, "stablehlo.fft", node.leaves(),
      {b.getNamedAttr("fft_type", stablehlo::FftTypeAttr::get(emitter.context(), *type)),
       b.getNamedAttr("fft_length", b.getDenseI64ArrayAttr(length))});
}

FailureOr<Values> buildRandomBits(Emitter &emitter, const Node &node) {
  auto algorithm = stablehlo::symbolizeRngAlgorithm(node.proto.rng_algorithm());
  if (!algorithm)
    return emitter.error(node) << "algorithm " << node.proto.rng_algorithm() << " is not known";
  return emitter.make(
      node, "stablehlo.rng_bit_generator", node.leaves(),
      emitter.builder.getNamedAttr(
          "rng_algorithm", stablehlo::RngAlgorithmAttr::get(emitter.context(), *algorithm)));
}

FailureOr<Values> makeTopK(Emitter &emitter, const Node &node, int64_t k) {
  Builder &b = emitter.builder;
  return emitter.make(node, "chlo.top_k", node.leaves(),
                      b.getNamedAttr("k", b.getI64IntegerAttr(k)));
}

FailureOr<Values> buildTopK(Emitter &emitter, const Node &node) {
  if (!node.proto.largest())
    return emitter.unimplemented(node) << "the smallest elements are not supported";
  return makeTopK(emitter, node, node.proto.k());
}

/// XLA's CPU compiler rewrites a sort and a slice to this call.
FailureOr<Values> buildTopKCall(Emitter &emitter, const Node &node) {
  auto type = node.types.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(node.types[0]);
  if (!type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) ||
      node.operands.size() != 1)
    return emitter.error(node) << "expects an array";
  return makeTopK(emitter, node, type.getShape().back());
}

FailureOr<Values> buildCustomCall(Emitter &emitter, const Node &node) {
  const std::string &target = node.proto.custom_call_target();
  if (target == "TopK")
    return buildTopKCall(emitter, node);
  if (!node.instruction.calls.empty())
    return emitter.unimplemented(node) << "custom call of '" << target << "' is not supported";
  Builder &b = emitter.builder;
  // The target defines the meaning of a configuration; the newest API version has attributes, which
  // no known target uses.
  const int32_t version = node.proto.custom_call_api_version();
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("call_target_name", b.getStringAttr(target)),
      flagAttribute(emitter, "has_side_effect", node.proto.custom_call_has_side_effect()),
      b.getNamedAttr("api_version", b.getI32IntegerAttr(version == 0 ? 1 : version))};
  if (version != stablehlo::kTypedApiVersion && !node.proto.backend_config().empty())
    attributes.push_back(
        b.getNamedAttr("backend_config", b.getStringAttr(node.proto.backend_config())));
  FailureOr<Values> results =
      emitter.make(node, "stablehlo.custom_call", node.leaves(), attributes);
  return succeeded(results) && target != "annotate_device_placement"
             ? placeResults(emitter, node, *std::move(results))
             : results;
}

constexpr Opcode kOpcodes[] = {
    {"batch-norm-grad", buildBatchNorm, 5, 0, "stablehlo.batch_norm_grad"},
    {"batch-norm-inference", buildBatchNorm, 5, 0, "stablehlo.batch_norm_inference"},
    {"batch-norm-training", buildBatchNorm, 3, 0, "stablehlo.batch_norm_training"},
    {"cholesky", buildCholesky},
    {"custom-call", buildCustomCall, Opcode::kAny, Opcode::kAny, "", /*takesTuples=*/true},
    {"fft", buildFft},
    {"rng-bit-generator", buildRandomBits},
    {"topk", buildTopK},
    {"triangular-solve", buildTriangularSolve, 2},
};

} // namespace

ArrayRef<Opcode> compositeOpcodes() { return kOpcodes; }

} // namespace systole::hlo
