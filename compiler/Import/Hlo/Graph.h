// The computations of an HLO module with resolved references.
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
  llvm::SmallVector<unsigned, 2> operands; // indices in the computation
  llvm::SmallVector<unsigned, 1> calls;    // indices in the graph
};

/// Instructions in topological order.
struct Computation {
  const HloComputationProto *proto;
  std::vector<Instruction> instructions;
  unsigned root = 0;                        // index of the result
  llvm::SmallVector<unsigned> parameters{}; // indices by parameter number
};

class Graph {
public:
  /// Resolves all references of a module, which must outlive the graph. Ids may come in any order.
  /// False if an id is undefined, duplicate or part of a cycle; see error().
  bool build(const HloModuleProto &module);

  const std::vector<Computation> &computations() const { return all; }
  unsigned entry() const { return entryIndex; }
  const std::string &error() const { return reason; }

private:
  bool resolve(Computation &computation);
  bool order(Computation &computation);
  bool findParameters(Computation &computation);
  bool refuse(const llvm::Twine &why);

  std::vector<Computation> all;
  std::unordered_map<int64_t, unsigned> computationIndex; // from ids to indices of computations
  unsigned entryIndex = 0;
  std::string reason;
};

} // namespace systole::hlo

#endif // SYSTOLE_COMPILER_IMPORT_HLO_GRAPH_H
