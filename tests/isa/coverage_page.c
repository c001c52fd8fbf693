// SPDX-License-Identifier: MIT
// Writes docs/isa-coverage.md, or compares it with what it should be: every opcode LLVM's disassembler lists,
// whether the tables have it, and which test programs executed it (record.h).
//
//   isa_coverage write|check PAGE RECORDS TEST...
#define _GNU_SOURCE  // open_memstream
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/isa/opcodes.h"

enum { TARGETS = 2, SHOWN_TESTS = 3, MOST_TESTS = 64 };
static const char *const targets[TARGETS] = {"gfx942", "gfx950"};

// This is refused on purpose, by beginning of the mnemonic. The instruction must have a test that sees it
// refused.
static const struct {
  const char *name, *reason;
} reasons[] = {
    {"s_rfe_", "returns from a trap handler; there is none"},
    {"s_endpgm_saved", "ends a wave whose context a trap handler has saved"},
    {"s_endpgm_ordered_ps_done", "ordered pixel shaders"},
    {"s_sendmsghalt", "halts until a host debugger resumes the wave"},
    {"ds_gws_init", "global wave sync beyond the barrier of a cooperative launch is set up by the driver"},
    {"ds_gws_sema_", "global wave sync beyond the barrier of a cooperative launch is set up by the driver"},
    {"v_screen_partition_4se_b32", "graphics; the CDNA manuals do not define it"},
};

// This is known from others than the manuals and our own tests, who agree with what is implemented here.
static const struct {
  const char *names, *what, *who;
} witnesses[] = {
    {"`v_mfma_f32_*` of F16, BF16, XF32, FP8 and BF8 on gfx942", "the arithmetic, bit for bit",
     "the authors of MMA-Sim on an MI300X, with random bits (arXiv 2511.10909); `isa.mfma_published` repeats "
     "the "
     "sums that they print"},
    {"`v_smfmac_*` of the deep forms of gfx950", "which products meet", "ROCm/hip-fpsan on an MI350"},
    {"`ds_read_b64_tr_b4`", "a transpose of 16 x 16 nibbles in each 16 lanes",
     "harsh-nod/fe2o3 (examples/gfx950_low_precision) on an MI350X, in FP4 attention; the ROCm documentation "
     "of "
     "`__builtin_amdgcn_ds_read_tr4_b64_v2i32` names the same k"},
    {"`ds_read_b64_tr_b8`", "two interleaved transposes of 8 x 8 bytes in each 16 lanes",
     "the same, in FP8 attention"},
    {"`v_mfma_f32_16x16x128_f8f6f4` of FP4 and of FP8", "the layout of A and B; sums of moderate numbers",
     "the same: products without an error"},
    {"`v_mfma_scale_f32_*_f8f6f4` of FP6 (E2M3)",
     "32 values of k, densely packed in the 6 registers of a lane; block scales",
     "ROCm/FlyDSL, pull request 780: MXFP6 x MXFP4 products on a gfx950"},
    {"`v_cvt_scalef32_pk_fp4_*`, `v_cvt_scalef32_pk_*_fp4`",
     "division by the scale before, multiplication after the conversion; the first number in the low nibble; "
     "the "
     "byte that OP_SEL chooses; nearest even",
     "gem5's model of the MI355X, written at AMD (`vop3_cvt.hh`); Meta's packing of FP4, which uses "
     "`v_cvt_scalef32_pk_fp4_f32` on an MI350X"},
    {"`v_mfma_*_f8f6f4` of BF6 (E3M2), `v_cvt_scalef32_*` of FP6 and BF6, `v_cvt_scalef32_sr_*`, "
     "`ds_read_b96_tr_b6`",
     "", "nobody yet: they rest on the CDNA4 manual and on directed tests"},
};

typedef struct covering {
  size_t count;
  const char *tests[MOST_TESTS];
} covering;

typedef struct cell {
  const isa_opcode *opcode;  // NULL: the chip does not have it
  covering executed, refused;
} cell;

typedef struct instruction {
  const isa_opcode *first;
  cell cells[TARGETS];
} instruction;

static isa_opcode opcodes[TARGETS][ISA_MOST_OPCODES];
static instruction table[ISA_MOST_OPCODES];
static size_t table_count;

static instruction *find(const char *name) {
  for (size_t i = 0; i < table_count; ++i)
    if (strcmp(table[i].first->name, name) == 0) return &table[i];
  return NULL;
}

static void list_opcodes(void) {
  for (int t = TARGETS - 1; t >= 0; --t) {
    size_t count = isa_list_opcodes(targets[t], opcodes[t]);
    for (size_t i = 0; i < count; ++i) {
      instruction *at = find(opcodes[t][i].name);
      if (!at) (at = &table[table_count++])->first = &opcodes[t][i];
      at->cells[t].opcode = &opcodes[t][i];
    }
  }
}

// Adds what one test program has recorded; false when it has recorded nothing.
static bool read_records(const char *folder, const char *test) {
  char path[1024], line[256], target[16], what[16], name[ISA_NAME_SIZE];
  snprintf(path, sizeof path, "%s/test_isa_%s.txt", folder, test);
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "%s is missing; run the instruction tests first: ctest -L isa\n", path);
    return false;
  }
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%15s %15s %63s", target, what, name) != 3) continue;
    instruction *at = find(name);
    if (!at) continue;  // ".long": not an instruction
    cell *c = &at->cells[strcmp(target, targets[1]) == 0];
    covering *tests = strcmp(what, "executed") == 0 ? &c->executed : &c->refused;
    if (tests->count < MOST_TESTS) tests->tests[tests->count++] = test;
  }
  fclose(f);
  return true;
}

static const char *reason_for(const char *name) {
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i)
    if (strncmp(name, reasons[i].name, strlen(reasons[i].name)) == 0) return reasons[i].reason;
  return NULL;
}

typedef enum status { ABSENT, MISSING, REFUSED, UNTESTED, TESTED, STATUSES } status;

static status status_of(const cell *c) {
  if (!c->opcode) return ABSENT;
  if (reason_for(c->opcode->name)) return c->refused.count && !c->executed.count ? REFUSED : MISSING;
  if (!c->opcode->row || c->opcode->missed[0]) return MISSING;
  return c->executed.count ? TESTED : UNTESTED;
}

// ---- groups

static const struct {
  const char *title, *encodings;
} groups[] = {
    {"Scalar", "SOP2 SOPK SOP1 SOPC SOPP"},
    {"Scalar memory", "SMEM"},
    {"Vector", "VOP1 VOP2 VOPC VOP3"},
    {"Packed, dot and matrix", "VOP3P VOP3PX2"},
    {"LDS", "DS"},
    {"Flat, global and scratch", "FLAT GLOBAL SCRATCH"},
    {"Buffer", "MUBUF MTBUF"},
    {"Graphics", "EXP VINTRP MIMG"},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static bool in_group(const instruction *i, int group) {
  char first[16];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(i->first->encodings, " "), i->first->encodings);
  const char *at = strstr(groups[group].encodings, first);
  size_t length = strlen(first);
  return at && (at[length] == ' ' || at[length] == 0) && (at == groups[group].encodings || at[-1] == ' ');
}

// ---- the page

static void write_summary(FILE *out) {
  fprintf(out,
          "| instructions | chip | LLVM lists | implemented | with a directed test | refused by name | "
          "neither |\n"
          "|---|---|---|---|---|---|---|\n");
  for (int g = 0; g <= GROUPS; ++g) {
    for (int t = 0; t < TARGETS; ++t) {
      int by_status[STATUSES] = {0};
      for (size_t i = 0; i < table_count; ++i)
        if (g == GROUPS || in_group(&table[i], g)) ++by_status[status_of(&table[i].cells[t])];
      int listed = by_status[MISSING] + by_status[REFUSED] + by_status[UNTESTED] + by_status[TESTED];
      if (listed)
        fprintf(out, "| %s | %s | %d | %d | %d | %d | %d |\n", g == GROUPS ? "**all**" : groups[g].title,
                targets[t], listed, by_status[UNTESTED] + by_status[TESTED], by_status[TESTED],
                by_status[REFUSED], by_status[MISSING]);
    }
  }
}

static void write_cell(FILE *out, const cell *c) {
  status s = status_of(c);
  const covering *tests = s == REFUSED ? &c->refused : &c->executed;
  switch (s) {
    case ABSENT: fprintf(out, " - |"); return;
    case MISSING: fprintf(out, " **not implemented** |"); return;
    case UNTESTED: fprintf(out, " **no test** |"); return;
    case REFUSED: fprintf(out, " refused:"); break;
    default: break;
  }
  for (size_t i = 0; i < tests->count && i < SHOWN_TESTS; ++i)
    fprintf(out, "%s%s", i ? ", " : " ", tests->tests[i]);
  if (tests->count > SHOWN_TESTS) fprintf(out, " and %zu more", tests->count - SHOWN_TESTS);
  fprintf(out, " |");
}

static void write_table(FILE *out, int group) {
  bool begun = false;
  for (size_t i = 0; i < table_count; ++i) {
    if (!in_group(&table[i], group)) continue;
    if (!begun)
      fprintf(out, "\n## %s\n\n| instruction | encodings | gfx942 | gfx950 |\n|---|---|---|---|\n",
              groups[group].title);
    begun = true;
    fprintf(out, "| `%s` | %s |", table[i].first->name, table[i].first->encodings);
    for (int t = 0; t < TARGETS; ++t) write_cell(out, &table[i].cells[t]);
    fprintf(out, "\n");
  }
}

static void write_witnesses(FILE *out) {
  fprintf(
      out,
      "\n## Confirmed by others\n\n"
      "Expectations of the tests come from AMD's manuals. These instructions were hard to be sure of, and "
      "somebody else\n"
      "has found on hardware, or implemented independently, what is implemented here.\n\n"
      "| instructions | what | by whom |\n|---|---|---|\n");
  for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0]; ++i)
    fprintf(out, "| %s | %s | %s |\n", witnesses[i].names, witnesses[i].what, witnesses[i].who);
}

static void write_page(FILE *out) {
  fprintf(out,
          "# Instructions of the simulated device\n\n"
          "This page is written by a program: `./dev coverage` runs the instruction tests and writes it, and "
          "a test\n"
          "checks that it is current. Listed is what LLVM's disassembler knows for each chip, found by "
          "trying every\n"
          "opcode number of every encoding. Implemented means that every encoding LLVM prints for it decodes "
          "to a\n"
          "handler. The tests named are the programs `isa.NAME` in `tests/isa` that executed the instruction "
          "on the\n"
          "chip, as counted while they ran. A test that only compares host variants or decodes is not "
          "counted. `-`:\n"
          "the chip does not have it.\n\n");
  write_summary(out);
  fprintf(out, "\nRefused by name, with the reason:\n\n");
  for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i)
    fprintf(out, "- `%s%s`: %s\n", reasons[i].name,
            reasons[i].name[strlen(reasons[i].name) - 1] == '_' ? "*" : "", reasons[i].reason);
  write_witnesses(out);
  for (int g = 0; g < GROUPS; ++g) write_table(out, g);
}

// ---- comparing

static int differs(const char *page, const char *wanted) {
  FILE *f = fopen(page, "r");
  char *line = NULL;
  size_t capacity = 0, number = 0;
  int different = f == NULL;
  while (f && !different) {
    ssize_t length = getline(&line, &capacity, f);
    ++number;
    if (length < 0) {
      different = *wanted != 0;
      break;
    }
    different = strncmp(line, wanted, (size_t)length) != 0;
    if (!different) wanted += length;
  }
  if (different)
    fprintf(stderr, "%s is out of date at line %zu; run ./dev coverage\n  should be: %.*s\n", page, number,
            (int)strcspn(wanted, "\n"), wanted);
  free(line);
  if (f) fclose(f);
  return different;
}

int main(int argc, char **argv) {
  bool check = argc > 1 && strcmp(argv[1], "check") == 0;
  if (argc < 5 || (!check && strcmp(argv[1], "write") != 0)) {
    fprintf(stderr, "usage: isa_coverage write|check PAGE RECORDS TEST...\n");
    return 2;
  }
  list_opcodes();
  for (int i = 4; i < argc; ++i)
    if (!read_records(argv[3], argv[i])) return 1;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return 1;
  write_page(out);
  fclose(out);
  int result = 0;
  if (check) {
    result = differs(argv[2], text);
  } else {
    FILE *f = fopen(argv[2], "w");
    result = !f || fwrite(text, 1, size, f) != size;
    if (f && fclose(f) != 0) result = 1;
    if (result) fprintf(stderr, "cannot write %s: %s\n", argv[2], strerror(errno));
  }
  free(text);
  return result;
}
