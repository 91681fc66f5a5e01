// Arrays as the clients that are known to work pass and read them: JAX's jaxlib, PyTorch/XLA 2.9,
// go-xla 0.3 and pypjrt 0.1.1. Each was built with a header of its own, and they differ in the
// sizes of structures, in what they leave uninitialized, and in the layouts that they ask for.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "test/unit/runtime/Pjrt/Plugin.h"

namespace {

using namespace systole::pjrt::testing;
using ::testing::ElementsAreArray;

using Dims = std::vector<int64_t>;

constexpr uint8_t kGarbage = 0xA5;

template <typename T> T garbage() {
  T value;
  std::memset(static_cast<void *>(&value), kGarbage, sizeof value);
  return value;
}

Dims orderOf(size_t rank, bool rowMajor) {
  Dims order(rank);
  for (size_t i = 0; i < rank; ++i)
    order[i] = int64_t(rowMajor ? rank - 1 - i : i);
  return order;
}

Dims stridesOf(const Dims &dims, const Dims &minorToMajor, int64_t bytes) {
  Dims strides(dims.size());
  for (int64_t d : minorToMajor) {
    strides[size_t(d)] = bytes;
    bytes *= dims[size_t(d)];
  }
  return strides;
}

int64_t countOf(const Dims &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
}

// Calls `visit` with the index of each element in row-major order and its bytes from the start.
void forEach(const Dims &dims, const Dims &strides,
             const std::function<void(int64_t, int64_t)> &visit) {
  for (int64_t i = 0, count = countOf(dims); i < count; ++i) {
    int64_t offset = 0, rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d])
      offset += rest % dims[d] * strides[d];
    visit(i, offset);
  }
}

// What one client does differently from others.
struct Habits {
  const char *name;
  bool givesStrides;                     // of the array on the host
  bool asksLayout;                       // when it reads
  std::optional<size_t> layoutSize = {}; // of that structure; uninitialized where another one
  std::optional<size_t> tiledSize = {};  // of the structure within it
  size_t newFields = 0;                  // bytes behind those that our header has
};

constexpr Habits kClients[] = {
    {.name = "jaxlib",
     .givesStrides = true,
     .asksLayout = true,
     .layoutSize = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
     .tiledSize = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE},
    // Sizes that were seen on the stack, and others.
    {.name = "torch_xla_3", .givesStrides = true, .asksLayout = true, .layoutSize = 3},
    {.name = "torch_xla_0", .givesStrides = true, .asksLayout = true, .layoutSize = 0},
    {.name = "torch_xla_71", .givesStrides = true, .asksLayout = true, .layoutSize = 71},
    {.name = "torch_xla_wild", .givesStrides = true, .asksLayout = true},
    {.name = "torch_xla_most", .givesStrides = true, .asksLayout = true, .layoutSize = SIZE_MAX},
    {.name = "go_xla",
     .givesStrides = false,
     .asksLayout = true,
     .layoutSize = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
     .tiledSize = 0},
    {.name = "pypjrt", .givesStrides = false, .asksLayout = false},
    {.name = "a_newer_one",
     .givesStrides = true,
     .asksLayout = true,
     .layoutSize = PJRT_Buffer_MemoryLayout_STRUCT_SIZE + 64,
     .tiledSize = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE + 16,
     .newFields = 64},
};

void PrintTo(const Habits &habits, std::ostream *out) { *out << habits.name; }

// A structure of a client whose header may be newer: more bytes follow.
template <typename Args> struct Sized {
  explicit Sized(const Habits &habits) : args(argsOf<Args>()) {
    args.struct_size += habits.newFields;
    std::memset(more, kGarbage, sizeof more);
  }
  ~Sized() {
    for (uint8_t byte : more)
      EXPECT_EQ(byte, kGarbage) << "written behind the structure";
  }
  Args *operator->() { return &args; }

  Args args;
  uint8_t more[128];
};

void await(PJRT_Event *event) {
  auto args = argsOf<PJRT_Event_Await_Args>();
  args.event = event;
  EXPECT_EQ(take(api().PJRT_Event_Await(&args)), "");
  auto destroy = argsOf<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  EXPECT_EQ(take(api().PJRT_Event_Destroy(&destroy)), "");
}

// A structure of which a client sets these fields only.
PJRT_Buffer_MemoryLayout tiled(const Dims &minorToMajor, const Habits &habits) {
  auto layout = garbage<PJRT_Buffer_MemoryLayout>();
  if (habits.layoutSize)
    layout.struct_size = *habits.layoutSize;
  if (habits.tiledSize)
    layout.tiled.struct_size = *habits.tiledSize;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = minorToMajor.empty() ? nullptr : minorToMajor.data();
  layout.tiled.minor_to_major_size = minorToMajor.size();
  layout.tiled.tile_dims = nullptr;
  layout.tiled.tile_dim_sizes = nullptr;
  layout.tiled.num_tiles = 0;
  return layout;
}

PJRT_Buffer_MemoryLayout strided(const Dims &strides, const Habits &habits) {
  auto layout = garbage<PJRT_Buffer_MemoryLayout>();
  if (habits.layoutSize)
    layout.struct_size = *habits.layoutSize;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.byte_strides = strides.empty() ? nullptr : strides.data();
  layout.strides.num_byte_strides = strides.size();
  return layout;
}

class Clients : public testing::TestWithParam<Habits> {
protected:
  void SetUp() override { client = newClient(); }
  void TearDown() override {
    for (PJRT_Buffer *buffer : buffers) {
      auto args = argsOf<PJRT_Buffer_Destroy_Args>();
      args.buffer = buffer;
      EXPECT_EQ(take(api().PJRT_Buffer_Destroy(&args)), "");
    }
    destroy(client);
  }

  const Habits &habits() const { return GetParam(); }

  // The error, and the array in `written`.
  std::string write(const void *data, PJRT_Buffer_Type type, const Dims &dims,
                    const Dims *strides = nullptr, PJRT_Buffer_MemoryLayout *layout = nullptr) {
    Sized<PJRT_Client_BufferFromHostBuffer_Args> args(habits());
    args->client = client;
    args->data = data;
    args->type = type;
    args->dims = dims.empty() ? nullptr : dims.data();
    args->num_dims = dims.size();
    if (strides && !strides->empty()) {
      args->byte_strides = strides->data();
      args->num_byte_strides = strides->size();
    }
    args->device_layout = layout;
    args->done_with_host_buffer = garbage<PJRT_Event *>();
    args->buffer = garbage<PJRT_Buffer *>();
    std::string error = take(api().PJRT_Client_BufferFromHostBuffer(&args.args));
    if (error.empty()) {
      await(args->done_with_host_buffer);
      written = args->buffer;
      buffers.push_back(written);
    }
    return error;
  }

  std::string read(PJRT_Buffer *buffer, PJRT_Buffer_MemoryLayout *layout, void *to, size_t bytes) {
    Sized<PJRT_Buffer_ToHostBuffer_Args> args(habits());
    args->src = buffer;
    args->host_layout = layout;
    args->dst = to;
    args->dst_size = bytes;
    args->event = garbage<PJRT_Event *>();
    std::string error = take(api().PJRT_Buffer_ToHostBuffer(&args.args));
    if (error.empty())
      await(args->event);
    return error;
  }

  // The order of dimensions on the device.
  Dims orderOnDevice(PJRT_Buffer *buffer) {
    Sized<PJRT_Buffer_GetMemoryLayout_Args> args(habits());
    args->buffer = buffer;
    EXPECT_EQ(take(api().PJRT_Buffer_GetMemoryLayout(&args.args)), "");
    const PJRT_Buffer_MemoryLayout &layout = args->layout;
    EXPECT_EQ(layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
    EXPECT_EQ(layout.tiled.num_tiles, 0u);
    return {layout.tiled.minor_to_major,
            layout.tiled.minor_to_major + layout.tiled.minor_to_major_size};
  }

  // Writes and reads arrays of a type in every layout, and compares each element.
  template <typename T> void roundTrip(PJRT_Buffer_Type type, const Dims &dims) {
    SCOPED_TRACE(testing::PrintToString(dims));
    const int64_t bytes = sizeof(T);
    std::vector<T> values(static_cast<size_t>(countOf(dims)));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = T(5 * int(i) - 60);
    for (bool rowMajorFrom : {true, false}) {
      const Dims from = stridesOf(dims, orderOf(dims.size(), rowMajorFrom), bytes);
      std::vector<T> laid(values.size());
      forEach(dims, from,
              [&](int64_t i, int64_t at) { laid[size_t(at / bytes)] = values[size_t(i)]; });
      const bool given = habits().givesStrides || !rowMajorFrom;
      ASSERT_EQ(write(laid.data(), type, dims, given ? &from : nullptr), "");
      if (!habits().asksLayout) {
        std::vector<T> got(values.size());
        ASSERT_EQ(read(written, nullptr, got.data(), got.size() * sizeof(T)), "");
        EXPECT_THAT(got, ElementsAreArray(values));
      }
      for (bool rowMajorTo : {true, false}) {
        const Dims order = orderOf(dims.size(), rowMajorTo);
        const Dims to = stridesOf(dims, order, bytes);
        PJRT_Buffer_MemoryLayout layouts[] = {tiled(order, habits()), strided(to, habits())};
        for (PJRT_Buffer_MemoryLayout &layout : layouts) {
          std::vector<T> got(values.size());
          ASSERT_EQ(read(written, &layout, got.data(), got.size() * sizeof(T)), "");
          forEach(dims, to, [&](int64_t i, int64_t at) {
            EXPECT_EQ(got[size_t(at / bytes)], values[size_t(i)]) << "element " << i;
          });
        }
      }
    }
  }

  PJRT_Client *client;
  PJRT_Buffer *written = nullptr;
  std::vector<PJRT_Buffer *> buffers;
};

INSTANTIATE_TEST_SUITE_P(Pjrt, Clients, testing::ValuesIn(kClients),
                         [](const auto &info) { return std::string(info.param.name); });

TEST_P(Clients, ArraysOfEveryRankAreReadBack) {
  for (const Dims &dims : {Dims{}, Dims{5}, Dims{3, 4}, Dims{2, 3, 4}, Dims{2, 3, 2, 5}}) {
    roundTrip<float>(PJRT_Buffer_Type_F32, dims);
    roundTrip<int8_t>(PJRT_Buffer_Type_S8, dims);
    roundTrip<int64_t>(PJRT_Buffer_Type_S64, dims);
  }
}

TEST_P(Clients, ArraysWithoutElementsAreReadBack) {
  for (const Dims &dims : {Dims{0}, Dims{3, 0}, Dims{0, 2, 4}}) {
    ASSERT_EQ(write(nullptr, PJRT_Buffer_Type_F32, dims), "");
    const Dims order = orderOf(dims.size(), true);
    PJRT_Buffer_MemoryLayout layout = tiled(order, habits());
    float none;
    EXPECT_EQ(read(written, &layout, &none, 0), "");
  }
}

// The layout on the device is the one that the client asks for; the elements are the same.
TEST_P(Clients, LayoutsOnTheDeviceAreKept) {
  const Dims dims = {2, 3, 4}, rows = stridesOf(dims, {2, 1, 0}, sizeof(float));
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 1.0f);
  for (const Dims &order : {Dims{2, 1, 0}, Dims{0, 1, 2}, Dims{1, 2, 0}}) {
    PJRT_Buffer_MemoryLayout layout = tiled(order, habits());
    ASSERT_EQ(write(values.data(), PJRT_Buffer_Type_F32, dims, &rows, &layout), "");
    EXPECT_EQ(orderOnDevice(written), order);
    std::vector<float> got(values.size());
    ASSERT_EQ(read(written, nullptr, got.data(), got.size() * sizeof(float)), "");
    EXPECT_THAT(got, ElementsAreArray(values));
  }
}

TEST_P(Clients, LayoutsThatAreNoneAreErrors) {
  const Dims dims = {2, 3};
  const std::vector<float> values(6);
  ASSERT_EQ(write(values.data(), PJRT_Buffer_Type_F32, dims), "");
  PJRT_Buffer *const array = written;
  float to[6];
  auto readAs = [&](PJRT_Buffer_MemoryLayout layout) {
    return read(array, &layout, to, sizeof to);
  };
  auto writeAs = [&](PJRT_Buffer_MemoryLayout layout) {
    return write(values.data(), PJRT_Buffer_Type_F32, dims, nullptr, &layout);
  };
  const Dims rowMajor = {1, 0};
  PJRT_Buffer_MemoryLayout tiles = tiled(rowMajor, habits());
  const Dims tile = {8, 128};
  const size_t tileRank = 2;
  tiles.tiled.tile_dims = tile.data();
  tiles.tiled.tile_dim_sizes = &tileRank;
  tiles.tiled.num_tiles = 1;
  const Dims empty;
  PJRT_Buffer_MemoryLayout null = tiled(empty, habits());
  null.tiled.minor_to_major_size = 2;
  for (const auto &use : {std::function(readAs), std::function(writeAs)}) {
    EXPECT_EQ(use(tiles), "layouts with tiles are not supported");
    EXPECT_EQ(use(null), "`layout.minor_to_major` is null");
    for (const Dims &order : {Dims{}, Dims{0}, Dims{1, 1}, Dims{2, 0}, Dims{-1, 0}, Dims{2, 1, 0}})
      EXPECT_EQ(use(tiled(order, habits())), "the layout is no order of the array's dimensions");
  }
  const Dims strides = {12, 4}, tooFew = {4};
  EXPECT_EQ(writeAs(strided(strides, habits())),
            "a layout on the device is an order of dimensions, not strides");
  EXPECT_EQ(readAs(strided(tooFew, habits())), "the host layout has another number of dimensions");
  PJRT_Buffer_MemoryLayout noStrides = strided(empty, habits());
  noStrides.strides.num_byte_strides = 2;
  EXPECT_EQ(readAs(noStrides), "`layout.strides.byte_strides` is null");

  auto args = argsOf<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.num_dims = 2;
  EXPECT_EQ(take(api().PJRT_Client_BufferFromHostBuffer(&args)), "`args.dims` is null");
}

// Programs, options of runs and options of clients, whose sizes say nothing.
TEST_P(Clients, ProgramsRunWhateverTheSizesOfNestedStructures) {
  std::string code = "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
                     "  %0 = stablehlo.transpose %x, dims = [1, 0]"
                     " : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
                     "  return %0 : tensor<3x2xf32>\n}\n";
  const size_t size = habits().layoutSize.value_or(garbage<size_t>());
  auto program = garbage<PJRT_Program>();
  program.struct_size = size;
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  Sized<PJRT_Client_Compile_Args> compile(habits());
  compile->client = client;
  compile->program = &program;
  ASSERT_EQ(take(api().PJRT_Client_Compile(&compile.args)), "");

  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(write(values.data(), PJRT_Buffer_Type_F32, {2, 3}), "");
  // Our first version's fields; the later ones are uninitialized.
  auto options = garbage<PJRT_ExecuteOptions>();
  std::memset(static_cast<void *>(&options), 0, offsetof(PJRT_ExecuteOptions, context));
  options.struct_size = size;
  PJRT_Buffer *result = nullptr, *const arguments[] = {written};
  PJRT_Buffer *const *const argumentLists[] = {arguments};
  PJRT_Buffer **const resultLists[] = {&result};
  Sized<PJRT_LoadedExecutable_Execute_Args> execute(habits());
  execute->executable = compile->executable;
  execute->options = &options;
  execute->argument_lists = argumentLists;
  execute->num_devices = 1;
  execute->num_args = 1;
  execute->output_lists = resultLists;
  ASSERT_EQ(take(api().PJRT_LoadedExecutable_Execute(&execute.args)), "");
  buffers.push_back(result);
  std::vector<float> got(6);
  const Dims rowMajor = {1, 0};
  PJRT_Buffer_MemoryLayout layout = tiled(rowMajor, habits());
  EXPECT_EQ(read(result, habits().asksLayout ? &layout : nullptr, got.data(), 24), "");
  EXPECT_THAT(got, testing::ElementsAre(1, 4, 2, 5, 3, 6));

  // The program that it gives back: first its size, then into the client's bytes.
  auto executable = argsOf<PJRT_LoadedExecutable_GetExecutable_Args>();
  executable.loaded_executable = compile->executable;
  ASSERT_EQ(take(api().PJRT_LoadedExecutable_GetExecutable(&executable)), "");
  PJRT_Program optimized{};
  optimized.struct_size = size;
  auto optimizedArgs = argsOf<PJRT_Executable_OptimizedProgram_Args>();
  optimizedArgs.executable = executable.executable;
  optimizedArgs.program = &optimized;
  ASSERT_EQ(take(api().PJRT_Executable_OptimizedProgram(&optimizedArgs)), "");
  std::string text(optimized.code_size, '\0');
  optimized.code = text.data();
  ASSERT_EQ(take(api().PJRT_Executable_OptimizedProgram(&optimizedArgs)), "");
  EXPECT_EQ(std::string(optimized.format, optimized.format_size), "mlir");
  EXPECT_THAT(text, testing::HasSubstr("transpose"));

  auto destroyExecutable = argsOf<PJRT_Executable_Destroy_Args>();
  destroyExecutable.executable = executable.executable;
  EXPECT_EQ(take(api().PJRT_Executable_Destroy(&destroyExecutable)), "");
  auto destroyLoaded = argsOf<PJRT_LoadedExecutable_Destroy_Args>();
  destroyLoaded.executable = compile->executable;
  EXPECT_EQ(take(api().PJRT_LoadedExecutable_Destroy(&destroyLoaded)), "");
}

TEST_P(Clients, OptionsAreFoundWhateverTheirSizes) {
  // Clients that set the sizes of nested structures set these. One that a newer version's elements
  // could have is tested in PjrtTest.cpp.
  const size_t size = habits().tiledSize ? size_t(PJRT_NamedValue_STRUCT_SIZE)
                                         : habits().layoutSize.value_or(garbage<size_t>());
  auto option = [&](const char *name, const char *value) {
    auto result = garbage<PJRT_NamedValue>();
    result.struct_size =
        size == PJRT_Buffer_MemoryLayout_STRUCT_SIZE ? PJRT_NamedValue_STRUCT_SIZE : size;
    result.name = name;
    result.name_size = std::strlen(name);
    result.type = PJRT_NamedValue_kString;
    result.string_value = value;
    result.value_size = std::strlen(value);
    return result;
  };
  const PJRT_NamedValue options[] = {option("other", "x"), option("target", "v2-4")};
  // A client of before PJRT_KeyValueTryGet: its structure ends with the client.
  auto args = argsOf<PJRT_Client_Create_Args>();
  args.struct_size = PJRT_STRUCT_SIZE(PJRT_Client_Create_Args, client);
  args.create_options = options;
  args.num_options = 2;
  ASSERT_EQ(take(api().PJRT_Client_Create(&args)), "");
  auto devices = argsOf<PJRT_Client_Devices_Args>();
  devices.client = args.client;
  EXPECT_EQ(take(api().PJRT_Client_Devices(&devices)), "");
  EXPECT_EQ(devices.num_devices, 4u);
  destroy(args.client);
}

} // namespace
