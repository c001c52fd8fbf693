// SPDX-License-Identifier: MIT
// wt_quantize_blocks and wt_dequantize_blocks with F32 scales, bit by bit, on both simulated chips: random
// shapes, strides, alignments, types and contents, blocks along rows and along columns, each with its own
// scale or in squares; the transposed matrix of squares has the same numbers; the same bits under every
// schedule, and nothing written between the rows.
//
//   fp8_blocks CASES
#include "conversion.h"
#include "output_check.h"

enum { BLOCK = OUTPUT_FP8_BLOCK };

typedef struct fp8_case {
  conversion call;  // q in bytes
  fp8_table table;
  bool transposed_scales;
  int lines, length;  // of q: rows, and elements of a row
} fp8_case;

static bool along_columns(const fp8_case *c) { return c->call.desc.along == WT_BLOCKS_ALONG_COLUMNS; }
static bool is_square(const fp8_case *c) { return c->call.desc.shape == WT_BLOCKS_OF_SQUARES; }
static int blocks_of(int elements) { return (elements + BLOCK - 1) / BLOCK; }

static int length_of(test_rng *rng) {
  static const int edges[] = {1, 15, 16, 17, 127, 128, 129, 256, 300};
  return row_between(rng, 0, 1) ? edges[row_between(rng, 0, 8)] : row_between(rng, 1, 400);
}

static row_matrix with_gap(test_rng *rng, wt_type type, int rows, int columns) {
  const int gap = row_between(rng, 0, 1) ? row_between(rng, 0, 20) : 0;
  return row_matrix_create(type, rows, columns, columns + gap,
                           (int)row_element(type) * row_between(rng, 0, 8));
}

static void choose(fp8_case *c, test_rng *rng, bool gfx950) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const wt_type fp8[2][2] = {{WT_TYPE_F8E4M3_FNUZ, WT_TYPE_F8E5M2_FNUZ},
                                    {WT_TYPE_F8E4M3, WT_TYPE_F8E5M2}};
  wt_block_scale_desc *d = &c->call.desc;
  *d = (wt_block_scale_desc)WT_BLOCK_SCALE_DESC_INIT;
  d->type_x = types[row_between(rng, 0, 2)], d->type_q = fp8[gfx950][row_between(rng, 0, 1)];
  d->scales = (wt_block_scales)row_between(rng, WT_BLOCK_SCALES_F32, WT_BLOCK_SCALES_POWER_OF_TWO);
  d->along = (wt_block_axis)row_between(rng, 0, 1), d->shape = (wt_block_shape)row_between(rng, 0, 1);
  c->table = fp8_table_of(d->type_q);
  c->lines = length_of(rng), c->length = length_of(rng);
  d->rows = along_columns(c) ? c->length : c->lines, d->columns = along_columns(c) ? c->lines : c->length;
}

static void make_matrices(fp8_case *c, test_rng *rng) {
  wt_block_scale_desc *d = &c->call.desc;
  const int scale_rows = is_square(c) ? blocks_of(c->lines) : c->lines, blocks = blocks_of(c->length);
  c->call.x = with_gap(rng, d->type_x, (int)d->rows, (int)d->columns);
  c->call.q = with_gap(rng, WT_TYPE_I8, c->lines, c->length);
  c->call.back = with_gap(rng, d->type_x, c->lines, c->length);
  c->transposed_scales = row_between(rng, 0, 1);
  c->call.scale = c->transposed_scales ? with_gap(rng, WT_TYPE_F32, blocks, scale_rows)
                                       : with_gap(rng, WT_TYPE_F32, scale_rows, blocks);
  d->ldx = c->call.x.ld, d->q_row_bytes = c->call.q.ld;
  d->scale_row = c->transposed_scales ? 1 : c->call.scale.ld;
  d->scale_block = c->transposed_scales ? c->call.scale.ld : 1;
}

static void describe(fp8_case *c) {
  const wt_block_scale_desc *d = &c->call.desc;
  snprintf(
      c->call.what, sizeof c->call.what,
      "types %d to %d rows %d columns %d scales %d transposed %d along %d shape %d ld %d %d %d %d offsets %d "
      "%d %d %d",
      (int)d->type_x, (int)d->type_q, (int)d->rows, (int)d->columns, (int)d->scales, c->transposed_scales,
      (int)d->along, (int)d->shape, c->call.x.ld, c->call.q.ld, c->call.scale.ld, c->call.back.ld,
      c->call.x.offset, c->call.q.offset, c->call.scale.offset, c->call.back.offset);
}

// Fills in numbers of a magnitude for each block, zeros, numbers beside the largest, and some that are not
// finite.
static void fill(fp8_case *c, test_rng *rng) {
  const wt_type type = c->call.x.type;
  for (int row = 0; row < c->call.x.rows; ++row)
    for (int first = 0; first < c->call.x.columns; first += BLOCK) {
      const int kind = row_between(rng, 0, 5),
                end = first + BLOCK < c->call.x.columns ? first + BLOCK : c->call.x.columns;
      const double power =
          ldexp(1, type == WT_TYPE_F16 ? row_between(rng, -20, 12) : row_between(rng, -140, 120));
      for (int column = first; column < end; ++column) {
        double value = row_normal(rng) * power;
        if (kind == 0) value = 0;
        if (kind == 1 && row_between(rng, 0, 40) == 0) value = INFINITY;
        if (kind == 1 && row_between(rng, 0, 40) == 0) value = NAN;
        if (kind == 2) value = c->table.value[row_between(rng, 0, c->table.count - 1)] * power;
        uint32_t code = row_encode(type, value);
        if (isfinite(value) && !isfinite(row_decode(type, code))) code = 0;
        row_put(&c->call.x, row, column, code);
      }
    }
}

static float value_at(const fp8_case *c, int line, int element) {
  return (float)(along_columns(c) ? row_value(&c->call.x, c->call.x.host, element, line)
                                  : row_value(&c->call.x, c->call.x.host, line, element));
}

// Returns the largest finite magnitude of those that share the scale of a block of a line.
static float largest_of(const fp8_case *c, int line, int block) {
  const int first = is_square(c) ? line / BLOCK * BLOCK : line, end = is_square(c) ? first + BLOCK : line + 1;
  float largest = 0;
  for (int l = first; l < end && l < c->lines; ++l)
    for (int i = block * BLOCK; i < (block + 1) * BLOCK && i < c->length; ++i) {
      const float value = value_at(c, l, i);
      if (isfinite(value)) largest = fmaxf(largest, fabsf(value));
    }
  return largest;
}

static float scale_at(const fp8_case *c, const unsigned char *scales, int line, int block) {
  const int row = is_square(c) ? line / BLOCK : line;
  return (float)row_value(&c->call.scale, scales, c->transposed_scales ? block : row,
                          c->transposed_scales ? row : block);
}

static void check_line(const fp8_case *c, const conversion_results *r, int line) {
  for (int block = 0; block < blocks_of(c->length); ++block) {
    const float largest = largest_of(c, line, block), got = scale_at(c, r->scale, line, block);
    const float want = c->call.desc.scales == WT_BLOCK_SCALES_F32 ? fp8_scale_of(&c->table, largest)
                                                                  : output_power_of_two(&c->table, largest);
    CHECK(got == want, "%s: line %d block %d, largest %g, has scale %.9g, expected %.9g", c->call.what, line,
          block, (double)largest, (double)got, (double)want);
    for (int i = block * BLOCK; i < (block + 1) * BLOCK && i < c->length; ++i) {
      uint8_t code;
      const uint8_t element = r->q[row_place(&c->call.q, line, i)];
      CHECK(fp8_is_right(&c->table, value_at(c, line, i), want, element, &code),
            "%s: line %d element %d, %.9g at scale %.9g, is 0x%02x, expected 0x%02x", c->call.what, line, i,
            (double)value_at(c, line, i), (double)want, element, code);
      const float number = (float)fp8_value(c->table.type, element) * want;
      const double back = row_value(&c->call.back, r->back, line, i);
      const double expected = row_decode(c->call.x.type, row_encode(c->call.x.type, (double)number));
      CHECK(isnan(expected) ? isnan(back) : back == expected,
            "%s: back at line %d element %d: %.9g, expected %.9g", c->call.what, line, i, back, expected);
    }
  }
}

// Squares have the same elements and scales when they are written transposed.
static void check_transposed(wt_context *context, const fp8_case *c, const conversion_results *r) {
  fp8_case other = *c;
  other.call.desc.along = along_columns(c) ? WT_BLOCKS_ALONG_ROWS : WT_BLOCKS_ALONG_COLUMNS;
  other.lines = c->length, other.length = c->lines;
  other.call.q = row_matrix_create(WT_TYPE_I8, other.lines, other.length, other.length, 0);
  other.call.scale =
      row_matrix_create(WT_TYPE_F32, c->call.scale.columns, c->call.scale.rows, c->call.scale.rows, 0);
  other.call.desc.q_row_bytes = other.call.q.ld;
  other.call.desc.scale_row = c->transposed_scales ? 1 : other.call.scale.ld;
  other.call.desc.scale_block = c->transposed_scales ? other.call.scale.ld : 1;
  const wt_status status = wt_quantize_blocks(context, &other.call.desc, c->call.x.device,
                                              other.call.q.device, other.call.scale.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: transposed: %s", c->call.what, wt_last_error(context));
  conversion_results t = {malloc(other.call.q.bytes), malloc(other.call.scale.bytes), NULL};
  row_download(&other.call.q, t.q), row_download(&other.call.scale, t.scale);
  for (int line = 0; line < c->lines && !status; ++line)
    for (int i = 0; i < c->length; ++i)
      CHECK(r->q[row_place(&c->call.q, line, i)] == t.q[row_place(&other.call.q, i, line)] &&
                scale_at(c, r->scale, line, i / BLOCK) == scale_at(&other, t.scale, i, line / BLOCK),
            "%s: line %d element %d differs from that of the transposed matrix", c->call.what, line, i);
  conversion_release(&t), row_matrix_destroy(&other.call.q), row_matrix_destroy(&other.call.scale);
}

static void run_case(wt_context *context, test_rng *rng) {
  fp8_case c;
  choose(&c, rng, strcmp(wt_context_target(context), "gfx950") == 0), make_matrices(&c, rng), describe(&c),
      fill(&c, rng);
  conversion_results r = conversion_run(context, &c.call);
  for (int line = 0; r.q && line < c.lines; ++line) check_line(&c, &r, line);
  if (r.q && is_square(&c)) check_transposed(context, &c, &r);
  conversion_release(&r), conversion_destroy(&c.call);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: fp8_blocks CASES\n"), 2;
  test_rng rng = test_seed(27);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
