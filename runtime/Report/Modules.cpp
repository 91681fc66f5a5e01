// The module of a model that a kernel belongs to, and the cost of each module.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Modules.h"

#include <algorithm>
#include <map>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace systole {
namespace {

// Scopes of frameworks that are not modules.
bool isControl(llvm::StringRef part) {
  return part.starts_with("branch_") ||
         llvm::StringSwitch<bool>(part)
             .Cases({"while", "body", "cond", "closed_call", "core_call", "checkpoint", "remat",
                     "rematted_computation", "custom_jvp_call", "custom_vjp_call",
                     "custom_vjp_call_jaxpr", "pjit", "scan"},
                    true)
             .Default(false);
}

// Returns the parts between slashes outside of parentheses.
llvm::SmallVector<llvm::StringRef> partsOf(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    depth += path[i] == '(' ? 1 : path[i] == ')' ? -1 : 0;
    if (path[i] == '/' && depth <= 0) {
      parts.push_back(path.slice(begin, i));
      begin = i + 1;
    }
  }
  parts.push_back(path.substr(begin));
  return parts;
}

void add(ModulePath &path, llvm::StringRef part) {
  // transpose(jvp(layer)): the innermost argument of transformations counts.
  while (part.ends_with(")") && part.contains('(')) {
    auto [transformation, inner] = part.split('(');
    if (transformation == "jit" || transformation == "pjit")
      return;
    path.backward |= transformation == "transpose";
    part = inner.drop_back();
  }
  if (part.empty() || isControl(part))
    return;
  if (!path.module.empty())
    path.module += '/';
  path.module += part;
}

std::string shortened(llvm::StringRef module, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth && end != llvm::StringRef::npos; ++i)
    end = module.find('/', i == 0 ? 0 : end + 1);
  return depth > 0 ? module.substr(0, end).str() : module.str();
}

} // namespace

ModulePath modulePath(llvm::StringRef nameStack) {
  ModulePath path;
  llvm::SmallVector<llvm::StringRef> parts = partsOf(nameStack);
  parts.pop_back();
  for (llvm::StringRef part : parts)
    add(path, part);
  return path;
}

std::vector<ModuleReport> byModule(const Report &report, int depth) {
  std::vector<ModuleReport> modules;
  std::map<std::string, size_t> places;
  for (const KernelReport &kernel : report.kernels) {
    const ModulePath path = modulePath(kernel.nameStack);
    std::string name = kernel.name == kSequencer ? kSequencer
                       : path.module.empty()     ? "(no module)"
                                                 : shortened(path.module, depth);
    auto [place, isNew] = places.try_emplace(name, modules.size());
    if (isNew)
      modules.push_back({name});
    ModuleReport &module = modules[place->second];
    module.calls += kernel.calls;
    (path.backward ? module.backwardCycles : module.forwardCycles) += kernel.cycles;
    module.flops += kernel.flops;
    module.bytes += kernel.bytes;
  }
  std::stable_sort(modules.begin(), modules.end(),
                   [](auto &a, auto &b) { return a.cycles() > b.cycles(); });
  return modules;
}

} // namespace systole
