// SPDX-License-Identifier: MIT
// Finds which kernels and splits of K might be the fastest for a shape, and predicts them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/bench_jobs.h"
#include "bench/bench_keep.h"
#include "bench/choice.h"
#include "core/api_failed.h"
#include "core/device.h"
#include "sim/machine/machine.h"

static choice_shape *shape_at(void *context, size_t i) { return &((choice_shapes *)context)->shapes[i]; }

static const char *kernel_name(int kernel) {
  wt_gemm_kernel_info info = {.struct_size = sizeof info};
  return wt_gemm_kernel_at((size_t)kernel, &info) ? "" : info.name;
}

// What predict knows a candidate by.
static const char *predicted_name(choice_candidate c) {
  return c.several ? "gemm_chosen" : kernel_name(c.kernel);
}

// What predict is asked for as the split; 0 leaves it to the library, as kernels that share rounds demand.
static int predicted_split(choice_candidate c) {
  wt_gemm_kernel_info info = {.struct_size = sizeof info};
  const bool shares = !wt_gemm_kernel_at((size_t)c.kernel, &info) && info.shares_rounds;
  return c.several || shares ? 0 : c.parts;
}

// ---- candidates

// What the busiest compute unit does: products, and rows that it loads times K.
typedef struct work {
  double products, loads;
} work;

static work work_of(const choice_shape *s, int compute_units, choice_candidate c) {
  wt_gemm_kernel_info info = {.struct_size = sizeof info};
  if (wt_gemm_kernel_at((size_t)c.kernel, &info)) return (work){INFINITY, INFINITY};
  const double k = predict_busiest_tiles(&info, s->m, s->n, c.parts, compute_units) * (double)s->k;
  return (work){k * info.tile_m * info.tile_n, k * (info.tile_m + info.tile_n)};
}

// Returns how much more work it is than another's, in the better of the two respects: what is much more in
// both will not be faster.
static double excess(work x, work than) { return fmin(x.products / than.products, x.loads / than.loads); }

// Describes the result of finding.
typedef struct choice_found {
  choice_candidate candidate[CHOICE_MOST_CANDIDATES];
  double host_us;
} choice_found;

typedef struct finder {
  wt_context *context;
  const choice_shape *shape;
  wt_gemm_desc desc;
  int compute_units;
  choice_candidate found[CHOICE_MOST_CANDIDATES * 16];
  double excess[CHOICE_MOST_CANDIDATES * 16];
  int count;
} finder;

// Describes the first piece of desc's C. Returns false when the kernel cannot run it, or its context has not
// the memory.
static bool first_piece(const finder *f, const wt_gemm_desc *desc, wt_gemm_piece_info *piece) {
  *piece = (wt_gemm_piece_info){.struct_size = sizeof *piece};
  return wt_gemm_piece_at(f->context, desc, 0, piece) == WT_SUCCESS;
}

static void add(finder *f, int kernel, const wt_gemm_piece_info *piece) {
  const choice_candidate c = {kernel, (int)piece->parts,
                              piece->count > 1 || piece->packs_a || piece->packs_b};
  for (int i = 0; i < f->count; ++i)
    if (f->found[i].kernel == kernel && f->found[i].parts == c.parts && f->found[i].several == c.several)
      return;
  const work least = f->count ? work_of(f->shape, f->compute_units, f->found[0]) : (work){1, 1};
  f->excess[f->count] = f->count ? excess(work_of(f->shape, f->compute_units, c), least) : 0;
  f->found[f->count++] = c;
}

// Adds each kernel with the split that the library would choose for it, with none, and with some others.
static void add_kernel(finder *f, int kernel) {
  static const int splits[] = {0, 1, 2, 4, 8, 16};
  for (size_t i = 0; i < sizeof splits / sizeof *splits; ++i) {
    wt_gemm_desc desc = f->desc;
    desc.kernel = kernel_name(kernel);
    desc.split_k = splits[i];
    wt_gemm_piece_info piece;
    if (first_piece(f, &desc, &piece)) add(f, kernel, &piece);
  }
}

// Also finds what a choice takes on the host.
static int add_chosen(finder *f, double *host_us) {
  enum { TIMES = 100 };
  const char *chosen = NULL;
  struct timespec begin, end;
  wt_status status = WT_SUCCESS;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < TIMES && !status; ++i) status = wt_gemm_chosen(f->context, &f->desc, &chosen);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (status) return tool_api_failed(f->context, status);
  *host_us =
      ((double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-3) / TIMES;
  wt_gemm_piece_info piece;
  const bool found = first_piece(f, &f->desc, &piece);
  for (int kernel = 0; found && kernel < (int)wt_gemm_kernel_count(); ++kernel)
    if (strcmp(kernel_name(kernel), piece.kernel) == 0) add(f, kernel, &piece);
  return TOOL_OK;
}

// Moves those with the least excess work to the front, after the one that is chosen.
static void order(finder *f) {
  for (int i = 1; i < f->count; ++i)
    for (int j = i; j > 1 && f->excess[j] < f->excess[j - 1]; --j) {
      const choice_candidate c = f->found[j];
      const double e = f->excess[j];
      f->found[j] = f->found[j - 1], f->excess[j] = f->excess[j - 1];
      f->found[j - 1] = c, f->excess[j - 1] = e;
    }
}

static int find(void *context, size_t i, void *result) {
  const choice_shapes *shapes = context;
  finder f = {.shape = &shapes->shapes[i], .desc = WT_GEMM_DESC_INIT};
  char spec[64];
  tool_device device;
  snprintf(spec, sizeof spec, "sim:%s", shapes->chip);
  f.compute_units = (int)sim_machine_find(shapes->chip)->cus;
  int code = tool_device_open(spec, &device);
  if (code) return code;
  if (wt_context_create(device.ordinal, &f.context))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  f.desc.m = f.shape->m, f.desc.n = f.shape->n, f.desc.k = f.shape->k;
  f.desc.type_a = f.desc.type_b =
      element_type_on(element_type_find(f.shape->type, false), wt_context_target(f.context));
  f.desc.type_c = WT_TYPE_BF16;
  choice_found *out = result;
  f.desc.batch_invariant = shapes->invariant;
  code = add_chosen(&f, &out->host_us);
  f.desc.batch_invariant = 0;
  if (!code && shapes->invariant) code = add_chosen(&f, &out->host_us);
  for (int kernel = 0; kernel < (int)wt_gemm_kernel_count() && !code && !shapes->invariant; ++kernel) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    if (!wt_gemm_kernel_at((size_t)kernel, &info) && !info.ladder) add_kernel(&f, kernel);
  }
  wt_context_destroy(f.context);
  order(&f);
  for (int c = 0; c < f.count && c < shapes->tries; ++c) out->candidate[c] = f.found[c];
  return code;
}

static bool has_candidates(void *context, size_t i) { return shape_at(context, i)->count > 0; }

static const char *shape_name(void *context, size_t i) { return shape_at(context, i)->layer; }

static int take_candidates(void *context, size_t i, const void *result) {
  choice_shape *s = shape_at(context, i);
  const choice_found *found = result;
  memcpy(s->candidate, found->candidate, sizeof s->candidate);
  s->host_us = found->host_us;
  while (s->count < CHOICE_MOST_CANDIDATES && s->candidate[s->count].parts) ++s->count;
  return TOOL_OK;
}

int choice_find_candidates(choice_shapes *shapes, size_t jobs) {
  const bench_work all = {.context = shapes,
                          .count = shapes->count,
                          .bytes = sizeof(choice_found),
                          .is_done = has_candidates,
                          .name = shape_name,
                          .run = find,
                          .take = take_candidates};
  return bench_jobs_run(&all, jobs);
}

// ---- predictions

// Piece i is candidate i % CHOICE_MOST_CANDIDATES of a shape.
static choice_shape *shape_of(void *context, size_t i, int *candidate) {
  *candidate = (int)(i % CHOICE_MOST_CANDIDATES);
  return shape_at(context, i / CHOICE_MOST_CANDIDATES);
}

static bool is_predicted(void *context, size_t i) {
  int c;
  const choice_shape *s = shape_of(context, i, &c);
  return c >= s->count || s->cycles[c] > 0;
}

static const char *candidate_name(void *context, size_t i) {
  static char text[192];
  int c;
  const choice_shape *s = shape_of(context, i, &c);
  snprintf(text, sizeof text, "%s %lldx%lldx%lld %s, %d parts", s->type, s->m, s->n, s->k,
           predicted_name(s->candidate[c]), s->candidate[c].parts);
  return text;
}

static int predict_one(void *context, size_t i, void *result) {
  int c;
  const choice_shape *s = shape_of(context, i, &c);
  predict_call call = {.chip = ((choice_shapes *)context)->chip,
                       .kernel = predicted_name(s->candidate[c]),
                       .type = s->type,
                       .shape = {.size = {s->m, s->n, s->k}, .sizes = 3, .options = 1}};
  strcpy(call.shape.option[0].name, "split");
  call.shape.option[0].value = predicted_split(s->candidate[c]);
  predict_result predicted;
  const int code = predict(&call, WT_SIM_TIMING_ONLY, &predicted);
  *(double *)result = predicted.total.cycles;
  return code;
}

static int take_cycles(void *context, size_t i, const void *result) {
  const choice_shapes *shapes = context;
  int c;
  choice_shape *s = shape_of(context, i, &c);
  memcpy(&s->cycles[c], result, sizeof *s->cycles);
  if (!shapes->keep) return TOOL_OK;
  return bench_keep_line(shapes->keep, "%s\t%s\t%lldx%lldx%lld\t%s\t%d\t%.0f", shapes->chip, s->type, s->m,
                         s->n, s->k, predicted_name(s->candidate[c]), s->candidate[c].parts, s->cycles[c]);
}

int choice_predict(choice_shapes *shapes, size_t jobs) {
  const bench_work all = {.context = shapes,
                          .count = shapes->count * CHOICE_MOST_CANDIDATES,
                          .bytes = sizeof(double),
                          .is_done = is_predicted,
                          .name = candidate_name,
                          .run = predict_one,
                          .take = take_cycles};
  return bench_jobs_run(&all, jobs);
}

// ---- what was predicted before

enum { CHIP, TYPE, SHAPE, KERNEL, PARTS, CYCLES, FIELDS };

static void take_line(void *context, char *const field[]) {
  choice_shapes *shapes = context;
  char shape[96];
  for (size_t i = 0; i < shapes->count; ++i) {
    choice_shape *s = &shapes->shapes[i];
    snprintf(shape, sizeof shape, "%lldx%lldx%lld", s->m, s->n, s->k);
    if (strcmp(shapes->chip, field[CHIP]) != 0 || strcmp(s->type, field[TYPE]) != 0 ||
        strcmp(shape, field[SHAPE]) != 0)
      continue;
    for (int c = 0; c < s->count; ++c)
      if (strcmp(predicted_name(s->candidate[c]), field[KERNEL]) == 0 &&
          s->candidate[c].parts == atoi(field[PARTS]))
        s->cycles[c] = strtod(field[CYCLES], NULL);
  }
}

int choice_keep_read(choice_shapes *shapes) {
  return bench_keep_lines(shapes->keep, FIELDS, take_line, shapes);
}

int choice_best(const choice_shape *s) {
  int best = 0;
  for (int c = 0; c < s->count; ++c) {
    if (!(s->cycles[c] > 0)) return -1;
    if (s->cycles[c] < s->cycles[best]) best = c;
  }
  return s->count ? best : -1;
}
