// SPDX-License-Identifier: MIT
// Holds the tiles of attention forward, in registers and in LDS, and how products are divided into parts.
//
// Scores are held as the MFMA leaves K Q^T: a lane has one query and half of a block's keys, and the lane 32
// further on has the other half. A 16-bit P is an operand of P V as it stands: its lanes hold runs of 4 keys.
#ifndef WT_KERNELS_ATTENTION_FORWARD_TILES_H
#define WT_KERNELS_ATTENTION_FORWARD_TILES_H

#include "attention_stream.h"

// D is the head dimension of queries and keys. DV is how many columns of V a work-group takes; its y index
// says which. T is the type of Q, K, P and V.
template <class T, int D, int DV, attention_path Path, attention_variant Variant>
struct attention_forward_tiles {
  using element = T;
  static constexpr int kHead = D, kValueHead = DV;
  static constexpr attention_variant kVariant = Variant;
  static constexpr int kWaves = 8, kThreads = kWaves * wt::target::kWaveLanes;
  static constexpr int kWaveQueries = 32, kQueries = kWaves * kWaveQueries;
  static constexpr int kKeys = !wt::target::kGfx950 || D > 192 ? 32 : D > 64 ? 64 : 128, kStages = 4;

  // Products are divided into parts whose operands take about 32 registers: Q K^T by kPart of the head
  // dimension, P V by half of a block's keys, or by all of them with 8-bit types.
  static constexpr int kMostOfRow = 64 * 128 / kKeys * 8 / wt::kBits<T>,
                       kPart = D < kMostOfRow ? D : kMostOfRow;
  static constexpr int kParts = D / kPart;
  static constexpr int kSharesOfKeys = wt::kBits<T> == 8 ? 1 : 2, kShare = kKeys / kSharesOfKeys;
  // Says where the steps to the next blocks stand: with scores if those have more MFMAs, else with outputs.
  static constexpr bool kAdvancesFirst = D > DV;
  using q_tile = wt::rt_a<T, kWaveQueries, kPart, 32>;
  using k_tile = wt::rt_b<T, kKeys, kPart, 32>;
  using s_tile = wt::rt_ct<float, kWaveQueries, kKeys, 32>;
  using p_layout = typename attention_p<T>::layout;
  using p_tile = wt::rt<T, kWaveQueries, kShare, p_layout>;
  using v_tile = wt::rt<T, DV, kShare, p_layout>;  // V^T
  using o_tile = wt::rt_ct<float, kWaveQueries, DV, 32>;
  using row_values = wt::col_vec<float, s_tile>;

  using k_lds = attention_row_lds<T, kKeys, kPart>;
  using v_lds = attention_v_lds<T, kKeys, DV, p_layout>;
  using v_share = attention_v_lds<T, kShare, DV, p_layout>;
  using k_ring = attention_ring<k_lds, kParts, kStages, kWaves, Path, Variant>;
  using v_ring = attention_ring<v_lds, 1, kStages, kWaves, Path, Variant>;
  static_assert(wt::copies_to_lds<k_ring> && wt::copies_to_lds<v_ring>);
  using k_reader = wt::lds_reader<k_lds, typename k_tile::layout>;
  using v_reader = wt::lds_reader_tr<v_share, v_tile>;
  static constexpr int kReadsK = k_tile::kTall * k_tile::kWide * k_reader::kReads;
  static constexpr int kReadsV = v_reader::kReadsOfTile;
  struct lds {
    k_lds k[kStages][kParts];
    v_lds v[kStages];
  };
};

#endif
