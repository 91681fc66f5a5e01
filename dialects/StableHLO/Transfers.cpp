// The StableHLO operations that order effects and exchange data with the host.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/StableHLO/ChannelType.h"
#include "dialects/StableHLO/Devices.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace systole::stablehlo;

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/StableHLO/Transfers.cpp.inc"

Type FutureType::parse(AsmParser &parser) {
  SmallVector<Type> types;
  auto parseTensor = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseType(types.emplace_back()))
      return failure();
    if (!isa<RankedTensorType>(types.back()))
      return parser.emitError(place, "a future is of ranked tensors, but there is ")
             << types.back();
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseTensor))
    return {};
  return get(parser.getContext(), types);
}

void FutureType::print(AsmPrinter &printer) const { printer << '<' << getTypes() << '>'; }

void StableHLODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"
      >();
}

void StableHLODialect::registerTransferOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/Transfers.cpp.inc"
      >();
}

static LogicalResult checkChannel(const Refusal &refuse, ChannelHandleAttr channel,
                                  bool isHostTransfer, ChannelType withHost) {
  if (channel.getHandle() < 0)
    return refuse("requires a channel that is not negative, but it is ", channel.getHandle());
  ChannelType expected = isHostTransfer ? withHost : kDeviceToDevice;
  if (channel.getType() != expected && channel.getType() != kUnspecified)
    return refuse("requires a channel of type ", int64_t(expected), ", but it is of type ",
                  channel.getType());
  return success();
}

LogicalResult SendOp::verify() {
  Refusal refuse(*this);
  if (auto pairs = getSourceTargetPairsAttr(); pairs && failed(checkDevicePairs(refuse, pairs)))
    return failure();
  return checkChannel(refuse, getChannelHandle(), getIsHostTransfer(), kDeviceToHost);
}

/// Checks that results are tensors and then a token.
static LogicalResult checkReceived(const Refusal &refuse, TypeRange results) {
  if (results.empty() || !isa<TokenType>(results.back()))
    return refuse("requires a token as its last result");
  if (llvm::any_of(results.drop_back(), llvm::IsaPred<TokenType>))
    return refuse("requires tensors as all results but the last one");
  return success();
}

LogicalResult RecvOp::verify() {
  Refusal refuse(*this);
  if (failed(checkReceived(refuse, getOperation()->getResultTypes())))
    return failure();
  if (auto pairs = getSourceTargetPairsAttr(); pairs && failed(checkDevicePairs(refuse, pairs)))
    return failure();
  return checkChannel(refuse, getChannelHandle(), getIsHostTransfer(), kHostToDevice);
}

LogicalResult InfeedOp::verify() {
  Refusal refuse(*this);
  if (failed(checkReceived(refuse, getOperation()->getResultTypes())))
    return failure();
  const size_t arrays = getOperation()->getNumResults() - 1;
  if (ArrayAttr layout = getLayoutAttr(); layout && layout.size() != arrays)
    return refuse("requires a layout for each of its ", arrays, " arrays, but there are ",
                  layout.size());
  return success();
}
