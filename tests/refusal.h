// SPDX-License-Identifier: MIT
// What tests of refusals share: a call has to return the status, say the words, launch nothing, and leave the
// memory that the test watches as it was.
#ifndef WT_TESTS_REFUSAL_H
#define WT_TESTS_REFUSAL_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#include "check.h"
#include "wavetile.h"
#include "wavetile_sim.h"

static inline unsigned long long refusal_workgroups(void) {
  unsigned long long workgroups = 0;
  CHECK(wtSimTotals(NULL, &workgroups) == 0, "counters");
  return workgroups;
}

// Memory of the device that no refused call may change: the arena, an allocation for tests whose operands may
// be parts of one, and what else they watch.
enum { REFUSAL_BYTES = 1 << 16, REFUSAL_MOST_AREAS = 8, REFUSAL_WATCHED = 2 * REFUSAL_BYTES };
static wt_context *refusal_context;
static unsigned char *refusal_arena;
static struct {
  const void *memory;
  size_t bytes;
} refusal_areas[REFUSAL_MOST_AREAS];
static int refusal_area_count;
static unsigned char refusal_before[REFUSAL_WATCHED], refusal_after[REFUSAL_WATCHED];

static inline void refusal_watch(const void *memory, size_t bytes) {
  CHECK(refusal_area_count < REFUSAL_MOST_AREAS, "more than %d areas", REFUSAL_MOST_AREAS);
  refusal_areas[refusal_area_count].memory = memory;
  refusal_areas[refusal_area_count++].bytes = bytes;
}

// Copies what is watched, and returns how many bytes that are.
static inline size_t refusal_copy(const char *what, unsigned char *to) {
  const unsigned char *const begin = to, *const end = to + REFUSAL_WATCHED;
  for (int i = 0; i < refusal_area_count; ++i) {
    const size_t bytes = refusal_areas[i].bytes;
    CHECK(bytes <= (size_t)(end - to), "%s: more is watched than %d bytes", what, REFUSAL_WATCHED);
    CHECK(hipMemcpy(to, refusal_areas[i].memory, bytes, hipMemcpyDeviceToHost) == hipSuccess, "%s", what);
    to += bytes;
  }
  return (size_t)(to - begin);
}

static inline void refusal_begin(int device) {
  CHECK(wt_context_create(device, &refusal_context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
  CHECK(hipMalloc((void **)&refusal_arena, REFUSAL_BYTES) == hipSuccess, "hipMalloc");
  CHECK(hipMemset(refusal_arena, 0, REFUSAL_BYTES) == hipSuccess, "hipMemset");
  refusal_area_count = 0;
  refusal_watch(refusal_arena, REFUSAL_BYTES);
}

static inline void refusal_end(void) {
  CHECK(hipFree(refusal_arena) == hipSuccess, "hipFree");
  wt_context_destroy(refusal_context);
}

// `words` ends with NULL.
static inline void refusal_check(const char *what, wt_status (*call)(const void *arguments),
                                 const void *arguments, wt_status status, const char *const *words) {
  const unsigned long long executed = refusal_workgroups();
  const size_t watched = refusal_copy(what, refusal_before);
  const wt_status got = call(arguments);
  const char *sentence = wt_last_error(refusal_context);
  CHECK(got == status, "%s: status %d (%s), expected %d: %s", what, (int)got, wt_status_string(got),
        (int)status, sentence);
  for (; *words; ++words)
    CHECK(strstr(sentence, *words), "%s: \"%s\" does not say \"%s\"", what, sentence, *words);
  CHECK(hipDeviceSynchronize() == hipSuccess, "%s", what);
  CHECK(refusal_workgroups() == executed, "%s: something was launched", what);
  CHECK(refusal_copy(what, refusal_after) == watched, "%s", what);
  CHECK(memcmp(refusal_before, refusal_after, watched) == 0, "%s: memory changed", what);
}

// Tests a call, which may differ from a good one in several arguments.
#define REFUSED_CALL(what, run, call, status, ...) \
  refusal_check(what, run, &(call), status, (const char *const[]){__VA_ARGS__, NULL})

// Tests one wrong argument of `good`: REFUSED(run, good, desc.rows = 0, WT_ERROR_SIZE, "rows is 0").
#define REFUSED(run, good, change, status, ...)           \
  do {                                                    \
    __typeof__(good) bad = good;                          \
    bad.change;                                           \
    REFUSED_CALL(#change, run, bad, status, __VA_ARGS__); \
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
