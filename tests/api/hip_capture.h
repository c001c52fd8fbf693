// SPDX-License-Identifier: MIT
// Captures what a HIP call says on stderr: CAPTURED(text, call) runs the call and leaves its words in
// text[1024].
#ifndef WT_TESTS_HIP_CAPTURE_H
#define WT_TESTS_HIP_CAPTURE_H

#include <hip/hip_runtime_api.h>
#include <unistd.h>

#include "check.h"

typedef struct hip_capture {
  int file, saved;
} hip_capture;

static inline hip_capture capture_begin(void) {
  char path[] = "/tmp/wavetile-said-XXXXXX";
  hip_capture c = {mkstemp(path), dup(STDERR_FILENO)};
  unlink(path);
  fflush(stderr);
  dup2(c.file, STDERR_FILENO);
  return c;
}

static inline void capture_end(hip_capture c, char text[1024]) {
  fflush(stderr);
  dup2(c.saved, STDERR_FILENO);
  lseek(c.file, 0, SEEK_SET);
  ssize_t got = read(c.file, text, 1023);
  text[got > 0 ? got : 0] = 0;
  close(c.file);
  close(c.saved);
}

// Runs the call; it must return `expected` and say something that contains `words`. "" wants silence.
#define SAYS(expected, words, call)                                                                       \
  do {                                                                                                    \
    char said_[1024];                                                                                     \
    hip_capture capture_ = capture_begin();                                                               \
    hipError_t error_ = (call);                                                                           \
    capture_end(capture_, said_);                                                                         \
    CHECK(error_ == (expected), "%s gave %s, expected %s: %s", #call, hipGetErrorName(error_),            \
          hipGetErrorName(expected), said_);                                                              \
    CHECK((words)[0] ? strstr(said_, words) != NULL : !said_[0], "%s should say \"%s\", said: %s", #call, \
          words, said_);                                                                                  \
    CHECK(hipGetLastError() == (expected), "%s is the last error after %s", hipGetErrorName(expected),    \
          #call);                                                                                         \
    CHECK(hipGetLastError() == hipSuccess, "the last error is given once");                               \
  } while (0)

// The call must succeed.
#define OK(call)                                                               \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    CHECK(error_ == hipSuccess, "%s gave %s", #call, hipGetErrorName(error_)); \
  } while (0)

#endif
