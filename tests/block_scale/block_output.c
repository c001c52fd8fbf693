// SPDX-License-Identifier: MIT
// Tests wt_norm and wt_activate with a result in a block-scaled format: it is bit by bit what the same call
// gives with a result in F32 that wt_quantize_blocks, wt_shuffle_scales and wt_quantize convert, and what the
// definitions of the formats say; random shapes, strides, alignments, types, formats and options on both
// simulated chips, the same bits under every schedule, nothing written between the rows, no LDS bank
// conflict.
//
// Norms of 16 bits get numbers of which sums are exact, since a call in F32 adds in another order.
//
//   block_output CASES
#include "output_check.h"

enum { X, OTHER, WEIGHT, BIAS, INPUTS };  // OTHER: the residual, or the gate

typedef struct output_case {
  char what[320];
  bool is_norm, has[INPUTS];
  int rows, columns, counted;
  wt_norm_desc norm;
  wt_activation_desc activation;
  wt_block_output output;
  row_matrix in[INPUTS], wide[INPUTS];  // as given, and in F32
  row_matrix q, scale, rstd, sum, count;
} output_case;

// ---- inputs

// Returns a norm of 16 bits: small whole numbers, for a layer norm of mean 0.
static double norm_number(const output_case *c, test_rng *rng, double before, int column) {
  if (c->norm.type == WT_TYPE_F32) return exp(row_normal(rng)) + 3 * row_normal(rng);
  if (c->norm.kind == WT_NORM_LAYER && column % 2) return -before;
  return row_between(rng, -4, 4);
}

// Returns an activation: blocks of all magnitudes, of zeros, and some with what is not finite.
static double activation_number(test_rng *rng, int kind, double power) {
  static const double strange[] = {INFINITY, -INFINITY, NAN};
  if (kind == 0) return row_between(rng, 0, 1) ? 0.0 : -0.0;
  if (kind == 1 && row_between(rng, 0, 63) == 0) return strange[row_between(rng, 0, 2)];
  return row_normal(rng) * (kind < 4 ? 1 : power);
}

static void fill(output_case *c, test_rng *rng, int which) {
  row_matrix *m = &c->in[which];
  double value = 0, power = 1;
  int kind = 0;
  for (int i = 0; i < m->rows; ++i)
    for (int j = 0; j < m->columns; ++j) {
      if (j % MX_BLOCK == 0)
        kind = row_between(rng, 0, 9),
        power = ldexp(1, row_between(rng, row_between(rng, 0, 1) ? -145 : -40, 12));
      if (which >= WEIGHT)
        value = 1 + row_normal(rng) / 2;
      else if (c->is_norm)
        value = norm_number(c, rng, value, j);
      else
        value = activation_number(rng, kind, power);
      uint32_t code = row_encode(m->type, value);
      row_put(m, i, j, code);
      value = row_decode(m->type, code);
      row_put(&c->wide[which], i, j, row_encode(WT_TYPE_F32, value));
    }
}

static void make_inputs(output_case *c, test_rng *rng) {
  const wt_type type = c->is_norm ? c->norm.type : c->activation.type;
  for (int i = 0; i < INPUTS; ++i) {
    const wt_type of = i >= WEIGHT ? c->norm.type_weight : type;
    const int rows = i >= WEIGHT ? 1 : c->rows;
    c->in[i] = row_matrix_create(of, rows, c->columns, c->columns + row_between(rng, 0, 9),
                                 (int)row_element(of) * row_between(rng, 0, 8));
    c->wide[i] = row_matrix_create(WT_TYPE_F32, rows, c->columns, c->columns, 0);
    fill(c, rng, i);
    row_upload(&c->in[i]), row_upload(&c->wide[i]);
  }
}

// ---- cases

static int columns_of(test_rng *rng, int most) {
  static const int edges[] = {32, 96, 128, 160, 256, 1024, 1056, 4096, 4128, 16384, 16416, 33024};
  const int edge = edges[row_between(rng, 0, most)];
  return row_between(rng, 0, 1) ? edge : MX_BLOCK * row_between(rng, 1, edge / MX_BLOCK);
}

static void choose_format(output_case *c, test_rng *rng, bool gfx950) {
  static const wt_type fp8[2][2] = {{WT_TYPE_F8E4M3_FNUZ, WT_TYPE_F8E5M2_FNUZ},
                                    {WT_TYPE_F8E4M3, WT_TYPE_F8E5M2}};
  wt_block_output *o = &c->output;
  o->scales = (wt_block_scales)(gfx950 && row_between(rng, 0, 2) ? 0 : row_between(rng, 1, 2));
  const int blocks = (c->columns + output_block(o) - 1) / output_block(o);
  const int gap = row_between(rng, 0, 20) * row_between(rng, 0, 1), offset = row_between(rng, 0, 7);
  if (output_is_mx(o)) {
    o->type = mx_formats[row_between(rng, 0, MX_FORMATS - 1)].type;
    o->rounding = (wt_scale_rounding)row_between(rng, 0, 3);
    o->layout = (wt_scale_layout)row_between(rng, 0, 1);
    if (o->layout == WT_SCALES_SHUFFLED)
      c->scale = row_matrix_create(WT_TYPE_I8, mx_shuffled_rows(c->rows), mx_shuffled_columns(blocks),
                                   mx_shuffled_columns(blocks) + gap / 16 * 16, 0);
    else
      c->scale = row_matrix_create(WT_TYPE_I8, c->rows, blocks, blocks + gap, offset);
    o->scale_row = c->scale.ld;
  } else {
    const bool transposed = row_between(rng, 0, 1) && c->rows > 1;
    o->type = fp8[gfx950][row_between(rng, 0, 1)];
    c->scale = row_matrix_create(WT_TYPE_F32, transposed ? blocks : c->rows, transposed ? c->rows : blocks,
                                 (transposed ? c->rows : blocks) + gap, 4 * offset);
    o->scale_row = transposed ? 1 : c->scale.ld;
    o->scale_block = transposed ? c->scale.ld : 1;
  }
  const int bytes = output_row_bytes(o, c->columns);
  c->q = row_matrix_create(WT_TYPE_I8, c->rows, bytes, bytes + gap, offset);
  o->row_bytes = c->q.ld, o->scale = c->scale.device;
}

static void choose_norm(output_case *c, test_rng *rng, wt_type type) {
  c->norm = (wt_norm_desc)WT_NORM_DESC_INIT;
  c->norm.kind = (wt_norm_kind)row_between(rng, 0, 1), c->norm.type = type;
  c->norm.type_weight = row_between(rng, 0, 1) ? type : WT_TYPE_F32;
  if (type == WT_TYPE_F32 || c->norm.kind == WT_NORM_RMS) c->norm.dropout = row_between(rng, 0, 1) ? 0.5f : 0;
  c->norm.seed = test_random(rng);
}

static void choose_activation(output_case *c, test_rng *rng, wt_type type) {
  c->activation = (wt_activation_desc)WT_ACTIVATION_DESC_INIT;
  c->activation.type = type;
  c->activation.activation = (wt_activation)row_between(rng, WT_ACTIVATION_NONE, WT_ACTIVATION_SILU);
  if (row_between(rng, 0, 3)) return;
  c->counted = row_between(rng, 0, c->rows);
  row_put(&c->count, 0, 0, (uint32_t)c->counted);
  c->activation.row_count = (const int32_t *)(const void *)c->count.device;
}

static output_case make_case(test_rng *rng, const char *target) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  output_case c = {.is_norm = row_between(rng, 0, 1)};
  const wt_type type = types[row_between(rng, 0, 2)];
  c.columns = columns_of(rng, c.is_norm ? 11 : 7);
  c.counted = c.rows = row_between(rng, 1, 1 + 6000 / c.columns);
  c.norm.type_weight = WT_TYPE_F32;
  c.count = row_matrix_create(WT_TYPE_I32, 1, 1, 1, 0);
  c.is_norm ? choose_norm(&c, rng, type) : choose_activation(&c, rng, type);
  for (int i = 0; i < INPUTS; ++i) c.has[i] = i == X || row_between(rng, 0, 1);
  choose_format(&c, rng, strcmp(target, "gfx950") == 0);
  c.rstd = row_matrix_create(WT_TYPE_F32, 1, c.rows, c.rows, 0);
  c.sum = row_matrix_create(type, c.rows, c.columns, c.columns, 0);
  make_inputs(&c, rng);
  row_upload(&c.count);
  snprintf(c.what, sizeof c.what,
           "%s %s %d of type %d, weights %d, %d x %d of which %d count, dropout %g, inputs %d%d%d, to type "
           "%d scales "
           "%d rounding %d layout %d, strides %d %d %d",
           target, c.is_norm ? "norm" : "activation",
           c.is_norm ? (int)c.norm.kind : (int)c.activation.activation, (int)type, (int)c.norm.type_weight,
           c.rows, c.columns, c.counted, (double)c.norm.dropout, c.has[OTHER], c.has[WEIGHT], c.has[BIAS],
           (int)c.output.type, (int)c.output.scales, (int)c.output.rounding, (int)c.output.layout, c.q.ld,
           (int)c.output.scale_row, (int)c.output.scale_block);
  return c;
}

static void destroy(output_case *c) {
  for (int i = 0; i < INPUTS; ++i) row_matrix_destroy(&c->in[i]), row_matrix_destroy(&c->wide[i]);
  row_matrix *const all[] = {&c->q, &c->scale, &c->rstd, &c->sum, &c->count};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

// ---- calls

// Makes the call with these inputs; `y` has rows ldy apart where there is no output format.
static wt_status enqueue(wt_context *context, const output_case *c, const row_matrix *in, void *y, int ldy,
                         const wt_block_output *output) {
  if (c->is_norm) {
    wt_norm_desc d = c->norm;
    d.rows = c->rows, d.columns = c->columns, d.type = in[X].type, d.type_weight = in[WEIGHT].type;
    if (c->has[OTHER]) d.residual = in[OTHER].device;
    if (c->has[WEIGHT]) d.weight = in[WEIGHT].device;
    if (c->has[BIAS]) d.bias = in[BIAS].device;
    d.ldx = in[X].ld, d.ldresidual = in[OTHER].ld, d.ldy = ldy;
    d.rstd = (float *)(void *)c->rstd.device;
    if (in == c->in) d.sum = c->sum.device;
    if (output) d.output = *output;
    return wt_norm(context, &d, in[X].device, y, NULL);
  }
  wt_activation_desc d = c->activation;
  d.rows = c->rows, d.columns = c->columns, d.type = in[X].type;
  d.ldx = in[X].ld, d.ldgate = in[OTHER].ld, d.ldy = ldy;
  if (output) d.output = *output;
  return wt_activate(context, &d, in[X].device, c->has[OTHER] ? in[OTHER].device : NULL, y, NULL);
}

static bool passed(wt_context *context, const output_case *c, wt_status status) {
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return status == WT_SUCCESS && row_ok(hipDeviceSynchronize(), c->what);
}

// ---- the sequence of calls that gives the same

// Converts y, whose rows are ld apart and filled up with zeros, to q and scales that are packed.
static wt_status convert(wt_context *context, const output_case *c, const row_matrix *y, unsigned char *q,
                         unsigned char *scale, unsigned char *shuffled) {
  if (!output_is_mx(&c->output)) {
    wt_quantize_desc d = WT_QUANTIZE_DESC_INIT;
    d.rows = (int64_t)y->rows * y->ld / OUTPUT_FP8_BLOCK, d.columns = OUTPUT_FP8_BLOCK;
    d.type_x = WT_TYPE_F32, d.type_q = c->output.type, d.scaling = WT_SCALING_ROW;
    return wt_quantize(context, &d, y->device, q, (float *)(void *)scale, NULL);
  }
  wt_block_scale_desc d = WT_BLOCK_SCALE_DESC_INIT;
  d.rows = c->rows, d.columns = c->columns, d.ldx = y->ld;
  d.type_x = WT_TYPE_F32, d.type_q = c->output.type, d.rounding = c->output.rounding;
  wt_shuffle_scales_desc s = WT_SHUFFLE_SCALES_DESC_INIT;
  s.rows = c->rows, s.blocks = c->columns / MX_BLOCK;
  const wt_status status = wt_quantize_blocks(context, &d, y->device, q, scale, NULL);
  return status ? status : wt_shuffle_scales(context, &s, scale, shuffled, NULL);
}

// Compares what the two ways wrote, row by row; powers of two have no other call to compare with.
static void compare(const output_case *c, const output_result *r, const unsigned char *q,
                    const unsigned char *scale, int ld) {
  const bool mx = output_is_mx(&c->output);
  const int row_bytes = mx ? c->q.columns : ld, size = mx ? 1 : (int)sizeof(float);
  const int blocks = (mx ? c->columns : ld) / output_block(&c->output);
  for (int i = 0; i < c->counted; ++i) {
    CHECK(memcmp(r->q + row_place(&c->q, i, 0), q + (size_t)i * (size_t)row_bytes, (size_t)c->q.columns) == 0,
          "%s: elements of row %d differ from those of the other calls", c->what, i);
    for (int b = 0; b < blocks; ++b)
      CHECK(
          memcmp(r->scale + output_scale_place(r, i, b), scale + (i * blocks + b) * size, (size_t)size) == 0,
          "%s: the scale of row %d block %d differs from that of the other calls", c->what, i, b);
  }
}

static void *from_device(const void *device, size_t bytes) {
  void *host = malloc(bytes);
  row_ok(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost), "copy from the device");
  return host;
}

static void check_sequence(wt_context *context, output_case *c, const output_result *r) {
  const int ld = (c->columns + OUTPUT_FP8_BLOCK - 1) / OUTPUT_FP8_BLOCK * OUTPUT_FP8_BLOCK;
  const size_t elements = (size_t)c->rows * (size_t)ld;
  const size_t shuffled_bytes = (size_t)(mx_shuffled_rows(c->rows) * mx_shuffled_columns(ld / MX_BLOCK));
  row_matrix y = row_matrix_create(WT_TYPE_F32, c->rows, ld, ld, 0);
  memset(y.host, 0, y.bytes);
  row_upload(&y);
  unsigned char *memory[3];
  for (int i = 0; i < 3; ++i)
    row_ok(hipMalloc((void **)&memory[i], i == 2 ? shuffled_bytes : elements), "hipMalloc");
  wt_status status = enqueue(context, c, c->wide, y.device, ld, NULL);
  if (!status) status = convert(context, c, &y, memory[0], memory[1], memory[2]);
  if (passed(context, c, status)) {
    unsigned char *q = from_device(memory[0], elements), *scale = from_device(memory[1], elements);
    unsigned char *shuffled = from_device(memory[2], shuffled_bytes);
    float *values = from_device(y.device, y.bytes);
    if (c->output.scales != WT_BLOCK_SCALES_POWER_OF_TWO) compare(c, r, q, scale, ld);
    for (int i = 0; i < c->counted; ++i)
      output_check_row(c->what, r, values + (size_t)i * (size_t)ld, c->columns, i);
    for (int i = 0; i < c->scale.rows && c->output.layout == WT_SCALES_SHUFFLED && c->counted == c->rows; ++i)
      CHECK(memcmp(r->scale + row_place(&c->scale, i, 0), shuffled + i * c->scale.columns,
                   (size_t)c->scale.columns) == 0,
            "%s: group %d of shuffled scales differs from that of wt_shuffle_scales", c->what, i);
    free(q), free(scale), free(shuffled), free(values);
  }
  for (int i = 0; i < 3; ++i) row_ok(hipFree(memory[i]), "hipFree");
  row_matrix_destroy(&y);
}

// Rows that do not count keep their bits.
static void check_kept(const output_case *c, const unsigned char *q) {
  const size_t at = row_place(&c->q, c->counted, 0);
  CHECK(at >= c->q.bytes || memcmp(q + at, c->q.host + at, c->q.bytes - at) == 0,
        "%s: a row that does not count was written", c->what);
  CHECK(row_gaps_kept(&c->q, q), "%s: something between the rows of elements was written", c->what);
}

// A norm's other results have the bits that they have without a format.
static void check_others(wt_context *context, output_case *c) {
  if (!c->is_norm) return;
  row_matrix y = row_matrix_create(c->norm.type, c->rows, c->columns, c->columns, 0);
  unsigned char *rstd = from_device(c->rstd.device, c->rstd.bytes),
                *sum = from_device(c->sum.device, c->sum.bytes);
  if (passed(context, c, enqueue(context, c, c->in, y.device, y.ld, NULL))) {
    unsigned char *rstd_again = from_device(c->rstd.device, c->rstd.bytes),
                  *sum_again = from_device(c->sum.device, c->sum.bytes);
    CHECK(memcmp(rstd, rstd_again, c->rstd.bytes) == 0, "%s: rstd differs", c->what);
    CHECK(memcmp(sum, sum_again, c->sum.bytes) == 0, "%s: sum differs", c->what);
    free(rstd_again), free(sum_again);
  }
  free(rstd), free(sum);
  row_matrix_destroy(&y);
}

static void run_case(wt_context *context, test_rng *rng) {
  output_case c = make_case(rng, wt_context_target(context));
  unsigned char *q[2], *scale[2];
  for (int i = 0; i < 2; ++i) q[i] = malloc(c.q.bytes), scale[i] = malloc(c.scale.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&c.q), row_upload(&c.scale);
    if (!passed(context, &c, enqueue(context, &c, c.in, c.q.device, 0, &c.output))) break;
    row_download(&c.q, q[s > 0]), row_download(&c.scale, scale[s > 0]);
    CHECK(!s || (memcmp(q[0], q[1], c.q.bytes) == 0 && memcmp(scale[0], scale[1], c.scale.bytes) == 0),
          "%s: %s gives other bits than %s", c.what, schedules[s], schedules[0]);
    if (s) continue;
    check_kept(&c, q[0]);
    CHECK(row_gaps_kept(&c.scale, scale[0]), "%s: something between the rows of scales was written", c.what);
    check_others(context, &c);
    const output_result r = {&c.output, &c.q, &c.scale, q[0], scale[0]};
    check_sequence(context, &c, &r);
  }
  for (int i = 0; i < 2; ++i) free(q[i]), free(scale[i]);
  destroy(&c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: block_output CASES\n"), 2;
  test_rng rng = test_seed(31);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
