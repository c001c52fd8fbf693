// SPDX-License-Identifier: MIT
// Knows which kernels can run a grouped product, and which of them is expected to take the least time.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/blocks.h"
#include "core/tile_order.h"
#include "core/types.h"
#include "gemm/kernels.h"
#include "grouped_plan.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

enum {
  MECHANISM_general = WT_GROUPED_GENERAL,
  MECHANISM_skinny = WT_GROUPED_SKINNY,
  MECHANISM_depth = WT_GROUPED_BY_DEPTH,
  MECHANISM_depth_4wave = WT_GROUPED_DEPTH_4WAVE,
  MECHANISM_4wave_transposed = WT_GROUPED_TRANSPOSED,
  MECHANISM_4wave = WT_GROUPED_4WAVE,
  MECHANISM_4wave_persistent = WT_GROUPED_PERSISTENT,
  MECHANISM_block_tiles = WT_GROUPED_BLOCK_TILES,
  MECHANISM_block_rows = WT_GROUPED_BLOCK_ROWS,
  MECHANISM_block_powers_tiles = WT_GROUPED_POWERS_TILES,
  MECHANISM_block_powers_rows = WT_GROUPED_POWERS_ROWS,
  MECHANISM_mx = WT_GROUPED_MX,
  MECHANISM_mx_6 = WT_GROUPED_MX,
  MECHANISM_mx_bf16 = WT_GROUPED_MX,
  MECHANISM_mx_skinny = WT_GROUPED_MX_SKINNY,
  MECHANISM_mx_skinny_bf16 = WT_GROUPED_MX_SKINNY,
};
enum { NOT_MADE = WT_STAGES_NOT_MADE, REGISTERS = WT_STAGES_REGISTERS };
enum { LANES = 64, SIMDS = 4 };  // of a wave; of a compute unit (AMD CDNA 3 white paper)
static const wt_grouped_kernel kernels[] = {
#define GROUPED_INSTANCE(name, mechanism, tile_m, tile_n, waves, waves_k, stages_gfx942, stages_gfx950, \
                         shared_gfx942, shared_gfx950, least_steps, places, efficiency, pairs)          \
  {#name,                                                                                               \
   (wt_grouped_mechanism)MECHANISM_##mechanism,                                                         \
   tile_m,                                                                                              \
   tile_n,                                                                                              \
   LANES * (waves),                                                                                     \
   waves_k,                                                                                             \
   {[WT_GFX942] = stages_gfx942, [WT_GFX950] = stages_gfx950},                                          \
   {[WT_GFX942] = SIMDS * (shared_gfx942) / (waves), [WT_GFX950] = SIMDS * (shared_gfx950) / (waves)},  \
   least_steps,                                                                                         \
   efficiency,                                                                                          \
   WT_INPUT_##pairs},
#include "kernels/grouped/instances.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels, CHUNK_BYTES = 16, STORED_COLUMNS = 8 };

#define REFUSE(...) return (void)snprintf(why, size, __VA_ARGS__), true

static bool refuses_rows(const wt_grouped_matrix *of, int tile, char *why, size_t size) {
  const wt_operand *matrix = &of->operand;
  const int64_t element_bytes = (int64_t)matrix->element_bytes, ld = matrix->axes[0].stride;
  if (ld * element_bytes % CHUNK_BYTES)
    REFUSE("needs rows of %s at multiples of %d bytes, but they are %" PRId64 " elements apart", matrix->name,
           CHUNK_BYTES, ld);
  if (of->group * element_bytes % CHUNK_BYTES)
    REFUSE("needs groups of %s at multiples of %d bytes, but they are %" PRId64 " elements apart",
           matrix->name, CHUNK_BYTES, of->group);
  if ((uintptr_t)matrix->pointer % CHUNK_BYTES)
    REFUSE("needs %s at a multiple of %d bytes", matrix->name, CHUNK_BYTES);
  if (ld >= INT32_MAX / (tile * element_bytes) - 1)
    REFUSE("needs less than 2 GB from the first to the last row of a tile, but rows of %s are %" PRId64
           " elements apart",
           matrix->name, ld);
  return false;
}

// Offsets to the rows of a tile have 32 bits.
static bool refuses_distance(const wt_grouped_matrix *matrix, int tile, char *why, size_t size) {
  const int64_t most = UINT32_MAX / tile / (int64_t)matrix->operand.element_bytes - 1;
  if (matrix->row > most)
    REFUSE("needs less than 4 GB from the first to the last row of a tile, but rows of %s are %" PRId64
           " elements apart",
           matrix->operand.name, matrix->row);
  return false;
}

static bool refuses_order(const wt_grouped_plan *plan, char *why, size_t size) {
  if (plan->a.column != 1 || plan->b.column != 1)
    REFUSE(
        "needs what is summed over along the rows of %s and %s, which without scales only the forward pass "
        "has",
        plan->a.operand.name, plan->b.operand.name);
  return false;
}

static bool refuses_few_rows(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel, char *why,
                             size_t size) {
  return refuses_order(plan, why, size) || refuses_distance(&plan->a, kernel->tile_m, why, size) ||
         refuses_distance(&plan->b, kernel->tile_n, why, size);
}

static bool refuses_copies(const wt_context *context, const wt_grouped_plan *plan,
                           const wt_grouped_kernel *kernel, char *why, size_t size) {
  const int64_t element_bytes = (int64_t)plan->a.operand.element_bytes;
  const int64_t least = kernel->least_steps * context->target->step_bytes / element_bytes;
  if (refuses_order(plan, why, size)) return true;
  if (plan->k < least) REFUSE("needs desc->k of at least %" PRId64 ", but it is %" PRId64, least, plan->k);
  return refuses_rows(&plan->a, kernel->tile_m, why, size) ||
         refuses_rows(&plan->b, kernel->tile_n, why, size);
}

// What copies of a matrix with a row for each k need, of which there are at most so many
// (kernels/gemm/gemm_transposed.h).
static bool refuses_k_by_k(const wt_grouped_matrix *of, int64_t columns, int64_t k, char *why, size_t size) {
  enum { STORED_BYTES = 4 };
  const wt_operand *matrix = &of->operand;
  const int64_t element_bytes = (int64_t)matrix->element_bytes, ld = matrix->axes[0].stride;
  if (ld * element_bytes % STORED_BYTES || of->group * element_bytes % STORED_BYTES ||
      (uintptr_t)matrix->pointer % STORED_BYTES)
    REFUSE("needs rows of %s at multiples of %d bytes", matrix->name, STORED_BYTES);
  if (columns * element_bytes < CHUNK_BYTES)
    REFUSE("needs rows of %s of at least %d bytes, but they have %" PRId64 " elements", matrix->name,
           CHUNK_BYTES, columns);
  if (ld > INT32_MAX / element_bytes / k - 1)
    REFUSE("needs less than 2 GB of %s in a group, but %" PRId64 " rows are %" PRId64 " elements apart",
           matrix->name, k, ld);
  return false;
}

// These are for the gradients, by the input and by the weights.
static bool refuses_transposed(const wt_context *context, const wt_grouped_plan *plan,
                               const wt_grouped_kernel *kernel, char *why, size_t size) {
  const int64_t element_bytes = (int64_t)plan->a.operand.element_bytes, vector = CHUNK_BYTES / element_bytes;
  const int64_t least =
      kernel->least_steps * context->target->step_bytes / element_bytes + (plan->n % vector != 0);
  if (plan->b.column == 1)
    REFUSE("needs %s k by k, which only the gradient of the input has", plan->b.operand.name);
  if (plan->k < least) REFUSE("needs desc->n of at least %" PRId64 ", but it is %" PRId64, least, plan->k);
  return refuses_rows(&plan->a, kernel->tile_m, why, size) ||
         refuses_k_by_k(&plan->b, plan->n, plan->k, why, size);
}
static bool refuses_depth(const wt_grouped_plan *plan, char *why, size_t size) {
  // What is copied past the last token counts, too.
  enum { TOKENS_PAST = 512 };
  const int64_t most = plan->desc.m + TOKENS_PAST;
  return refuses_k_by_k(&plan->a, plan->m, most, why, size) ||
         refuses_k_by_k(&plan->b, plan->n, most, why, size);
}

// Returns the first member that goes beyond factors of a whole group; NULL when none does.
static const char *epilogue_member(const wt_grouped_desc *d) {
  if (d->beta != 0) return "beta";
  if (d->row_scale) return "row_scale";
  if (d->column_scale) return "column_scale";
  if (d->bias) return "bias";
  return d->activation ? "activation" : NULL;
}

static bool refuses_persistent(const wt_context *context, const wt_grouped_plan *plan,
                               const wt_grouped_kernel *kernel, char *why, size_t size) {
  const wt_grouped_desc *d = &plan->desc;
  const int64_t step = context->target->step_bytes / (int64_t)plan->a.operand.element_bytes;
  if (plan->c.operand.element_bytes != 2)
    REFUSE("writes BF16 or F16, but desc->%s is %s", plan->c.member.type_name,
           wt_type_name(plan->c.member.type));
  if (epilogue_member(d))
    REFUSE("applies alpha and group_scale only, but desc->%s is set", epilogue_member(d));
  if (plan->k % step) REFUSE("needs desc->k in steps of %" PRId64 ", but it is %" PRId64, step, plan->k);
  if (plan->n % STORED_COLUMNS)
    REFUSE("stores %d columns at once, but desc->n is %" PRId64, STORED_COLUMNS, plan->n);
  return refuses_rows(&plan->c, kernel->tile_m, why, size);
}

// The mechanism that takes any scales of blocks as the plan has them.
static wt_grouped_mechanism scaled_mechanism(const wt_grouped_plan *plan) {
  if (plan->scaling == WT_GROUPED_E8M0) return WT_GROUPED_MX;
  return plan->desc.scales_of_w == WT_SCALES_OF_B_ROWS ? WT_GROUPED_BLOCK_ROWS : WT_GROUPED_BLOCK_TILES;
}

static bool is_mx(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_MX || kernel->mechanism == WT_GROUPED_MX_SKINNY;
}

bool wt_grouped_takes_powers(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_POWERS_TILES || kernel->mechanism == WT_GROUPED_POWERS_ROWS;
}

// Returns whether the matrix cores apply the scales, which go through registers for several K steps together.
static bool has_scaled_mfmas(const wt_grouped_kernel *kernel) {
  return is_mx(kernel) || wt_grouped_takes_powers(kernel);
}

// Returns whether each row of w has F32 scales of its own.
static bool has_scales_of_rows(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_BLOCK_ROWS || kernel->mechanism == WT_GROUPED_POWERS_ROWS;
}

// Returns whether each wave goes through its K without meeting another one.
static bool has_waves_apart(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_SKINNY || kernel->mechanism == WT_GROUPED_MX_SKINNY;
}

static bool has_scales(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_BLOCK_TILES || kernel->mechanism == WT_GROUPED_BLOCK_ROWS ||
         has_scaled_mfmas(kernel);
}

// What is summed over has whole blocks of the matrix instructions.
static bool refuses_powers(const wt_grouped_plan *plan, char *why, size_t size) {
  static const char *const names[] = {
      [WT_GROUPED_FORWARD] = "k", [WT_GROUPED_BACKWARD_INPUT] = "n", [WT_GROUPED_BACKWARD_WEIGHT] = "m"};
  const int64_t depth = plan->k < 0 ? plan->desc.m : plan->k;
  if (plan->desc.scales != WT_BLOCK_SCALES_POWER_OF_TWO)
    REFUSE("takes powers of two as scales, but desc->scales is %d", (int)plan->desc.scales);
  if (depth % WT_BLOCK_ELEMENTS)
    REFUSE("needs desc->%s of whole blocks of %d, but it is %" PRId64, names[plan->pass], WT_BLOCK_ELEMENTS,
           depth);
  return false;
}

static bool refuses_scales(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel, char *why,
                           size_t size) {
  const wt_grouped_desc *d = &plan->desc;
  const bool any = plan->scaling != WT_GROUPED_UNSCALED, mx = plan->scaling == WT_GROUPED_E8M0;
  const wt_grouped_member *b = &plan->b.member;
  if (any && !has_scales(kernel)) REFUSE("takes no scales of blocks, but %s is set", b->scale_name);
  if (!any && has_scales(kernel)) REFUSE("takes scales of blocks, but %s is NULL", b->scale_name);
  if (any && is_mx(kernel) != mx)
    REFUSE("takes %s scales, but desc->scales is %d", is_mx(kernel) ? "E8M0" : "F32", (int)d->scales);
  if (any && !mx && has_scales_of_rows(kernel) != (d->scales_of_w == WT_SCALES_OF_B_ROWS))
    REFUSE("takes scales %s, but desc->scales_of_w is %d",
           has_scales_of_rows(kernel) ? "of each row of w" : "of 128 rows of w together",
           (int)d->scales_of_w);
  return wt_grouped_takes_powers(kernel) && refuses_powers(plan, why, size);
}

// Return whether the tokens can be what is summed over, and whether they can be rows.
static bool sums_tokens(const wt_grouped_kernel *kernel) {
  return kernel->mechanism == WT_GROUPED_BY_DEPTH || kernel->mechanism == WT_GROUPED_DEPTH_4WAVE ||
         (has_scales(kernel) && kernel->mechanism != WT_GROUPED_MX_SKINNY);
}
static bool takes_rows(const wt_grouped_kernel *kernel) {
  return kernel->mechanism != WT_GROUPED_BY_DEPTH && kernel->mechanism != WT_GROUPED_DEPTH_4WAVE;
}

static int64_t tiles_of_rows(int64_t rows, const wt_grouped_kernel *kernel) {
  return wt_divide_up(rows, kernel->tile_m);
}

// Returns the tiles of C where each group has so many tile rows.
static int64_t tiles_of_groups(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel,
                               int64_t tiles_m) {
  return tiles_m * wt_divide_up(plan->n, kernel->tile_n);
}

int64_t wt_grouped_tiles_expected(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel) {
  const int64_t rows = plan->m < 0 ? plan->expected : plan->m;
  // No more groups have rows than there are rows.
  const int64_t groups = plan->m < 0 ? wt_at_most(plan->desc.groups, plan->rows) : plan->desc.groups;
  return tiles_of_groups(plan, kernel, groups * tiles_of_rows(rows, kernel));
}

int64_t wt_grouped_tiles_most(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel) {
  const wt_grouped_desc *d = &plan->desc;
  if (plan->m >= 0) return tiles_of_groups(plan, kernel, d->groups * tiles_of_rows(plan->m, kernel));
  if (d->contract == WT_GROUP_MASKED)
    return tiles_of_groups(plan, kernel, d->groups * tiles_of_rows(d->m, kernel));
  return tiles_of_groups(plan, kernel, wt_at_most(d->m, d->m / kernel->tile_m + d->groups));
}

static unsigned inputs_of(const wt_context *context, const wt_grouped_plan *plan) {
  const wt_type a = plan->a.member.type, b = plan->b.member.type;
  return plan->scaling == WT_GROUPED_E8M0 ? wt_kernel_mx_inputs(a, b)
                                          : wt_kernel_inputs(context->target, a, b);
}

// Returns whether the kernel cannot run the plan, and if so says why.
static bool refuses(const wt_context *context, const wt_grouped_plan *plan, const wt_grouped_kernel *kernel,
                    char *why, size_t size) {
  if (kernel->stages[context->target->id] == WT_STAGES_NOT_MADE)
    REFUSE("is not compiled for %s, which the device is", context->target->name);
  if (refuses_scales(plan, kernel, why, size)) return true;
  if (!(kernel->inputs & inputs_of(context, plan)))
    REFUSE("takes %s, but %s is %s and %s is %s", wt_kernel_inputs_text(kernel->inputs), plan->a.operand.name,
           wt_type_name(plan->a.member.type), plan->b.operand.name, wt_type_name(plan->b.member.type));
  if (plan->k < 0 && !sums_tokens(kernel)) REFUSE("does not compute the gradient of the weights");
  if (plan->k >= 0 && !takes_rows(kernel)) REFUSE("computes the gradient of the weights only");
  // Tiles are counted in 32 bits, even if memory says that each group has all rows.
  const int64_t rows = plan->m < 0 ? plan->desc.m : plan->m;
  const int64_t tiles_m = plan->desc.groups * tiles_of_rows(rows, kernel);
  if (tiles_m > INT32_MAX / wt_divide_up(plan->n, kernel->tile_n))
    REFUSE("counts less than 2^31 tiles, but %" PRId64 " groups of %" PRId64 " rows have more",
           plan->desc.groups, rows);
  switch (kernel->mechanism) {
    case WT_GROUPED_GENERAL:
    case WT_GROUPED_BY_DEPTH:
    case WT_GROUPED_BLOCK_TILES:
    case WT_GROUPED_BLOCK_ROWS:
    case WT_GROUPED_POWERS_TILES:
    case WT_GROUPED_POWERS_ROWS:
    case WT_GROUPED_MX: return false;
    case WT_GROUPED_SKINNY:
    case WT_GROUPED_MX_SKINNY: return refuses_few_rows(plan, kernel, why, size);
    case WT_GROUPED_DEPTH_4WAVE: return refuses_depth(plan, why, size);
    case WT_GROUPED_TRANSPOSED: return refuses_transposed(context, plan, kernel, why, size);
    case WT_GROUPED_4WAVE: return refuses_copies(context, plan, kernel, why, size);
    case WT_GROUPED_PERSISTENT:
      return refuses_copies(context, plan, kernel, why, size) ||
             refuses_persistent(context, plan, kernel, why, size);
  }
  return true;
}

// Returns the bytes that a row takes for each element of K, with its scales.
static double bytes_of(const wt_grouped_plan *plan, const wt_grouped_matrix *matrix) {
  const wt_type type = matrix->member.type;
  if (plan->scaling != WT_GROUPED_E8M0) return (double)wt_type_size(type);
  const int64_t scale = wt_block_a_has_scales(type);
  return (double)(wt_block_a_format_of(type)->bytes + scale) / WT_BLOCK_ELEMENTS;
}

// Returns the products per cycle of a compute unit.
static double macs(const wt_context *context, const wt_grouped_plan *plan) {
  const wt_target *t = context->target;
  const wt_type a = plan->a.member.type, b = plan->b.member.type;
  if (plan->scaling == WT_GROUPED_E8M0)
    return wt_blocks_macs(context, wt_block_a_format_of(a), wt_block_format_of(b));
  return wt_type_size(a) == 2 ? t->macs_16 : t->macs_8;
}

// Returns what a group is expected to sum over.
static double depth_of(const wt_grouped_plan *plan) {
  return (double)(plan->k < 0 ? plan->expected : plan->k);
}

// Returns the columns of A that a tile multiplies: where the matrix cores apply scales, tiles take as many
// together as the scales are fetched for, and those past the end are zero.
static double columns_of(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel) {
  const double k = depth_of(plan);
  const bool is_whole = has_scaled_mfmas(kernel) && !has_waves_apart(kernel);
  return is_whole ? ceil(k / WT_GEMM_MX_GRAIN) * WT_GEMM_MX_GRAIN : k;
}

// Returns the K steps of a tile.
static double steps_of(const wt_context *context, const wt_grouped_plan *plan,
                       const wt_grouped_kernel *kernel) {
  const double k = columns_of(plan, kernel) / kernel->waves_k;
  if (plan->scaling != WT_GROUPED_E8M0)
    return ceil(k * bytes_of(plan, &plan->b) / context->target->step_bytes);
  return ceil(k / (double)wt_blocks_step(wt_block_a_format_of(plan->a.member.type),
                                         wt_block_format_of(plan->b.member.type)));
}

// Returns how often a tile waits for memory, or as long as that, besides for what places it. Waves that go
// through K apart have one step in flight, and add up their sums where they share K; the others have two, and
// where the matrix cores apply scales, those wait for scales, which go through registers, before the first.
static double waits_of(const wt_context *context, const wt_grouped_plan *plan,
                       const wt_grouped_kernel *kernel) {
  enum { STEPS_AHEAD = 2, WAITS_OF_SUMS = 2, WAITS_OF_SCALES = 1 };
  const double steps = steps_of(context, plan, kernel);
  if (has_waves_apart(kernel)) return steps + (kernel->waves_k > 1 ? WAITS_OF_SUMS : 0);
  return steps / STEPS_AHEAD + (has_scaled_mfmas(kernel) ? WAITS_OF_SCALES : 0);
}

// Returns the bytes of A and B.
static double bytes_read(const wt_grouped_plan *plan) {
  const double rows = (double)plan->rows, n = (double)plan->n, a = bytes_of(plan, &plan->a),
               b = bytes_of(plan, &plan->b);
  if (plan->k < 0) return rows * ((double)plan->m * a + n * b);
  const double groups = (double)wt_at_most(plan->desc.groups, plan->rows);
  return (double)plan->k * (rows * a + groups * n * b);
}

// Returns the cycles that the kernel is expected to take, to rank kernels by. It is the model of
// gemm_mx/split.c with a search for each tile.
static double cost(const wt_context *context, const wt_grouped_plan *plan, const wt_grouped_kernel *kernel) {
  enum { WAITS_OF_TILE = 3 };  // for memory
  const wt_target *t = context->target;
  const double tiles = (double)wt_grouped_tiles_expected(plan, kernel), units = context->compute_units;
  const double matrix = ceil(tiles / units) * columns_of(plan, kernel) * kernel->tile_m * kernel->tile_n /
                        macs(context, plan) * 100 / kernel->efficiency;
  const double rounds = ceil(tiles / units / kernel->resident[t->id]);
  const double latency = rounds * (WAITS_OF_TILE + waits_of(context, plan, kernel)) * t->hbm_latency;
  const double memory = bytes_read(plan) / t->hbm_rate;
  return cbrt(matrix * matrix * matrix + latency * latency * latency + memory * memory * memory);
}

static wt_status choose_named(wt_context *context, wt_grouped_plan *plan, const char *name) {
  char why[256] = "";
  for (int i = 0; i < KERNELS; ++i) {
    if (strcmp(kernels[i].stem, name) != 0) continue;
    if (refuses(context, plan, &kernels[i], why, sizeof why))
      return wt_fail(context, WT_ERROR_UNSUPPORTED_KERNEL,
                     "desc->kernel is %s, which %s; pass NULL to have one chosen", name, why);
    if (!wt_context_has(context, name)) return wt_fail_left_out(context, name);
    plan->kernel = &kernels[i];
    return WT_SUCCESS;
  }
  return wt_fail(
      context, WT_ERROR_UNKNOWN_KERNEL,
      "desc->kernel is \"%.64s\", which is not a kernel of grouped products; pass NULL to have one "
      "chosen, or a name that wt_grouped_chosen gave",
      name);
}

// Returns whether a kernel is to be taken before the one of the plan, if there is one. One for powers of two
// is taken before one for any scales.
static bool is_better(const wt_context *context, const wt_grouped_plan *plan,
                      const wt_grouped_kernel *other) {
  const wt_grouped_kernel *best = plan->kernel;
  if (!best) return true;
  if (wt_grouped_takes_powers(best) != wt_grouped_takes_powers(other)) return wt_grouped_takes_powers(other);
  return cost(context, plan, other) < cost(context, plan, best);
}

static wt_status choose_best(wt_context *context, wt_grouped_plan *plan) {
  char why[256] = "", last[256] = "";
  const char *left_out = NULL;
  // This takes whatever is not too large.
  const wt_grouped_mechanism general = plan->scaling != WT_GROUPED_UNSCALED ? scaled_mechanism(plan)
                                       : plan->m < 0                        ? WT_GROUPED_GENERAL
                                                                            : WT_GROUPED_BY_DEPTH;
  for (int i = 0; i < KERNELS; ++i) {
    const wt_grouped_kernel *kernel = &kernels[i];
    if (refuses(context, plan, kernel, why, sizeof why)) {
      if (kernel->mechanism == general) snprintf(last, sizeof last, "%s %.180s", kernel->stem, why);
      continue;
    }
    if (!wt_context_has(context, kernel->stem)) {
      left_out = kernel->stem;
      continue;
    }
    if (is_better(context, plan, kernel)) plan->kernel = kernel;
  }
  if (plan->kernel) return WT_SUCCESS;
  if (left_out) return wt_fail_left_out(context, left_out);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "no kernel for %s can run this: %s; pass fewer groups at once", context->target->name, last);
}

wt_status wt_grouped_choose(wt_context *context, wt_grouped_plan *plan) {
  const char *name = plan->desc.kernel;
  return name ? choose_named(context, plan, name) : choose_best(context, plan);
}
