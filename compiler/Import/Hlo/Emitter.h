// Converts a graph of HLO to StableHLO operations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_EMITTER_H
#define SYSTOLE_COMPILER_IMPORT_HLO_EMITTER_H

#include "compiler/Import/Hlo/Graph.h"
#include "compiler/Import/Hlo/Locations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace systole::hlo {

using Values = llvm::SmallVector<mlir::Value, 1>;

/// The arrays of an instruction's result, in order. Tuples are flattened, tokens are omitted.
struct Result {
  Values leaves;
  llvm::SmallVector<unsigned, 0>
      starts; // for a tuple, the first leaf of each element, then the end
};

struct Opcode;

/// An instruction that is being converted.
struct Node {
  const Instruction &instruction;
  const HloInstructionProto &proto;
  const Opcode &opcode;
  mlir::Location location;
  llvm::SmallVector<const Result *, 4> operands;
  llvm::SmallVector<const ShapeProto *, 4> shapes; // of the operands
  llvm::SmallVector<mlir::Type, 1> types;          // of the leaves of the result

  /// Operand `i`, an array.
  mlir::Value array(unsigned i) const { return operands[i]->leaves.front(); }
  /// The leaves of all operands.
  Values leaves() const;
};

class Emitter {
public:
  Emitter(const Graph &graph, const HloModuleProto &module, mlir::ModuleOp into);

  /// Builds the entry as @main, and the functions that it calls.
  mlir::LogicalResult run();

  /// The instruction that is being converted, for errors; null if there is none.
  const HloInstructionProto *current() const { return at; }

  // Interface for the builders of operations.

  mlir::OpBuilder builder;

  /// Emits an error about `node`: invalid input, or an unimplemented feature.
  mlir::InFlightDiagnostic error(const Node &node);
  mlir::InFlightDiagnostic unimplemented(const Node &node);

  using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;
  /// Creates an operation with empty regions, unverified. Null after an error if its dialect does
  /// not define it.
  mlir::Operation *create(const Node &node, llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange types, Attributes attributes = {}, unsigned regions = 0);
  /// Creates and verifies an operation with the node's types.
  mlir::FailureOr<Values> make(const Node &node, llvm::StringRef name, mlir::ValueRange operands,
                               Attributes attributes = {});
  /// The same with one result of `type`.
  mlir::FailureOr<mlir::Value> makeOne(const Node &node, llvm::StringRef name,
                                       mlir::ValueRange operands, mlir::Type type,
                                       Attributes attributes = {});
  /// The same with a region for each computation that the node calls.
  mlir::FailureOr<Values> makeWithRegions(const Node &node, llvm::StringRef name,
                                          mlir::ValueRange operands, Attributes attributes = {});
  /// Fills a region with the body of a computation whose parameters are the region's arguments.
  mlir::LogicalResult fillRegion(mlir::Region &region, unsigned computation,
                                 mlir::Location location);
  /// Verifies an operation and returns its results.
  mlir::FailureOr<Values> finish(mlir::Operation *op);

  /// Inlines a computation at the insertion point.
  mlir::FailureOr<Values> inlineCall(const Node &node, unsigned computation,
                                     llvm::ArrayRef<mlir::Value> arguments);
  /// The function of a computation, built on first use.
  mlir::FailureOr<mlir::func::FuncOp> function(const Node &node, unsigned computation);

  /// Gives an operation the attributes that the framework gave the node.
  void addFrontendAttributes(const Node &node, mlir::Operation *op);

  mlir::MLIRContext *context() { return builder.getContext(); }

private:
  mlir::FailureOr<Values> build(unsigned computation, llvm::ArrayRef<mlir::Value> arguments);
  mlir::LogicalResult build(const Computation &computation, llvm::MutableArrayRef<Result> results,
                            unsigned position, llvm::ArrayRef<mlir::Value> arguments,
                            llvm::ArrayRef<unsigned> argumentStarts);
  mlir::FailureOr<mlir::func::FuncOp> makeFunction(unsigned computation, llvm::StringRef name);
  mlir::LogicalResult parameterTypes(const Computation &computation,
                                     llvm::SmallVectorImpl<mlir::Type> &types,
                                     llvm::SmallVectorImpl<mlir::Location> &argumentLocations);
  mlir::LogicalResult markAliases(mlir::func::FuncOp entry);
  mlir::LogicalResult checkSharding(const HloInstructionProto &proto, mlir::Location location);

  const Graph &graph;
  const HloModuleProto &module;
  mlir::ModuleOp into;
  Locations locations;
  const HloInstructionProto *at = nullptr;
  std::vector<mlir::func::FuncOp> functions; // of computations that have a function
  llvm::BitVector open;                      // computations that are being converted
  llvm::StringSet<> names;
  unsigned depth = 0;
  size_t built = 0;
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_EMITTER_H
