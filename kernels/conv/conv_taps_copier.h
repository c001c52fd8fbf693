// SPDX-License-Identifier: MIT
// Brings images to LDS for the gradient of the filters. It is conv_copier with tap and pixel exchanged: a
// lane brings the same bytes of a K step for several output pixels, of one tap, which remains, while its
// pixels move on with K.
#ifndef WT_KERNELS_CONV_TAPS_COPIER_H
#define WT_KERNELS_CONV_TAPS_COPIER_H

#include "conv_copier.h"

// Says how output pixels move on along K, each as what it is from pixel (0, 0) of the first image: as a
// number of three digits, columns, rows and images, of which the last does not overflow. The host has made
// sure that twice the rows and columns of places fit into 16 bits.
struct conv_pixel_advance {
  conv_shift by;                    // without carries
  wt::u32 columns_end;              // packed: past the last column
  unsigned short rows_end;          // past the last row
  conv_shift next_row, next_image;  // from past the last column, and from past the last row

  // Advances by so many pixels.
  WT_DEVICE conv_pixel_advance(const wt_conv_image &image, int pixels) {
    const wt::u32 q = image.out_width.divisor, p = image.out_pixels.divisor / q;
    const wt::u32 column = image.tap_bytes.divisor, row = image.width * column;
    columns_end = conv_pack(0, q * image.stride_w);
    rows_end = static_cast<unsigned short>(p * image.stride_h);
    next_row = {conv_pack(image.stride_h, 0) - columns_end,
                image.stride_h * row - q * image.stride_w * column};
    next_image = {0u - rows_end, image.height * row - p * image.stride_h * row};
    by = pixel_at(image, pixels);
  }

  // Returns a pixel, counted from the first image.
  WT_DEVICE static conv_shift pixel_at(const wt_conv_image &image, unsigned pixel) {
    const unsigned of = wt_divide(pixel, image.out_pixels), in = pixel - of * image.out_pixels.divisor;
    const unsigned p = wt_divide(in, image.out_width), q = in - p * image.out_width.divisor;
    const wt::u32 h = p * image.stride_h, w = q * image.stride_w;
    return {conv_pack(h, w), ((of * image.height + h) * image.width + w) * image.tap_bytes.divisor};
  }

  WT_DEVICE void move(conv_shift &pixel) const {
    pixel.packed += by.packed, pixel.bytes += by.bytes;
    const bool past_row = pixel.packed >= columns_end;  // the columns decide: they are the upper half
    pixel.packed += past_row ? next_row.packed : 0;
    pixel.bytes += past_row ? next_row.bytes : 0;
    const bool past_image = static_cast<unsigned short>(pixel.packed) >= rows_end;
    pixel.packed += past_image ? next_image.packed : 0;
    pixel.bytes += past_image ? next_image.bytes : 0;
  }
};

// Returns where the tap at byte `byte` of a filter lies from the place of its output pixel in images without
// padding. Past the filter's end, that is outside every image.
WT_DEVICE conv_shift conv_tap_of_filter(const wt_conv_image &image, int byte, int filter_bytes) {
  static constexpr wt::u32 kOutside = 0x80008000u;
  const conv_tap tap = conv_advance::tap_at(image, byte);
  const wt::u32 padding = (image.pad_top * image.width + image.pad_left) * image.tap_bytes.divisor;
  return {byte < filter_bytes ? conv_add(tap.packed, conv_pack(-image.pad_top, -image.pad_left)) : kOutside,
          tap.bytes - padding};
}

// Fills halves of tiles that have a row for each pixel.
template <class Copier>
struct conv_taps_copier : Copier {
  using Copier::kCopies;
  static constexpr int kRowBytes = Copier::tile::kRowBytes;
  static_assert(
      Copier::kKeepsColumn,
      "a lane must bring the same bytes of every row, or one tap does not serve all its copies: use "
      "more waves");

  conv_pixel_advance advance;
  wt::u32 last;  // packed: the last row and column of an image
  conv_shift tap;
  conv_shift pixel[kCopies];  // of the next K step

  // Copies the half that begins at row first_row of the operand.
  template <class Taps>
  WT_DEVICE conv_taps_copier(const Taps &operand, int first_row)
      : advance(*operand.by_pixel.image, Copier::tile::kRows), last(conv_last(*operand.by_pixel.image)) {
    const auto &from = operand.by_pixel;
    const int first = from.k_bytes() + Copier::tile::linear(0, first_row);
    tap = conv_tap_of_filter(*from.image, first + this->template byte_of<0>() % kRowBytes,
                             from.k_bytes() + Copier::tile::linear(0, from.columns));
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      const int row = this->template byte_of<i>() / kRowBytes;
      pixel[i] = conv_pixel_advance::pixel_at(*from.image, from.pixel + row);
    });
  }

  // Does what that of lds_copier does. K steps are brought one after the other, so that their numbers are not
  // needed.
  WT_DEVICE auto copies(wt::buffer from, int, wt::lds_place<typename Copier::tile> to) {
    return wt::list_of<kCopies>([=, this](auto i) WT_INLINE {
      this->offset[i] = conv_offset(pixel[i], tap, last);
      this->template copy<i>(from, 0, to);
      advance.move(pixel[i]);
    });
  }
};

#endif
