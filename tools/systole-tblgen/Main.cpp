// Entry point of the instruction set's generator.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole-tblgen/Model.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Main.h"

using namespace systole::tblgen;

enum class Action { Enums, Tables, Semantics, Docs };

static llvm::cl::opt<Action> action(
    llvm::cl::desc("What to generate:"), llvm::cl::Required,
    llvm::cl::values(
        clEnumValN(Action::Enums, "gen-isa-enums", "opcodes and latency classes"),
        clEnumValN(Action::Tables, "gen-isa-tables", "tables of instructions, slots and fields"),
        clEnumValN(Action::Semantics, "gen-isa-semantics", "semantics as macro invocations"),
        clEnumValN(Action::Docs, "gen-isa-docs", "the reference page in Markdown")));

static bool generate(llvm::raw_ostream &os, const llvm::RecordKeeper &records) {
  switch (action) {
  case Action::Enums:
    return emitEnums(os, records);
  case Action::Tables:
    return emitTables(os, records);
  case Action::Semantics:
    return emitSemantics(os, records);
  case Action::Docs:
    return emitDocs(os, records);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Systole instruction set generator\n");
  return llvm::TableGenMain(argv[0], llvm::TableGenMainFn(generate));
}
