// From a program to the machine's text form.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Machine/Program/Disassembler.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include "dialects/Machine/Program/AsmSyntax.h"
#include "dialects/Machine/Program/Shards.h"

namespace systole {
namespace {

using namespace assembly;
using isa::FieldInfo;
using isa::FieldKind;
using isa::Inst;
using isa::InstInfo;
using isa::Opcode;
using isa::Operand;

constexpr int kMaxDepth = 64;           // nesting of blocks, as in the assembler
constexpr size_t kHexBytesPerLine = 32; // of constants

// Identifiers of regions, descriptors and routines: the header's names where
// those are identifiers and unique.
struct Names {
  std::vector<std::string> regions, descriptors, routines;

  explicit Names(const program::ProgramHeader &header) {
    std::set<std::string> used;
    for (int i = 0; i < header.regions_size(); ++i)
      regions.push_back(identifier(header.regions(i).name(), "region", i, used));
    used.clear();
    for (int i = 0; i < header.descriptors_size(); ++i)
      descriptors.push_back(absl::StrCat("d", i));
    for (int i = 0; i < header.routines_size(); ++i)
      routines.push_back(identifier(header.routines(i).name(), "routine", i, used));
  }

  static std::string identifier(const std::string &name, absl::string_view fallback, int index,
                                std::set<std::string> &used) {
    std::string text = name;
    for (char &c : text)
      if (!absl::ascii_isalnum(c) && c != '.')
        c = '_';
    if (text.empty() || (!absl::ascii_isalpha(text[0]) && text[0] != '_'))
      text = absl::StrCat(fallback, "_", text);
    if (parseRegister(text) || text == "delay" || used.count(text))
      text = absl::StrCat(text, "_", index);
    while (!used.insert(text).second)
      text += "_";
    return text;
  }
};

std::string quoted(const std::string &text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
}

std::string nameAt(const std::vector<std::string> &names, int32_t index) {
  return index >= 0 && size_t(index) < names.size() ? names[size_t(index)] : absl::StrCat(index);
}

std::string integerText(int32_t value) {
  constexpr int32_t decimal = 1 << 20;
  if (value > -decimal && value < decimal)
    return absl::StrCat(value);
  return absl::StrFormat("0x%x", uint32_t(value));
}

class Printer {
public:
  Printer(const program::ProgramHeader *header, const Names *names)
      : header(header), names(names) {}

  std::string operand(Opcode opcode, const FieldInfo &field, const Operand &operand) const {
    if (operand.kind != Operand::Kind::Immediate)
      return registerName(operand);
    const int32_t value = operand.value;
    if (names && namesRegion(field))
      return nameAt(names->regions, value);
    if (names && field.kind == FieldKind::D)
      return nameAt(names->descriptors, value);
    if (names && opcode == Opcode::call)
      return nameAt(names->routines, value);
    if (header && opcode == Opcode::trap && field.kind == FieldKind::U)
      return trapMessage(value);
    if (readsFloat(opcode, field)) {
      const std::string text = floatText(uint32_t(value));
      // A NaN has no literal, only bits.
      return text.substr(0, 2) == "0x" ? "#" + text : text;
    }
    return integerText(value);
  }

  std::string inst(const Inst &inst) const {
    const InstInfo &info = isa::info(inst.opcode);
    std::string text, separator = " ";
    bool byName = false;
    size_t first = 0;
    if (!info.fields.empty() && info.fields[0].isResult) {
      text = registerName(inst.operands[0]) + " = ";
      first = 1;
    }
    text += info.mnemonic;
    const bool isBlock =
        inst.opcode == Opcode::loop || inst.opcode == Opcode::if_ || inst.opcode == Opcode::while_;
    for (size_t i = first; i < info.fields.size(); ++i) {
      const FieldInfo &field = info.fields[i];
      if (isBlock && field.kind == FieldKind::L)
        continue;
      const auto value = defaultOperand(inst.opcode, field);
      byName |= writtenByName(inst.opcode, field);
      if (value && *value == inst.operands[i])
        continue;
      text += separator;
      separator = ", ";
      if (byName)
        absl::StrAppend(&text, toAbsl(field.name), "=");
      text += operand(inst.opcode, field, inst.operands[i]);
    }
    return text;
  }

  // The instructions from `first` on in braces, or without them if there is just one.
  std::string insts(const isa::Bundle &bundle, size_t first, bool braces) const {
    std::vector<std::string> parts;
    for (size_t i = first; i < bundle.insts.size(); ++i)
      parts.push_back(inst(bundle.insts[i]));
    if (braces || parts.size() > 1)
      return absl::StrCat("{ ", absl::StrJoin(parts, "; "), " }");
    return parts.empty() ? "nop" : parts[0];
  }

  static std::string delay(const isa::Bundle &bundle) {
    return bundle.delay ? absl::StrCat(" delay ", bundle.delay) : "";
  }

private:
  std::string trapMessage(int32_t code) const {
    for (int i = 0; i < header->traps_size() && i <= code; ++i)
      if (i == code)
        return quoted(header->traps(i));
      else if (code < header->traps_size() && header->traps(i) == header->traps(code))
        break; // an earlier equal message would be found by the text
    return absl::StrCat(code);
  }

  const program::ProgramHeader *header;
  const Names *names;
};

class Disassembler {
public:
  Disassembler(const Program &program, const DisassembleOptions &options)
      : program(program), header(program.header), options(options), names(header),
        printer(&header, &names) {}

  std::string run() {
    printTotals();
    printMemory();
    printSignature();
    printTransfers();
    printConstants();
    printRanges();
    printRoutines();
    return std::move(out);
  }

private:
  template <typename... Parts> void line(const Parts &...parts) {
    out.append(size_t(2 * depth), ' ');
    absl::StrAppend(&out, parts..., "\n");
  }
  static std::string option(absl::string_view word, const std::string &text) {
    return text.empty() ? "" : absl::StrCat(" ", word, " ", quoted(text));
  }
  static std::string option(absl::string_view word, int64_t value) {
    return value == 0 ? "" : absl::StrCat(" ", word, " ", value);
  }
  template <typename T> static std::string list(const T &values) {
    return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
  }

  void printTotals() {
    line(".program ", quoted(header.name()));
    if (!header.producer().empty())
      line(".producer ", quoted(header.producer()));
    if (!header.module().empty())
      line(".module ", quoted(header.module()));
    if (!header.target().empty() || !header.target_hash().empty())
      line(".target ", quoted(header.target()), option("hash", header.target_hash()));
    if (header.cores() != 1 || header.slice_cores() != 0 || !header.core_places().empty())
      line(".cores ", header.cores(),
           header.slice_cores() == 0 ? "" : absl::StrCat(" of ", header.slice_cores()),
           header.core_places().empty() ? "" : absl::StrCat(" at ", list(header.core_places())));
    if (format != isa::BundleFormat())
      printFormat();
    if (!header.precision().empty())
      line(".precision ", quoted(header.precision()));
    if (header.flops() != 0)
      line(".flops ", header.flops());
    if (header.compile_seconds() != 0)
      line(".compile_seconds \"", absl::StrFormat("%.17g", header.compile_seconds()), "\"");
  }

  void printMemory() {
    const std::string used =
        absl::StrCat(option("hbm", header.hbm_rows()), option("vmem", header.vmem_rows()),
                     option("smem", header.smem_words()), option("pinned", header.pinned_rows()));
    if (!used.empty())
      line(".memory", used);
    for (int i = 0; i < header.regions_size(); ++i) {
      const program::Region &region = header.regions(i);
      const std::string &name = names.regions[size_t(i)];
      line(".region ", name, " ", spaceName(region.space()), " ", region.size(), " at ",
           region.base(), option("owner", region.owner()),
           name == region.name() ? "" : absl::StrCat(" named ", quoted(region.name())));
    }
    for (int i = 0; i < header.descriptors_size(); ++i) {
      const program::Descriptor &d = header.descriptors(i);
      line(".descriptor ", names.descriptors[size_t(i)], " ", spaceName(d.src()), " to ",
           spaceName(d.dst()), " chunk ", d.chunk(),
           d.counts().empty() ? ""
                              : absl::StrCat(" counts ", list(d.counts()), " src ",
                                             list(d.src_strides()), " dst ", list(d.dst_strides())),
           d.arrival_flag() == 0 ? "" : absl::StrCat(" arrival_flag ", d.arrival_flag() - 1),
           d.counts_words() ? " counts_words" : "");
    }
    for (const std::string &trap : header.traps())
      line(".trap ", quoted(trap));
    for (const program::LogMessage &message : header.log_messages()) {
      std::string text = message.typed() ? "typed" : "";
      for (int i = 0; i < message.texts_size(); ++i) {
        absl::StrAppend(&text, text.empty() ? "" : " ", quoted(message.texts(i)));
        if (i < message.values_size())
          absl::StrAppend(&text, " ", message.values(i).dtype(), " ",
                          list(message.values(i).dims()));
      }
      line(".message ", text);
    }
    for (const program::Allocation &a : header.allocations())
      line(".allocation ", quoted(a.name()), " ", spaceName(a.space()), " ", a.size(), " at ",
           a.base(), " payload ", a.payload_bytes(), locationOptions(a.location()),
           a.begin() == 0 && a.end() == 0 ? "" : absl::StrCat(" live ", a.begin(), " ", a.end()));
  }

  std::string locationOptions(int32_t location) const {
    const program::Location &from = locationOf(header, location);
    return absl::StrCat(option("source", from.source()), option("user", from.user()),
                        option("name_stack", from.name_stack()));
  }

  std::string tensor(const program::Tensor &tensor) const {
    const auto &order = tensor.layout().minor_to_major();
    bool rowMajor = true;
    for (int i = 0; i < order.size(); ++i)
      rowMajor &= order.Get(i) == order.size() - 1 - i;
    std::string others;
    for (int32_t region : tensor.high_regions())
      absl::StrAppend(&others, " and ", nameAt(names.regions, region));
    for (const program::DynamicDim &dim : tensor.dynamic_dims())
      absl::StrAppend(&others, " dynamic ", dim.dim(), " in ", nameAt(names.regions, dim.region()));
    return absl::StrCat(
        quoted(tensor.name()), " ", tensor.dtype(), list(tensor.dims()),
        rowMajor ? "" : absl::StrCat(" layout ", list(order)),
        tensor.layout().row_tile() > 1 ? absl::StrCat(" tile ", tensor.layout().row_tile()) : "",
        " in ", nameAt(names.regions, tensor.region()), others,
        tensor.memory() == program::DEVICE ? "" : absl::StrCat(" of ", memoryKind(tensor.memory())),
        isSharded(tensor) ? shards(tensor) : "",
        tensor.core_terms().empty() ? "" : absl::StrCat(" terms ", list(tensor.core_terms())));
  }

  // The text of a tensor that is divided ends in this.
  static std::string shards(const program::Tensor &tensor) {
    std::string text = absl::StrCat(" whole ", list(tensor.whole_dims()), " at");
    std::vector<int64_t> position;
    for (const int64_t index : tensor.core_positions()) {
      position.push_back(index);
      if (int(position.size()) == tensor.whole_dims_size()) {
        absl::StrAppend(&text, " ", list(position));
        position.clear();
      }
    }
    return text;
  }

  void printFormat() {
    std::string slots;
    for (int slot = 0; slot < isa::kSlotKinds; ++slot)
      absl::StrAppend(&slots, toAbsl(isa::name(isa::Slot(slot))), " ", format.slots[size_t(slot)],
                      " ");
    line(".bundle ", slots, "immediates ", format.immediates);
  }

  void printSignature() {
    for (const program::Tensor &argument : header.arguments())
      line(".argument ", tensor(argument), argument.donated() ? " donated" : "");
    for (const program::Tensor &result : header.results())
      line(".result ", tensor(result),
           result.aliased_input() > 0 ? absl::StrCat(" alias ", result.aliased_input() - 1) : "");
  }

  void printTransfers() {
    for (const program::HostTransfer &transfer : header.transfers()) {
      std::vector<std::string> tensors;
      for (const program::Tensor &part : transfer.tensors())
        tensors.push_back(tensor(part));
      const bool toHost = transfer.to_host();
      line(transfer.queued() ? (toHost ? ".outfeed " : ".infeed ") : (toHost ? ".send " : ".recv "),
           absl::StrJoin(tensors, ", "), " channel ", transfer.channel(),
           option("source", transfer.source()));
    }
  }

  void printConstants() {
    for (size_t i = 0; i < program.constants.size() && int(i) < header.constants_size(); ++i) {
      const absl::string_view bytes = program.constants[i];
      const std::string region = nameAt(names.regions, header.constants(int(i)).region());
      if (bytes.size() > options.maxConstantBytes) {
        line("// .constant ", region, " of ", bytes.size(), " bytes");
        continue;
      }
      line(".constant ", region, " hex [");
      for (size_t at = 0; at < bytes.size(); at += kHexBytesPerLine)
        line("  \"", absl::BytesToHexString(bytes.substr(at, kHexBytesPerLine)), "\",");
      line("]");
    }
  }

  void printRanges() {
    for (int i = 0; i < header.overlays_size(); ++i)
      line(".overlay bundles ", header.overlays(i).begin(), " ", header.overlays(i).end(), " at ",
           addressOfOverlay(header, i));
    for (const program::Kernel &kernel : header.kernels()) {
      line(".kernel ", quoted(kernel.name()), " bundles ", kernel.bundles().begin(), " ",
           kernel.bundles().end(), locationOptions(kernel.location()),
           option("kind", kernel.kind()), option("flops", kernel.flops()),
           option("bytes", kernel.bytes()), option("estimate", kernel.estimated_cycles()),
           option("step", kernel.step()),
           kernel.part_of() == 0 ? "" : absl::StrCat(" part_of ", kernel.part_of() - 1));
    }
    for (const program::SourceRange &source : header.sources()) {
      const program::Location &from = locationOf(header, source.location());
      line(".source ", quoted(from.source()), " bundles ", source.bundles().begin(), " ",
           source.bundles().end(), option("user", from.user()),
           option("name_stack", from.name_stack()));
    }
  }

  void printRoutines() {
    // The text has routines in the order of their code, which may differ from
    // that of their numbers.
    std::vector<int> order(size_t(header.routines_size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return header.routines(a).bundles().begin() < header.routines(b).bundles().begin();
    });
    if (!std::is_sorted(order.begin(), order.end()))
      for (const std::string &name : names.routines)
        line(".routine ", name);
    line(".entry ", nameAt(names.routines, header.entry()));
    for (int i : order) {
      const program::Routine &routine = header.routines(i);
      const std::string &name = names.routines[size_t(i)];
      line("");
      line("routine ", name,
           name == routine.name() ? "" : absl::StrCat(" named ", quoted(routine.name())), " {");
      block(routine.bundles().begin(), routine.bundles().end());
      line("}");
    }
  }

  // Bundles [begin, end), one level deeper.
  void block(int64_t begin, int64_t end) {
    ++depth;
    for (int64_t at = begin; at < end && at < int64_t(program.code.size());)
      at = statement(at, end);
    --depth;
  }

  int64_t statement(int64_t at, int64_t end) {
    const std::string number = options.bundleNumbers ? absl::StrCat("  // ", at) : std::string();
    auto bundle = isa::decode(program.code[size_t(at)], format);
    if (!bundle.ok()) {
      line("// invalid bundle: ", bundle.status().message(), number);
      return at + 1;
    }
    const Opcode first = bundle->insts.empty() ? Opcode::none : bundle->insts[0].opcode;
    if (first != Opcode::loop && first != Opcode::if_ && first != Opcode::while_) {
      line(printer.insts(*bundle, 0, false), Printer::delay(*bundle), number);
      return at + 1;
    }
    return control(at, end, *bundle, number);
  }

  int64_t control(int64_t at, int64_t end, const isa::Bundle &bundle, const std::string &number) {
    const Inst &inst = bundle.insts[0];
    const InstInfo &info = isa::info(inst.opcode);
    std::string head = printer.inst(inst);
    if (bundle.insts.size() > 1)
      absl::StrAppend(&head, " with ", printer.insts(bundle, 1, true));
    head += Printer::delay(bundle);

    std::vector<int64_t> lengths;
    int64_t left = end - at - 1;
    for (size_t i = 0; i < info.fields.size(); ++i)
      if (info.fields[i].kind == FieldKind::L) {
        lengths.push_back(inst.operands[i].value);
        left = lengths.back() < 0 ? -1 : left - lengths.back();
        if (left < 0)
          break;
      }
    if (left < 0 || depth > kMaxDepth) {
      line("// malformed: ", head, ", lengths ", list(lengths), number);
      return at + 1;
    }
    line(head, " {", number);
    ++at;
    for (size_t i = 0; i < lengths.size(); ++i) {
      // An else without bundles is left out.
      if (i > 0 && lengths[i] == 0)
        break;
      if (i > 0)
        line("} else {");
      block(at, at + lengths[i]);
      at += lengths[i];
    }
    line("}");
    return at;
  }

  const Program &program;
  const program::ProgramHeader &header;
  const isa::BundleFormat format = formatOf(header);
  const DisassembleOptions &options;
  Names names;
  Printer printer;
  std::string out;
  int depth = 0;
};

} // namespace

std::string disassemble(const Program &program, const DisassembleOptions &options) {
  return Disassembler(program, options).run();
}

std::string printInst(const isa::Inst &inst, const program::ProgramHeader *header) {
  if (!header)
    return Printer(nullptr, nullptr).inst(inst);
  const Names names(*header);
  return Printer(header, &names).inst(inst);
}

std::string printBundle(const isa::Bundle &bundle, const program::ProgramHeader *header) {
  if (!header)
    return Printer(nullptr, nullptr).insts(bundle, 0, false) + Printer::delay(bundle);
  const Names names(*header);
  return Printer(header, &names).insts(bundle, 0, false) + Printer::delay(bundle);
}

} // namespace systole
