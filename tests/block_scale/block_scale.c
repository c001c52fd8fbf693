// SPDX-License-Identifier: MIT
// Tests wt_quantize_blocks and wt_dequantize_blocks against the OCP Microscaling specification v1.0, bit by
// bit: random shapes, strides, alignments, types, contents, ways to choose the scale and to round elements,
// blocks along rows and along columns, each with its own scale or in squares; the same bits under every
// schedule, and nothing written between the rows.
//
//   block_scale CASES
#include "conversion.h"
#include "mx.h"

typedef struct block_case {
  conversion call;  // q and scale in bytes
  const mx_format *format;
} block_case;

static bool along_columns(const block_case *c) { return c->call.desc.along == WT_BLOCKS_ALONG_COLUMNS; }

static row_matrix bytes_create(test_rng *rng, int rows, int columns) {
  const int gap = row_between(rng, 0, 2) ? row_between(rng, 0, 20) : 0;
  return row_matrix_create(WT_TYPE_I8, rows, columns, columns + gap, row_between(rng, 0, 16));
}

static block_case make_case(test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  block_case c = {.format = &mx_formats[row_between(rng, 0, MX_FORMATS - 1)]};
  const wt_type type = types[row_between(rng, 0, 2)];
  const int element = (int)row_element(type);
  const int blocks = row_between(rng, 1, row_between(rng, 0, 3) ? 6 : 40);
  const int lines = row_between(rng, 1, 400 / blocks), along = row_between(rng, 0, 1);
  const int rows = along ? MX_BLOCK * blocks : lines, columns = along ? lines : MX_BLOCK * blocks;
  c.call.x = row_matrix_create(type, rows, columns, columns + row_between(rng, 0, 9),
                               element * row_between(rng, 0, 8));
  c.call.q = bytes_create(rng, lines, blocks * mx_block_bytes(c.format));
  c.call.scale = bytes_create(rng, lines, blocks);
  c.call.back = row_matrix_create(type, lines, MX_BLOCK * blocks, MX_BLOCK * blocks + row_between(rng, 0, 9),
                                  element * row_between(rng, 0, 8));
  c.call.desc = (wt_block_scale_desc)WT_BLOCK_SCALE_DESC_INIT;
  c.call.desc.rows = rows, c.call.desc.columns = columns;
  c.call.desc.type_x = type, c.call.desc.type_q = c.format->type;
  c.call.desc.ldx = c.call.x.ld, c.call.desc.q_row_bytes = c.call.q.ld,
  c.call.desc.scale_row = c.call.scale.ld;
  c.call.desc.along = along ? WT_BLOCKS_ALONG_COLUMNS : WT_BLOCKS_ALONG_ROWS;
  c.call.desc.shape = row_between(rng, 0, 2) ? WT_BLOCKS_OF_LINES : WT_BLOCKS_OF_SQUARES;
  c.call.desc.rounding = (wt_scale_rounding)row_between(rng, 0, 3);
  c.call.desc.seed = test_random(rng);
  if (c.call.desc.shape == WT_BLOCKS_OF_LINES && row_between(rng, 0, 1))
    c.call.desc.element_rounding = WT_ELEMENT_STOCHASTIC;
  snprintf(c.call.what, sizeof c.call.what,
           "types %d to %d rows %d columns %d along %d shape %d rounding %d %d seed %llu ld %d %d %d offsets "
           "%d %d %d",
           (int)type, (int)c.format->type, rows, columns, along, (int)c.call.desc.shape,
           (int)c.call.desc.rounding, (int)c.call.desc.element_rounding, (unsigned long long)c.call.desc.seed,
           c.call.x.ld, c.call.q.ld, c.call.scale.ld, c.call.x.offset, c.call.q.offset, c.call.scale.offset);
  return c;
}

static void put(block_case *c, int line, int element, double value) {
  uint32_t code = row_encode(c->call.x.type, value);
  if (isfinite(value) && !isfinite(row_decode(c->call.x.type, code))) code = 0;
  if (along_columns(c))
    row_put(&c->call.x, element, line, code);
  else
    row_put(&c->call.x, line, element, code);
}

static double value_at(const block_case *c, int line, int element) {
  return along_columns(c) ? row_value(&c->call.x, c->call.x.host, element, line)
                          : row_value(&c->call.x, c->call.x.host, line, element);
}

// Fills blocks of all magnitudes, of zeros, of numbers halfway between two elements, around the magnitudes
// where the scale changes, and with something that is not finite.
static void fill_block(block_case *c, test_rng *rng, int line, int first) {
  const mx_format *f = c->format;
  const int kind = row_between(rng, 0, 7), least = c->call.x.type == WT_TYPE_F16 ? -24 : -149;
  const double power = ldexp(1, row_between(rng, least, c->call.x.type == WT_TYPE_F16 ? 12 : 120));
  for (int i = 0; i < MX_BLOCK; ++i) {
    const unsigned code = (unsigned)row_between(rng, 0, (1 << (f->bits - 1)) - 2);
    double value = row_normal(rng) * power;
    if (kind == 1) value = row_between(rng, 0, 1) ? 0.0 : -0.0;
    if (kind == 2) value = (mx_value(f, code) + mx_value(f, code + 1)) / (row_between(rng, 0, 1) ? 2 : -2);
    if (kind == 3) value = row_normal(rng);
    if (!isfinite(value)) value = 1;
    put(c, line, first + i, value);
  }
  const double borders[] = {f->largest, ldexp(1, f->top), f->largest * (1 + 0x1p-7),
                            f->largest * (1 - 0x1p-7)};
  const double strange[] = {INFINITY, -INFINITY, NAN};
  const int at = first + row_between(rng, 0, MX_BLOCK - 1);
  if (kind == 4) put(c, line, at, strange[row_between(rng, 0, 2)]);
  if (kind == 5) put(c, line, at, 4 * power * borders[row_between(rng, 0, 3)]);
  if (kind == 3) put(c, line, at, 16 * borders[row_between(rng, 0, 3)]);
}

static unsigned encoded(const block_case *c, int line, int element, double value) {
  const wt_block_scale_desc *d = &c->call.desc;
  if (d->element_rounding == WT_ELEMENT_NEAREST) return mx_encode(c->format, value);
  return mx_encode_stochastic(c->format, value, mx_random(c->format, d->seed, line, element));
}

static void check_block(const block_case *c, const unsigned char *q, const unsigned char *scales, int line,
                        int block) {
  const mx_format *f = c->format;
  const unsigned char *packed = q + row_place(&c->call.q, line, block * mx_block_bytes(f));
  const int got = scales[row_place(&c->call.scale, line, block)];
  const bool square = c->call.desc.shape == WT_BLOCKS_OF_SQUARES;
  const int first = square ? line / MX_BLOCK * MX_BLOCK : line, end = square ? first + MX_BLOCK : line + 1;
  double largest = 0;
  bool finite = true;
  for (int shares = first; shares < end && shares < c->call.scale.rows; ++shares)
    for (int i = 0; i < MX_BLOCK; ++i) {
      const double value = value_at(c, shares, MX_BLOCK * block + i);
      finite = finite && isfinite(value);
      largest = fmax(largest, fabs(value));
    }
  const int want = finite ? mx_scale_of(f, largest, c->call.desc.rounding) : MX_SCALE_NAN;
  CHECK(got == want, "%s: line %d block %d, largest %g, has scale %d, expected %d", c->call.what, line, block,
        largest, got, want);
  for (int i = 0; i < MX_BLOCK; ++i) {
    const double value = value_at(c, line, MX_BLOCK * block + i);
    const unsigned code = mx_code(f, packed, i);
    const unsigned expected = finite ? encoded(c, line, MX_BLOCK * block + i, value / mx_scale(want)) : 0;
    CHECK(code == expected, "%s: line %d block %d element %d, %.9g at scale %d, is 0x%02x, expected 0x%02x",
          c->call.what, line, block, i, value, want, code, expected);
  }
}

static void check_back(const block_case *c, const unsigned char *q, const unsigned char *scales,
                       const unsigned char *back) {
  for (int line = 0; line < c->call.back.rows; ++line)
    for (int i = 0; i < c->call.back.columns; ++i) {
      const unsigned char *packed = q + row_place(&c->call.q, line, i / MX_BLOCK * mx_block_bytes(c->format));
      const double number = mx_value(c->format, mx_code(c->format, packed, i % MX_BLOCK)) *
                            mx_scale(scales[row_place(&c->call.scale, line, i / MX_BLOCK)]);
      const double want = row_decode(c->call.x.type, row_encode(c->call.x.type, (double)(float)number));
      const double got = row_value(&c->call.back, back, line, i);
      CHECK(isnan(want) ? isnan(got) : got == want, "%s: back at line %d element %d: %.9g, expected %.9g",
            c->call.what, line, i, got, want);
    }
}

static void run_case(wt_context *context, test_rng *rng) {
  block_case c = make_case(rng);
  const int lines = c.call.scale.rows, blocks = c.call.scale.columns;
  for (int line = 0; line < lines; ++line)
    for (int block = 0; block < blocks; ++block) fill_block(&c, rng, line, MX_BLOCK * block);
  conversion_results r = conversion_run(context, &c.call);
  for (int line = 0; r.q && line < lines; ++line)
    for (int block = 0; block < blocks; ++block) check_block(&c, r.q, r.scale, line, block);
  if (r.q) check_back(&c, r.q, r.scale, r.back);
  conversion_release(&r), conversion_destroy(&c.call);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: block_scale CASES\n"), 2;
  test_rng rng = test_seed(26);
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  for (int i = 0; i < atoi(argv[1]) && context; ++i) run_case(context, &rng);
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && accesses > 0 && conflicts == 0,
        "%llu LDS instructions lost %llu cycles to bank conflicts", accesses, conflicts);
  wt_context_destroy(context);
  return test_result();
}
