/* The C interface: compiles StableHLO and runs it on emulated devices.
 *
 * Rules of all functions:
 * - They may be called from any thread, and throw nothing.
 * - A function that can fail returns an error, NULL for success. The caller destroys it. Null
 *   handles, null outputs and counts that do not fit are errors, too.
 * - Outputs are written on success only. Handles that a function puts into an output belong to the
 *   caller, who destroys each once with systole_<type>_destroy; NULL is allowed there. Handles of
 *   one object may be destroyed in any order: an object keeps the objects that it needs.
 * - Texts end in a null character and are UTF-8. Texts and arrays that structures point to belong
 *   to the handle that filled them in, and live as long as it does.
 * - The caller sets `struct_size` of every structure to its sizeof (SYSTOLE_INIT does). Later
 *   versions append fields. Fields that a caller's smaller structure lacks read as zero, which is
 *   every option's default, and are not written. A larger structure of a later version is accepted
 *   if the fields that this version does not know are zero.
 * - Values of enumerations never change; later versions add some.
 *
 * Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SYSTOLE_SYSTOLE_H
#define SYSTOLE_SYSTOLE_H

#include <stddef.h>
#include <stdint.h>

#include "systole/export.h"
#include "systole/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. From 1.0 on a library of the same major version and an equal or
 * later minor one has everything that this header declares. Until then a minor version may change
 * it. */
#define SYSTOLE_API_VERSION_MAJOR 0
#define SYSTOLE_API_VERSION_MINOR 1
#define SYSTOLE_API_VERSION                                                                        \
  ((uint32_t)(SYSTOLE_API_VERSION_MAJOR * 65536 + SYSTOLE_API_VERSION_MINOR))

/* SYSTOLE_API_VERSION of the library that is loaded. */
SYSTOLE_EXPORT uint32_t systole_api_version(void);
/* The project's version, as SYSTOLE_VERSION_STRING. */
SYSTOLE_EXPORT const char *systole_version(void);

/* A structure of zeros that knows its size: systole_run_options options = SYSTOLE_INIT(options); */
#ifdef __cplusplus
extern "C++" {
struct systole_initializer {
  template <typename T> operator T() const {
    T structure = T();
    structure.struct_size = sizeof(T);
    return structure;
  }
};
}
/* Designated initializers are C++20, and compilers warn of the fields that they leave out. */
#define SYSTOLE_INIT(variable) systole_initializer()
#else
#define SYSTOLE_INIT(variable) {.struct_size = sizeof(variable)}
#endif

/* ---- Errors ---- */

typedef struct systole_error systole_error;

/* The codes of google.rpc and absl::StatusCode. */
typedef enum systole_error_code {
  SYSTOLE_OK = 0,
  SYSTOLE_CANCELLED = 1,
  SYSTOLE_UNKNOWN = 2,
  SYSTOLE_INVALID_ARGUMENT = 3,
  SYSTOLE_DEADLINE_EXCEEDED = 4,
  SYSTOLE_NOT_FOUND = 5,
  SYSTOLE_ALREADY_EXISTS = 6,
  SYSTOLE_PERMISSION_DENIED = 7,
  SYSTOLE_RESOURCE_EXHAUSTED = 8,
  SYSTOLE_FAILED_PRECONDITION = 9,
  SYSTOLE_ABORTED = 10,
  SYSTOLE_OUT_OF_RANGE = 11,
  SYSTOLE_UNIMPLEMENTED = 12,
  SYSTOLE_INTERNAL = 13,
  SYSTOLE_UNAVAILABLE = 14,
  SYSTOLE_DATA_LOSS = 15,
  SYSTOLE_UNAUTHENTICATED = 16
} systole_error_code;

/* SYSTOLE_OK for NULL. */
SYSTOLE_EXPORT systole_error_code systole_error_get_code(const systole_error *error);
/* "" for NULL. Compilation errors begin with their place: "model.mlir:12:3: error: ...". */
SYSTOLE_EXPORT const char *systole_error_message(const systole_error *error);
SYSTOLE_EXPORT void systole_error_destroy(systole_error *error);

/* ---- Element types: all of StableHLO's but the quantized ones, which are parameterized ---- */

typedef enum systole_element_type {
  SYSTOLE_INVALID = 0,
  SYSTOLE_I1 = 1, /* a byte on the host */
  SYSTOLE_I2 = 2,
  SYSTOLE_I4 = 3,
  SYSTOLE_I8 = 4,
  SYSTOLE_I16 = 5,
  SYSTOLE_I32 = 6,
  SYSTOLE_I64 = 7,
  SYSTOLE_UI2 = 8,
  SYSTOLE_UI4 = 9,
  SYSTOLE_UI8 = 10,
  SYSTOLE_UI16 = 11,
  SYSTOLE_UI32 = 12,
  SYSTOLE_UI64 = 13,
  SYSTOLE_F4E2M1FN = 14,
  SYSTOLE_F6E2M3FN = 15,
  SYSTOLE_F6E3M2FN = 16,
  SYSTOLE_F8E3M4 = 17,
  SYSTOLE_F8E4M3 = 18,
  SYSTOLE_F8E4M3FN = 19,
  SYSTOLE_F8E4M3FNUZ = 20,
  SYSTOLE_F8E4M3B11FNUZ = 21,
  SYSTOLE_F8E5M2 = 22,
  SYSTOLE_F8E5M2FNUZ = 23,
  SYSTOLE_F8E8M0FNU = 24,
  SYSTOLE_BF16 = 25,
  SYSTOLE_F16 = 26,
  SYSTOLE_TF32 = 27,
  SYSTOLE_F32 = 28,
  SYSTOLE_F64 = 29,
  SYSTOLE_COMPLEX_F32 = 30,
  SYSTOLE_COMPLEX_F64 = 31,
  SYSTOLE_TOKEN = 32
} systole_element_type;

/* "f32", "complex<f32>"; "" for a value that is none of the above. */
SYSTOLE_EXPORT const char *systole_element_type_name(systole_element_type type);
/* SYSTOLE_INVALID for NULL and unknown names. */
SYSTOLE_EXPORT systole_element_type systole_element_type_from_name(const char *name);
/* Bytes of an element on the host; 0 for types that no buffer can hold. */
SYSTOLE_EXPORT size_t systole_element_type_bytes(systole_element_type type);

/* ---- Events and cancellations ---- */

typedef struct systole_event systole_event;
typedef struct systole_cancellation systole_cancellation;

/* `error` is NULL for success; it belongs to the event and lives until the callback returns. */
typedef void (*systole_callback)(const systole_error *error, void *user_data);

/* 1 once it has completed, else 0; 0 for NULL. */
SYSTOLE_EXPORT int systole_event_is_ready(const systole_event *event);
/* Waits, and returns the error that the event completed with. Not in a callback: the device would
 * wait for itself. */
SYSTOLE_EXPORT systole_error *systole_event_await(const systole_event *event);
/* Calls `callback` once: before it returns if the event has completed, else on another thread. */
SYSTOLE_EXPORT systole_error *systole_event_on_ready(const systole_event *event,
                                                     systole_callback callback, void *user_data);
SYSTOLE_EXPORT void systole_event_destroy(systole_event *event);

SYSTOLE_EXPORT systole_error *systole_cancellation_create(systole_cancellation **cancellation);
/* Ends the compilations and runs that it was given to with SYSTOLE_CANCELLED, and later ones. */
SYSTOLE_EXPORT void systole_cancellation_cancel(systole_cancellation *cancellation);
SYSTOLE_EXPORT void systole_cancellation_destroy(systole_cancellation *cancellation);

/* ---- Devices ---- */

typedef struct systole_device systole_device;

typedef struct systole_device_options {
  size_t struct_size;
  const char *target;          /* a built-in target or a file; NULL for "v3" */
  const char *cache_directory; /* keeps compiled programs for later processes; NULL for none */
} systole_device_options;

typedef struct systole_device_memory {
  size_t struct_size;
  int64_t in_use; /* bytes of HBM, padding included */
  int64_t peak;
  int64_t limit;
} systole_device_memory;

/* `options` may be NULL. */
SYSTOLE_EXPORT systole_error *systole_device_create(const systole_device_options *options,
                                                    systole_device **device);
SYSTOLE_EXPORT systole_error *systole_device_get_memory(const systole_device *device,
                                                        systole_device_memory *memory);
/* "v3"; "" for NULL. */
SYSTOLE_EXPORT const char *systole_device_target(const systole_device *device);
SYSTOLE_EXPORT void systole_device_destroy(systole_device *device);

/* ---- Buffers ---- */

typedef struct systole_buffer systole_buffer;

typedef struct systole_tensor_type {
  size_t struct_size;
  systole_element_type element_type;
  size_t rank;
  const int64_t *dims;           /* `rank` numbers */
  const int64_t *minor_to_major; /* the order of dimensions on the device, the minormost first */
} systole_tensor_type;

/* An array in the host's memory. */
typedef struct systole_host_array {
  size_t struct_size;
  void *data;           /* its first element; not written through systole_buffer_from_host */
  size_t size_in_bytes; /* of the memory at `data`; not checked with strides */
  systole_element_type element_type;
  size_t rank;
  const int64_t *dims;
  const int64_t *byte_strides;   /* from an element to the next along each dimension; or NULL */
  const int64_t *minor_to_major; /* of a dense array; or NULL for row-major. Not with strides */
} systole_host_array;

/* Copies the array to the device: its memory is free on return. `minor_to_major` of the array is
 * its order on the host; that on the device follows from type and shape. */
SYSTOLE_EXPORT systole_error *systole_buffer_from_host(const systole_device *device,
                                                       const systole_host_array *array,
                                                       systole_buffer **buffer);
/* Copies the buffer to the array once it is ready. Element type and dims of the array must be the
 * buffer's. */
SYSTOLE_EXPORT systole_error *systole_buffer_to_host(const systole_buffer *buffer,
                                                     const systole_host_array *array);
/* The same, but returns at once: the array's data must live until the event completes. */
SYSTOLE_EXPORT systole_error *systole_buffer_to_host_async(const systole_buffer *buffer,
                                                           const systole_host_array *array,
                                                           systole_event **copied);
SYSTOLE_EXPORT systole_error *systole_buffer_get_type(const systole_buffer *buffer,
                                                      systole_tensor_type *type);
/* Completes when the array is there. */
SYSTOLE_EXPORT systole_error *systole_buffer_get_ready(const systole_buffer *buffer,
                                                       systole_event **ready);
/* Gives the array's memory back, also if other handles of the buffer are left. */
SYSTOLE_EXPORT void systole_buffer_release(systole_buffer *buffer);
/* 1 if it was released, or donated to a run, else 0; 0 for NULL. */
SYSTOLE_EXPORT int systole_buffer_is_released(const systole_buffer *buffer);
SYSTOLE_EXPORT void systole_buffer_destroy(systole_buffer *buffer);

/* ---- The infeed and the outfeed of a device ---- */

/* Appends a copy of the array, which is dense and row-major, to the infeed, the queue from which
 * `stablehlo.infeed` takes its arrays one after the other. Programs wait for arrays that are not
 * there, and fail with SYSTOLE_INVALID_ARGUMENT if the next one has another type than they take. */
SYSTOLE_EXPORT systole_error *systole_device_put_infeed(const systole_device *device,
                                                        const systole_host_array *array);
/* Programs do not wait for an empty infeed until an array is put there again, but fail with
 * SYSTOLE_OUT_OF_RANGE. */
SYSTOLE_EXPORT systole_error *systole_device_end_infeed(const systole_device *device);
/* Moves the next array of the outfeed, to which `stablehlo.outfeed` appends, to the array, which is
 * dense and row-major, and waits for it. `cancellation` may be NULL. SYSTOLE_INVALID_ARGUMENT if it
 * is not of the element type and dims of the array: it stays then. */
SYSTOLE_EXPORT systole_error *systole_device_take_outfeed(const systole_device *device,
                                                          const systole_host_array *array,
                                                          const systole_cancellation *cancellation);

/* ---- Executables ---- */

typedef struct systole_executable systole_executable;

typedef struct systole_compile_options {
  size_t struct_size;
  const char *precision;    /* "default", "high" or "highest"; NULL for "default" */
  int32_t excess_precision; /* 1: bf16 and f16 intermediates stay in f32 inside a kernel */
  const char *file_name;    /* the source's name in errors; NULL for "module" */
  const systole_cancellation *cancellation; /* or NULL */
} systole_compile_options;

/* StableHLO as text or portable artifact, or HLO as text or proto. `options` may be NULL. */
SYSTOLE_EXPORT systole_error *systole_compile(const systole_device *device, const void *source,
                                              size_t source_size,
                                              const systole_compile_options *options,
                                              systole_executable **executable);
/* From the bytes of a `.sysx` file, which are not trusted. */
SYSTOLE_EXPORT systole_error *systole_executable_load(const systole_device *device,
                                                      const void *bytes, size_t size,
                                                      systole_executable **executable);
/* The bytes of a `.sysx` file. With a NULL `bytes`, writes their number to `size`; else copies
 * them, if `*size` is large enough, and writes their number. */
SYSTOLE_EXPORT systole_error *systole_executable_serialize(const systole_executable *executable,
                                                           void *bytes, size_t *size);

typedef struct systole_executable_info {
  size_t struct_size;
  const char *name; /* of the source's module */
  const char *precision;
  size_t num_arguments;
  size_t num_results;
  /* Bytes of HBM while it runs. */
  int64_t code_bytes;
  int64_t argument_bytes;
  int64_t result_bytes;
  int64_t aliased_bytes; /* of results in the memory of donated arguments */
  int64_t temporary_bytes;
  int64_t peak_bytes;
} systole_executable_info;

/* Tokens, of this and the next, are arrays of i1 without elements, as XLA's clients pass them. */
typedef struct systole_argument_info {
  size_t struct_size;
  const char *name;
  systole_tensor_type type;
  int32_t donated; /* 1: a run may put a result into its memory */
} systole_argument_info;

typedef struct systole_result_info {
  size_t struct_size;
  const char *name;
  systole_tensor_type type;
} systole_result_info;

SYSTOLE_EXPORT systole_error *systole_executable_get_info(const systole_executable *executable,
                                                          systole_executable_info *info);
/* The caller also sets `info->type.struct_size`, of this and the next. */
SYSTOLE_EXPORT systole_error *systole_executable_get_argument(const systole_executable *executable,
                                                              size_t index,
                                                              systole_argument_info *info);
SYSTOLE_EXPORT systole_error *systole_executable_get_result(const systole_executable *executable,
                                                            size_t index,
                                                            systole_result_info *info);
SYSTOLE_EXPORT void systole_executable_destroy(systole_executable *executable);

/* ---- Runs and reports ---- */

typedef struct systole_execution systole_execution;
typedef struct systole_report systole_report;

typedef struct systole_run_options {
  size_t struct_size;
  /* The devices to run on: none, or the executable's own. Lists of several are Unimplemented. */
  const systole_device *const *devices;
  size_t num_devices;
  const systole_cancellation *cancellation; /* or NULL */
  int32_t keep_donated;                     /* 1: donated arguments stay with the caller */
} systole_run_options;

/* Starts a run and returns. Runs of a device come one after the other, in the order of calls;
 * results may be arguments before they are ready. `options` may be NULL. */
SYSTOLE_EXPORT systole_error *systole_run_async(const systole_executable *executable,
                                                const systole_buffer *const *arguments,
                                                size_t num_arguments,
                                                const systole_run_options *options,
                                                systole_execution **execution);
/* The same, but waits for the run, whose error it returns. */
SYSTOLE_EXPORT systole_error *systole_run(const systole_executable *executable,
                                          const systole_buffer *const *arguments,
                                          size_t num_arguments, const systole_run_options *options,
                                          systole_execution **execution);
/* Completes with the run. */
SYSTOLE_EXPORT systole_error *systole_execution_get_done(const systole_execution *execution,
                                                         systole_event **done);
/* A new handle of result `index`. */
SYSTOLE_EXPORT systole_error *systole_execution_get_result(const systole_execution *execution,
                                                           size_t index, systole_buffer **result);
/* Waits for the run. */
SYSTOLE_EXPORT systole_error *systole_execution_get_report(const systole_execution *execution,
                                                           systole_report **report);
SYSTOLE_EXPORT void systole_execution_destroy(systole_execution *execution);

/* The report of a run without data: where control depends on data, loops have one iteration and
 * branches take the costlier side. */
SYSTOLE_EXPORT systole_error *systole_executable_predict(const systole_executable *executable,
                                                         systole_report **report);

typedef struct systole_report_info {
  size_t struct_size;
  const char *program;
  const char *target;
  const char *target_hash;
  const char *precision;
  int32_t timing_only; /* 1: a prediction, without data */
  int32_t cores;
  int32_t chips;
  int64_t cycles;
  double device_seconds;
  int64_t flops;
  double peak_flops_per_second;
  double hbm_bytes_per_second; /* of the target, at most */
  int64_t mxu_busy_cycles;     /* of pushes, summed over the MXUs */
  int64_t mxu_pushes;
  int64_t mxu_latch_cycles; /* loading weights, summed over the MXUs */
  int64_t mxu_latches;
  double mxu_utilization; /* 0 to 1 */
  int64_t hbm_read_bytes;
  int64_t hbm_write_bytes;
  int64_t host_sent_bytes; /* to the host */
  int64_t host_received_bytes;
  int64_t host_cycles;
  int64_t hbm_peak_bytes;
  int64_t hbm_padding_bytes;
  int64_t vmem_peak_bytes;
  int64_t bundles;         /* issued */
  int64_t program_bundles; /* in the program's code */
  const char *bound_by;    /* the unit that bounds the run, or "latency" */
  double compile_seconds;  /* on this host, and the next */
  double emulate_seconds;
  double usd; /* on demand */
  double usd_preemptible;
  size_t num_kernels;
  const char *json; /* as `systole run --report json` */
  const char *text; /* as `systole run --report text` */
} systole_report_info;

/* A kernel as one place of the program calls it. */
typedef struct systole_kernel_info {
  size_t struct_size;
  const char *name;
  const char *kind;
  const char *source;      /* innermost line, "file.py:12:3", or "" */
  const char *user_source; /* outside of installed packages, or "" if it is `source` */
  const char *name_stack;
  int64_t calls;
  int64_t cycles;
  int64_t stall_cycles; /* waiting for copies and for instruction memory */
  int64_t delay_cycles; /* empty cycles between bundles */
  int64_t flops;
  int64_t bytes; /* of HBM, padding included */
  const char *bound_by;
  const char *latency;
  int64_t estimated_cycles; /* that the compiler expected of all calls; 0 if unknown */
} systole_kernel_info;

SYSTOLE_EXPORT systole_error *systole_report_get_info(const systole_report *report,
                                                      systole_report_info *info);
SYSTOLE_EXPORT systole_error *systole_report_get_kernel(const systole_report *report, size_t index,
                                                        systole_kernel_info *info);
SYSTOLE_EXPORT void systole_report_destroy(systole_report *report);

#ifdef __cplusplus
}
#endif

#endif /* SYSTOLE_SYSTOLE_H */
