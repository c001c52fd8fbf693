// SPDX-License-Identifier: MIT
// Tiles on their way into LDS through registers, as they are and transposed, and operands that are transposed
// on their way out of LDS or read past it; given back row by row.
#include "wavetile_device.h"

constexpr int kThreads = 256, kRows = 64, kStepBytes = 128;
template <class T>
constexpr int kColumns = kStepBytes / static_cast<int>(sizeof(T));

// One swizzle for both stagers' writes and for plain reads of operands.
using shape = wt::st<wt::i8, kRows, kStepBytes>;
constexpr wt::swizzle kSwizzle =
    wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{.period = 16 * kStepBytes},
                             wt::read_of_operand<16, kStepBytes>, wt::write_of_row_stager<shape, kThreads>,
                             wt::write_of_transposing_stager<shape, kThreads>>();

// Loaders of the library have the verbs of their path to LDS; register_copier has those of its base, too.
template <class Loader, class... From>
constexpr bool kOnlyCopies = wt::copies_to_lds<Loader, From...> && !wt::puts_to_lds<Loader, From...>;
template <class Loader, class... From>
constexpr bool kOnlyPuts = wt::puts_to_lds<Loader, From...> && !wt::copies_to_lds<Loader, From...>;
using rows = wt::st<wt::bf16, kRows, kColumns<wt::bf16>, kSwizzle>;
using scales = wt::st<wt::e8m0, kThreads, 4>;
static_assert(kOnlyCopies<wt::lds_copier<rows, 4>, wt::buffer, int>);
static_assert(wt::puts_to_lds<wt::register_copier<rows, 4>, wt::buffer, int>);
static_assert(kOnlyPuts<wt::transposing_copier<rows, kThreads>, wt::buffer, int>);
static_assert(kOnlyPuts<wt::row_stager<rows, kThreads>, long long>);
static_assert(kOnlyPuts<wt::transposing_stager<rows, kThreads>, long long>);
static_assert(kOnlyPuts<wt::scale_copier<scales, 128, kThreads, 4>, int>);
static_assert(kOnlyCopies<wt::shuffled_scale_copier<wt::shuffled_scale_tile<512>, 256, 4>, int>);
// Copies of memory that the loader does not know, and a type that is no loader, are refused.
static_assert(!wt::brings_to_lds<wt::lds_copier<rows, 4>, int> && !wt::brings_to_lds<rows, wt::buffer, int>);

// Fills the LDS tile from `advance` bytes further on than the matrix's first element.
template <class Stager, class T>
WT_DEVICE void stage(const wt::gl<const T> &from, long long advance, typename Stager::tile &lds) {
  static_assert(wt::puts_to_lds<Stager, long long>);
  Stager stager(from);
  issue_all(stager.fetches(advance));
  issue_all(stager.fetches(0));
  issue_all(stager.puts(lds));
  wt::barrier();
}

template <class T, template <class, int> class Stager>
WT_DEVICE void stage_and_dump(const wt::gl<const T> &from, T *out, long long advance) {
  using tile = wt::st<T, kRows, kColumns<T>, kSwizzle>;
  WT_SHARED tile lds;
  stage<Stager<tile, kThreads>>(from, advance, lds);
  for (int i = wt::thread_id(); i < kRows * kColumns<T>; i += kThreads)
    out[i] = lds.template at<T>(wt::swizzled<kSwizzle>(i * static_cast<int>(sizeof(T))));
}

// Reads an operand of Layout from an LDS tile that lies k by k; each of two waves takes half of its rows
// (columns in LDS). gfx942 reads elements of 16 bits.
template <class T, class Layout>
WT_DEVICE void read_transposed(const wt::gl<const T> &from, T *out, long long advance) {
  if constexpr (wt::target::kGfx950 || sizeof(T) == 2) {
    constexpr int kRowBytes = kRows * static_cast<int>(sizeof(T));
    using operand = wt::rt<T, kRows / 2, kColumns<T>, Layout>;
    using plain = wt::st<T, kColumns<T>, kRows>;
    constexpr wt::swizzle kTransposed =
        wt::solve_swizzle<wt::target::kChip, wt::read_of_transposed_operand<T, Layout, kRowBytes>,
                          wt::write_of_row_stager<plain, kThreads>>;
    using tile = wt::st<T, kColumns<T>, kRows, kTransposed>;
    WT_SHARED tile lds;
    const auto by_k = wt::row_major(from.data, from.columns, from.rows, from.column_stride);
    stage<wt::row_stager<tile, kThreads>>(by_k, advance, lds);
    if (wt::wave_id() >= 2) return;
    const int half = wt::wave_id() * kRows / 2;
    operand a;
    issue_all(wt::lds_reader_tr<tile, operand>(half, lds).reads(a));
    wt::store(wt::row_major(out, kRows, kColumns<T>), a, half, 0);
  }
}

// Operands of 32 rows in the shortest runs of k that a transposed read gives: those of an accumulator.
template <class T>
using short_runs = wt::operand<32, 256 / wt::kBits<T>, 8 / static_cast<int>(sizeof(T))>;

// Reads rows as an operand, past LDS: `advance` bytes further on, of which half in the instruction.
template <class T>
WT_DEVICE void read_rows(const wt::gl<const T> &from, T *out, long long advance) {
  constexpr int kOffset = 48;
  wt::rt_b<T, kRows, kColumns<T>> b;
  wt::row_reader<decltype(b)> reader(from);
  reader.advance(advance - kOffset);
  issue_all(reader.template reads<kOffset>(b));
  wt::store(wt::row_major(out, kRows, kColumns<T>), b, 0, 0);
}

// Does the same where the rows end within the tile: it has from.columns after `advance` bytes.
template <class T>
WT_DEVICE void read_masked(const wt::gl<const T> &from, T *out, long long advance) {
  const int before = static_cast<int>(advance) / static_cast<int>(sizeof(T));
  wt::rt_b<T, kRows, kColumns<T>> b;
  wt::row_reader<decltype(b)>(from.from(0, before)).load_masked(b, from.columns - before, before);
  wt::store(wt::row_major(out, kRows, kColumns<T>), b, 0, 0);
}

#define KERNELS(T)                                                                                    \
  WT_KERNEL(kThreads) stage_rows_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) {       \
    stage_and_dump<wt::T, wt::row_stager>(from, out, advance);                                        \
  }                                                                                                   \
  WT_KERNEL(kThreads) stage_transposed_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) { \
    stage_and_dump<wt::T, wt::transposing_stager>(from, out, advance);                                \
  }                                                                                                   \
  WT_KERNEL(kThreads) read_transposed_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) {  \
    read_transposed<wt::T, wt::natural_operand<wt::T>>(from, out, advance);                           \
  }                                                                                                   \
  WT_KERNEL(kThreads) read_runs_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) {        \
    read_transposed<wt::T, short_runs<wt::T>>(from, out, advance);                                    \
  }                                                                                                   \
  WT_KERNEL(64) read_rows_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) {              \
    read_rows<wt::T>(from, out, advance);                                                             \
  }                                                                                                   \
  WT_KERNEL(64) read_masked_##T(wt::gl<const wt::T> from, wt::T *out, long long advance) {            \
    read_masked<wt::T>(from, out, advance);                                                           \
  }
KERNELS(fp8e4m3)
KERNELS(i8)
KERNELS(bf16)

// Tests v_perm_b32 on the four registers of each thread: bytes 7, 0, 5, 2 of the first two; the transpose of
// the first four as bytes; of the first two as halves.
WT_KERNEL(64) permute(const wt::u32 (*in)[4], wt::u32 (*out)[7]) {
  const auto &r = in[wt::thread_id()];
  auto &to = out[wt::thread_id()];
  to[0] = wt::permute_bytes<0x02050007>(r[0], r[1]);
  wt::unrolled<4>([&](auto i) WT_INLINE { to[1 + i] = wt::transposed_bytes<i>(r[0], r[1], r[2], r[3]); });
  wt::unrolled<2>([&](auto i) WT_INLINE { to[5 + i] = wt::transposed_halves<i>(r[0], r[1]); });
}
