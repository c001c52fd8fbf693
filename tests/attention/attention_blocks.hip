// SPDX-License-Identifier: MIT
// Multiplies by blocks of rows in LDS, in phases, pinned and not; makes a product over the rows of all waves;
// and tests the order of what alternates. Values are small integers, so that all of it is exact.
#include "kernels/attention/attention_block_phases.h"
#include "kernels/attention/attention_shared_product.h"

namespace {

using namespace wt;

constexpr int kRows = 32, kColumns = 64, kExtra = 5;
constexpr int kBlock = 3;  // in stage 1 of 2

// made[i] = B_i own_i^T + starts_i, a number per row; sum[i] = made_i^T B_i / 2. `order` is that of micro-ops
// beside.
template <class T, placement Placement>
WT_DEVICE void multiply_blocks(const T *b, const T *own_rows, const float *starts, float *made_out,
                               T *sum_out, int *order) {
  using blocks = attention_staged_blocks<T, kRows, kColumns, 2, 2, 32, 32>;
  using phases = attention_block_phases<blocks, 2, addend::accumulator>;
  using made_tile = rt_c<float, kRows, 32, 32>;
  WT_SHARED typename blocks::memory memory;
  WT_SHARED sv<float, 2 * kRows> numbers;
  unrolled<2>([&](auto i) WT_INLINE {
    load_masked<64>(memory.stage[blocks::stage_of(kBlock)][i],
                    row_major(b + i * kRows * kColumns, kRows, kColumns));
  });
  issue_all(wave_copies(make_buffer(starts, 256), lds_place(numbers), lane_id()));
  wait_counts<0, 0>();
  barrier();

  placed_t<Placement, rt_a<T, 32, 32, 32>, register_file::agpr> own[2][2];
  placed_t<Placement, made_tile, register_file::vgpr> made[2];
  placed_t<Placement, rt_ct<float, 32, 32, 32>, register_file::agpr> sum[2][2];
  rt<T, 32, kRows / 2, operand<32, 16, 4>> weights[2][2];
  made_tile scores[2];
  const blocks from(memory);
  const row_filler<typename made_tile::layout> filler{lds_place(numbers)};
  phases phase;
  zero(sum);
  unrolled<2>([&](auto i) WT_INLINE {
    const auto rows = row_major(own_rows + i * 32 * kColumns, 32, kColumns);
    load(own[i.value], rows, 0, 0);
    issue_all(filler.template reads<0, i * 128>(made[i.value], 0));
  });

  int count = 0;
  const auto extra = list_of<kExtra>([&](auto n) WT_INLINE { order[n] = count++; });
  const auto products = [&](auto n) WT_INLINE { return phase.template products<n>(made, own, weights, sum); };
  const auto nothing = list_of<0>(no_micro_ops{});
  const auto reads = [&](auto n) WT_INLINE {
    if constexpr (n < phases::kPhases) {
      return phase.template reads<n>(from, kBlock);
    } else {
      return nothing;
    }
  };
  issue_all(reads(index<0>{}));
  attention_run_phases<0, phases::kFirstSum>(products, nothing, reads, extra);
  unrolled<2>([&](auto i) WT_INLINE {
    scores[i] = release(made[i.value]);
    store(row_major(made_out + i * kRows * 32, kRows, 32), scores[i], 0, 0);
    unrolled<kPairs<made_tile>>(
        [&](auto n) WT_INLINE { set_pair<n>(weights[i], from_f32<T>(pair_of<n>(scores[i]))); });
  });
  settle(weights);
  attention_run_phases<phases::kFirstSum, phases::kPhases>(products, nothing, reads);
  if constexpr (Placement == placement::pinned) mfma_result_wait();
  keep(sum);
  unrolled<2>([&](auto i) WT_INLINE {
    store_scaled(row_major(sum_out + i * 32 * kColumns, 32, kColumns), sum[i.value], 0.5f, 0);
  });
}

// Computes C (32 x N) += A^T B, A of 128 x 32, of which each of four waves has 32 rows.
template <class T, int N>
WT_DEVICE void multiply_shared(const T *a, const T *b, float *c) {
  using product = attention_shared_product<T, 128, 32, N, 4>;
  using rows_of_b = rt_a<T, 32, N, 32>;
  constexpr int kRowBytes = N * static_cast<int>(sizeof(T));
  WT_SHARED st<T, 128, N,
               solve_row_swizzle<kRowBytes, write_of_fragment<T, typename rows_of_b::layout, kRowBytes>,
                                 read_of_transposed_operand<T, typename product::layout, kRowBytes>>>
      all_of_b;
  WT_SHARED typename product::a_lds memory;
  product self;
  rt<T, 32, 16, operand<32, 16, 4>> rows[2];
  load(rows, row_major(a, 128, 32), wave_id() * 32, 0);
  rows_of_b own;
  load(own, row_major(b, 128, N), wave_id() * 32, 0);
  store(all_of_b, own, wave_id() * 32, 0);
  barrier();
  self.take_b(all_of_b);
  const typename product::exchange exchange{memory};
  exchange.write(rows);
  barrier();
  issue_all(self.reads(exchange));
  self.multiply(exchange);
  self.add_to(c);
}

}  // namespace

#define KERNELS(T)                                                                             \
  WT_KERNEL(64)                                                                                \
  blocks_##T(const T *b, const T *own, const float *starts, float *made, T *sum, int *order) { \
    multiply_blocks<T, placement::compiler>(b, own, starts, made, sum, order);                 \
  }                                                                                            \
  WT_KERNEL_OF_WAVES(64, 1)                                                                    \
  pinned_##T(const T *b, const T *own, const float *starts, float *made, T *sum, int *order) { \
    multiply_blocks<T, placement::pinned>(b, own, starts, made, sum, order);                   \
  }                                                                                            \
  WT_KERNEL_OF_WAVES(256, 1) shared64_##T(const T *a, const T *b, float *c) {                  \
    multiply_shared<T, 64>(a, b, c);                                                           \
  }                                                                                            \
  WT_KERNEL_OF_WAVES(256, 1) shared128_##T(const T *a, const T *b, float *c) {                 \
    multiply_shared<T, 128>(a, b, c);                                                          \
  }
KERNELS(f16)
KERNELS(bf16)

// Computes sums of eight products each.
WT_KERNEL(64) dots(const f16 *x, const f16 *y, float *out) {
  const int lane = lane_id();
  out[lane] = dot(global_load<vector<f16, 8>>(x + lane * 8), global_load<vector<f16, 8>>(y + lane * 8));
}
