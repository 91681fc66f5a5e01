// The computations of an HLO module with what refers to what.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_IMPORT_HLO_GRAPH_H
#define SYSTOLE_COMPILER_IMPORT_HLO_GRAPH_H

#include "compiler/Import/Hlo/hlo.pb.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace systole::hlo {

struct Instruction {
  const HloInstructionProto *proto;
  llvm::SmallVector<unsigned, 2> operands; // places in the computation
  llvm::SmallVector<unsigned, 1> calls;    // places in the graph
};

/// Instructions stand after their operands.
struct Computation {
  const HloComputationProto *proto;
  std::vector<Instruction> instructions;
  unsigned root = 0;                        // place of the result
  llvm::SmallVector<unsigned> parameters{}; // places by their numbers
};

class Graph {
public:
  /// Resolves every number of a module, which must outlive the graph. Numbers may come in any
  /// order. False if one refers to nothing, twice occurs or in a circle; then error() says so.
  bool build(const HloModuleProto &module);

  const std::vector<Computation> &computations() const { return all; }
  unsigned entry() const { return entryPlace; }
  const std::string &error() const { return reason; }

private:
  bool resolve(Computation &computation);
  bool order(Computation &computation);
  bool findParameters(Computation &computation);
  bool refuse(const llvm::Twine &why);

  std::vector<Computation> all;
  std::unordered_map<int64_t, unsigned> places; // of computations, by their numbers
  unsigned entryPlace = 0;
  std::string reason;
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_GRAPH_H
