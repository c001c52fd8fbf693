// SPDX-License-Identifier: MIT
// Runs the transformer over a text, with weights from a fixed seed, and writes every tensor into a folder as
// <name>.npy. Usage: transformer FOLDER
// Build: cc -D__HIP_PLATFORM_AMD__ -D_GNU_SOURCE -Iinclude examples/transformer/*.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o transformer
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transformer.h"

static const char text[] =
    "The tile is the unit of everything here. A wave holds a tile in its registers, a work-group holds tiles "
    "in local memory, and a matrix is as many tiles as it takes; what is left over at the edges is a tile as "
    "well.";
_Static_assert(sizeof text - 1 > ROWS, "the text is too short");

void must(const transformer *t, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(t ? t->context : NULL));
  exit(1);
}

void must_hip(hipError_t error) {
  if (error == hipSuccess) return;
  fprintf(stderr, "%s\n", hipGetErrorString(error));
  exit(1);
}

static size_t bytes_of(const tensor *x) {
  return (size_t)x->rows * (size_t)x->columns * (x->element == F16 ? 2 : 4);
}

void *workspace(transformer *t, size_t bytes) {
  if (bytes > t->workspace_bytes) {
    must_hip(hipDeviceSynchronize());  // the old one may be in use
    must_hip(hipFree(t->workspace));
    must_hip(hipMalloc(&t->workspace, bytes));
    t->workspace_bytes = bytes;
  }
  return t->workspace;
}

void multiply(transformer *t, const tensor *a, int trans_a, const tensor *b, int trans_b, const tensor *c) {
  wt_gemm_desc d = WT_GEMM_DESC_INIT;
  d.m = c->rows;
  d.n = c->columns;
  d.k = trans_a ? a->rows : a->columns;
  d.type_a = d.type_b = WT_TYPE_F16;
  d.type_c = c->element == F16 ? WT_TYPE_F16 : WT_TYPE_F32;
  d.trans_a = trans_a;
  d.trans_b = trans_b;
  must(t, wt_gemm(t->context, &d, a->data, b->data, c->data, NULL));
}

// ---- numbers from a fixed seed (splitmix64)

static double uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;  // -1 to 1
}

// Fills x with numbers of a size that keeps sums over a row near 1; norms' weights are near 1 themselves.
static void fill(const tensor *x, uint64_t *state) {
  const double size = sqrt(3.0 / x->columns);
  for (int i = 0; i < x->rows * x->columns; ++i) {
    const double u = uniform(state);
    if (x->element == F16)
      ((_Float16 *)x->data)[i] = (_Float16)(u * size);
    else
      ((float *)x->data)[i] = (float)(1 + u / 4);
  }
}

// Each byte's row is its own, and the next byte its label; the last of a sequence has one, too.
static void embed(const tensor *x0, const tensor *next) {
  for (int row = 0; row < ROWS; ++row) {
    uint64_t state = (uint64_t)(unsigned char)text[row] << 32;
    for (int j = 0; j < WIDTH; ++j) ((_Float16 *)x0->data)[row * WIDTH + j] = (_Float16)uniform(&state);
    ((int32_t *)next->data)[row] = (unsigned char)text[row + 1];
  }
}

// ---- NumPy's format, version 1.0 (numpy.lib.format)

static void save(const char *folder, const tensor *x) {
  static const char *const types[] = {[F16] = "<f2", [F32] = "<f4", [I32] = "<i4"};
  char path[1024], header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\x01\x00", 8);
  header[8] = sizeof header - 10, header[9] = 0;
  const int length = snprintf(header + 10, sizeof header - 11,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }",
                              types[x->element], x->rows, x->columns);
  header[10 + length] = ' ';
  header[sizeof header - 1] = '\n';
  snprintf(path, sizeof path, "%s/%s.npy", folder, x->name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(header, sizeof header, 1, file) != 1 || fwrite(x->data, bytes_of(x), 1, file) != 1 ||
      fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", path);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: transformer FOLDER\n"), 2;
#define TENSOR(name, element, rows, columns) {#name, element, rows, columns, NULL},
  transformer t = {.of = {TENSORS(TENSOR)}};
  must(NULL, wt_context_create(0, &t.context));
  uint64_t state = 1;
  for (int i = 0; i < TENSOR_COUNT; ++i) {
    must_hip(hipHostMalloc(&t.of[i].data, bytes_of(&t.of[i]), 0));
    memset(t.of[i].data, 0xff, bytes_of(&t.of[i]));  // NaN: what is forgotten is seen
    if (i < NAME_x0) fill(&t.of[i], &state);
  }
  embed(T(&t, x0), T(&t, next));
  forward(&t);
  backward(&t);
  must_hip(hipDeviceSynchronize());
  printf("%d bytes, loss %.4f\n", ROWS, (double)*(float *)T(&t, loss)->data);
  for (int i = 0; i < TENSOR_COUNT; ++i) save(argv[1], &t.of[i]);
  for (int i = 0; i < TENSOR_COUNT; ++i) must_hip(hipHostFree(t.of[i].data));
  must_hip(hipFree(t.workspace));
  wt_context_destroy(t.context);
  return 0;
}
