// SPDX-License-Identifier: MIT
// Prints the report as text, no wider than the terminal.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/tool.h"
#include "prof.h"
#include "sim/isa/op.h"

enum { IDLE_PLACES = 2, TITLE_COLUMN = 63 };  // TITLE_COLUMN: of the overview

double prof_percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// "12.3 G": a number with the prefix of its thousands.
static const char *scaled(double value, char out[32]) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  int i = 0;
  for (; value >= 1000 && i < 5; ++i) value /= 1000;
  snprintf(out, 32, "%.4g %s", value, prefixes[i]);
  return out;
}

static const char *duration(double seconds, char out[32]) {
  if (seconds < 1e-3)
    snprintf(out, 32, "%.2f us", seconds * 1e6);
  else
    snprintf(out, 32, "%.4g %s", seconds < 1 ? seconds * 1e3 : seconds, seconds < 1 ? "ms" : "s");
  return out;
}

static void print_launches(const prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  printf("  launches    %llu on %s of %ux%ux%u work-groups of %ux%ux%u: %llu timed",
         (unsigned long long)(k->timed_count + k->equal + k->alike), k->timed->target, f->grid[0], f->grid[1],
         f->grid[2], f->block[0], f->block[1], f->block[2], (unsigned long long)k->timed_count);
  if (k->equal) printf(", %llu taken as equal", (unsigned long long)k->equal);
  if (k->alike) printf(", %llu as alike", (unsigned long long)k->alike);
  putchar('\n');
}

static void print_time(const prof_kernel *k, const prof_run *run) {
  const sim_profile_facts *f = &k->timed->facts;
  char each[32], all[32];
  printf("  time        %s at %.0f MHz, %.0f cycles", duration(f->result.seconds, each), f->result.clock_mhz,
         f->result.cycles);
  if (k->most > k->least) printf(" (%.0f to %.0f)", k->least, k->most);
  printf("; all launches %s, %.1f%% of all kernels\n", duration(k->seconds, all),
         prof_percent(k->seconds, run->seconds));
}

static void print_work(const prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  const double seconds = f->result.seconds, matrix = k->matrix_flops, vector = k->vector_flops;
  char a[32], b[32];
  if (matrix > 0)
    printf("  matrix      %sFLOP/s, %.1f%% of %sFLOP/s; pipes busy %.1f%%, in the loop %.1f%%\n",
           scaled(matrix / seconds, a), prof_percent(matrix / seconds, k->matrix_peak),
           scaled(k->matrix_peak, b), 100 * f->result.matrix_share, 100 * f->result.loop_efficiency);
  if (vector > 0)
    printf("  vector      %sFLOP/s, %.1f%% of the f32 peak of %sFLOP/s\n", scaled(vector / seconds, a),
           prof_percent(vector / seconds, k->vector_peak), scaled(k->vector_peak, b));
}

// Prints the next words of a line, right-aligned in `width` columns after a space.
static void print_cell(int width, double value, const char *unit) {
  char number[32], text[40];
  snprintf(text, sizeof text, "%s%s", scaled(value, number), unit);
  printf(" %*s", width, text);
}

static void print_memory(const prof_kernel *k) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  prof_roof roofs[PROF_ROOFS];
  printf("  memory            read    written         rate      at most    used    FLOP/byte\n");
  for (int i = 0; i < WT_SIM_LEVELS; ++i) {
    const double rate = prof_level_rate(k, (wt_sim_level)i), intensity = prof_intensity(k, (wt_sim_level)i);
    printf("    %-8s", prof_level_names[i]);
    print_cell(10, k->level[i].read, "B");
    print_cell(10, k->level[i].written, "B");
    print_cell(12, rate, "B/s");
    print_cell(12, k->level[i].limit, "B/s");
    printf(" %6.1f%%", prof_percent(rate, k->level[i].limit));
    printf("  %11.4g\n", intensity);
  }
  prof_roofs(k, roofs);
  printf("  roofline    the nearest roof is %s at %.1f%%, then %s at %.1f%% and %s at %.1f%%\n",
         roofs[0].name, 100 * roofs[0].share, roofs[1].name, 100 * roofs[1].share, roofs[2].name,
         100 * roofs[2].share);
  printf("  hits        TCP %.1f%%, L2 %.1f%%, LLC %.1f%%; LDS bank conflicts %llu cycles\n",
         prof_percent((double)r->tcp_hits, (double)r->tcp_lines),
         prof_percent((double)r->l2_hits, (double)r->l2_lines),
         prof_percent((double)r->llc_hits, (double)r->llc_lines), (unsigned long long)r->lds_conflicts);
}

static void print_occupancy(const prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  printf("  occupancy   %u work-group%s per CU, limited by %s; %.1f of %u waves per SIMD\n", f->groups_per_cu,
         f->groups_per_cu == 1 ? "" : "s", prof_occupancy_limit(f),
         (double)f->groups_per_cu * f->group_waves / f->simds_per_cu, f->waves_per_simd);
  printf("  a wave has  %u VGPRs (%u of them AGPRs, %u allocated), %u SGPRs; a work-group %u bytes of LDS\n",
         f->vgprs, f->agprs, f->allocated_vgprs, f->sgprs, f->static_lds + f->dynamic_lds);
  if (f->scratch_bytes || f->vgpr_spills)
    printf("  spills      %u VGPRs, %u SGPRs; scratch %u bytes a lane\n", f->vgpr_spills, f->sgpr_spills,
           f->scratch_bytes);
}

// Shares in percent: of the waves' time in the launch and in the loop, of the matrix pipes' time in the loop.
typedef struct stall_row {
  const char *name;
  double launch, loop, pipe;
} stall_row;

static void print_stall(const prof_kernel *k, stall_row row) {
  static const char bar[] = "##################################################";
  const bool pipe = k->loop.pipe_busy > 0;
  const double drawn = pipe ? row.pipe : k->loop.found ? row.loop : row.launch;
  printf("    %-22s %5.1f%%", row.name, row.launch);
  if (k->loop.found) printf("   %5.1f%%", row.loop);
  if (pipe) printf("   %5.1f%%", row.pipe);
  printf("%s%.*s\n", drawn >= 1 ? "  " : "", (int)(drawn / 2 + 0.5), bar);
}

static void print_stalls(const prof_kernel *k) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  const prof_loop *loop = &k->loop;
  const double pipe = loop->pipe_busy + loop->pipe_idle;
  double all = 0, in_loop = 0;
  printf("  where time goes           waves%s%s\n", loop->found ? "  in loop" : "",
         pipe > 0 ? "     pipe" : "");
  for (int i = 0; i < WT_SIM_STALLS; ++i) {
    all += r->stall[i];
    in_loop += loop->stall[i];
    if (r->stall[i] <= 0 && loop->stall[i] <= 0) continue;
    print_stall(
        k, (stall_row){sim_stall_names[i], prof_percent(r->stall[i], r->wave_cycles),
                       prof_percent(loop->stall[i], loop->wave_cycles), prof_percent(loop->idle[i], pipe)});
  }
  print_stall(k, (stall_row){"issuing", prof_percent(r->wave_cycles - all, r->wave_cycles),
                             prof_percent(loop->wave_cycles - in_loop, loop->wave_cycles),
                             prof_percent(loop->idle[WT_SIM_STALLS], pipe)});
  if (pipe > 0)
    printf("    matrix pipe busy                         %5.1f%%\n", prof_percent(loop->pipe_busy, pipe));
}

// Prints the MFMAs before which the pipe idles most: cycles of an iteration of the loop.
static void print_idle_places(const prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  double before = INFINITY;
  char text[256] = "";
  size_t length = 0;
  for (int shown = 0; k->loop.pipe_idle > 0 && shown < IDLE_PLACES; ++shown) {
    const sim_profile_op *worst = NULL;
    for (uint32_t i = k->loop.first; i <= k->loop.last; ++i) {
      const double idle = prof_op_idle(&l->ops[i]);
      if (idle < before && idle >= 1 && (!worst || idle > prof_op_idle(worst))) worst = &l->ops[i];
    }
    if (!worst) break;
    before = prof_op_idle(worst);
    length += (size_t)snprintf(text + length, sizeof text - length, "%.1f cycles before +0x%05llx; ", before,
                               (unsigned long long)worst->offset);
  }
  if (!length) return;
  snprintf(text + length, sizeof text - length, "of %.0f for a loop iteration of a wave",
           k->loop.pipe_busy + k->loop.pipe_idle);
  printf("  pipe idles  ");
  tool_print_wrapped(text, strlen(text), 14);
}

static void print_advice(const prof_kernel *k) {
  prof_advice advice[PROF_ADVICE];
  const size_t count = prof_advise(k, advice);
  for (size_t i = 0; i < count; ++i) {
    char text[1024];
    snprintf(text, sizeof text, "%s: %s. %s", advice[i].resource, advice[i].sentence, advice[i].suggestion);
    printf("  %-11s ", i ? "and by" : "limited by");
    tool_print_wrapped(text, strlen(text), 14);
  }
}

static void print_kernel(const prof_run *run, const prof_kernel *k, const prof_options *options) {
  putchar('\n');
  tool_print_wrapped(k->title, strlen(k->title), 0);
  print_launches(k);
  print_time(k, run);
  print_work(k);
  print_memory(k);
  print_occupancy(k);
  print_stalls(k);
  print_idle_places(k);
  print_advice(k);
  if (options->source) prof_print_source(k);
  if (options->listing) prof_print_listing(k);
}

// Prints a line for each kernel, when there are several.
static void print_overview(const prof_run *run, const prof_options *options) {
  printf("\n  %6s %9s %10s %9s  %-20s %s\n", "share", "launches", "time", "matrix", "limited by", "kernel");
  for (size_t i = 0; i < run->count; ++i) {
    const prof_kernel *k = &run->kernels[i];
    prof_advice advice[PROF_ADVICE];
    char all[32];
    if (!prof_shown(k, options)) continue;
    prof_advise(k, advice);
    printf("  %5.1f%% %9llu %10s %8.1f%%  %-20.20s %.*s\n", prof_percent(k->seconds, run->seconds),
           (unsigned long long)(k->timed_count + k->equal + k->alike), duration(k->seconds, all),
           100 * k->timed->facts.result.matrix_share, advice[0].resource, tool_columns_left(TITLE_COLUMN),
           k->title);
  }
}

bool prof_shown(const prof_kernel *kernel, const prof_options *options) {
  return !options->kernel || strstr(kernel->timed->kernel, options->kernel) ||
         strstr(kernel->title, options->kernel);
}

void prof_print(const prof_run *run, const prof_options *options) {
  char all[32];
  long long shown = 0, left = 0;
  printf("predicted by the timing model, not measured: %llu launch%s, %s on the device\n",
         (unsigned long long)run->launches, run->launches == 1 ? "" : "es", duration(run->seconds, all));
  if (options->repeats) printf("every launch as a repeat of itself on the same data\n");
  if (run->count > 1) print_overview(run, options);
  for (size_t i = 0; i < run->count; ++i) {
    if (!prof_shown(&run->kernels[i], options)) continue;
    if (shown++ < options->top)
      print_kernel(run, &run->kernels[i], options);
    else
      ++left;
  }
  if (left) printf("\n%lld more with less time; see them with --top or --json\n", left);
}
