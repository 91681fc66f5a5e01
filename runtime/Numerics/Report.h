// Reports of numerics as text and as JSON.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_REPORT_H
#define SYSTOLE_RUNTIME_NUMERICS_REPORT_H

#include <string>

#include "runtime/Numerics/FirstDifference.h"
#include "runtime/Numerics/FirstNonfinite.h"
#include "runtime/Numerics/FirstOutOfBounds.h"
#include "runtime/Numerics/Numerics.h"
#include "llvm/Support/JSON.h"

namespace systole::numerics {

// Both end in a line break. `most` operations, the ones that lose most; 0: all.
std::string toText(const Numerics &numerics, size_t most);
std::string toText(const Numerics &numerics, const std::vector<Remedy> &remedies);
std::string toText(const FiniteReport &report, Nonfinite kind);
std::string toText(const DifferenceReport &report);
std::string toText(const std::optional<FirstOutOfBounds> &first);

llvm::json::Object toJson(const Numerics &numerics);
llvm::json::Array toJson(const std::vector<Remedy> &remedies);
llvm::json::Object toJson(const FiniteReport &report, Nonfinite kind);
llvm::json::Object toJson(const DifferenceReport &report);
llvm::json::Object toJson(const std::optional<FirstOutOfBounds> &first);

// A remedy for an operation, or "": "precision=HIGHEST", "sum in f32".
std::string adviceFor(const OperationNumerics &operation);

// "out[3, 5]" without the name: "[3, 5]".
std::string indexText(const std::vector<int64_t> &index);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_REPORT_H
