/* Compiles a dense layer, runs it on an emulated device, and prints results and costs.
 *
 * Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <stdio.h>
#include <string.h>

#include "systole/systole.h"

static const char program[] =
    "module @dense {\n"
    "  func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>)\n"
    "      -> tensor<4x3xf32> {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "      : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>\n"
    "    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>\n"
    "    %2 = stablehlo.add %0, %1 : tensor<4x3xf32>\n"
    "    %3 = stablehlo.tanh %2 : tensor<4x3xf32>\n"
    "    return %3 : tensor<4x3xf32>\n"
    "  }\n"
    "}\n";

/* Prints an error and destroys it. Returns whether there was one. */
static int failed(systole_error *error) {
  if (!error)
    return 0;
  fprintf(stderr, "error %d: %s\n", (int)systole_error_get_code(error),
          systole_error_message(error));
  systole_error_destroy(error);
  return 1;
}

/* `count` numbers from `first` on, `step` apart. */
static void sequence(float *values, int count, float first, float step) {
  for (int i = 0; i < count; ++i)
    values[i] = first + step * (float)i;
}

static int put(const systole_device *device, float *values, size_t rank, const int64_t *dims,
               const int64_t *minor_to_major, systole_buffer **buffer) {
  systole_host_array array = SYSTOLE_INIT(array);
  array.data = values;
  array.size_in_bytes = sizeof(float);
  for (size_t i = 0; i < rank; ++i)
    array.size_in_bytes *= (size_t)dims[i];
  array.element_type = SYSTOLE_F32;
  array.rank = rank;
  array.dims = dims;
  array.minor_to_major = minor_to_major;
  return !failed(systole_buffer_from_host(device, &array, buffer));
}

static int run(systole_device *device, systole_executable *executable, systole_buffer **arguments) {
  systole_execution *execution = NULL;
  systole_buffer *result = NULL;
  systole_report *report = NULL;
  float results[12];
  const int64_t dims[] = {4, 3};
  systole_run_options options = SYSTOLE_INIT(options);
  const systole_device *devices[] = {device};
  options.devices = devices;
  options.num_devices = 1;

  systole_host_array array = SYSTOLE_INIT(array);
  array.data = results;
  array.size_in_bytes = sizeof(results);
  array.element_type = SYSTOLE_F32;
  array.rank = 2;
  array.dims = dims;

  systole_report_info info = SYSTOLE_INIT(info);
  /* Copying the result waits for the run. */
  const int done = !failed(systole_run_async(executable, (const systole_buffer *const *)arguments,
                                             3, &options, &execution)) &&
                   !failed(systole_execution_get_result(execution, 0, &result)) &&
                   !failed(systole_buffer_to_host(result, &array)) &&
                   !failed(systole_execution_get_report(execution, &report)) &&
                   !failed(systole_report_get_info(report, &info));
  if (done) {
    for (int i = 0; i < 12; ++i)
      printf("%.7g\n", results[i]);
    printf("%lld cycles on %s, %lld flops\n", (long long)info.cycles, info.target,
           (long long)info.flops);
  }
  systole_report_destroy(report);
  systole_buffer_destroy(result);
  systole_execution_destroy(execution);
  return done;
}

int main(void) {
  systole_device *device = NULL;
  systole_executable *executable = NULL;
  systole_buffer *arguments[3] = {NULL, NULL, NULL};
  float x[32], w[24], b[3];
  const int64_t x_dims[] = {4, 8}, w_dims[] = {8, 3}, b_dims[] = {3};
  const int64_t column_major[] = {0, 1};
  systole_compile_options options = SYSTOLE_INIT(options);
  options.precision = "highest";
  options.file_name = "dense.mlir";

  sequence(x, 32, -1.0f, 0.0625f);
  sequence(w, 24, 0.5f, -0.03125f);
  sequence(b, 3, 0.0f, 0.25f);
  const int done =
      !failed(systole_device_create(NULL, &device)) &&
      !failed(systole_compile(device, program, strlen(program), &options, &executable)) &&
      put(device, x, 2, x_dims, NULL, &arguments[0]) &&
      put(device, w, 2, w_dims, column_major, &arguments[1]) &&
      put(device, b, 1, b_dims, NULL, &arguments[2]) && run(device, executable, arguments);
  for (int i = 0; i < 3; ++i)
    systole_buffer_destroy(arguments[i]);
  systole_executable_destroy(executable);
  systole_device_destroy(device);
  return done ? 0 : 1;
}
