// Entry point of the table generator for the instruction set and encoded dialects.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole-tblgen/Model.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Main.h"

using namespace systole::tblgen;

enum class Action { Enums, Tables, Semantics, Docs, CodedTables, CodedDocs };

static llvm::cl::opt<Action> action(
    llvm::cl::desc("Output:"), llvm::cl::Required,
    llvm::cl::values(
        clEnumValN(Action::Enums, "gen-isa-enums", "opcodes and latency classes"),
        clEnumValN(Action::Tables, "gen-isa-tables", "tables of instructions, slots and fields"),
        clEnumValN(Action::Semantics, "gen-isa-semantics", "semantics as macro invocations"),
        clEnumValN(Action::Docs, "gen-isa-docs", "the reference page in Markdown"),
        clEnumValN(Action::CodedTables, "gen-coded-tables", "tables of an encoded dialect"),
        clEnumValN(Action::CodedDocs, "gen-coded-docs", "the list of an encoded dialect")));

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
  case Action::CodedTables:
    return emitCodedTables(os, records);
  case Action::CodedDocs:
    return emitCodedDocs(os, records);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Systole's generator of tables\n");
  return llvm::TableGenMain(argv[0], llvm::TableGenMainFn(generate));
}
