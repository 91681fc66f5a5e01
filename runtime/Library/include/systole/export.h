/* Which symbols the shared library exports, and the namespace of the C++ interface.
 *
 * Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef SYSTOLE_EXPORT_H
#define SYSTOLE_EXPORT_H

#if defined(__GNUC__)
#define SYSTOLE_EXPORT __attribute__((visibility("default")))
#else
#define SYSTOLE_EXPORT
#endif

/* The C++ interface is systole::v0, which callers write as systole: a later, incompatible one has
 * other symbols. The library's own sources name it in full, since the compiler has classes of the
 * same names in systole. */
#ifdef SYSTOLE_BUILDING
#define SYSTOLE_V0 v0
#else
#define SYSTOLE_V0 inline v0
#endif

#endif /* SYSTOLE_EXPORT_H */
