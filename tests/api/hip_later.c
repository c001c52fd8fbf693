// SPDX-License-Identifier: MIT
// Tests calls of HIP 6.3 to 7.2: host memory, fills of rows, lists of copies, advice by location, pools by
// location, attributes and numbers of streams.
#include "hip_capture.h"

typedef struct copy_attributes {
  int order;
  hipMemLocation src_hint, dst_hint;
  unsigned flags;
} copy_attributes;
typedef union stream_attribute {
  char bytes[64];
  int number;
} stream_attribute;
void __hipGetPCH(const char **data, unsigned *size);
hipError_t hipExtHostAlloc(void **out, size_t size, unsigned flags);
hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width,
                          size_t height);
hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t pitch, unsigned value, size_t width, size_t height);
hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, copy_attributes *list,
                               size_t *starts, size_t list_count, size_t *failed, hipStream_t stream);
hipError_t hipMemAdvise_v2(const void *pointer, size_t count, hipMemoryAdvise what, hipMemLocation place);
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *place, hipMemAllocationType type);
hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const stream_attribute *value);
hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, stream_attribute *value);
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
hipError_t hipGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags, int *found);

static void there_are_no_precompiled_headers(void) {
  const char *data = "";
  unsigned size = 1;
  __hipGetPCH(&data, &size);
  CHECK(!data && !size, "%u bytes at %p", size, (const void *)data);
}

static void host_memory_and_rows(void) {
  unsigned *p;
  unsigned short *half;
  OK(hipExtHostAlloc((void **)&p, 64, 0));
  memset(p, 0, 64);
  OK(hipMemsetD2D32(p, 16, 0x01020304u, 2, 3));
  half = (unsigned short *)p;
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 4; ++i)
      CHECK(p[4 * row + i] == (row < 3 && i < 2 ? 0x01020304u : 0), "element %d %d is %x", row, i,
            p[4 * row + i]);
  OK(hipMemsetD2D16(p, 2, 7, 1, 2));
  CHECK(half[0] == 7 && half[1] == 7 && half[2] == 0x0304, "halves %x %x %x", half[0], half[1], half[2]);
  SAYS(hipErrorInvalidPitchValue, "pitch", hipMemsetD2D32(p, 4, 1, 2, 2));
  OK(hipHostFree(p));
}

static void lists_of_copies(void) {
  char in[2][4] = {"abc", "xyz"}, out[2][4] = {"", ""}, *device;
  size_t sizes[] = {4, 4}, start = 0, failed = 9;
  copy_attributes attributes = {.order = 1};
  OK(hipMalloc((void **)&device, 8));
  void *there[] = {device, device + 4}, *here[] = {in[0], in[1]}, *back[] = {out[0], out[1]};
  OK(hipMemcpyBatchAsync(there, here, sizes, 2, &attributes, &start, 1, &failed, NULL));
  CHECK(failed == SIZE_MAX, "no copy has failed");
  OK(hipMemcpyBatchAsync(back, there, sizes, 2, &attributes, &start, 1, &failed, NULL));
  OK(hipDeviceSynchronize());
  CHECK(!memcmp(in, out, sizeof in), "the bytes come back");
  sizes[1] = 5;
  SAYS(hipErrorInvalidValue, "overruns",
       hipMemcpyBatchAsync(there, here, sizes, 2, &attributes, &start, 1, &failed, NULL));
  CHECK(failed == 1, "copy %zu has failed", failed);
  attributes.order = 0;
  SAYS(hipErrorInvalidValue, "order",
       hipMemcpyBatchAsync(there, here, sizes, 1, &attributes, &start, 1, NULL, NULL));
  OK(hipFree(device));
}

static void places_are_locations(void) {
  char *managed;
  int told = 9;
  hipMemPool_t pool, same;
  hipMemLocation device = {hipMemLocationTypeDevice, 1}, host = {(hipMemLocationType)2, 0},
                 none = {(hipMemLocationType)0, 0};
  OK(hipMallocManaged((void **)&managed, 4096, hipMemAttachGlobal));
  OK(hipMemAdvise_v2(managed, 4096, hipMemAdviseSetPreferredLocation, device));
  OK(hipMemRangeGetAttribute(&told, 4, hipMemRangeAttributePreferredLocation, managed, 4096));
  CHECK(told == 1, "device %d", told);
  OK(hipMemAdvise_v2(managed, 4096, hipMemAdviseSetPreferredLocation, host));
  OK(hipMemRangeGetAttribute(&told, 4, hipMemRangeAttributePreferredLocation, managed, 4096));
  CHECK(told == hipCpuDeviceId, "the host, not %d", told);
  SAYS(hipErrorInvalidValue, "type 0",
       hipMemAdvise_v2(managed, 4096, hipMemAdviseSetPreferredLocation, none));
  OK(hipMemAdvise(managed, 4096, hipMemAdviseSetReadMostly, 99));  // the device plays no part
  SAYS(hipErrorInvalidDevice, "99", hipMemAdvise(managed, 4096, hipMemAdviseSetAccessedBy, 99));
  OK(hipFree(managed));
  OK(hipMemGetMemPool(&pool, &device, hipMemAllocationTypePinned));
  OK(hipDeviceGetMemPool(&same, 1));
  CHECK(pool == same, "the pool of device 1");
  SAYS(hipErrorInvalidValue, "pinned", hipMemGetMemPool(&pool, &host, hipMemAllocationTypePinned));
}

static void streams_have_attributes_and_numbers(void) {
  hipStream_t a, b;
  unsigned long long ids[4];
  stream_attribute value = {.number = 2}, got = {.number = 9};
  enum { SYNCHRONIZATION = 3, PRIORITY = 8 };
  OK(hipStreamCreate(&a));
  OK(hipStreamCreate(&b));
  OK(hipStreamSetAttribute(a, SYNCHRONIZATION, &value));
  OK(hipStreamGetAttribute(b, SYNCHRONIZATION, &got));
  CHECK(got.number == 0, "the other stream has policy %d", got.number);
  OK(hipStreamCopyAttributes(b, a));
  OK(hipStreamGetAttribute(b, SYNCHRONIZATION, &got));
  CHECK(got.number == 2, "policy %d", got.number);
  value.number = -5;
  OK(hipStreamSetAttribute(a, PRIORITY, &value));
  OK(hipStreamGetAttribute(a, PRIORITY, &got));
  CHECK(got.number == -1, "the priority is clamped to %d", got.number);
  SAYS(hipErrorInvalidValue, "attribute 2", hipStreamSetAttribute(a, 2, &value));
  const hipStream_t streams[] = {a, b, NULL, hipStreamPerThread};
  for (int i = 0; i < 4; ++i) OK(hipStreamGetId(streams[i], &ids[i]));
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < i; ++k) CHECK(ids[i] != ids[k], "streams %d and %d have number %llu", i, k, ids[i]);
  OK(hipStreamDestroy(a));
  OK(hipStreamDestroy(b));
  unsigned flags;
  SAYS(hipErrorInvalidValue, "stream is null", hipStreamGetFlags(NULL, &flags));
}

static void flags_and_events(void) {
  unsigned flags = 9;
  hipEvent_t event;
  void *found = NULL;
  OK(hipSetDeviceFlags(hipDeviceScheduleSpin));
  OK(hipGetDeviceFlags(&flags));
  CHECK(flags == hipDeviceScheduleSpin, "flags %u", flags);
  SAYS(hipErrorInvalidValue, "several schedules",
       hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield));
  OK(hipDeviceReset());
  OK(hipGetDeviceFlags(&flags));
  CHECK(flags == 0, "a reset device has flags %u", flags);
  OK(hipEventCreateWithFlags(&event, 0x20000000));  // hipEventDisableSystemFence
  OK(hipEventDestroy(event));
  SAYS(hipErrorInvalidValue, "several kinds",
       hipEventCreateWithFlags(&event, 0x20000000 | hipEventReleaseToDevice));
  SAYS(hipErrorInvalidValue, "hipEventDisableTiming", hipEventCreateWithFlags(&event, hipEventInterprocess));
  SAYS(hipErrorInvalidValue, "configuration 7", hipDeviceSetCacheConfig((hipFuncCache_t)7));
  SAYS(hipErrorInvalidValue, "configuration -1", hipDeviceSetSharedMemConfig((hipSharedMemConfig)-1));
  hipFuncCache_t config;
  OK(hipDeviceSetCacheConfig(hipFuncCachePreferEqual));
  OK(hipDeviceGetCacheConfig(&config));
  CHECK(config == hipFuncCachePreferEqual, "the configuration is told: %d", (int)config);
  OK(hipGetDriverEntryPoint("hipMalloc", &found, 0, NULL));
  CHECK(found != NULL, "the entry point of hipMalloc");
}

int main(void) {
  there_are_no_precompiled_headers();
  host_memory_and_rows();
  lists_of_copies();
  places_are_locations();
  streams_have_attributes_and_numbers();
  flags_and_events();
  return test_result();
}
