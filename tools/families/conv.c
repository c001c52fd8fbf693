// SPDX-License-Identifier: MIT
// Implements `wavetile conv`: the convolution of images with filters, and its gradients of the images and by
// the filters.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conv.h"

static const family_tensor tensors[TENSORS] = {
    [X] = {"images", "X.npy", "images: [N][H][W][C]", "x", FAMILY_OWN, FAMILY_VALUE, false, false, NULL,
           NULL},
    [W] = {"filters", "W.npy", "filters: [K][R][S][C]", "w", FAMILY_OWN, FAMILY_VALUE, false, false, NULL,
           NULL},
    [SCALE] = {"filter-scale", "V.npy", "K factors of the filters' results", "filter_scale", FAMILY_OWN,
               FAMILY_F32, false, false, NULL, NULL},
    [BIAS] = {"bias", "V.npy", "K summands of the filters' results", "bias", FAMILY_OWN, FAMILY_F32, false,
              false, NULL, NULL},
    [DY] = {"dy", "dY.npy", "the gradient of Y: computes the gradients that have files", "dy", FAMILY_OWN,
            FAMILY_VALUE, false, true, NULL, NULL},
    [Y] = {"out", "Y.npy", "where the result goes: [N][P][Q][K]", "y", FAMILY_OWN, FAMILY_RESULT, true, false,
           NULL, NULL},
    [DX] = {"dx", "dX.npy", "where the gradient of the images goes", "dx", FAMILY_OWN, FAMILY_RESULT, true,
            true, NULL, NULL},
    [DW] = {"dfilters", "dW.npy", "where the gradient of the filters goes", "dw", FAMILY_OWN, FAMILY_RESULT,
            true, true, NULL, NULL},
};

static int options(family_job *job, tool_option *table) {
  conv_own *own = job->own;
  const tool_option rows[] = {
      {"n", TOOL_SIZES, &own->n, "N",
       "without files: this many random, normally distributed images (default 1), or several: \"1,4\", "
       "\"1:16:x2\" or \"2:8:+2\""},
      {"h", TOOL_SIZES, &own->h, "N", "rows of an image, the same way; all sizes but --n are needed"},
      {"w", TOOL_SIZES, &own->w, "N", "columns of an image, the same way (default: as --h)"},
      {"c", TOOL_SIZES, &own->c, "N", "channels of a pixel, the same way"},
      {"k", TOOL_SIZES, &own->k, "N", "filters, the same way"},
      {"r", TOOL_SIZES, &own->r, "N", "rows of a filter, the same way"},
      {"s", TOOL_SIZES, &own->s, "N", "columns of a filter, the same way (default: as --r)"},
      {"stride", TOOL_STRING, &own->stride_text, "N",
       "pixels from a result to the next (default 1), or along rows and columns: \"2x1\""},
      {"pad", TOOL_STRING, &own->pad_text, "N",
       "zeros around an image (default 0); or rows and columns of them: \"1x2\"; or above, below, left and "
       "right: \"0x1x0x1\""},
      {"dilation", TOOL_STRING, &own->dilation_text, "N",
       "pixels from a tap of the filter to the next (default 1), or along rows and columns: \"2x1\""},
      {"alpha", TOOL_FLOAT, &own->alpha, "X", "factor of the sums (default 1)"},
      {"activation", TOOL_STRING, &own->activation_name, "NAME",
       "relu, gelu (tanh form) or silu, applied last"},
      {"gradient", TOOL_STRING, &own->gradient, "NAME",
       "with --backward: images (default), filters or both; with files those that go to one"},
      {"kernel", TOOL_STRING, &own->kernel, "NAME",
       "conv_4wave_128x128, conv_4wave_64x64 or conv_general_64x64, for the gradient of the filters "
       "conv_filters_4wave_128x128 and so on (default: the fastest that fits)"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

// Reads up to `most` numbers with an x between them, and returns how many there are; 0 when the text is not
// of that form.
static int read_numbers(const char *text, int most, int64_t *out) {
  for (int count = 1; count <= most; ++count) {
    int used = 0;
    long long value;
    if (*text < '0' || *text > '9' || sscanf(text, "%9lld%n", &value, &used) != 1) return 0;
    out[count - 1] = value;
    text += used;
    if (*text == '\0') return count;
    if (*text++ != 'x') return 0;
  }
  return 0;
}

static int read_pair(const char *option, const char *text, int64_t out[DIRECTIONS]) {
  const int count = read_numbers(text, DIRECTIONS, out);
  if (count == 1) out[COLUMNS] = out[ROWS];
  if (count && out[ROWS] && out[COLUMNS]) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass a number from 1, or two such as 2x1", option, text);
}

static int read_padding(conv_own *own) {
  int64_t all[4];
  const int count = read_numbers(own->pad_text, 4, all);
  if (count != 1 && count != 2 && count != 4)
    return tool_error(TOOL_USAGE,
                      "--pad is \"%s\"; pass a number from 0, two such as 1x2 or four such as 0x1x0x1",
                      own->pad_text);
  for (int i = 0; i < DIRECTIONS; ++i) {
    own->before[i] = all[count == 4 ? 2 * i : count == 2 ? i : 0];
    own->after[i] = count == 4 ? all[2 * i + 1] : own->before[i];
  }
  return TOOL_OK;
}

static int read_activation(conv_own *own) {
  const int activation = tool_activation_word(own->activation_name);
  if (activation < 0)
    return tool_error(TOOL_USAGE, "--activation is \"%s\"; pass none, relu, gelu or silu",
                      own->activation_name);
  own->activation = (wt_activation)activation;
  return TOOL_OK;
}

static int check_sizes(const family_job *job) {
  const conv_own *own = job->own;
  const struct {
    const char *name;
    const tool_sizes *sizes;
  } needed[] = {{"h", &own->h}, {"c", &own->c}, {"k", &own->k}, {"r", &own->r}};
  for (size_t i = 0; i < sizeof needed / sizeof *needed && !job->files; ++i)
    if (!needed[i].sizes->now)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --h, --c, --k and --r, or --images and --filters",
                        needed[i].name);
  if (job->files && !job->tensors[W].path)
    return tool_error(TOOL_USAGE, "--filters is missing; pass what --images is convolved with");
  return TOOL_OK;
}

// A gradient is that of the sums.
static int check_backward(const family_job *job) {
  const conv_own *own = job->own;
  const char *given = job->tensors[SCALE].path  ? "filter-scale"
                      : job->tensors[BIAS].path ? "bias"
                      : own->activation         ? "activation"
                                                : NULL;
  if (!job->backward || !given) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--%s is given, but the gradient is that of the sums alone; leave it out, and apply it to dY", given);
}

static int check_gradient(const family_job *job) {
  static const char *const names[] = {"images", "filters", "both"};
  const char *name = ((const conv_own *)job->own)->gradient;
  if (name && tool_word(name, names, 3) < 0)
    return tool_error(TOOL_USAGE, "--gradient is \"%s\"; pass images, filters or both", name);
  return family_check_gradient(job, name, "--dx or --dfilters");
}

static int check(family_job *job) {
  conv_own *own = job->own;
  int code = check_sizes(job);
  if (!code) code = read_pair("stride", own->stride_text, own->stride);
  if (!code) code = read_pair("dilation", own->dilation_text, own->dilation);
  if (!code) code = read_padding(own);
  if (!code) code = read_activation(own);
  if (!code) code = check_backward(job);
  if (!code) code = check_gradient(job);
  family_data *t = job->tensors;
  t[W].wanted = true;
  t[Y].wanted |= !job->backward;
  if (job->files || !job->backward) return code;
  const char *const gradient = own->gradient ? own->gradient : "images";
  t[DX].wanted = strcmp(gradient, "filters") != 0, t[DW].wanted = strcmp(gradient, "images") != 0;
  return code;
}

// ---- shapes

static void make_shape(family_job *job) { (void)job; }  // dims() takes it from the options

static int take_shape(family_job *job) {
  (void)job;
  return TOOL_OK;
}

static int64_t given(const tool_sizes *sizes, int64_t otherwise) {
  return sizes->now ? sizes->now : otherwise;
}

void conv_input_sizes(const family_job *job, int64_t image[4], int64_t filter[4]) {
  const conv_own *own = job->own;
  const int64_t images[4] = {given(&own->n, 1), own->h.now, given(&own->w, own->h.now), own->c.now};
  const int64_t filters[4] = {own->k.now, own->r.now, given(&own->s, own->r.now), own->c.now};
  memcpy(image, job->files ? job->tensors[X].values.shape : images, sizeof images);
  memcpy(filter, job->files ? job->tensors[W].values.shape : filters, sizeof filters);
  filter[3] = image[3];
}

// Returns the rows or columns of the result; less than 1 when the filter is larger than the image.
static int64_t out_size(const conv_own *own, int direction, int64_t size, int64_t taps) {
  const int64_t room =
      size + own->before[direction] + own->after[direction] - (taps - 1) * own->dilation[direction] - 1;
  return room < 0 ? 0 : room / own->stride[direction] + 1;
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int64_t result[4] = {image[0], out_size(job->own, ROWS, image[1], filter[1]),
                             out_size(job->own, COLUMNS, image[2], filter[2]), filter[0]};
  const bool vector = tensor == SCALE || tensor == BIAS;
  out->rank = vector ? 1 : 4;
  if (vector)
    out->shape[0] = filter[0];
  else
    memcpy(out->shape,
           tensor == X || tensor == DX   ? image
           : tensor == W || tensor == DW ? filter
                                         : result,
           sizeof result);
}

// Returns the largest finite number of the type on any device; infinite where it is not FP8.
static double largest_of(const element_type *type) {
  return type->format_ocp ? fmin(type->format_ocp->max, type->format_fnuz->max) : INFINITY;
}

// Reports that the filter is larger than the image with its padding.
static int refuse_filter(const family_job *job, int direction) {
  static const char *const names[DIRECTIONS] = {"rows", "columns"};
  const conv_own *own = job->own;
  const bool rows = direction == ROWS;
  int64_t image[4], filter[4];
  char dilation[64] = "";
  conv_input_sizes(job, image, filter);
  const long long room = image[1 + direction] + own->before[direction] + own->after[direction];
  const long long taps = filter[1 + direction];
  if (own->dilation[direction] > 1)
    snprintf(dilation, sizeof dilation, " with --dilation %lld", (long long)own->dilation[direction]);
  if (job->files)
    return tool_error(TOOL_USAGE,
                      "--filters %s has %lld %s%s, but --images %s and --pad make %lld; pass smaller filters "
                      "or more --pad",
                      job->tensors[W].path, taps, names[direction], dilation, job->tensors[X].path, room);
  const char *const option = rows || !own->s.now ? "r" : "s";
  return tool_error(TOOL_USAGE,
                    "--%s is %lld%s, but --%s and --pad make %lld %s; pass a smaller --%s or more --pad",
                    option, taps, dilation, rows || !own->w.now ? "h" : "w", room, names[direction], option);
}

static int lay_out(family_job *job) {
  const int64_t *y = job->tensors[Y].values.shape;
  if (y[1] < 1 || y[2] < 1) return refuse_filter(job, y[1] < 1 ? ROWS : COLUMNS);
  job->rows = y[0] * y[1] * y[2], job->columns = y[3];
  return TOOL_OK;
}

static int complete(family_job *job) {
  static const int rounded[] = {X, W, DY};
  for (int t = 0; t < 3; ++t) {
    const int i = rounded[t];
    const npy_array *values = &job->tensors[i].values;
    for (int64_t n = 0; values->data && n < npy_count(values); ++n)
      if (fabs((double)values->data[n]) > largest_of(job->type))
        return tool_error(TOOL_USAGE, "--%s holds %g, beyond %s; pass bf16, or divide it and pass --alpha",
                          tensors[i].option, (double)values->data[n], job->dtype);
  }
  return TOOL_OK;
}

static double flops(const family_job *job) {
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int products = job->backward ? job->tensors[DX].wanted + job->tensors[DW].wanted : 1;
  return 2.0 * products * (double)job->rows * (double)job->columns *
         (double)(filter[1] * filter[2] * filter[3]);
}

// ---- the call

static wt_conv_desc descriptor(const family_job *job) {
  const conv_own *own = job->own;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  wt_conv_desc d = WT_CONV_DESC_INIT;
  d.n = image[0], d.h = image[1], d.w = image[2], d.c = image[3];
  d.k = filter[0], d.r = filter[1], d.s = filter[2];
  d.stride_h = own->stride[ROWS], d.stride_w = own->stride[COLUMNS];
  d.pad_top = own->before[ROWS], d.pad_bottom = own->after[ROWS];
  d.pad_left = own->before[COLUMNS], d.pad_right = own->after[COLUMNS];
  d.dilation_h = own->dilation[ROWS], d.dilation_w = own->dilation[COLUMNS];
  d.type_w = element_type_on(job->type, job->target);
  d.alpha = (float)own->alpha;
  return d;
}

static int forward(family_job *job, const char *kernel) {
  conv_own *own = job->own;
  const family_data *t = job->tensors;
  wt_conv_desc d = descriptor(job);
  d.type_x = d.type_w, d.type_y = job->type_of_result->ocp;
  d.filter_scale = t[SCALE].device, d.bias = t[BIAS].device;
  d.activation = own->activation, d.kernel = kernel;
  wt_status status = wt_conv_chosen(job->context, &d, &own->chosen);
  if (!status) status = wt_conv_forward(job->context, &d, t[X].device, t[W].device, t[Y].device, NULL);
  return family_status(job, status);
}

static int backward_images(family_job *job) {
  conv_own *own = job->own;
  const family_data *t = job->tensors;
  wt_conv_desc d = descriptor(job);
  d.type_y = d.type_w, d.type_x = job->type_of_result->ocp;
  d.kernel = own->chosen = own->kernel;
  wt_status status = wt_conv_workspace_size(job->context, &d, &d.workspace_bytes);
  const int code = status ? TOOL_OK : family_workspace(job, d.workspace_bytes);
  if (code) return code;
  d.workspace = job->workspace;
  if (!status)
    status = wt_conv_backward_images(job->context, &d, t[DY].device, t[W].device, t[DX].device, NULL);
  return family_status(job, status);
}

// The context has workspace for it.
static int backward_filters(family_job *job) {
  conv_own *own = job->own;
  const family_data *t = job->tensors;
  wt_conv_desc d = descriptor(job);
  d.type_x = d.type_y = d.type_w, d.type_w = job->type_of_result->ocp;
  d.kernel = own->kernel;
  wt_status status = wt_conv_filters_chosen(job->context, &d, &own->chosen);
  if (!status)
    status = wt_conv_backward_filters(job->context, &d, t[DY].device, t[X].device, t[DW].device, NULL);
  return family_status(job, status);
}

static int backward(family_job *job) {
  const int code = job->tensors[DX].wanted ? backward_images(job) : TOOL_OK;
  return !code && job->tensors[DW].wanted ? backward_filters(job) : code;
}

// Before a gradient runs the forward pass, where its result is wanted.
static int prepare(family_job *job) {
  return job->backward && job->tensors[Y].wanted ? forward(job, NULL) : TOOL_OK;
}

static int call(family_job *job) {
  const conv_own *own = job->own;
  return job->backward ? backward(job) : forward(job, own->kernel);
}

static const char *gradient_of(const family_job *job) {
  const family_data *t = job->tensors;
  return t[DX].wanted && t[DW].wanted ? "both" : t[DW].wanted ? "filters" : "images";
}

static void describe(const family_job *job, record *r) {
  static const char *const names[7] = {"n", "h", "w", "c", "k", "r", "s"};
  const conv_own *own = job->own;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  for (int i = 0; i < 7; ++i) record_whole(r, names[i], i < 4 ? image[i] : filter[i - 4]), record_brief(r);
  record_text(r, "stride", own->stride_text);
  record_text(r, "pad", own->pad_text);
  record_text(r, "dilation", own->dilation_text);
  record_text(r, "activation", own->activation_name);
  if (job->backward) record_text(r, "gradient", gradient_of(job));
  record_text(r, "kernel", own->chosen ? own->chosen : "");
}

int tool_conv(int argc, char **argv) {
  static const family conv = {
      .name = "conv",
      .text =
          "usage: wavetile conv --images X.npy --filters W.npy --out Y.npy [options]\n"
          "       wavetile conv --h N --c N --k N --r N [options]\n\n"
          "Convolves images with filters: Y = activation(filter scale * alpha * sums of X * W + bias), where "
          "W "
          "lies on X at every --stride pixels.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .has_backward = true,
      .has_products = true,
      .own_shape = true,
      .options = options,
      .check = check,
      .make_shape = make_shape,
      .dims = dims,
      .flops = flops,
      .take_shape = take_shape,
      .lay_out = lay_out,
      .complete = complete,
      .prepare = prepare,
      .call = call,
      .reference_end = conv_reference_end,
      .reference_row = conv_reference_row,
      .scratch = 2,
      .describe = describe,
  };
  conv_own own = {
      .stride_text = "1", .pad_text = "0", .dilation_text = "1", .activation_name = "none", .alpha = 1};
  return family_main(&conv, &own, argc, argv);
}
