// SPDX-License-Identifier: MIT
// Launches a rung of the GEMM ladder from its code object on matrices of small integers and checks every
// element of C. Usage: run RUNG CODE_OBJECT [M N K]
// Build: wavetile hipcc --kernel -I. examples/gemm/gemm_05_direct_to_lds.hip -o gemm_05_direct_to_lds.co
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude -I. examples/gemm/run.c -Lbuild/lib -lamdhip64 -o gemm_ladder
#include "../host.h"
#include "kernels/gemm/gemm_args.h"

typedef struct rung {
  const char *name;
  int tile_m, tile_n;  // of C, that a work-group computes
  unsigned threads;    // of a work-group
} rung;

static const rung rungs[] = {
    {"gemm_01_naive", 16, 16, 256},
    {"gemm_02_lds_tiled", 16, 16, 256},
    {"gemm_03_matrix_core", 32, 32, 256},
    {"gemm_04_vector_loads", 32, 32, 256},
    {"gemm_05_direct_to_lds", 32, 32, 256},
    {"gemm_06_swizzle", 32, 32, 256},
    {"gemm_07_double_buffer", 64, 64, 256},
    {"gemm_07_double_buffer_unswizzled", 64, 64, 256},
    {"gemm_08_multi_wave_128x128_8", 128, 128, 512},
    {"gemm_08_multi_wave_256x256_8", 256, 256, 512},
    {"gemm_08_multi_wave_256x256_16", 256, 256, 1024},
    {"gemm_09_ping_pong", 256, 256, 512},
    {"gemm_10_interleave", 256, 256, 256},
    {"gemm_pc_4p8c", 128, 256, 768},
    {"gemm_pc_4p12c", 192, 256, 1024},
};
enum { RUNGS = sizeof rungs / sizeof *rungs };

static const rung *find_rung(const char *name) {
  for (int i = 0; i < RUNGS; ++i)
    if (strcmp(rungs[i].name, name) == 0) return &rungs[i];
  fprintf(stderr, "no rung is named \"%s\"; the rungs are:\n", name);
  for (int i = 0; i < RUNGS; ++i) fprintf(stderr, "  %s\n", rungs[i].name);
  exit(2);
}

// The integers as a matrix of bf16, or of the device's own FP8.
static void *matrix_of(const signed char *values, size_t count, int bf16, int fnuz) {
  unsigned char *matrix = shared_memory(count * (bf16 ? 2 : 1));
  for (size_t i = 0; i < count; ++i) {
    if (bf16)
      ((uint16_t *)matrix)[i] = bf16_of_float(values[i]);
    else
      matrix[i] = fp8_of_integer(values[i], fnuz);
  }
  return matrix;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 6) return fprintf(stderr, "usage: %s RUNG CODE_OBJECT [M N K]\n", argv[0]), 2;
  const rung *chosen = find_rung(argv[1]);
  const int m = argc > 3 ? atoi(argv[3]) : 300, n = argc > 3 ? atoi(argv[4]) : 200,
            k = argc > 3 ? atoi(argv[5]) : 300;
  if (m < 1 || n < 1 || k < 1)
    return fprintf(stderr, "M is %d, N %d and K %d: each must be at least 1\n", m, n, k), 2;

  hipDeviceProp_t device;
  CALL(hipGetDeviceProperties(&device, 0));
  const int bf16 = strncmp(chosen->name, "gemm_pc_", 8) == 0;
  const int fnuz = has_fnuz(&device);
  signed char *a = random_integers((size_t)m * k), *b = random_integers((size_t)n * k);
  float *c = shared_memory((size_t)m * n * sizeof *c);

  // Rungs with producers choose their tiles by the grid order; the others take tile (x, y) for work-group (x,
  // y).
  const int tall = wt_grid_tiles(m, chosen->tile_m), wide = wt_grid_tiles(n, chosen->tile_n);
  const wt_grid_order order = {.tiles_m = tall, .tiles_n = wide, .xcds = 8, .chunk = 1, .window = 1};
  wt_gemm_args args = {.a = matrix_of(a, (size_t)m * k, bf16, fnuz),
                       .b = matrix_of(b, (size_t)n * k, bf16, fnuz),
                       .c = c,
                       .m = m,
                       .n = n,
                       .k = k,
                       .alpha = 1,
                       .a_row = k,
                       .a_col = 1,
                       .b_row = k,
                       .b_col = 1,
                       .c_row = n,
                       .grid = wt_grid_map_of(order)};

  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s_%s_f32", chosen->name, bf16 ? "bf16" : "f8e4m3");
  hipModule_t module;
  hipFunction_t kernel;
  CALL(hipModuleLoad(&module, argv[2]));
  CALL(hipModuleGetFunction(&kernel, module, symbol));
  void *arguments[] = {&args};
  CALL(hipModuleLaunchKernel(kernel, (unsigned)wide, (unsigned)tall, 1, chosen->threads, 1, 1, 0, NULL,
                             arguments, NULL));
  CALL(hipDeviceSynchronize());
  const int wrong = wrong_elements_f32(c, a, b, m, n, k);
  printf("%s, %d x %d x %d: %d of %zu elements are wrong\n", symbol, m, n, k, wrong, (size_t)m * n);
  return wrong != 0;
}
