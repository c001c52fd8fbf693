// SPDX-License-Identifier: MIT
// Computes the roofline of every level of memory: bytes moved, FLOPs for each of them, and the bound that is
// nearest.
#include <stdlib.h>

#include "prof.h"

const char *const prof_level_names[WT_SIM_LEVELS] = {[WT_SIM_LEVEL_L1] = "L1 (TCP)",
                                                     [WT_SIM_LEVEL_L2] = "L2",
                                                     [WT_SIM_LEVEL_LLC] = "LLC",
                                                     [WT_SIM_LEVEL_HBM] = "HBM"};

void prof_add_levels(prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  for (int i = 0; i < WT_SIM_LEVELS; ++i) {
    const double read = f->result.read_bytes[i], written = f->result.written_bytes[i];
    const double seconds = read / f->read_limit[i] + written / f->write_limit[i];
    k->level[i] = (prof_level){read, written, seconds > 0 ? (read + written) / seconds : f->read_limit[i]};
  }
}

double prof_flops_of(const prof_kernel *k) { return k->matrix_flops + k->vector_flops; }

static double bytes_of(const prof_level *l) { return l->read + l->written; }

double prof_level_rate(const prof_kernel *k, wt_sim_level l) {
  return bytes_of(&k->level[l]) / k->timed->facts.result.seconds;
}

double prof_intensity(const prof_kernel *k, wt_sim_level l) {
  const double bytes = bytes_of(&k->level[l]);
  return bytes > 0 ? prof_flops_of(k) / bytes : 0;
}

static int by_share(const void *a, const void *b) {
  const prof_roof *x = a, *y = b;
  return (x->share < y->share) - (x->share > y->share);
}

void prof_roofs(const prof_kernel *k, prof_roof out[PROF_ROOFS]) {
  const double seconds = k->timed->facts.result.seconds;
  for (int i = 0; i < WT_SIM_LEVELS; ++i)
    out[i] = (prof_roof){prof_level_names[i], prof_level_rate(k, (wt_sim_level)i) / k->level[i].limit};
  out[WT_SIM_LEVELS] =
      (prof_roof){"matrix", k->matrix_peak > 0 ? k->matrix_flops / seconds / k->matrix_peak : 0};
  out[WT_SIM_LEVELS + 1] = (prof_roof){"f32 vector", k->vector_flops / seconds / k->vector_peak};
  qsort(out, PROF_ROOFS, sizeof *out, by_share);
}
