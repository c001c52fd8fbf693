// SPDX-License-Identifier: MIT
// Says which of the weights of general kernels dropout keeps, in the forward pass and again in the backward
// pass. A block of 4 queries and 4 keys has the 16 bytes of one call of Philox (attention_args.h).
#ifndef WT_KERNELS_ATTENTION_DROPOUT_H
#define WT_KERNELS_ATTENTION_DROPOUT_H

#include "attention_frame.h"

// Plain kernels keep all weights.
template <attention_variant Variant>
struct attention_dropout {
  struct bytes {};

  WT_DEVICE explicit attention_dropout(const wt_attention_args &) {}

  WT_DEVICE void begin_sequence(const wt_attention_args &, int) {}
  WT_DEVICE void begin_head(int) {}
};

template <>
struct attention_dropout<attention_variant::general> {
  // Holds the random bytes of a lane's elements of a fragment: byte e % 4 of word e / 4 is that of element e.
  struct bytes {
    wt::u32 word[4];
  };

  // All are in registers of the lanes, as scalar ones are scarcer.
  int kept;     // of WT_ATTENTION_KEPT_ALL bytes
  float scale;  // of what is kept
  wt::u32x2 seed;
  wt::u32 first_head = 0, head = 0;  // among those of all sequences: the sequence's first one, and this one

  WT_DEVICE explicit attention_dropout(const wt_attention_args &args)
      : kept(args.kept),
        scale(args.kept_scale),
        seed{static_cast<wt::u32>(args.seed), static_cast<wt::u32>(args.seed >> 32)} {
    wt::forget(kept), wt::forget(scale), wt::forget(seed);
  }

  // What follows is for weights of this sequence.
  WT_DEVICE void begin_sequence(const wt_attention_args &args, int sequence) {
    first_head = static_cast<wt::u32>(args.first_head + sequence * args.heads);
    wt::forget(first_head);
  }
  // What follows is for weights of this head.
  WT_DEVICE void begin_head(int h) { head = first_head + static_cast<wt::u32>(h); }

  WT_DEVICE bool is_used() const { return wt::readfirstlane(kept) < WT_ATTENTION_KEPT_ALL; }

  // Returns the bytes of fragments of 32 x 32, whose elements run along Runs in the lanes, and which follow
  // each other along Runs. `query` and `key` are the first ones, multiples of 32.
  //
  // The lane has 4 runs of a fragment, from 4 blocks, of which its neighbours in a quad have other parts:
  // each lane of the quad makes one of the blocks, and they exchange the parts.
  template <attention_side Runs, int Fragments>
  WT_DEVICE void draw(bytes (&all)[Fragments], int query, int key) const {
    static constexpr bool kByKeys = Runs == attention_side::keys;
    const wt::u32 lane = static_cast<wt::u32>(attention_lane());
    const wt::u32 along = lane % 4 * 2 + lane / 32, across = lane % 32 / 4;
    const wt::u32 first_query = static_cast<wt::u32>(query) / 4 + (kByKeys ? across : along);
    const wt::u32 first_key = static_cast<wt::u32>(key) / 4 + (kByKeys ? along : across);
    wt::u32x4 blocks[Fragments];
    wt::unrolled<Fragments>([&](auto f) WT_INLINE {
      static constexpr wt::u32 kFurther = f * 8;
      blocks[f.value] = {first_key + (kByKeys ? kFurther : 0u), first_query + (kByKeys ? 0u : kFurther), head,
                         0};
    });
    wt::philox4x32<Fragments, WT_ATTENTION_PHILOX_ROUNDS>(blocks, seed);
    wt::unrolled<Fragments>([&](auto f) WT_INLINE {
      const wt::u32x4 x = blocks[f.value];
      wt::u32(&part)[4] = all[f.value].word;
      // This is the part of each lane of the quad: a query's word, or a key's byte of each word.
      wt::unrolled<4>([&](auto i) WT_INLINE {
        part[i] = kByKeys ? x[i.value] : wt::transposed_bytes<i>(x[0], x[1], x[2], x[3]);
      });
      exchange<1>(part, lane), exchange<2>(part, lane);
    });
  }

  // Makes those weights of a tile zeros that are dropped. They are of 16 bits; the first pair of them
  // (ops/pairs.h) is pair First of the fragments.
  template <int First = 0, int Fragments, class Tile>
  WT_DEVICE void drop(Tile &tile, const bytes (&all)[Fragments]) const {
    wt::unrolled<wt::kPairs<Tile>>([&](auto n) WT_INLINE {
      static constexpr int kPair = First + n;
      auto pair = wt::pair_of<n>(tile);
      const wt::u32 bits = __builtin_bit_cast(wt::u32, pair) & mask<kPair % 8>(all[kPair / 8]);
      wt::set_pair<n>(tile, __builtin_bit_cast(decltype(pair), bits));
    });
  }
  // Makes those elements of a fragment zeros whose weights are dropped, and scales the others.
  template <class Tile>
  WT_DEVICE void drop_and_scale(Tile &tile, const bytes &of) const {
    wt::unrolled<8>([&](auto n) WT_INLINE {
      wt::f32x2 pair = wt::pair_of<n>(tile);
      wt::unrolled<2>([&](auto e) WT_INLINE {
        static constexpr int kElement = n * 2 + e;
        const int byte = static_cast<int>(of.word[kElement / 4] >> kElement % 4 * 8 & 255u);
        float x = byte < kept ? pair[e.value] * scale : 0.0f;
        wt::forget(x);  // one after the other: the compiler would keep all comparisons, and run out of masks
        pair[e.value] = x;
      });
      wt::set_pair<n>(tile, pair);
    });
  }

 private:
  // Lane i and lane i XOR Bit of a quad exchange part j of lane i with part j XOR Bit of the other, for all i
  // and j that differ in Bit. After both bits, part j of lane i is what was part i of lane j.
  template <int Bit>
  WT_DEVICE static void exchange(wt::u32 (&part)[4], wt::u32 lane) {
    const bool upper = lane & Bit;
    wt::unrolled<2>([&](auto n) WT_INLINE {
      static constexpr int kLow = Bit == 1 ? 2 * n : n, kHigh = kLow + Bit;
      const wt::u32 theirs = wt::lane_xor<Bit>(upper ? part[kLow] : part[kHigh]);
      part[kLow] = upper ? theirs : part[kLow];
      part[kHigh] = upper ? part[kHigh] : theirs;
    });
  }

  // All bits of the halves whose weights, those of pair Pair of a fragment, are kept.
  template <int Pair>
  WT_DEVICE wt::u32 mask(const bytes &of) const {
    using halves = wt::vector<short, 2>;
    static constexpr wt::u32 kFirst = Pair % 2 * 2, kZero = 4;
    const wt::u32 two =
        wt::permute_bytes<(kFirst | kZero << 8 | (kFirst + 1) << 16 | kZero << 24)>(of.word[Pair / 2], 0u);
    const halves less = __builtin_bit_cast(halves, two) - static_cast<short>(kept);
    return __builtin_bit_cast(wt::u32, less >> 15);
  }
};

#endif
