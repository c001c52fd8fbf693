// SPDX-License-Identifier: MIT
// The wait states that matrix instructions need from software (CDNA4 ISA, table 38, and the same of CDNA3 as
// LLVM 22 keeps it), checked on every path through every kernel. The compiler keeps them for its own MFMAs,
// but pinned tiles (rt_pinned) multiply in inline assembly, which it does not look into.
//
//   matrix_hazards DIRECTORY...: of code objects, *.<target>.co
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/mfma/shape.h"
#include "sim/isa/program.h"
#include "sim/object/object.h"
#include "tests/check.h"
#include "tools/core/read_file.h"

typedef struct walk {
  const sim_program *program;
  const char *path;
  bool gfx950, nops_count_once;
  unsigned hazards, matrix_ops;
} walk;

// Passes by mnemonic, as the simulator's table has them.
static unsigned passes_of(const walk *w, const sim_op *op) {
  static const struct {
    const char *name;
    uint8_t passes[2];
  } rows[] = {
#define ROW(name, chips, m, k, blocks, a, b, d, ab, passes942, passes950) {#name, {passes942, passes950}},
      SIM_MFMA_DENSE(ROW)};
  const char *name = op->info->name + strlen("v_mfma_");
  if (strncmp(name, "scale_", 6) == 0) name += 6;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strcmp(name, rows[i].name) == 0) {
      // Formats 0 and 1 have 8 bits; with one of them it takes twice as long.
      const bool wide = strstr(rows[i].name, "f8f6f4") && (op->cbsz < 2 || op->blgp < 2);
      return (unsigned)rows[i].passes[w->gfx950] * (wide ? 2 : 1);
    }
  return 16;
}

static bool is_matrix(const sim_op *op) { return op->info && op->info->klass == SIM_CLASS_MFMA; }
static bool is_valu(const sim_op *op) {
  return op->info && (op->info->klass == SIM_CLASS_VALU || op->info->klass == SIM_CLASS_TRANS);
}

static bool overlap(const sim_operand *a, const sim_operand *b) {
  return a->kind == SIM_OPND_VGPR && b->kind == SIM_OPND_VGPR && a->reg < b->reg + b->regs &&
         b->reg < a->reg + a->regs;
}

// The kinds of matrix instructions that the table tells apart: f32, f64, all others.
typedef enum kind { XDL, SGEMM, DGEMM } kind;
static kind kind_of(const sim_op *op) {
  const size_t length = strlen(op->info->name);
  if (strcmp(op->info->name + length - 4, "_f32") == 0) return SGEMM;
  return strcmp(op->info->name + length - 4, "_f64") == 0 ? DGEMM : XDL;
}

static int row_of(unsigned passes) { return passes <= 2 ? 0 : passes <= 4 ? 1 : passes <= 8 ? 2 : 3; }

// From a matrix result to any other use: by passes 2, 4, 8, 16. Reading f64 from memory instructions takes
// longer than from others.
static unsigned states_to_use(const walk *w, const sim_op *op, const sim_op *next) {
  static const unsigned gfx942[] = {5, 7, 11, 19}, gfx950[] = {5, 8, 12, 20}, sgemm[] = {4, 6, 10, 18};
  const int row = row_of(passes_of(w, op));
  if (kind_of(op) == SGEMM) return sgemm[row];
  if (kind_of(op) == XDL) return (w->gfx950 ? gfx950 : gfx942)[row];
  const bool small = strstr(op->info->name, "_4x4x4") != NULL, memory = !is_valu(next) && !is_matrix(next);
  if (small) return memory ? 9 : 6;
  return memory ? 18 : w->gfx950 ? 19 : 11;
}
// To the C of a matrix instruction: the same registers in the same instruction, or an overlap.
static unsigned states_to_c(const walk *w, const sim_op *op, bool same) {
  static const unsigned gfx942[] = {3, 5, 9, 17}, gfx950[] = {4, 6, 10, 18}, sgemm[] = {2, 4, 8, 16};
  const int row = row_of(passes_of(w, op));
  if (kind_of(op) == DGEMM) return strstr(op->info->name, "_4x4x4") ? 4 : same ? 0 : w->gfx950 ? 17 : 9;
  if (same) return row == 0 ? 2 : 0;
  return kind_of(op) == SGEMM ? sgemm[row] : (w->gfx950 ? gfx950 : gfx942)[row];
}

// Wait states that `next` needs after `op`, for the registers they share.
static unsigned needed(const walk *w, const sim_op *op, const sim_op *next) {
  unsigned most = 0;
  for (int d = 0; d < op->dst_count; ++d) {
    const sim_operand *result = &op->dst[d];
    for (int s = 0; s < next->src_count; ++s) {
      if (!overlap(result, &next->src[s])) continue;
      unsigned states = 0;
      if (is_valu(op)) {
        states = is_matrix(next) ? 2 : 0;  // a VALU write before a matrix instruction's operand
      } else if (is_matrix(next) && s == 2) {
        const bool same = next->info == op->info && next->src[s].reg == result->reg;
        states = states_to_c(w, op, same);
      } else {
        states = states_to_use(w, op, next);
      }
      if (states > most) most = states;
    }
    for (int o = 0; o < next->dst_count && is_matrix(op) && !is_matrix(next); ++o)
      if (overlap(result, &next->dst[o]) && states_to_use(w, op, next) > most)
        most = states_to_use(w, op, next);
  }
  return most;
}

// Follows every path from `op`, `states` wait states after it.
static void follow(walk *w, const sim_op *op, uint32_t at, unsigned states) {
  enum { FAR = 20 };
  while (at < w->program->op_count && states < FAR) {
    const sim_op *next = &w->program->ops[at];
    if (!next->info) return;
    if (needed(w, op, next) > states) {
      if (w->hazards++ == 0 && !w->nops_count_once)
        fprintf(stderr, "%s: %s\n  is followed after %u wait states by %s\n", w->path,
                sim_op_text(w->program, op), states, sim_op_text(w->program, next));
      return;
    }
    const bool nop = strcmp(next->info->name, "s_nop") == 0;
    states += nop && !w->nops_count_once ? (next->raw[0] & 0xffff) + 1 : 1;
    if (next->info->klass == SIM_CLASS_BRANCH) {
      if (next->target != UINT32_MAX) follow(w, op, next->target, states);
      if (strcmp(next->info->name, "s_branch") == 0) return;
    }
    if (strncmp(next->info->name, "s_endpgm", 8) == 0) return;
    ++at;
  }
}

static void check_program(walk *w) {
  for (uint32_t i = 0; i < w->program->op_count; ++i) {
    const sim_op *op = &w->program->ops[i];
    if (!is_matrix(op) && !is_valu(op)) continue;
    w->matrix_ops += is_matrix(op);
    follow(w, op, i + 1, 0);
  }
}

typedef struct totals {
  unsigned objects, matrix_ops, without_nops;
} totals;

static void check_object(const char *path, bool gfx950, totals *t) {
  char message[256] = "";
  size_t size;
  unsigned char *data = read_file(path, &size);
  sim_object *object = NULL;
  sim_program *program = NULL;
  if (data && sim_object_load(data, size, gfx950 ? "gfx950" : "gfx942", &object, message, sizeof message) ==
                  SIM_OBJECT_OK)
    sim_program_create(object, gfx950 ? SIM_GFX950 : SIM_GFX942, &program, message, sizeof message);
  CHECK(program, "cannot read %s: %s", path, message);
  if (program) {
    walk w = {.program = program, .path = path, .gfx950 = gfx950};
    check_program(&w);
    CHECK(w.hazards == 0, "%s has %u places without the wait states that matrix instructions need", path,
          w.hazards);
    walk blind = {.program = program, .path = path, .gfx950 = gfx950, .nops_count_once = true};
    check_program(&blind);
    ++t->objects;
    t->matrix_ops += w.matrix_ops;
    t->without_nops += blind.hazards;
  }
  sim_program_free(program);
  sim_object_free(object);
  free(data);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: matrix_hazards DIRECTORY...\n"), 2;
  totals t = {0};
  for (int i = 1; i < argc; ++i) {
    DIR *directory = opendir(argv[i]);
    CHECK(directory, "cannot open %s", argv[i]);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      const char *end = strstr(entry->d_name, ".gfx950.co");
      const bool gfx950 = end && strlen(end) == 10;
      if (!gfx950) end = strstr(entry->d_name, ".gfx942.co");
      if (!end || strlen(end) != 10) continue;
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      check_object(path, gfx950, &t);
    }
    if (directory) closedir(directory);
  }
  CHECK(t.objects >= 40, "only %u code objects", t.objects);
  CHECK(t.without_nops > 0, "no kernel needs its s_nop: is anything looked at?");
  printf("%u matrix instructions in %u code objects; %u hazards if s_nop counted once\n", t.matrix_ops,
         t.objects, t.without_nops);
  return test_result();
}
