//===- Passes.td - The machine levels ------------------------*- tablegen -*-===//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef SYSTOLE_COMPILER_EMIT_PASSES_TD
#define SYSTOLE_COMPILER_EMIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CoreToMachine : Pass<"systole-core-to-machine", "::mlir::ModuleOp"> {
  let summary = "Lower core routines to a machine program and print one of its levels";
  let description = [{
    Lowers a module of core routines to machine functions, schedules them, allocates
    registers and encodes them. Prints the result of one of these steps to standard
    output: machine functions (see docs/machine-function.md) or the disassembled
    program. The module itself is not changed.
  }];
  let options = [
    Option<"printAfter", "print-after", "std::string", "\"encode\"",
           "Step to stop after and print: lower, prepare, pipeline, schedule, overlap, allocate or "
           "encode">,
    Option<"target", "target", "std::string", "\"v3\"",
           "Name or file of the target description">,
    Option<"pipeline", "pipeline", "bool", "true", "Overlap iterations of innermost loops">,
    Option<"simplest", "simplest", "bool", "false",
           "Keep program order and all values in memory">,
    Option<"output", "output", "std::string", "\"\"",
           "File to which the encoded program is written as well">,
    Option<"statistics", "statistics", "bool", "false", "Print counters and times to stderr">];
}

def MachineParse : Pass<"systole-parse-machine", "::mlir::ModuleOp"> {
  let summary = "Read machine functions from a file and print them";
  let description = [{
    Parses the text form of machine functions (.smir), runs the remaining steps up to
    `print-after`, and prints the result as systole-core-to-machine does. The module
    that the pass runs on is ignored.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "File to read">,
    Option<"printAfter", "print-after", "std::string", "\"parse\"",
           "Step to stop after and print: parse, verify, prepare, pipeline, schedule, overlap, "
           "allocate or encode. The text of a scheduled and allocated module can be verified and "
           "encoded">,
    Option<"target", "target", "std::string", "\"v3\"",
           "Name or file of the target description">,
    Option<"pipeline", "pipeline", "bool", "true", "Overlap iterations of innermost loops">,
    Option<"simplest", "simplest", "bool", "false",
           "Keep the program's order and all values in memory">];
}

#endif // SYSTOLE_COMPILER_EMIT_PASSES_TD
