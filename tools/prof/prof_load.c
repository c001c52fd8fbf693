// SPDX-License-Identifier: MIT
// Reads the records of a run and sums them up by kernel and shape.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "prof.h"
#include "sim/isa/op.h"
#include "sim/object/demangle.h"

// The source is the table of peak rates in the AMD CDNA 3 white paper: 256 f32 operations a cycle and compute
// unit, packed.
enum { VECTOR_FLOPS_PER_CYCLE = 256 };

static void derive(prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  const sim_profile_facts *f = &l->facts;
  const double cycles_per_second = 1e6 * f->clock_mhz;
  double matrix_cycles = 0;
  k->groups = (double)f->grid[0] * f->grid[1] * f->grid[2];
  k->scale = 1 / f->result.timed_share;
  for (uint64_t i = 0; i < f->op_count; ++i) {
    const sim_profile_op *op = &l->ops[i];
    const double flops = prof_flops(prof_op_text(l, op), op->klass) * (double)op->seen.issued;
    if (op->klass == SIM_CLASS_MFMA) {
      k->matrix_flops += flops * k->scale;
      matrix_cycles += (double)op->seen.cycles * (double)op->seen.issued * k->scale;
    } else {
      k->vector_flops += flops * k->scale;
    }
  }
  if (matrix_cycles > 0)
    k->matrix_peak = k->matrix_flops / matrix_cycles * f->cus * f->simds_per_cu * cycles_per_second;
  k->vector_peak = (double)VECTOR_FLOPS_PER_CYCLE * f->cus * cycles_per_second;
  prof_add_levels(k);
  k->bytes_per_second = prof_level_rate(k, WT_SIM_LEVEL_HBM);
  k->loop = prof_find_loop(l);
}

const char *prof_occupancy_limit(const sim_profile_facts *f) {
  const uint32_t lds = f->static_lds + f->dynamic_lds;
  if (lds && f->cu_lds / lds <= f->groups_per_cu) return "LDS";
  const uint32_t waves = (f->groups_per_cu + 1) * f->group_waves;  // had it one work-group more
  if (waves > f->simds_per_cu * f->waves_per_simd) return "wave slots";
  return "registers";
}

static prof_kernel *kernel_of(prof_run *run, uint64_t shape) {
  for (size_t i = 0; i < run->count; ++i)
    if (run->kernels[i].timed->facts.shape == shape) return &run->kernels[i];
  return NULL;
}

static prof_kernel *add_kernel(prof_run *run, sim_profile_launch *launch) {
  prof_kernel *grown = realloc(run->kernels, (run->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  run->kernels = grown;
  prof_kernel *k = &grown[run->count++];
  *k = (prof_kernel){.title = sim_demangle(launch->kernel),
                     .timed = launch,
                     .least = launch->facts.result.cycles,
                     .most = launch->facts.result.cycles};
  if (!k->title) return NULL;
  derive(k);
  return k;
}

// Takes the record's launch; false when host memory runs out.
static bool take(prof_run *run, const sim_profile_record *r) {
  prof_kernel *k = kernel_of(run, r->shape);
  ++run->launches;
  if (r->kind == SIM_PROFILE_TIMED) {
    const wt_sim_timing_result result = r->launch->facts.result;
    if (k)
      sim_profile_launch_free(r->launch);
    else if (!(k = add_kernel(run, r->launch)))
      return false;
    ++k->timed_count;
    if (result.cycles < k->least) k->least = result.cycles;
    if (result.cycles > k->most) k->most = result.cycles;
    k->seconds += k->last_seconds = result.seconds;
    return true;
  }
  if (!k) return true;  // its timed launch stands in a file that broke off
  ++*(r->kind == SIM_PROFILE_EQUAL ? &k->equal : &k->alike);
  k->seconds += k->last_seconds;
  return true;
}

static int by_seconds(const void *a, const void *b) {
  const prof_kernel *x = a, *y = b;
  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static bool load_file(const char *path, prof_run *run) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  sim_profile_record record;
  const uint64_t before = run->launches;
  bool broken, good = true;
  while (good && sim_profile_read(file, &record, &broken)) good = take(run, &record);
  run->broken += broken;
  run->unrecorded += good && !broken && run->launches == before;
  fclose(file);
  return good;
}

int prof_load(const char *folder, prof_run *run) {
  struct dirent **names;
  const int count = scandir(folder, &names, NULL, alphasort);
  if (count < 0) return tool_error(TOOL_FAILED, "cannot read the records in %s: %s", folder, strerror(errno));
  bool good = true;
  for (int i = 0; i < count; ++i) {
    char path[4096];
    const char *dot = strrchr(names[i]->d_name, '.');
    snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    if (good && dot && strcmp(dot, ".wtprof") == 0) good = load_file(path, run);
    free(names[i]);
  }
  free(names);
  if (!good) return tool_error(TOOL_FAILED, "cannot read the records in %s: %s", folder, strerror(errno));
  if (run->count) qsort(run->kernels, run->count, sizeof *run->kernels, by_seconds);
  for (size_t i = 0; i < run->count; ++i) run->seconds += run->kernels[i].seconds;
  return TOOL_OK;
}

void prof_free(prof_run *run) {
  for (size_t i = 0; i < run->count; ++i) {
    sim_profile_launch_free(run->kernels[i].timed);
    free(run->kernels[i].title);
  }
  free(run->kernels);
}
