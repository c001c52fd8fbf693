// SPDX-License-Identifier: MIT
// Quantises to FP8 with F32 scales for blocks of 128 elements, or for squares of 128 x 128: each work-group
// holds a tile of 128 x 128 in its registers, finds the scales there, converts and stores.
#include "elements.h"
#include "fp8_block_args.h"
#include "kernels/quantize/fp8_scale.h"
#include "largest_of_lanes.h"
#include "line_exchange.h"

namespace block_scale {

constexpr int kEach = WT_FP8_PIECE, kPieces = 4;  // a thread holds so many pieces
using piece = wt::vector<wt::f32, kEach>;

// Says where the pieces of a thread lie in q, in its tile. Along rows of x, the lanes that read a line of
// memory are neighbours; across them, neighbours read the same row of x.
template <axis Along>
struct share {
  // The lanes whose numbers differ in these bits hold the same row of q.
  static constexpr int kLanes = Along == axis::row ? WT_FP8_BLOCK / kEach - 1 : 32;
  int line, first;
  WT_DEVICE share()
      : line(Along == axis::row ? wt::thread_id() / 8 : wt::wave_id() * 32 + wt::lane_id() % 32),
        first(Along == axis::row ? wt::thread_id() % 8 * kEach : wt::lane_id() / 32 * (WT_FP8_BLOCK / 2)) {}
  template <int P>
  WT_DEVICE int row() const {
    return Along == axis::row ? line + P * 32 : line;
  }
  template <int P>
  WT_DEVICE int column() const {
    return Along == axis::row ? first : first + P * kEach;
  }
};

// Reads the first `count` elements of a piece; the others are 0.
template <axis Along, class T>
WT_DEVICE piece load(const T *from, long long x_row, int count) {
  if (count >= kEach) {
    if constexpr (Along == axis::row) {
      return load_together<kEach>(from);
    } else {
      return load_apart<kEach>(from, x_row);
    }
  }
  piece values = 0.0f;
  wt::unrolled<kEach>([&](auto e) WT_INLINE {
    if (e < count)
      values[e.value] = wt::to_f32(wt::global_load<T>(from + e * (Along == axis::row ? 1 : x_row)));
  });
  return values;
}

// Returns the codes of a piece, 16 bytes.
template <class Q>
WT_DEVICE auto codes_of(piece values, float inverse) {
  wt::unrolled<kEach>([&](auto e)
                          WT_INLINE { values[e.value] = quantize::scaled<Q>(values[e.value], inverse); });
  return wt::from_f32<Q, wt::overflow::nonfinite>(values);
}

// Stores the first `count` codes of a piece.
template <class V>
WT_DEVICE void store(unsigned char *to, V codes, int count) {
  if (count >= kEach) return wt::global_store(to, codes);
  wt::unrolled<kEach>([&](auto e) WT_INLINE {
    if (e < count) to[e.value] = static_cast<unsigned char>(codes[e / 4] >> (8 * (e % 4)));
  });
}

// Returns the largest magnitude of a piece among its finite elements.
WT_DEVICE float largest_of(piece values) {
  float largest = 0;
  wt::unrolled<kEach>(
      [&](auto e) WT_INLINE { largest = wt::max(largest, quantize::finite_magnitude(values[e.value])); });
  return largest;
}

template <axis Along, class T, class Q>
WT_DEVICE void quantize_fp8(const wt_fp8_block_args &args) {
  using team = wt::team<WT_FP8_BLOCK_THREADS>;
  WT_SHARED typename team::memory memory;
  WT_SHARED line_exchange<WT_FP8_BLOCK, WT_FP8_BLOCK, kEach, WT_FP8_BLOCK / 2> lines;
  team all(memory);
  const share<Along> own;
  const bool is_square = args.shape == WT_FP8_BLOCK_SQUARE;
  for (unsigned tile = static_cast<unsigned>(wt::workgroup_x()); tile < args.tiles; tile += args.groups) {
    const long long row = static_cast<long long>(tile / args.tiles_along) * WT_FP8_BLOCK;
    const int block = static_cast<int>(tile % args.tiles_along), column = block * WT_FP8_BLOCK;
    const int rows = static_cast<int>(args.q_rows - row), columns = args.q_columns - column;
    const auto count = [&](auto p) WT_INLINE {
      return own.template row<p>() < rows ? columns - own.template column<p>() : 0;
    };
    piece x[kPieces];
    float largest[kPieces];
    wt::unrolled<kPieces>([&](auto p) WT_INLINE {
      const long long r = row + own.template row<p>(), c = column + own.template column<p>();
      const long long at = Along == axis::row ? r * args.x_row + c : c * args.x_row + r;
      x[p] = load<Along>(static_cast<const T *>(args.x) + at, args.x_row, count(p));
    });
    wt::unrolled<kPieces>([&](auto p) WT_INLINE { largest[p] = largest_of(x[p]); });
    if (is_square || Along == axis::column) {  // one scale for all of them
      float most = wt::max(wt::max(largest[0], largest[1]), wt::max(largest[2], largest[3]));
      most = is_square ? all.max(most) : largest_of_lanes<share<Along>::kLanes>(most);
      wt::unrolled<kPieces>([&](auto p) WT_INLINE { largest[p] = most; });
    } else {
      wt::unrolled<kPieces>(
          [&](auto p) WT_INLINE { largest[p] = largest_of_lanes<share<Along>::kLanes>(largest[p]); });
    }
    unsigned char *const to = static_cast<unsigned char *>(args.q) + row * args.q_row + column;
    wt::unrolled<kPieces>([&](auto p) WT_INLINE {
      const float scale = args.scale_kind == WT_FP8_BLOCK_POWER_OF_TWO
                              ? quantize::power_of_two_of<Q>(largest[p])
                              : quantize::scale_of<Q>(largest[p]);
      const int line = own.template row<p>();
      const bool is_new = p == 0 || Along == axis::row;
      if (is_square ? wt::thread_id() == 0 && p == 0 : is_new && own.first == 0 && line < rows) {
        const long long scale_row = is_square ? row / WT_FP8_BLOCK : row + line;
        args.scale[scale_row * args.scale_row + block * args.scale_block] = scale;
      }
      const auto codes = codes_of<Q>(x[p], 1.0f / scale);
      if constexpr (Along == axis::row) {
        store(to + line * args.q_row + own.first, codes, count(p));
      } else {
        lines.put(line, own.template column<p>(), codes);
      }
    });
    if constexpr (Along == axis::column) {
      wt::barrier();
      lines.template each_piece<WT_FP8_BLOCK_THREADS>([&](int line, int at, auto codes) WT_INLINE {
        if (line < rows) store(to + line * args.q_row + at, codes, columns - at);
      });
      wt::barrier();  // before the next tile
    }
  }
}

}  // namespace block_scale

#define ALONG(type, to, along)                                                   \
  WT_KERNEL(WT_FP8_BLOCK_THREADS)                                                \
  quantize_fp8_blocks_##type##_##to##_##along(wt_fp8_block_args args) {          \
    block_scale::quantize_fp8<block_scale::axis::along, wt::type, wt::to>(args); \
  }
#define TO(type, to)   \
  ALONG(type, to, row) \
  ALONG(type, to, column)
#define FROM(type)  \
  TO(type, fp8e4m3) \
  TO(type, fp8e5m2)
FROM(f32)
FROM(bf16)
FROM(f16)
