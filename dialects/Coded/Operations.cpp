// Operations of a dialect that is defined by its encoding, registered from their records.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Coded/Coded.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace systole::coded {

namespace {

/// The attributes of a record, stored as one dictionary in the operation's properties.
DictionaryAttr &attributesIn(OpaqueProperties properties) {
  return *properties.as<DictionaryAttr *>();
}

struct Encoding : BytecodeOpInterface::FallbackModel<Encoding> {
  static LogicalResult readProperties(DialectBytecodeReader &in, OperationState &state) {
    const OpInfo *info = operationInfo(state.name);
    SmallVector<NamedAttribute> attributes;
    auto isOptional = [&](StringRef name) {
      return llvm::any_of(info->fields, [&](const OpField &field) {
        return field.name == name && field.absent == Absent::Missing;
      });
    };
    for (StringRef name : info->encodedNames()) {
      Attribute value;
      if (failed(isOptional(name) ? in.readOptionalAttribute(value) : in.readAttribute(value)))
        return failure();
      if (value)
        attributes.emplace_back(StringAttr::get(in.getContext(), name), value);
    }
    state.propertiesAttr = DictionaryAttr::get(in.getContext(), attributes);
    return success();
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &out) const {
    const OpInfo *info = operationInfo(op->getName());
    for (StringRef name : info->encodedNames()) {
      const auto *field =
          llvm::find_if(info->fields, [&](const OpField &field) { return field.name == name; });
      Attribute value = attributesIn(op->getPropertiesStorage()).get(name);
      if (field->absent == Absent::Missing)
        out.writeOptionalAttribute(value);
      else
        out.writeAttribute(value);
    }
  }
};

LogicalResult verifyCount(Operation *op, StringRef what, int expected, unsigned actual) {
  if (expected < 0 || static_cast<unsigned>(expected) == actual)
    return success();
  return op->emitOpError() << "expects " << expected << ' ' << what << "; there are " << actual;
}

/// A terminator ends a block of an operation of its own dialect.
LogicalResult verifyPlace(Operation *op) {
  if (op->getBlock() && op->getNextNode())
    return op->emitOpError("must be the last operation in the parent block");
  Operation *parent = op->getParentOp();
  if (!parent || parent->getDialect() != op->getDialect())
    return op->emitOpError() << "expects a parent op of the dialect '"
                             << op->getDialect()->getNamespace() << "'";
  return success();
}

/// MLIR's model of an operation, implemented by its record.
class Model : public OperationName::Impl {
public:
  Model(const OpInfo &info, CodedDialect &dialect, TypeID id)
      : Impl((dialect.getNamespace() + "." + info.name).str(), &dialect, id,
             detail::InterfaceMap()),
        info(info) {}

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<OpFoldResult> &) override {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) override {}
  bool hasTrait(TypeID id) override {
    return info.terminator && id == TypeID::get<OpTrait::IsTerminator>();
  }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [](OpAsmParser &parser, OperationState &state) -> ParseResult {
      return static_cast<const CodedDialect *>(state.name.getDialect())
          ->parseOperation(parser, state);
    };
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) override {
    printer.printGenericOp(op);
  }

  LogicalResult verifyInvariants(Operation *op) override {
    if (failed(verifyCount(op, "operands", info.operands, op->getNumOperands())) ||
        failed(verifyCount(op, "results", info.results, op->getNumResults())) ||
        failed(verifyCount(op, "regions", info.regions, op->getNumRegions())))
      return failure();
    if (info.terminator && failed(verifyPlace(op)))
      return failure();
    for (const OpField &field : info.fields)
      if (field.absent != Absent::Missing && !getInherentAttr(op, field.name).value_or(Attribute()))
        return op->emitOpError() << "has no attribute '" << field.name << "'";
    if (!info.fields.empty())
      for (NamedAttribute attribute : attributesIn(op->getPropertiesStorage()))
        if (!isInherent(attribute.getName()))
          return op->emitOpError() << "has no property " << attribute.getName();
    return success();
  }
  LogicalResult verifyRegionInvariants(Operation *) override { return success(); }

  std::optional<Attribute> getInherentAttr(Operation *op, StringRef name) override {
    if (!isInherent(name))
      return std::nullopt;
    return attributesIn(op->getPropertiesStorage()).get(name);
  }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) override {
    DictionaryAttr &attributes = attributesIn(op->getPropertiesStorage());
    NamedAttrList changed(attributes);
    if (value)
      changed.set(name, value);
    else
      changed.erase(name);
    attributes = changed.getDictionary(op->getContext());
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &attributes) override {
    if (!info.fields.empty())
      attributes.append(attributesIn(op->getPropertiesStorage()));
  }
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &,
                                    function_ref<InFlightDiagnostic()>) override {
    return success();
  }

  int getOpPropertyByteSize() override { return info.fields.empty() ? 0 : sizeof(DictionaryAttr); }
  void initProperties(OperationName name, OpaqueProperties storage,
                      OpaqueProperties init) override {
    if (!info.fields.empty())
      new (storage.as<DictionaryAttr *>())
          DictionaryAttr(init ? attributesIn(init) : DictionaryAttr::get(name.getContext()));
  }
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute value,
                                      function_ref<InFlightDiagnostic()> emitError) override {
    auto attributes = dyn_cast<DictionaryAttr>(value);
    if (!attributes || (info.fields.empty() && !attributes.empty()))
      return emitError() << "has no such properties: " << value;
    if (!info.fields.empty())
      attributesIn(properties) = attributes;
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) override {
    if (info.fields.empty())
      return {};
    return attributesIn(op->getPropertiesStorage());
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    if (!info.fields.empty())
      attributesIn(to) = attributesIn(from);
  }
  bool compareProperties(OpaqueProperties lhs, OpaqueProperties rhs) override {
    return info.fields.empty() || attributesIn(lhs) == attributesIn(rhs);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override {
    if (info.fields.empty())
      return 0;
    return hash_value(attributesIn(properties));
  }

private:
  bool isInherent(StringRef name) const {
    return llvm::any_of(info.fields, [&](const OpField &field) { return field.name == name; });
  }

  const OpInfo &info;
};

} // namespace

ParseResult CodedDialect::parseOperation(OpAsmParser &parser, OperationState &state) const {
  return parser.emitError(parser.getNameLoc())
         << "'" << state.name << "' has no other form than the generic one";
}

void CodedDialect::registerOperations() {
  for (const OpInfo &info : tables.operations) {
    // MLIR only needs the names for lookup; the hooks are those of Model.
    RegisteredOperationName::insert(std::make_unique<Model>(info, *this, operationIds.allocate()),
                                    /*attrNames=*/{});
    RegisteredOperationName name =
        *RegisteredOperationName::lookup((getNamespace() + "." + info.name).str(), getContext());
    if (!info.fields.empty())
      name.attachInterface<Encoding>();
  }
}

} // namespace systole::coded
