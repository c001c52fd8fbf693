// SPDX-License-Identifier: MIT
// Describes a convolution's descriptor after checking: the sizes of the product that it is
// (kernels/conv/conv_args.h), the extent of each operand, and the kernel.
#ifndef WT_SRC_CONV_PLAN_H
#define WT_SRC_CONV_PLAN_H

#include "core/launch.h"
#include "core/operand.h"
#include "kernels/conv/conv_args.h"

// Describes a kernel of the family. Kernels for whole chunks bring 16 bytes of a tap at a time to LDS.
typedef enum wt_conv_needs { WT_CONV_NEEDS_NOTHING, WT_CONV_NEEDS_CHUNKS } wt_conv_needs;
typedef struct wt_conv_kernel {
  const char *stem;  // file name without ".hip", prefix of its symbols, and its public name
  wt_conv_needs needs;
  int tile_m, tile_n;  // pixels and filters of a work-group
  int threads;
  int least_steps;    // K steps that the main loop needs
  double efficiency;  // percent of the matrix cores' rate, to rank kernels by
} wt_conv_kernel;

// Describes the pixels of an image and the taps of a filter along one direction, in a convolution, and how
// its gradient of the images sees them (kernels/conv/conv_args.h).
typedef struct wt_conv_direction {
  int64_t size, taps, stride, pad, dilation;
  int64_t common;  // the greatest common divisor of stride and dilation
  int64_t period;  // stride / common: from a tap of a phase to the next
  int64_t phases;  // that have taps
} wt_conv_direction;

// Describes a phase along one direction: where its pixels begin, how many there are, and the convolution of
// dy that they are.
typedef struct wt_conv_phase_direction {
  int64_t first, pixels, taps, pad;
} wt_conv_phase_direction;
wt_conv_phase_direction wt_conv_phase_of(const wt_conv_direction *d, int64_t phase);

// A gradient of the images is planned as the convolution that it is: `x` is dy and `y` is dx, filters and
// channels change places, and padding may be negative. With strides there are phases: then `rows` and `k` are
// those of the largest, and its padding is that of each.
typedef struct wt_conv_plan {
  wt_conv_desc desc;
  int64_t p, q;                  // rows and columns of an image of y
  wt_conv_direction in_h, in_w;  // of a gradient
  int64_t phases;                // 0: none, the rows of y lie in order
  int64_t reach_h, reach_w;      // rows and columns that coordinates must be able to count
  const char *channels;          // the member of the caller's descriptor that says the channels of x
  const void *filters;           // as the product has them: w, or where it is rotated
  int64_t rows, k;               // of the product: n * p * q and r * s * c
  wt_operand x, w, y;
  const wt_conv_kernel *kernel;
  int64_t tiles_m, tiles_n;
} wt_conv_plan;

// Checks everything that does not depend on memory, in the order of the members of the descriptor, and
// chooses the kernel for these addresses; NULL stands for well aligned ones.
wt_status wt_conv_plan_make(wt_context *context, const wt_conv_desc *desc, const void *x, const void *w,
                            const void *y, wt_conv_plan *plan);

// Does the same for the gradient of the images; the workspace is that of the descriptor.
wt_status wt_conv_plan_make_backward(wt_context *context, const wt_conv_desc *desc, const void *dy,
                                     const void *w, const void *dx, wt_conv_plan *plan);

// Returns what kernels need to know of the images of a convolution whose result has p x q pixels, and of its
// filters; `element` are the bytes of an element of the images.
wt_conv_image wt_conv_image_of(const wt_conv_desc *d, int64_t p, int64_t q, size_t element_bytes);

// Finds the launch of a plan's kernel, first, so that nothing is launched when one of several kernels is
// missing.
wt_status wt_conv_launch_find(wt_context *context, const wt_conv_plan *plan, wt_launch *launch);
wt_status wt_conv_launch(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                         hipStream_t stream);

// Enqueues the launches of a plan with phases; `args` are those of all.
wt_status wt_conv_launch_phases(wt_context *context, const wt_conv_plan *plan, const wt_launch *launch,
                                const wt_conv_args *args, hipStream_t stream);

// Chooses the kernel of a plan that is complete but for it.
wt_status wt_conv_choose(wt_context *context, wt_conv_plan *plan);

#endif
