// SPDX-License-Identifier: MIT
// Opens the device, makes a call with the timing model on, and takes what the model says.
#include "predict.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/api_failed.h"
#include "core/device.h"
#include "core/device_memory.h"
#include "core/tool.h"
#include "sim/machine/machine.h"
#include "sim/timing/timing.h"

// These say what is particular about a family: its types are MX formats, which no element_type is; its later
// launches read what work-groups of all dies have written in earlier ones.
enum { OWN_TYPES = 1, ALL_DIES = 2 };

static const struct {
  const char *prefix;
  int (*run)(predict_run *run);
  unsigned traits;
} families[] = {{"gemm_block", predict_gemm_block, 0},
                {"gemm_mx", predict_gemm_mx, OWN_TYPES},
                {"gemm_", predict_gemm, 0},
                {"grouped", predict_grouped, OWN_TYPES},
                {"experts_products", predict_experts_products, OWN_TYPES},
                {"experts_layer", predict_experts_layer, OWN_TYPES | ALL_DIES},
                {"attention_forward", predict_attention_forward, 0},
                {"attention_backward", predict_attention_backward, 0},
                {"norm_", predict_norm, 0},
                {"softmax", predict_softmax, 0},
                {"cross_entropy", predict_cross_entropy, 0},
                {"activation", predict_activation, 0},
                {"quantize", predict_quantize, 0},
                {"rotary", predict_rotary, 0}};
enum { FAMILIES = sizeof families / sizeof *families };

static int family_of(const char *kernel) {
  for (int i = 0; i < FAMILIES; ++i)
    if (strncmp(kernel, families[i].prefix, strlen(families[i].prefix)) == 0) return i;
  return -1;
}

bool predict_knows(const char *kernel) { return family_of(kernel) >= 0; }

bool predict_needs_all_dies(const char *kernel) {
  const int family = family_of(kernel);
  return family >= 0 && (families[family].traits & ALL_DIES);
}

// ---- the model

int predict_function(const char *name, void *function) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol)
    return tool_error(TOOL_FAILED, "predictions need the simulated runtime, and another is loaded");
  memcpy(function, &symbol, sizeof symbol);  // ISO C has no cast from void * to a function pointer
  return TOOL_OK;
}

int predict_begin(wt_sim_timing_mode mode) {
  __typeof__(wtSimTiming) *timing = NULL;
  const int code = predict_function("wtSimTiming", &timing);
  if (!code) timing((int)mode, NULL, 0);
  return code;
}

int predict_end(wt_sim_timing_total *total) {
  __typeof__(wtSimTimingTotal) *take = NULL;
  const int code = predict_function("wtSimTimingTotal", &take);
  if (!code) take(total, sizeof *total);
  return code ? code : predict_begin(WT_SIM_TIMING_OFF);
}

// ---- for the families

void *predict_copied(predict_run *run, const void *data, double bytes) {
  void *memory = NULL;
  if (run->code || run->count == sizeof run->memory / sizeof *run->memory) return NULL;
  run->code = tool_upload(&memory, data, (size_t)bytes, "allocating an operand");
  if (memory) run->memory[run->count++] = memory;
  return memory;
}

void *predict_memory(predict_run *run, double bytes) { return predict_copied(run, NULL, bytes); }

void *predict_filled(predict_run *run, double bytes, int byte) {
  void *memory = predict_memory(run, bytes);
  const hipError_t error = memory ? hipMemset(memory, byte, (size_t)bytes) : hipSuccess;
  if (error) run->code = tool_hip_failed("filling an operand", error);
  return memory;
}

void *predict_shifted(predict_run *run, double elements, double element, long long shift) {
  char *memory = predict_memory(run, (elements + (double)shift) * element);
  return memory ? memory + (size_t)((double)shift * element) : NULL;
}

int predict_status(const predict_run *run, wt_status status) {
  if (run->code || !status) return run->code;
  char sentence[2048];
  tool_api_sentence(wt_last_error(run->context), sentence, sizeof sentence);
  return tool_error(tool_api_code(status), "%s %s: %s", run->call->kernel, run->call->type, sentence);
}

int predict_refuse_sizes(const predict_run *run, const char *sizes) {
  return tool_error(TOOL_USAGE, "%s has %d sizes; pass %s", run->call->kernel, run->call->shape.sizes, sizes);
}

// ---- the call

static int make_call(predict_run *run, int family, int ordinal) {
  hipError_t error = hipSetDevice(ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  if (wt_context_create(ordinal, &run->context)) return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  if (run->type) run->device_type = element_type_on(run->type, wt_context_target(run->context));
  int code = families[family].run(run);
  if (code) return code;
  error = hipDeviceSynchronize();
  return error == hipSuccess ? TOOL_OK : tool_hip_failed(run->call->kernel, error);
}

static int set_repeats(bool repeats) {
  __typeof__(wtSimTimingRepeats) *set = NULL;
  const int code = predict_function("wtSimTimingRepeats", &set);
  if (!code) set(repeats);
  return code;
}

int predict(const predict_call *call, wt_sim_timing_mode mode, predict_result *result) {
  predict_run run = {.call = call, .result = result, .type = element_type_find(call->type, false)};
  if (!run.type) run.type = element_type_find(call->type, true);
  const int family = family_of(call->kernel);
  const sim_machine *machine = sim_machine_find(call->chip);
  char spec[64];
  tool_device device;
  *result = (predict_result){.flops = 0};
  if (family < 0) return tool_error(TOOL_USAGE, "%s is no kernel that can be predicted", call->kernel);
  if (!run.type && !(families[family].traits & OWN_TYPES))
    return tool_error(TOOL_USAGE, "\"%s\" is no element type", call->type);
  if (!machine) return tool_error(TOOL_USAGE, "\"%s\" is no simulated chip", call->chip);
  result->hbm_rate = machine->timing->hbm_rate * machine->xcds;
  snprintf(spec, sizeof spec, "sim:%s", call->chip);
  int code = tool_device_open(spec, &device);
  if (!code) code = set_repeats(predict_option(&call->shape, "repeats", 0) > 0);
  if (!code) code = predict_begin(mode);
  if (code) return code;
  code = make_call(&run, family, device.ordinal);
  (void)set_repeats(false);
  const int ended = predict_end(&result->total);
  if (!code) code = ended;
  for (int i = 0; i < run.count; ++i) (void)hipFree(run.memory[i]);
  wt_context_destroy(run.context);
  if (!code && !result->total.longest.valid)
    code = tool_error(TOOL_FAILED, "no prediction for %s: host memory ran out", call->kernel);
  return code;
}

// ---- what is read from it

double predict_loop(const predict_result *result) { return 100 * result->total.longest.loop_efficiency; }

double predict_overall(const predict_result *result) { return 100 * result->total.longest.matrix_share; }

double predict_hbm(const predict_result *result) {
  const wt_sim_timing_result *r = &result->total.longest;
  const double bytes = (double)(r->hbm_read_bytes + r->hbm_written_bytes) / r->hbm_share;
  return 100 * bytes / (result->hbm_rate * (r->cycles + r->write_back));
}

void predict_limits(const predict_result *result, char *text, size_t size) {
  const wt_sim_timing_result *r = &result->total.longest;
  int first = 0, second = 1;
  for (int i = 1; i < WT_SIM_STALLS; ++i)
    if (r->stall[i] > r->stall[first])
      second = first, first = i;
    else if (i != first && (second == first || r->stall[i] > r->stall[second]))
      second = i;
  snprintf(text, size, "%s %.0f%%, %s %.0f%%", sim_stall_names[first], 100 * r->stall[first] / r->wave_cycles,
           sim_stall_names[second], 100 * r->stall[second] / r->wave_cycles);
}
