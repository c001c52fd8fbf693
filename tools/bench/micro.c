// SPDX-License-Identifier: MIT
// Runs the kernels of micro.hip on the simulated device with the timing model on.
#include "bench/micro.h"

#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "core/device.h"
#include "core/device_memory.h"
#include "core/tool.h"
#include "micro_kernels.h"
#include "sim/machine/machine.h"

// LDS_BYTES: what both chips have, for any stride. CROWD_LDS_BYTES: of 63 * 128 dwords and one element, of 16
// bytes at most, as the source of these rows.
enum { LDS_BYTES = 65536, CROWD_LDS_BYTES = 63 * 128 * 4 + 16, MOST_GROUPS = 65536 };

static int run(const predict_call *call, hipModule_t module, const char *suffix, unsigned groups,
               unsigned threads, unsigned lds, wt_sim_timing_total *total) {
  char name[96];
  hipFunction_t function;
  unsigned stride = (unsigned)predict_option(&call->shape, "stride", 0);
  void *arguments[] = {&stride};
  snprintf(name, sizeof name, "%s%s", call->kernel, suffix);
  if (hipModuleGetFunction(&function, module, name) != hipSuccess)
    return tool_error(TOOL_USAGE, "there is no sequence %s for %s", call->kernel, call->chip);
  int code = predict_begin(WT_SIM_TIMING_ALL);
  if (code) return code;
  hipError_t error = hipModuleLaunchKernel(function, groups, 1, 1, threads, 1, 1, lds, NULL, arguments, NULL);
  if (error == hipSuccess) error = hipDeviceSynchronize();
  code = predict_end(total);
  return error == hipSuccess ? code : tool_hip_failed(call->kernel, error);
}

int micro_predict(const predict_call *call, double *span) {
  char spec[64];
  tool_device device;
  hipModule_t module;
  wt_sim_timing_total less = {0}, more = {0};
  const sim_machine *machine = sim_machine_find(call->chip);
  if (!machine) return tool_error(TOOL_USAGE, "\"%s\" is no simulated chip", call->chip);
  const size_t length = strlen(call->kernel);
  const bool crowd = length > 6 && strcmp(call->kernel + length - 6, "_crowd") == 0;
  const unsigned number = (unsigned)call->shape.size[0];
  if (call->shape.sizes != 1 || call->shape.size[0] > (crowd ? MOST_GROUPS : 16))
    return tool_error(TOOL_USAGE,
                      crowd ? "%s: the shape is the number of work-groups, at most 65536"
                            : "%s: the shape is the number of waves, at most 16",
                      call->kernel);
  snprintf(spec, sizeof spec, "sim:%s", call->chip);
  int code = tool_device_open(spec, &device);
  if (code) return code;
  hipError_t error = hipSetDevice(device.ordinal);
  if (error == hipSuccess)
    error = hipModuleLoadData(&module, micro_kernels_find("micro", machine->target)->image);
  if (error != hipSuccess) return tool_hip_failed("loading the sequences", error);
  if (crowd) {
    code = run(call, module, "", number, 64, CROWD_LDS_BYTES, &more);
    *span = more.longest.clock_cycles / (double)more.longest.clock_waves;
  } else {
    code = run(call, module, "_less", 1, 64 * number, LDS_BYTES, &less);
    if (!code) code = run(call, module, "_more", 1, 64 * number, LDS_BYTES, &more);
    *span = more.cycles - less.cycles;
  }
  (void)hipModuleUnload(module);
  return code;
}
