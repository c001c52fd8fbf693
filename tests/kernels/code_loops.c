// SPDX-License-Identifier: MIT
#include "tests/kernels/code_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tools/core/read_file.h"

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

unsigned code_count(const code_kernel *kernel, const char *start) {
  unsigned n = 0;
  for (uint32_t i = kernel->first; kernel->loop && i <= kernel->last; ++i)
    n += kernel->loop->member[i - kernel->first] &&
         begins(sim_op_text(kernel->program, &kernel->program->ops[i]), start);
  return n;
}

// Returns whether a loop with matrix instructions lies within `outer`.
static bool holds_another(const code_kernel *kernel, const isa_loop *outer, const isa_loop *loops,
                          uint32_t count) {
  code_kernel k = *kernel;
  for (uint32_t i = 0; i < count; ++i) {
    k.loop = &loops[i];
    if (k.loop != outer && k.loop->depth > outer->depth && outer->member[k.loop->head - k.first] &&
        code_count(&k, "v_mfma_") > 0)
      return true;
  }
  return false;
}

static const isa_loop *main_loop(const code_kernel *kernel, const isa_loop *loops, uint32_t count) {
  const isa_loop *best = NULL;
  unsigned most = 0;
  code_kernel k = *kernel;
  for (uint32_t i = 0; i < count; ++i) {
    k.loop = &loops[i];
    const unsigned n = code_count(&k, "v_mfma_");
    if (n > most && !holds_another(kernel, k.loop, loops, count)) best = k.loop, most = n;
  }
  return best;
}

static void visit(code_kernel k, void (*check)(const code_kernel *kernel, void *context), void *context) {
  const sim_object *object = k.program->object;
  const sim_function *function = NULL;
  for (size_t i = 0; i < object->function_count; ++i)
    if (object->functions[i].begin == k.kernel->entry) function = &object->functions[i];
  CHECK(function, "%s for %s has no symbol", k.kernel->name, k.target);
  if (!function) return;
  k.first = k.last = (uint32_t)(sim_program_at(k.program, function->begin) - k.program->ops);
  while (k.last + 1 < k.program->op_count && k.program->ops[k.last + 1].offset < function->end) ++k.last;
  uint32_t count;
  isa_loop *loops = isa_loops_find(k.program, k.first, k.last, &count);
  k.loop = main_loop(&k, loops, count);
  check(&k, context);
  isa_loops_free(loops, count);
}

size_t code_each_kernel(const char *directory, const char *stem, const char *target,
                        void (*check)(const code_kernel *kernel, void *context), void *context) {
  char path[1024], message[256] = "";
  snprintf(path, sizeof path, "%s/%s.%s.co", directory, stem, target);
  size_t size = 0, kernels = 0;
  unsigned char *data = read_file(path, &size);
  sim_object *object = NULL;
  sim_program *program = NULL;
  const sim_chip chip = strcmp(target, "gfx950") == 0 ? SIM_GFX950 : SIM_GFX942;
  if (data && sim_object_load(data, size, target, &object, message, sizeof message) == SIM_OBJECT_OK)
    sim_program_create(object, chip, &program, message, sizeof message);
  CHECK(program, "cannot read %s: %s", path, message);
  for (size_t i = 0; program && i < object->kernel_count; ++i, ++kernels)
    visit((code_kernel){.target = target, .program = program, .kernel = &object->kernels[i]}, check, context);
  sim_program_free(program);
  sim_object_free(object);
  free(data);
  return kernels;
}

void code_check_tight(const code_kernel *k, unsigned moves) { code_check_loop(k, moves, 0); }

void code_check_loop(const code_kernel *k, unsigned moves, unsigned agprs) {
  static const char *const unwanted[] = {"scratch_", "flat_"};
  CHECK(k->loop, "%s for %s has no loop with matrix instructions", k->kernel->name, k->target);
  const unsigned moved = code_count(k, "v_mov_");
  CHECK(moved <= moves, "%s for %s has %u v_mov_* in its main loop, promised at most %u", k->kernel->name,
        k->target, moved, moves);
  const unsigned read = code_count(k, "v_accvgpr_");
  CHECK(read == agprs, "%s for %s has %u v_accvgpr_* in its main loop, not %u", k->kernel->name, k->target,
        read, agprs);
  for (int i = 0; i < 2; ++i) {
    const unsigned n = code_count(k, unwanted[i]);
    CHECK(n == 0, "%s for %s has %u %s* in its main loop", k->kernel->name, k->target, n, unwanted[i]);
  }
  CHECK(k->kernel->vgpr_spills == 0 && k->kernel->sgpr_spills == 0 && k->kernel->scratch_bytes == 0,
        "%s for %s spills or uses scratch", k->kernel->name, k->target);
}
