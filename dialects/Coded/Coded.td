// Records of a dialect that is defined by its encoding: its attributes, types and operations
// as lists, from which systole-tblgen makes the tables of Coded.h.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_CODED_TD
#define SYSTOLE_DIALECTS_CODED_TD

// An attribute or a type. `fields` are the fields after its code, in order (FieldKind in Coded.h).
class Kind<string mnemonic, int number, string since, list<string> fields> {
  string Mnemonic = mnemonic;
  int Code = number;
  string Since = since; // the dialect's version that introduced it, "" for the first
  list<string> Fields = fields;
  list<string> Cases = []; // names of an enumeration's values, from zero on
  string Builtin = "";     // C++ that builds MLIR's own type, for types without fields
}
class AttributeKind<string mnemonic, int number, string since, list<string> fields>
    : Kind<mnemonic, number, since, fields>;
class TypeKind<string mnemonic, int number, string since, list<string> fields>
    : Kind<mnemonic, number, since, fields>;

class EnumKind<string mnemonic, int number, string since, list<string> cases>
    : AttributeKind<mnemonic, number, since, ["Enum"]> {
  let Cases = cases;
}
class ScalarKind<string mnemonic, int number, string since, string builtin = "">
    : TypeKind<mnemonic, number, since, []> {
  let Builtin = builtin;
}

// An attribute of an operation. `form` is its form outside of the encoding, `absent` the value
// that is equivalent to its absence (Form and Absent in Coded.h).
class Field<string name, string form = "Same", string absent = "Never"> {
  string Name = name;
  string Form = form;
  string Absent = absent;
}

// An operation of the versions from `since` to `until` ("" for the first and the last), with a
// fixed number of operands, results and regions, or any (-1).
class Coded<string mnemonic, string since, string until, int operands, int results,
            list<Field> fields = [], int regions = 0> {
  string Mnemonic = mnemonic;
  string Since = since;
  string Until = until;
  int Operands = operands;
  int Results = results;
  int Regions = regions;
  list<Field> Fields = fields;
  string Structure = "None"; // the attribute that the fields of form Part become
  bit Terminator = false;
}

#endif // SYSTOLE_DIALECTS_CODED_TD
