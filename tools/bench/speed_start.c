// SPDX-License-Identifier: MIT
// Measures how long a process takes from its start to the end of its first launch.
#include <errno.h>
#include <hip/hip_runtime_api.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/speed.h"
#include "core/device.h"
#include "core/device_memory.h"
#include "core/report.h"
#include "core/tool.h"

int speed_first_launch(void) {
  tool_device device;
  wt_context *context = NULL;
  speed_call call = {0};
  int code = tool_device_open("sim:mi355x", &device);
  if (code) return code;
  const hipError_t error = hipSetDevice(device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  if (wt_context_create(device.ordinal, &context)) return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  code = speed_norm(&call, context, 64);
  if (!code) code = call.run(&call);
  speed_call_free(&call);
  wt_context_destroy(context);
  return code;
}

int speed_start(double *seconds) {
  static char program[] = "/proc/self/exe", bench[] = "bench", sim[] = "sim", first[] = "--first-launch";
  char *const arguments[] = {program, bench, sim, first, NULL};
  pid_t process;
  int status = 0;
  const double start = tool_seconds();
  const int error = posix_spawn(&process, program, NULL, NULL, arguments, environ);
  if (error) return tool_error(TOOL_FAILED, "cannot start a second process: %s", strerror(error));
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return tool_error(TOOL_FAILED, "cannot wait for a process: %s", strerror(errno));
  *seconds = tool_seconds() - start;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return TOOL_OK;
  return tool_error(TOOL_FAILED, "the second process, started for its time, has failed");
}
