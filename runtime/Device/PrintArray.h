// Arrays as readable text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEVICE_PRINTARRAY_H
#define SYSTOLE_RUNTIME_DEVICE_PRINTARRAY_H

#include <string>

#include "runtime/Device/HostArray.h"

namespace systole {

// The elements in nested brackets, columns aligned. Of more than 1,000 elements
// only the first and last three along each dimension are shown, and of a line
// longer than 100 characters the first and last three elements. No line break at
// the end.
std::string formatArray(const HostArray &array);

} // namespace systole

#endif // SYSTOLE_RUNTIME_DEVICE_PRINTARRAY_H
