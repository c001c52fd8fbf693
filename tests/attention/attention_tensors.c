// SPDX-License-Identifier: MIT
// Tests tensors of a case of attention: where elements lie, and what codes stand for.
#include "attention_tensors.h"

#include <hip/hip_runtime_api.h>

#include "tests/row_matrix.h"
#include "tools/core/fp8.h"

attention_memory attention_memory_create(size_t bytes) {
  attention_memory m = {.host = malloc(bytes), .bytes = bytes};
  if (!m.host || hipMalloc((void **)&m.device, bytes) != hipSuccess) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  memset(m.host, ATTENTION_POISON, bytes);
  return m;
}

void attention_memory_free(attention_memory *memory) {
  free(memory->host);
  (void)hipFree(memory->device);
  *memory = (attention_memory){0};
}

size_t attention_element(wt_type type) { return row_element(type); }

static int64_t index_of(const attention_array *x, int batch, int row, int head, int d) {
  return x->first + batch * x->strides.batch + row * x->strides.row + head * x->strides.head + d;
}

double attention_get(const attention_array *x, int batch, int row, int head, int d) {
  uint32_t code = 0;
  const size_t element = row_element(x->type);
  memcpy(&code, x->memory->host + (size_t)index_of(x, batch, row, head, d) * element, element);
  return row_decode(x->type, code);
}

void attention_set(const attention_array *x, int batch, int row, int head, int d, double value) {
  const uint32_t code = x->type == WT_TYPE_F8E4M3   ? fp8_encode(&fp8_e4m3, (float)value)
                        : x->type == WT_TYPE_F8E5M2 ? fp8_encode(&fp8_e5m2, (float)value)
                                                    : row_encode(x->type, value);
  const size_t element = row_element(x->type);
  memcpy(x->memory->host + (size_t)index_of(x, batch, row, head, d) * element, &code, element);
}

void *attention_device(const attention_array *x) {
  return x->memory->device + (size_t)x->first * row_element(x->type);
}

attention_rows attention_rows_of(const attention_case *c, int sequence, bool of_keys) {
  if (!c->packed) return (attention_rows){sequence, 0, of_keys ? c->keys : c->queries};
  const int *lengths = of_keys ? c->k_lengths : c->q_lengths;
  attention_rows rows = {0, 0, lengths[sequence]};
  for (int i = 0; i < sequence; ++i) rows.first += lengths[i];
  return rows;
}

int attention_total_rows(const attention_case *c, bool of_keys) {
  if (!c->packed) return of_keys ? c->keys : c->queries;
  const attention_rows last = attention_rows_of(c, c->batch - 1, of_keys);
  return last.first + last.count;
}

double *attention_gather(const attention_array *x, attention_rows rows, int head, double scale) {
  double *values = malloc(((size_t)rows.count * (size_t)x->dim + 1) * sizeof *values);
  for (int row = 0; row < rows.count; ++row)
    for (int d = 0; d < x->dim; ++d)
      values[(int64_t)row * x->dim + d] = scale * attention_get(x, rows.batch, rows.first + row, head, d);
  return values;
}

static void mark(const attention_array *x, unsigned char *inside) {
  const size_t element = row_element(x->type);
  for (int batch = 0; batch < x->batch; ++batch)
    for (int row = 0; row < x->rows; ++row)
      for (int head = 0; head < x->heads; ++head)
        memset(inside + (size_t)index_of(x, batch, row, head, 0) * element, 1, (size_t)x->dim * element);
}

size_t attention_stray_bytes(const attention_array *x, int count) {
  const attention_memory *memory = x->memory;
  unsigned char *inside = calloc(memory->bytes, 1);
  for (int i = 0; i < count; ++i) mark(&x[i], inside);
  size_t stray = 0;
  for (size_t i = 0; i < memory->bytes; ++i) stray += !inside[i] && memory->host[i] != ATTENTION_POISON;
  free(inside);
  return stray;
}
