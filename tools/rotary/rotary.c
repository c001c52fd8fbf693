// SPDX-License-Identifier: MIT
// `wavetile rotary`: the rotary position embedding of the user's array, or its inverse.
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/device_memory.h"
#include "core/element.h"
#include "core/npy.h"
#include "core/report.h"
#include "core/tool.h"
#include "core/whole_file.h"
#include "wavetile.h"

enum { OPTIONS = 12 };

typedef struct rotary_job {
  const char *x, *out, *positions, *layout, *dtype, *device_spec, *out_dtype;
  long long rotary_dim;
  double theta, offset;
  bool inverse, help;
  npy_array array;
  npy_matrix position_values;
  const element_type *type;
  wt_rotary_desc desc;
  tool_device device;
} rotary_job;

static void option_table(rotary_job *job, tool_option *table) {
  const tool_option rows[OPTIONS] = {
      {"x", TOOL_STRING, &job->x, "X.npy", "[rows][dim], [rows][heads][dim] or [batch][rows][heads][dim]"},
      {"out", TOOL_STRING, &job->out, "Y.npy", "where the result goes"},
      {"layout", TOOL_STRING, &job->layout, "NAME",
       "pairs are half (default): i and dim / 2 + i, or interleaved"},
      {"rotary-dim", TOOL_SIZE, &job->rotary_dim, "N", "elements of a head that turn (default: all)"},
      {"theta", TOOL_FLOAT, &job->theta, "T", "frequency i is T^(-2i / N) (default 10000)"},
      {"offset", TOOL_FLOAT, &job->offset, "P", "position of the first row (default 0)"},
      {"positions", TOOL_STRING, &job->positions, "P.npy", "position of each row, instead: whole numbers"},
      {"inverse", TOOL_FLAG, &job->inverse, NULL, "turn back: the gradient of X from that of Y"},
      {"dtype", TOOL_STRING, &job->dtype, "TYPE", "on the device: f32 (default), bf16 or f16"},
      {"out-dtype", TOOL_STRING, &job->out_dtype, "TYPE", "of the file written: f32 (default) or f16"},
      {"device", TOOL_STRING, &job->device_spec, "DEVICE", "sim:mi355x (default), sim:mi300x or hip:N"},
      {"help", TOOL_FLAG, &job->help, NULL, "this text"},
  };
  memcpy(table, rows, sizeof rows);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile rotary --x X.npy --out Y.npy [options]\n\n"
      "Turns pairs of elements of each head by an angle that is the row's position times the pair's "
      "frequency.\n",
      table, OPTIONS);
}

static int check_options(rotary_job *job) {
  if (!job->x || !job->out)
    return tool_error(TOOL_USAGE, "--%s is missing; pass --x and --out", job->x ? "out" : "x");
  const bool half = strcmp(job->layout, "half") == 0;
  if (!half && strcmp(job->layout, "interleaved") != 0)
    return tool_error(TOOL_USAGE, "--layout is \"%s\"; pass half or interleaved", job->layout);
  job->desc.layout = half ? WT_ROTARY_HALF : WT_ROTARY_INTERLEAVED;
  if (!(job->theta > 0)) return tool_error(TOOL_USAGE, "--theta is %g; pass a positive number", job->theta);
  if (job->offset != rint(job->offset) || fabs(job->offset) > 0x1p31)
    return tool_error(TOOL_USAGE, "--offset is %.17g; pass a whole number of 32 bits", job->offset);
  if (job->offset != 0 && job->positions)
    return tool_error(TOOL_USAGE, "--offset and --positions are both given; pass one of them");
  job->type = element_type_find(job->dtype, true);
  if (!job->type || job->type->ocp == WT_TYPE_I32)
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass f32, bf16 or f16", job->dtype);
  if (strcmp(job->out_dtype, "f32") != 0 && strcmp(job->out_dtype, "f16") != 0)
    return tool_error(TOOL_USAGE, "--out-dtype is \"%s\"; pass f32 or f16", job->out_dtype);
  char message[4608];
  if (whole_file_allowed(job->out, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--out %s", message);
}

static int64_t count_of(const rotary_job *job) {
  const wt_rotary_desc *d = &job->desc;
  return d->batch * d->rows * d->heads * d->head_dim;
}

static int read_positions(rotary_job *job) {
  char message[4608];
  if (!job->positions) return TOOL_OK;
  if (!npy_read_vector(job->positions, &job->position_values, message, sizeof message))
    return tool_error(TOOL_USAGE, "--positions %s", message);
  const npy_matrix *p = &job->position_values;
  if (p->cols != job->desc.rows)
    return tool_error(TOOL_USAGE, "--positions %s has %lld numbers, but X has %lld rows; pass one for each",
                      job->positions, (long long)p->cols, (long long)job->desc.rows);
  for (int64_t i = 0; i < p->cols; ++i)
    if (p->data[i] != rintf(p->data[i]) || fabsf(p->data[i]) > 0x1p24f)
      return tool_error(TOOL_USAGE,
                        "--positions %s: element %lld is %g; pass whole numbers from -2^24 to 2^24",
                        job->positions, (long long)i, (double)p->data[i]);
  return TOOL_OK;
}

static int read_inputs(rotary_job *job) {
  char message[4608];
  npy_array *x = &job->array;
  if (!npy_read_array(job->x, 2, x, message, sizeof message))
    return tool_error(TOOL_USAGE, "--x %s", message);
  wt_rotary_desc *d = &job->desc;
  d->head_dim = x->shape[x->rank - 1];
  d->heads = x->rank > 2 ? x->shape[x->rank - 2] : 1;
  d->rows = x->shape[x->rank == 4];
  d->batch = x->rank == 4 ? x->shape[0] : 1;
  d->rotary_dim = job->rotary_dim;
  for (int64_t i = 0; job->type->ocp == WT_TYPE_F16 && i < count_of(job); ++i)
    if (fabsf(x->data[i]) >= 65520.0f)  // rounds to infinity: half an ulp above 65504
      return tool_error(TOOL_USAGE, "--x %s holds %g, beyond float16; pass bf16 or f32 as --dtype", job->x,
                        (double)x->data[i]);
  return read_positions(job);
}

// The device's memory, which the result replaces; `codes` is the host's copy.
static int turn(rotary_job *job, wt_context *context, unsigned char *codes, void **device, void **positions) {
  wt_rotary_desc *d = &job->desc;
  const size_t count = (size_t)count_of(job), size = job->type->size;
  for (size_t i = 0; i < count; ++i) element_encode(job->type, NULL, job->array.data[i], codes + i * size);
  int code = tool_upload(device, codes, count * size, "copying X to the device");
  if (!code && job->positions) {
    int32_t *numbers = malloc((size_t)d->rows * sizeof *numbers);
    if (!numbers) return tool_error(TOOL_FAILED, "out of host memory for the positions");
    for (int64_t i = 0; i < d->rows; ++i) numbers[i] = (int32_t)job->position_values.data[i];
    code =
        tool_upload(positions, numbers, (size_t)d->rows * sizeof *numbers, "copying positions to the device");
    free(numbers);
  }
  if (code) return code;
  d->type = job->type->ocp, d->inverse = job->inverse, d->theta = job->theta;
  d->offset = (int64_t)job->offset, d->positions = *positions;
  if (wt_rotary(context, d, *device, *device, NULL))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(context));
  const hipError_t error = hipMemcpy(codes, *device, count * size, hipMemcpyDeviceToHost);
  if (error != hipSuccess) return tool_hip_failed("running the embedding", error);
  for (size_t i = 0; i < count; ++i) job->array.data[i] = element_decode(job->type, NULL, codes + i * size);
  return TOOL_OK;
}

static int run(rotary_job *job) {
  wt_context *context = NULL;
  if (wt_context_create(job->device.ordinal, &context))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  const hipError_t selected = hipSetDevice(job->device.ordinal);
  unsigned char *codes = malloc((size_t)count_of(job) * job->type->size);
  void *device = NULL, *positions = NULL;
  int code = selected != hipSuccess ? tool_hip_failed("selecting the device", selected)
             : codes                ? turn(job, context, codes, &device, &positions)
                                    : tool_error(TOOL_FAILED, "out of host memory for X");
  (void)hipFree(device), (void)hipFree(positions);
  free(codes);
  wt_context_destroy(context);
  return code;
}

static int write_output(const rotary_job *job) {
  const npy_type type = strcmp(job->out_dtype, "f16") == 0 ? NPY_F16 : NPY_F32;
  for (int64_t i = 0; type == NPY_F16 && i < count_of(job); ++i)
    if (fabsf(job->array.data[i]) >= 65520.0f)
      return tool_error(TOOL_FAILED, "the result holds %g, beyond float16; pass --out-dtype f32",
                        (double)job->array.data[i]);
  char message[4608];
  if (npy_write_array(job->out, type, &job->array, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_FAILED, "--out %s", message);
}

static void report(const rotary_job *job, double seconds) {
  const wt_rotary_desc *d = &job->desc;
  report_row("rotary", "%s, theta %g%s", job->layout, job->theta, job->inverse ? ", inverse" : "");
  report_row("shape", "batch %lld, rows %lld, heads %lld of %lld, %s", (long long)d->batch,
             (long long)d->rows, (long long)d->heads, (long long)d->head_dim, job->dtype);
  report_row("device", "%s", job->device.name);
  report_row("host time", "%.3f s to run", seconds);
}

int tool_rotary(int argc, char **argv) {
  rotary_job job = {.layout = "half",
                    .dtype = "f32",
                    .out_dtype = "f32",
                    .device_spec = "sim:mi355x",
                    .theta = 10000,
                    .desc = WT_ROTARY_DESC_INIT};
  tool_option table[OPTIONS];
  option_table(&job, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (job.help) {
    print_help(table);
    return TOOL_OK;
  }
  code = check_options(&job);
  if (!code) code = tool_device_prepare(job.device_spec, argv - 1);
  if (!code) code = read_inputs(&job);
  if (!code) code = tool_device_open(job.device_spec, &job.device);
  const double start = tool_seconds();
  if (!code) code = run(&job);
  const double seconds = tool_seconds() - start;
  if (!code) code = write_output(&job);
  if (!code) report(&job, seconds);
  npy_array_free(&job.array);
  npy_matrix_free(&job.position_values);
  return code;
}
