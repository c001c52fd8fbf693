// SPDX-License-Identifier: MIT
// This is attention forward in 8-wave ping-pong. Two waves share a SIMD, and one multiplies while the other
// computes its softmax (attention_softmax.h). A work-group has 256 queries of one head and a wave 32 of them;
// keys are streamed in blocks of kKeys. The loop's schedule, and what it multiplies when, stands in
// attention_forward_schedule.h, and the tiles in attention_forward_tiles.h; this file has the lists of
// micro-ops.
#ifndef WT_KERNELS_ATTENTION_FORWARD_H
#define WT_KERNELS_ATTENTION_FORWARD_H

#include "attention_forward_schedule.h"
#include "attention_softmax.h"

// The parameters are those of attention_forward_tiles.
template <class T, int D, int DV, attention_path Path, attention_variant Variant = attention_variant::plain>
struct attention_forward : attention_forward_tiles<T, D, DV, Path, Variant> {
  using tiles = attention_forward_tiles<T, D, DV, Path, Variant>;
  using tiles::kKeys, tiles::kWaveQueries, tiles::kPart, tiles::kParts, tiles::kSharesOfKeys;
  using typename tiles::k_lds, typename tiles::v_share, typename tiles::lds;
  using typename tiles::k_ring, typename tiles::v_ring, typename tiles::k_reader, typename tiles::v_reader;
  using softmax_type = attention_softmax<tiles>;

  typename tiles::q_tile q[kParts];
  typename tiles::v_tile v[kSharesOfKeys];
  softmax_type softmax;

  // `first` is the first query of the work-group.
  WT_DEVICE attention_forward(const wt_attention_args &args, const attention_sequence &sequence, int first)
      : softmax(args, sequence, first + wt::wave_id() * kWaveQueries) {}

  // Loops over blocks `begin` to `end` - 1 of the keys, of which there is at least one.
  template <attention_sum Sum>
  WT_DEVICE void main_loop(const wt::gl<const T> &queries, const wt::gl<const T> &keys,
                           const wt::gl<const T> &values, lds &memory, int begin, int end) {
    if constexpr (!softmax_type::kLooksFirst) softmax.set_apart(begin);
    wt::rt<T, kWaveQueries, kPart, wt::memory_rows<T, kPart>> rows[kParts];
    wt::unrolled<kParts>([&](auto i) WT_INLINE {
      attention_load_rows<Variant>(rows[i.value], queries, softmax.query, i * kPart);
    });
    k_ring next_k(keys, begin, wt::lds_parts<typename k_ring::tile>(memory.k));
    v_ring next_v(values, begin, wt::lds_parts<typename v_ring::tile>(memory.v));
    const k_reader read_k = k_reader(0).at(wt::lds_parts<k_lds>(memory.k));
    const v_reader read_v(0, wt::lds_parts<v_share>(memory.v));
    typename tiles::k_tile k[2];
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kFragment = op.value.fragment, kPart = op.value.part;
      if constexpr (op.value.buffer == kK) {
        return read_k.at((stage * kParts + kPart) * sizeof(k_lds)).reads(k[kFragment - kK0]);
      } else {
        return read_v.reads(v[kFragment - kV0], (stage * kSharesOfKeys + kPart) * sizeof(v_share));
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      static constexpr int kA = op.value.a.fragment, kB = op.value.b.fragment;
      if constexpr (op.value.sum == kS) {
        return wt::mma_ABt_list<op.to>(softmax.s, q[kA - kQ0], k[kB - kK0]);
      } else {
        // The compiler copies l for the next iteration here, beside MFMAs.
        const auto products = wt::mma_ABt_list(softmax.o, softmax.p[kA - kP0], v[kB - kV0]);
        return wt::list_of<products.kSize>([this, products](auto i) WT_INLINE {
          products.template issue<i>();
          if constexpr (kA == kP0 && i == 0) wt::forget(softmax.l.values);
        });
      }
    };
    // What a copy needs is formed where it stands, as scalar registers are dearer than instructions.
    const auto copies = [&](auto op, int, wt::u32) WT_INLINE {
      return wt::list_of<op.value.events>([&](auto i) WT_INLINE {
        if constexpr (op.value.buffer == kK) {
          next_k.copies(next_k.place()).template issue<i>();
        } else {
          next_v.copies(next_v.place()).template issue<i>();
        }
      });
    };
    const auto advances = [&](auto op) WT_INLINE {
      if constexpr (op.value.buffer == kK) {
        return next_k.advances();
      } else {
        return next_v.advances();
      }
    };
    const auto weighs = [&](auto op, int step, const auto &others) WT_INLINE {
      const int key = (begin + step) * kKeys;
      if constexpr (op.value.number == kWeigh) {
        softmax.template weigh_block<Sum>(key, others);
      } else {
        softmax.template add_weights<Sum>(key);
      }
    };
    const wt::sched::lists lists{
        .copy = copies, .read = reads, .multiply = multiplies, .vector = weighs, .advance = advances};
    // The first copies are under way while the queries come to their lanes.
    wt::sched::start<attention_forward_schedule<tiles>>(lists);
    wt::unrolled<kParts>([&](auto i) WT_INLINE { wt::convert_layout(q[i], rows[i.value]); });
    wt::sched::resume<attention_forward_schedule<tiles>>(end - begin, lists);
  }
};

#endif
