// SPDX-License-Identifier: MIT
// Makes the calls that `wavetile bench sim` times.
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/speed.h"
#include "core/device_memory.h"
#include "core/element.h"
#include "core/random_normal.h"
#include "core/tool.h"

// Random numbers are drawn for a block that is repeated; its length is a prime, so that no two rows are the
// same.
enum { BLOCK = 65537 };

static int finish(const speed_call *call, wt_status status) {
  if (status) return tool_error(TOOL_FAILED, "%s", wt_last_error(call->context));
  const hipError_t error = hipDeviceSynchronize();
  return error == hipSuccess ? TOOL_OK : tool_hip_failed(call->name, error);
}

// Makes memory `slot` of the call: `count` elements of the type, random or left as they are.
static int make(speed_call *call, int slot, const char *type_name, long long count, bool random) {
  const element_type *type = element_type_find(type_name, false);
  if (!type) type = element_type_find(type_name, true);
  const size_t bytes = (size_t)count * type->size, block_bytes = BLOCK * type->size;
  if (!random) return tool_upload(&call->memory[slot], NULL, bytes, "allocating an operand");
  float *values = malloc(BLOCK * sizeof *values);
  uint8_t *codes = malloc(bytes + block_bytes);
  int code = TOOL_OK;
  if (!values || !codes) {
    code = tool_error(TOOL_FAILED, "out of host memory for an operand");
  } else {
    const fp8_format *format = element_format_on(type, wt_context_target(call->context));
    random_normal(values, BLOCK, (uint64_t)slot + 1);
    for (size_t i = 0; i < BLOCK; ++i) element_encode(type, format, values[i], codes + i * type->size);
    for (size_t at = block_bytes; at < bytes; at += block_bytes) memcpy(codes + at, codes, block_bytes);
    code = tool_upload(&call->memory[slot], codes, bytes, "copying an operand to the device");
  }
  free(values);
  free(codes);
  return code;
}

void speed_call_free(speed_call *call) {
  for (int i = 0; i < SPEED_MEMORIES; ++i) (void)hipFree(call->memory[i]);
}

// ---- a product

static int run_gemm(const speed_call *call) {
  return finish(call, wt_gemm(call->context, &call->desc.gemm, call->memory[0], call->memory[1],
                              call->memory[2], NULL));
}

int speed_gemm(speed_call *call, wt_context *context, long long size) {
  *call = (speed_call){.name = "gemm f8e4m3", .context = context, .run = run_gemm};
  wt_gemm_desc *d = &call->desc.gemm;
  *d = (wt_gemm_desc)WT_GEMM_DESC_INIT;
  d->m = d->n = d->k = size;
  d->type_a = d->type_b = WT_TYPE_F8E4M3, d->type_c = WT_TYPE_BF16;
  snprintf(call->shape, sizeof call->shape, "%lldx%lldx%lld", size, size, size);
  int code = make(call, 0, "f8e4m3", size * size, true);
  if (!code) code = make(call, 1, "f8e4m3", size * size, true);
  if (!code) code = make(call, 2, "bf16", size * size, false);
  const char *chosen = "";
  if (!code && wt_gemm_chosen(context, d, &chosen))
    code = tool_error(TOOL_FAILED, "%s", wt_last_error(context));
  snprintf(call->kernel, sizeof call->kernel, "%s", chosen);
  return code;
}

// ---- attention

static int run_attention(const speed_call *call) {
  void *const *m = call->memory;
  return finish(
      call, wt_attention_forward(call->context, &call->desc.attention, m[0], m[1], m[2], m[3], m[4], NULL));
}

int speed_attention(speed_call *call, wt_context *context, long long size) {
  const long long rows = size / 2, elements = 8 * 128 * rows;
  *call = (speed_call){.name = "attention bf16", .context = context, .run = run_attention};
  wt_attention_desc *d = &call->desc.attention;
  *d = (wt_attention_desc)WT_ATTENTION_DESC_INIT;
  d->type = WT_TYPE_BF16;
  d->batch = 1, d->heads = d->kv_heads = 8, d->queries = rows, d->head_dim = 128;
  snprintf(call->shape, sizeof call->shape, "1x8x%lldx128", rows);
  snprintf(call->kernel, sizeof call->kernel, "forward");
  int code = TOOL_OK;
  for (int i = 0; i < 3 && !code; ++i) code = make(call, i, "bf16", elements, true);
  if (!code) code = make(call, 3, "bf16", elements, false);
  return code ? code : make(call, 4, "f32", 8 * rows, false);
}

// ---- a norm

static int run_norm(const speed_call *call) {
  return finish(call, wt_norm(call->context, &call->desc.norm, call->memory[0], call->memory[1], NULL));
}

int speed_norm(speed_call *call, wt_context *context, long long size) {
  *call = (speed_call){.name = "norm bf16", .context = context, .run = run_norm};
  wt_norm_desc *d = &call->desc.norm;
  *d = (wt_norm_desc)WT_NORM_DESC_INIT;
  d->rows = d->columns = size;
  d->type = WT_TYPE_BF16;
  snprintf(call->shape, sizeof call->shape, "%lldx%lld", size, size);
  snprintf(call->kernel, sizeof call->kernel, "layer norm");
  int code = make(call, 0, "bf16", size * size, true);
  return code ? code : make(call, 1, "bf16", size * size, false);
}
