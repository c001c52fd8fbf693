// SPDX-License-Identifier: MIT
// Ends a tiled GEMM. C is stored straight from the registers, 16 bytes per store, when it is alpha times the
// product and its rows are aligned. Everything else goes through LDS, which costs two passes over LDS and two
// barriers per quadrant: so that a store has 256 or 512 bytes of a row where rows are not aligned, for L2
// takes whole 64 bytes of them and parts at their ends; and so that a thread has the same four columns in all
// rows where there is more to apply, beta, scales, bias or activation. A thread takes some rows at once, as
// there may be no other wave whose instructions hide that it waits for memory and LDS.
#ifndef WT_KERNELS_GEMM_EPILOGUE_H
#define WT_KERNELS_GEMM_EPILOGUE_H

#include "gemm_args.h"
#include "wavetile_device.h"

// Describes up to four columns of C, and what is done to all of their rows.
struct gemm_columns {
  int first;  // of them
  int count;  // that exist from there on; four or more, or fewer; 0 or less where none does
  // These are one and negative zero where there are none: a factor and a term that change no bits.
  wt::f32x4 scale, bias;
};

// Describes the matrix C that a work-group writes: its batch member's, and its part's where K is split.
struct gemm_output {
  const wt_gemm_args &args;
  char *c;

  WT_DEVICE explicit gemm_output(const wt_gemm_args &arguments) : args(arguments) {
    const long long first = wt::workgroup_z() * args.c_batch + wt::workgroup_y() * args.c_part;
    const bool wide = args.type_c == WT_KERNEL_F32 || args.type_c == WT_KERNEL_I32;
    c = static_cast<char *>(args.c) + first * (wide ? 4 : 2);
  }

  template <class Out>
  WT_DEVICE wt::gl<Out> matrix() const {
    // It is written out: with a call of row_major here, the compiler orders blocks of many kernels otherwise.
    return {reinterpret_cast<Out *>(c), args.c_row, 1, args.m, args.n};
  }

  // Returns C from the first element of the wave's part of quadrant (i, j) on.
  template <class Out, class Frame>
  WT_DEVICE wt::gl<Out> part(const Frame &f, int i, int j) const {
    return matrix<Out>().from(f.row + i * Frame::kTileM / 2 + f.wave_m,
                              f.column + j * Frame::kTileN / 2 + f.wave_n);
  }

  // Returns whether nothing but alpha is to be applied, to integers not even that.
  WT_DEVICE bool is_plain() const {
    return args.beta == 0.0f && !args.row_scale && !args.column_scale && !args.bias &&
           args.activation == WT_KERNEL_IDENTITY && (args.type_c != WT_KERNEL_I32 || args.alpha == 1.0f);
  }
  // Returns whether tiles of `tall` rows may go out straight from the registers: C is plain, and its rows
  // suit row_writer.
  WT_DEVICE bool is_direct(int tall) const {
    if (!is_plain()) return false;
    const bool wide = args.type_c == WT_KERNEL_F32 || args.type_c == WT_KERNEL_I32;
    return wide ? wt::row_store_fits(matrix<float>(), tall) : wt::row_store_fits(matrix<wt::bf16>(), tall);
  }

  // Returns what is done to the columns from `first` on.
  WT_DEVICE gemm_columns columns_from(int first) const {
    gemm_columns of = {first, args.n - first, wt::f32x4{} + 1.0f, -wt::f32x4{}};
    if (of.count <= 0) return of;
    if (args.column_scale) of.scale = as_f32(four(args.column_scale + first, of.count));
    if (args.bias) of.bias = as_f32(four(args.bias + first, of.count));
    return of;
  }
  // Writes the columns of N rows from their sums. Rows that C does not have are left out.
  template <int N, class Sums>
  WT_DEVICE void put(const gemm_columns &of, const Sums (&sums)[N], const int (&row)[N]) const {
    if (of.count <= 0) return;
    if constexpr (__is_same(Sums, wt::i32x4)) {
      if (args.type_c == WT_KERNEL_I32) return put_integers(of, sums, row);
    }
    put_floats(of, sums, row);
  }
  // Writes up to four columns of a row, from `column` on.
  template <class Sums>
  WT_DEVICE void put(Sums sums, int r, int column) const {
    if (r < args.m) put<1>(columns_from(column), {sums}, {r});
  }

  // Applies to the columns of N rows what comes last: the bias and the activation.
  template <int N>
  WT_DEVICE void finish(const gemm_columns &of, wt::f32x4 (&x)[N]) const {
    wt::unrolled<N>([&](auto i) WT_INLINE { x[i] += of.bias; });
    activate([&](auto f) WT_INLINE { wt::unrolled<N>([&](auto i) WT_INLINE { x[i] = f(x[i]); }); });
  }

  // Stores the columns that exist of four, in one instruction where all do, whatever their alignment.
  template <class Out>
  WT_DEVICE static void store_four(Out *to, wt::registers<Out, 4> values, int count) {
    if (count >= 4) return wt::global_store(to, values);
    wt::unrolled<3>([&](auto i) WT_INLINE {
      if (i < count) to[i] = values[i.value];
    });
  }

  // Calls f(c) with C as a pointer to its elements. Only sums that are integers go to integers.
  template <class Sum, class F>
  WT_DEVICE void with_c(const F &f) const {
    if constexpr (__is_same(Sum, wt::i32)) {
      if (anew(args.type_c) == WT_KERNEL_I32) return f(reinterpret_cast<wt::i32 *>(c));
    }
    with_floats(f);
  }

 private:
  // Returns an argument to compare: a comparison that the compiler makes in front of a loop takes two scalar
  // registers.
  template <class T>
  WT_DEVICE static T anew(T argument) {
    argument = wt::readfirstlane(argument);  // all lanes have the same
    wt::forget_uniform(argument);
    return argument;
  }
  // Calls apply(f) with the activation, unless it is the identity.
  template <class Apply>
  WT_DEVICE void activate(const Apply &apply) const {
    switch (anew(args.activation)) {
      case WT_KERNEL_RELU: return apply([](wt::f32x4 x) WT_INLINE { return wt::relu(x); });
      case WT_KERNEL_GELU: return apply([](wt::f32x4 x) WT_INLINE { return wt::gelu(x); });
      case WT_KERNEL_SILU: return apply([](wt::f32x4 x) WT_INLINE { return wt::silu(x); });
      default: return;
    }
  }

  // Returns the columns that exist of four: in one load where all do. The others are copies of the first.
  template <class T>
  WT_DEVICE static wt::registers<T, 4> four(const T *from, int count) {
    if (count >= 4) return wt::global_load<wt::registers<T, 4>>(from);
    wt::registers<T, 4> values;
    wt::unrolled<4>([&](auto i) WT_INLINE { values[i.value] = from[i < count ? i : 0]; });
    return values;
  }
  template <class Four>
  WT_DEVICE static wt::f32x4 as_f32(Four values) {
    return {wt::to_f32(values[0]), wt::to_f32(values[1]), wt::to_f32(values[2]), wt::to_f32(values[3])};
  }
  // Calls f(c) with C as a pointer to its elements, which are no integers.
  template <class F>
  WT_DEVICE void with_floats(const F &f) const {
    switch (anew(args.type_c)) {
      case WT_KERNEL_F32: return f(reinterpret_cast<float *>(c));
      case WT_KERNEL_BF16: return f(reinterpret_cast<wt::bf16 *>(c));
      default: return f(reinterpret_cast<wt::f16 *>(c));
    }
  }
  template <int N, class Sums>
  WT_DEVICE void put_floats(const gemm_columns &of, const Sums (&sums)[N], const int (&row)[N]) const {
    wt::f32x4 x[N];
    wt::unrolled<N>([&](auto i)
                        WT_INLINE { x[i] = __builtin_convertvector(sums[i], wt::f32x4) * args.alpha; });
    if (anew(args.row_scale ? 1 : 0)) {
      wt::unrolled<N>([&](auto i) WT_INLINE { x[i] *= args.row_scale[row[i] < args.m ? row[i] : 0]; });
    }
    wt::unrolled<N>([&](auto i) WT_INLINE { x[i] *= of.scale; });
    if (anew(args.beta) != 0.0f) {
      with_floats([&](auto *matrix) WT_INLINE {
        wt::unrolled<N>([&](auto i) WT_INLINE {
          if (row[i] >= args.m) return;
          const wt::f32x4 before = as_f32(four(matrix + place_of(row[i], of), of.count));
          x[i] = __builtin_elementwise_fma(wt::f32x4{} + args.beta, before, x[i]);
        });
      });
    }
    finish(of, x);
    with_floats([&](auto *matrix) WT_INLINE {
      using Out = __remove_pointer(decltype(matrix));
      wt::unrolled<N>([&](auto i) WT_INLINE {
        if (row[i] >= args.m) return;
        store_four(matrix + place_of(row[i], of), wt::narrowed<Out>(x[i], 1.0f), of.count);
      });
    });
  }

  // Integer sums are not converted to f32, and they wrap. The host has made sure that alpha and beta are
  // whole numbers.
  template <int N, class Sums>
  WT_DEVICE void put_integers(const gemm_columns &of, const Sums (&sums)[N], const int (&row)[N]) const {
    using four_of = wt::registers<wt::u32, 4>;
    wt::u32 *const matrix = reinterpret_cast<wt::u32 *>(c);
    const wt::u32 alpha = static_cast<wt::u32>(static_cast<int>(args.alpha));
    const wt::u32 beta = static_cast<wt::u32>(static_cast<int>(args.beta));
    wt::unrolled<N>([&](auto i) WT_INLINE {
      if (row[i] >= args.m) return;
      wt::u32 *const to = matrix + place_of(row[i], of);
      four_of x = alpha * __builtin_convertvector(sums[i], four_of);
      if (anew(beta) != 0) x += beta * four(to, of.count);
      store_four(to, x, of.count);
    });
  }
  WT_DEVICE long long place_of(int r, const gemm_columns &of) const { return r * args.c_row + of.first; }
};

// Names a quadrant of C in LDS, as sums of T: written by rt_ct fragments, read by rows.
template <class T, int Rows, int Columns>
using gemm_staged = wt::st<T, Rows, Columns, wt::xor_bits(__builtin_ctz(Columns * 4), 3, 4)>;

// Gives the order of the rows and columns of a frame's quadrants. A frame that has another than the natural
// one says so by kRowOrder.
template <class Frame>
constexpr wt::row_order gemm_row_order = wt::row_order::natural;
template <class Frame>
  requires requires { Frame::kRowOrder; }
constexpr wt::row_order gemm_row_order<Frame> = Frame::kRowOrder;

// Stores the wave's parts of the four quadrants, which are complete, from the registers.
template <class Out, class Frame>
WT_DEVICE void store_directly(const Frame &f, const gemm_output &out, const typename Frame::accumulators &c) {
  wt::unrolled<4>([&](auto quadrant) WT_INLINE {
    static constexpr int kI = quadrant / 2, kJ = quadrant % 2;
    const typename Frame::c_tile tile = wt::values_of(c[kI][kJ]);
    const wt::row_writer<Out, typename Frame::c_tile, gemm_row_order<Frame>> writer(out.part<Out>(f, kI, kJ));
    issue_all(writer.stores(tile, out.args.alpha));
  });
}

// Says which quadrants are in LDS at a time, two beside each other where there is memory for them, and how
// threads divide them: in fours of a row's columns. A thread has the same columns in all of its rows, which
// are kRowStep apart, and takes kAtOnce rows at once.
template <class Frame>
struct gemm_fours {
  static constexpr bool kHasBoth = 2 * sizeof(typename Frame::staged) <= sizeof(typename Frame::lds);
  static constexpr int kRows = Frame::kTileM / 2, kColumns = kHasBoth ? Frame::kTileN : Frame::kTileN / 2;
  static constexpr int kTogether = kHasBoth ? 2 : 1;
  using staged = gemm_staged<typename Frame::sum, kRows, kColumns>;
  static constexpr int kOfRow = kColumns / 4, kRowStep = Frame::kThreads / kOfRow;
  static constexpr int kOfThread = kRows / kRowStep;
  // Eight waves leave registers for two.
  static constexpr int kMost = Frame::kWaves > 4 ? 2 : 4;
  static constexpr int kAtOnce = kOfThread % kMost == 0 ? kMost : kOfThread % 2 == 0 ? 2 : 1;
  static_assert(Frame::kThreads % kOfRow == 0 && kRows % kRowStep == 0,
                "threads must have as many rows of the same columns: choose a larger tile or fewer waves");
  using sums = wt::registers<typename Frame::sum, 4>;
  sums of[kAtOnce];

  // Returns the LDS tile, whose memory has `quadrant` first.
  WT_DEVICE static staged &tile(typename Frame::staged &quadrant) {
    return reinterpret_cast<staged &>(quadrant);
  }
  // Returns the thread, from the wave's number: main loops have no register to keep it in.
  WT_DEVICE static int thread() { return wt::wave_id() * wt::target::kWaveLanes + wt::lane_id(); }
  // Return the thread's first row and column.
  WT_DEVICE static int row() { return thread() / kOfRow; }
  WT_DEVICE static int column() { return thread() % kOfRow * 4; }
  // Reads the thread's rows from number `first` on.
  WT_DEVICE gemm_fours(staged &from, int first) {
    wt::unrolled<kAtOnce>([&](auto n) WT_INLINE {
      const int i = thread() + (first + n) * Frame::kThreads;
      of[n] = from.template at<sums>(wt::swizzled<staged::kSwizzle>(i * 16));
    });
  }
};

// Brings quadrants, which are complete, to LDS, and calls store(i, j) for each time, which takes them from
// there; (i, j) is the first of them. It is a loop, so that there is one copy of what stores them.
template <class Frame, class Store>
WT_DEVICE void stage_quadrants(const Frame &f, const typename Frame::accumulators &c,
                               typename gemm_fours<Frame>::staged &staged, const Store &store) {
  static constexpr int kTogether = gemm_fours<Frame>::kTogether, kTimes = 4 / kTogether;
#pragma unroll 1
  for (int time = 0; time < kTimes; ++time) {
    wt::barrier();  // before what was read there is overwritten
    wt::unrolled<kTimes>([&](auto now) WT_INLINE {
      if (time != now) return;
      wt::unrolled<kTogether>([&](auto n) WT_INLINE {
        static constexpr int kQuadrant = now * kTogether + n;
        wt::store(staged, wt::in_place(c[kQuadrant / 2][kQuadrant % 2]), f.wave_m,
                  f.wave_n + n * (Frame::kTileN / 2));
      });
    });
    wt::barrier();
    store(time * kTogether / 2, time * kTogether % 2);
  }
}

// Holds the four columns that a thread has of the left quadrants, and those of the right ones where they are
// in LDS at another time.
template <class Frame>
struct gemm_thread_columns {
  static constexpr bool kAreTwo = !gemm_fours<Frame>::kHasBoth;
  gemm_columns left, right;

  // The stores shall not wait for them: they would wait for earlier stores, too.
  WT_DEVICE gemm_thread_columns(const Frame &f, const gemm_output &out) {
    const int column = f.column + wt::ordered_row<gemm_row_order<Frame>>(gemm_fours<Frame>::column());
    left = out.columns_from(column);
    if constexpr (kAreTwo) right = out.columns_from(column + gemm_fours<Frame>::kColumns);
    wt::forget(left.scale), wt::forget(left.bias);
    if constexpr (kAreTwo) wt::forget(right.scale), wt::forget(right.bias);
  }
  WT_DEVICE gemm_columns of(int j) const {
    if constexpr (!kAreTwo) return left;
    const bool is_left = j == 0;
    return {is_left ? left.first : right.first, is_left ? left.count : right.count,
            is_left ? left.scale : right.scale, is_left ? left.bias : right.bias};
  }
};

// Calls each(columns, sums, rows) for some rows at a time of the quadrants in LDS, which begin with row i of
// the four: for the columns that a thread has. Rows are those of the product.
template <class Frame, class Each>
WT_DEVICE void each_four(const Frame &f, const gemm_columns &columns, int i,
                         typename gemm_fours<Frame>::staged &staged, const Each &each) {
  using fours = gemm_fours<Frame>;
#pragma unroll 1
  for (int first = 0; first < fours::kOfThread; first += fours::kAtOnce) {
    const fours sums(staged, first);
    int row[fours::kAtOnce];
    wt::unrolled<fours::kAtOnce>([&](auto n) WT_INLINE {
      const int r = fours::row() + (first + n) * fours::kRowStep;
      row[n] = f.row + i * fours::kRows + wt::ordered_row<gemm_row_order<Frame>>(r);
    });
    each(columns, sums.of, row);
  }
}
// Brings the tile, which is complete, to LDS and does that for all of it.
template <class Frame, class Each>
WT_DEVICE void each_four(const Frame &f, const gemm_output &out, const typename Frame::accumulators &c,
                         typename Frame::staged &quadrant, const Each &each) {
  const gemm_thread_columns<Frame> columns(f, out);
  auto &staged = gemm_fours<Frame>::tile(quadrant);
  stage_quadrants(f, c, staged,
                  [&](int i, int j) WT_INLINE { each_four(f, columns.of(j), i, staged, each); });
}

// Stores the tile, which is complete, by way of LDS. row_of(row) is the row of C that a row of the product
// has: one that C does not have is left out.
template <class Frame, class RowOf>
WT_DEVICE void store_through_lds(const Frame &f, const gemm_output &out,
                                 const typename Frame::accumulators &c, typename Frame::staged &quadrant,
                                 const RowOf &row_of) {
  each_four(f, out, c, quadrant, [&](const gemm_columns &of, const auto &sums, auto &row) WT_INLINE {
    wt::unrolled<gemm_fours<Frame>::kAtOnce>([&](auto n) WT_INLINE { row[n] = row_of(row[n]); });
    out.put(of, sums, row);
  });
}

// Stores the quadrants in LDS, from number (i, j) on, to a plain C.
template <class Out, class Frame>
WT_DEVICE void store_rows(const Frame &f, const gemm_output &out, int i, int j,
                          typename gemm_fours<Frame>::staged &staged) {
  using fours = gemm_fours<Frame>;
  static constexpr int kRowStep = fours::kRowStep;
  const wt::gl<Out> to = out.matrix<Out>().from(f.row + fours::row() + i * fours::kRows,
                                                f.column + fours::column() + j * fours::kColumns);
  Out *row = to.data;
#pragma unroll 1
  for (int first = 0; first < fours::kOfThread; first += fours::kAtOnce) {
    const fours sums(staged, first);
    const bool are_all = to.columns >= 4 && (first + fours::kAtOnce - 1) * kRowStep < to.rows;
    wt::unrolled<fours::kAtOnce>([&](auto n) WT_INLINE {
      const auto values = wt::narrowed<Out>(sums.of[n], out.args.alpha);
      if (are_all) {
        wt::global_store(row, values);
      } else if ((first + n) * kRowStep < to.rows) {
        gemm_output::store_four(row, values, to.columns);
      }
      row += kRowStep * to.row_stride;
    });
  }
}

// Says whether rows of a plain C that are not aligned have stores of their own, without all that could be
// applied, or the stores of others, which take 1.5 to 2.7% longer (predicted for 4096^3) and no scalar
// registers more.
enum class gemm_plain_rows { have_stores, share_stores };

// Stores the tile of C, which is complete.
template <gemm_plain_rows Plain = gemm_plain_rows::have_stores, class Frame>
WT_DEVICE void store_complete(const Frame &f, const wt_gemm_args &args, const typename Frame::accumulators &c,
                              typename Frame::staged &quadrant) {
  using sum = typename Frame::sum;
  static constexpr bool kHasStores =
      Plain == gemm_plain_rows::have_stores && gemm_row_order<Frame> == wt::row_order::natural;
  const gemm_output out(args);
  if (out.is_direct(Frame::kTileM)) {
    return out.with_c<sum>([&](auto *matrix)
                               WT_INLINE { store_directly<__remove_pointer(decltype(matrix))>(f, out, c); });
  }
  const bool is_plain = out.is_plain();
  const gemm_thread_columns<Frame> columns(f, out);
  auto &staged = gemm_fours<Frame>::tile(quadrant);
  stage_quadrants(f, c, staged, [&](int i, int j) WT_INLINE {
    if (kHasStores && is_plain) {
      out.with_c<sum>([&](auto *matrix) WT_INLINE {
        store_rows<__remove_pointer(decltype(matrix))>(f, out, i, j, staged);
      });
    } else {
      each_four(f, columns.of(j), i, staged,
                [&](const gemm_columns &of, const auto &sums, const auto &row)
                    WT_INLINE { out.put(of, sums, row); });
    }
  });
}
// Does that for a tile that its MFMAs need not have completed yet.
template <gemm_plain_rows Plain = gemm_plain_rows::have_stores, class Frame>
WT_DEVICE void store_result(const Frame &f, const wt_gemm_args &args, typename Frame::accumulators &c,
                            typename Frame::staged &quadrant) {
  wt::complete(c);
  store_complete<Plain>(f, args, c, quadrant);
}

#endif
