// SPDX-License-Identifier: MIT
// Calls over rows give a row the same bits however many rows there are, from 1 to 512, wherever it stands
// among them, and under every schedule: norms, softmax, cross-entropy, activations, rotary embedding and
// conversions, forward and backward, for rows of every length that their kernels distinguish.
#include "row_matrix.h"
#include "wavetile.h"

enum { ROWS = 512, MATRICES = 2, VECTORS = 2, INPUTS = 4 };

// Rows of matrices begin at multiples of `pitch` bytes, enough for F32; vectors have 4 bytes for each row.
typedef struct problem {
  wt_context *context;
  wt_type type, f8;
  int rows, columns;
  size_t pitch;
  unsigned char *in[INPUTS], *weight;
  float *mean, *rstd;  // inputs of a backward pass, and any other positive numbers of rows
  int32_t *labels;     // also positions
  unsigned char *out[MATRICES + VECTORS], *expected[MATRICES + VECTORS], *got;
} problem;

static void *memory(size_t bytes, const void *host) {
  void *device = NULL;
  row_ok(hipMalloc(&device, bytes), "hipMalloc");
  if (host) row_ok(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice), "copy to the device");
  return device;
}

static size_t out_pitch(const problem *p, int i) { return i < MATRICES ? p->pitch : sizeof(float); }
static size_t element(const problem *p) { return row_element(p->type); }
static int64_t ld(const problem *p) { return (int64_t)(p->pitch / element(p)); }
static const void *in(const problem *p, int i, int first) { return p->in[i] + (size_t)first * p->pitch; }
static void *out(const problem *p, int i, int first) { return p->out[i] + (size_t)first * out_pitch(p, i); }
static float *vector(const problem *p, int i, int first) { return (float *)out(p, MATRICES + i, first); }

static unsigned char *random_matrix(const problem *p, test_rng *rng) {
  const size_t bytes = (size_t)p->rows * p->pitch;
  unsigned char *host = malloc(bytes);
  memset(host, ROW_POISON, bytes);
  for (int row = 0; row < p->rows; ++row)
    for (int column = 0; column < p->columns; ++column) {
      const uint32_t code = row_encode(p->type, row_normal(rng));
      memcpy(host + (size_t)row * p->pitch + (size_t)column * element(p), &code, element(p));
    }
  unsigned char *device = memory(bytes, host);
  free(host);
  return device;
}

static problem make(wt_context *context, wt_type type, int rows, int columns, test_rng *rng) {
  problem p = {.context = context, .type = type, .rows = rows, .columns = columns};
  p.f8 = strcmp(wt_context_target(context), "gfx950") == 0 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  p.pitch = 4 * ((size_t)columns + 1);
  for (int i = 0; i < INPUTS; ++i) p.in[i] = random_matrix(&p, rng);
  float *weights = malloc((size_t)(columns + rows) * sizeof *weights);
  for (int i = 0; i < columns + rows; ++i) weights[i] = 0.5f + (float)fabs(row_normal(rng));
  p.weight = memory((size_t)columns * sizeof *weights, weights);
  p.rstd = memory((size_t)rows * sizeof *weights, weights + columns);
  p.mean = memory((size_t)rows * sizeof *weights, weights + columns);
  int32_t *labels = malloc((size_t)rows * sizeof *labels);
  for (int i = 0; i < rows; ++i) labels[i] = row_between(rng, 0, columns - 1);
  p.labels = memory((size_t)rows * sizeof *labels, labels);
  free(weights), free(labels);
  for (int i = 0; i < MATRICES + VECTORS; ++i) {
    const size_t bytes = (size_t)rows * out_pitch(&p, i);
    p.out[i] = memory(bytes, NULL), p.expected[i] = malloc(bytes);
  }
  p.got = malloc((size_t)rows * p.pitch);
  return p;
}

static void destroy(problem *p) {
  for (int i = 0; i < INPUTS; ++i) row_ok(hipFree(p->in[i]), "hipFree");
  void *const rest[] = {p->weight, p->rstd, p->mean, p->labels};
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) row_ok(hipFree(rest[i]), "hipFree");
  for (int i = 0; i < MATRICES + VECTORS; ++i) row_ok(hipFree(p->out[i]), "hipFree"), free(p->expected[i]);
  free(p->got);
}

// ---- the calls, each for `rows` rows from row `first` on

static wt_norm_desc norm_desc(const problem *p, int rows, wt_norm_kind kind) {
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.kind = kind, d.type = p->type;
  d.weight = p->weight;
  d.ldx = d.ldy = d.ldresidual = d.ldsum = ld(p);
  return d;
}

static wt_status layer_norm(const problem *p, int first, int rows) {
  wt_norm_desc d = norm_desc(p, rows, WT_NORM_LAYER);
  d.bias = p->weight, d.residual = in(p, 1, first), d.sum = out(p, 1, first);
  d.mean = vector(p, 0, first), d.rstd = vector(p, 1, first);
  return wt_norm(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

static wt_status rms_norm(const problem *p, int first, int rows) {
  const wt_norm_desc d = norm_desc(p, rows, WT_NORM_RMS);
  return wt_norm(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

// Returns FP8 with a number for every 128 elements.
static wt_block_output blocks_of(const problem *p, int first) {
  return (wt_block_output){.type = p->f8,
                           .scales = WT_BLOCK_SCALES_F32,
                           .row_bytes = (int64_t)p->pitch,
                           .scale = out(p, 1, first),
                           .scale_row = (int64_t)p->pitch / 4,
                           .scale_block = 1};
}

static wt_status quantised_norm(const problem *p, int first, int rows) {
  wt_norm_desc d = norm_desc(p, rows, WT_NORM_RMS);
  d.ldy = 0, d.output = blocks_of(p, first);
  return wt_norm(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

// The gradients of weight and bias are sums over the rows, and are computed but not compared.
static wt_status norm_backward(const problem *p, int first, int rows) {
  wt_norm_backward_desc d = WT_NORM_BACKWARD_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.type = p->type;
  d.weight = p->weight, d.mean = p->mean + first, d.rstd = p->rstd + first;
  d.dsum = in(p, 2, first), d.dresidual = out(p, 1, first);
  d.lddy = d.ldsum = d.lddx = d.lddsum = d.lddresidual = ld(p);
  d.dweight = memory((size_t)p->columns * sizeof(float), NULL);
  wt_status status = wt_norm_backward_workspace_size(p->context, &d, &d.workspace_bytes);
  d.workspace = memory(d.workspace_bytes, NULL);
  if (!status)
    status = wt_norm_backward(p->context, &d, in(p, 0, first), in(p, 1, first), out(p, 0, first), NULL);
  row_ok(hipFree(d.dweight), "hipFree"), row_ok(hipFree(d.workspace), "hipFree");
  return status;
}

static wt_softmax_desc softmax_desc(const problem *p, int rows) {
  wt_softmax_desc d = WT_SOFTMAX_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.type = p->type;
  d.ldx = d.ldy = d.lddx = d.lddy = ld(p);
  return d;
}

static wt_status softmax(const problem *p, int first, int rows) {
  const wt_softmax_desc d = softmax_desc(p, rows);
  return wt_softmax(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

static wt_status softmax_backward(const problem *p, int first, int rows) {
  const wt_softmax_desc d = softmax_desc(p, rows);
  return wt_softmax_backward(p->context, &d, in(p, 0, first), in(p, 1, first), out(p, 0, first), NULL);
}

static wt_status cross_entropy(const problem *p, int first, int rows) {
  wt_cross_entropy_desc d = WT_CROSS_ENTROPY_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.type = p->type;
  d.ldx = d.lddx = ld(p), d.label_smoothing = 0.1f, d.lse = vector(p, 1, first);
  return wt_cross_entropy(p->context, &d, in(p, 0, first), p->labels + first, vector(p, 0, first),
                          out(p, 0, first), NULL);
}

static wt_activation_desc activation_desc(const problem *p, int rows) {
  wt_activation_desc d = WT_ACTIVATION_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.type = p->type, d.activation = WT_ACTIVATION_SILU;
  d.ldx = d.ldgate = d.ldy = d.lddy = d.lddx = d.lddgate = ld(p);
  return d;
}

static wt_status activate(const problem *p, int first, int rows) {
  const wt_activation_desc d = activation_desc(p, rows);
  return wt_activate(p->context, &d, in(p, 0, first), in(p, 1, first), out(p, 0, first), NULL);
}

static wt_status quantised_activation(const problem *p, int first, int rows) {
  wt_activation_desc d = activation_desc(p, rows);
  d.ldy = 0, d.output = blocks_of(p, first);
  return wt_activate(p->context, &d, in(p, 0, first), in(p, 1, first), out(p, 0, first), NULL);
}

static wt_status activate_backward(const problem *p, int first, int rows) {
  const wt_activation_desc d = activation_desc(p, rows);
  return wt_activate_backward(p->context, &d, in(p, 0, first), in(p, 1, first), in(p, 2, first),
                              out(p, 0, first), out(p, 1, first), NULL);
}

static wt_rotary_desc rotary_desc(const problem *p, int first) {
  wt_rotary_desc d = WT_ROTARY_DESC_INIT;
  d.head_dim = p->columns, d.rotary_dim = p->columns < 512 ? p->columns / 2 * 2 : 512, d.type = p->type;
  d.positions = p->labels + first;
  d.strides_in.row = d.strides_out.row = d.strides_in.batch = d.strides_out.batch = ld(p);
  return d;
}

static wt_status rotary(const problem *p, int first, int rows) {
  wt_rotary_desc d = rotary_desc(p, first);
  d.rows = rows;
  return wt_rotary(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

// Passes the rows as members of a batch.
static wt_status rotary_batch(const problem *p, int first, int rows) {
  wt_rotary_desc d = rotary_desc(p, first);
  d.rows = 1, d.batch = rows, d.positions_batch = 1;
  return wt_rotary(p->context, &d, in(p, 0, first), out(p, 0, first), NULL);
}

static wt_quantize_desc quantize_desc(const problem *p, int rows, wt_scaling scaling) {
  wt_quantize_desc d = WT_QUANTIZE_DESC_INIT;
  d.rows = rows, d.columns = p->columns, d.type_x = p->type, d.type_q = p->f8;
  d.ldx = ld(p), d.ldq = (int64_t)p->pitch, d.scaling = scaling;
  return d;
}

static wt_status quantize_rows(const problem *p, int first, int rows) {
  const wt_quantize_desc d = quantize_desc(p, rows, WT_SCALING_ROW);
  return wt_quantize(p->context, &d, in(p, 0, first), out(p, 0, first), vector(p, 0, first), NULL);
}

// One scale that the caller gives; a computed one depends on all rows.
static wt_status quantize_given(const problem *p, int first, int rows) {
  wt_quantize_desc d = quantize_desc(p, rows, WT_SCALING_TENSOR);
  d.given = 1;
  return wt_quantize(p->context, &d, in(p, 0, first), out(p, 0, first), p->rstd, NULL);
}

static wt_status quantize_matrix(const problem *p, int first, int rows) {
  wt_quantize_desc d = quantize_desc(p, rows, WT_SCALING_TENSOR);
  d.workspace = memory(d.workspace_bytes = WT_QUANTIZE_WORKSPACE_BYTES, NULL);
  const wt_status status =
      wt_quantize(p->context, &d, in(p, 0, first), out(p, 0, first), vector(p, 0, 0), NULL);
  row_ok(hipFree(d.workspace), "hipFree");
  return status;
}

// Any bytes are FP8.
static wt_status dequantize(const problem *p, int first, int rows) {
  const wt_quantize_desc d = quantize_desc(p, rows, WT_SCALING_ROW);
  return wt_dequantize(p->context, &d, in(p, 0, first), p->rstd + first, out(p, 0, first), NULL);
}

static wt_status quantize_blocks(const problem *p, int first, int rows) {
  wt_block_scale_desc d = WT_BLOCK_SCALE_DESC_INIT;
  d.rows = rows, d.columns = p->columns / 32 * 32, d.type_x = p->type, d.type_q = WT_TYPE_F4E2M1;
  d.ldx = ld(p), d.q_row_bytes = d.scale_row = (int64_t)p->pitch;
  return wt_quantize_blocks(p->context, &d, in(p, 0, first), out(p, 0, first), out(p, 1, first), NULL);
}

typedef struct operation {
  const char *name;
  wt_status (*run)(const problem *p, int first, int rows);
  bool needs_gfx950;
} operation;

static const operation operations[] = {{"the layer norm", layer_norm, false},
                                       {"the RMS norm", rms_norm, false},
                                       {"the quantised norm", quantised_norm, false},
                                       {"the gradient of the norm", norm_backward, false},
                                       {"softmax", softmax, false},
                                       {"the gradient of softmax", softmax_backward, false},
                                       {"cross-entropy", cross_entropy, false},
                                       {"the activation", activate, false},
                                       {"the quantised activation", quantised_activation, false},
                                       {"the gradient of the activation", activate_backward, false},
                                       {"rotary embedding", rotary, false},
                                       {"rotary embedding of a batch", rotary_batch, false},
                                       {"quantisation by rows", quantize_rows, false},
                                       {"quantisation by a given scale", quantize_given, false},
                                       {"dequantisation", dequantize, false},
                                       {"quantisation by blocks", quantize_blocks, true}};

// ---- the comparison

// Runs it under the next schedule on outputs full of poison.
static bool compute(const problem *p, const operation *o, int first, int rows) {
  static int next;
  setenv("WT_SIM_SCHEDULE", row_schedules[next++ % ROW_SCHEDULES], 1);
  for (int i = 0; i < MATRICES + VECTORS; ++i)
    row_ok(hipMemset(out(p, i, first), ROW_POISON, (size_t)rows * out_pitch(p, i)), "hipMemset");
  const wt_status status = o->run(p, first, rows);
  CHECK(status == WT_SUCCESS, "%s: %s", o->name, wt_last_error(p->context));
  return status == WT_SUCCESS && row_ok(hipDeviceSynchronize(), o->name);
}

// Returns which result has other bits when the rows are alone, or -1.
static int different(const problem *p, const operation *o, int first, int rows) {
  if (!compute(p, o, first, rows)) return -1;
  int found = -1;
  for (int i = 0; i < MATRICES + VECTORS; ++i) {
    const size_t bytes = (size_t)rows * out_pitch(p, i);
    row_ok(hipMemcpy(p->got, out(p, i, first), bytes, hipMemcpyDeviceToHost), "copy from the device");
    if (memcmp(p->got, p->expected[i] + (size_t)first * out_pitch(p, i), bytes) != 0) found = i;
  }
  return found;
}

static void compare(const problem *p, const operation *o, int first, int rows) {
  const int found = different(p, o, first, rows);
  CHECK(found < 0,
        "%s of type %d, %d columns: result %d of rows %d to %d has other bits under %s when they are alone",
        o->name, p->type, p->columns, found, first, first + rows - 1, getenv("WT_SIM_SCHEDULE"));
}

// Makes what is expected from all rows.
static bool expect(const problem *p, const operation *o) {
  if (!compute(p, o, 0, p->rows)) return false;
  size_t written = 0;
  for (int i = 0; i < MATRICES + VECTORS; ++i) {
    const size_t bytes = (size_t)p->rows * out_pitch(p, i);
    row_ok(hipMemcpy(p->expected[i], p->out[i], bytes, hipMemcpyDeviceToHost), "copy from the device");
    for (size_t b = 0; b < bytes; ++b) written += p->expected[i][b] != ROW_POISON;
  }
  CHECK(written > 0, "%s writes nothing", o->name);
  return true;
}

// Compares all rows with one of them, and with every step-th number of them; where the steps begin differs
// from operation to operation.
static void check(const problem *p, const operation *o, int step, test_rng *rng) {
  if (!expect(p, o)) return;
  compare(p, o, row_between(rng, 0, p->rows - 1), 1);
  for (int rows = row_between(rng, 1, step); rows <= p->rows; rows += step)
    compare(p, o, row_between(rng, 0, p->rows - rows), rows);
}

// A scale that is computed for the whole matrix depends on the other rows, which this test must notice.
static void check_that_it_notices(const problem *p) {
  static const operation whole = {"quantisation by a computed scale", quantize_matrix, false};
  if (expect(p, &whole)) CHECK(different(p, &whole, 0, 1) >= 0, "one row has the scale of %d", p->rows);
}

static void run(wt_context *context, test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_BF16, WT_TYPE_F32, WT_TYPE_F16};
  // Lists the lengths that kernels distinguish (src/core/rows.c), with a few rows of each; and up to 512
  // short rows.
  static const struct {
    int columns, rows, step;
  } shapes[] = {{32, ROWS, 8}, {128, 40, 7}, {992, 20, 6}, {4000, 6, 2}, {16000, 4, 2}, {17024, 3, 1}};
  const bool gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const wt_type type = types[(s + !gfx950) % 3];
    problem p = make(context, type, shapes[s].rows, shapes[s].columns, rng);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
      if (gfx950 || !operations[i].needs_gfx950) check(&p, &operations[i], shapes[s].step, rng);
    if (s == 0) check_that_it_notices(&p);
    destroy(&p);
  }
}

int main(void) {
  test_rng rng = test_seed(1009);
  row_run_devices(1, &rng, run);
  return test_result();
}
