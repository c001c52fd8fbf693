// SPDX-License-Identifier: MIT
// Conversions of register tiles with block scales against the OCP Microscaling specification v1.0, to the
// bit: to every format with every rounding of the scale, elements rounded to nearest even or stochastically
// with the random bits of their place; and from every format, with random codes and scales.
//
//   convert_blocks CODE_OBJECT
#include "convert_blocks.h"

#include "tests/block_scale/mx.h"
#include "tests/kernels/ops/isa/run.h"

enum { MOST = 64 * 256 };

typedef struct tile {
  const char *name;  // of the kernels, after what they do
  const mx_format *format;
  wt_type type;
  int rows, columns;
  bool stochastic;
  convert_blocks_args args;
} tile;

static const mx_format *format_of(const char *name) {
  static const char *const names[MX_FORMATS] = {"fp8e4m3", "fp8e5m2", "fp6e2m3", "fp6e3m2", "fp4e2m1"};
  for (int i = 0; i < MX_FORMATS; ++i)
    if (strcmp(names[i], name) == 0) return &mx_formats[i];
  return NULL;
}

static wt_type type_of(const char *name) {
  return strcmp(name, "f32") == 0 ? WT_TYPE_F32 : strcmp(name, "bf16") == 0 ? WT_TYPE_BF16 : WT_TYPE_F16;
}

static double number_at(const tile *t, int index) {
  uint32_t code = 0;
  const size_t bytes = row_element(t->type);
  memcpy(&code, (char *)t->args.numbers + (size_t)index * bytes, bytes);
  return row_decode(t->type, code);
}

static void put_number(const tile *t, int index, double value) {
  const uint32_t code = row_encode(t->type, value);
  const size_t bytes = row_element(t->type);
  memcpy((char *)t->args.numbers + (size_t)index * bytes, &code, bytes);
}

// Makes blocks of all magnitudes that the type has, of zeros, with numbers halfway between two elements, and
// with something that is not finite.
static void fill_numbers(const tile *t, test_rng *rng) {
  const mx_format *f = t->format;
  const bool half = t->type == WT_TYPE_F16;
  for (int b = 0; b < t->rows * t->columns / MX_BLOCK; ++b) {
    const int kind = row_between(rng, 0, 5);
    const double power = ldexp(1, half ? row_between(rng, -24, 11) : row_between(rng, -149, 110));
    for (int i = 0; i < MX_BLOCK; ++i) {
      const unsigned code = (unsigned)row_between(rng, 0, (1 << (f->bits - 1)) - 2);
      double value = row_normal(rng) * power;
      if (kind == 1) value = row_between(rng, 0, 1) ? 0.0 : -0.0;
      if (kind == 2) value = (mx_value(f, code) + mx_value(f, code + 1)) / (row_between(rng, 0, 1) ? 2 : -2);
      put_number(t, b * MX_BLOCK + i, isfinite(value) ? value : 1);
    }
    static const double strange[] = {INFINITY, -INFINITY, NAN};
    if (kind == 3) put_number(t, b * MX_BLOCK + row_between(rng, 0, 31), strange[row_between(rng, 0, 2)]);
  }
}

static void check_to_blocks(const tile *t) {
  const mx_format *f = t->format;
  for (int b = 0; b < t->rows * t->columns / MX_BLOCK; ++b) {
    const int row = b / (t->columns / MX_BLOCK), column = b % (t->columns / MX_BLOCK) * MX_BLOCK;
    double largest = 0;
    bool finite = true;
    for (int i = 0; i < MX_BLOCK; ++i) {
      const double value = number_at(t, b * MX_BLOCK + i);
      finite = finite && isfinite(value), largest = fmax(largest, fabs(value));
    }
    const int want = finite ? mx_scale_of(f, largest, (wt_scale_rounding)t->args.rounding) : MX_SCALE_NAN;
    CHECK(t->args.scale[b] == want, "%s: row %d column %d has scale %d, expected %d", t->name, row, column,
          t->args.scale[b], want);
    for (int i = 0; i < MX_BLOCK; ++i) {
      const double value = number_at(t, b * MX_BLOCK + i) / mx_scale(want);
      const uint32_t random = mx_random(f, t->args.seed, (int)t->args.row + row, t->args.column + column + i);
      const unsigned expected = !finite         ? 0
                                : t->stochastic ? mx_encode_stochastic(f, value, random)
                                                : mx_encode(f, value);
      const unsigned code = mx_code(f, t->args.q + b * mx_block_bytes(f), i);
      CHECK(code == expected, "%s: row %d column %d, %.9g of its scale, is 0x%02x, expected 0x%02x", t->name,
            row, column + i, value, code, expected);
    }
  }
}

static void fill_blocks(const tile *t, test_rng *rng) {
  const mx_format *f = t->format;
  for (int b = 0; b < t->rows * t->columns / MX_BLOCK; ++b) {
    t->args.scale[b] = (unsigned char)row_between(rng, 0, 255);
    if (row_between(rng, 0, 1)) t->args.scale[b] = (unsigned char)row_between(rng, 110, 140);
    for (int i = 0; i < MX_BLOCK; ++i)
      mx_put_code(f, t->args.q + b * mx_block_bytes(f), i, (unsigned)row_between(rng, 0, (1 << f->bits) - 1));
  }
}

static void check_from_blocks(const tile *t) {
  const mx_format *f = t->format;
  for (int i = 0; i < t->rows * t->columns; ++i) {
    const int b = i / MX_BLOCK;
    const unsigned code = mx_code(f, t->args.q + b * mx_block_bytes(f), i % MX_BLOCK);
    const double number = mx_value(f, code) * mx_scale(t->args.scale[b]);
    const double want = row_decode(t->type, row_encode(t->type, (double)(float)number));
    const double got = number_at(t, i);
    CHECK(isnan(want) ? isnan(got) : got == want,
          "%s: back at row %d column %d, 0x%02x at scale %d, is %.9g, expected %.9g", t->name, i / t->columns,
          i % t->columns, code, t->args.scale[b], got, want);
  }
}

static bool run(hipModule_t module, const char *what, tile *t) {
  char name[96];
  snprintf(name, sizeof name, "%s_%s", what, t->name);
  void *arguments[] = {&t->args};
  return isa_run(module, name, 64, arguments);
}

static void check_kernels(hipModule_t module, tile t, test_rng *rng) {
  for (int round = 0; round < 8; ++round) {
    t.args.rounding = round % 4, t.stochastic = round >= 4;
    t.args.seed = test_random(rng), t.args.row = (uint64_t)row_between(rng, 0, 1 << 20);
    t.args.column = MX_BLOCK * row_between(rng, 0, 1 << 20);
    fill_numbers(&t, rng);
    memset(t.args.q, 0xaa, MOST), memset(t.args.scale, 0xaa, MOST / MX_BLOCK);
    if (run(module, t.stochastic ? "stochastic" : "nearest", &t)) check_to_blocks(&t);
  }
  for (int round = 0; round < 2; ++round) {
    fill_blocks(&t, rng);
    if (run(module, "back", &t)) check_from_blocks(&t);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: convert_blocks CODE_OBJECT\n"), 2;
  test_rng rng = test_seed(45);
  hipModule_t module = NULL;
  if (!isa_ok(hipModuleLoad(&module, argv[1]), argv[1])) return test_result();
  const convert_blocks_args memory = {
      .numbers = isa_memory(4 * MOST), .q = isa_memory(MOST), .scale = isa_memory(MOST / MX_BLOCK)};
#define CHECK_KERNELS(T, Q, ROWS, DEPTH, TALL, WIDE, KEPT)               \
  check_kernels(module,                                                  \
                (tile){.name = #T "_" #Q "_" #ROWS "_" #DEPTH "_" #KEPT, \
                       .format = format_of(#Q),                          \
                       .type = type_of(#T),                              \
                       .rows = ROWS * TALL,                              \
                       .columns = DEPTH * WIDE,                          \
                       .args = memory},                                  \
                &rng);
  CONVERT_BLOCKS_KERNELS(CHECK_KERNELS)
  isa_ok(hipModuleUnload(module), "hipModuleUnload");
  return test_result();
}
