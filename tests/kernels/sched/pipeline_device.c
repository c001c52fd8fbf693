// SPDX-License-Identifier: MIT
// Runs the small pipelines on both simulated chips: from the fewest steps to more than a prologue and an
// epilogue, with the same sums under every schedule; then takes out each wait and barrier in turn, which must
// be noticed. (In ping-pong only waits: its barriers above all keep the halves of the waves apart.)
// Arguments: the code objects for gfx950 and for gfx942.
#include <hip/hip_runtime_api.h>

#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

// Behind the sums lie what the caller of a pipeline stores before its run and what the run stores in its
// first iterations.
enum {
  THREADS = 256,
  X = 2 * THREADS,
  Y = THREADS,
  MOST_STEPS = 11,
  STORES = 3,
  SUMS = 2,
  BEFORE = SUMS + STORES
};
enum { OUT = (BEFORE + 1) * THREADS, STORED_FIRST = 6 };

// Says what a multiply adds to: its two operands, X or Y.
typedef struct multiply {
  int sum, a, b;
} multiply;

// Says what sum 0 of a step begins with, where vectors make the fragment that Y is multiplied by. BESIDE:
// meanwhile sum 1 has other products.
typedef enum beginning { NO_VECTORS, WITH_ZERO, WITH_X, WITH_ZERO_BESIDE } beginning;

typedef struct pipeline {
  const char *name;
  bool in_step;
  int least_steps, step, together, multiplies;  // steps of a run: the fewest, and those between two runs
  multiply order[2];                            // within a step
  bool stores;
  // At most so many waits are unseen: the compiler's for a fetch that has landed, the one at the end for
  // copies past it, which nobody reads, and two that cover each other, the schedule's and one that the
  // compiler adds.
  int joins;
  beginning begins;
} pipeline;

static const pipeline pipelines[] = {
    {"pipeline_plain", true, 1, 1, 1, 1, {{0, X, Y}}, false, 0, NO_VECTORS},
    {"pipeline_deep", true, 2, 1, 1, 1, {{0, X, Y}}, false, 0, NO_VECTORS},
    {"pipeline_rotated", true, 3, 1, 1, 2, {{0, X, X}, {1, Y, Y}}, false, 0, NO_VECTORS},
    {"pipeline_led", true, 2, 1, 1, 1, {{0, X, Y}}, false, 0, NO_VECTORS},
    {"pipeline_lagging", false, 2, 1, 1, 2, {{0, X, X}, {1, X, Y}}, false, 0, NO_VECTORS},
    {"pipeline_fetched", true, 2, 2, 2, 2, {{0, X, X}, {1, Y, Y}}, false, 0, NO_VECTORS},
    {"pipeline_fetched_tail", true, 1, 1, 2, 2, {{0, X, X}, {1, Y, Y}}, false, 0, NO_VECTORS},
    {"pipeline_fetched_lagging", false, 2, 2, 2, 2, {{0, X, X}, {1, X, Y}}, false, 3, NO_VECTORS},
    {"pipeline_storing", true, 5, 1, 1, 1, {{0, X, Y}}, true, 0, NO_VECTORS},
    {"pipeline_attentive", false, 1, 1, 1, 0, {{0}}, false, 1, WITH_ZERO},
    {"pipeline_attentive_through", false, 1, 1, 1, 0, {{0}}, false, 1, WITH_ZERO},
    {"pipeline_started", false, 1, 1, 1, 0, {{0}}, false, 3, WITH_X},
    {"pipeline_beside", true, 1, 1, 1, 0, {{0}}, false, 1, WITH_ZERO_BESIDE}};
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };
static const char *const schedules[] = {"late",     "late-vmem", "late-lds", "early",
                                        "lockstep", "timed",     "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static uint32_t *x, *y, *out;
static const pipeline *current;

// Returns the fragment of a thread, as pipeline_device.hip reads it: zero past the end.
static uint32_t fragment(int which, int step, int steps, int thread) {
  if (step >= steps) return 0;
  if (which == Y) return y[step * Y + THREADS - 1 - thread];
  const uint32_t *from = x + step * X + (thread + 81) % THREADS;
  return from[0] ^ (from[THREADS] * 3);
}

static uint32_t multiplied(uint32_t sum, uint32_t a, uint32_t b) {
  const uint32_t mixed = sum ^ a;
  return (mixed << 7 | mixed >> 25) + b;
}

// Adds a step in which vectors make the fragment that Y is multiplied by.
static void add_step_of_vectors(beginning begins, uint32_t sum[SUMS], int step, int thread) {
  const uint32_t loaded = (uint32_t)thread * 0x9e3779b9u, *from = x + step * X + (thread + 81) % THREADS;
  const uint32_t first = begins == WITH_X ? from[0] : multiplied(0, loaded, from[0]);
  sum[0] = multiplied(first, loaded, from[THREADS]);
  uint32_t made = sum[0] * 5 + (uint32_t)step;
  const uint32_t last = fragment(Y, step, step + 1, thread);
  if (begins == WITH_ZERO_BESIDE) {
    sum[1] = multiplied(multiplied(sum[1], loaded, from[THREADS]), loaded, last);
    sum[1] = multiplied(sum[1], made, last);
    return;
  }
  sum[1] = sum[1] * 3 + sum[0];
  made ^= sum[1] + sum[0];
  sum[1] = multiplied(sum[1] + made, made, last);
}

static bool sums_are_right(const pipeline *p, int steps) {
  for (int thread = 0; thread < THREADS; ++thread) {
    uint32_t sum[SUMS] = {0, 0};
    for (int step = 0; step < (steps + p->together - 1) / p->together * p->together; ++step) {
      if (p->begins != NO_VECTORS) add_step_of_vectors(p->begins, sum, step, thread);
      for (int i = 0; i < p->multiplies; ++i) {
        const multiply *m = &p->order[i];
        sum[m->sum] =
            multiplied(sum[m->sum], fragment(m->a, step, steps, thread), fragment(m->b, step, steps, thread));
      }
    }
    if (p->begins == WITH_X) sum[0] = 0;  // after the run it is the start of a step past the end
    if (memcmp(sum, out + 2 * thread, sizeof sum) != 0) return false;
    for (int i = 0; i <= STORES && p->stores; ++i)
      if (out[(SUMS + i) * THREADS + thread] != STORED_FIRST + (i < STORES) * (uint32_t)(1 + i)) return false;
  }
  return true;
}

static removal_result launch(hipModule_t module, const pipeline *p, int steps) {
  hipFunction_t function;
  void *arguments[] = {&x, &y, &out, &steps};
  memset(out, 0, OUT * sizeof *out);
  if (hipModuleGetFunction(&function, module, p->name) != hipSuccess ||
      hipModuleLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return sums_are_right(p, steps) ? REMOVAL_RIGHT : REMOVAL_WRONG;
}

static removal_result launch_changed(hipModule_t module, const char *kernel) {
  (void)kernel;
  return launch(module, current, MOST_STEPS / current->step * current->step);
}

static void check_device(const char *path, const char *target) {
  hipModule_t module;
  if (!isa_ok(hipModuleLoad(&module, path), path)) return;
  for (int i = 0; i < PIPELINES; ++i) {
    current = &pipelines[i];
    for (int s = 0; s < SCHEDULES; ++s) {
      setenv("WT_SIM_SCHEDULE", schedules[s], 1);
      for (int steps = current->least_steps; steps <= MOST_STEPS; steps += current->step)
        CHECK(launch(module, current, steps) == REMOVAL_RIGHT, "%s on %s: %d steps under %s", current->name,
              target, steps, schedules[s]);
    }
    const removal_counts counts =
        removal_try_each(path, target, current->name, current->in_step, false, launch_changed);
    const int *executed = counts.executed, *unseen = counts.unseen;
    CHECK(executed[REMOVAL_WAIT] + executed[REMOVAL_BARRIER] >= 4 && unseen[REMOVAL_WAIT] <= current->joins &&
              unseen[REMOVAL_BARRIER] == 0,
          "%s on %s: %d waits and %d barriers are unseen", current->name, target, unseen[REMOVAL_WAIT],
          unseen[REMOVAL_BARRIER]);
  }
  hipModuleUnload(module);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: pipeline_device GFX950.co GFX942.co\n"), 2;
  setenv("WT_SIM_BUDGET", "400000", 1);
  x = isa_memory((MOST_STEPS + 1) * X * sizeof *x);
  y = isa_memory((MOST_STEPS + 1) * Y * sizeof *y);
  out = isa_memory(OUT * sizeof *out);
  test_rng rng = test_seed(5);
  for (int i = 0; i < (MOST_STEPS + 1) * X; ++i) x[i] = (uint32_t)test_random(&rng);
  for (int i = 0; i < (MOST_STEPS + 1) * Y; ++i) y[i] = (uint32_t)test_random(&rng);
  for (int device = 0; device < 2; ++device)
    if (isa_ok(hipSetDevice(device), "hipSetDevice"))
      check_device(argv[1 + device], device ? "gfx942" : "gfx950");
  return test_result();
}
