// SPDX-License-Identifier: MIT
// Tests wt_quantize and wt_dequantize against the definitions of the formats, bit by bit: random shapes,
// strides, alignments, types, contents, scales that are given or computed, for the matrix or by rows, on both
// simulated chips; the same bits under every schedule, nothing written between the rows, no LDS bank
// conflict.
//
//   quantize CASES SHORTEST LONGEST
#include "fp8_table.h"

// ---- cases

typedef struct quantize_case {
  char what[240];
  fp8_table table;
  int rows, columns;
  row_matrix x, q, scale, back;
  wt_quantize_desc desc;
} quantize_case;

static int columns_of(test_rng *rng, int shortest, int longest) {
  static const int edges[] = {16, 64, 128, 1024, 2048, 4096, 16384, 32768, 65536};
  const int kind = row_between(rng, 0, 9);
  if (shortest > 1) return row_between(rng, shortest, longest);
  if (kind < 3) return row_between(rng, 1, 150);
  if (kind < 6) return row_between(rng, 1, 3000);
  const int columns =
      kind == 9 ? row_between(rng, 1, longest) : edges[row_between(rng, 0, 8)] + row_between(rng, -3, 9);
  return columns > longest ? longest - row_between(rng, 0, 40) : columns;
}

static quantize_case make_case(test_rng *rng, bool gfx950, int shortest, int longest) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const wt_type ocp[] = {WT_TYPE_F8E4M3, WT_TYPE_F8E5M2},
                       fnuz[] = {WT_TYPE_F8E4M3_FNUZ, WT_TYPE_F8E5M2_FNUZ};
  const wt_type type = types[row_between(rng, 0, 2)], to = (gfx950 ? ocp : fnuz)[row_between(rng, 0, 1)];
  quantize_case c = {.table = fp8_table_of(to), .columns = columns_of(rng, shortest, longest)};
  const int most = 8000 / c.columns, packed = row_between(rng, 0, 3) == 0;
  c.rows = row_between(rng, 1, most < 1 ? 1 : most > 60 ? 60 : most) + (c.columns < 5000);
  const int element = (int)row_element(type), step = row_between(rng, 0, 2) ? 1 : 16;
  const wt_type of[] = {type, to, type};
  row_matrix *const matrices[] = {&c.x, &c.q, &c.back};
  for (int i = 0; i < 3; ++i) {
    const int ld = packed ? c.columns : (c.columns + row_between(rng, 0, 20) + step - 1) / step * step;
    const int offset = step > 1 ? 0 : row_between(rng, 0, 16) * (i == 1 ? 1 : element);
    *matrices[i] = row_matrix_create(of[i], c.rows, c.columns, ld, offset);
  }
  c.desc = (wt_quantize_desc)WT_QUANTIZE_DESC_INIT;
  c.desc.rows = c.rows, c.desc.columns = c.columns;
  c.desc.type_x = type, c.desc.type_q = to;
  c.desc.ldx = c.x.ld, c.desc.ldq = c.q.ld;
  c.desc.scaling = (wt_scaling)row_between(rng, 0, 1);
  c.desc.given = row_between(rng, 0, 2) == 0;
  const int scales = c.desc.scaling == WT_SCALING_ROW ? c.rows : 1;
  c.scale = row_matrix_create(WT_TYPE_F32, 1, scales, scales, 4);
  snprintf(c.what, sizeof c.what,
           "types %d to %d rows %d columns %d ld %d %d %d offsets %d %d %d scaling %d%s", type, to, c.rows,
           c.columns, c.x.ld, c.q.ld, c.back.ld, c.x.offset, c.q.offset, c.back.offset, c.desc.scaling,
           c.desc.given ? " given" : "");
  return c;
}

static void destroy(quantize_case *c) {
  row_matrix *const all[] = {&c->x, &c->q, &c->back, &c->scale};
  for (int i = 0; i < 4; ++i) row_matrix_destroy(all[i]);
}

// Fills in rows of all magnitudes, of zeros, with what is not finite, and of values halfway between FP8
// numbers.
static void fill(quantize_case *c, test_rng *rng) {
  const int matrix_kind = row_between(rng, 0, 7);
  for (int i = 0; i < c->rows; ++i) {
    const int kind = matrix_kind == 0 ? row_between(rng, 0, 7) : matrix_kind;
    const double magnitude =
        kind == 2 ? exp2(row_between(rng, c->x.type == WT_TYPE_F32 ? -150 : -40, 14)) : 3;
    for (int j = 0; j < c->columns; ++j) {
      const int k = row_between(rng, 0, c->table.count - 2);
      double value = row_normal(rng) * magnitude;
      if (kind == 3) value = row_between(rng, 0, 9) ? 0.0 : -0.0;
      if (kind == 4) value = (c->table.value[k] + c->table.value[k + 1]) / (row_between(rng, 0, 1) ? 2 : -2);
      if (kind == 6)
        value = exp2(row_between(rng, -148, c->x.type == WT_TYPE_F32 ? 126 : 15)) * row_normal(rng);
      uint32_t code = row_encode(c->x.type, value);
      if (!isfinite(row_decode(c->x.type, code))) code = 0;
      row_put(&c->x, i, j, code);
    }
    if (kind == 5 || kind == 7) {
      const double strange[] = {NAN, INFINITY, -INFINITY};
      for (int n = 0; n < 3; ++n)
        row_put(&c->x, i, row_between(rng, 0, c->columns - 1),
                row_encode(c->x.type, strange[row_between(rng, 0, 2)]));
    }
  }
  const float given[] = {1.0f, 0.0625f / 3, 1e-30f, 2e-38f, 1e30f};
  for (int i = 0; i < c->scale.columns && c->desc.given; ++i)
    row_put(&c->scale, 0, i, row_encode(WT_TYPE_F32, (double)given[row_between(rng, 0, 4)]));
}

// ---- checks

static float scale_at(const quantize_case *c, const unsigned char *scales, int row) {
  return (float)row_value(&c->scale, scales, 0, c->desc.scaling == WT_SCALING_ROW ? row : 0);
}

static void check_scales(const quantize_case *c, const unsigned char *scales) {
  float of_matrix = 0;
  for (int i = 0; i < c->rows; ++i) {
    float of_row = 0;
    for (int j = 0; j < c->columns; ++j) {
      const float magnitude = fabsf((float)row_value(&c->x, c->x.host, i, j));
      if (isfinite(magnitude) && magnitude > of_row) of_row = magnitude;
    }
    if (of_row > of_matrix) of_matrix = of_row;
    if (c->desc.scaling == WT_SCALING_ROW)
      CHECK(scale_at(c, scales, i) == fp8_scale_of(&c->table, of_row),
            "%s: scale of row %d is %.9g, expected %.9g", c->what, i, (double)scale_at(c, scales, i),
            (double)fp8_scale_of(&c->table, of_row));
  }
  if (c->desc.scaling == WT_SCALING_TENSOR)
    CHECK(scale_at(c, scales, 0) == fp8_scale_of(&c->table, of_matrix),
          "%s: the scale is %.9g, expected %.9g", c->what, (double)scale_at(c, scales, 0),
          (double)fp8_scale_of(&c->table, of_matrix));
}

static void check_quantized(const quantize_case *c, const unsigned char *scales, const unsigned char *q) {
  for (int i = 0; i < c->rows; ++i)
    for (int j = 0; j < c->columns; ++j) {
      const float x = (float)row_value(&c->x, c->x.host, i, j), scale = scale_at(c, scales, i);
      uint8_t want;
      const uint8_t got = (uint8_t)row_get(&c->q, q, i, j);
      CHECK(fp8_is_right(&c->table, x, scale, got, &want),
            "%s: row %d column %d, %.9g at scale %.9g, is 0x%02x, expected 0x%02x", c->what, i, j, (double)x,
            (double)scale, got, want);
    }
  CHECK(row_gaps_kept(&c->q, q), "%s: something between the rows of q was written", c->what);
}

static void check_back(const quantize_case *c, const unsigned char *scales, const unsigned char *q,
                       const unsigned char *back) {
  for (int i = 0; i < c->rows; ++i)
    for (int j = 0; j < c->columns; ++j) {
      const float product = (float)row_value(&c->q, q, i, j) * scale_at(c, scales, i);
      const double want = row_decode(c->x.type, row_encode(c->x.type, (double)product));
      const double got = row_value(&c->back, back, i, j);
      CHECK(isnan(want) ? isnan(got) : got == want, "%s: back at row %d column %d: %.9g, expected %.9g",
            c->what, i, j, got, want);
    }
  CHECK(row_gaps_kept(&c->back, back), "%s: something between the rows of x was written", c->what);
}

typedef struct results {
  unsigned char *scales, *q, *back;
} results;

static results download(const quantize_case *c) {
  results r = {malloc(c->scale.bytes), malloc(c->q.bytes), malloc(c->back.bytes)};
  row_download(&c->scale, r.scales);
  row_download(&c->q, r.q);
  row_download(&c->back, r.back);
  return r;
}

static void release(results *r) { free(r->scales), free(r->q), free(r->back); }

static bool enqueue(wt_context *context, const quantize_case *c) {
  const row_matrix *const all[] = {&c->x, &c->q, &c->back, &c->scale};
  for (int i = 0; i < 4; ++i) row_upload(all[i]);
  float *const scales = (float *)(void *)c->scale.device;
  wt_quantize_desc back = c->desc;
  back.ldx = c->back.ld;
  wt_status status = wt_quantize(context, &c->desc, c->x.device, c->q.device, scales, NULL);
  if (!status) status = wt_dequantize(context, &back, c->q.device, scales, c->back.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

static void run(wt_context *context, const quantize_case *c) {
  results first = {NULL, NULL, NULL};
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, c)) break;
    results r = download(c);
    if (s == 0) {
      first = r;
      if (!c->desc.given) check_scales(c, r.scales);
      check_quantized(c, r.scales, r.q);
      check_back(c, r.scales, r.q, r.back);
      continue;
    }
    CHECK(memcmp(r.scales, first.scales, c->scale.bytes) == 0 && memcmp(r.q, first.q, c->q.bytes) == 0 &&
              memcmp(r.back, first.back, c->back.bytes) == 0,
          "%s: schedule %s gives other bits than %s", c->what, schedules[s], schedules[0]);
    release(&r);
  }
  release(&first);
}

static int shortest, longest;  // rows

static void run_case(wt_context *context, test_rng *rng) {
  void *workspace = NULL;
  row_ok(hipMalloc(&workspace, WT_QUANTIZE_WORKSPACE_BYTES), "hipMalloc");
  row_ok(hipMemset(workspace, ROW_POISON, WT_QUANTIZE_WORKSPACE_BYTES), "hipMemset");
  quantize_case c = make_case(rng, strcmp(wt_context_target(context), "gfx950") == 0, shortest, longest);
  c.desc.workspace = workspace, c.desc.workspace_bytes = WT_QUANTIZE_WORKSPACE_BYTES;
  fill(&c, rng);
  run(context, &c);
  destroy(&c);
  row_ok(hipFree(workspace), "hipFree");
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: quantize CASES SHORTEST LONGEST\n"), 2;
  shortest = atoi(argv[2]), longest = atoi(argv[3]);
  test_rng rng = test_seed(13);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
