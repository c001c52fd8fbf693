// SPDX-License-Identifier: MIT
// Tests one kernel of the library through the C API, against a float64 reference (gemm_reference.h): random
// shapes, leading dimensions, transpositions, epilogues, batches and splits of K for every pair of input
// types and every output type, on both simulated chips, with the same bits under every schedule, whether or
// not buffers count the SGPR offset in their range checks, and without an LDS bank conflict.
//
//   library KERNEL: a row of kernels/gemm/instances.def
#include <hip/hip_runtime_api.h>

#include "tests/gemm/gemm_reference.h"
#include "wavetile_sim.h"

static const char *const schedules[] = {"late",     "late-vmem", "late-lds", "early",
                                        "lockstep", "timed",     "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules, PER_CASE = 3 };

// Describes what the table says of each mechanism, and of each kernel.
enum needs { NOTHING, NEAR_ROWS, COPIES, TRANSPOSED_COPIES };
enum tiles { ANY_TILES, ONE_LINE };
enum pairs { COMMON, ALL };  // kernels/gemm/gemm_pairs.h
enum kind { LIBRARY, PERSISTENT, STREAM };
enum stages { NOT_MADE = 0, REGISTERS = 1 };
#define GEMM_MECHANISM(mechanism, waves_m, waves_n, kind, needs, tiles, loop, idea) \
  enum { KIND_##mechanism = kind, NEEDS_##mechanism = needs, TILES_##mechanism = tiles };
#include "kernels/gemm/instances.def"
typedef struct instance {
  const char *name;
  enum pairs pairs;
  unsigned kind, needs, tiles;
  int tile_m, tile_n, stages[2], least_steps;  // stages for gfx942, gfx950
} instance;
static const instance instances[] = {
#define GEMM_INSTANCE(name, mechanism, tile_m, tile_n, waves_k, stages_gfx942, stages_gfx950, waves_gfx942, \
                      waves_gfx950, least_steps, pairs)                                                     \
  {#name,                                                                                                   \
   pairs,                                                                                                   \
   KIND_##mechanism,                                                                                        \
   NEEDS_##mechanism,                                                                                       \
   TILES_##mechanism,                                                                                       \
   tile_m,                                                                                                  \
   tile_n,                                                                                                  \
   {stages_gfx942, stages_gfx950},                                                                          \
   least_steps},
#include "kernels/gemm/instances.def"
};

static const instance *find_instance(const char *name) {
  for (size_t i = 0; i < sizeof instances / sizeof *instances; ++i)
    if (strcmp(instances[i].name, name) == 0) return &instances[i];
  return NULL;
}

static gemm_orders orders_of(const instance *kernel) {
  return kernel->needs == NOTHING             ? GEMM_ANY_ORDER
         : kernel->needs == TRANSPOSED_COPIES ? GEMM_TRANSPOSED
                                              : GEMM_K_CONTIGUOUS;
}

// Without epilogue, in rows that suit 16-byte stores: the path straight from the registers.
static void make_plain(gemm_case *c) {
  c->n = (c->n + 15) / 16 * 16;
  c->ldc = (c->n + c->ldc % 3 * 16);
  c->ldb = c->trans_b ? (c->n + c->ldb % 3 * 16 + 15) / 16 * 16 : c->ldb;
  c->gap_b = c->trans_b && c->gap_b >= 0 ? c->ldb - c->n : c->gap_b;
  c->gap_c = c->ldc - c->n + c->gap_c / 4 * 16;
  c->beta = 0;
  c->row_scale = c->column_scale = c->bias = false;
  c->activation = WT_ACTIVATION_NONE;
}

int main(int argc, char **argv) {
  const instance *of = argc == 2 ? find_instance(argv[1]) : NULL;
  if (!of) return fprintf(stderr, "usage: library KERNEL, one of kernels/gemm/instances.def\n"), 2;
  const char *kernel = of->name;
  const bool copies = of->needs == COPIES || of->needs == TRANSPOSED_COPIES;
  const int cases = of->needs == COPIES ? 6 : 12;  // per pair of input types
  test_rng rng = test_seed(3);
  int devices = 0, combinations = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    if (status) break;
    CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
    const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
    if (of->stages[ocp] == NOT_MADE) {
      wt_context_destroy(context);
      continue;
    }
    gemm_types pairs[GEMM_TYPES];
    gemm_types_of(context, pairs);
    for (int p = 0; p < GEMM_TYPES; ++p)
      for (int i = 0; i < cases && (pairs[p].is_common || of->pairs == ALL); ++i) {
        const int step = (ocp ? 128 : 64) / gemm_element(pairs[p].a);
        // One line of tiles is a row of them, and a column in other cases of each type of C.
        const bool is_column = of->tiles == ONE_LINE && i / pairs[p].output_count % 2;
        const bool is_row = of->tiles == ONE_LINE && !is_column;
        const gemm_ranges ranges = {.most_m = is_row      ? of->tile_m
                                              : is_column ? of->tile_m * 5
                                                          : of->tile_m * 5 / 4,
                                    .most_n = is_column ? of->tile_n : of->tile_n * 5 / 4,
                                    .least_k = of->least_steps ? of->least_steps * step : 1,
                                    .most_k = (of->kind == STREAM ? 24 : 6) * step,
                                    .orders = orders_of(of),
                                    .alignment = copies ? 4 : 1,
                                    .epilogues = true};
        gemm_case c = gemm_case_random(&rng, &ranges, pairs[p].a, pairs[p].b,
                                       pairs[p].outputs[i % pairs[p].output_count]);
        if (test_random(&rng) % 2) make_plain(&c);
        // A stream-K kernel takes one product, and cuts K itself.
        if (of->kind == STREAM) c.batch = 1, c.split_k = 0;
        // Each case takes three schedules of all, and the next case another three.
        const char *chosen[PER_CASE];
        for (int s = 0; s < PER_CASE; ++s) chosen[s] = schedules[(combinations + 2 * s) % SCHEDULES];
        setenv("WT_SIM_SOFFSET", combinations % 2 ? "counted" : "ignored", 1);
        CHECK(gemm_case_run(context, kernel, &c, chosen, PER_CASE, &rng), "%s: combination %d", kernel,
              combinations);
        ++combinations;
      }
    wt_context_destroy(context);
  }
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && conflicts == 0,
        "%s: %llu LDS instructions lost %llu cycles to bank conflicts", kernel, accesses, conflicts);
  printf("%s: %d combinations, %llu LDS instructions without a bank conflict\n", kernel, combinations,
         accesses);
  return test_result();
}
