// SPDX-License-Identifier: MIT
// Takes a GEMM kernel of FP8 E4M3 into F32, replaces each s_waitcnt and s_barrier that it executes by s_nop
// in turn, and shows that under the `late` schedule nearly every one is missed: the result changes or the
// launch faults. (A wait that the compiler placed without need may be removed unseen.)
//
//   mutation CODE_OBJECT KERNEL TARGET DEVICE TILE: a rung of the ladder with a 2-D grid, 256 threads
//   mutation CODE_OBJECT KERNEL TARGET DEVICE TILE_M TILE_N THREADS UNSEEN: a kernel with a linear grid; at
//     most UNSEEN of its waits may be removed unseen
#include <hip/hip_runtime_api.h>

#include "check.h"
#include "kernels/gemm/gemm_args.h"
#include "sim/isa/program.h"
#include "tools/core/read_file.h"

enum { MOST = 256, K = 700, ROW = 704 };                        // K: whole steps and a rest
static const uint32_t s_nop = 0xbf800000, s_trap = 0xbf920000;  // SOPP encodings with simm16 = 0

static unsigned char *a, *b;
static unsigned tile_m, tile_n, threads;
static bool linear;
static int m, n;
static float *c;

// Runs the kernel of the code object; false when it faults.
static int run(const void *image, const char *name, float *result) {
  hipModule_t module;
  hipFunction_t function;
  if (hipModuleLoadData(&module, image)) return 0;
  wt_gemm_args args = {.a = a,
                       .b = b,
                       .c = c,
                       .m = m,
                       .n = n,
                       .k = K,
                       .alpha = 1,
                       .a_row = ROW,
                       .a_col = 1,
                       .b_row = ROW,
                       .b_col = 1,
                       .c_row = n,
                       .order = {m / (int)tile_m, n / (int)tile_n, 1, 1, 1, 0},
                       .type_c = WT_KERNEL_F32,
                       .k_part = K};
  void *params[] = {&args};
  const unsigned wide = (unsigned)n / tile_n, tall = (unsigned)m / tile_m;
  memset(c, 0, MOST * MOST * sizeof *c);
  int ok = hipModuleGetFunction(&function, module, name) == hipSuccess &&
           hipModuleLaunchKernel(function, linear ? wide * tall : wide, linear ? 1 : tall, 1, threads, 1, 1,
                                 0, NULL, params, NULL) == hipSuccess &&
           hipDeviceSynchronize() == hipSuccess;
  memcpy(result, c, MOST * MOST * sizeof *c);
  hipModuleUnload(module);
  return ok;
}

// Where the kernel's code stands in the file; *bytes is its length.
static unsigned char *in_file(unsigned char *file, size_t size, const sim_object *object, const char *name,
                              size_t *bytes) {
  for (size_t f = 0; f < object->function_count; ++f) {
    const sim_function *function = &object->functions[f];
    if (strcmp(function->name, name) != 0) continue;
    *bytes = function->end - function->begin;
    for (size_t at = 0; at + *bytes <= size; at += 4)
      if (memcmp(file + at, object->image + function->begin, *bytes) == 0) return file + at;
  }
  return NULL;
}

int main(int argc, char **argv) {
  size_t size = 0;
  if (argc != 6 && argc != 9) return 2;
  const char *name = argv[2];
  unsigned char *file = read_file(argv[1], &size);
  char message[512] = "";
  sim_object *object = NULL;
  sim_program *program = NULL;
  int loaded = file &&
               sim_object_load(file, size, argv[3], &object, message, sizeof message) == SIM_OBJECT_OK &&
               sim_program_create(object, strcmp(argv[3], "gfx950") ? SIM_GFX942 : SIM_GFX950, &program,
                                  message, sizeof message);
  CHECK(loaded, "%s: %s", argv[1], message);
  if (!loaded) return test_result();
  const sim_kernel *kernel = sim_object_kernel(object, name);
  size_t bytes = 0;
  unsigned char *code = kernel ? in_file(file, size, object, name, &bytes) : NULL;
  CHECK(code, "%s has no kernel %s", argv[1], name);
  if (!code) return test_result();

  setenv("WT_SIM_SCHEDULE", "late", 1);
  setenv("WT_SIM_BUDGET", "4000000", 1);
  hipSetDevice(atoi(argv[4]));
  linear = argc == 9;
  tile_m = (unsigned)atoi(argv[5]);
  tile_n = linear ? (unsigned)atoi(argv[6]) : tile_m;
  threads = linear ? (unsigned)atoi(argv[7]) : 256;
  const int unseen = linear ? atoi(argv[8]) : 2;
  m = tile_m > 128 ? (int)tile_m : 128;
  n = tile_n > 128 ? (int)tile_n : 128;
  hipHostMalloc((void **)&a, MOST * ROW, 0);
  hipHostMalloc((void **)&b, MOST * ROW, 0);
  hipHostMalloc((void **)&c, MOST * MOST * sizeof *c, 0);
  test_rng rng = test_seed(17);
  for (int i = 0; i < MOST * ROW; ++i) a[i] = (unsigned char)(0x30 + test_random(&rng) % 32);
  for (int i = 0; i < MOST * ROW; ++i) b[i] = (unsigned char)(0x30 + test_random(&rng) % 32);

  static float right[MOST * MOST], got[MOST * MOST];
  CHECK(run(file, name, right), "the unchanged kernel runs");
  int executed = 0, caught = 0;
  for (uint32_t i = 0; i < program->op_count; ++i) {
    const sim_op *op = &program->ops[i];
    if (!op->info || (op->info->klass != SIM_CLASS_WAIT && op->info->klass != SIM_CLASS_BARRIER)) continue;
    if (strcmp(op->info->name, "s_waitcnt") != 0 && strcmp(op->info->name, "s_barrier") != 0) continue;
    if (op->offset < kernel->entry || op->offset >= kernel->entry + bytes) continue;
    unsigned char *word = code + (op->offset - kernel->entry);
    memcpy(word, &s_trap, 4);
    int reached = !run(file, name, got);
    memcpy(word, &s_nop, 4);
    if (reached) {
      int missed = !run(file, name, got) || memcmp(got, right, sizeof right) != 0;
      if (!missed)
        printf("not missed: +0x%llx %s\n", (unsigned long long)(op->offset - kernel->entry),
               sim_op_text(program, op));
      ++executed;
      caught += missed;
    }
    memcpy(word, op->raw, 4);
  }
  printf("%s on %s: %d of %d removed waits and barriers are caught\n", name, argv[3], caught, executed);
  CHECK(executed >= 5, "only %d waits and barriers are executed", executed);
  // In the rungs the compiler guards the loads before the K loop again after it, for the case that K = 0:
  // that wait does nothing here. Nor does a barrier after the last step.
  CHECK(executed - caught <= unseen, "only %d of %d are caught", caught, executed);
  sim_program_free(program);
  sim_object_free(object);
  free(file);
  hipHostFree(a);
  hipHostFree(b);
  hipHostFree(c);
  return test_result();
}
