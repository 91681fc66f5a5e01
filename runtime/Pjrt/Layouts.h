// The extension of PJRT by which clients ask how arrays lie: the binary interface of XLA's layouts
// extension, version 4.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_LAYOUTS_H
#define SYSTOLE_RUNTIME_PJRT_LAYOUTS_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "pjrt_c_api.h"
#include "runtime/Client/ArrayType.h"

namespace systole::pjrt {

// Opaque to clients, which get its text.
struct MemoryLayout {
  explicit MemoryLayout(const ArrayType &type);

  std::string text; // "{0,1}", from minor to major, as XLA writes it
};

struct LayoutDestroyArgs {
  size_t struct_size;
  void *extension_start;
  MemoryLayout *layout;
};
struct LayoutSerializeArgs {
  size_t struct_size;
  void *extension_start;
  const MemoryLayout *layout;
  const char *bytes;            // out
  size_t bytesSize;             // out
  MemoryLayout *holder;         // out; owns the bytes
  void (*free)(MemoryLayout *); // out; of the holder
};
struct ClientDefaultLayoutArgs {
  size_t struct_size;
  void *extension_start;
  PJRT_Client *client;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t rank;
  MemoryLayout *layout; // out
};
struct BufferLayoutArgs {
  size_t struct_size;
  void *extension_start;
  PJRT_Buffer *buffer;
  MemoryLayout *layout; // out
};
struct TopologyDefaultLayoutArgs {
  size_t struct_size;
  void *extension_start;
  PJRT_TopologyDescription *topology;
  PJRT_Buffer_Type type;
  const int64_t *dims;
  size_t rank;
  MemoryLayout *layout; // out
};
// The executable owns the layouts.
struct ExecutableLayoutsArgs {
  size_t struct_size;
  void *extension_start;
  PJRT_Executable *executable;
  size_t count;                 // out
  MemoryLayout *const *layouts; // out
};

struct LayoutsExtension {
  PJRT_Extension_Base base;
  PJRT_Error *(*destroy)(LayoutDestroyArgs *);
  PJRT_Error *(*serialize)(LayoutSerializeArgs *);
  PJRT_Error *(*clientDefault)(ClientDefaultLayoutArgs *);
  PJRT_Error *(*ofBuffer)(BufferLayoutArgs *);
  PJRT_Error *(*topologyDefault)(TopologyDefaultLayoutArgs *);
  PJRT_Error *(*ofResults)(ExecutableLayoutsArgs *);
  PJRT_Error *(*ofArguments)(ExecutableLayoutsArgs *);
};

// Not const: the interface's pointers to extensions are not.
extern LayoutsExtension layoutsExtension;

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_LAYOUTS_H
