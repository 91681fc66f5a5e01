// The function table for clients.
// See docs/decisions/client-library.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "runtime/Pjrt/Entry.h"
#include "runtime/Pjrt/Functions.h"
#include "runtime/Pjrt/Layouts.h"
#include "runtime/Pjrt/systole_pjrt.h"

namespace systole::pjrt {
namespace {

// Arguments of these macros are names of members and functions, which take no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
// Implemented functions.
#define SYSTOLE_PJRT_HAVE(name) .PJRT_##name = &Entry<&name>::call
// Unimplemented functions: callers get a status, where a null pointer would end their process.
#define SYSTOLE_PJRT_MISSING(name)                                                                 \
  .PJRT_##name = [](PJRT_##name##_Args *) {                                                        \
    return toError(absl::UnimplementedError("PJRT_" #name " is not supported"));                   \
  }

// The functions that headers up to version 0.114 have after the last one of ours, in order.
// Clients built with one of them call these without checking the size of the table.
#define SYSTOLE_PJRT_NEWER(slot, none)                                                             \
  slot(Client_CreateErrorBuffer);                                                                  \
  slot(AsyncHostToDeviceTransferManager_TransferLiteral);                                          \
  slot(Buffer_CopyRawToHostFuture);                                                                \
  slot(Device_PoisonExecution);                                                                    \
  slot(Device_CreateAsyncTrackingEvent);                                                           \
  slot(AsyncTrackingEvent_Destroy);                                                                \
  slot(Executable_GetCompileOptions);                                                              \
  slot(Buffer_DonateWithControlDependency);                                                        \
  slot(Event_Create);                                                                              \
  slot(Event_Set);                                                                                 \
  slot(Device_GetAttributes);                                                                      \
  slot(Client_Load);                                                                               \
  slot(LoadedExecutable_AddressableDeviceLogicalIds);                                              \
  slot(Buffer_Bitcast);                                                                            \
  none(Error_ForEachPayload);                                                                      \
  slot(TopologyDescription_Fingerprint);                                                           \
  slot(Executable_ParameterMemoryKinds);                                                           \
  slot(Device_ClearMemoryStats);                                                                   \
  slot(TopologyDescription_MakeCanonicalShapeForMemorySpace);                                      \
  slot(TopologyDescription_GetMemorySpaceKindIds)

#define SYSTOLE_PJRT_UNKNOWN(name)                                                                 \
  PJRT_Error *(*name)(void *) = [](void *) {                                                       \
    return toError(absl::UnimplementedError("PJRT_" #name " is not supported"));                   \
  }
// Errors have no payloads. Clients query payloads of every error, so answering with an error
// would never end.
#define SYSTOLE_PJRT_NONE(name)                                                                    \
  PJRT_Error *(*name)(void *) = [](void *) -> PJRT_Error * { return nullptr; }
// NOLINTEND(bugprone-macro-parentheses)

// The version stays that of our header: from 0.112 on it would require more of the plugin than
// these functions, such as errors that begin with a table of functions of their own.
struct Table {
  PJRT_Api known;
  SYSTOLE_PJRT_NEWER(SYSTOLE_PJRT_UNKNOWN, SYSTOLE_PJRT_NONE);
};
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_GetDeviceAssignment) + sizeof(void *) ==
                  offsetof(Table, Client_CreateErrorBuffer),
              "the header has some of the newer functions");

// In the order of the header.
constexpr PJRT_Api kApi = {
    .struct_size = sizeof(Table),
    .extension_start = &layoutsExtension.base,
    .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                         .extension_start = nullptr,
                         .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
    SYSTOLE_PJRT_HAVE(Error_Destroy),
    SYSTOLE_PJRT_HAVE(Error_Message),
    SYSTOLE_PJRT_HAVE(Error_GetCode),
    SYSTOLE_PJRT_HAVE(Plugin_Initialize),
    SYSTOLE_PJRT_HAVE(Plugin_Attributes),
    SYSTOLE_PJRT_HAVE(Event_Destroy),
    SYSTOLE_PJRT_HAVE(Event_IsReady),
    SYSTOLE_PJRT_HAVE(Event_Error),
    SYSTOLE_PJRT_HAVE(Event_Await),
    SYSTOLE_PJRT_HAVE(Event_OnReady),
    SYSTOLE_PJRT_HAVE(Client_Create),
    SYSTOLE_PJRT_HAVE(Client_Destroy),
    SYSTOLE_PJRT_HAVE(Client_PlatformName),
    SYSTOLE_PJRT_HAVE(Client_ProcessIndex),
    SYSTOLE_PJRT_HAVE(Client_PlatformVersion),
    SYSTOLE_PJRT_HAVE(Client_Devices),
    SYSTOLE_PJRT_HAVE(Client_AddressableDevices),
    SYSTOLE_PJRT_HAVE(Client_LookupDevice),
    SYSTOLE_PJRT_HAVE(Client_LookupAddressableDevice),
    SYSTOLE_PJRT_HAVE(Client_AddressableMemories),
    SYSTOLE_PJRT_HAVE(Client_Compile),
    SYSTOLE_PJRT_HAVE(Client_DefaultDeviceAssignment),
    SYSTOLE_PJRT_HAVE(Client_BufferFromHostBuffer),
    SYSTOLE_PJRT_HAVE(DeviceDescription_Id),
    SYSTOLE_PJRT_HAVE(DeviceDescription_ProcessIndex),
    SYSTOLE_PJRT_HAVE(DeviceDescription_Attributes),
    SYSTOLE_PJRT_HAVE(DeviceDescription_Kind),
    SYSTOLE_PJRT_HAVE(DeviceDescription_DebugString),
    SYSTOLE_PJRT_HAVE(DeviceDescription_ToString),
    SYSTOLE_PJRT_HAVE(Device_GetDescription),
    SYSTOLE_PJRT_HAVE(Device_IsAddressable),
    SYSTOLE_PJRT_HAVE(Device_LocalHardwareId),
    SYSTOLE_PJRT_HAVE(Device_AddressableMemories),
    SYSTOLE_PJRT_HAVE(Device_DefaultMemory),
    SYSTOLE_PJRT_HAVE(Device_MemoryStats),
    SYSTOLE_PJRT_HAVE(Memory_Id),
    SYSTOLE_PJRT_HAVE(Memory_Kind),
    SYSTOLE_PJRT_HAVE(Memory_DebugString),
    SYSTOLE_PJRT_HAVE(Memory_ToString),
    SYSTOLE_PJRT_HAVE(Memory_AddressableByDevices),
    SYSTOLE_PJRT_HAVE(Executable_Destroy),
    SYSTOLE_PJRT_HAVE(Executable_Name),
    SYSTOLE_PJRT_HAVE(Executable_NumReplicas),
    SYSTOLE_PJRT_HAVE(Executable_NumPartitions),
    SYSTOLE_PJRT_HAVE(Executable_NumOutputs),
    SYSTOLE_PJRT_HAVE(Executable_SizeOfGeneratedCodeInBytes),
    SYSTOLE_PJRT_HAVE(Executable_GetCostAnalysis),
    SYSTOLE_PJRT_HAVE(Executable_OutputMemoryKinds),
    SYSTOLE_PJRT_HAVE(Executable_OptimizedProgram),
    SYSTOLE_PJRT_HAVE(Executable_Serialize),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_Destroy),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_GetExecutable),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_AddressableDevices),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_Delete),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_IsDeleted),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_Execute),
    SYSTOLE_PJRT_HAVE(Executable_DeserializeAndLoad),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_Fingerprint),
    SYSTOLE_PJRT_HAVE(Buffer_Destroy),
    SYSTOLE_PJRT_HAVE(Buffer_ElementType),
    SYSTOLE_PJRT_HAVE(Buffer_Dimensions),
    SYSTOLE_PJRT_HAVE(Buffer_UnpaddedDimensions),
    SYSTOLE_PJRT_HAVE(Buffer_DynamicDimensionIndices),
    SYSTOLE_PJRT_HAVE(Buffer_GetMemoryLayout),
    SYSTOLE_PJRT_HAVE(Buffer_OnDeviceSizeInBytes),
    SYSTOLE_PJRT_HAVE(Buffer_Device),
    SYSTOLE_PJRT_HAVE(Buffer_Memory),
    SYSTOLE_PJRT_HAVE(Buffer_Delete),
    SYSTOLE_PJRT_HAVE(Buffer_IsDeleted),
    SYSTOLE_PJRT_HAVE(Buffer_CopyToDevice),
    SYSTOLE_PJRT_HAVE(Buffer_ToHostBuffer),
    SYSTOLE_PJRT_HAVE(Buffer_IsOnCpu),
    SYSTOLE_PJRT_HAVE(Buffer_ReadyEvent),
    SYSTOLE_PJRT_HAVE(Buffer_UnsafePointer),
    SYSTOLE_PJRT_MISSING(Buffer_IncreaseExternalReferenceCount),
    SYSTOLE_PJRT_MISSING(Buffer_DecreaseExternalReferenceCount),
    SYSTOLE_PJRT_MISSING(Buffer_OpaqueDeviceMemoryDataPointer),
    SYSTOLE_PJRT_HAVE(CopyToDeviceStream_Destroy),
    SYSTOLE_PJRT_HAVE(CopyToDeviceStream_AddChunk),
    SYSTOLE_PJRT_HAVE(CopyToDeviceStream_TotalBytes),
    SYSTOLE_PJRT_HAVE(CopyToDeviceStream_GranuleSize),
    SYSTOLE_PJRT_HAVE(CopyToDeviceStream_CurrentBytes),
    SYSTOLE_PJRT_HAVE(TopologyDescription_Create),
    SYSTOLE_PJRT_HAVE(TopologyDescription_Destroy),
    SYSTOLE_PJRT_HAVE(TopologyDescription_PlatformName),
    SYSTOLE_PJRT_HAVE(TopologyDescription_PlatformVersion),
    SYSTOLE_PJRT_HAVE(TopologyDescription_GetDeviceDescriptions),
    SYSTOLE_PJRT_HAVE(TopologyDescription_Serialize),
    SYSTOLE_PJRT_HAVE(TopologyDescription_Attributes),
    SYSTOLE_PJRT_HAVE(Compile),
    SYSTOLE_PJRT_HAVE(Executable_OutputElementTypes),
    SYSTOLE_PJRT_HAVE(Executable_OutputDimensions),
    SYSTOLE_PJRT_HAVE(Buffer_CopyToMemory),
    SYSTOLE_PJRT_MISSING(Client_CreateViewOfDeviceBuffer),
    SYSTOLE_PJRT_HAVE(Executable_Fingerprint),
    SYSTOLE_PJRT_HAVE(Client_TopologyDescription),
    SYSTOLE_PJRT_HAVE(Executable_GetCompiledMemoryStats),
    SYSTOLE_PJRT_HAVE(Memory_Kind_Id),
    SYSTOLE_PJRT_MISSING(ExecuteContext_Create),
    SYSTOLE_PJRT_MISSING(ExecuteContext_Destroy),
    SYSTOLE_PJRT_MISSING(Buffer_CopyRawToHost),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_Destroy),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_TransferData),
    SYSTOLE_PJRT_MISSING(Client_CreateBuffersForAsyncHostToDevice),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_RetrieveBuffer),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_Device),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_BufferCount),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_BufferSize),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_SetBufferError),
    SYSTOLE_PJRT_MISSING(AsyncHostToDeviceTransferManager_AddMetadata),
    SYSTOLE_PJRT_MISSING(Client_DmaMap),
    SYSTOLE_PJRT_MISSING(Client_DmaUnmap),
    SYSTOLE_PJRT_MISSING(Client_CreateUninitializedBuffer),
    SYSTOLE_PJRT_MISSING(Client_UpdateGlobalProcessInfo),
    SYSTOLE_PJRT_HAVE(TopologyDescription_Deserialize),
    SYSTOLE_PJRT_MISSING(Client_CreateAliasBuffer),
    SYSTOLE_PJRT_MISSING(Client_FulfillAliasBuffer),
    SYSTOLE_PJRT_HAVE(LoadedExecutable_GetDeviceAssignment),
};

constexpr Table kTable = {kApi};

#undef SYSTOLE_PJRT_HAVE
#undef SYSTOLE_PJRT_MISSING
#undef SYSTOLE_PJRT_NEWER
#undef SYSTOLE_PJRT_UNKNOWN
#undef SYSTOLE_PJRT_NONE

} // namespace
} // namespace systole::pjrt

const PJRT_Api *GetPjrtApi() { return &systole::pjrt::kTable.known; }
