// SPDX-License-Identifier: MIT
// A pool of one process is imported by another and by its own: memory that the first allocates from it is
// seen through both, until either frees its own view of it; what was not made for other processes is refused.
#include <fcntl.h>
#include <sys/wait.h>

#include "hip_capture.h"

enum { SIZE = 3 * 4096 + 100 };
static const hipMemAllocationHandleType FD = hipMemHandleTypePosixFileDescriptor;

// Says what the parent sends.
typedef struct message {
  int file;
  hipMemPoolPtrExportData data;
} message;

static void *as_handle(int file) { return (void *)(intptr_t)file; }

// Returns a number that says what went wrong. The child has not used HIP before it imports the pool.
static int use_in_another_process(int pipe_in) {
  message m;
  hipMemPool_t pool;
  char path[64], *memory, *again, bytes[2];
  hipMemAccessFlags access;
  if (read(pipe_in, &m, sizeof m) != sizeof m) return 1;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", getppid(), m.file);
  const int file = open(path, O_RDONLY);
  if (hipMemPoolImportFromShareableHandle(&pool, as_handle(file), FD, 0)) return 2;
  for (int device = 0; device < 2; ++device)
    if (hipMemPoolGetAccess(&access, pool, &(hipMemLocation){hipMemLocationTypeDevice, device}) ||
        access != hipMemAccessFlagsProtReadWrite)
      return 3;
  if (hipMemPoolImportPointer((void **)&memory, pool, &m.data)) return 4;
  if (hipMemPoolImportPointer((void **)&again, pool, &m.data) || again == memory) return 5;
  if (hipMemcpy(bytes, memory, 2, hipMemcpyDeviceToHost) || bytes[0] != 7 || bytes[1] != 7) return 6;
  if (hipMemset(memory + SIZE - 1, 9, 1) || hipMemset(memory + SIZE, 9, 1) == hipSuccess) return 7;
  if (hipFree(memory) || hipMemset(memory, 0, 1) == hipSuccess) return 8;
  if (hipMemset(again + 1, 8, 1) || hipFreeAsync(again, NULL) || hipDeviceSynchronize()) return 9;
  if (hipMallocFromPoolAsync((void **)&again, 16, pool, NULL) != hipErrorInvalidValue) return 10;
  return hipMemPoolDestroy(pool) ? 11 : 0;
}

static hipMemPool_t make_pool(hipMemAllocationHandleType type) {
  hipMemPool_t pool = NULL;
  const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                      .handleTypes = type,
                                      .location = {hipMemLocationTypeDevice, 0}};
  OK(hipMemPoolCreate(&pool, &properties));
  return pool;
}

static void share_with_another_process(void) {
  int ends[2], status = -1;
  char *memory, *view, bytes[SIZE];
  message m;
  hipMemPool_t own;
  if (pipe(ends)) exit(1);
  const pid_t child = fork();
  if (!child) _exit(use_in_another_process(ends[0]));
  hipMemPool_t pool = make_pool(FD);
  OK(hipMemPoolSetAccess(
      pool, &(hipMemAccessDesc){{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite}, 1));
  OK(hipMallocFromPoolAsync((void **)&memory, SIZE, pool, NULL));
  OK(hipMemset(memory, 7, SIZE));
  OK(hipMemPoolExportToShareableHandle(&m.file, pool, FD, 0));
  OK(hipMemPoolExportPointer(&m.data, memory));
  CHECK(write(ends[1], &m, sizeof m) == sizeof m, "the handles are sent");
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ends with %d", WEXITSTATUS(status));
  OK(hipMemcpy(bytes, memory, SIZE, hipMemcpyDeviceToHost));
  CHECK(bytes[0] == 7 && bytes[1] == 8 && bytes[SIZE - 1] == 9, "bytes %d %d %d", bytes[0], bytes[1],
        bytes[SIZE - 1]);

  OK(hipMemPoolImportFromShareableHandle(&own, as_handle(m.file), FD, 0));
  OK(hipMemPoolImportPointer((void **)&view, own, &m.data));
  CHECK(view != memory, "the same process has a second view");
  OK(hipMemset(view + 2, 5, 1));
  OK(hipMemcpy(bytes, memory + 2, 1, hipMemcpyDeviceToHost));
  CHECK(bytes[0] == 5, "both views see byte %d", bytes[0]);
  hipIpcMemHandle_t handle;
  SAYS(hipErrorInvalidValue, "not in memory of hipMalloc", hipIpcGetMemHandle(&handle, view));
  OK(hipFree(view));
  OK(hipFree(memory));
  SAYS(hipErrorInvalidValue, "was freed", hipMemPoolImportPointer((void **)&view, own, &m.data));
  OK(hipMemPoolDestroy(own));
  OK(hipMemPoolDestroy(pool));
  close(m.file);
}

static void refuse(void) {
  hipMemPool_t pool = make_pool(FD), private = make_pool(hipMemHandleTypeNone), out;
  hipMemPoolPtrExportData data, nothing = {{0}};
  int file;
  char *memory, *hidden, *plain;
  void *view;
  OK(hipMallocFromPoolAsync((void **)&memory, SIZE, pool, NULL));
  OK(hipMallocFromPoolAsync((void **)&hidden, SIZE, private, NULL));
  OK(hipMalloc((void **)&plain, SIZE));
  SAYS(hipErrorInvalidValue, "result pointer", hipMemPoolExportToShareableHandle(NULL, pool, FD, 0));
  SAYS(hipErrorInvalidValue, "flags", hipMemPoolExportToShareableHandle(&file, pool, FD, 1));
  SAYS(hipErrorInvalidValue, "not a pool", hipMemPoolExportToShareableHandle(&file, NULL, FD, 0));
  SAYS(hipErrorInvalidValue, "of this type",
       hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypeNone, 0));
  SAYS(hipErrorInvalidValue, "of this type", hipMemPoolExportToShareableHandle(&file, private, FD, 0));
  OK(hipMemPoolExportToShareableHandle(&file, pool, FD, 0));
  SAYS(hipErrorInvalidValue, "result pointer",
       hipMemPoolImportFromShareableHandle(NULL, as_handle(file), FD, 0));
  SAYS(hipErrorInvalidValue, "missing", hipMemPoolImportFromShareableHandle(&out, NULL, FD, 0));
  SAYS(hipErrorInvalidValue, "flags", hipMemPoolImportFromShareableHandle(&out, as_handle(file), FD, 1));
  SAYS(hipErrorInvalidValue, "no file descriptor",
       hipMemPoolImportFromShareableHandle(&out, as_handle(file), hipMemHandleTypeNone, 0));
  SAYS(hipErrorInvalidValue, "no exported pool",
       hipMemPoolImportFromShareableHandle(&out, as_handle(STDERR_FILENO), FD, 0));
  OK(hipMemPoolImportFromShareableHandle(&out, as_handle(file), FD, 0));
  SAYS(hipErrorInvalidValue, "result pointer", hipMemPoolExportPointer(NULL, memory));
  SAYS(hipErrorInvalidValue, "pointer is null", hipMemPoolExportPointer(&data, NULL));
  SAYS(hipErrorInvalidValue, "none that was allocated", hipMemPoolExportPointer(&data, memory + 1));
  SAYS(hipErrorInvalidValue, "none that was allocated", hipMemPoolExportPointer(&data, hidden));
  SAYS(hipErrorInvalidValue, "none that was allocated", hipMemPoolExportPointer(&data, plain));
  OK(hipMemPoolExportPointer(&data, memory));
  SAYS(hipErrorInvalidValue, "result pointer", hipMemPoolImportPointer(NULL, out, &data));
  SAYS(hipErrorInvalidValue, "data is null", hipMemPoolImportPointer(&view, out, NULL));
  SAYS(hipErrorInvalidValue, "not a pool", hipMemPoolImportPointer(&view, NULL, &data));
  SAYS(hipErrorInvalidValue, "not imported", hipMemPoolImportPointer(&view, pool, &data));
  SAYS(hipErrorInvalidValue, "none of hipMemPoolExportPointer",
       hipMemPoolImportPointer(&view, out, &nothing));
  OK(hipFree(memory));
  OK(hipFree(hidden));
  OK(hipFree(plain));
  close(file);
}

int main(void) {
  share_with_another_process();
  refuse();
  return test_result();
}
