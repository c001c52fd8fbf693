// SPDX-License-Identifier: MIT
// Tests contexts, of which each device has one: the stack of a thread, current ones, primary ones, wrong
// handles and ordinals.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "hip_capture.h"

enum { DEVICES = 2, STACK = 32 };

static hipCtx_t contexts[DEVICES];

static int current(void) {
  int ordinal = -1;
  OK(hipGetDevice(&ordinal));
  return ordinal;
}

static void each_device_has_one(void) {
  for (int i = 0; i < DEVICES; ++i) {
    hipCtx_t got = NULL;
    int version = 0, active = 0;
    unsigned flags = 9;
    hipDevice_t ordinal = -1;
    OK(hipDevicePrimaryCtxRetain(&contexts[i], i));
    OK(hipCtxSetCurrent(contexts[i]));
    OK(hipCtxGetCurrent(&got));
    CHECK(got == contexts[i] && current() == i, "device %d has another context", i);
    OK(hipCtxGetDevice(&ordinal));
    CHECK(ordinal == i, "the context of device %d is of device %d", i, (int)ordinal);
    OK(hipCtxGetApiVersion(got, &version));
    CHECK(version == HIP_VERSION_MAJOR, "version %d", version);
    OK(hipDevicePrimaryCtxGetState(i, &flags, &active));
    CHECK(flags == 0 && active == 1, "flags %u, active %d", flags, active);
    OK(hipDevicePrimaryCtxGetState(i, NULL, NULL));
    OK(hipDevicePrimaryCtxSetFlags(i, 0));
    OK(hipDevicePrimaryCtxRelease(i));
    OK(hipCtxDestroy(got));
  }
  CHECK(contexts[0] != contexts[1], "two devices have one context");
}

static void a_thread_has_a_stack(void) {
  hipCtx_t top;
  OK(hipSetDevice(0));
  SAYS(hipErrorInvalidContext, "no context has been pushed", hipCtxPopCurrent(&top));
  for (int i = 0; i < STACK; ++i) {
    OK(hipCtxPushCurrent(contexts[(i + 1) % 2]));
    CHECK(current() == (i + 1) % 2, "after %d pushes device %d is current", i + 1, current());
  }
  SAYS(hipErrorInvalidContext, "more than 32 contexts", hipCtxPushCurrent(contexts[1]));
  for (int i = STACK - 1; i >= 0; --i) {
    OK(hipCtxPopCurrent(i % 3 ? &top : NULL));
    if (i % 3) CHECK(top == contexts[(i + 1) % 2], "pop %d gives another context", i);
    CHECK(current() == i % 2, "after pop %d device %d is current", i, current());
  }
  SAYS(hipErrorInvalidContext, "no context has been pushed", hipCtxPopCurrent(NULL));
  OK(hipCtxCreate(&top, 0, 1));
  CHECK(top == contexts[1] && current() == 1, "a created context is not current");
  OK(hipCtxPopCurrent(&top));
  CHECK(current() == 0, "device %d is current again", current());
}

// A reset of another device leaves the current one current.
static void resets_keep_the_current_device(void) {
  void *memory;
  OK(hipSetDevice(1));
  OK(hipMalloc(&memory, 64));
  OK(hipSetDevice(0));
  OK(hipDevicePrimaryCtxReset(1));
  CHECK(current() == 0, "device %d is current after the reset of another", current());
  OK(hipSetDevice(1));
  CHECK(hipFree(memory) != hipSuccess, "memory outlives its device's reset");
  OK(hipSetDevice(0));
}

static void wrong_arguments_are_refused(void) {
  hipCtx_t wrong = (hipCtx_t)(void *)&contexts, got;
  int version;
  SAYS(hipErrorInvalidContext, "hipCtxPushCurrent", hipCtxPushCurrent(wrong));
  SAYS(hipErrorInvalidContext, "hipCtxSetCurrent", hipCtxSetCurrent(wrong));
  SAYS(hipErrorInvalidContext, "hipCtxDestroy", hipCtxDestroy(wrong));
  SAYS(hipErrorInvalidContext, "hipCtxGetApiVersion", hipCtxGetApiVersion(wrong, &version));
  SAYS(hipErrorInvalidContext, "hipCtxEnablePeerAccess", hipCtxEnablePeerAccess(wrong, 0));
  SAYS(hipErrorInvalidContext, "hipCtxDisablePeerAccess", hipCtxDisablePeerAccess(wrong));
  SAYS(hipErrorInvalidValue, "hipCtxGetApiVersion", hipCtxGetApiVersion(contexts[0], NULL));
  SAYS(hipErrorInvalidValue, "hipCtxGetCurrent", hipCtxGetCurrent(NULL));
  SAYS(hipErrorInvalidValue, "hipCtxCreate", hipCtxCreate(NULL, 0, 0));
  SAYS(hipErrorInvalidValue, "hipDevicePrimaryCtxRetain", hipDevicePrimaryCtxRetain(NULL, 0));
  for (int ordinal = -1; ordinal <= DEVICES; ordinal += DEVICES + 1) {
    SAYS(hipErrorInvalidDevice, "there are 2", hipCtxCreate(&got, 0, ordinal));
    SAYS(hipErrorInvalidDevice, "there are 2", hipDevicePrimaryCtxRetain(&got, ordinal));
    SAYS(hipErrorInvalidDevice, "there are 2", hipDevicePrimaryCtxGetState(ordinal, NULL, NULL));
    SAYS(hipErrorInvalidDevice, "there are 2", hipDevicePrimaryCtxSetFlags(ordinal, 0));
    SAYS(hipErrorInvalidDevice, "there are 2", hipDevicePrimaryCtxRelease(ordinal));
    SAYS(hipErrorInvalidDevice, "there are 2", hipDevicePrimaryCtxReset(ordinal));
  }
  OK(hipSetDevice(0));
  OK(hipCtxEnablePeerAccess(contexts[1], 0));
  OK(hipCtxDisablePeerAccess(contexts[1]));
}

int main(void) {
  each_device_has_one();
  a_thread_has_a_stack();
  resets_keep_the_current_device();
  wrong_arguments_are_refused();
  return test_result();
}
