// SPDX-License-Identifier: MIT
// Makes settings of the simulated device, or a choice of ROCm's runtime, from the options.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/folders.h"
#include "core/program.h"
#include "core/tool.h"
#include "core/whole_file.h"
#include "run.h"
#include "sim/settings/environment.h"

// Sets a variable to what an option says. What it may be is the simulated device's affair, whose sentence
// begins with the variable's name.
static int set(const char *option, sim_env variable, const char *text) {
  char message[1024];
  if (!sim_env_accepts(variable, text, message, sizeof message))
    return tool_error(TOOL_USAGE, "--%s%s", option, message + strlen(sim_env_name(variable)));
  setenv(sim_env_name(variable), text, 1);
  return TOOL_OK;
}

// "sim:mi300x,sim:mi355x", with or without each "sim:", in any case.
static int set_devices(const char *text) {
  char chips[256] = "";
  size_t used = 0;
  for (const char *at = text; used < sizeof chips - 1;) {
    const bool named = strncasecmp(at, "sim:", 4) == 0;
    if (named) at += 4;
    for (; *at && *at != ',' && used < sizeof chips - 1; ++at)
      chips[used++] = (char)tolower((unsigned char)*at);
    if (!*at) break;
    chips[used++] = *at++;
  }
  chips[used] = 0;
  return set("device", SIM_ENV_DEVICES, chips);
}

static int check_real(const run_options *o) {
  const struct {
    const char *name;
    bool given;
  } simulated[] = {{"schedule", o->schedule}, {"check", o->check},     {"timing", o->timing},
                   {"report", o->report},     {"threads", o->threads}, {"progress", o->progress}};
  for (size_t i = 0; i < sizeof simulated / sizeof *simulated; ++i)
    if (simulated[i].given)
      return tool_error(TOOL_USAGE,
                        "--%s is for simulated devices, but --device is %s; leave one of them out",
                        simulated[i].name, o->device);
  return TOOL_OK;
}

// The program finds ROCm's runtime whatever it was linked with, and the GPU as its only one.
static int use_rocm(const run_options *o) {
  char folder[TOOL_PATH], library[TOOL_PATH], number[16];
  int code = check_real(o);
  if (!code) code = tool_rocm_runtime(folder, library, sizeof library);
  if (code) return code;
  void *runtime = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!runtime)
    return tool_error(TOOL_FAILED, "%s cannot be loaded: %s; mend the ROCm there", library, dlerror());
  if (dlsym(runtime, "wtSimTotals"))
    return tool_error(TOOL_USAGE, "%s is a simulated runtime, not ROCm's; set WT_ROCM_PATH to ROCm's folder",
                      library);
  dlclose(runtime);
  snprintf(number, sizeof number, "%d", o->ordinal);
  tool_program_use_runtime(folder);
  setenv("LD_PRELOAD", library, 1);  // the program may look for another major version
  setenv("HIP_VISIBLE_DEVICES", number, 1);
  return TOOL_OK;
}

static int set_simulated(const run_options *o) {
  char number[32], message[WHOLE_FILE_PATH + 256];
  int code = o->device ? set_devices(o->device) : TOOL_OK;
  if (!code && o->schedule) code = set("schedule", SIM_ENV_SCHEDULE, o->schedule);
  if (!code && (o->check || o->report))
    code = set("check", SIM_ENV_CHECK, o->check && *o->check ? o->check : "1");
  if (!code && o->timing) code = set("timing", SIM_ENV_TIMING, *o->timing ? o->timing : "1");
  if (!code && o->threads) {
    snprintf(number, sizeof number, "%lld", o->threads);
    code = set("threads", SIM_ENV_THREADS, number);
  }
  if (!code && o->report && !whole_file_allowed(o->report, message, sizeof message))
    code = tool_error(TOOL_USAGE, "--report: %s", message);
  if (!code && o->report) code = set("report", SIM_ENV_REPORT, o->report);
  if (!code && o->progress) code = set("progress", SIM_ENV_PROGRESS, "1");
  if (!code && o->quiet) code = set("quiet", SIM_ENV_QUIET, "1");
  return code;
}

int run_prepare(run_options *o, const char *tally_path) {
  char folder[TOOL_PATH], message[1024];
  if (o->ordinal >= 0) return use_rocm(o);
  const int code = set_simulated(o);
  if (code) return code;
  if (tally_path) setenv(sim_env_name(SIM_ENV_TALLY), tally_path, 1);
  if (!sim_env_all_valid(message, sizeof message)) return tool_error(TOOL_USAGE, "%s", message);
  if (!tool_runtime_folder(folder, sizeof folder))
    return tool_error(TOOL_FAILED,
                      "run needs the simulated runtime, but this command runs with another; leave "
                      "LD_LIBRARY_PATH and LD_PRELOAD unset, or choose a GPU with --device hip:N");
  tool_program_use_runtime(folder);
  return TOOL_OK;
}
