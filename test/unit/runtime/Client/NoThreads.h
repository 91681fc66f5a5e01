// A host that starts no more threads, for tests.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_NOTHREADS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_NOTHREADS_H

#include <gtest/gtest.h>
#include <pthread.h>

namespace systole {

// During its lifetime the default stack of threads exceeds the address space.
class NoThreads {
public:
  NoThreads() {
    EXPECT_EQ(pthread_getattr_default_np(&before), 0);
    pthread_attr_t huge;
    EXPECT_EQ(pthread_getattr_default_np(&huge), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&huge, size_t(1) << 60), 0);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  NoThreads(const NoThreads &) = delete;
  NoThreads &operator=(const NoThreads &) = delete;
  ~NoThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&before);
  }

private:
  pthread_attr_t before;
};

} // namespace systole

#endif // SYSTOLE_TEST_UNIT_RUNTIME_CLIENT_NOTHREADS_H
