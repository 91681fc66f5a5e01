// Every variant of the kernels that this host can run gives the bits of the portable one, for all
// instructions that the tables have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "test/unit/runtime/Emulator/Cells.h"
#include "gtest/gtest.h"

using namespace systole;
using namespace systole::test;
using isa::Opcode;

namespace {

const KernelTable &portable() { return *runnableKernels().back(); }

// The variants for instructions of the host.
std::vector<const KernelTable *> others() {
  const auto all = runnableKernels();
  return {all.begin(), all.end() - 1};
}

// The bits of NaN that an operation makes depend on the order in which the host's instruction has
// its operands.
bool sameBits(uint32_t x, uint32_t y) {
  return x == y || (std::isnan(asFloat(x)) && std::isnan(asFloat(y)));
}

void expectSame(const Register &expected, const Register &result, const std::string &what) {
  for (int i = 0; i < kCells; ++i)
    ASSERT_TRUE(sameBits(expected.cells[i], result.cells[i]))
        << what << ": cell " << i << " is " << std::hex << result.cells[i] << ", not "
        << expected.cells[i];
}

// Registers of special values, of any bits, of small numbers and of masks, in turn.
class Operands {
public:
  void fill(Register &r, int round) {
    std::uniform_real_distribution<float> small(-4, 4);
    for (uint32_t &cell : r.cells)
      switch (round % 4) {
      case 0:
        cell = special[random() % special.size()];
        break;
      case 1:
        cell = uint32_t(random());
        break;
      case 2:
        cell = asBits(small(random));
        break;
      default:
        cell = random() & 1 ? ~0u : 0;
      }
  }

private:
  std::vector<uint32_t> special = specialValues();
  std::mt19937 random{20};
};

// Compares a function's results for registers of all kinds: `run(table, d, a, b, c)`.
template <typename Run> void compare(const std::string &what, const Run &run) {
  Operands operands;
  for (int round = 0; round < 16; ++round) {
    Register a, b, c;
    operands.fill(a, round);
    operands.fill(b, round + round / 4);
    operands.fill(c, round + round / 4 + 1);
    Register before, expected;
    operands.fill(before, 1);
    expected = before;
    FlushDenormals flush;
    run(portable(), expected, a, b, c);
    for (const KernelTable *table : others()) {
      Register result = before;
      run(*table, result, a, b, c);
      expectSame(expected, result, what + " on " + table->name);
    }
  }
}

class Variants : public testing::TestWithParam<Opcode> {
protected:
  std::string name() const { return std::string(isa::info(GetParam()).mnemonic); }
};

std::vector<Opcode> opcodes() {
  std::vector<Opcode> result;
  for (size_t i = 0; i < size_t(Opcode::count_); ++i)
    result.push_back(Opcode(i));
  return result;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Variants, testing::ValuesIn(opcodes()), [](const auto &info) {
  std::string name(isa::info(info.param).mnemonic);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
  return name + "_" + std::to_string(size_t(info.param));
});

TEST_P(Variants, GiveTheSameBits) {
  const size_t at = size_t(GetParam());
  for (const KernelTable *table : others()) {
    for (int splats = 0; splats < 8; ++splats)
      EXPECT_EQ(!table->lanes[at][splats], !portable().lanes[at][splats]) << table->name;
    EXPECT_EQ(!table->eup[at], !portable().eup[at]) << table->name;
    EXPECT_EQ(!table->reduce[at], !portable().reduce[at]) << table->name;
    EXPECT_EQ(!table->loadRow[at], !portable().loadRow[at]) << table->name;
    EXPECT_EQ(!table->storeRow[at], !portable().storeRow[at]) << table->name;
  }
  for (int splats = 0; splats < 8; ++splats)
    if (portable().lanes[at][splats])
      compare(name(), [&](const KernelTable &table, Register &d, const Register &a,
                          const Register &b, const Register &c) {
        table.lanes[at][splats](d.cells, a.cells, b.cells, c.cells, {});
      });
  auto push = [&](auto functions) {
    if (functions(portable()))
      compare(name(),
              [&](const KernelTable &table, Register &d, const Register &a, const Register &b,
                  const Register &) { functions(table)(d.cells, a.cells, b.cells, {}); });
  };
  push([&](const KernelTable &table) { return table.eup[at]; });
  push([&](const KernelTable &table) { return table.reduce[at]; });
  for (int part = 0; part < 4; ++part) {
    auto row = [&](auto functions) {
      if (functions(portable()))
        compare(name(),
                [&](const KernelTable &table, Register &d, const Register &a, const Register &,
                    const Register &) { functions(table)(d.cells + isa::kLanes, a.cells, part); });
    };
    row([&](const KernelTable &table) { return table.loadRow[at]; });
    // Fields of 16 bits are two in a cell.
    const bool halves = name().find("16") != std::string::npos;
    if (part < 2 || !halves)
      row([&](const KernelTable &table) { return table.storeRow[at]; });
  }
}

TEST(Variants, GatherAndMergeTheSameBits) {
  compare("gather of lanes",
          [](const KernelTable &table, Register &d, const Register &a, const Register &b,
             const Register &) { table.gatherLanes(d.cells, a.cells, b.cells, {}); });
  compare("gather of sublanes",
          [](const KernelTable &table, Register &d, const Register &a, const Register &b,
             const Register &) { table.gatherSublanes(d.cells, a.cells, b.cells); });
  compare("rows of a mask",
          [](const KernelTable &table, Register &d, const Register &a, const Register &,
             const Register &) { d.cells[0] = table.rowsOfMask(a.cells); });
  compare("merged rows",
          [](const KernelTable &table, Register &d, const Register &a, const Register &b,
             const Register &) { table.mergeRow(d.cells, a.cells, b.cells); });
}

struct alignas(64) Weights {
  unsigned char cells[kTileSize * kTileSize * 4];
};

struct Size {
  int rows, k, n;
};
constexpr Size kSizes[] = {{8, 128, 128}, {8, 128, 1}, {1, 128, 128}, {5, 33, 65}, {8, 1, 128}};

// The weights that a variant latches are in an order of its own: products are compared.
TEST(Variants, MultiplyToTheSameBits) {
  Operands operands;
  for (int round = 0; round < 6; ++round)
    for (bool transposed : {false, true}) {
      std::vector<Register> groups(16);
      for (Register &group : groups)
        operands.fill(group, round);
      Register a;
      operands.fill(a, round + round / 4);
      auto product = [&](const KernelTable &table, const Size &size, bool integers) {
        auto weights = std::make_unique<Weights>();
        FlushDenormals flush;
        for (int group = 0; group < 16; ++group)
          (integers     ? table.latchS8
           : transposed ? table.latchTransposed
                        : table.latch)(weights->cells, groups[size_t(group)].cells, group);
        // As after a latch of fewer rows and columns.
        (integers ? table.clearS8 : table.clear)(weights->cells, 3, 9, 20, 50);
        Register d;
        uint32_t *to = d.cells;
        const CellRows from = a.cells;
        (integers ? table.pushS8 : table.push)({&to, &from, 1, size.rows}, weights->cells, size.k,
                                               size.n);
        return d;
      };
      for (const Size &size : kSizes)
        for (bool integers : {false, true}) {
          const Register expected = product(portable(), size, integers);
          for (const KernelTable *table : others())
            expectSame(expected, product(*table, size, integers),
                       std::string("a product on ") + table->name);
        }
    }
}

// Weights are read back as they were latched and rounded, whatever their order.
TEST(Variants, ReadWeightsBack) {
  Operands operands;
  for (const KernelTable *table : runnableKernels()) {
    FlushDenormals flush;
    auto weights = std::make_unique<Weights>(), again = std::make_unique<Weights>();
    for (int round = 0; round < 6; ++round)
      for (int group = 0; group < 16; ++group) {
        Register cells, read, rounded, reread;
        operands.fill(cells, round);
        table->latch(weights->cells, cells.cells, group);
        table->readWeights(read.cells, weights->cells, group);
        portable().lanes[size_t(Opcode::v_rnd_bf16)][0](rounded.cells, cells.cells, nullptr,
                                                        nullptr, {});
        expectSame(rounded, read, std::string("weights of ") + table->name);
        table->latch(again->cells, read.cells, group);
        table->readWeights(reread.cells, again->cells, group);
        EXPECT_EQ(std::memcmp(&read, &reread, sizeof(read)), 0);
      }
    for (int group = 0; group < 16; ++group) {
      Register cells, read;
      operands.fill(cells, group);
      table->latchS8(weights->cells, cells.cells, group);
      table->readWeightsS8(read.cells, weights->cells, group);
      for (int i = 0; i < kCells; ++i)
        ASSERT_EQ(int32_t(read.cells[i]), int8_t(cells.cells[i]));
    }
  }
}

// So that a host's tests say which variants they compared.
TEST(Variants, PortableIsTheLast) {
  EXPECT_STREQ(portable().name, "portable");
  std::string names;
  for (const KernelTable *table : runnableKernels())
    names += std::string(names.empty() ? "" : ", ") + table->name;
  RecordProperty("variants", names);
}

} // namespace
