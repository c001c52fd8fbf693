// SPDX-License-Identifier: MIT
// Memory of one process is used by another: both see what either writes, before and after the handle was
// made; handles of freed memory, of this process and of nothing are refused.
#include <sys/wait.h>

#include "hip_capture.h"

enum { SIZE = 3 * 4096 + 100, MIDDLE = 5000 };

// The child has not used HIP before it opens the handle. Returns its exit status.
static int use_in_another_process(int pipe_in) {
  hipIpcMemHandle_t handle;
  char *whole = NULL, *inside = NULL;
  if (read(pipe_in, &handle, sizeof handle) != sizeof handle) return 1;
  if (hipIpcOpenMemHandle((void **)&whole, handle, 0) || hipIpcOpenMemHandle((void **)&inside, handle, 1))
    return 2;
  if (whole != inside) return 3;
  char bytes[2] = {0};
  if (hipMemcpy(bytes, whole, 2, hipMemcpyDeviceToHost) || bytes[0] != 7 || bytes[1] != 7) return 4;
  if (hipMemset(whole + 1, 9, 1)) return 5;
  if (hipMemset(whole, 0, SIZE) == hipSuccess) return 6;  // the pointer was in the middle
  if (hipFree(whole) == hipSuccess) return 7;
  if (hipIpcCloseMemHandle(inside) || hipIpcCloseMemHandle(whole)) return 8;
  return hipIpcCloseMemHandle(whole) == hipErrorInvalidValue ? 0 : 9;
}

int main(void) {
  int ends[2], status = -1;
  char *memory, bytes[3] = {0};
  void *out;
  hipIpcMemHandle_t handle, other, nothing;
  if (pipe(ends)) return 1;
  const pid_t child = fork();
  if (!child) _exit(use_in_another_process(ends[0]));
  OK(hipMalloc((void **)&memory, SIZE));
  OK(hipMemset(memory, 7, SIZE));
  OK(hipIpcGetMemHandle(&handle, memory + MIDDLE));
  OK(hipMemset(memory + MIDDLE + 2, 8, 1));
  CHECK(write(ends[1], &handle, sizeof handle) == sizeof handle, "the handle is sent");
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ends with %d", WEXITSTATUS(status));
  OK(hipMemcpy(bytes, memory + MIDDLE, 3, hipMemcpyDeviceToHost));
  CHECK(bytes[0] == 7 && bytes[1] == 9 && bytes[2] == 8, "bytes %d %d %d", bytes[0], bytes[1], bytes[2]);
  SAYS(hipErrorInvalidContext, "belongs to this process", hipIpcOpenMemHandle(&out, handle, 0));
  SAYS(hipErrorInvalidValue, "none of hipIpcOpenMemHandle", hipIpcCloseMemHandle(memory));
  memset(&nothing, 0, sizeof nothing);
  SAYS(hipErrorInvalidValue, "none of hipIpcGetMemHandle", hipIpcOpenMemHandle(&out, nothing, 0));
  SAYS(hipErrorInvalidValue, "flags", hipIpcOpenMemHandle(&out, handle, 2));
  OK(hipFree(memory));
  SAYS(hipErrorInvalidValue, "not in memory of hipMalloc", hipIpcGetMemHandle(&other, memory));
  const pid_t late = fork();
  if (!late) _exit(hipIpcOpenMemHandle(&out, handle, 0) == hipErrorInvalidValue ? 0 : 1);
  waitpid(late, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "freed memory cannot be opened");
  OK(hipMalloc((void **)&memory, SIZE));
  OK(hipIpcGetMemHandle(&other, memory));
  CHECK(memcmp(&handle, &other, sizeof handle) != 0, "memory at the same place has another handle");
  OK(hipFree(memory));
  return test_result();
}
