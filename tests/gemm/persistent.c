// SPDX-License-Identifier: MIT
// Runs the persistent GEMM beside the one whose work-groups end with their tile: the same bits for random
// shapes, orders, strides and numbers of work-groups, for all of its pairs of input types and both types of
// C, under every schedule and both readings of buffers' range checks.
//
//   persistent PERSISTENT PLAIN: the code objects of gemm_4wave_persistent_256x256 and of gemm_4wave_256x256
#include "kernels/gemm/gemm_args.h"
#include "tests/kernels/ops/isa/run.h"

enum { TILE = 256, THREADS = 256, STEP_BYTES = 128, LEAST_STEPS = 6, MOST_SIZE = 640, MOST_STEPS = 9 };
enum { CASES = 2, GAP = 24 };  // for each kernel; elements of C behind a row, which are not written

static const char *const schedules[] = {"late",     "late-vmem", "late-lds", "early",
                                        "lockstep", "timed",     "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

typedef struct pair {
  const char *names;
  int element;     // bytes of an input
  unsigned clear;  // bits of two random bytes, so that all elements are finite and below 2
} pair;

static const pair pairs[] = {{"f8e4m3_f8e4m3", 1, 0x4040}, {"bf16_bf16", 2, 0x4000}, {"f16_f16", 2, 0x4000}};
static const struct {
  const char *name;
  int type;
} outputs[] = {{"bf16", WT_KERNEL_BF16}, {"f16", WT_KERNEL_F16}};

static test_rng rng;
static unsigned char *a, *b;
static unsigned short *by_persistent, *by_plain;

static int between(int least, int most) {
  return least + (int)(test_random(&rng) % (uint64_t)(most - least + 1));
}

static void fill(unsigned char *to, size_t bytes, unsigned clear) {
  for (size_t i = 0; i < bytes; i += 2) {
    const unsigned bits = (unsigned)test_random(&rng) & 0xffff & ~clear;
    to[i] = (unsigned char)bits, to[i + 1] = (unsigned char)(bits >> 8);
  }
}

static bool launch(hipFunction_t kernel, wt_gemm_args args, unsigned groups, unsigned short *c) {
  args.c = c;
  args.groups = (int)groups;
  void *params[] = {&args};
  memset(c, 0x7f, (size_t)args.m * (size_t)args.c_row * sizeof *c);
  return isa_ok(hipModuleLaunchKernel(kernel, groups, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL),
                "launch") &&
         isa_ok(hipDeviceSynchronize(), "hipDeviceSynchronize");
}

static void check_case(const pair *p, int output, hipFunction_t persistent, hipFunction_t plain, int number) {
  const int k = between(LEAST_STEPS, MOST_STEPS) * STEP_BYTES / p->element;
  const int row = k + between(0, 3) * 16, n = between(1, MOST_SIZE / 8) * 8;
  wt_gemm_args args = {.a = a,
                       .b = b,
                       .m = between(1, MOST_SIZE),
                       .n = n,
                       .k = k,
                       .k_part = k,
                       .alpha = (float)between(1, 8) / 4,
                       .a_row = row,
                       .a_col = 1,
                       .b_row = row,
                       .b_col = 1,
                       .c_row = n + between(0, 1) * GAP,
                       .type_c = outputs[output].type};
  const wt_grid_order order = {.tiles_m = wt_grid_tiles(args.m, TILE),
                               .tiles_n = wt_grid_tiles(args.n, TILE),
                               .xcds = between(1, 8),
                               .chunk = between(1, 3),
                               .window = between(1, 3)};
  args.grid = wt_grid_map_of(order);
  const unsigned tiles = (unsigned)wt_grid_count(order), groups = (unsigned)between(1, (int)tiles);
  fill(a, (size_t)args.m * (size_t)(row * p->element), p->clear);
  fill(b, (size_t)args.n * (size_t)(row * p->element), p->clear);
  const char *schedule = schedules[number % SCHEDULES];
  setenv("WT_SIM_SCHEDULE", schedule, 1);
  setenv("WT_SIM_SOFFSET", number % 4 < 2 ? "counted" : "ignored", 1);
  if (!launch(plain, args, tiles, by_plain) || !launch(persistent, args, groups, by_persistent)) return;
  const size_t bytes = (size_t)args.m * (size_t)args.c_row * sizeof *by_persistent;
  CHECK(memcmp(by_persistent, by_plain, bytes) == 0,
        "%s into %s, %d x %d x %d, %u tiles by %u work-groups, schedule %s: C differs", p->names,
        outputs[output].name, args.m, args.n, k, tiles, groups, schedule);
}

static hipFunction_t find(hipModule_t module, const char *stem, const char *inputs, const char *output) {
  char name[128];
  hipFunction_t kernel = NULL;
  snprintf(name, sizeof name, "%s_%s%s%s", stem, inputs, output ? "_" : "", output ? output : "");
  return isa_ok(hipModuleGetFunction(&kernel, module, name), name) ? kernel : NULL;
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: persistent PERSISTENT PLAIN\n"), 2;
  hipModule_t modules[2] = {NULL, NULL};
  rng = test_seed(41);
  a = isa_memory(MOST_SIZE * (MOST_STEPS * STEP_BYTES + 96));
  b = isa_memory(MOST_SIZE * (MOST_STEPS * STEP_BYTES + 96));
  by_persistent = isa_memory(MOST_SIZE * (MOST_SIZE + GAP) * sizeof *by_persistent);
  by_plain = isa_memory(MOST_SIZE * (MOST_SIZE + GAP) * sizeof *by_plain);
  for (int i = 0; i < 2; ++i)
    if (!isa_ok(hipModuleLoad(&modules[i], argv[i + 1]), argv[i + 1])) return test_result();
  int number = 0;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; ++p) {
    const hipFunction_t plain = find(modules[1], "gemm_4wave_256x256", pairs[p].names, NULL);
    for (int output = 0; output < 2; ++output) {
      const hipFunction_t persistent =
          find(modules[0], "gemm_4wave_persistent_256x256", pairs[p].names, outputs[output].name);
      for (int i = 0; plain && persistent && i < CASES; ++i)
        check_case(&pairs[p], output, persistent, plain, number++);
    }
  }
  return test_result();
}
