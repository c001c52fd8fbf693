// SPDX-License-Identifier: MIT
// Tests which code a call refuses with, and that it says why: cases that ROCm's runtime and its conformance
// tests decide, and that no other test of a family of calls comes across.
#include <limits.h>

#include "hip_capture.h"

#pragma GCC visibility push(default)
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t pointer);
#pragma GCC visibility pop

enum { W = 24, H = 5, D = 3, PITCH = 32, BYTES = PITCH * H * D };

static void driver_texts_refuse_a_code_that_hip_does_not_define(void) {
  const char *text = NULL;
  OK(hipDrvGetErrorName(hipErrorUnknown, &text));
  CHECK(text && !strcmp(text, "hipErrorUnknown"), "the name of a code that HIP defines");
  SAYS(hipErrorInvalidValue, "-1 is no error code", hipDrvGetErrorName((hipError_t)-1, &text));
  SAYS(hipErrorInvalidValue, "4242 is no error code", hipDrvGetErrorString((hipError_t)4242, &text));
  SAYS(hipErrorInvalidValue, "is null", hipDrvGetErrorName(hipSuccess, NULL));
  SAYS(hipErrorInvalidValue, "is null", hipDrvGetErrorString(hipSuccess, NULL));
}

static void no_time_lies_between_events_of_two_devices(void) {
  hipEvent_t event[2];
  float ms = -1;
  for (int i = 0; i < 2; ++i) {
    OK(hipSetDevice(i));
    OK(hipEventCreate(&event[i]));
    OK(hipEventRecord(event[i], NULL));
    OK(hipEventSynchronize(event[i]));
  }
  SAYS(hipErrorInvalidHandle, "device 0, the stop event to device 1",
       hipEventElapsedTime(&ms, event[0], event[1]));
  CHECK(ms == -1, "the result stays, %g", (double)ms);
  for (int i = 0; i < 2; ++i) OK(hipEventDestroy(event[i]));
  OK(hipSetDevice(0));
}

// Describes rows of W bytes between host memory without gaps and device memory with the pitch PITCH.
static hip_Memcpy2D description(void *host, void *device) {
  return (hip_Memcpy2D){.srcMemoryType = hipMemoryTypeHost,
                        .srcHost = host,
                        .srcPitch = W,
                        .dstMemoryType = hipMemoryTypeDevice,
                        .dstDevice = device,
                        .dstPitch = PITCH,
                        .WidthInBytes = W,
                        .Height = H};
}

static void driver_copies_refuse_rows_that_do_not_fit_the_pitch(void) {
  static unsigned char host[BYTES];
  unsigned char *device;
  OK(hipMalloc((void **)&device, BYTES));
  for (int i = 0; i < BYTES; ++i) host[i] = (unsigned char)(i + 1);
  const struct {
    size_t src_pitch, dst_pitch, src_x, dst_x;
    const char *words;  // NULL: the copy is right
  } rows[] = {
      {W, PITCH, 0, 0, NULL},
      {0, PITCH, 0, 0, NULL},  // no gaps
      {W, PITCH, 0, PITCH - W, NULL},
      {W - 1, PITCH, 0, 0, "do not fit the pitch of the source"},
      {W, W - 1, 0, 0, "do not fit the pitch of the destination"},
      {W, PITCH, 1, 0, "from byte 1 do not fit the pitch of the source"},
      {W, PITCH, 0, PITCH - W + 1, "from byte 9 do not fit the pitch of the destination"},
      {0, PITCH, 1, 0, "do not fit the pitch of the source"},
      {W, (size_t)INT_MAX + 1, 0, 0, "overruns"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    hip_Memcpy2D c = description(host, device);
    c.srcPitch = rows[i].src_pitch, c.dstPitch = rows[i].dst_pitch;
    c.srcXInBytes = rows[i].src_x, c.dstXInBytes = rows[i].dst_x;
    if (rows[i].words) {
      SAYS(hipErrorInvalidValue, rows[i].words, hipMemcpyParam2D(&c));
      continue;
    }
    OK(hipMemset(device, 0, BYTES));
    OK(hipMemcpyParam2D(&c));
    for (int y = 0; y < H; ++y)
      CHECK(!memcmp(device + y * PITCH + c.dstXInBytes, host + y * W, W), "row %d of copy %zu", y, i);
  }
  hip_Memcpy2D one_row = description(host, device);
  one_row.Height = 1, one_row.dstPitch = 1;
  OK(hipMemcpyParam2D(&one_row));  // nothing lies behind its only row
  OK(hipFree(device));
}

static void boxes_refuse_rows_that_do_not_fit_the_pitch(void) {
  static unsigned char host[BYTES];
  unsigned char *device;
  OK(hipMalloc((void **)&device, BYTES));
  const struct {
    size_t pitch, x;
    hipError_t error;
    const char *words;
  } rows[] = {
      {PITCH, PITCH - W + 1, hipErrorInvalidValue, "from byte 9 do not fit the pitch of the destination"},
      {W - 1, 0, hipErrorInvalidPitchValue, "less than the width"},
      {INT_MAX, 0, hipErrorInvalidValue, "must be less than 2147483647"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const hipMemcpy3DParms box = {.srcPtr = {host, PITCH, W, H},
                                  .dstPtr = {device, rows[i].pitch, W, H},
                                  .dstPos = {rows[i].x, 0, 0},
                                  .extent = {W, H, D},
                                  .kind = hipMemcpyHostToDevice};
    SAYS(rows[i].error, rows[i].words, hipMemcpy3D(&box));
  }
  OK(hipFree(device));
}

// Callers have as many bytes as ROCm's runtime writes, and no more.
static void pointer_attributes_write_no_byte_beside_their_value(void) {
  const struct {
    hipPointer_attribute attribute;
    size_t bytes;
    uint64_t value;
  } rows[] = {{HIP_POINTER_ATTRIBUTE_RANGE_SIZE, 4, 512},   {HIP_POINTER_ATTRIBUTE_MAPPED, 1, 1},
              {HIP_POINTER_ATTRIBUTE_IS_MANAGED, 1, 0},     {HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, 1, 1},
              {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 4, 0}, {HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS, 4, 0}};
  void *device;
  OK(hipMalloc(&device, 512));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    unsigned char room[16];
    uint64_t got = 0;
    memset(room, 0xee, sizeof room);
    OK(hipPointerGetAttribute(room, rows[i].attribute, device));
    memcpy(&got, room, rows[i].bytes);
    CHECK(got == rows[i].value, "attribute %d is %llu", (int)rows[i].attribute, (unsigned long long)got);
    CHECK(room[rows[i].bytes] == 0xee, "attribute %d has more than %zu bytes", (int)rows[i].attribute,
          rows[i].bytes);
  }
  OK(hipFree(device));
  unsigned size = 0;
  OK(hipMalloc(&device, (size_t)UINT_MAX + 1));
  SAYS(hipErrorInvalidValue, "ask hipMemPtrGetInfo",
       hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, device));
  OK(hipFree(device));
}

static void memory_is_attached_to_a_single_stream_that_is_not_the_null_stream(void) {
  void *managed;
  hipStream_t stream;
  OK(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
  OK(hipStreamCreate(&stream));
  OK(hipStreamAttachMemAsync(stream, managed, 0, hipMemAttachSingle));
  OK(hipStreamAttachMemAsync(NULL, managed, 0, hipMemAttachGlobal));
  SAYS(hipErrorInvalidValue, "needs a stream", hipStreamAttachMemAsync(NULL, managed, 0, hipMemAttachSingle));
  OK(hipStreamDestroy(stream));
  OK(hipFree(managed));
}

static void every_allocation_has_a_number_of_its_own(void) {
  void *device;
  unsigned number[2];
  for (int i = 0; i < 2; ++i) {
    OK(hipMalloc(&device, 64));
    OK(hipPointerGetAttribute(&number[i], HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
    OK(hipFree(device));
  }
  CHECK(number[0] && number[0] != number[1], "numbers %u and %u", number[0], number[1]);
}

static void one_attribute_of_a_pointer_can_be_set(void) {
  unsigned char *device, room[8] = {0};
  unsigned wish = 0;
  const hipPointer_attribute sync = HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS;
  OK(hipMalloc((void **)&device, 64));
  for (; wish < 2; ++wish) {
    OK(hipPointerSetAttribute(&wish, sync, device + 8));
    OK(hipPointerGetAttribute(room, sync, device));
    CHECK(room[0] == wish, "set to %u, is %d", wish, room[0]);
  }
  SAYS(hipErrorInvalidValue, "the value is 2", hipPointerSetAttribute(&wish, sync, device));
  SAYS(hipErrorInvalidValue, "the value is null", hipPointerSetAttribute(NULL, sync, device));
  SAYS(hipErrorInvalidValue, "the pointer is null", hipPointerSetAttribute(&wish, sync, NULL));
  SAYS(hipErrorInvalidValue, "attribute 2 cannot be set",
       hipPointerSetAttribute(&wish, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
  wish = 1;
  SAYS(hipErrorInvalidDevicePointer, "is in no allocation", hipPointerSetAttribute(&wish, sync, room));
  OK(hipFree(device));
}

static void flags_of_peer_access_are_looked_at_first(void) {
  SAYS(hipErrorInvalidValue, "it must be 0", hipDeviceEnablePeerAccess(0, 1));
  SAYS(hipErrorInvalidValue, "it must be 0", hipDeviceEnablePeerAccess(-1, 1));
  SAYS(hipErrorInvalidDevice, "not a peer", hipDeviceEnablePeerAccess(-1, 0));
}

static void a_short_bus_id_is_filled_as_far_as_it_goes(void) {
  char whole[16], part[16];
  OK(hipDeviceGetPCIBusId(whole, sizeof whole, 0));
  memset(part, 'x', sizeof part);
  SAYS(hipErrorInvalidValue, "len is 6, it must be at least 13", hipDeviceGetPCIBusId(part, 6, 0));
  CHECK(!strncmp(part, whole, 5) && !part[5] && part[6] == 'x', "the part is \"%.16s\"", part);
  SAYS(hipErrorInvalidValue, "len is 0", hipDeviceGetPCIBusId(part, 0, 0));
}

int main(void) {
  driver_texts_refuse_a_code_that_hip_does_not_define();
  no_time_lies_between_events_of_two_devices();
  driver_copies_refuse_rows_that_do_not_fit_the_pitch();
  boxes_refuse_rows_that_do_not_fit_the_pitch();
  pointer_attributes_write_no_byte_beside_their_value();
  memory_is_attached_to_a_single_stream_that_is_not_the_null_stream();
  every_allocation_has_a_number_of_its_own();
  one_attribute_of_a_pointer_can_be_set();
  flags_of_peer_access_are_looked_at_first();
  a_short_bus_id_is_filled_as_far_as_it_goes();
  return test_result();
}
