// SPDX-License-Identifier: MIT
// Declares the tensors of a case of attention, on host and device.
#ifndef WT_TESTS_ATTENTION_TENSORS_H
#define WT_TESTS_ATTENTION_TENSORS_H

#include "attention_case.h"

enum { ATTENTION_POISON = 0xff };  // NaN in every type

typedef struct attention_memory {
  unsigned char *host, *device;
  size_t bytes;
} attention_memory;

typedef struct attention_array {
  const attention_memory *memory;
  wt_type type;
  int64_t first;  // element, in the memory
  int batch, rows, heads, dim;
  wt_attention_strides strides;  // elements
} attention_array;

// Returns memory full of poison, on both.
attention_memory attention_memory_create(size_t bytes);
void attention_memory_free(attention_memory *memory);

size_t attention_element(wt_type type);  // bytes
double attention_get(const attention_array *x, int batch, int row, int head, int d);
void attention_set(const attention_array *x, int batch, int row, int head, int d, double value);
void *attention_device(const attention_array *x);

// Describes sequence i of the case: its batch member, first row and length, among queries or keys.
typedef struct attention_rows {
  int batch, first, count;
} attention_rows;
attention_rows attention_rows_of(const attention_case *c, int sequence, bool of_keys);

// Returns the rows of a tensor's batch member: of all sequences when packed.
int attention_total_rows(const attention_case *c, bool of_keys);

// Some rows of a head as numbers, times `scale`; the caller frees them.
double *attention_gather(const attention_array *x, attention_rows rows, int head, double scale);

// Returns how many bytes are not poison although no element of `count` arrays in the same memory lies in
// them.
size_t attention_stray_bytes(const attention_array *x, int count);

#endif
