// SPDX-License-Identifier: MIT
// Chooses the HIP runtime and the device. The simulated runtime is the one that exports wtSimTotals.
#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "folders.h"
#include "sim/settings/environment.h"
#include "tool.h"
#include "wavetile_sim.h"

static const char simulated_mark[] = "(simulated)";
static const char restarted[] = "WT_ROCM_RESTARTED";  // set in the environment of the second start

static void *sim_symbol(void) { return dlsym(RTLD_DEFAULT, "wtSimTotals"); }

// Returns whether calls reach the simulated runtime. When it is linked and ROCm's is preloaded both are in
// the process: what counts is where the calls go.
static bool calls_are_simulated(void) {
  Dl_info hip, sim;
  void *symbol = sim_symbol(), *call = dlsym(RTLD_DEFAULT, "hipGetDeviceCount");
  return symbol && call && dladdr(symbol, &sim) && dladdr(call, &hip) && sim.dli_fbase == hip.dli_fbase;
}

bool tool_device_counters(unsigned long long *instructions, unsigned long long *workgroups) {
  __typeof__(wtSimTotals) *counters;
  if (!calls_are_simulated()) return false;
  void *symbol = sim_symbol();
  memcpy(&counters, &symbol, sizeof counters);  // ISO C has no cast from void * to a function pointer
  return counters(instructions, workgroups) == 0;
}

// "sim:NAME" gives its name in `chip`, "hip:N" its number in `ordinal`.
static int parse_spec(const char *spec, const char **chip, int *ordinal) {
  *chip = NULL;
  *ordinal = -1;
  if (strcasecmp(spec, "sim:mi355x") == 0 || strcasecmp(spec, "sim:mi300x") == 0) {
    *chip = spec + 4;
    return TOOL_OK;
  }
  char *end = NULL;
  errno = 0;
  long number = strncmp(spec, "hip:", 4) == 0 ? strtol(spec + 4, &end, 10) : -1;
  if (number < 0 || number > 1024 || errno || end == spec + 4 || *end)
    return tool_error(TOOL_USAGE, "--device is \"%s\"; pass sim:mi355x, sim:mi300x or hip:N", spec);
  *ordinal = (int)number;
  return TOOL_OK;
}

static int restart_with_rocm(char **argv) {
  char folder[TOOL_PATH], library[TOOL_PATH];
  const int code = tool_rocm_runtime(folder, library, sizeof library);
  if (code) return code;
  if (getenv(restarted))
    return tool_error(TOOL_USAGE, "%s is a simulated runtime, not ROCm's; set WT_ROCM_PATH to ROCm's folder",
                      library);
  // Preloaded too: ROCm's major version, and so the name that is looked for, may differ from the one linked
  // against.
  setenv("LD_LIBRARY_PATH", folder, 1);
  setenv("LD_PRELOAD", library, 1);
  setenv(restarted, "1", 1);
  execv("/proc/self/exe", argv);
  return tool_error(TOOL_FAILED, "cannot start again with %s: %s", library, strerror(errno));
}

// The runtime refuses wrong settings, too, but then has no device, of which the sentence would be.
static int check_settings(void) {
  char message[1024];
  if (!calls_are_simulated() || sim_env_all_valid(message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "%s", message);
}

int tool_device_prepare(const char *spec, char **argv) {
  const char *chip;
  int ordinal;
  int code = parse_spec(spec, &chip, &ordinal);
  if (code) return code;
  return !chip && calls_are_simulated() ? restart_with_rocm(argv) : check_settings();
}

static int device_name(int ordinal, char *out, size_t size) {
  hipDeviceProp_t properties;
  hipError_t error = hipGetDeviceProperties(&properties, ordinal);
  if (error != hipSuccess) return tool_error(TOOL_FAILED, "device %d: %s", ordinal, hipGetErrorString(error));
  snprintf(out, size, "%s", properties.name);
  return TOOL_OK;
}

int tool_device_open(const char *spec, tool_device *out) {
  const char *chip;
  int wanted, count = 0;
  int code = parse_spec(spec, &chip, &wanted);
  if (!code) code = check_settings();
  if (code) return code;
  hipError_t error = hipGetDeviceCount(&count);
  if (error != hipSuccess)
    return tool_error(TOOL_FAILED, "--device %s: the HIP runtime has no device: %s", spec,
                      hipGetErrorString(error));
  if (wanted >= count)
    return tool_error(TOOL_USAGE, "--device is %s, but the HIP runtime has %d device%s", spec, count,
                      count == 1 ? "" : "s");
  for (int i = chip ? 0 : wanted; i < count; ++i) {
    code = device_name(i, out->name, sizeof out->name);
    if (code) return code;
    bool simulated = strstr(out->name, simulated_mark) != NULL;
    out->ordinal = i;
    if (chip && simulated && strcasestr(out->name, chip)) return TOOL_OK;
    if (!chip && simulated)
      return tool_error(TOOL_USAGE, "--device %s is %s; use --device sim:NAME for simulated devices", spec,
                        out->name);
    if (!chip) return TOOL_OK;
  }
  return tool_error(
      TOOL_USAGE,
      "--device %s: no such device in the HIP runtime that is loaded; check LD_LIBRARY_PATH and "
      "WT_SIM_DEVICES",
      spec);
}
