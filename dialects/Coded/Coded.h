// Dialects that are defined by their encoding: TableGen lists the contents of a portable artifact,
// and everything about them (storage, text, bytecode, verification) is generated from the list.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_CODED_CODED_H
#define SYSTOLE_DIALECTS_CODED_CODED_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Support/TypeID.h"
#include "llvm/ADT/StringMap.h"

#include <tuple>

namespace systole::coded {

/// A version of the encoding without its patch number, which has no effect; 0.0 if none is given.
struct Version {
  uint16_t major = 0, minor = 0;

  bool isGiven() const { return major || minor; }
  friend auto operator<=>(const Version &, const Version &) = default;
};

/// A field after the code of an attribute or type. Integers of all kinds, and before each list
/// its length, are in Node::ints.
enum class FieldKind : uint8_t {
  UInt,
  Int,
  Ints,
  Bool,
  Enum,
  FlaggedInt, ///< whether there is one, and which
  Double,     ///< as its bits
  Doubles,
  FloatOfType,   ///< as the bits of the type before it
  IntegerOfType, ///< of the type before it
  String,
  Blob,
  Attribute,
  OptionalAttribute,
  FlaggedAttribute, ///< another encoding of an optional attribute
  Attributes,
  Pairs, ///< two attributes for each that the length counts
  Type,
  Types,
};

struct KindInfo {
  llvm::StringLiteral name;
  uint8_t code;
  Version since;
  llvm::ArrayRef<FieldKind> fields;
  llvm::ArrayRef<llvm::StringLiteral> cases; ///< of an enumeration; "" for unused values
};

/// The form that an attribute of an operation has outside of the encoding.
enum class Form : uint8_t {
  Same,       ///< the attribute of the same meaning
  Ints,       ///< an array of i64
  Bools,      ///< an array of i1
  Symbol,     ///< the name of a symbol
  Symbols,    ///< an array of such names
  ApiVersion, ///< an i32, which the encoding stores by name
  Flag,       ///< a unit attribute for "true"
  Channel,    ///< `channel_handle`, of which it is the handle
  Part,       ///< a number or numbers of the operation's Structure
  Algorithm,  ///< a part of the arithmetic that a contraction requests
};

/// The value of an attribute that means the same as its absence outside of the encoding.
enum class Absent : uint8_t {
  Never,   ///< it is always present
  Missing, ///< it is left out in the encoding, too
  False,
  Zero,
  One,
  MinusOne,
  EmptyString,
  EmptyArray,
  EmptyDictionary,
  EmptyTensor,
  Ones,      ///< one for each dimension of a window
  Falses,    ///< likewise
  ZeroPairs, ///< likewise
  NoneType,
  NoComparisonType,
  DefaultPrecision,
  Accuracy,
};

enum class Structure : uint8_t { None, Gather, Scatter, Dot, Convolution, Channel };

struct OpField {
  llvm::StringLiteral name;
  Form form;
  Absent absent;
};

struct OpInfo {
  llvm::StringLiteral name;
  Version since, until;
  int operands, results, regions; ///< -1 for any number
  Structure structure;
  bool terminator;
  llvm::ArrayRef<OpField> fields;

  /// The names of the fields in the order of the encoding, which is alphabetical.
  llvm::SmallVector<llvm::StringRef> encodedNames() const;
};

/// The value of an attribute or type: its kind, and the contents of its fields, in order.
struct Node {
  const KindInfo *kind = nullptr;
  llvm::ArrayRef<int64_t> ints;
  llvm::ArrayRef<mlir::Attribute> attributes; ///< null for an absent one
  llvm::ArrayRef<mlir::Type> types;
  llvm::StringRef bytes;

  bool operator==(const Node &other) const {
    return std::tie(kind, ints, attributes, types, bytes) ==
           std::tie(other.kind, other.ints, other.attributes, other.types, other.bytes);
  }
};

/// A node under construction.
struct NodeBuilder {
  const KindInfo *kind = nullptr;
  llvm::SmallVector<int64_t, 4> ints;
  llvm::SmallVector<mlir::Attribute, 4> attributes;
  llvm::SmallVector<mlir::Type, 4> types;
  std::string bytes;

  Node node() const { return {kind, ints, attributes, types, bytes}; }
};

template <typename Base> struct NodeStorage : Base {
  using KeyTy = Node;
  explicit NodeStorage(const Node &node) : node(node) {}
  bool operator==(const KeyTy &other) const { return node == other; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(
        key.kind, llvm::hash_combine_range(key.ints.begin(), key.ints.end()),
        llvm::hash_combine_range(key.attributes.begin(), key.attributes.end()),
        llvm::hash_combine_range(key.types.begin(), key.types.end()), key.bytes);
  }
  static NodeStorage *construct(mlir::StorageUniquer::StorageAllocator &allocator,
                                const KeyTy &key) {
    return new (allocator.allocate<NodeStorage>())
        NodeStorage(Node{key.kind, allocator.copyInto(key.ints), allocator.copyInto(key.attributes),
                         allocator.copyInto(key.types), allocator.copyInto(key.bytes)});
  }
  Node node;
};
using AttributeNodeStorage = NodeStorage<mlir::AttributeStorage>;
using TypeNodeStorage = NodeStorage<mlir::TypeStorage>;

/// The lists of a dialect, which must outlive it.
struct Tables {
  llvm::ArrayRef<KindInfo> attributes; ///< in the order of their codes
  llvm::ArrayRef<KindInfo> types;
  llvm::ArrayRef<OpInfo> operations; ///< in the order of their names
};

/// A dialect defined by tables. Attributes and types print as their name and, in angle brackets,
/// their fields; operations in MLIR's generic form.
class CodedDialect : public mlir::Dialect {
public:
  /// Null where there is none.
  const KindInfo *attributeKind(uint64_t code) const { return find(tables.attributes, code); }
  const KindInfo *typeKind(uint64_t code) const { return find(tables.types, code); }
  const OpInfo *operation(llvm::StringRef name) const; ///< without the dialect's name
  llvm::ArrayRef<OpInfo> operations() const { return tables.operations; }

  /// The dialect's one class of attributes, and of types if it has any.
  virtual mlir::Attribute attribute(const Node &node) const = 0;
  virtual mlir::Type type(const Node &) const { return {}; }
  virtual const Node &nodeOf(mlir::Attribute attribute) const = 0;
  virtual const Node &nodeOf(mlir::Type) const { llvm_unreachable("the dialect has no types"); }
  /// The type of MLIR in which numbers of this type are stored; null if there is none.
  virtual mlir::Type numberType(mlir::Type) const { return {}; }

  /// Parses an operation in another form than the generic one; fails if there is none.
  virtual mlir::ParseResult parseOperation(mlir::OpAsmParser &parser,
                                           mlir::OperationState &state) const;
  mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
  mlir::Type parseType(mlir::DialectAsmParser &parser) const override;
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter &printer) const override;
  void printType(mlir::Type type, mlir::DialectAsmPrinter &printer) const override;

protected:
  /// Parses the fields of the kind of attribute with a name that stands at `start`.
  mlir::Attribute parseFields(llvm::StringRef name, llvm::SMLoc start,
                              mlir::AsmParser &parser) const;

  CodedDialect(llvm::StringRef name, mlir::MLIRContext *context, mlir::TypeID id,
               const Tables &tables);

private:
  static const KindInfo *find(llvm::ArrayRef<KindInfo> kinds, uint64_t code);
  void registerOperations();

  Tables tables;
  llvm::StringMap<const OpInfo *> operationsByName;
  mlir::TypeIDAllocator operationIds;
};

/// The dialect of an attribute, a type or an operation's name if it is defined by tables.
CodedDialect *codedDialect(mlir::Dialect &dialect);
const OpInfo *operationInfo(mlir::OperationName name);

/// MLIR's interface to the encoding of attributes and types.
void addBytecodeInterface(CodedDialect &dialect);

} // namespace systole::coded

#endif // SYSTOLE_DIALECTS_CODED_CODED_H
