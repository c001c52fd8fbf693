// SPDX-License-Identifier: MIT
// Makes the launch of a case with the timing model on. Only the work-groups that the model needs are
// executed.
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_jobs.h"
#include "bench/binaries.h"
#include "core/device.h"
#include "core/device_memory.h"
#include "core/philox.h"
#include "core/read_file.h"
#include "sim/object/object.h"

enum { PIECE = 1 << 20, SEED = 1 };  // bytes that are filled at a time, a multiple of every type

static void fill_piece(const binary_buffer *b, uint64_t from, unsigned char *out, size_t bytes) {
  if (b->fill == BINARY_FILL_RANDOM)
    for (size_t i = 0; i < bytes; i += 4) {
      const uint32_t word = philox_word(SEED, from / 4 >> 32, (uint32_t)((from + i) / 4));
      memcpy(out + i, &word, bytes - i < 4 ? bytes - i : 4);
    }
  else
    for (size_t i = 0; i < bytes; i += b->type->bytes) {
      const uint64_t count = (from + i) / b->type->bytes;
      if (b->fill == BINARY_FILL_COUNT)
        memcpy(out + i, &count, b->type->bytes);
      else
        memcpy(out + i, b->value, b->type->bytes);
    }
}

static int make_buffer(const binary_case *c, const binary_buffer *b, unsigned char *arguments,
                       void **memory) {
  *memory = NULL;
  if (!b->bytes) return TOOL_OK;
  int code = tool_upload(memory, NULL, b->bytes, c->name);
  unsigned char *piece = b->fill == BINARY_FILL_ZEROS ? NULL : malloc(PIECE);
  for (uint64_t at = 0; piece && at < b->bytes && !code; at += PIECE) {
    const size_t bytes = b->bytes - at < PIECE ? b->bytes - at : PIECE;
    fill_piece(b, at, piece, bytes);
    const hipError_t error = hipMemcpy((char *)*memory + at, piece, bytes, hipMemcpyHostToDevice);
    if (error != hipSuccess) code = tool_hip_failed(c->name, error);
  }
  if (!piece && b->fill != BINARY_FILL_ZEROS)
    code = tool_error(TOOL_FAILED, "out of host memory for %s", c->name);
  free(piece);
  memcpy(arguments + b->place, memory, sizeof *memory);
  return code;
}

static int launch(const binary_case *c, hipFunction_t function, unsigned char *arguments,
                  wt_sim_timing_total *total) {
  size_t size = c->size;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  int code = predict_begin(WT_SIM_TIMING_ONLY);
  if (code) return code;
  hipError_t error = hipModuleLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                                           c->block[1], c->block[2], c->lds, NULL, NULL, extra);
  if (error == hipSuccess) error = hipDeviceSynchronize();
  code = predict_end(total);
  return error == hipSuccess ? code : tool_hip_failed(c->name, error);
}

// Returns whether so many bytes are all of a kernel's explicit arguments. Padding at the end of a struct that
// is the last of them may be missing.
static bool is_enough(const sim_kernel *kernel, uint32_t given) {
  const size_t needed = sim_kernel_explicit_bytes(kernel);
  if (given >= needed) return true;
  const sim_arg *last = &kernel->args[kernel->explicit_arg_count - 1];
  return given > last->offset && needed - given < kernel->kernarg_align;
}

// Runtimes take launches with fewer bytes than the kernel's arguments have, and what the others hold then is
// up to chance. A case says what they hold.
static int check_arguments(const binary_case *c) {
  size_t size, needed = 0;
  char message[256];
  sim_object *object = NULL;
  unsigned char *data = read_file(c->path, &size);
  if (data &&
      sim_object_load(data, size, c->machine->target, &object, message, sizeof message) == SIM_OBJECT_OK) {
    const sim_kernel *kernel = sim_object_kernel(object, c->kernel);
    if (kernel && !is_enough(kernel, c->size)) needed = sim_kernel_explicit_bytes(kernel);
    sim_object_free(object);
  }
  free(data);
  if (!needed) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "%s: the arguments have %u bytes, and those of kernel %s have %zu; add what is missing, or "
      "{\"at\": %zu, \"u8\": 0} if the kernel reads none of it",
      c->name, c->size, c->kernel, needed, needed - 1);
}

static int load(const binary_case *c, hipFunction_t *function) {
  hipModule_t module;
  if (hipModuleLoad(&module, c->path) != hipSuccess)
    return tool_error(TOOL_USAGE, "%s: %s is no code object for %s", c->name, c->code_object,
                      c->machine->target);
  if (hipModuleGetFunction(function, module, c->kernel) != hipSuccess)
    return tool_error(TOOL_USAGE, "%s: %s has no kernel \"%s\"", c->name, c->code_object, c->kernel);
  return check_arguments(c);
}

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : NAN; }

static void take_numbers(binary_case *c, const wt_sim_timing_result *r) {
  const double number[BINARY_NUMBERS] = {
      [BINARY_US] = (r->seconds + r->launch_seconds) * 1e6,
      [BINARY_CYCLES] = r->cycles,
      [BINARY_WRITE_BACK] = r->write_back,
      [BINARY_CLOCK] = r->clock_mhz,
      [BINARY_BUSY] = r->matrix_share,
      [BINARY_LOOP] = r->loop_efficiency,
      [BINARY_L2] = share(r->l2_hits, r->l2_lines),
      [BINARY_LLC] = share(r->llc_hits, r->llc_lines),
      [BINARY_HBM_READ] = r->read_bytes[WT_SIM_LEVEL_HBM],
      [BINARY_HBM_WRITTEN] = r->written_bytes[WT_SIM_LEVEL_HBM],
  };
  memcpy(c->number, number, sizeof number);
  c->predicted = true;
}

static int predict_case(binary_case *c) {
  char spec[64];
  tool_device device;
  hipFunction_t function;
  wt_sim_timing_total total = {0};
  unsigned char arguments[BINARY_ARGUMENTS];
  void *memory[BINARY_BUFFERS] = {NULL};
  snprintf(spec, sizeof spec, "sim:%s", c->machine->name);
  memcpy(arguments, c->arguments, sizeof arguments);
  __typeof__(wtSimTimingRepeats) *repeats = NULL;
  int code = predict_function("wtSimTimingRepeats", &repeats);
  if (!code) code = tool_device_open(spec, &device);
  if (code) return code;
  repeats((int)c->memory);
  const hipError_t error = hipSetDevice(device.ordinal);
  code = error == hipSuccess ? load(c, &function) : tool_hip_failed("selecting the device", error);
  for (uint32_t i = 0; i < c->buffer_count && !code; ++i)
    code = make_buffer(c, &c->buffer[i], arguments, &memory[i]);
  if (!code) code = launch(c, function, arguments, &total);
  for (uint32_t i = 0; i < c->buffer_count; ++i) (void)hipFree(memory[i]);
  if (!code && total.longest.valid)
    take_numbers(c, &total.longest);
  else if (!code)
    code = tool_error(TOOL_FAILED, "no prediction for %s: host memory ran out", c->name);
  return code;
}

// ---- all of them

static bool is_done(void *context, size_t i) { return ((binary_cases *)context)->cases[i].predicted; }

static const char *name_of(void *context, size_t i) { return ((binary_cases *)context)->cases[i].name; }

static int run(void *context, size_t i, void *numbers) {
  binary_case *c = &((binary_cases *)context)->cases[i];
  const int code = predict_case(c);
  memcpy(numbers, c->number, sizeof c->number);
  return code;
}

static int take(void *context, size_t i, const void *numbers) {
  binary_cases *cases = context;
  binary_case *c = &cases->cases[i];
  memcpy(c->number, numbers, sizeof c->number);
  c->predicted = true;
  return cases->keep ? binary_keep_add(cases->keep, c) : TOOL_OK;
}

int binary_predict_all(binary_cases *cases, size_t jobs) {
  const bench_work work = {.context = cases,
                           .count = cases->count,
                           .bytes = sizeof cases->cases->number,
                           .is_done = is_done,
                           .name = name_of,
                           .run = run,
                           .take = take};
  return bench_jobs_run(&work, jobs);
}
