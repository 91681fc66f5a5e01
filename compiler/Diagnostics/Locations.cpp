// Source lines and name stacks of locations.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace systole {

/// The first line of a location that `isWanted` accepts, from the innermost frame outwards.
static std::string findLine(Location loc, llvm::function_ref<bool(StringRef)> isWanted) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || !isWanted(file.getFilename()))
      return WalkResult::advance();
    stream << file.getFilename().getValue();
    // Line 0 stands for the whole file.
    if (file.getLine() > 0)
      stream << ':' << file.getLine() << ':' << file.getColumn();
    return WalkResult::interrupt();
  });
  return result;
}

/// Whether a file belongs to an installed package or to Python itself.
static bool isInstalled(StringRef file) {
  if (file.starts_with("<frozen "))
    return true;
  StringRef before;
  for (StringRef part : llvm::split(file, '/')) {
    if (part == "site-packages" || part == "dist-packages")
      return true;
    if ((before == "lib" || before == "lib64") && part.starts_with("python3"))
      return true;
    before = part;
  }
  return false;
}

std::string sourceLine(Location loc) {
  return findLine(loc, [](StringRef) { return true; });
}

std::string userLine(Location loc) {
  return findLine(loc, [](StringRef file) { return !isInstalled(file); });
}

/// The outermost name of a location and the location below it; the name is empty if there is none.
static std::pair<StringRef, Location> splitName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return {name.getName().getValue(), name.getChildLoc()};
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (auto name = dyn_cast<NameLoc>(part))
        return {name.getName().getValue(), name.getChildLoc()};
  return {"", loc};
}

std::string nameStack(Location loc) { return splitName(loc).first.str(); }

/// Producers write a callee's names relative to its own name, or from the root of the call that was
/// traced first, which may be another call.
static std::string joinNames(StringRef caller, StringRef callee) {
  if (caller.empty() || callee.empty())
    return (caller + callee).str();
  StringRef function = caller.substr(caller.rfind('/') + 1); // the whole stack if it has no '/'
  if (callee.starts_with((caller + "/").str()))
    return callee.str();
  if (callee.split('/').first == caller.split('/').first && caller.contains('/')) {
    size_t at = ("/" + callee + "/").str().rfind(("/" + function + "/").str());
    callee = at == std::string::npos
                 ? callee.substr(callee.rfind('/') + 1)
                 : callee.substr(std::min(callee.size(), at + function.size() + 1));
  } else if (callee.split('/').first == function) {
    callee = callee.split('/').second;
  }
  return callee.empty() ? caller.str() : (caller + "/" + callee).str();
}

Location inlinedLocation(Location callee, Location caller) {
  auto [calleeName, calleeLine] = splitName(callee);
  auto [callerName, callerLine] = splitName(caller);
  Location line = isa<UnknownLoc>(calleeLine) ? callerLine
                  : isa<UnknownLoc>(callerLine)
                      ? calleeLine
                      : Location(CallSiteLoc::get(calleeLine, callerLine));
  std::string name = joinNames(callerName, calleeName);
  return name.empty() ? line : NameLoc::get(StringAttr::get(callee.getContext(), name), line);
}

} // namespace systole
