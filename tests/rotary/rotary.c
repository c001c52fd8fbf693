// SPDX-License-Identifier: MIT
// Tests wt_rotary against a reference in long double: random shapes, strides, alignments, types, both
// layouts, positions from an offset and from memory up to the ends of 32 bits, frequencies and tables, turned
// forward and back, in place and not, on both simulated chips; the same bits under every schedule, and
// nothing written elsewhere.
//
//   rotary CASES
#include "tests/row_matrix.h"
#include "wavetile.h"

enum { MOST_PAIRS = 256 };

typedef struct tensor {
  row_matrix memory;  // one row, that holds all of it
  int64_t batch, row, head;
} tensor;

typedef struct rotary_case {
  char what[320];
  wt_rotary_desc desc;
  int batch, rows, heads, dims, pairs;
  bool in_place;
  tensor in, out;
  row_matrix positions, cosine, sine;
  double frequencies[MOST_PAIRS];
} rotary_case;

// Describes by which angles the pairs of a row turn, and how far off those of f32 are at most.
typedef struct angles {
  double cosine[MOST_PAIRS], sine[MOST_PAIRS], error;
} angles;

static int64_t place(const tensor *t, int b, int r, int h, int d) {
  return b * t->batch + r * t->row + h * t->head + d;
}

// Makes rows of heads, or heads of rows, with gaps between.
static tensor make_tensor(const rotary_case *c, test_rng *rng) {
  const int element = (int)row_element(c->desc.type), step = row_between(rng, 0, 1) ? 16 / element : 1;
  const int64_t vector = (c->dims + row_between(rng, 0, 9) + step - 1) / step * step;
  tensor t = {.head = vector, .row = vector};
  if (row_between(rng, 0, 1)) {
    t.row = c->heads * vector + row_between(rng, 0, 3) * step;
    t.batch = c->rows * t.row + row_between(rng, 0, 3) * step;
  } else {
    t.head = c->rows * vector + row_between(rng, 0, 3) * step;
    t.batch = c->heads * t.head + row_between(rng, 0, 3) * step;
  }
  const int size = (int)place(&t, c->batch - 1, c->rows - 1, c->heads - 1, c->dims);
  t.memory = row_matrix_create(c->desc.type, 1, size, size, step == 1 ? row_between(rng, 0, 8) * element : 0);
  return t;
}

static void choose_positions(rotary_case *c, test_rng *rng) {
  wt_rotary_desc *d = &c->desc;
  const bool tables = d->cosine != NULL;
  const int64_t most = tables ? d->table_rows : row_between(rng, 0, 2) ? 1 << 17 : INT32_MAX;
  c->positions = row_matrix_create(WT_TYPE_I32, 1, c->batch * c->rows, c->batch * c->rows, 0);
  for (int i = 0; i < c->batch * c->rows; ++i) {
    int64_t p = (int64_t)(test_random(rng) % (uint64_t)most);
    if (!tables && row_between(rng, 0, 3) == 0) p = -p;
    if (tables && row_between(rng, 0, 20) == 0) p = row_between(rng, 0, 1) ? -1 : most;  // outside
    row_put(&c->positions, 0, i, (uint32_t)(int32_t)p);
  }
  row_upload(&c->positions);
  d->offset =
      tables ? (int64_t)(test_random(rng) % (uint64_t)(d->table_rows - c->rows + 1))
             : (int64_t)(test_random(rng) % (uint64_t)(most - c->rows)) * (row_between(rng, 0, 3) ? 1 : -1);
  if (!row_between(rng, 0, 1)) return;
  d->positions = (const int32_t *)c->positions.device;
  d->positions_batch = row_between(rng, 0, 1) ? c->rows : 0;
}

static void choose_angles(rotary_case *c, test_rng *rng) {
  wt_rotary_desc *d = &c->desc;
  static const double thetas[] = {10000, 500000, 1e6, 3};
  d->theta = thetas[row_between(rng, 0, 3)];
  for (int i = 0; i < c->pairs; ++i)
    c->frequencies[i] = exp(3 * row_normal(rng)) * (row_between(rng, 0, 3) ? 1 : -1);
  const int source = row_between(rng, 0, 3);
  if (source == 1) d->frequencies = c->frequencies;
  const int ld = c->pairs + row_between(rng, 0, 5), length = c->rows + row_between(rng, 0, 30);
  c->cosine = row_matrix_create(WT_TYPE_F32, length, c->pairs, ld, row_between(rng, 0, 4) * 4);
  c->sine = row_matrix_create(WT_TYPE_F32, length, c->pairs, ld, row_between(rng, 0, 4) * 4);
  for (int i = 0; i < length; ++i)
    for (int j = 0; j < c->pairs; ++j) {
      const double angle = 10 * row_normal(rng);
      row_put(&c->cosine, i, j, row_encode(WT_TYPE_F32, cos(angle)));
      row_put(&c->sine, i, j, row_encode(WT_TYPE_F32, sin(angle)));
    }
  row_upload(&c->cosine), row_upload(&c->sine);
  if (source != 2) return;
  d->cosine = (const float *)c->cosine.device, d->sine = (const float *)c->sine.device;
  d->table_rows = length, d->ldtable = ld;
}

static rotary_case make_case(test_rng *rng, const char *target) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const int usual[] = {64, 128, 256, 80, 96};
  rotary_case c = {.desc = WT_ROTARY_DESC_INIT,
                   .batch = row_between(rng, 1, 3),
                   .rows = row_between(rng, 1, 40),
                   .heads = row_between(rng, 1, 20),
                   .dims = row_between(rng, 0, 1) ? usual[row_between(rng, 0, 4)] : row_between(rng, 2, 600),
                   .in_place = row_between(rng, 0, 2) == 0};
  const int most = c.dims < 2 * MOST_PAIRS ? c.dims / 2 : MOST_PAIRS;
  c.pairs = row_between(rng, 0, 1) ? most : row_between(rng, 1, most);
  wt_rotary_desc *d = &c.desc;
  d->type = types[row_between(rng, 0, 2)], d->layout = (wt_rotary_layout)row_between(rng, 0, 1);
  d->inverse = row_between(rng, 0, 1);
  d->batch = c.batch, d->rows = c.rows, d->heads = c.heads, d->head_dim = c.dims, d->rotary_dim = 2 * c.pairs;
  choose_angles(&c, rng);
  choose_positions(&c, rng);
  c.in = make_tensor(&c, rng), c.out = make_tensor(&c, rng);
  const tensor *out = c.in_place ? &c.in : &c.out;
  d->strides_in = (wt_rotary_strides){c.in.batch, c.in.row, c.in.head};
  d->strides_out = (wt_rotary_strides){out->batch, out->row, out->head};
  for (int b = 0; b < c.batch; ++b)
    for (int r = 0; r < c.rows; ++r)
      for (int h = 0; h < c.heads; ++h)
        for (int i = 0; i < c.dims; ++i)
          row_put(&c.in.memory, 0, (int)place(&c.in, b, r, h, i), row_encode(d->type, row_normal(rng)));
  snprintf(c.what, sizeof c.what,
           "%s %s of type %d, %d x %d x %d x %d, %d turn, inverse %d, %s, theta %g, positions %s, offset "
           "%lld, %sin place",
           target, d->layout == WT_ROTARY_HALF ? "halves" : "interleaved", d->type, c.batch, c.rows, c.heads,
           c.dims, 2 * c.pairs, d->inverse,
           d->cosine        ? "tables"
           : d->frequencies ? "frequencies"
                            : "theta",
           d->theta, d->positions ? "given" : "from offset", (long long)d->offset, c.in_place ? "" : "not ");
  return c;
}

static void destroy_case(rotary_case *c) {
  row_matrix *const all[] = {&c->in.memory, &c->out.memory, &c->positions, &c->cosine, &c->sine};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

// Returns cosine and sine of pair i of a row, and what f32 makes of them at most.
static double angle_of(const rotary_case *c, int b, int r, int i, double *cosine, double *sine) {
  const wt_rotary_desc *d = &c->desc;
  int64_t p = d->offset + r;
  if (d->positions)
    p = (int32_t)row_get(&c->positions, c->positions.host, 0, (int)(b * d->positions_batch + r));
  if (d->cosine) {
    const bool known = p >= 0 && p < d->table_rows;
    *cosine = known ? row_value(&c->cosine, c->cosine.host, (int)p, i) : NAN;
    *sine = known ? row_value(&c->sine, c->sine.host, (int)p, i) : NAN;
    if (d->inverse) *sine = -*sine;
    return 0;
  }
  const long double turn = 8 * atanl(1);
  const long double frequency = d->frequencies ? (long double)d->frequencies[i]
                                               : expl(-logl((long double)d->theta) * 2 * i / (2 * c->pairs));
  // The angle is reduced before the product, whose rounding would cost a position of 2^31 half of its digits.
  const long double turns = frequency / turn, whole = floorl(turns * 4096) / 4096;
  const long double angle = turn * (fmodl((long double)p * whole, 1) + (long double)p * (turns - whole));
  *cosine = (double)cosl(angle), *sine = (double)sinl(angle) * (d->inverse ? -1 : 1);
  return 0x1p-22 + 6.3 * 0x1p-32;
}

// Returns those of a row, which all its heads share.
static angles angles_of(const rotary_case *c, int b, int r) {
  angles a;
  for (int i = 0; i < c->pairs; ++i) a.error = angle_of(c, b, r, i, &a.cosine[i], &a.sine[i]);
  return a;
}

static void check_vector(const rotary_case *c, const angles *a, int b, int r, int h, const tensor *out,
                         const unsigned char *result, bool *written) {
  for (int i = 0; i < c->dims; ++i) {
    const int pair = c->desc.layout == WT_ROTARY_HALF ? i % c->pairs : i / 2;
    const bool second = c->desc.layout == WT_ROTARY_HALF ? i >= c->pairs : i % 2;
    const int at = (int)place(out, b, r, h, i);
    written[at] = true;
    const double got = row_value(&out->memory, result, 0, at);
    if (i >= 2 * c->pairs) {
      CHECK(got == row_value(&c->in.memory, c->in.memory.host, 0, (int)place(&c->in, b, r, h, i)),
            "%s: element %d of row %d, which does not turn, is %g", c->what, i, r, got);
      continue;
    }
    const int first = c->desc.layout == WT_ROTARY_HALF ? pair : 2 * pair;
    const int partner = first + (c->desc.layout == WT_ROTARY_HALF ? c->pairs : 1);
    const double x = row_value(&c->in.memory, c->in.memory.host, 0, (int)place(&c->in, b, r, h, first)),
                 y = row_value(&c->in.memory, c->in.memory.host, 0, (int)place(&c->in, b, r, h, partner));
    const double cosine = a->cosine[pair], sine = a->sine[pair];
    const double want = second ? x * sine + y * cosine : x * cosine - y * sine;
    const double error = (fabs(x) + fabs(y)) * (1.01 * a->error + 2 * 0x1p-24);
    const double roundoff = (fabs(want) + error) * row_roundoff(c->desc.type) + row_smallest(c->desc.type);
    CHECK(isnan(want) ? isnan(got) : fabs(got - want) <= error + roundoff,
          "%s: element %d of batch %d row %d head %d is %.9g, expected %.9g +- %g", c->what, i, b, r, h, got,
          want, error + roundoff);
  }
}

static void check_result(const rotary_case *c, const tensor *out, const unsigned char *result) {
  bool *written = calloc((size_t)out->memory.columns, sizeof *written);
  for (int b = 0; b < c->batch; ++b)
    for (int r = 0; r < c->rows; ++r) {
      const angles a = angles_of(c, b, r);
      for (int h = 0; h < c->heads; ++h) check_vector(c, &a, b, r, h, out, result, written);
    }
  for (int i = 0; i < out->memory.columns; ++i)
    CHECK(written[i] || memcmp(result + (size_t)i * out->memory.element,
                               out->memory.host + (size_t)i * out->memory.element, out->memory.element) == 0,
          "%s: element %d between the vectors was written", c->what, i);
  free(written);
}

static void one(wt_context *context, test_rng *rng) {
  rotary_case c = make_case(rng, wt_context_target(context));
  if (c.desc.frequencies) c.desc.frequencies = c.frequencies;  // those of this copy
  tensor *out = c.in_place ? &c.in : &c.out;
  unsigned char *first = malloc(out->memory.bytes), *other = malloc(out->memory.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&c.in.memory), row_upload(&c.out.memory);
    const wt_status status = wt_rotary(context, &c.desc, c.in.memory.device, out->memory.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", c.what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c.what)) break;
    row_download(&out->memory, s ? other : first);
    if (s == 0) check_result(&c, out, first);
    CHECK(s == 0 || memcmp(first, other, out->memory.bytes) == 0, "%s: other bits under %s", c.what,
          schedules[s]);
  }
  free(first), free(other);
  destroy_case(&c);
}

int main(int argc, char **argv) {
  const int cases = argc == 2 ? atoi(argv[1]) : 0;
  if (cases <= 0) return fprintf(stderr, "usage: rotary CASES\n"), 2;
  test_rng rng = test_seed(17);
  int devices = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    if (status || !row_ok(hipSetDevice(device), "hipSetDevice")) break;
    for (int i = 0; i < cases; ++i) one(context, &rng);
    wt_context_destroy(context);
  }
  return test_result();
}
