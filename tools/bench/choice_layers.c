// SPDX-License-Identifier: MIT
// Makes shapes of layers.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_fields.h"
#include "bench/choice.h"
#include "core/tool.h"

// These are rows of the input: decoding with small batches, sizes beside powers of two, prefill.
static const int sizes_m[] = {1,   2,   4,   8,   16,  32,   33,   48,   64,   100,  128, 192,
                              256, 257, 384, 512, 768, 1000, 1024, 1536, 2048, 4096, 8192};
static const char *const types[] = {"f8e4m3", "bf16"};
enum { SIZES_M = sizeof sizes_m / sizeof *sizes_m, TYPES = sizeof types / sizeof *types, MOST_LAYERS = 1024 };

static const char header[] = "model,layer,n,k,source";
enum { MODEL, LAYER, N, K, SOURCE, FIELDS };

static bool read_size(const char *text, long long *size) {
  char *end;
  errno = 0;
  *size = strtoll(text, &end, 10);
  return end != text && !*end && !errno && *size >= 1 && *size <= INT32_MAX;
}

static void add_shapes(choice_shapes *out, choice_shape layer, long long most_m) {
  for (int i = 0; i < SIZES_M && sizes_m[i] <= most_m; ++i)
    for (int t = 0; t < TYPES; ++t) {
      layer.m = sizes_m[i], layer.type = types[t];
      out->shapes[out->count++] = layer;
    }
}

static int read_line(const char *path, size_t number, char *line, long long most_m, choice_shapes *out) {
  char *field[FIELDS];
  choice_shape layer = {.model = NULL};
  if (!bench_fields_cut(line, ',', field, FIELDS))
    return tool_error(TOOL_USAGE, "%s:%zu: a row has not the fields \"%s\"; write all of them", path, number,
                      header);
  layer.model = field[MODEL], layer.layer = field[LAYER];
  if (!read_size(field[N], &layer.n) || !read_size(field[K], &layer.k))
    return tool_error(TOOL_USAGE, "%s:%zu: n is \"%s\" and k is \"%s\"; write sizes from 1 to 2147483647",
                      path, number, field[N], field[K]);
  add_shapes(out, layer, most_m);
  return TOOL_OK;
}

static int by_products(const void *a, const void *b) {
  const choice_shape *x = a, *y = b;
  const double p = (double)x->m * (double)x->n * (double)x->k, q = (double)y->m * (double)y->n * (double)y->k;
  if (p != q) return p < q ? -1 : 1;
  if (x->m != y->m) return x->m < y->m ? -1 : 1;
  if (x->n != y->n) return x->n < y->n ? -1 : 1;
  return strcmp(x->type, y->type);
}

int choice_shapes_read(const char *path, const char *text, long long most_m, choice_shapes *out) {
  out->text = strdup(text);
  out->shapes = calloc((size_t)MOST_LAYERS * SIZES_M * TYPES, sizeof *out->shapes);
  if (!out->text || !out->shapes) return tool_error(TOOL_FAILED, "out of host memory for %s", path);
  bool begun = false;
  size_t number = 0;
  int layers = 0, code = TOOL_OK;
  for (char *line = out->text, *next; line && *line && !code; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    ++number;
    if (!*line || *line == '#') continue;
    if (!begun && strcmp(line, header) != 0)
      return tool_error(TOOL_USAGE, "%s:%zu: the first row is \"%.64s\"; it must be \"%s\"", path, number,
                        line, header);
    if (begun && ++layers > MOST_LAYERS)
      return tool_error(TOOL_USAGE, "%s has more than %d layers; take some out", path, MOST_LAYERS);
    if (begun) code = read_line(path, number, line, most_m, out);
    begun = true;
  }
  if (!code && !layers) return tool_error(TOOL_USAGE, "%s has no layers; its rows are \"%s\"", path, header);
  qsort(out->shapes, out->count, sizeof *out->shapes, by_products);
  return code;
}

void choice_shapes_free(choice_shapes *shapes) {
  free(shapes->text);
  free(shapes->shapes);
}

// Is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

// Each shape is kept with the chance that leaves `count` of those that follow, so that their order stays.
void choice_shapes_sample(choice_shapes *shapes, size_t count, uint64_t seed) {
  size_t kept = 0;
  for (size_t i = 0; i < shapes->count && kept < count; ++i)
    if (next_random(&seed) % (shapes->count - i) < count - kept) shapes->shapes[kept++] = shapes->shapes[i];
  shapes->count = kept;
}
