// SPDX-License-Identifier: MIT
// Computes the gradient of the images of a convolution with strides: the kernels of convolutions, each of
// whose work-groups computes a tile of one phase (conv_args.h) and stores its rows where the phase's pixels
// lie in dX.
#ifndef WT_KERNELS_CONV_PHASES_H
#define WT_KERNELS_CONV_PHASES_H

#include <stddef.h>

#include "conv_pixels.h"

// Returns the convolution of one phase.
WT_DEVICE wt_conv_args conv_args_of(const wt_conv_phases_args &args, const wt_conv_phase &phase,
                                    int element) {
  wt_conv_args own = args.all;
  own.image.out_pixels = phase.out_pixels, own.image.out_width = phase.out_width;
  own.image.tap_row_bytes = phase.tap_row_bytes;
  own.image.stride_h = own.image.stride_w = 1;
  own.image.pad_top = phase.pad_top, own.image.pad_left = phase.pad_left;
  own.product.b = static_cast<const char *>(own.product.b) + phase.filters * element;
  own.product.m = own.image.images * static_cast<int>(phase.out_pixels.divisor);
  own.product.k = own.product.k_part = phase.k;
  own.product.b_row = phase.k;
  return own;
}

// Returns the pixel of dX that is pixel `pixel` of a phase.
WT_DEVICE int conv_pixel_of(const wt_conv_phases_args &args, const wt_conv_phase &phase, unsigned pixel) {
  const unsigned image = wt_divide(pixel, phase.out_pixels), in = pixel - image * phase.out_pixels.divisor;
  const unsigned i = wt_divide(in, phase.out_width), j = in - i * phase.out_width.divisor;
  return static_cast<int>((image * args.height + phase.first_h + i * args.stride_h) * args.width +
                          phase.first_w + j * args.stride_w);
}

// Returns the phase of this work-group, read anew.
WT_DEVICE wt_conv_phase conv_phase_of_workgroup() {
  static constexpr int kPhases = static_cast<int>(offsetof(wt_conv_phases_args, phases));
  static constexpr int kBytes = static_cast<int>(sizeof(wt_conv_phase));
  return wt::read_arguments<wt_conv_phase>(kPhases + wt::workgroup_z() * kBytes);
}

// Sets c to the product. What the main loop leaves, and phases of fewer K steps than it needs, go through
// masked loads.
template <class Loop>
WT_DEVICE void conv_multiply(Loop &loop, typename Loop::accumulators &c, typename Loop::stages &tiles) {
  if (loop.steps >= Loop::kLeastSteps) {
    loop.main_loop(c, tiles);
  } else {
    wt::zero(c);
    loop.steps = 0;
  }
#pragma unroll 1
  for (int k = loop.steps * Loop::kStep; k < loop.a.columns; k += Loop::kStep) {
    loop.masked_step(c, tiles, k);
  }
}

// Describes dX as the work-group of a phase's tile writes it, with arguments that are read anew: kept, they
// would take more scalar registers than main loops leave.
struct conv_phase_output {
  wt_conv_phases_args args = wt::read_arguments<wt_conv_phases_args>();
  wt_conv_phase phase = conv_phase_of_workgroup();
  int pixels = args.all.image.images * static_cast<int>(phase.out_pixels.divisor);

  WT_DEVICE long long image_bytes(int element) const {
    return static_cast<long long>(args.height) * args.width * args.all.product.c_row * element;
  }
  // Returns whether tiles of `tall` rows may go out straight from the registers (gemm_output::is_direct), to
  // the images that they touch.
  WT_DEVICE bool is_direct(int tall) const {
    const wt_gemm_args &product = args.all.product;
    const int element = product.type_c == WT_KERNEL_F32 ? 4 : 2;
    const long long touched = tall / static_cast<int>(phase.out_pixels.divisor) + 2;
    return product.beta == 0.0f && product.n * element % 16 == 0 &&
           reinterpret_cast<unsigned long long>(product.c) % 16 == 0 &&
           touched * image_bytes(element) < 0x7fffffffll;
  }
  // Stores the wave's parts of the four quadrants, which are complete, from the registers.
  template <class Out, class Loop>
  WT_DEVICE void store_directly(const Loop &loop, const typename Loop::accumulators &c) const {
    static constexpr int kBytes = static_cast<int>(sizeof(Out));
    const wt_gemm_args &product = args.all.product;
    const int image = wt_divide(loop.row, phase.out_pixels), first = image * args.height * args.width;
    const int touched = Loop::kTileM / static_cast<int>(phase.out_pixels.divisor) + 2;
    const int left = args.all.image.images - image, images = touched < left ? touched : left;
    const wt::buffer memory = wt::make_buffer(static_cast<char *>(product.c) + image * image_bytes(kBytes),
                                              static_cast<int>(images * image_bytes(kBytes)));
    wt::unrolled<4>([&](auto quadrant) WT_INLINE {
      static constexpr int kI = quadrant / 2, kJ = quadrant % 2;
      const int row = loop.row + kI * Loop::kTileM / 2 + loop.wave_m;
      const int column = loop.column + kJ * Loop::kTileN / 2 + loop.wave_n;
      const typename Loop::c_tile tile = wt::values_of(c[kI][kJ]);
      const wt::row_scatter<Out, typename Loop::c_tile> writer(
          memory, product.n - column, [&](int r) WT_INLINE {
            const int pixel = conv_pixel_of(args, phase, row + r) - first;
            return row + r < pixels ? (pixel * product.n + column) * kBytes : wt::kOutOfRange;
          });
      issue_all(writer.stores(tile, product.alpha));
    });
  }
  template <class Loop>
  WT_DEVICE void store(const Loop &loop, typename Loop::accumulators &c,
                       typename Loop::staged &staged) const {
    wt::complete(c);
    if (is_direct(Loop::kTileM)) {
      switch (args.all.product.type_c) {
        case WT_KERNEL_F32: return store_directly<float>(loop, c);
        case WT_KERNEL_BF16: return store_directly<wt::bf16>(loop, c);
        default: return store_directly<wt::f16>(loop, c);
      }
    }
    const gemm_output out(args.all.product);
    store_through_lds(loop, out, c, staged, [&](int row) WT_INLINE {
      return row < pixels ? conv_pixel_of(args, phase, row) : out.args.m;
    });
  }
};

// Runs the kernel of a main loop.
template <class Loop>
WT_DEVICE void conv_phases(const wt_conv_phases_args &args) {
  WT_SHARED typename Loop::lds memory;
  const wt_conv_args own =
      conv_args_of(args, conv_phase_of_workgroup(), sizeof(typename Loop::a_tile::element));
  Loop loop(own);
  if (loop.row >= own.product.m) return;
  typename Loop::accumulators c;
  conv_multiply(loop, c, memory.tiles);
  const conv_phase_output out;
  out.store(loop, c, memory.quadrant);
}

// Defines the kernels <stem>_phases_<x>_<w>, as CONV_KERNELS does.
#define CONV_PHASES_KERNEL(Loop, waves_per_simd, stem, BM, BN, stages, x_name, X, w_name, W) \
  WT_KERNEL_OF_WAVES((Loop<X, W, BM, BN, stages>::kThreads), waves_per_simd)                 \
  stem##_phases_##x_name##_##w_name(wt_conv_phases_args args) {                              \
    conv_phases<Loop<X, W, BM, BN, stages>>(args);                                           \
  }
#define CONV_PHASES_KERNELS(...) CONV_TYPES(CONV_PHASES_KERNEL, __VA_ARGS__)

#endif
