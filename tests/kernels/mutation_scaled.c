// SPDX-License-Identifier: MIT
// Takes a kernel of products with block scales, alone or grouped, replaces each s_waitcnt and s_barrier that
// it executes by s_nop in turn, and shows that every one is missed, but those of which the table below says
// why, as mutation.c does with GEMMs. Check mode has to report whatever changes a result; docs/check.md holds
// the score.
//
//   mutation_scaled CODE_OBJECT KERNEL ROW TARGET SCORES: CODE_OBJECT's kernel, of the table's row; the
//   document
#include "kernels/gemm_block/gemm_block_args.h"
#include "kernels/gemm_mx/gemm_mx_args.h"
#include "kernels/grouped/grouped_args.h"
#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

// MX formats, also by a persistent work-group that takes two tiles one after the other, FP8 with F32 scales
// for 128 columns, any or powers of two, and all in groups: two of a tile each, which one work-group takes as
// well.
typedef enum family {
  OF_MX,
  OF_SHUFFLED,
  OF_PERSISTENT,
  OF_BLOCKS,
  OF_POWERS,
  OF_GROUPS,
  OF_GROUPS_OF_BLOCKS,
  OF_GROUPS_OF_POWERS
} family;

typedef struct mutant {
  const char *name;
  family family;
  int a_bits, b_bits;  // of an element
  int tile, waves, k;  // rows and columns of a tile; k takes the loop twice at least, and ends within a step
  int unseen[2][2];    // on gfx950 and gfx942: waits and barriers, at most
} mutant;

// Lists what may go unseen.
//
// Check mode does not report these either, as nothing is in flight that they would order:
// (a) waits where paths join, and in front of writes to LDS, when an earlier wait has covered the data;
// (b) barriers of the last step, which brings nothing for a next one, and in front of the only step of what K
// leaves over, when the main loop has ended with a barrier.
//
// Check mode reports these, but the data make no difference to the problem:
// (c) arguments: those that are fetched only to be in the cache, and those that are read anew for the end of
// the kernel, when registers hold the same or they are strides of the one tile;
// (d) scales that the same registers hold from the quadrant before; the first row of a group, without which
// there are more tiles, but they have no rows;
// (e) the last of 16 elements loaded one by one, which is past the end.
static const mutant mutants[] = {
    {"gemm_mx_fp4", OF_MX, 4, 4, 128, 4, 1824, {{2, 0}, {0, 0}}},                              // a, c
    {"gemm_mx_fp4_shuffled", OF_SHUFFLED, 4, 4, 256, 4, 1312, {{3, 0}, {0, 0}}},               // a, c
    {"gemm_mx_fp4_persistent", OF_PERSISTENT, 4, 4, 256, 4, 2560, {{1, 0}, {0, 0}}},           // c
    {"gemm_mx_bf16_fp4", OF_MX, 16, 4, 128, 4, 1504, {{3, 0}, {0, 0}}},                        // a, c
    {"gemm_mx_skinny_fp4", OF_MX, 4, 4, 32, 8, 5216, {{6, 0}, {0, 0}}},                        // a
    {"gemm_block_fp8", OF_BLOCKS, 8, 8, 128, 4, 1151, {{3, 2}, {9, 1}}},                       // a, d, e; b
    {"gemm_block_fp8_256x256", OF_BLOCKS, 8, 8, 256, 8, 1151, {{1, 2}, {0, 0}}},               // e; b
    {"gemm_block_powers_fp8", OF_POWERS, 8, 8, 128, 4, 1504, {{2, 0}, {0, 0}}},                // a, c
    {"grouped_mx_fp4", OF_GROUPS, 4, 4, 128, 4, 1312, {{13, 0}, {0, 0}}},                      // a, c, d
    {"grouped_block_powers_fp8", OF_GROUPS_OF_POWERS, 8, 8, 128, 4, 1504, {{13, 0}, {0, 0}}},  // a, c, d
    {"grouped_block_fp8", OF_GROUPS_OF_BLOCKS, 8, 8, 128, 4, 1151, {{12, 2}, {0, 0}}},  // a, c, d, e; b
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

enum { MOST_TILE = 256, GROUPS = 2, MOST_ROW = 1504 * 2 };  // bytes of a row
enum { OPERAND = MOST_TILE * MOST_ROW, SCALES = MOST_TILE * 160 };

// What a launch reads, and what the first launch of the unchanged kernel left.
typedef struct memory {
  unsigned char a[OPERAND], b[OPERAND], a_scale[SCALES], b_scale[SCALES];
  int places[GROUPS + 1];
} memory;

static memory *inputs, *kept;
static float *c, *right;
static const mutant *current;
static bool know_right;

// Elements are any codes of 4 bits, numbers of about one in BF16, whose upper byte is 0x3f, and FP8.
static void fill_operand(unsigned char *matrix, int bits, test_rng *rng) {
  for (int i = 0; i < OPERAND; ++i) {
    const unsigned byte = (unsigned)(test_random(rng) % 256);
    matrix[i] = (unsigned char)(bits == 4 ? byte : bits == 8 ? 0x30 + byte % 32 : i % 2 ? 0x3f : byte);
  }
}

static bool has_groups(void) {
  return current->family == OF_GROUPS || current->family == OF_GROUPS_OF_BLOCKS ||
         current->family == OF_GROUPS_OF_POWERS;
}
static bool has_powers(void) {
  return current->family == OF_POWERS || current->family == OF_GROUPS_OF_POWERS;
}
static bool has_blocks(void) {
  return current->family == OF_BLOCKS || current->family == OF_GROUPS_OF_BLOCKS;
}

// E8M0 scales of 1/2, 1 and 2, the same in F32, or F32 scales from 1 up to 2.
static void fill_scales(unsigned char *scales, test_rng *rng) {
  for (int i = 0; i < SCALES; ++i) scales[i] = (unsigned char)(126 + test_random(rng) % 3);
  for (int i = 0; (has_blocks() || has_powers()) && i < SCALES / 4; ++i) {
    const unsigned bits = (unsigned)(test_random(rng) % 256);
    const float scale = has_powers() ? (float)(1u << bits % 3) / 2 : 1 + (float)bits / 256;
    memcpy(scales + 4 * i, &scale, sizeof scale);
  }
}

static void fill(test_rng *rng) {
  fill_operand(kept->a, current->a_bits, rng), fill_operand(kept->b, current->b_bits, rng);
  fill_scales(kept->a_scale, rng), fill_scales(kept->b_scale, rng);
  for (int g = 0; g <= GROUPS; ++g) kept->places[g] = g * current->tile;
}

static bool has_two_tiles(void) { return has_groups() || current->family == OF_PERSISTENT; }
static int rows_of_a(void) { return current->tile * (has_two_tiles() ? GROUPS : 1); }

// C of the persistent kernel is of 16 bits.
static size_t c_bytes(void) {
  return (size_t)(rows_of_a() * current->tile) * (current->family == OF_PERSISTENT ? 2 : sizeof *c);
}

static wt_gemm_args product(int a_row, int b_row) {
  const int tile = current->tile, k = current->k;
  return (wt_gemm_args){.a = inputs->a,
                        .b = inputs->b,
                        .c = c,
                        .m = tile,
                        .n = tile,
                        .k = k,
                        .k_part = k,
                        .alpha = 1,
                        .a_row = a_row,
                        .a_col = 1,
                        .b_row = b_row,
                        .b_col = 1,
                        .c_row = tile,
                        .type_c = WT_KERNEL_F32,
                        .grid = wt_grid_map_of((wt_grid_order){1, 1, 1, 1, 1, 0}),
                        .groups = 1};
}

// Rows of F32 scales are in bytes here, as other scales are.
static wt_gemm_mx_args powers_args(const wt_gemm_block_args *blocks) {
  return (wt_gemm_mx_args){.gemm = blocks->gemm,
                           .a_scale = inputs->a_scale,
                           .b_scale = inputs->b_scale,
                           .a_scale_row_bytes = 4 * blocks->a_scale_row,
                           .b_scale_row_bytes = 4 * blocks->b_scale_row,
                           .a_scale_block_bytes = 4 * blocks->a_scale_block,
                           .b_scale_block_bytes = 4 * blocks->b_scale_block,
                           .b_layout = WT_KERNEL_BY_ROWS};
}

// Groups have the same B, with scales of their own.
static wt_grouped_args grouped_args(const wt_gemm_args *one) {
  return (wt_grouped_args){.product = *one,
                           .a = {.token = one->a_row},
                           .c = {.token = one->c_row * (long long)sizeof *c},
                           .places = inputs->places,
                           .contract = WT_GROUPED_OFFSETS,
                           .tokens = WT_GROUPED_ROWS,
                           .groups = GROUPS,
                           .rows = rows_of_a(),
                           .tiles_n = 1,
                           .window = 1,
                           .run = 1};
}

static wt_grouped_block_args grouped_block_args(const wt_gemm_block_args *one) {
  return (wt_grouped_block_args){.grouped = grouped_args(&one->gemm),
                                 .a_scale = one->a_scale,
                                 .b_scale = one->b_scale,
                                 .a_scale_row = one->a_scale_row,
                                 .a_scale_block = one->a_scale_block,
                                 .b_scale_row = one->b_scale_row,
                                 .b_scale_block = one->b_scale_block,
                                 .a_scale_step = {.token = one->a_scale_row},
                                 .b_scale_step = {.group = one->b_scale_row}};
}

static wt_grouped_mx_args grouped_mx_args(const wt_gemm_mx_args *one) {
  return (wt_grouped_mx_args){.grouped = grouped_args(&one->gemm),
                              .a_scale = one->a_scale,
                              .b_scale = one->b_scale,
                              .a_scale_row_bytes = one->a_scale_row_bytes,
                              .b_scale_row_bytes = one->b_scale_row_bytes,
                              .a_scale_block_bytes = one->a_scale_block_bytes,
                              .b_scale_block_bytes = one->b_scale_block_bytes,
                              .a_scale_step = {.token = one->a_scale_row_bytes},
                              .b_scale_step = {.group = one->b_scale_row_bytes}};
}

// Changes the arguments of one tile to those of the persistent kernel.
static wt_gemm_mx_args persistent_args(wt_gemm_mx_args args) {
  const wt_grid_order order = {GROUPS, 1, 1, 1, 1, 0};
  args.gemm.m = rows_of_a(), args.gemm.type_c = WT_KERNEL_BF16;
  args.gemm.grid = wt_grid_map_of(order), args.rotation = wt_grid_rotation_of(order);
  return args;
}

static removal_result run_kernel(hipFunction_t kernel, void *args) {
  void *params[] = {args};
  const size_t bytes = c_bytes();
  memset(c, 0x7f, bytes);
  memcpy(inputs, kept, sizeof *inputs);  // a wrong store may have gone there
  if (hipModuleLaunchKernel(kernel, 1, 1, 1, 64 * (unsigned)current->waves, 1, 1, 0, NULL, params, NULL) !=
          hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return removal_compare(right, &know_right, c, bytes);
}

static removal_result launch(hipModule_t module, const char *name) {
  hipFunction_t kernel;
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess) return REMOVAL_FAULT;
  const int k = current->k, blocks = k / 32, blocks_of_128 = (k + 127) / 128;
  wt_gemm_block_args of_blocks = {.gemm = product((k + 15) / 16 * 16, (k + 15) / 16 * 16),
                                  .a_scale = (const float *)(const void *)inputs->a_scale,
                                  .b_scale = (const float *)(const void *)inputs->b_scale,
                                  .a_scale_row = blocks_of_128,
                                  .a_scale_block = 1,
                                  .b_scale_row = blocks_of_128,
                                  .b_scale_block = 1};
  const int scale_row = current->family == OF_SHUFFLED || current->family == OF_PERSISTENT
                            ? (blocks + 7) / 8 * 256
                            : (blocks + 3) / 4 * 4;
  wt_gemm_mx_args of_mx = {.gemm = product(k * current->a_bits / 8, k * current->b_bits / 8),
                           .a_scale = current->a_bits == 16 ? NULL : inputs->a_scale,
                           .b_scale = inputs->b_scale,
                           .a_scale_row_bytes = scale_row,
                           .b_scale_row_bytes = scale_row,
                           .b_layout = WT_KERNEL_BY_ROWS};
  wt_gemm_mx_args of_powers = powers_args(&of_blocks);
  wt_grouped_mx_args of_groups = grouped_mx_args(has_powers() ? &of_powers : &of_mx);
  wt_grouped_block_args of_groups_of_blocks = grouped_block_args(&of_blocks);
  wt_gemm_mx_args persistent = persistent_args(of_mx);
  switch (current->family) {
    case OF_MX:
    case OF_SHUFFLED: return run_kernel(kernel, &of_mx);
    case OF_PERSISTENT: return run_kernel(kernel, &persistent);
    case OF_BLOCKS: return run_kernel(kernel, &of_blocks);
    case OF_POWERS: return run_kernel(kernel, &of_powers);
    case OF_GROUPS:
    case OF_GROUPS_OF_POWERS: return run_kernel(kernel, &of_groups);
    case OF_GROUPS_OF_BLOCKS: return run_kernel(kernel, &of_groups_of_blocks);
  }
  return REMOVAL_FAULT;
}

int main(int argc, char **argv) {
  if (argc != 6) return fprintf(stderr, "usage: mutation_scaled CODE_OBJECT KERNEL ROW TARGET SCORES\n"), 2;
  const char *target = argv[4];
  const int device = strcmp(target, "gfx950") ? 1 : 0;
  for (int i = 0; i < MUTANTS; ++i)
    if (strcmp(mutants[i].name, argv[3]) == 0) current = &mutants[i];
  CHECK(current, "the table has no row %s", argv[3]);
  if (!current || !isa_ok(hipSetDevice(device), "hipSetDevice")) return test_result();
  setenv("WT_SIM_BUDGET", "4000000", 1);
  inputs = isa_memory(sizeof *inputs), kept = malloc(sizeof *kept);
  c = isa_memory(MOST_TILE * MOST_TILE * sizeof *c), right = malloc(MOST_TILE * MOST_TILE * sizeof *right);
  test_rng rng = test_seed(19);
  fill(&rng);

  const removal_counts counts = removal_try_each(argv[1], target, argv[2], true, true, launch);
  const int *executed = counts.executed;
  CHECK(executed[REMOVAL_WAIT] >= 3 && executed[REMOVAL_BARRIER] >= 1,
        "only %d waits and %d barriers are executed", executed[REMOVAL_WAIT], executed[REMOVAL_BARRIER]);
  removal_check_unseen(&counts, current->unseen[device]);
  removal_compare_score(argv[5], argv[3], target, &counts);
  free(kept), free(right);
  return test_result();
}
