// Plans of kernels: syntax and structure. Whether a kernel can follow one, compiler/Planning knows.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace systole::kernel;

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisAttr> axes;
  SmallVector<int64_t> buffers, pieces;
  int64_t estimate = 0;
  SMLoc loc = parser.getCurrentLocation();
  auto parseAxis = [&]() -> ParseResult {
    FailureOr<AxisAttr> axis = FieldParser<AxisAttr>::parse(parser);
    if (succeeded(axis))
      axes.push_back(*axis);
    return failure(failed(axis));
  };
  if (parser.parseLess() || parser.parseKeyword("axes") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return {};
  bool hasBuffers = false, hasPieces = false, hasEstimate = false;
  auto parseCounts = [&](SmallVectorImpl<int64_t> &counts) {
    return parser.parseCommaSeparatedList(
        AsmParser::Delimiter::Square, [&] { return parser.parseInteger(counts.emplace_back()); });
  };
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc fieldLoc = parser.getCurrentLocation();
    StringRef field;
    if (parser.parseKeyword(&field) || parser.parseEqual())
      return {};
    if (field == "buffers" && !std::exchange(hasBuffers, true)) {
      if (parseCounts(buffers))
        return {};
    } else if (field == "pieces" && !std::exchange(hasPieces, true)) {
      if (parseCounts(pieces))
        return {};
    } else if (field == "estimate" && !std::exchange(hasEstimate, true)) {
      if (parser.parseInteger(estimate))
        return {};
    } else {
      parser.emitError(fieldLoc) << "expects buffers, pieces or estimate, once, found " << field;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<AxisAttr>(axes), ArrayRef<int64_t>(buffers), ArrayRef<int64_t>(pieces),
                    estimate);
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << "<axes = [";
  llvm::interleaveComma(getAxes(), printer,
                        [&](AxisAttr axis) { printer.printStrippedAttrOrType(axis); });
  printer << ']';
  auto printCounts = [&](StringRef name, ArrayRef<int64_t> counts) {
    if (counts.empty())
      return;
    printer << ", " << name << " = [";
    llvm::interleaveComma(counts, printer);
    printer << ']';
  };
  printCounts("buffers", getBuffers());
  printCounts("pieces", getPieces());
  if (getEstimate())
    printer << ", estimate = " << getEstimate();
  printer << '>';
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<AxisAttr> axes, ArrayRef<int64_t> buffers,
                               ArrayRef<int64_t> pieces, int64_t estimate) {
  llvm::SmallDenseSet<std::pair<int64_t, int64_t>> seen;
  for (AxisAttr axis : axes)
    if (!seen.insert({axis.getValue(), axis.getDim()}).second)
      return emitError() << "expects one axis at most for dimension " << axis.getDim()
                         << " of value " << axis.getValue();
  for (int64_t count : buffers)
    if (count < 1 || count > 2)
      return emitError() << "expects one or two buffers for each operand, found " << count;
  for (int64_t count : pieces)
    if (count < 1)
      return emitError() << "expects one piece or more of each operand, found " << count;
  if (estimate < 0)
    return emitError() << "expects an estimate of at least 0 cycles, found " << estimate;
  return success();
}

SmallVector<Value> systole::kernel::numberedValues(Block &body) {
  SmallVector<Value> values(body.getArguments().begin(), body.getArguments().end());
  for (Operation &op : body)
    llvm::append_range(values, op.getResults());
  return values;
}

LogicalResult systole::kernel::verifyPlan(FusionOp fusion, PlanAttr plan) {
  SmallVector<Value> values = numberedValues(fusion.getBody().front());
  for (AxisAttr axis : plan.getAxes()) {
    if (axis.getValue() < 0 || axis.getValue() >= static_cast<int64_t>(values.size()))
      return fusion.emitOpError() << "expects axes of its plan to name one of " << values.size()
                                  << " values, found value " << axis.getValue();
    auto type = dyn_cast<RankedTensorType>(values[axis.getValue()].getType());
    if (!type || axis.getDim() < 0 || axis.getDim() >= type.getRank())
      return fusion.emitOpError() << "expects axes of its plan to name a dimension of "
                                  << values[axis.getValue()].getType() << ", value "
                                  << axis.getValue() << "; found dimension " << axis.getDim();
    int64_t extent = type.getDimSize(axis.getDim());
    if (axis.getTile() < 1 || axis.getTile() > extent)
      return fusion.emitOpError() << "expects a tile between 1 and " << extent << " for dimension "
                                  << axis.getDim() << " of value " << axis.getValue() << ", found "
                                  << axis.getTile();
  }
  return success();
}
