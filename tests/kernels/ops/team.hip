// SPDX-License-Identifier: MIT
// Rows through teams: row r of the work-group's is read slice by slice, reduced, and written doubled.
#include "wavetile_device.h"

namespace {

using namespace wt;

// results: per thread sum, largest, smallest, and the sum of the columns whose values are above zero.
template <class T, int Threads, int Workgroup, int Values, int Each>
WT_DEVICE void pass(const T *in, T *out, f32 *results, int rows, int length, int in_stride, int out_stride) {
  using Team = team<Threads, Workgroup>;
  using Row = team_row<Threads, Values, Each>;
  WT_SHARED typename Team::memory memory;
  Team t(memory);
  if (Team::kTeams > 1 && t.number >= rows) return;
  in += t.number * in_stride, out += t.number * out_stride;
  vector<f32, 2> sums = {};
  f32 most = -__builtin_inff(), least = __builtin_inff();
  for (int first = 0; first < length; first += Row::kCapacity) {
    const row_slice<Row> slice(t.rank, length, first);
    Row x, columns;
    load(x, in, slice);
    sums[0] += sum_own(x, slice);
    most = reduce_own(x, slice, most, [](auto a, auto b) WT_INLINE { return max(a, b); });
    least = reduce_own(x, slice, least, [](auto a, auto b) WT_INLINE { return min(a, b); });
    each_piece<Row>([&](auto p) WT_INLINE {
      auto &values = x.template piece<p>();
      auto &numbers = columns.template piece<p>();
      if constexpr (p < Row::kChunks) {
        unrolled<Each>([&](auto e) WT_INLINE {
          numbers[e.value] = values[e.value] > 0 ? f32(slice.template column<p>() + e) : 0;
        });
      } else {
        numbers = values > 0 ? f32(slice.template column<p>()) : 0;
      }
    });
    fill_outside(columns, slice, 0);
    each_piece<Row>([&](auto p) WT_INLINE { sums[1] += sum_piece(columns.template piece<p>()); });
    map(x, [](auto v) WT_INLINE { return v + v; }, x);
    store(out, slice, x);
  }
  sums = t.sum(sums);
  results += thread_id() * 4;
  results[0] = sums[0], results[1] = t.max(most), results[2] = t.min(least), results[3] = sums[1];
}

// Adds up each team's row of `in`, or zeros when there is no `in`, by the work-group: twice, so that the
// memory between is used again.
template <class T, int Threads, int Workgroup, int Values, int Each>
WT_DEVICE void add_up(const T *in, f32 *out, int length) {
  using Team = team<Threads, Workgroup>;
  using Row = team_row<Threads, Values, Each>;
  using Sum = team_sum<Team, Row>;
  WT_SHARED typename Team::memory memory;
  WT_SHARED typename Sum::memory between;
  Team t(memory);
  const row_slice<Row> slice(t.rank, length);
  team_bits<T, Row> bits;
  load_if_any(bits, in ? in + t.number * length : nullptr, slice);
  Row x, y;
  widen(x, bits);
  map(y, [](auto v) WT_INLINE { return 2 * v + 1; }, x);
  Sum::to_first(x, t, between);
  Sum::to_first(y, t, between);
  if (t.number != 0) return;
  store(out, slice, x);
  store(out + length, slice, y);
}

}  // namespace

#define KERNEL(name, T, Threads, Workgroup, Values, Each)                                             \
  WT_KERNEL(Workgroup)                                                                                \
  name(const T *in, T *out, f32 *results, int rows, int length, int in_stride, int out_stride) {      \
    pass<T, Threads, Workgroup, Values, Each>(in, out, results, rows, length, in_stride, out_stride); \
  }
#define KERNELS(type, T, Each)                      \
  KERNEL(team16_##type, T, 16, 128, Each, Each)     \
  KERNEL(team64_##type, T, 64, 256, 2 * Each, Each) \
  KERNEL(team256_##type, T, 256, 256, Each, Each)   \
  KERNEL(team1024_##type, T, 1024, 1024, 2 * Each, Each)
KERNELS(f32, f32, 4)
KERNELS(wide_f32, f32, 8)
KERNELS(f16, f16, 8)
KERNELS(bf16, bf16, 8)
KERNELS(fp8e4m3, fp8e4m3, 16)

#define SUM_KERNEL(name, T, Threads, Workgroup, Values, Each)     \
  WT_KERNEL(Workgroup) name(const T *in, f32 *out, int length) {  \
    add_up<T, Threads, Workgroup, Values, Each>(in, out, length); \
  }
SUM_KERNEL(sum16, bf16, 16, 256, 8, 8)
SUM_KERNEL(sum64, f32, 64, 256, 16, 4)
SUM_KERNEL(sum256, bf16, 256, 256, 8, 8)
