// SPDX-License-Identifier: MIT
// Advice about managed memory is told as it was given: random advice and prefetches of random ranges against
// a model that keeps each page's; and what is refused. It takes two devices.
#include "hip_capture.h"

enum { PAGES = 24, PAGE = 4096, STEPS = 4000 };

typedef struct page {
  int read_mostly, coarse, preferred, prefetched, by[3];  // by: the host, device 0, device 1
} page;
static const page fresh = {.preferred = hipInvalidDeviceId, .prefetched = hipInvalidDeviceId};
static page model[PAGES];

static uint64_t state = 20260;
static unsigned below(unsigned limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % limit;
}

static void give(page *p, int advice, int place) {
  switch (advice) {
    case hipMemAdviseSetReadMostly: p->read_mostly = 1; break;
    case hipMemAdviseUnsetReadMostly: p->read_mostly = 0; break;
    case hipMemAdviseSetPreferredLocation: p->preferred = place; break;
    case hipMemAdviseUnsetPreferredLocation: p->preferred = hipInvalidDeviceId; break;
    case hipMemAdviseSetAccessedBy: p->by[place + 1] = 1; break;
    case hipMemAdviseUnsetAccessedBy: p->by[place + 1] = 0; break;
    case hipMemAdviseSetCoarseGrain: p->coarse = 1; break;
    case hipMemAdviseUnsetCoarseGrain: p->coarse = 0; break;
    default: p->prefetched = place; break;
  }
}

static void compare(char *memory, unsigned first, unsigned count) {
  const page *p = &model[first];
  int got[4] = {9, 9, 9, 9}, by[3] = {9, 9, 9};
  page all = *p;
  int mixed = 0;
  for (unsigned i = 1; i < count; ++i) {
    all.read_mostly &= p[i].read_mostly;
    mixed |= p[i].coarse != p->coarse;
    if (p[i].preferred != all.preferred) all.preferred = hipInvalidDeviceId;
    if (p[i].prefetched != all.prefetched) all.prefetched = hipInvalidDeviceId;
    for (int k = 0; k < 3; ++k) all.by[k] &= p[i].by[k];
  }
  hipMemRangeAttribute which[] = {hipMemRangeAttributeReadMostly, hipMemRangeAttributePreferredLocation,
                                  hipMemRangeAttributeLastPrefetchLocation,
                                  hipMemRangeAttributeCoherencyMode};
  void *results[] = {&got[0], &got[1], &got[2], &got[3]};
  size_t sizes[] = {4, 4, 4, 4};
  char *const begin = memory + first * PAGE + below(PAGE);
  const size_t bytes = (size_t)(memory + (first + count) * PAGE - begin) - below(2);
  if (bytes == 0) return;
  OK(hipMemRangeGetAttributes(results, sizes, which, 4, begin, bytes));
  const int mode = mixed        ? hipMemRangeCoherencyModeIndeterminate
                   : all.coarse ? hipMemRangeCoherencyModeCoarseGrain
                                : hipMemRangeCoherencyModeFineGrain;
  CHECK(got[0] == all.read_mostly && got[1] == all.preferred && got[2] == all.prefetched && got[3] == mode,
        "pages %u..%u: %d %d %d %d", first, first + count, got[0], got[1], got[2], got[3]);
  OK(hipMemRangeGetAttribute(by, sizeof by, hipMemRangeAttributeAccessedBy, begin, bytes));
  int want[3], n = 0;
  for (int k = 0; k < 3; ++k)
    if (all.by[k]) want[n++] = k - 1;
  while (n < 3) want[n++] = hipInvalidDeviceId;
  CHECK(!memcmp(by, want, sizeof by), "pages %u..%u: accessed by %d %d %d", first, first + count, by[0],
        by[1], by[2]);
}

static void advice_is_told_as_it_was_given(void) {
  static const int kinds[] = {1, 2, 3, 4, 5, 6, 100, 101, -1};
  char *memory;
  for (int round = 0; round < 2; ++round) {  // the second time in memory that nobody has spoken of
    OK(hipMallocManaged((void **)&memory, PAGES * PAGE, hipMemAttachGlobal));
    for (int i = 0; i < PAGES; ++i) model[i] = fresh;
    for (int step = 0; step < STEPS; ++step) {
      const unsigned first = below(PAGES), count = 1 + below(PAGES - first);
      const int kind = kinds[below(9)], place = (int)below(3) - 1;
      char *const begin = memory + first * PAGE + below(PAGE);  // advice is for whole pages
      const size_t bytes = (size_t)(memory + (first + count) * PAGE - begin);
      compare(memory, first, count);
      if (kind < 0)
        OK(hipMemPrefetchAsync(begin, bytes, place, NULL));
      else
        OK(hipMemAdvise(begin, bytes, (hipMemoryAdvise)kind, place));
      for (unsigned i = first; i < first + count; ++i) give(&model[i], kind, place);
    }
    OK(hipFree(memory));
  }
}

static void what_is_refused(void) {
  char *memory, *device;
  int value[2];
  OK(hipMallocManaged((void **)&memory, PAGE, hipMemAttachGlobal));
  OK(hipMalloc((void **)&device, PAGE));
  const hipMemRangeAttribute mostly = hipMemRangeAttributeReadMostly;
  SAYS(hipErrorInvalidValue, "not managed", hipMemAdvise(device, PAGE, hipMemAdviseSetReadMostly, 0));
  SAYS(hipErrorInvalidValue, "not managed", hipMemRangeGetAttribute(value, 4, mostly, device, PAGE));
  const hipMemRangeAttribute grain = hipMemRangeAttributeCoherencyMode;
  OK(hipMemRangeGetAttribute(value, 4, grain, device + PAGE - 1, 1));
  CHECK(value[0] == hipMemRangeCoherencyModeCoarseGrain, "memory of a device has grain %d", value[0]);
  SAYS(hipErrorInvalidValue, "not managed", hipMemRangeGetAttribute(value, 4, grain, device + 1, PAGE));
  SAYS(hipErrorInvalidValue, "not managed", hipMemRangeGetAttribute(value, 4, grain, device, 0));
  SAYS(hipErrorInvalidDevice, "device 9", hipMemAdvise(memory, PAGE, hipMemAdviseSetAccessedBy, 9));
  SAYS(hipErrorInvalidValue, "advice 50", hipMemAdvise(memory, PAGE, (hipMemoryAdvise)50, 0));
  SAYS(hipErrorInvalidValue, "range is empty", hipMemAdvise(memory, 0, hipMemAdviseSetReadMostly, 0));
  SAYS(hipErrorInvalidValue, "range is empty", hipMemPrefetchAsync(memory, 0, 0, NULL));
  SAYS(hipErrorInvalidDevice, "device -7", hipMemPrefetchAsync(memory, PAGE, -7, NULL));
  SAYS(hipErrorInvalidValue, "data_size", hipMemRangeGetAttribute(value, 8, mostly, memory, PAGE));
  SAYS(hipErrorInvalidValue, "is null", hipMemRangeGetAttribute(NULL, 4, mostly, memory, PAGE));
  SAYS(hipErrorInvalidValue, "attribute 50",
       hipMemRangeGetAttribute(value, 4, (hipMemRangeAttribute)50, memory, PAGE));
  SAYS(hipErrorInvalidValue, "empty", hipMemRangeGetAttribute(value, 4, mostly, memory, 0));
  SAYS(hipErrorInvalidValue, "range", hipMemRangeGetAttribute(value, 4, mostly, memory, 2 * PAGE));
  OK(hipFree(memory));
  OK(hipFree(device));
}

int main(void) {
  advice_is_told_as_it_was_given();
  what_is_refused();
  return test_result();
}
