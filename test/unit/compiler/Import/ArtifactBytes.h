// Handwritten bytecode, valid or malformed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_IMPORT_ARTIFACTBYTES_H
#define SYSTOLE_TEST_UNIT_COMPILER_IMPORT_ARTIFACTBYTES_H

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// A small number in MLIR's variable-length encoding.
inline std::string number(uint64_t value) {
  for (unsigned bytes = 1; bytes <= 8; ++bytes)
    if (value < (uint64_t(1) << (7 * bytes))) {
      uint64_t bits = (value << bytes) | (uint64_t(1) << (bytes - 1));
      std::string result;
      for (unsigned i = 0; i < bytes; ++i)
        result += static_cast<char>(bits >> (8 * i));
      return result;
    }
  std::string result(1, '\0');
  for (unsigned i = 0; i < 8; ++i)
    result += static_cast<char>(value >> (8 * i));
  return result;
}

inline std::string section(uint8_t id, const std::string &content) {
  return std::string(1, static_cast<char>(id)) + number(content.size()) + content;
}

/// A file with dialects 'builtin' (0) and 'vhlo' (1). It starts with attribute 0, an unknown
/// location, and type 0, tensor_v1 of no dimensions and f32_v1 (type 1); its operation is a module
/// whose only region contains `body`.
struct ArtifactBytes {
  std::string producer = "StableHLO_v1.9.0";
  std::vector<std::string> strings = {"builtin", "vhlo",  "module",   "create_token_v1",
                                      "add_v1",  "if_v1", "return_v1"};
  std::vector<std::string> attributes = {number(15)};                               ///< of MLIR
  std::vector<std::string> types = {number(20) + number(0) + number(1), number(4)}; ///< of vhlo
  std::vector<std::string> builtinTypes; ///< of MLIR, numbered after those
  bool areBuiltinTypesTexts = false;
  std::string body = number(0) + number(0);
  std::string properties = number(0);
  std::string more; ///< further sections

  /// Operations by name number: 0 builtin.module, 1 vhlo.create_token_v1, 2 vhlo.add_v1, 3
  /// vhlo.if_v1, 4 vhlo.return_v1.
  static std::string operation(unsigned name, uint8_t parts, const std::string &rest) {
    return number(name) + static_cast<char>(parts) + number(0) + rest;
  }

  std::string moduleOf(const std::string &body) const {
    return operation(0, 16, number(1 << 1) + number(1) + body);
  }

  std::string bytes() const {
    std::string sizes, texts;
    for (auto string = strings.rbegin(); string != strings.rend(); ++string)
      sizes += number(string->size() + 1);
    for (const std::string &string : strings)
      texts += string + '\0';
    std::string dialects = number(2) + number(0 << 1) + number(1 << 1) + number(5) + number(0) +
                           number(1) + number(2 << 1 | 1) + number(1) + number(4) +
                           number(3 << 1 | 1) + number(4 << 1 | 1) + number(5 << 1 | 1) +
                           number(6 << 1 | 1);
    std::string entries,
        entrySizes = number(attributes.size()) + number(types.size() + builtinTypes.size());
    auto add = [&](unsigned dialect, const std::vector<std::string> &group, bool isText = false) {
      if (group.empty())
        return;
      entrySizes += number(dialect) + number(group.size());
      for (const std::string &entry : group) {
        entrySizes += number(entry.size() << 1 | !isText);
        entries += entry;
      }
    };
    add(0, attributes);
    add(1, types);
    add(0, builtinTypes, areBuiltinTypesTexts);
    return "ML\xefR\x0d" + producer + '\0' + section(1, dialects) + section(2, entries) +
           section(3, entrySizes) + section(4, number(1 << 1) + moduleOf(body)) + more +
           section(0, number(strings.size()) + sizes + texts) + section(8, properties);
  }
};

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_COMPILER_IMPORT_ARTIFACTBYTES_H
