// SPDX-License-Identifier: MIT
// Hand-placed waits stay what they are: between copies to LDS and reads of it the compiler adds none for
// vmcnt, and the program is right when every copy lands as late as it may. Looks at the code and runs it.
#include "run.h"
#include "sim/isa/program.h"
#include "tools/core/read_file.h"

enum { THREADS = 256, STEPS = 5, COPIES = 2, MOST_BYTES = (STEPS + 1) * 8192 };

static uint16_t *in;
static uint32_t *out;

static void check_sum(hipModule_t module, const char *name, int step_bytes, test_rng *rng) {
  int steps = STEPS;
  uint32_t want = 0, got = 0;
  for (int i = 0; i < MOST_BYTES / 2; ++i) {
    in[i] = (uint16_t)test_random(rng);
    if (i < STEPS * step_bytes / 2) want += in[i];
  }
  void *arguments[] = {&in, &out, &steps};
  if (!isa_run(module, name, THREADS, arguments)) return;
  for (int i = 0; i < THREADS; ++i) got += out[i];
  CHECK(got == want, "%s adds up to %u, expected %u", name, got, want);
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(75);
  check_sum(module, "plain", gfx950 ? 8192 : 2048, &rng);
  if (gfx950) check_sum(module, "transposed", 8192, &rng);
}

// After the first copy to LDS the one wait for vmcnt is the program's own.
static void check_waits(const sim_program *program, const sim_function *function) {
  int copies = 0, waits = 0;
  for (uint64_t at = function->begin; at < function->end; at += 4) {
    const sim_op *op = sim_program_at(program, at);
    if (!op || !op->info) continue;
    copies += strstr(sim_op_text(program, op), " lds") != NULL;
    if (!copies || strcmp(op->info->name, "s_waitcnt") != 0) continue;
    const uint32_t vmcnt = (op->raw[0] & 15) | (op->raw[0] >> 14 & 3) << 4;
    if (vmcnt == 63) continue;
    ++waits;
    CHECK(vmcnt == COPIES, "%s: an unwanted %s", function->name, sim_op_text(program, op));
  }
  CHECK(copies == 2 * COPIES && waits == 1, "%s: %d copies and %d waits for them", function->name, copies,
        waits);
}

static void check_orders(const sim_program *program, const sim_function *function) {
  static const char *const want[] = {
      "s_setprio 3", "s_waitcnt vmcnt(5) lgkmcnt(6)", "s_nop 7",   "s_waitcnt vmcnt(62)",
      "s_sleep 2",   "s_waitcnt lgkmcnt(14)",         "s_barrier", "s_barrier",
      "s_setprio 0"};
  size_t found = 0, branches = 0;
  for (uint64_t at = function->begin; at < function->end && found < sizeof want / sizeof *want; at += 4) {
    const sim_op *op = sim_program_at(program, at);
    if (!op || !op->info) continue;
    const char *text = sim_op_text(program, op);
    if (strcmp(text, want[found]) == 0) ++found;
    // Not on EXEC: then the barrier would still be executed, by no lane of a wave that should not take it.
    branches +=
        found == 7 && (strncmp(text, "s_cbranch_scc", 13) == 0 || strncmp(text, "s_cbranch_vcc", 13) == 0);
  }
  CHECK(found == sizeof want / sizeof *want, "the code of %s lacks %s", function->name, want[found]);
  CHECK(branches == 1, "barrier_if takes %zu scalar branches", branches);
}

static void check_code(const char *path, const char *target, sim_chip chip) {
  size_t size = 0;
  unsigned char *file = read_file(path, &size);
  char message[512] = "";
  sim_object *object = NULL;
  sim_program *program = NULL;
  int functions = 0;
  const bool loaded =
      file && sim_object_load(file, size, target, &object, message, sizeof message) == SIM_OBJECT_OK &&
      sim_program_create(object, chip, &program, message, sizeof message);
  CHECK(loaded, "%s: %s", path, message);
  for (size_t i = 0; loaded && i < object->function_count; ++i) {
    const sim_function *function = &object->functions[i];
    if (strcmp(function->name, "orders") == 0) {
      check_orders(program, function);
    } else {
      check_waits(program, function);
    }
    ++functions;
  }
  CHECK(functions == (chip == SIM_GFX950 ? 3 : 2), "%s holds %d functions", path, functions);
  sim_program_free(program);
  sim_object_free(object);
  free(file);
}

int main(int argc, char **argv) {
  in = isa_memory(MOST_BYTES), out = isa_memory(THREADS * 4);
  if (argc == 3) {
    check_code(argv[1], "gfx950", SIM_GFX950);
    check_code(argv[2], "gfx942", SIM_GFX942);
  }
  return isa_main(argc, argv, check_device);
}
