// SPDX-License-Identifier: MIT
// Compares every MFMA layout of the headers, lane by lane and element by element, as the compiler wrote it
// into a code object (tools/layout/layout_catalogue.hip), with the ISA's rules: the general ones, by which
// isa_mfma.c feeds the simulated instructions, and the ones the documents give shape by shape. Arguments: the
// code objects for gfx950 and gfx942.
#include "tools/layout/layout_catalogue.h"

#include <stdbool.h>

#include "tests/check.h"
#include "tests/kernels/ops/isa/mfma_cases.h"
#include "tests/kernels/ops/isa/mfma_places.h"
#include "tools/core/read_file.h"

typedef struct instruction {
  const char *a, *b;
  int m, n, k, blocks, chips;
} instruction;
#define AS_ROW(A, B, M, N, K, BLOCKS, ON942, ON950) \
  {#A, #B, M, N, K, BLOCKS, (ON942 ? LAYOUT_GFX942 : 0) | (ON950 ? LAYOUT_GFX950 : 0)},
static const instruction instructions[] = {ISA_MFMA_CASES(AS_ROW)};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

static const struct {
  const char *name;
  int bits;
} types[] = {{"f64", 64}, {"f32", 32},    {"i32", 32},    {"xf32", 32},   {"f16", 16},    {"bf16", 16},
             {"i8", 8},   {"fp8e4m3", 8}, {"fp8e5m2", 8}, {"fp6e2m3", 6}, {"fp6e3m2", 6}, {"fp4e2m1", 4}};

static int bits_of(const char *type) {
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(types[i].name, type) == 0) return types[i].bits;
  return 0;
}

static const char *sum_of(const char *type) {
  return strcmp(type, "f64") == 0 ? "f64" : strcmp(type, "i8") == 0 ? "i32" : "f32";
}

static void text_of(const layout_map *map, char *text, size_t size) {
  static const char *const kinds[] = {"operand", "accumulator", "natural operand"};
  snprintf(text, size, "%s %s %dx%d, %d blocks, chips %d", map->type, kinds[map->kind], map->rows,
           map->columns, map->blocks, map->chips);
}

// Returns the chips whose instructions have the operand or accumulator.
static int users_of(const layout_map *map) {
  int chips = 0;
  for (int i = 0; i < INSTRUCTIONS; ++i) {
    const instruction *in = &instructions[i];
    const bool same = in->m == map->rows && in->blocks == map->blocks;
    if (map->kind == LAYOUT_OPERAND && same && in->k == map->columns &&
        (strcmp(in->a, map->type) == 0 || strcmp(in->b, map->type) == 0))
      chips |= in->chips;
    if (map->kind == LAYOUT_ACCUMULATOR && same && in->n == map->columns &&
        strcmp(sum_of(in->a), map->type) == 0)
      chips |= in->chips;
  }
  return chips;
}

// Checks the general rules. Whatever they place fills all lanes and elements, so nothing else can be in the
// map.
static void check_general(const layout_map *map, const char *text) {
  const bool two_runs = map->columns >= 64 && strncmp(map->type, "fp8", 3) == 0;
  const int height = strcmp(map->type, "f64") == 0 ? 1 : 4;
  int placed = 0;
  for (int block = 0; block < map->blocks; ++block) {
    for (int row = 0; row < map->rows; ++row) {
      for (int column = 0; column < map->columns; ++column) {
        const isa_place at =
            map->kind == LAYOUT_OPERAND
                ? isa_place_operand(map->rows, map->columns, map->blocks, two_runs, block, row, column)
                : isa_place_result(map->rows, map->columns, height, block, row, column);
        const layout_place *got = &map->place[at.lane][at.item];
        CHECK(at.item < map->elements && got->block == block && got->row == row && got->column == column,
              "%s: element %d of lane %d is block %d, (%d, %d), expected block %d, (%d, %d)", text, at.item,
              at.lane, got->block, got->row, got->column, block, row, column);
        ++placed;
      }
    }
  }
  CHECK(placed == map->elements * LAYOUT_LANES, "%s has %d elements per lane", text, map->elements);
}

// Describes the operands of one block as CDNA4 ISA chapter 7 lists them: k = factor * (lane / rows) +
// element; for 8-bit floats of the f8f6f4 instructions 16 of it, then as many from half of K on.
static const struct {
  const char *types;
  int rows, k, factor;
} listed[] = {
    {"f64", 16, 4, 1},       {"f32", 16, 4, 1},        {"f32", 32, 2, 1},        {"xf32", 16, 8, 2},
    {"xf32", 32, 4, 2},      {"f16", 16, 16, 4},       {"bf16", 16, 16, 4},      {"f16", 32, 8, 4},
    {"bf16", 32, 8, 4},      {"f16", 16, 32, 8},       {"bf16", 16, 32, 8},      {"f16", 32, 16, 8},
    {"bf16", 32, 16, 8},     {"i8", 16, 32, 8},        {"i8", 32, 16, 8},        {"i8", 16, 64, 16},
    {"i8", 32, 32, 16},      {"fp8e4m3", 16, 32, 8},   {"fp8e5m2", 16, 32, 8},   {"fp8e4m3", 32, 16, 8},
    {"fp8e5m2", 32, 16, 8},  {"fp8e4m3", 16, 128, 16}, {"fp8e5m2", 16, 128, 16}, {"fp8e4m3", 32, 64, 16},
    {"fp8e5m2", 32, 64, 16}, {"fp6e2m3", 16, 128, 32}, {"fp6e3m2", 16, 128, 32}, {"fp4e2m1", 16, 128, 32},
    {"fp6e2m3", 32, 64, 32}, {"fp6e3m2", 32, 64, 32},  {"fp4e2m1", 32, 64, 32}};

static void check_listed_operand(const layout_map *map, const char *text) {
  int factor = 0;
  for (size_t i = 0; i < sizeof listed / sizeof *listed; ++i)
    if (strcmp(listed[i].types, map->type) == 0 && listed[i].rows == map->rows && listed[i].k == map->columns)
      factor = listed[i].factor;
  CHECK(factor != 0, "%s is in no list of the documents", text);
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    for (int e = 0; e < map->elements; ++e) {
      const int k = factor * (lane / map->rows) + (e < factor ? e : map->columns / 2 + e - factor);
      const layout_place *got = &map->place[lane][e];
      CHECK(got->row == lane % map->rows && got->column == k, "%s: element %d of lane %d is (%d, %d)", text,
            e, lane, got->row, got->column);
    }
  }
}

// Finds the special cases of accumulators, from lane and register to block, row and column.
static layout_place listed_result(const layout_map *map, int lane, int e) {
  const int rows = map->rows, wide = strcmp(map->type, "f64") == 0;
  layout_place at = {0, 0, (unsigned char)(lane % rows)};
  if (wide && rows == 16) {  // register pair e
    at.row = (unsigned char)(4 * e + lane / 16);
  } else if (wide) {  // 4x4x4 of 4 blocks: lane = 16 i + 4 b + j
    at.row = (unsigned char)(lane / 16), at.block = (unsigned char)(lane / 4 % 4);
  } else if (rows == 4) {  // 16 blocks: register i, lane = 4 b + j
    at.row = (unsigned char)e, at.block = (unsigned char)(lane / 4);
  } else if (rows == 16) {  // 4 registers per block
    at.row = (unsigned char)(4 * (lane / 16) + e % 4), at.block = (unsigned char)(e / 4);
  } else {  // 16 registers per block
    at.row = (unsigned char)(8 * (e % 16 / 4) + 4 * (lane / 32) + e % 4), at.block = (unsigned char)(e / 16);
  }
  return at;
}

static void check_listed_result(const layout_map *map, const char *text) {
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    for (int e = 0; e < map->elements; ++e) {
      const layout_place want = listed_result(map, lane, e), *got = &map->place[lane][e];
      CHECK(memcmp(got, &want, sizeof want) == 0, "%s: element %d of lane %d is block %d, (%d, %d)", text, e,
            lane, got->block, got->row, got->column);
    }
  }
}

// Fragments of tiles: one lane holds 16 bytes of a row, twice for 8-bit floats on gfx950; whatever
// instruction multiplies them, A and B meet in the same k (layout_device.c).
static void check_natural(const layout_map *map, const char *text) {
  const bool twice = map->chips == LAYOUT_GFX950 && strncmp(map->type, "fp8", 3) == 0;
  const int run = 128 / map->bits, step = run * (LAYOUT_LANES / map->rows);
  CHECK(map->elements == run * (twice ? 2 : 1) && map->columns == step * (twice ? 2 : 1),
        "%s has %d elements per lane", text, map->elements);
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    for (int e = 0; e < map->elements; ++e) {
      const int k = (e < run ? 0 : step) + run * (lane / map->rows) + e % run;
      const layout_place *got = &map->place[lane][e];
      CHECK(got->row == lane % map->rows && got->column == k, "%s: element %d of lane %d is (%d, %d)", text,
            e, lane, got->row, got->column);
    }
  }
}

// Every operand and accumulator of every instruction is in the catalogue, once.
static void check_complete(const layout_catalogue *catalogue) {
  for (int i = 0; i < INSTRUCTIONS; ++i) {
    const instruction *in = &instructions[i];
    int operands[2] = {0}, accumulators = 0;
    for (size_t j = 0; j < catalogue->map_count; ++j) {
      const layout_map *map = &catalogue->maps[j];
      const bool same = map->rows == in->m && map->blocks == in->blocks;
      const bool operand = same && map->kind == LAYOUT_OPERAND && map->columns == in->k;
      operands[0] += operand && strcmp(map->type, in->a) == 0;
      operands[1] += operand && strcmp(map->type, in->b) == 0;
      accumulators += same && map->kind == LAYOUT_ACCUMULATOR && strcmp(map->type, sum_of(in->a)) == 0;
    }
    CHECK(operands[0] == 1 && operands[1] == 1 && accumulators == 1,
          "%s x %s, %dx%dx%d of %d blocks: %d and %d operands, %d accumulators", in->a, in->b, in->m, in->n,
          in->k, in->blocks, operands[0], operands[1], accumulators);
  }
}

static void check_catalogue(const layout_catalogue *catalogue) {
  int naturals = 0;
  for (size_t i = 0; i < catalogue->map_count; ++i) {
    const layout_map *map = &catalogue->maps[i];
    char text[96];
    text_of(map, text, sizeof text);
    CHECK(map->bits == bits_of(map->type), "%s: %d bits", text, map->bits);
    if (map->kind == LAYOUT_NATURAL) {
      check_natural(map, text);
      ++naturals;
      continue;
    }
    CHECK(map->chips == users_of(map) && map->chips != 0, "%s: its instructions are on %d", text,
          users_of(map));
    check_general(map, text);
    if (map->kind == LAYOUT_ACCUMULATOR) check_listed_result(map, text);
    if (map->kind == LAYOUT_OPERAND && map->blocks == 1) check_listed_operand(map, text);
  }
  CHECK(naturals == 26, "%d natural operands: 6 types on two chips and one on gfx950, each of 16 and 32 rows",
        naturals);
  check_complete(catalogue);
}

int main(int argc, char **argv) {
  static const char *const targets[] = {"gfx950", "gfx942"};
  CHECK(argc == 3, "%d arguments, expected 2", argc - 1);
  layout_catalogue catalogues[2] = {0};
  for (int i = 0; i < 2 && i + 1 < argc; ++i) {
    char message[256] = "cannot be read";
    size_t size;
    unsigned char *data = read_file(argv[i + 1], &size);
    CHECK(data && layout_catalogue_read(&catalogues[i], data, size, targets[i], message, sizeof message),
          "%s: %s", argv[i + 1], message);
    if (catalogues[i].object) check_catalogue(&catalogues[i]);
    free(data);
  }
  // Pictures show both chips from one code object, so the chips must agree.
  const layout_catalogue *a = &catalogues[0], *b = &catalogues[1];
  CHECK(a->map_count == b->map_count && a->op_count == b->op_count && a->swizzle_count == b->swizzle_count &&
            memcmp(a->maps, b->maps, a->map_count * sizeof *a->maps) == 0 &&
            memcmp(a->ops, b->ops, a->op_count * sizeof *a->ops) == 0 &&
            memcmp(a->swizzles, b->swizzles, a->swizzle_count * sizeof *a->swizzles) == 0,
        "the catalogues compiled for gfx950 and gfx942 differ");
  layout_catalogue_free(&catalogues[0]);
  layout_catalogue_free(&catalogues[1]);
  return test_result();
}
