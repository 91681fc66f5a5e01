// The objects behind the C interface's handles.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_OBJECTS_H
#define SYSTOLE_RUNTIME_PJRT_OBJECTS_H

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pjrt_c_api.h"
#include "runtime/Client/Client.h"
#include "runtime/Client/Event.h"
#include "runtime/Client/Launch.h"
#include "runtime/Pjrt/Layouts.h"
#include "runtime/Pjrt/NamedValues.h"

struct PJRT_Event {
  systole::Event event;
};

struct PJRT_DeviceDescription {
  PJRT_DeviceDescription(const systole::Target &target, int id, systole::DevicePlace place);

  int id;
  std::string kind, text;
  systole::pjrt::NamedValues attributes;
};

struct PJRT_TopologyDescription {
  PJRT_TopologyDescription(systole::Target target, std::string precision);

  systole::Target target;
  std::string precision; // of programs that do not specify their own
  // Identifies everything that a compiled program depends on besides its options: it is part of
  // the key of JAX's own compilation cache.
  std::string version;
  std::vector<std::unique_ptr<PJRT_DeviceDescription>> devices;
  std::vector<PJRT_DeviceDescription *> devicePointers;
  systole::pjrt::NamedValues attributes;
};

// One of the memories that a device can address: its own, or the host's.
struct PJRT_Memory {
  systole::Hbm &pool() const;

  PJRT_Device *device;
  systole::program::Memory kind;
  int id;
  std::string text;
};

struct PJRT_Device {
  PJRT_Client *client;
  systole::ClientDevice *device;
  PJRT_DeviceDescription *description;
  // By kind; the first one is the device's own.
  std::vector<std::unique_ptr<PJRT_Memory>> memories;
  std::vector<PJRT_Memory *> memoryPointers;
  PJRT_Device *self = this;
};

struct PJRT_Client {
  explicit PJRT_Client(std::unique_ptr<systole::Client> client);

  // The device with an id; null if there is none.
  PJRT_Device *find(int64_t id) const;

  std::unique_ptr<systole::Client> client;
  PJRT_TopologyDescription topology;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<PJRT_Device *> devicePointers;
  std::vector<PJRT_Memory *> memoryPointers;
};

struct PJRT_Buffer {
  using Value = systole::PendingArray;

  // InvalidArgument if it has been deleted.
  absl::StatusOr<std::shared_ptr<Value>> hold();

  PJRT_Device *device;
  PJRT_Memory *memory;
  std::shared_ptr<const systole::ArrayType> type;
  std::vector<size_t> dynamicDims; // whose sizes are known once the value is ready

  std::mutex mutex;             // protects the members below
  std::shared_ptr<Value> value; // null once deleted or donated
  std::vector<int64_t> sizes;   // the actual ones, once they have been asked for
};

// The result of compilation, shared by the executable and its loaded executables.
struct CompiledProgram {
  std::shared_ptr<systole::LoadedProgram> loaded;
  std::string source;  // of StableHLO, as received
  std::string options; // compile_options.proto's CompileOptions
  std::string name, fingerprint;
  std::vector<int64_t> donated;
  // Of the results.
  std::vector<PJRT_Buffer_Type> elementTypes;
  std::vector<int64_t> dims;
  std::vector<size_t> ranks;
  std::vector<const char *> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  // Of the arguments, then of the results; and the lists that clients get.
  std::vector<std::unique_ptr<systole::pjrt::MemoryLayout>> layouts;
  std::vector<systole::pjrt::MemoryLayout *> argumentLayouts, resultLayouts;

  std::mutex mutex; // protects the members that are computed lazily
  std::optional<systole::pjrt::NamedValues> costs;
  std::optional<std::string> text;
};

struct PJRT_Executable {
  std::shared_ptr<CompiledProgram> program;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<CompiledProgram> program;
  PJRT_Client *client;
  // One for each core of the program; none if each run specifies its device.
  std::vector<PJRT_Device *> devicePointers;
  std::atomic<bool> deleted = false;
};

#endif // SYSTOLE_RUNTIME_PJRT_OBJECTS_H
