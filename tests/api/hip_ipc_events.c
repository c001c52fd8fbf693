// SPDX-License-Identifier: MIT
// Tests an event that two processes share: each asks for it, waits for it and makes a stream wait for what
// the other records. Streams are held back by words that wait to be written, so that nothing depends on time.
#include <sys/wait.h>

#include "hip_capture.h"

// Describes a stream whose work waits until `word` is written.
typedef struct held {
  hipStream_t stream;
  uint32_t *word;
} held;

static bool hold(held *h) {
  return !hipStreamCreate(&h->stream) && !hipHostMalloc((void **)&h->word, sizeof *h->word, 0) &&
         !hipStreamWaitValue32(h->stream, h->word, 1, hipStreamWaitValueEq, 0xffffffff);
}

static bool hold_again(held *h) {
  *h->word = 0;
  return !hipStreamWaitValue32(h->stream, h->word, 1, hipStreamWaitValueEq, 0xffffffff);
}

static void release(const held *h) { __atomic_store_n(h->word, 1, __ATOMIC_RELEASE); }

// The two processes take turns: each tells the other when it may go on.
static void tell(int end) { CHECK(write(end, "x", 1) == 1, "the other process is told"); }
static void await(int end) {
  char byte;
  CHECK(read(end, &byte, 1) == 1, "the other process tells");
}

// Returns a number that says what went wrong. The child has not used HIP before it opens the handle.
static int other_process(int in, int out) {
  hipIpcEventHandle_t handle;
  hipEvent_t event;
  held own;
  uint32_t value = 0, *memory;
  if (read(in, &handle, sizeof handle) != sizeof handle) return 1;
  if (hipIpcOpenEventHandle(&event, handle)) return 2;
  if (hipEventQuery(event) != hipErrorNotReady) return 3;  // the parent's stream is held back
  if (hipIpcGetEventHandle(&handle, event) != hipErrorInvalidConfiguration) return 4;
  tell(out);
  if (hipEventSynchronize(event) || hipEventQuery(event)) return 5;
  tell(out);

  await(in);  // recorded again, and held back again
  if (hipStreamCreate(&own.stream) || hipMalloc((void **)&memory, sizeof value)) return 6;
  if (hipStreamWaitEvent(own.stream, event, 0) || hipMemsetD32Async(memory, 7, 1, own.stream)) return 7;
  if (hipStreamQuery(own.stream) != hipErrorNotReady) return 8;
  tell(out);
  if (hipStreamSynchronize(own.stream) || hipMemcpy(&value, memory, sizeof value, hipMemcpyDeviceToHost))
    return 9;
  if (value != 7) return 10;

  if (!hold(&own) || hipEventRecord(event, own.stream)) return 11;  // now the child records
  if (hipEventQuery(event) != hipErrorNotReady) return 12;
  tell(out);
  await(in);
  release(&own);
  if (hipEventSynchronize(event) || hipEventQuery(event) || hipEventDestroy(event)) return 13;
  return 0;
}

static void share_with_another_process(void) {
  int down[2], up[2], status = -1;
  hipEvent_t event;
  hipIpcEventHandle_t handle;
  held own;
  CHECK(!pipe(down) && !pipe(up), "there are pipes");
  const pid_t child = fork();
  if (!child) {
    close(down[1]);
    _exit(other_process(down[0], up[1]));
  }
  close(up[1]);  // so that the end of the child ends the wait for it
  OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  OK(hipEventQuery(event));
  OK(hipIpcGetEventHandle(&handle, event));
  CHECK(hold(&own), "a stream is held back");
  OK(hipEventRecord(event, own.stream));
  CHECK(write(down[1], &handle, sizeof handle) == sizeof handle, "the handle is sent");
  await(up[0]);
  release(&own);
  OK(hipStreamSynchronize(own.stream));
  await(up[0]);

  CHECK(hold_again(&own), "the stream is held back again");
  OK(hipEventRecord(event, own.stream));
  tell(down[1]);
  await(up[0]);
  release(&own);

  await(up[0]);  // the child has recorded, and its stream is held back
  CHECK(hipEventQuery(event) == hipErrorNotReady, "the record of the other process counts");
  hipStream_t follower;
  OK(hipStreamCreate(&follower));
  OK(hipStreamWaitEvent(follower, event, 0));
  CHECK(hipStreamQuery(follower) == hipErrorNotReady, "a stream waits for the other process");
  OK(hipEventDestroy(event));  // what waits for it goes on waiting
  tell(down[1]);
  OK(hipStreamSynchronize(follower));
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ends with %d", WEXITSTATUS(status));
}

static void refuse(void) {
  hipEvent_t event, out;
  hipIpcEventHandle_t handle, nothing = {{0}};
  int status = -1;
  OK(hipEventCreate(&event));
  SAYS(hipErrorInvalidConfiguration, "hipEventInterprocess", hipIpcGetEventHandle(&handle, event));
  SAYS(hipErrorInvalidValue, "the event is null", hipIpcGetEventHandle(&handle, NULL));
  SAYS(hipErrorInvalidValue, "the result pointer is null", hipIpcGetEventHandle(NULL, event));
  OK(hipEventDestroy(event));
  SAYS(hipErrorInvalidHandle, "not an event", hipIpcGetEventHandle(&handle, event));
  SAYS(hipErrorInvalidValue, "none of hipIpcGetEventHandle", hipIpcOpenEventHandle(&out, nothing));
  OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  OK(hipIpcGetEventHandle(&handle, event));
  SAYS(hipErrorInvalidContext, "belongs to this process", hipIpcOpenEventHandle(&out, handle));
  SAYS(hipErrorInvalidValue, "the result pointer is null", hipIpcOpenEventHandle(NULL, handle));
  OK(hipEventDestroy(event));
  const pid_t late = fork();
  if (!late) _exit(hipIpcOpenEventHandle(&out, handle) == hipErrorInvalidValue ? 0 : 1);
  waitpid(late, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "an event that was destroyed cannot be opened");
}

int main(void) {
  share_with_another_process();
  refuse();
  return test_result();
}
