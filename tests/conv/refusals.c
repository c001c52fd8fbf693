// SPDX-License-Identifier: MIT
// wt_conv_forward and the gradients refuse every kind of wrong argument with its own status and a
// sentence that names argument and value; nothing is launched and no memory changes.
#include "tests/refusal.h"

#include <math.h>

// There are 2 images of 4 x 5 pixels with 8 channels, 3 filters of 3 x 3.
enum { PIXELS = 2 * 4 * 5, CHANNELS = 8, FILTERS = 3, TAPS = 3 * 3 };

typedef struct call {
  wt_conv_desc desc;
  const void *x, *w;
  void *y;
} call;

static wt_status run(const void *arguments) {
  const call *c = arguments;
  return wt_conv_forward(refusal_context, &c->desc, c->x, c->w, c->y, NULL);
}

// In a gradient y is dy and x is dx.
static wt_status run_backward(const void *arguments) {
  const call *c = arguments;
  return wt_conv_backward_images(refusal_context, &c->desc, c->x, c->w, c->y, NULL);
}

static wt_status run_filters(const void *arguments) {
  const call *c = arguments;
  return wt_conv_backward_filters(refusal_context, &c->desc, c->x, c->w, c->y, NULL);
}

// Returns parts of the arena, 4 KB apart, and what lies `bytes` before its end.
static void *part(int i) { return refusal_arena + i * 4096; }
static void *before_end(int bytes) { return refusal_arena + REFUSAL_BYTES - bytes; }

static void test_sizes(call good) {
  REFUSED(run, good, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8", "WT_CONV_DESC_INIT");
  REFUSED(run, good, desc.n = 0, WT_ERROR_SIZE, "desc->n is 0", "from 1");
  REFUSED(run, good, desc.h = -1, WT_ERROR_SIZE, "desc->h is -1");
  REFUSED(run, good, desc.w = 1ll << 31, WT_ERROR_SIZE, "desc->w is 2147483648");
  REFUSED(run, good, desc.c = 0, WT_ERROR_SIZE, "desc->c is 0");
  REFUSED(run, good, desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  REFUSED(run, good, desc.r = 0, WT_ERROR_SIZE, "desc->r is 0");
  REFUSED(run, good, desc.s = 0, WT_ERROR_SIZE, "desc->s is 0");
  REFUSED(run, good, desc.stride_h = 0, WT_ERROR_SIZE, "desc->stride_h is 0");
  REFUSED(run, good, desc.stride_w = -2, WT_ERROR_SIZE, "desc->stride_w is -2");
  REFUSED(run, good, desc.dilation_h = 0, WT_ERROR_SIZE, "desc->dilation_h is 0");
  REFUSED(run, good, desc.dilation_w = 0, WT_ERROR_SIZE, "desc->dilation_w is 0");
  REFUSED(run, good, desc.pad_top = -1, WT_ERROR_SIZE, "desc->pad_top is -1", "0 or more");
  REFUSED(run, good, desc.pad_bottom = -1, WT_ERROR_SIZE, "desc->pad_bottom is -1");
  REFUSED(run, good, desc.pad_left = -1, WT_ERROR_SIZE, "desc->pad_left is -1");
  REFUSED(run, good, desc.pad_right = -1, WT_ERROR_SIZE, "desc->pad_right is -1");
  REFUSED(run, good, desc.pad_top = INT32_MAX, WT_ERROR_SIZE, "desc->h is 4", "pad_top and pad_bottom",
          "2147483651");
  REFUSED(run, good, desc.r = 5, WT_ERROR_SIZE, "desc->r is 5", "desc->h", "4");
  REFUSED(run, good, desc.dilation_w = 3, WT_ERROR_SIZE, "desc->s is 3", "3 apart", "desc->w", "5");
}

static void test_products(call good) {
  call large = good;
  large.desc.r = large.desc.s = 1, large.desc.h = large.desc.w = 1;
  REFUSED(run, large, desc.pad_right = INT32_MAX - 1, WT_ERROR_SIZE, "output pixels", "2 x 1 x 2147483647");
  large.desc.pad_right = 1;
  REFUSED(run, large, desc.c = INT32_MAX, WT_ERROR_SIZE, "bytes of a filter", "desc->c", "smaller filter");
}

static void test_values(call good, bool ocp) {
  REFUSED(run, good, desc.type_x = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is WT_TYPE_F32",
          ocp ? "WT_TYPE_F8E4M3," : "WT_TYPE_F8E4M3_FNUZ");
  REFUSED(run, good, desc.type_x = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x is WT_TYPE_I8");
  REFUSED(run, good, desc.type_x = ocp ? WT_TYPE_F8E4M3_FNUZ : WT_TYPE_F8E4M3, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_F8E4M3");
  REFUSED(run, good, desc.type_w = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w is WT_TYPE_F16",
          "WT_TYPE_BF16");
  REFUSED(run, good, desc.type_y = WT_TYPE_I32, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_y is WT_TYPE_I32");
  REFUSED(run, good, desc.alpha = NAN, WT_ERROR_VALUE, "alpha is", "finite");
  REFUSED(run, good, desc.beta = INFINITY, WT_ERROR_VALUE, "beta is inf");
  REFUSED(run, good, desc.activation = (wt_activation)4, WT_ERROR_VALUE, "desc->activation is 4");
}

static void test_kernels(call good) {
  REFUSED(run, good, desc.kernel = "conv_of_nothing", WT_ERROR_UNKNOWN_KERNEL, "conv_of_nothing");
  call named = good;
  named.desc.kernel = "conv_4wave_64x64";
  REFUSED(run, named, desc.c = 7, WT_ERROR_UNSUPPORTED_KERNEL, "desc->c is 7", "16 bytes");
  REFUSED(run, named, desc.c = 8, WT_ERROR_UNSUPPORTED_KERNEL, "one has 144");
  named.desc.c = 32;
  REFUSED(run, named, x = (const char *)good.x + 2, WT_ERROR_UNSUPPORTED_KERNEL,
          "x and w at multiples of 16");
  REFUSED(run, named, desc.pad_left = 65531, WT_ERROR_UNSUPPORTED_KERNEL, "desc->w", "65536");
  call far = named;
  far.desc.w = 40000, far.desc.dilation_w = 16384, far.desc.n = 1;
  REFUSED(run, far, desc.s = 2, WT_ERROR_UNSUPPORTED_KERNEL, "desc->s", "32768");
  call images = named;
  images.desc.h = 60000, images.desc.w = 600, images.desc.stride_h = images.desc.stride_w = 100;
  REFUSED(run, images, desc.n = 1, WT_ERROR_UNSUPPORTED_KERNEL, "less than 2 GB of images");
  call filters = named;
  filters.desc.h = filters.desc.r = 600, filters.desc.w = filters.desc.s = 900;
  REFUSED(run, filters, desc.n = 1, WT_ERROR_UNSUPPORTED_KERNEL, "less than 2 GB of filters");
}

static void test_memory(call good) {
  float scale;
  REFUSED(run, good, x = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(run, good, w = NULL, WT_ERROR_NULL_ARGUMENT, "w is NULL");
  REFUSED(run, good, y = NULL, WT_ERROR_NULL_ARGUMENT, "y is NULL");
  REFUSED(run, good, x = (const char *)good.x + 1, WT_ERROR_MISALIGNED, "x is 0x", "2 bytes");
  REFUSED(run, good, x = before_end(PIXELS * CHANNELS * 2 - 2), WT_ERROR_BUFFER, "x needs 640 bytes", "638");
  REFUSED(run, good, w = before_end(FILTERS * TAPS * CHANNELS * 2 - 2), WT_ERROR_BUFFER, "w needs 432 bytes");
  REFUSED(run, good, y = before_end(2 * 2 * 3 * FILTERS * 4 - 4), WT_ERROR_BUFFER, "y needs 144 bytes",
          "140");
  REFUSED(run, good, y = part(0), WT_ERROR_OVERLAP, "y (0x", "overlaps x");
  REFUSED(run, good, y = part(1), WT_ERROR_OVERLAP, "y (0x", "overlaps w");
  REFUSED(run, good, desc.bias = (const float *)good.y, WT_ERROR_OVERLAP, "overlaps desc->bias");
  REFUSED(run, good, desc.bias = before_end(8), WT_ERROR_BUFFER, "desc->bias needs 12 bytes");
  REFUSED(run, good, desc.filter_scale = before_end(8), WT_ERROR_BUFFER, "desc->filter_scale needs 12 bytes");
  REFUSED(run, good, desc.filter_scale = &scale, WT_ERROR_BUFFER, "desc->filter_scale is 0x");
}

// Checks what differs from the forward direction; `good` is a forward call.
static void test_gradient(call good) {
  const size_t bytes = FILTERS * TAPS * CHANNELS * 2;
  call gradient = good;  // here `x` is dy and `y` is dx
  gradient.desc.type_y = WT_TYPE_BF16, gradient.desc.type_x = WT_TYPE_F32;
  gradient.desc.workspace = part(3), gradient.desc.workspace_bytes = bytes;
  refusal_accepted("the good gradient", run_backward, &gradient);
  REFUSED(run_backward, gradient, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8");
  REFUSED(run_backward, gradient, desc.n = 0, WT_ERROR_SIZE, "desc->n is 0");
  REFUSED(run_backward, gradient, desc.r = 5, WT_ERROR_SIZE, "desc->r is 5");
  REFUSED(run_backward, gradient, desc.type_y = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_y is WT_TYPE_F32", "WT_TYPE_BF16");
  REFUSED(run_backward, gradient, desc.type_w = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_w",
          "with type_y WT_TYPE_BF16");
  REFUSED(run_backward, gradient, desc.type_x = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_x is WT_TYPE_I8");
  REFUSED(run_backward, gradient, desc.beta = NAN, WT_ERROR_VALUE, "beta is");
  REFUSED(run_backward, gradient, desc.bias = part(4), WT_ERROR_VALUE, "desc->bias is set", "dy");
  REFUSED(run_backward, gradient, desc.filter_scale = part(4), WT_ERROR_VALUE, "desc->filter_scale is set");
  REFUSED(run_backward, gradient, desc.activation = WT_ACTIVATION_RELU, WT_ERROR_VALUE,
          "desc->activation is set");
  REFUSED(run_backward, gradient, desc.workspace = NULL, WT_ERROR_NULL_ARGUMENT, "desc->workspace is NULL",
          "432 bytes");
  REFUSED(run_backward, gradient, desc.workspace_bytes = bytes - 1, WT_ERROR_BUFFER,
          "desc->workspace_bytes is 431", "432");
  REFUSED(run_backward, gradient, desc.workspace = (char *)part(3) + 8, WT_ERROR_MISALIGNED,
          "desc->workspace is 0x", "16 bytes");
  REFUSED(run_backward, gradient, desc.workspace = (void *)(uintptr_t)gradient.w, WT_ERROR_OVERLAP,
          "overlaps");
  REFUSED(run_backward, gradient, x = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(run_backward, gradient, y = NULL, WT_ERROR_NULL_ARGUMENT, "dx is NULL");
  REFUSED(run_backward, gradient, y = before_end(PIXELS * CHANNELS * 4 - 4), WT_ERROR_BUFFER,
          "dx needs 1280 bytes", "1276");
  call named = gradient;
  named.desc.kernel = "conv_4wave_64x64";
  REFUSED(run_backward, named, desc.k = 3, WT_ERROR_UNSUPPORTED_KERNEL, "desc->k is 3", "16 bytes");
  // Each phase of a stride of 2 has one pixel of such an image, so that a tile touches as many as it has
  // rows.
  call images = named;
  images.desc.h = images.desc.w = images.desc.stride_h = images.desc.stride_w = 2;
  images.desc.r = images.desc.s = 1, images.desc.pad_top = images.desc.pad_bottom = 0;
  images.desc.pad_left = images.desc.pad_right = 0, images.desc.k = 32 << 20;
  REFUSED(run_backward, images, desc.n = 100, WT_ERROR_UNSUPPORTED_KERNEL, "less than 2 GB of images",
          "64 of");
  size_t size = 1;
  CHECK(wt_conv_workspace_size(refusal_context, &gradient.desc, NULL) == WT_ERROR_NULL_ARGUMENT, "bytes");
  gradient.desc.k = 0;
  CHECK(wt_conv_workspace_size(refusal_context, &gradient.desc, &size) == WT_ERROR_SIZE && size == 0, "size");
}

// Checks what differs from the other passes; `good` is a forward call. Here `x` is dy, `w` is x and `y` is
// dw.
static void test_filters(call good) {
  call gradient = good;
  gradient.desc.type_y = WT_TYPE_BF16, gradient.desc.type_w = WT_TYPE_F32;
  gradient.w = part(3);
  refusal_accepted("the good gradient of the filters", run_filters, &gradient);
  REFUSED(run_filters, gradient, desc.struct_size = 8, WT_ERROR_STRUCT_SIZE, "struct_size is 8");
  REFUSED(run_filters, gradient, desc.k = 0, WT_ERROR_SIZE, "desc->k is 0");
  REFUSED(run_filters, gradient, desc.r = 5, WT_ERROR_SIZE, "desc->r is 5");
  REFUSED(run_filters, gradient, desc.type_y = WT_TYPE_F32, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_y is WT_TYPE_F32", "WT_TYPE_BF16");
  REFUSED(run_filters, gradient, desc.type_x = WT_TYPE_F16, WT_ERROR_UNSUPPORTED_TYPE, "desc->type_x",
          "with type_y WT_TYPE_BF16");
  REFUSED(run_filters, gradient, desc.type_w = WT_TYPE_I8, WT_ERROR_UNSUPPORTED_TYPE,
          "desc->type_w is WT_TYPE_I8");
  REFUSED(run_filters, gradient, desc.alpha = NAN, WT_ERROR_VALUE, "alpha is");
  REFUSED(run_filters, gradient, desc.bias = part(4), WT_ERROR_VALUE, "desc->bias is set", "dy");
  REFUSED(run_filters, gradient, x = NULL, WT_ERROR_NULL_ARGUMENT, "dy is NULL");
  REFUSED(run_filters, gradient, w = NULL, WT_ERROR_NULL_ARGUMENT, "x is NULL");
  REFUSED(run_filters, gradient, y = NULL, WT_ERROR_NULL_ARGUMENT, "dw is NULL");
  REFUSED(run_filters, gradient, y = before_end(FILTERS * TAPS * CHANNELS * 4 - 4), WT_ERROR_BUFFER,
          "dw needs 864 bytes", "860");
  REFUSED(run_filters, gradient, y = (void *)(uintptr_t)gradient.x, WT_ERROR_OVERLAP, "overlaps");
  call large = gradient;
  large.desc.h = large.desc.w = large.desc.r = large.desc.s = 1;
  REFUSED(run_filters, large, desc.pad_right = INT32_MAX - 1, WT_ERROR_SIZE, "output pixels",
          "2 x 1 x 2147483647");
  REFUSED(run_filters, large, desc.c = INT32_MAX, WT_ERROR_SIZE, "bytes of a filter", "desc->c");
}

// Tests what the fast kernel of the gradient of the filters needs.
static void test_filters_kernel(call good) {
  call named = good;
  named.desc.type_y = WT_TYPE_BF16, named.desc.type_w = WT_TYPE_F32;
  REFUSED(run_filters, named, desc.kernel = "conv_of_nothing", WT_ERROR_UNKNOWN_KERNEL, "conv_of_nothing");
  named.desc.kernel = "conv_filters_4wave_128x128";
  named.desc.k = 8;
  REFUSED(run_filters, named, desc.c = 7, WT_ERROR_UNSUPPORTED_KERNEL, "desc->c is 7", "16 bytes");
  REFUSED(run_filters, named, desc.k = 3, WT_ERROR_UNSUPPORTED_KERNEL, "desc->k is 3", "16 bytes");
  REFUSED(run_filters, named, w = (const char *)good.w + 2, WT_ERROR_UNSUPPORTED_KERNEL,
          "dy and x at multiples of 16");
  REFUSED(run_filters, named, desc.n = 1, WT_ERROR_UNSUPPORTED_KERNEL, "output pixels", "there are 6");
  named.desc.n = 100;
  REFUSED(run_filters, named, desc.pad_left = 32763, WT_ERROR_UNSUPPORTED_KERNEL, "desc->w", "32768");
  call far = named;
  far.desc.w = 30000, far.desc.dilation_w = 16384;
  REFUSED(run_filters, far, desc.s = 2, WT_ERROR_UNSUPPORTED_KERNEL, "desc->s", "32768");
  call images = named;
  images.desc.h = 20000, images.desc.w = 600, images.desc.stride_h = images.desc.stride_w = 100;
  REFUSED(run_filters, images, desc.n = 100, WT_ERROR_UNSUPPORTED_KERNEL, "less than 2 GB of images");
}

static void test_filters_workspace(call good) {
  call split = good;
  split.desc.type_y = WT_TYPE_BF16, split.desc.type_w = WT_TYPE_F32;
  split.desc.n = 64, split.desc.k = 8;
  size_t bytes = 1;
  const char *name = "";
  const wt_conv_desc *d = &split.desc;
  CHECK(wt_conv_filters_workspace_size(refusal_context, d, NULL) == WT_ERROR_NULL_ARGUMENT, "bytes");
  CHECK(wt_conv_filters_chosen(refusal_context, d, NULL) == WT_ERROR_NULL_ARGUMENT, "name");
  CHECK(wt_conv_filters_workspace_size(refusal_context, d, &bytes) == WT_SUCCESS, "a size");
  split.desc.k = 0;
  CHECK(wt_conv_filters_workspace_size(refusal_context, d, &bytes) == WT_ERROR_SIZE && bytes == 0, "size");
  CHECK(wt_conv_filters_chosen(refusal_context, d, &name) == WT_ERROR_SIZE && !name, "chosen");
}

static void test_queries(const call *good) {
  int64_t p = 1, q = 1;
  const char *name = "";
  CHECK(wt_conv_output_size(refusal_context, &good->desc, NULL, &q) == WT_ERROR_NULL_ARGUMENT, "p");
  CHECK(wt_conv_output_size(refusal_context, &good->desc, &p, NULL) == WT_ERROR_NULL_ARGUMENT, "q");
  CHECK(wt_conv_chosen(refusal_context, &good->desc, NULL) == WT_ERROR_NULL_ARGUMENT, "name");
  wt_conv_desc bad = good->desc;
  bad.k = 0;
  CHECK(wt_conv_output_size(refusal_context, &bad, &p, &q) == WT_ERROR_SIZE && p == 0 && q == 0, "size");
  CHECK(wt_conv_chosen(refusal_context, &bad, &name) == WT_ERROR_SIZE && !name, "chosen");
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    refusal_begin(device);
    call good = {.desc = WT_CONV_DESC_INIT, .x = part(0), .w = part(1), .y = part(2)};
    good.desc.n = 2, good.desc.h = 4, good.desc.w = 5, good.desc.c = CHANNELS;
    good.desc.k = FILTERS, good.desc.r = good.desc.s = 3;
    good.desc.type_x = good.desc.type_w = WT_TYPE_BF16, good.desc.type_y = WT_TYPE_F32;
    refusal_accepted("the good call", run, &good);
    test_sizes(good);
    test_products(good);
    test_values(good, strcmp(wt_context_target(refusal_context), "gfx950") == 0);
    test_kernels(good);
    test_memory(good);
    test_gradient(good);
    test_filters(good);
    test_filters_kernel(good);
    test_filters_workspace(good);
    test_queries(&good);
    CHECK(wt_conv_forward(NULL, &good.desc, good.x, good.w, good.y, NULL) == WT_ERROR_NULL_ARGUMENT,
          "no context");
    CHECK(wt_conv_forward(refusal_context, NULL, good.x, good.w, good.y, NULL) == WT_ERROR_NULL_ARGUMENT,
          "no descriptor");
    refusal_end();
  }
  return test_result();
}
