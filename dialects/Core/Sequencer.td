//===- Sequencer.td - Control flow and synchronisation -------*- tablegen -*-===//
//
// Control is structured: a loop, a conditional or a routine is a range of
// bundles with one entry. Sequencer instructions sit in scalar slot 0. Those
// without an operation in the dialect are emitted for scf and func operations
// when bundles are formed. Lengths count bundles that follow the instruction's
// own; the other slots of its bundle execute before control moves.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_CORE_SEQUENCER_TD
#define SYSTOLE_DIALECTS_CORE_SEQUENCER_TD

include "dialects/Core/CoreBase.td"

// Emitted for scf and func operations; never an operation of the dialect.
class SequencerInst<string mnemonic, dag ins, string text, string doc>
    : MachineInst<mnemonic, ScalarSlot, NoUnit, Lat_Control, ins, (outs)> {
  string summary = text;
  string description = doc;
}

def LoopInst : SequencerInst<"loop", (ins S:$count, CodeLength:$length),
    "repeat the next `length` bundles `count` times",
    [{A hardware loop: no cost per iteration. A count of 0 or less (signed) skips the body.
      Loops nest to the target's depth.}]>;
def IfInst : SequencerInst<"if", (ins S:$cond, CodeLength:$thenLength, CodeLength:$elseLength),
    "execute the next `thenLength` bundles if `cond` is not zero, else the `elseLength` bundles after them",
    [{Either length may be 0.}]>;
def WhileInst : SequencerInst<"while", (ins CodeLength:$length),
    "repeat the next `length` bundles until an `exit` among them is taken",
    [{Exactly one `exit` stands directly in the body, not inside a nested range.}]>;
def ExitInst : SequencerInst<"exit", (ins S:$cond),
    "leave the innermost `while` if `cond` is zero",
    [{Execution goes on after the body of the `while`.}]>;
def CallInst : SequencerInst<"call", (ins CodeLength:$routine),
    "execute routine `routine` of the program's table", [{Calls nest to the target's depth.}]>;
def RetInst : SequencerInst<"ret", (ins), "return from a routine",
    [{The last bundle of every routine, and only that.}]>;
def HaltInst : SequencerInst<"halt", (ins), "the program is complete",
    [{Copies in flight when the program halts are a trap.}]>;
def OverlayInst : SequencerInst<"overlay", (ins CodeLength:$overlay),
    "wait until overlay `overlay` is in instruction memory",
    [{Loads it as `overlay.start` does, unless that has been done. Executing a bundle of an overlay
      that no `overlay` has waited for is a trap. Overlay 0 is resident from the start and stays; a
      program without overlays is resident as a whole.}]>;

class Core_Sync<string m, dag operands, dag outcomes, string text>
    : Core_Inst<m, ScalarSlot, NoUnit, Lat_Control, operands, outcomes, text>;

def Core_WaitOp : Core_Sync<"wait", (ins S:$value, UImm<FlagBits>:$flag), (outs),
    "stall until a sync flag reaches a value, then subtract it"> {
  let description = [{
    The only stall of the machine. A wait that nothing in flight can end is a trap (deadlock).
  }];
}
def Core_FlagReadOp : Core_Inst<"flag.read", ScalarSlot, NoUnit, Lat_Scalar,
    (ins UImm<FlagBits>:$flag), (outs S:$d), "value of a sync flag"> {
  let description = [{ Reads without waiting. }];
}
def Core_FlagAddOp : Core_Sync<"flag.add", (ins S:$value, S:$core, UImm<FlagBits>:$flag), (outs),
    "add to a sync flag of this core (-1) or of another"> {
  let description = [{
    On another core the addition arrives after the interconnect's latency.
  }];
}
def Core_FlagSignalOp : Core_Sync<"flag.signal", (ins S:$value, S:$core, S:$flag), (outs),
    "add to the sync flag of a core that a register selects"> {
  let description = [{
    As `flag.add`, but the number of the flag is a scalar. A flag or core that does not exist is a trap.
  }];
}
def Core_TrapOp : Core_Sync<"trap", (ins S:$cond, UImm<12>:$code), (outs),
    "stop with an error if `cond` is not zero"> {
  let description = [{ An assertion of the compiled program; `code` indexes its message. }];
}

// Last, since instructions are numbered in order: programs that were written before it stay valid.
def OverlayStartInst : SequencerInst<"overlay.start", (ins CodeLength:$overlay),
    "begin to load overlay `overlay` into instruction memory",
    [{Its bundles come from HBM to their address in instruction memory while execution goes on. They
      replace all overlays that overlap them. Nothing happens if the overlay is there or on its way.}]>;
def Core_LogWordOp : Core_Sync<"log.word", (ins S:$value, UImm<12>:$message), (outs),
    "append a word to the core's log"> {
  let description = [{
    `message` indexes the program's log messages. A message is complete with the words of its values, in
    row-major order; one without values takes one word, which does not count. Words of another message
    before that are a trap. The host gets each complete message. It takes no time but its bundle.
  }];
}

#endif // SYSTOLE_DIALECTS_CORE_SEQUENCER_TD
