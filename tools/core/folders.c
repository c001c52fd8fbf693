// SPDX-License-Identifier: MIT
// Finds folders from the loaded runtime, from the command's own file and from the environment.
#include "folders.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

bool tool_runtime_folder(char *out, size_t size) {
  Dl_info info;
  void *symbol = dlsym(RTLD_DEFAULT, "wtSimTotals");
  char path[PATH_MAX];
  if (!symbol || !dladdr(symbol, &info) || !realpath(info.dli_fname, path)) return false;
  return (size_t)snprintf(out, size, "%s", dirname(path)) < size;
}

bool tool_header_folders(char *device, char *api, size_t size) {
  static const char *const folders[] = {"include/wavetile/device", "include"};
  char self[PATH_MAX], header[PATH_MAX + 64];
  if (!realpath("/proc/self/exe", self)) return false;
  char *prefix = dirname(dirname(self));
  if (strcmp(prefix, "/") == 0) prefix = "";
  if ((size_t)snprintf(api, size, "%s/include", prefix) >= size) return false;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    if ((size_t)snprintf(device, size, "%s/%s", prefix, folders[i]) >= size) return false;
    snprintf(header, sizeof header, "%s/%s/wavetile_device.h", prefix, folders[i]);
    if (access(header, R_OK) == 0) return true;
  }
  return false;
}

const char *tool_rocm_folder(const char **variable) {
  static const char *const variables[] = {"WT_ROCM_PATH", "ROCM_PATH"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char *folder = getenv(variables[i]);
    if (!folder || !*folder) continue;
    if (variable) *variable = variables[i];
    return folder;
  }
  return NULL;
}

int tool_rocm_runtime(char *folder, char *library, size_t size) {
  const char *root = tool_rocm_folder(NULL);
  snprintf(folder, size, "%s/lib", root ? root : "/opt/rocm");
  snprintf(library, size, "%s/lib/libamdhip64.so", root ? root : "/opt/rocm");
  if (access(library, R_OK) == 0) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--device hip:N needs ROCm, but %s cannot be read: %s; set WT_ROCM_PATH to ROCm's folder, "
      "or use --device sim:mi355x",
      library, strerror(errno));
}
