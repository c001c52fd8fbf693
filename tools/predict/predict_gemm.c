// SPDX-License-Identifier: MIT
// Predicts one wt_gemm.
#include <math.h>
#include <string.h>

#include "predict.h"

double predict_busiest_tiles(const wt_gemm_kernel_info *kernel, long long m, long long n, long long parts,
                             long long compute_units) {
  const double tiles = ceil((double)m / kernel->tile_m) * ceil((double)n / kernel->tile_n);
  if (kernel->shares_rounds) return tiles / (double)compute_units;
  return ceil(tiles * (double)parts / (double)compute_units) / (double)parts;
}

int predict_gemm(predict_run *run) {
  const predict_call *call = run->call;
  const predict_shape *s = &call->shape;
  if (s->sizes != 3) return predict_refuse_sizes(run, "m x n x k");
  const double m = (double)s->size[0], n = (double)s->size[1], k = (double)s->size[2];
  const double element = (double)run->type->size;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = s->size[0], desc.n = s->size[1], desc.k = s->size[2];
  desc.type_a = desc.type_b = run->device_type;
  desc.type_c = run->device_type == WT_TYPE_F16 ? WT_TYPE_F16 : WT_TYPE_BF16;
  desc.kernel = strcmp(call->kernel, "gemm_chosen") == 0 ? NULL : call->kernel;
  desc.grid_window = (int32_t)predict_option(s, "window", 0);
  desc.grid_chunk = (int32_t)predict_option(s, "chunk", 0);
  desc.split_k = (int32_t)predict_option(s, "split", 0);
  desc.batch_invariant = (int32_t)predict_option(s, "invariant", 0);
  desc.trans_a = predict_option(s, "trans_a", 0) > 0, desc.trans_b = predict_option(s, "trans_b", 0) > 0;
  const long long shift = predict_option(s, "shift", 0);
  desc.lda = (desc.trans_a ? desc.m : desc.k) + predict_option(s, "pad_a", 0);
  desc.ldb = (desc.trans_b ? desc.n : desc.k) + predict_option(s, "pad_b", 0);
  desc.ldc = desc.n + predict_option(s, "pad_c", 0);
  void *a = predict_shifted(run, (desc.trans_a ? k : m) * (double)desc.lda, element, shift);
  void *b = predict_shifted(run, (desc.trans_b ? k : n) * (double)desc.ldb, element, shift);
  void *c = predict_memory(run, m * (double)desc.ldc * 2);
  run->result->flops = 2 * m * n * k;
  run->result->bytes = (m + n) * k * element + m * n * 2;
  return predict_status(run, run->code ? WT_SUCCESS : wt_gemm(run->context, &desc, a, b, c, NULL));
}
