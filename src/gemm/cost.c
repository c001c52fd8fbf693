// SPDX-License-Identifier: MIT
// This is an analytical model of a tiled GEMM, in the manner of Origami (arXiv 2512.04226). It knows the
// chip's rates and latencies (core/target.c), the kernel's tile, stages and waves
// (kernels/gemm/instances.def) and the order of tiles, and nothing that was fitted to a kernel or a shape.
// tests/timing/choice.c holds what is chosen by it against predictions of the timing model, which simulates
// what this file only adds up.
//
// The busiest compute unit decides. It computes `each` work-groups, of which `resident` share it at a time.
// Its K loops take as long as the worst of some limits, and a little longer where several are close. Memory
// is cold: all bytes of A and B come from HBM once, and from the last-level cache as often as dies ask for
// them. But what a launch before has written, packed operands and sums of parts, is in the last-level cache.
#include "cost.h"

#include <math.h>

#include "cut.h"
#include "stream.h"

const char *const wt_limit_names[WT_LIMITS] = {
    [WT_LIMIT_MATRIX] = "matrix cores",
    [WT_LIMIT_LDS] = "LDS",
    [WT_LIMIT_L1] = "L1",
    [WT_LIMIT_FLIGHT] = "bytes in flight",
    [WT_LIMIT_LATENCY] = "latency",
    [WT_LIMIT_LLC] = "last-level cache",
    [WT_LIMIT_HBM] = "HBM",
};

// Describes the problem and its cut, in the units of the model.
typedef struct model {
  const wt_context *context;
  const wt_target *target;
  const wt_kernel *kernel;
  const wt_gemm_plan *plan;
  const wt_choice *choice;
  double groups;  // work-groups of the launch
  double rows_a;  // of A that exist in a tile
  double rows_b;
  double lines_a;  // lines of memory that L1 takes for a row of A in a K step, over those of an aligned row
  double lines_b;
  double k_bytes;     // bytes of a row in a part of K
  double latency;     // from a load to its use, in the mean of what comes from HBM and what does not
  double hbm_bytes;   // of A and B
  double llc_bytes;   // that all dies load of them
  wt_stream_cut cut;  // of stream-K
} model;

static bool is_stream(const model *x) { return x->kernel->kind == WT_KERNEL_STREAM; }

static double at_most(double x, double limit) { return x < limit ? x : limit; }

static double rows_of(int64_t all, unsigned tile) { return at_most((double)all, tile); }

// Returns the bytes of A and B that come from HBM.
static double hbm_bytes_of(const wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  const double rows = (plan->a.in_llc ? 0 : (double)d->m) + (plan->b.in_llc ? 0 : (double)d->n);
  return rows * (double)d->k * (double)plan->a.element_bytes * (double)d->batch;
}

// A K step takes one line of a row that begins with a line, or two steps that are loaded together do. It
// takes parts of (line + step) / line lines of another row in the mean, and L1 takes each of them whole; by
// the next step they have left L1. Rows that are contiguous the other way are not looked at.
static double lines_of(const wt_target *target, const wt_gemm_matrix *matrix) {
  const bool takes_one = matrix->transposed || wt_gemm_rows_begin_lines(matrix);
  return takes_one ? 1 : 1 + (double)WT_LINE / target->step_bytes;
}

// The work-groups of stream-K that share a tile are at other K than their neighbours: a die loads all rows of
// the tiles that are cut.
static void add_cut_tiles(model *x) {
  x->cut = wt_stream_cut_of(x->context, x->plan, x->kernel, (int64_t)x->groups);
  const double whole = (double)x->cut.whole / x->groups;
  x->llc_bytes = whole * x->llc_bytes + (double)x->cut.tiles * (x->rows_a + x->rows_b) * x->k_bytes;
}

static model model_of(const wt_context *context, const wt_gemm_plan *plan, const wt_choice *choice) {
  const wt_gemm_desc *d = &plan->desc;
  const wt_kernel *kernel = choice->kernel;
  model x = {.context = context, .target = context->target, .kernel = kernel, .plan = plan, .choice = choice};
  const double tiles = (double)choice->tiles_m * (double)choice->tiles_n;
  const double element_bytes = (double)plan->a.element_bytes, copies = (double)(choice->parts * d->batch);
  x.groups = tiles * copies;
  x.rows_a = rows_of(d->m, kernel->tile_m), x.rows_b = rows_of(d->n, kernel->tile_n);
  x.lines_a = lines_of(x.target, &plan->a), x.lines_b = lines_of(x.target, &plan->b);
  x.k_bytes = (double)choice->k_part * element_bytes;
  // A die has a run of tiles at a time, whose rows it loads once.
  const double runs = ceil(tiles / choice->chunk) * copies;
  x.llc_bytes = runs * wt_cut_rows_loaded(choice, x.rows_a, x.rows_b) * x.k_bytes;
  if (is_stream(&x)) add_cut_tiles(&x);
  x.hbm_bytes = hbm_bytes_of(plan);
  const double cold = at_most(x.hbm_bytes / x.llc_bytes, 1);
  x.latency = cold * x.target->hbm_latency + (1 - cold) * x.target->llc_latency;
  return x;
}

// ---- the K loops

// Bytes that a wave reads from LDS in a K step, times the waves: each reads the rows of A of its row of waves
// and the rows of B of its column.
static double lds_rows(const wt_kernel *kernel) {
  return (double)kernel->tile_m * kernel->waves_n + (double)kernel->tile_n * kernel->waves_m;
}

// Returns how many K steps have their loads in flight. Stages are refilled half by half, each as soon as it
// has been read; what goes through registers is loaded a step ahead.
static double ahead_of(const model *x) {
  const int stages = x->kernel->stages[x->target->id];
  return wt_kernel_copies(x->kernel) && stages > WT_STAGES_REGISTERS ? stages - 0.5 : 1;
}

static double groups_of_unit(const model *x) { return wt_kernel_resident(x->kernel, x->target); }

// Returns how many products a compute unit adds in a cycle.
static double macs_of(const wt_target *target, const wt_gemm_plan *plan) {
  return plan->a.element_bytes == 1 ? target->macs_8 : target->macs_16;
}

static void find_limits(const model *x, wt_cost *cost) {
  const wt_target *t = x->target;
  const wt_kernel *kernel = x->kernel;
  const double macs = macs_of(t, x->plan);
  const double step = kernel->waves_k * t->step_bytes, steps = ceil(x->k_bytes / step);
  // A row has the bytes of whole steps, as the last one takes as long as any other. But where waves share a K
  // that is shorter than a step, those past its end load nothing.
  const double row = steps > 1 ? steps * step : ceil(x->k_bytes / t->step_bytes) * t->step_bytes;
  const double bytes = cost->each * (x->rows_a * x->lines_a + x->rows_b * x->lines_b) * row;
  const double share = cost->each / cost->resident, ahead = ahead_of(x);
  const double rounds = is_stream(x) ? share : ceil(share);
  double *limit = cost->limit;
  limit[WT_LIMIT_MATRIX] =
      cost->each * row / (double)x->plan->a.element_bytes * kernel->tile_m * kernel->tile_n / macs;
  limit[WT_LIMIT_LDS] = cost->each * lds_rows(kernel) * row / t->lds_rate;
  // L1 spends its cycles on rows that do not exist, too.
  limit[WT_LIMIT_L1] =
      cost->each * (kernel->tile_m * x->lines_a + kernel->tile_n * x->lines_b) * row / t->l1_rate;
  // The launch has waited for the first loads.
  limit[WT_LIMIT_FLIGHT] = fmax(bytes / t->l1_flight_bytes - 1, 0) * x->latency;
  limit[WT_LIMIT_LATENCY] = fmax(rounds * steps / ahead - 1, 0) * x->latency;
  limit[WT_LIMIT_LLC] = x->llc_bytes / t->llc_rate;
  limit[WT_LIMIT_HBM] = x->hbm_bytes / t->hbm_rate;
}

// Limits that are close add up: the norm of order 3 of the limits, which is the largest where it is alone.
// Two of them are the same wait for memory, of which the longer counts.
static double loop_of(const wt_cost *cost) {
  const double *limit = cost->limit;
  const double wait = fmax(limit[WT_LIMIT_FLIGHT], limit[WT_LIMIT_LATENCY]);
  double sum = wait * wait * wait;
  for (int i = 0; i < WT_LIMITS; ++i)
    if (i != WT_LIMIT_FLIGHT && i != WT_LIMIT_LATENCY) sum += limit[i] * limit[i] * limit[i];
  return cbrt(sum);
}

// ---- around them

// A launch waits for memory several times one after the other: for the arguments that say which tile is to be
// computed, for those of the tile, for the first data, and for the last stores.
enum { WAITS_OF_LAUNCH = 4 };

static double launch_of(const wt_target *target) { return WAITS_OF_LAUNCH * target->hbm_latency; }

static const double sum_bytes = 4;

// Returns the bytes that all ranges of stream-K store: whole tiles, and the sums of segments. L2 passes sums
// on twice: they come all at once, and there are more than it holds.
static double stream_bytes(const model *x) {
  const double tile = (double)x->kernel->tile_m * x->kernel->tile_n;
  const double segments = (double)(x->cut.ranges + x->cut.tiles);
  return tile * ((double)x->cut.whole * (double)x->plan->c.element_bytes + 2 * segments * sum_bytes);
}

// A work-group stores its tile through its L1, and all compute units of a die through its L2.
static double end_of(const model *x, const wt_cost *cost) {
  const wt_choice *c = x->choice;
  const double elements =
      rows_of(x->plan->desc.m, x->kernel->tile_m) * rows_of(x->plan->desc.n, x->kernel->tile_n);
  const double stores = is_stream(x) ? (double)x->cut.ranges : x->groups;
  const double units = at_most(stores, x->context->compute_units) / WT_XCDS;  // of a die that store
  const double element_bytes = c->parts > 1 ? sum_bytes : (double)x->plan->c.element_bytes;
  double bytes = cost->each * elements * element_bytes;
  // A persistent work-group stores a tile under the next tile's MFMAs: half of the cycles are left.
  if (x->kernel->kind == WT_KERNEL_PERSISTENT) bytes = (1 + cost->each) / 2 * elements * element_bytes;
  if (is_stream(x)) bytes = stream_bytes(x) / x->context->compute_units;
  return bytes * fmax(1 / x->target->l1_rate, fmax(units, 1) / x->target->l2_write_rate);
}

// The launch that adds up the parts (kernels/gemm/gemm_reduce.hip) waits for its arguments, which it loads
// together, and for the last stores; and in between for the sums, of which it loads some at once, from the
// last-level cache, where they fit into half of it: A and B have gone through it, too.
enum { WAITS_OF_REDUCTION = 2, PARTS_AT_ONCE = 8 };

static double reduction_of(const model *x) {
  const wt_choice *c = x->choice;
  const wt_target *t = x->target;
  if (!c->workspace_bytes) return 0;
  const double share = is_stream(x) ? (double)x->cut.tiles / x->groups : 1;  // of C
  const double sums = (double)c->workspace_bytes, result = share * (double)x->plan->c.bytes;
  const bool held = 2 * sums < t->llc_bytes;
  const double waits = ceil((double)c->parts / PARTS_AT_ONCE);
  return WAITS_OF_REDUCTION * t->hbm_latency + waits * (held ? t->llc_latency : t->hbm_latency) +
         sums / (held ? t->llc_rate : t->hbm_rate) + result / t->hbm_rate;
}

wt_cost wt_cost_of(const wt_context *context, const wt_gemm_plan *plan, const wt_choice *choice) {
  wt_cost cost = {.cycles = 0};
  if (choice->kernel->kind == WT_KERNEL_RUNG) return cost;
  const model x = model_of(context, plan, choice);
  cost.each = is_stream(&x) ? x.groups / context->compute_units : ceil(x.groups / context->compute_units);
  cost.resident = is_stream(&x) ? groups_of_unit(&x) : at_most(cost.each, groups_of_unit(&x));
  find_limits(&x, &cost);
  cost.launch = launch_of(x.target);
  cost.loop = loop_of(&cost);
  cost.end = end_of(&x, &cost);
  cost.reduction = reduction_of(&x);
  cost.cycles = cost.launch + cost.loop + cost.end + cost.reduction;
  return cost;
}

double wt_cost_of_moving(const wt_context *context, double bytes) {
  const wt_target *t = context->target;
  return launch_of(t) + bytes / t->hbm_rate + bytes / t->llc_rate;
}

double wt_cost_least(const wt_context *context, const wt_gemm_plan *plan) {
  const wt_gemm_desc *d = &plan->desc;
  const wt_target *t = context->target;
  const double products = (double)d->m * (double)d->n * (double)d->k * (double)d->batch;
  return launch_of(t) +
         fmax(products / macs_of(t, plan) / context->compute_units, hbm_bytes_of(plan) / t->hbm_rate);
}
