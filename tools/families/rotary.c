// SPDX-License-Identifier: MIT
// Implements `wavetile rotary`: the rotary position embedding of an array, or its inverse.
#include <math.h>
#include <string.h>

#include "family.h"

enum { X, POSITIONS, Y, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "[rows][dim], [rows][heads][dim] or [batch][rows][heads][dim]", "x", FAMILY_MATRIX,
           FAMILY_VALUE, false, false, NULL, NULL},
    [POSITIONS] = {"positions", "P.npy",
                   "the position of each row, instead of --offset; all batch members have the same: int32 or "
                   "int64",
                   "positions", FAMILY_POSITIONS, FAMILY_I32, false, false, NULL, NULL},
    [Y] = {"out", "Y.npy", "where the result goes", "y", FAMILY_MATRIX, FAMILY_VALUE, true, false, NULL,
           NULL},
};

// Counts the elements on the device from one row, batch member and head to the next; 0: packed.
typedef struct rotary_strides {
  long long row, batch, head;
} rotary_strides;

typedef struct rotary_own {
  tool_sizes batch, rows, heads, head_dim;
  const char *layout;
  long long rotary_dim;
  double theta, offset;
  bool inverse;
  rotary_strides x, y;
  int64_t heads_now, head_dim_now, batch_now;
} rotary_own;

static int options(family_job *job, tool_option *table) {
  rotary_own *own = job->own;
  const tool_option rows[] = {
      {"rows", TOOL_SIZES, &own->rows, "N",
       "without files: random, normally distributed inputs of this many rows for each batch member, or of "
       "several: \"128,256\", \"1:4096:x2\" or \"128:1024:+128\""},
      {"batch", TOOL_SIZES, &own->batch, "N", "batch members, the same way (default 1)"},
      {"heads", TOOL_SIZES, &own->heads, "N", "heads of a row, the same way (default 1)"},
      {"head-dim", TOOL_SIZES, &own->head_dim, "N", "elements of a head, the same way (default 128)"},
      {"layout", TOOL_STRING, &own->layout, "NAME",
       "pairs are half (default): i and dim / 2 + i, or interleaved"},
      {"rotary-dim", TOOL_SIZE, &own->rotary_dim, "N", "elements of a head that are rotated (default: all)"},
      {"theta", TOOL_FLOAT, &own->theta, "T", "frequency i is T^(-2i / N) (default 10000)"},
      {"offset", TOOL_FLOAT, &own->offset, "P", "position of the first row (default 0)"},
      {"inverse", TOOL_FLAG, &own->inverse, NULL, "rotate back: the gradient of X from that of Y"},
      {"ldx", TOOL_SIZE, &own->x.row, "N", "elements between rows of X on the device (default: packed)"},
      {"stride-x", TOOL_SIZE, &own->x.batch, "N", "elements between batch members of X (default: packed)"},
      {"head-stride-x", TOOL_SIZE, &own->x.head, "N",
       "elements between heads of X (default: packed); heads may lie outside of rows"},
      {"ldy", TOOL_SIZE, &own->y.row, "N", "elements between rows of Y, and so on as for X"},
      {"stride-y", TOOL_SIZE, &own->y.batch, "N", "elements between batch members of Y"},
      {"head-stride-y", TOOL_SIZE, &own->y.head, "N", "elements between heads of Y"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check(family_job *job) {
  const rotary_own *own = job->own;
  if (strcmp(own->layout, "half") != 0 && strcmp(own->layout, "interleaved") != 0)
    return tool_error(TOOL_USAGE, "--layout is \"%s\"; pass half or interleaved", own->layout);
  if (!(own->theta > 0)) return tool_error(TOOL_USAGE, "--theta is %g; pass a positive number", own->theta);
  if (own->offset != rint(own->offset) || fabs(own->offset) > 0x1p31)
    return tool_error(TOOL_USAGE, "--offset is %.17g; pass a whole number of 32 bits", own->offset);
  if (own->offset != 0 && job->tensors[POSITIONS].path)
    return tool_error(TOOL_USAGE, "--offset and --positions are both given; pass one of them");
  if (!job->files && !own->rows.now)
    return tool_error(TOOL_USAGE, "--rows is missing; pass how many rows the random inputs have");
  job->tensors[Y].wanted = true;
  return TOOL_OK;
}

static void set_matrix(family_job *job) {
  rotary_own *own = job->own;
  job->rows = own->batch_now * job->positions;
  job->columns = own->heads_now * own->head_dim_now;
}

static void make_shape(family_job *job) {
  rotary_own *own = job->own;
  own->batch_now = own->batch.now ? own->batch.now : 1;
  own->heads_now = own->heads.now ? own->heads.now : 1;
  own->head_dim_now = own->head_dim.now ? own->head_dim.now : 128;
  job->positions = own->rows.now;
  job->rank = 4;
  job->shape[0] = own->batch_now, job->shape[1] = job->positions;
  job->shape[2] = own->heads_now, job->shape[3] = own->head_dim_now;
  set_matrix(job);
}

static int take_shape(family_job *job) {
  rotary_own *own = job->own;
  const int64_t *s = job->shape;
  own->head_dim_now = s[job->rank - 1];
  own->heads_now = job->rank > 2 ? s[job->rank - 2] : 1;
  own->batch_now = job->rank == 4 ? s[0] : 1;
  job->positions = s[job->rank == 4];
  set_matrix(job);
  return TOOL_OK;
}

// Says where a tensor's elements are on the device.
static int lay_out(family_job *job, int tensor, char name, const rotary_strides *s) {
  const rotary_own *own = job->own;
  matrix_layout *l = &job->tensors[tensor].layout;
  if (s->row && !s->head && s->row < job->columns)
    return tool_error(TOOL_USAGE,
                      "--ld%c is %lld, but a row has %lld elements; pass at least that, or leave it out",
                      name, s->row, (long long)job->columns);
  *l = (matrix_layout){.members = 1, .rows = 1, .cols = job->columns, .parts = own->heads_now};
  l->part_stride = s->head ? s->head : own->head_dim_now;
  l->ld = s->row ? s->row : matrix_layout_span(l);
  l->rows = job->positions;
  const int64_t member = matrix_layout_span(l), rows = l->rows * l->ld;
  l->stride = s->batch ? s->batch : member > rows ? member : rows;
  l->members = own->batch_now;
  if (matrix_layout_nests(l)) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "rows of %c are %lld elements apart (--ld%c), batch members %lld (--stride-%c) and heads %lld "
      "(--head-stride-%c), so that elements overlap; pass larger numbers",
      name - 'a' + 'A', (long long)l->ld, name, (long long)l->stride, name, (long long)l->part_stride, name);
}

static int lay_out_all(family_job *job) {
  const rotary_own *own = job->own;
  const int code = lay_out(job, X, 'x', &own->x);
  return code ? code : lay_out(job, Y, 'y', &own->y);
}

static wt_rotary_strides strides_of(const matrix_layout *l) {
  return (wt_rotary_strides){.batch = l->stride, .row = l->ld, .head = l->part_stride};
}

static int64_t rotary_dim(const rotary_own *own) {
  return own->rotary_dim ? own->rotary_dim : own->head_dim_now;
}

static int call(family_job *job) {
  const rotary_own *own = job->own;
  const family_data *t = job->tensors;
  wt_rotary_desc d = WT_ROTARY_DESC_INIT;
  d.batch = own->batch_now, d.rows = job->positions, d.heads = own->heads_now, d.head_dim = own->head_dim_now;
  d.rotary_dim = own->rotary_dim, d.type = job->type->ocp, d.inverse = own->inverse, d.theta = own->theta;
  d.layout = strcmp(own->layout, "half") == 0 ? WT_ROTARY_HALF : WT_ROTARY_INTERLEAVED;
  d.offset = (int64_t)own->offset, d.positions = t[POSITIONS].device;
  d.strides_in = strides_of(&t[X].layout), d.strides_out = strides_of(&t[Y].layout);
  return family_status(job, wt_rotary(job->context, &d, t[X].device, t[Y].device, NULL));
}

typedef struct pair_angle {
  double cosine, sine;
  double error;  // of both, on the device and here
} pair_angle;

// Returns the angle of a pair in a row. The frequency is split, so that the product with a position of 32
// bits loses no digit of a fraction of a turn. The device's angle is off by 2^-32 of a turn, its cosine and
// sine by 2^-22 (wavetile/rotary.h); the frequency itself is known to 2^-59 of it, which counts where it is
// large.
static pair_angle angle_of(const family_job *job, int64_t row, int64_t pair) {
  const rotary_own *own = job->own;
  const int64_t r = row % job->positions;
  const int32_t *given = job->tensors[POSITIONS].values.integers;
  const long double position = given ? given[r] : (long double)own->offset + (long double)r;
  const long double turn = 8 * atanl(1.0L);
  const long double turns =
      expl(-logl((long double)own->theta) * 2 * (long double)pair / (long double)rotary_dim(own)) / turn;
  const long double coarse = floorl(turns * 4096) / 4096;
  const long double angle = turn * (fmodl(position * coarse, 1) + position * (turns - coarse));
  const double known = (double)(fabsl(position) * turns * turn * 0x1p-59L);
  return (pair_angle){.cosine = (double)cosl(angle),
                      .sine = (double)sinl(angle) * (own->inverse ? -1 : 1),
                      .error = fmin(2, 1.01 * (0x1p-22 + 6.3 * 0x1p-32) + known)};
}

// Two products and a sum are rounded.
static void rotate_pair(family_job *job, const float *x, int64_t first, int64_t second,
                        const pair_angle *angle, double *want, double *bound) {
  const double a = x[first], b = x[second], error = (fabs(a) + fabs(b)) * (angle->error + 2 * family_u);
  want[first] = a * angle->cosine - b * angle->sine, want[second] = a * angle->sine + b * angle->cosine;
  bound[first] = family_rounded(job, Y, want[first], error);
  bound[second] = family_rounded(job, Y, want[second], error);
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const rotary_own *own = job->own;
  const float *x = family_row(job, X, row);
  const bool half = strcmp(own->layout, "half") == 0;
  const int64_t pairs = rotary_dim(own) / 2;
  double *want = scratch, *bound = scratch + job->columns;
  for (int64_t j = 0; j < job->columns; ++j) want[j] = x[j], bound[j] = 0;  // what is not rotated is copied
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const pair_angle angle = angle_of(job, row, pair);
    for (int64_t head = 0; head < own->heads_now; ++head) {
      const int64_t first = head * own->head_dim_now + (half ? pair : 2 * pair);
      rotate_pair(job, x, first, first + (half ? pairs : 1), &angle, want, bound);
    }
  }
  family_compare(job, Y, row * job->columns, job->columns, want, bound);
}

static void describe(const family_job *job, record *r) {
  const rotary_own *own = job->own;
  record_text(r, "layout", own->layout), record_brief(r);
  record_flag(r, "inverse", own->inverse);
  record_number(r, "theta", own->theta);
  record_whole(r, "batch_count", own->batch_now), record_brief(r);
  record_whole(r, "heads", own->heads_now), record_brief(r);
  record_whole(r, "head_dim", own->head_dim_now), record_brief(r);
  record_whole(r, "rotary_dim", rotary_dim(own));
}

int tool_rotary(int argc, char **argv) {
  static const family rotary = {
      .name = "rotary",
      .text =
          "usage: wavetile rotary --x X.npy --out Y.npy [options]\n"
          "       wavetile rotary --rows N [options]\n\n"
          "Rotates pairs of elements of each head by an angle, the row's position times the pair's "
          "frequency.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .own_shape = true,
      .options = options,
      .check = check,
      .make_shape = make_shape,
      .take_shape = take_shape,
      .lay_out = lay_out_all,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
      .describe = describe,
  };
  rotary_own own = {.layout = "half", .theta = 10000};
  return family_main(&rotary, &own, argc, argv);
}
