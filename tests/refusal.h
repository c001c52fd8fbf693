// SPDX-License-Identifier: MIT
// What tests of refusals share: a call has to return the status, say the words, launch nothing, and leave all
// memory of the test as it was.
#ifndef WT_TESTS_REFUSAL_H
#define WT_TESTS_REFUSAL_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#include "check.h"
#include "wavetile.h"

// Work-groups executed so far in this process, by the simulated runtime's own count.
int wtSimTotals(unsigned long long *instructions, unsigned long long *workgroups);

static inline unsigned long long refusal_workgroups(void) {
  unsigned long long workgroups = 0;
  CHECK(wtSimTotals(NULL, &workgroups) == 0, "counters");
  return workgroups;
}

// All memory of a test's calls: one allocation, which its operands are parts of.
enum { REFUSAL_BYTES = 1 << 16 };
static wt_context *refusal_context;
static unsigned char *refusal_arena;
static unsigned char refusal_before[REFUSAL_BYTES], refusal_after[REFUSAL_BYTES];

static inline void refusal_begin(int device) {
  CHECK(wt_context_create(device, &refusal_context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
  CHECK(hipMalloc((void **)&refusal_arena, REFUSAL_BYTES) == hipSuccess, "hipMalloc");
  CHECK(hipMemset(refusal_arena, 0, REFUSAL_BYTES) == hipSuccess, "hipMemset");
}

static inline void refusal_end(void) {
  CHECK(hipFree(refusal_arena) == hipSuccess, "hipFree");
  wt_context_destroy(refusal_context);
}

// `words` ends with NULL.
static inline void refusal_check(const char *what, wt_status (*call)(const void *arguments),
                                 const void *arguments, wt_status status, const char *const *words) {
  const unsigned long long executed = refusal_workgroups();
  CHECK(hipMemcpy(refusal_before, refusal_arena, REFUSAL_BYTES, hipMemcpyDeviceToHost) == hipSuccess, "%s",
        what);
  const wt_status got = call(arguments);
  const char *sentence = wt_last_error(refusal_context);
  CHECK(got == status, "%s: status %d (%s), expected %d: %s", what, (int)got, wt_status_string(got),
        (int)status, sentence);
  for (; *words; ++words)
    CHECK(strstr(sentence, *words), "%s: \"%s\" does not say \"%s\"", what, sentence, *words);
  CHECK(hipDeviceSynchronize() == hipSuccess, "%s", what);
  CHECK(refusal_workgroups() == executed, "%s: something was launched", what);
  CHECK(hipMemcpy(refusal_after, refusal_arena, REFUSAL_BYTES, hipMemcpyDeviceToHost) == hipSuccess, "%s",
        what);
  CHECK(memcmp(refusal_before, refusal_after, REFUSAL_BYTES) == 0, "%s: memory changed", what);
}

// One wrong argument of `good`: REFUSED(run, good, desc.rows = 0, WT_ERROR_SIZE, "rows is 0").
#define REFUSED(run, good, change, status, ...)                                          \
  do {                                                                                   \
    __typeof__(good) bad = good;                                                         \
    bad.change;                                                                          \
    refusal_check(#change, run, &bad, status, (const char *const[]){__VA_ARGS__, NULL}); \
  } while (0)

// The good call itself is taken, and launches something.
static inline void refusal_accepted(const char *what, wt_status (*call)(const void *arguments),
                                    const void *arguments) {
  const unsigned long long executed = refusal_workgroups();
  CHECK(call(arguments) == WT_SUCCESS, "%s: %s", what, wt_last_error(refusal_context));
  CHECK(hipDeviceSynchronize() == hipSuccess, "%s", what);
  CHECK(refusal_workgroups() > executed, "%s launched nothing", what);
}

#endif
