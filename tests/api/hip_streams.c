// SPDX-License-Identifier: MIT
// Streams, events and callbacks keep their order; wrong handles are refused.
#include "hip_capture.h"

static int order[4], calls;

static void callback(hipStream_t stream, hipError_t status, void *user) {
  CHECK(stream != NULL && status == hipSuccess, "callback status %d", (int)status);
  order[calls++ & 3] = *(int *)user;
}

static void host_function(void *user) { order[calls++ & 3] = *(int *)user; }

static void work_runs_in_order(hipStream_t stream) {
  int one = 1, two = 2, value = 0, *d;
  OK(hipMalloc((void **)&d, sizeof *d));
  OK(hipMemsetD32Async((hipDeviceptr_t)d, 41, 1, stream));
  OK(hipStreamAddCallback(stream, callback, &one, 0));
  OK(hipLaunchHostFunc(stream, host_function, &two));
  OK(hipMemcpyAsync(&value, d, sizeof value, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  CHECK(calls == 2 && order[0] == 1 && order[1] == 2, "%d calls in order %d %d", calls, order[0], order[1]);
  CHECK(value == 41, "copied %d", value);
  OK(hipFree(d));
}

static void events_follow_each_other(hipStream_t stream) {
  hipEvent_t start, stop, untimed;
  float ms = -1;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  SAYS(hipErrorInvalidHandle, "never recorded", hipEventElapsedTime(&ms, start, stop));
  OK(hipEventRecord(start, stream));
  usleep(2000);
  OK(hipEventRecord(stop, stream));
  OK(hipEventRecord(untimed, stream));
  OK(hipStreamWaitEvent(stream, stop, 0));
  OK(hipEventSynchronize(stop));
  OK(hipEventQuery(stop));
  OK(hipEventElapsedTime(&ms, start, stop));
  CHECK(ms >= 2, "2 ms have passed, not %g", ms);
  OK(hipEventElapsedTime(&ms, stop, start));
  CHECK(ms <= -2, "backwards: %g", ms);
  SAYS(hipErrorInvalidHandle, "hipEventDisableTiming", hipEventElapsedTime(&ms, start, untimed));
  SAYS(hipErrorInvalidValue, "unknown bits", hipEventCreateWithFlags(&start, 0x1000));
  OK(hipEventDestroy(stop));
  SAYS(hipErrorContextIsDestroyed, "not an event", hipEventSynchronize(stop));
  SAYS(hipErrorContextIsDestroyed, "not an event", hipEventDestroy(stop));
  SAYS(hipErrorInvalidHandle, "not an event", hipEventRecord(NULL, stream));
  OK(hipEventDestroy(start));
  OK(hipEventDestroy(untimed));
}

static void streams_keep_their_settings(void) {
  hipStream_t stream;
  unsigned flags = 9;
  int priority = 9, least, greatest;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, greatest - 5));
  OK(hipStreamGetFlags(stream, &flags));
  OK(hipStreamGetPriority(stream, &priority));
  CHECK(flags == hipStreamNonBlocking && priority == greatest, "flags %u priority %d", flags, priority);
  OK(hipStreamQuery(stream));
  OK(hipStreamDestroy(stream));
  SAYS(hipErrorContextIsDestroyed, "not a stream", hipStreamQuery(stream));
  SAYS(hipErrorContextIsDestroyed, "not a stream", hipStreamDestroy(stream));
  SAYS(hipErrorInvalidHandle, "the null", hipStreamDestroy(NULL));
  SAYS(hipErrorInvalidValue, "flags 0x8", hipStreamCreateWithFlags(&stream, 8));
  OK(hipStreamQuery(NULL));
  OK(hipStreamSynchronize(hipStreamPerThread));
}

static void streams_keep_their_compute_units(void) {
  hipStream_t stream;
  uint32_t given[2] = {0xf0f0, 0x3}, mask[16];
  OK(hipExtStreamCreateWithCUMask(&stream, 2, given));
  OK(hipExtStreamGetCUMask(stream, 16, mask));
  CHECK(mask[0] == 0xf0f0 && mask[1] == 3 && mask[2] == 0, "mask %#x %#x %#x", mask[0], mask[1], mask[2]);
  OK(hipExtStreamGetCUMask(NULL, 16, mask));  // MI355X has 256
  CHECK(mask[7] == ~0u && mask[8] == 0, "mask %#x %#x", mask[7], mask[8]);
  SAYS(hipErrorInvalidValue, "2 words", hipExtStreamGetCUMask(stream, 2, mask));
  SAYS(hipErrorInvalidValue, "null", hipExtStreamCreateWithCUMask(&stream, 2, NULL));
  OK(hipStreamDestroy(stream));
}

static void a_stream_belongs_to_its_device(void) {
  hipStream_t stream;
  hipEvent_t event;
  OK(hipSetDevice(1));
  OK(hipStreamCreate(&stream));
  OK(hipSetDevice(0));
  OK(hipEventCreate(&event));
  SAYS(hipErrorInvalidHandle, "device 0, the stream to device 1", hipEventRecord(event, stream));
  OK(hipStreamDestroy(stream));
  OK(hipEventDestroy(event));
}

static void ask_device(void *told) { OK(hipGetDevice(told)); }

static void host_functions_run_on_the_device_of_their_stream(void) {
  hipStream_t stream[2];
  int told[2] = {-1, -1};
  for (int d = 0; d < 2; ++d) {
    OK(hipSetDevice(d));
    OK(hipStreamCreate(&stream[d]));
  }
  for (int d = 0; d < 2; ++d) {  // device 1 is current
    OK(hipLaunchHostFunc(stream[d], ask_device, &told[d]));
    OK(hipStreamSynchronize(stream[d]));
    CHECK(told[d] == d, "a host function of a stream of device %d is told device %d", d, told[d]);
  }
  for (int d = 0; d < 2; ++d) OK(hipStreamDestroy(stream[d]));
  OK(hipSetDevice(0));
}

int main(void) {
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  work_runs_in_order(stream);
  events_follow_each_other(stream);
  events_follow_each_other(NULL);
  streams_keep_their_settings();
  streams_keep_their_compute_units();
  a_stream_belongs_to_its_device();
  host_functions_run_on_the_device_of_their_stream();
  OK(hipStreamDestroy(stream));
  return test_result();
}
