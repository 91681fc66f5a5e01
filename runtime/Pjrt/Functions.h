// The implemented functions of the C interface, by source file.
//
// Each has the name of its slot without `PJRT_`; Api.cpp builds the table. A status
// becomes the caller's PJRT_Error.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_PJRT_FUNCTIONS_H
#define SYSTOLE_RUNTIME_PJRT_FUNCTIONS_H

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pjrt_c_api.h"

struct CompiledProgram;

namespace systole::pjrt {

#define SYSTOLE_PJRT_FUNCTION(name) absl::Status name(PJRT_##name##_Args &)

// Errors.cpp
void Error_Destroy(PJRT_Error_Destroy_Args &);
void Error_Message(PJRT_Error_Message_Args &);
SYSTOLE_PJRT_FUNCTION(Error_GetCode);

// Events.cpp
SYSTOLE_PJRT_FUNCTION(Event_Destroy);
SYSTOLE_PJRT_FUNCTION(Event_IsReady);
SYSTOLE_PJRT_FUNCTION(Event_Error);
SYSTOLE_PJRT_FUNCTION(Event_Await);
SYSTOLE_PJRT_FUNCTION(Event_OnReady);

// Clients.cpp
SYSTOLE_PJRT_FUNCTION(Plugin_Initialize);
SYSTOLE_PJRT_FUNCTION(Plugin_Attributes);
SYSTOLE_PJRT_FUNCTION(Client_Create);
SYSTOLE_PJRT_FUNCTION(Client_Destroy);
SYSTOLE_PJRT_FUNCTION(Client_PlatformName);
SYSTOLE_PJRT_FUNCTION(Client_ProcessIndex);
SYSTOLE_PJRT_FUNCTION(Client_PlatformVersion);
SYSTOLE_PJRT_FUNCTION(Client_TopologyDescription);
SYSTOLE_PJRT_FUNCTION(Client_Devices);
SYSTOLE_PJRT_FUNCTION(Client_AddressableDevices);
SYSTOLE_PJRT_FUNCTION(Client_LookupDevice);
SYSTOLE_PJRT_FUNCTION(Client_LookupAddressableDevice);
SYSTOLE_PJRT_FUNCTION(Client_AddressableMemories);
SYSTOLE_PJRT_FUNCTION(Client_DefaultDeviceAssignment);

// Devices.cpp
SYSTOLE_PJRT_FUNCTION(DeviceDescription_Id);
SYSTOLE_PJRT_FUNCTION(DeviceDescription_ProcessIndex);
SYSTOLE_PJRT_FUNCTION(DeviceDescription_Attributes);
SYSTOLE_PJRT_FUNCTION(DeviceDescription_Kind);
SYSTOLE_PJRT_FUNCTION(DeviceDescription_DebugString);
SYSTOLE_PJRT_FUNCTION(DeviceDescription_ToString);
SYSTOLE_PJRT_FUNCTION(Device_GetDescription);
SYSTOLE_PJRT_FUNCTION(Device_IsAddressable);
SYSTOLE_PJRT_FUNCTION(Device_LocalHardwareId);
SYSTOLE_PJRT_FUNCTION(Device_AddressableMemories);
SYSTOLE_PJRT_FUNCTION(Device_DefaultMemory);
SYSTOLE_PJRT_FUNCTION(Device_MemoryStats);
SYSTOLE_PJRT_FUNCTION(Memory_Id);
SYSTOLE_PJRT_FUNCTION(Memory_Kind);
SYSTOLE_PJRT_FUNCTION(Memory_Kind_Id);
SYSTOLE_PJRT_FUNCTION(Memory_DebugString);
SYSTOLE_PJRT_FUNCTION(Memory_ToString);
SYSTOLE_PJRT_FUNCTION(Memory_AddressableByDevices);

// Topologies.cpp
SYSTOLE_PJRT_FUNCTION(TopologyDescription_Create);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_Destroy);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_PlatformName);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_PlatformVersion);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_GetDeviceDescriptions);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_Serialize);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_Deserialize);
SYSTOLE_PJRT_FUNCTION(TopologyDescription_Attributes);

// Compile.cpp
SYSTOLE_PJRT_FUNCTION(Client_Compile);
SYSTOLE_PJRT_FUNCTION(Compile);
SYSTOLE_PJRT_FUNCTION(Executable_Serialize);
SYSTOLE_PJRT_FUNCTION(Executable_DeserializeAndLoad);

// Executables.cpp
SYSTOLE_PJRT_FUNCTION(Executable_Destroy);
SYSTOLE_PJRT_FUNCTION(Executable_Name);
SYSTOLE_PJRT_FUNCTION(Executable_NumReplicas);
SYSTOLE_PJRT_FUNCTION(Executable_NumPartitions);
SYSTOLE_PJRT_FUNCTION(Executable_NumOutputs);
SYSTOLE_PJRT_FUNCTION(Executable_SizeOfGeneratedCodeInBytes);
SYSTOLE_PJRT_FUNCTION(Executable_Fingerprint);
SYSTOLE_PJRT_FUNCTION(Executable_GetCostAnalysis);
SYSTOLE_PJRT_FUNCTION(Executable_GetCompiledMemoryStats);
SYSTOLE_PJRT_FUNCTION(Executable_OutputElementTypes);
SYSTOLE_PJRT_FUNCTION(Executable_OutputDimensions);
SYSTOLE_PJRT_FUNCTION(Executable_OutputMemoryKinds);
SYSTOLE_PJRT_FUNCTION(Executable_OptimizedProgram);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_Destroy);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_GetExecutable);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_AddressableDevices);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_GetDeviceAssignment);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_Delete);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_IsDeleted);
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_Fingerprint);

// Execute.cpp
SYSTOLE_PJRT_FUNCTION(LoadedExecutable_Execute);

// HostCallbacks.cpp
SYSTOLE_PJRT_FUNCTION(CopyToDeviceStream_Destroy);
SYSTOLE_PJRT_FUNCTION(CopyToDeviceStream_AddChunk);
SYSTOLE_PJRT_FUNCTION(CopyToDeviceStream_TotalBytes);
SYSTOLE_PJRT_FUNCTION(CopyToDeviceStream_GranuleSize);
SYSTOLE_PJRT_FUNCTION(CopyToDeviceStream_CurrentBytes);

// Buffers.cpp
SYSTOLE_PJRT_FUNCTION(Buffer_Destroy);
SYSTOLE_PJRT_FUNCTION(Buffer_ElementType);
SYSTOLE_PJRT_FUNCTION(Buffer_Dimensions);
SYSTOLE_PJRT_FUNCTION(Buffer_UnpaddedDimensions);
SYSTOLE_PJRT_FUNCTION(Buffer_DynamicDimensionIndices);
SYSTOLE_PJRT_FUNCTION(Buffer_GetMemoryLayout);
SYSTOLE_PJRT_FUNCTION(Buffer_OnDeviceSizeInBytes);
SYSTOLE_PJRT_FUNCTION(Buffer_Device);
SYSTOLE_PJRT_FUNCTION(Buffer_Memory);
SYSTOLE_PJRT_FUNCTION(Buffer_Delete);
SYSTOLE_PJRT_FUNCTION(Buffer_IsDeleted);
SYSTOLE_PJRT_FUNCTION(Buffer_IsOnCpu);
SYSTOLE_PJRT_FUNCTION(Buffer_ReadyEvent);
SYSTOLE_PJRT_FUNCTION(Buffer_UnsafePointer);

// Transfers.cpp
SYSTOLE_PJRT_FUNCTION(Client_BufferFromHostBuffer);
SYSTOLE_PJRT_FUNCTION(Buffer_ToHostBuffer);
SYSTOLE_PJRT_FUNCTION(Buffer_CopyToDevice);
SYSTOLE_PJRT_FUNCTION(Buffer_CopyToMemory);

#undef SYSTOLE_PJRT_FUNCTION

} // namespace systole::pjrt

#endif // SYSTOLE_RUNTIME_PJRT_FUNCTIONS_H
