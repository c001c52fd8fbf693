// SPDX-License-Identifier: MIT
// Searches every kernel with the split of K that the library chooses for it and its own grid order; then
// splits, windows and chunks of the fastest.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/tool.h"
#include "tune/tune.h"

// These are the tile rows of a window, and the numbers of consecutive tiles on a die, that are tried.
// Published kernels have windows of 4 to 8 and chunks of 8 to 64 (ROCm blogs, FP8 GEMM for CDNA 4; HipKittens
// blog); 32 and 38 are the compute units of a die.
static const int windows[] = {1, 2, 4, 6, 8, 16};
static const int chunks[] = {1, 8, 16, 32, 38, 64};
// Parts of K: few, for each costs memory traffic.
static const int splits[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};

static wt_gemm_desc desc_of(const tune_job *job, const char *kernel) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = job->m, desc.n = job->n, desc.k = job->k;
  desc.type_a = desc.type_b = element_type_on(element_type_find(job->type, false), job->target);
  desc.type_c = WT_TYPE_BF16;
  desc.kernel = kernel;
  return desc;
}

// Returns the number of parts of K that the library takes for a descriptor with a kernel; 0 when the kernel
// cannot run it.
static long long parts_of(wt_context *context, const wt_gemm_desc *desc) {
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  return wt_gemm_piece_at(context, desc, 0, &piece) ? 0 : piece.parts;
}

// Returns the work of the busiest compute unit in elements of C of all K.
static double area_of(const tune_job *job, const wt_gemm_kernel_info *info, long long parts) {
  return predict_busiest_tiles(info, job->m, job->n, parts, job->compute_units) * info->tile_m * info->tile_n;
}

typedef struct candidate {
  wt_gemm_kernel_info info;
  double area;
} candidate;

static int by_area(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->area != y->area) return x->area < y->area ? -1 : 1;
  const int size = y->info.tile_m * y->info.tile_n - x->info.tile_m * x->info.tile_n;  // larger tiles first
  return size ? size : strcmp(x->info.name, y->info.name);
}

// Finds the kernels of the library that can run the problem; of the ladder none.
static int find_candidates(const tune_job *job, wt_context *context, candidate *found) {
  int count = 0;
  for (size_t i = 0; i < wt_gemm_kernel_count() && count < TUNE_MOST_KERNELS; ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    if (wt_gemm_kernel_at(i, &info) || info.ladder) continue;
    if (job->only && !strstr(info.name, job->only)) continue;
    const wt_gemm_desc desc = desc_of(job, info.name);
    const long long parts = parts_of(context, &desc);
    if (parts) found[count++] = (candidate){.info = info, .area = area_of(job, &info, parts)};
  }
  qsort(found, (size_t)count, sizeof *found, by_area);
  return count;
}

static int by_cycles(const void *a, const void *b) {
  const tune_try *x = a, *y = b;
  if (x->result.total.cycles != y->result.total.cycles)
    return x->result.total.cycles < y->result.total.cycles ? -1 : 1;
  if (strcmp(x->kernel, y->kernel) != 0) return strcmp(x->kernel, y->kernel);
  if (x->parts != y->parts) return x->parts - y->parts;
  return x->window != y->window ? x->window - y->window : x->chunk - y->chunk;
}

static int try_one(tune_job *job, const char *kernel, int parts, int window, int chunk) {
  if (job->done_count >= job->tries) return TOOL_OK;
  for (int i = 0; i < job->done_count; ++i)
    if (strcmp(job->done[i].kernel, kernel) == 0 && job->done[i].parts == parts &&
        job->done[i].window == window && job->done[i].chunk == chunk)
      return TOOL_OK;
  tune_try *t = &job->done[job->done_count];
  *t = (tune_try){.kernel = kernel, .parts = parts, .window = window, .chunk = chunk};
  predict_call call = {.chip = job->chip,
                       .kernel = kernel,
                       .type = job->type,
                       .shape = {.size = {job->m, job->n, job->k}, .sizes = 3}};
  predict_shape *s = &call.shape;
  if (parts) s->option[s->options].value = parts, strcpy(s->option[s->options++].name, "split");
  if (window) s->option[s->options].value = window, strcpy(s->option[s->options++].name, "window");
  if (chunk) s->option[s->options].value = chunk, strcpy(s->option[s->options++].name, "chunk");
  fprintf(stderr, "%d of at most %lld: %s, parts %d, window %d, chunk %d\n", job->done_count + 1, job->tries,
          kernel, parts, window, chunk);
  const int code = predict(&call, WT_SIM_TIMING_ONLY, &t->result);
  if (code) return code;
  ++job->done_count;
  qsort(job->done, (size_t)job->done_count, sizeof *job->done, by_cycles);
  return TOOL_OK;
}

// Returns the fastest of those that are a kernel for all of C; where there is none yet, what is there.
static const tune_try *fastest_kernel(const tune_job *job) {
  int i = 0;
  while (i < job->done_count - 1 && strcmp(job->done[i].kernel, TUNE_SEVERAL) == 0) ++i;
  return &job->done[i];
}

// Tries several kernels, if the library takes them.
static int try_several(tune_job *job, wt_context *context) {
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  const wt_gemm_desc desc = desc_of(job, NULL);
  if (job->only || wt_gemm_piece_at(context, &desc, 0, &piece) ||
      (piece.count == 1 && !piece.packs_a && !piece.packs_b))
    return TOOL_OK;
  return try_one(job, TUNE_SEVERAL, 0, 0, 0);
}

// Returns the cycles in which the matrix pipes of the fastest kernel so far are busy, by element of C of the
// busiest unit: less than the busiest unit's own, so that what a kernel cannot undercut is not overestimated.
static double least_cycles(const tune_try *fastest, double area, double fastest_area) {
  const wt_sim_timing_result *r = &fastest->result.total.longest;
  return r->matrix_share * r->cycles * area / fastest_area;
}

static int try_kernels(tune_job *job, const candidate *found, int count) {
  for (int i = 0; i < count; ++i) {
    const tune_try *fastest = fastest_kernel(job);
    double area = 0;
    for (int j = 0; job->done_count && j < count; ++j)
      if (strcmp(found[j].info.name, fastest->kernel) == 0) area = found[j].area;
    if (area > 0 && least_cycles(fastest, found[i].area, area) > fastest->result.total.cycles) {
      job->skipped[job->skipped_count++] = found[i].info.name;
      continue;
    }
    const int code = try_one(job, found[i].info.name, 0, 0, 0);
    if (code) return code;
  }
  return TOOL_OK;
}

// Splits whose sums fit into what a context has, for kernels that split K.
static int try_splits(tune_job *job, wt_context *context) {
  const char *kernel = fastest_kernel(job)->kernel;
  wt_gemm_desc desc = desc_of(job, kernel);
  const long long own = parts_of(context, &desc);
  for (size_t i = 0; i < sizeof splits / sizeof *splits; ++i) {
    desc.split_k = splits[i];
    if (splits[i] == own || parts_of(context, &desc) != splits[i]) continue;
    const int code = try_one(job, kernel, splits[i], 0, 0);
    if (code) return code;
  }
  return TOOL_OK;
}

static int try_orders(tune_job *job, const candidate *found, int count) {
  const char *kernel = fastest_kernel(job)->kernel;
  long long tiles = 0, rows = 0;
  for (int i = 0; i < count; ++i) {
    const wt_gemm_kernel_info *info = &found[i].info;
    if (strcmp(info->name, kernel) != 0) continue;
    rows = (job->m - 1) / info->tile_m + 1;
    tiles = rows * ((job->n - 1) / info->tile_n + 1);
  }
  const int parts = fastest_kernel(job)->parts;
  for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i) {
    if (windows[i] > rows) break;
    const int code = try_one(job, kernel, parts, windows[i], 0);
    if (code) return code;
  }
  const int window = fastest_kernel(job)->window;
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; ++i) {
    if (chunks[i] > tiles) break;
    const int code = try_one(job, kernel, parts, window, chunks[i]);
    if (code) return code;
  }
  return TOOL_OK;
}

int tune_search(tune_job *job) {
  static candidate found[TUNE_MOST_KERNELS];
  tool_device device;
  wt_context *context;
  int code = tool_device_open(job->device, &device);
  if (code) return code;
  if (wt_context_create(device.ordinal, &context)) return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  job->target = strcmp(wt_context_target(context), "gfx942") == 0 ? "gfx942" : "gfx950";
  const int count = find_candidates(job, context, found);
  if (count) {
    code = try_several(job, context);
    if (!code) code = try_kernels(job, found, count);
    if (!code) code = try_splits(job, context);
  }
  wt_context_destroy(context);
  if (!count)
    return job->only
               ? tool_error(TOOL_USAGE,
                            "--only is \"%s\", but no kernel with that in its name can run %lld x %lld x "
                            "%lld in %s; leave it out, or see wavetile gemm --help",
                            job->only, job->m, job->n, job->k, job->type)
               : tool_error(TOOL_USAGE, "no kernel of the library can run %lld x %lld x %lld in %s", job->m,
                            job->n, job->k, job->type);
  return code ? code : try_orders(job, found, count);
}
