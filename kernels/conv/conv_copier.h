// SPDX-License-Identifier: MIT
// Brings A of convolutions to LDS. GEMM's copiers (ops/lds_copier.h, ops/register_copier.h) say which bytes
// of a tile a lane brings and when; here it is said where in the images they are. A lane brings the same
// bytes of each K step for several pixels: it keeps one tap, which moves on with K, and a place for each
// pixel.
#ifndef WT_KERNELS_CONV_COPIER_H
#define WT_KERNELS_CONV_COPIER_H

#include "conv_args.h"
#include "wavetile_device.h"

// Says where tap (0, 0) of the filter lies: the image, counted from the work-group's first, and a row and a
// column, which may be outside it.
struct conv_place {
  int image, h, w;
};

// Holds a row and a column of an image in one register, modulo 2^16 each, the row in the lower half.
using conv_packed = unsigned short __attribute__((ext_vector_type(2)));
WT_DEVICE wt::u32 conv_pack(int h, int w) {
  return (static_cast<wt::u32>(h) & 0xffff) | static_cast<wt::u32>(w) << 16;
}

// Returns the last row and column of an image.
WT_DEVICE wt::u32 conv_last(const wt_conv_image &image) {
  return conv_pack(image.height - 1, image.width - 1);
}

// Describes a place in an image, or how far it is from another one: rows and columns, and bytes, modulo 2^32.
struct conv_shift {
  wt::u32 packed;  // rows and columns
  wt::u32 bytes;   // in the images
};

// Returns the sums of rows and of columns.
WT_DEVICE wt::u32 conv_add(wt::u32 a, wt::u32 b) {
  return __builtin_bit_cast(wt::u32, __builtin_bit_cast(conv_packed, a) + __builtin_bit_cast(conv_packed, b));
}

// Returns the bytes from the first image to the place that is `by` from `from`, where `last` is the last row
// and column of an image. Outside the image it is where the descriptor gives zeros.
WT_DEVICE int conv_offset(conv_shift from, conv_shift by, wt::u32 last) {
  const wt::u32 there = conv_add(from.packed, by.packed);
  const auto nearest = __builtin_elementwise_min(__builtin_bit_cast(conv_packed, there),
                                                 __builtin_bit_cast(conv_packed, last));
  const bool inside = __builtin_bit_cast(wt::u32, nearest) == there;
  return inside ? static_cast<int>(from.bytes + by.bytes) : wt::kOutOfRange;
}

// Describes a tap of the filter and bytes of its channels, from tap (0, 0) and its channel 0. Bytes of places
// outside the image may go beyond it, and are not used.
struct conv_tap : conv_shift {
  wt::u32 channel_bytes;  // from channel 0
};

// Says how taps move on along K. What overflows is carried, as in a sum of numbers of three digits: channels,
// taps of a row, rows. The host has made sure that twice the columns of a row of taps fit into 16 bits.
struct conv_advance {
  conv_tap by;  // without carries
  wt::u32 tap_bytes;
  wt::u32 next_column, columns_end;           // packed: to the next tap of a row; past the last one
  wt::u32 next_row;                           // packed: to the next row from past the last column
  wt::u32 next_column_bytes, next_row_bytes;  // in the images, both from past the end

  // Advances by so many bytes of K.
  WT_DEVICE conv_advance(const wt_conv_image &image, int bytes) : tap_bytes(image.tap_bytes.divisor) {
    const wt::u32 taps = image.tap_row_bytes.divisor / image.tap_bytes.divisor;
    const wt::u32 column = image.dilation_w * tap_bytes, row = image.dilation_h * image.width * tap_bytes;
    next_column = conv_pack(0, image.dilation_w), columns_end = conv_pack(0, taps * image.dilation_w);
    next_row = conv_pack(image.dilation_h, 0) - columns_end;
    next_column_bytes = column - tap_bytes, next_row_bytes = row - taps * column;
    by = tap_at(image, bytes);
  }

  // Returns the tap at byte k of K.
  WT_DEVICE static conv_tap tap_at(const wt_conv_image &image, int k) {
    const unsigned r = wt_divide(k, image.tap_row_bytes), in_row = k - r * image.tap_row_bytes.divisor;
    const unsigned s = wt_divide(in_row, image.tap_bytes),
                   channel_bytes = in_row - s * image.tap_bytes.divisor;
    const wt::u32 h = r * image.dilation_h, w = s * image.dilation_w;
    return {{conv_pack(h, w), (h * image.width + w) * image.tap_bytes.divisor + channel_bytes},
            channel_bytes};
  }

  WT_DEVICE void move(conv_tap &tap) const {
    tap.channel_bytes += by.channel_bytes;
    const bool next_tap = tap.channel_bytes >= tap_bytes;
    tap.channel_bytes -= next_tap ? tap_bytes : 0;
    tap.packed += by.packed + (next_tap ? next_column : 0);
    tap.bytes += by.bytes + (next_tap ? next_column_bytes : 0);
    const bool past_row = tap.packed >= columns_end;  // the columns decide: they are the upper half
    tap.packed += past_row ? next_row : 0;
    tap.bytes += past_row ? next_row_bytes : 0;
  }
};

// Fills halves of tiles from the images. Copier is lds_copier or register_copier. Taps are made of whole 16
// bytes, so that what a lane moves at once lies within one.
template <class Copier>
struct conv_copier : Copier {
  using Copier::kCopies, Copier::kTiles;
  static constexpr int kRowBytes = Copier::tile::kRowBytes;
  static_assert(
      Copier::kKeepsColumn,
      "a lane must bring the same bytes of every row, or one tap does not serve all its copies: use "
      "fewer bytes of K or more waves");

  conv_advance advance;
  wt::u32 last;                // packed: the last row and column of an image
  conv_tap tap[kTiles];        // of the next K step, or steps, to be brought
  conv_shift origin[kCopies];  // where tap (0, 0) lies for the pixel of each copy

  // Copies the half that begins at pixel first_row of the operand.
  template <class Pixels>
  WT_DEVICE conv_copier(const Pixels &pixels, int first_row)
      : advance(*pixels.image, kTiles * kRowBytes), last(conv_last(*pixels.image)) {
    const wt_conv_image &image = *pixels.image;
    wt::unrolled<kTiles>([&](auto i) WT_INLINE {
      tap[i] = conv_advance::tap_at(
          image, pixels.k_bytes() + i * kRowBytes + this->template byte_of<0>() % kRowBytes);
    });
    wt::unrolled<kCopies>([&](auto i) WT_INLINE {
      const int row = first_row + this->template byte_of<i>() / kRowBytes;
      const conv_place at = pixels.place_of(row);
      const wt::u32 row_of_images = at.image * image.height + at.h;
      origin[i] = {conv_pack(at.h, at.w), (row_of_images * image.width + at.w) * image.tap_bytes.divisor};
    });
  }

  // These do what those of lds_copier and register_copier do. K steps are brought one after the other, so
  // that their numbers are not needed.
  WT_DEVICE auto copies(wt::buffer from, int, wt::lds_place<typename Copier::tile> to) {
    return wt::list_of<kCopies>([=, this](auto i) WT_INLINE {
      this->offset[i] = offset_of<i, 0>();
      this->template copy<i>(from, 0, to);
      if constexpr (i == kCopies - 1) move_on();
    });
  }
  WT_DEVICE auto fetches(wt::buffer from, int) {
    return wt::list_of<kCopies>([=, this](auto i) WT_INLINE {
      wt::unrolled<kTiles>([&](auto tile) WT_INLINE {
        this->held[tile][i] =
            wt::buffer_load<typename Copier::piece>(from, this->template offset_of<i, tile>());
      });
      if constexpr (i == kCopies - 1) move_on();
    });
  }

 private:
  // Bytes from the first image to what copy I brings of K step Tile.
  template <int I, int Tile>
  WT_DEVICE int offset_of() const {
    return conv_offset(origin[I], tap[Tile], last);
  }
  WT_DEVICE void move_on() {
    wt::unrolled<kTiles>([&](auto i) WT_INLINE { advance.move(tap[i.value]); });
  }
};

#endif
