// SPDX-License-Identifier: MIT
// `wavetile gemm` on the device, through the C API only.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"

typedef struct device_side {
  wt_context *context;
  void *a, *b, *c;
} device_side;

static float bf16_to_float(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint16_t float_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // nearest even; the inputs are finite
}

static int hip_failed(const char *what, hipError_t error) {
  return tool_error(TOOL_FAILED, "%s failed: %s", what, hipGetErrorString(error));
}

static int upload(void **out, const void *data, size_t size, const char *what) {
  hipError_t error = hipMalloc(out, size);
  if (error == hipSuccess && data) error = hipMemcpy(*out, data, size, hipMemcpyHostToDevice);
  return error == hipSuccess ? TOOL_OK : hip_failed(what, error);
}

// C before the call, in the device's type; c0 becomes what that type can hold, as the verification must see
// it.
static int upload_c(gemm_job *job, void **out) {
  size_t count = (size_t)(job->m * job->n);
  bool bf16 = job->type_c == WT_TYPE_BF16;
  size_t size = count * (bf16 ? sizeof(uint16_t) : sizeof(float));
  if (!job->c0.data) return upload(out, NULL, size, "allocating C on the device");
  if (!bf16) return upload(out, job->c0.data, size, "copying C to the device");
  uint16_t *halves = malloc(size);
  if (!halves) return tool_error(TOOL_FAILED, "out of host memory for C");
  for (size_t i = 0; i < count; ++i) {
    halves[i] = float_to_bf16(job->c0.data[i]);
    job->c0.data[i] = bf16_to_float(halves[i]);
  }
  int code = upload(out, halves, size, "copying C to the device");
  free(halves);
  return code;
}

static int download_c(gemm_job *job, const void *device) {
  size_t count = (size_t)(job->m * job->n);
  job->c = (npy_matrix){job->m, job->n, malloc(count * sizeof(float))};
  if (!job->c.data) return tool_error(TOOL_FAILED, "out of host memory for C");
  bool bf16 = job->type_c == WT_TYPE_BF16;
  hipError_t error = hipMemcpy(job->c.data, device, count * (bf16 ? 2 : 4), hipMemcpyDeviceToHost);
  if (error != hipSuccess) return hip_failed("copying C from the device", error);
  if (bf16)  // backwards, as each value grows to twice its size in place
    for (size_t i = count; i-- > 0;) {
      uint16_t half;
      memcpy(&half, (const char *)job->c.data + 2 * i, sizeof half);
      job->c.data[i] = bf16_to_float(half);
    }
  return TOOL_OK;
}

static wt_gemm_desc descriptor(const gemm_job *job) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  bool ocp = strcmp(job->target, "gfx950") == 0;
  desc.m = job->m;
  desc.n = job->n;
  desc.k = job->k;
  desc.type_a = job->e5m2 ? (ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ)
                : ocp     ? WT_TYPE_F8E4M3
                          : WT_TYPE_F8E4M3_FNUZ;
  desc.type_b = desc.type_a;
  desc.type_c = job->type_c;
  desc.trans_a = job->options.trans_a;
  desc.trans_b = job->options.trans_b;
  desc.alpha = (float)job->options.alpha;
  desc.beta = (float)job->options.beta;
  desc.scale_a = job->a.scale;
  desc.scale_b = job->b.scale;
  desc.kernel = job->options.kernel;
  return desc;
}

static int api_failed(const device_side *side) {
  return tool_error(TOOL_FAILED, "%s", wt_last_error(side->context));
}

static int run_on(gemm_job *job, device_side *side) {
  hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return hip_failed("selecting the device", error);
  wt_gemm_desc desc = descriptor(job);
  if (wt_gemm_chosen(side->context, &desc, &job->kernel)) return api_failed(side);
  size_t a_size = (size_t)(job->m * job->k), b_size = (size_t)(job->n * job->k);
  int code = upload(&side->a, job->a.codes, a_size, "copying A to the device");
  if (!code) code = upload(&side->b, job->b.codes, b_size, "copying B to the device");
  if (!code) code = upload_c(job, &side->c);
  if (code) return code;
  unsigned long long instructions = 0, workgroups = 0;
  tool_device_counters(&instructions, &workgroups);
  double start = gemm_seconds();
  if (wt_gemm(side->context, &desc, side->a, side->b, side->c, NULL)) return api_failed(side);
  error = hipDeviceSynchronize();
  job->run_seconds = gemm_seconds() - start;
  if (error != hipSuccess) return hip_failed(job->kernel, error);
  job->counted = tool_device_counters(&job->instructions, &job->workgroups);
  job->instructions -= instructions;
  job->workgroups -= workgroups;
  return download_c(job, side->c);
}

int gemm_run(gemm_job *job) {
  device_side side = {0};
  int code = TOOL_OK;
  if (wt_context_create(job->device.ordinal, &side.context)) return api_failed(&side);
  strncpy(job->target, wt_context_target(side.context), sizeof job->target - 1);
  job->format = strcmp(job->target, "gfx950") == 0 ? (job->e5m2 ? &fp8_e5m2 : &fp8_e4m3)
                                                   : (job->e5m2 ? &fp8_e5m2_fnuz : &fp8_e4m3_fnuz);
  double start = gemm_seconds();
  code = gemm_quantise(&job->a, job->format);
  if (!code) code = gemm_quantise(&job->b, job->format);
  job->input_seconds += gemm_seconds() - start;
  if (!code) code = run_on(job, &side);
  (void)hipFree(side.a);
  (void)hipFree(side.b);
  (void)hipFree(side.c);
  wt_context_destroy(side.context);
  return code;
}
