// SPDX-License-Identifier: MIT
// Finds the tiles of work-groups. Only the device knows how many rows a group has, and so how many tiles.
// Each wave sums up the tiles of all groups when it needs a tile: a lane adds up those of a few groups, the
// lanes add up their sums, and the lane whose groups reach past the tile's number has it. That takes one
// latency of memory and some hundred instructions, and neither LDS nor memory for a table.
#ifndef WT_KERNELS_GROUPED_SEARCH_H
#define WT_KERNELS_GROUPED_SEARCH_H

#include "grouped_args.h"
#include "kernels/lane_sum.h"
#include "wavetile_device.h"

// Describes the rows of a group: where they begin among those of all groups, and how many there are.
struct grouped_rows {
  int first, count;
};

// Whatever memory holds, rows are among those that the operands have. Both numbers are loaded in any case: if
// the first depended on the contract, the loads of several groups would wait for each other.
WT_DEVICE grouped_rows grouped_rows_of(const wt_grouped_args &args, int group) {
  const bool counts = args.contract == WT_GROUPED_COUNTS;
  const auto at = wt::unchanged(args.places) + (args.contract == WT_GROUPED_RANGES ? 2 * group : group);
  const int here = at[0], end = at[counts ? 0 : 1], begin = counts ? 0 : here;
  const int first = begin < 0 ? 0 : begin, last = end < args.rows ? end : args.rows;
  return {(counts ? group * args.rows : 0) + first, last > first ? last - first : 0};
}

// Describes a tile of a group's result, and the group; a negative one says that no tiles are left. `tiles` is
// the number of tiles of all groups. `rows` are the group's where the search has found them on its way.
struct grouped_place {
  int group;
  wt_grid_tile tile;
  int tiles;
  grouped_rows rows;

  WT_DEVICE bool exists() const { return group >= 0; }
};
WT_DEVICE grouped_place grouped_no_place(int tiles) { return {-1, {0, 0}, tiles, {0, 0}}; }

// Returns the place of an operand that is so many tokens and groups further on. Neither is negative, and
// unsigned numbers take fewer instructions.
template <class T>
WT_DEVICE T *grouped_moved(T *from, const wt_grouped_step &by, int tokens, int group) {
  return from + static_cast<wt::u32>(tokens) * by.token + static_cast<wt::u32>(group) * by.group;
}

// Returns the product of a group, as a kernel of one product has it, but for the size of the tokens' axis.
WT_DEVICE wt_gemm_args grouped_operands(const wt_grouped_args &args, int group, int tokens) {
  const auto moved = [&](const void *from, const wt_grouped_step &by) WT_INLINE {
    return grouped_moved(static_cast<const char *>(from), by, tokens, group);
  };
  wt_gemm_args product = args.product;
  product.a = moved(product.a, args.a);
  product.b = moved(product.b, args.b);
  product.c = const_cast<char *>(moved(product.c, args.c));
  if (args.group_scale) product.alpha *= args.group_scale[group];
  // The grid is a line: distances between matrices of a batch and parts of K would take scalar registers.
  product.a_batch = product.b_batch = product.c_batch = product.c_part = 0;
  return product;
}

// Moves the factors and summands of columns on to those of a group.
WT_DEVICE void grouped_move_columns(wt_gemm_args &product, int group) {
  const long long columns = static_cast<long long>(group) * product.n;
  if (product.column_scale) product.column_scale += columns;
  if (product.bias) product.bias += columns;
}

// Returns the tile at a position of a group's result with so many tile rows: windows of tile rows, each
// column by column (sched/grid.h). How high the last window is only the device knows.
WT_DEVICE wt_grid_tile grouped_walk(const wt_grouped_args &args, unsigned position, unsigned tiles_m) {
  const unsigned window = static_cast<unsigned>(args.window);
  const unsigned of_window = window * static_cast<unsigned>(args.tiles_n), index = position / of_window;
  const unsigned rest = position - index * of_window, above = index * window;
  const unsigned height = tiles_m - above < window ? tiles_m - above : window, column = rest / height;
  return {static_cast<int>(above + (rest - column * height)), static_cast<int>(column)};
}

// Says for what the search has paths of its own: for few groups, or also for the 257 of a layer with 256
// experts and a shared one, and for offsets, of which a lane then loads one for each group and not two.
// Kernels for few rows spend a good part of their time in it.
enum class grouped_search_paths { few_groups, offsets };

// Describes the tiles of products whose rows are the tokens. BM is the rows of a tile.
template <int BM, grouped_search_paths Paths = grouped_search_paths::few_groups>
struct grouped_by_rows {
  // A lane has one group where there are no more than lanes, which is found in half of the time.
  WT_DEVICE static grouped_place at(const wt_grouped_args &args, int id) {
    static_assert(WT_GROUPED_PER_LANE * WT_GROUPED_LANES == WT_GROUPED_MOST,
                  "a wave must know all groups: give each lane its share of WT_GROUPED_MOST");
    if constexpr (Paths == grouped_search_paths::offsets) {
      static constexpr int kEach = 5;  // the least with which lanes have 257 groups
      if (args.groups > WT_GROUPED_LANES && args.groups <= kEach * WT_GROUPED_LANES)
        return find<kEach>(args, id);
    }
    return args.groups <= WT_GROUPED_LANES ? find<1>(args, id) : find<WT_GROUPED_PER_LANE>(args, id);
  }

  // Returns the rows of a tile's group, soon after at().
  WT_DEVICE static grouped_rows rows_of(const wt_grouped_args &, const grouped_place &place) {
    return place.rows;
  }
  WT_DEVICE static wt_gemm_args product(const wt_grouped_args &args, int group, const grouped_rows &rows) {
    wt_gemm_args product = grouped_operands(args, group, rows.first);
    product.m = rows.count;
    if (product.row_scale) product.row_scale += rows.first;
    grouped_move_columns(product, group);
    return product;
  }

 private:
  // Finds a tile by lanes that have Each groups.
  template <int Each>
  WT_DEVICE static grouped_place find(const wt_grouped_args &args, int id) {
    static_assert(WT_GROUPED_LANES == wt::target::kWaveLanes);
    const int first = wt::lane_id() * Each, last = args.groups - 1;
    int rows_of[Each], tiles[Each], sum = 0;
    if (Paths == grouped_search_paths::offsets && args.contract == WT_GROUPED_OFFSETS) {
      count_between_offsets(args, first, rows_of);
    } else {
      wt::unrolled<Each>([&](auto i) WT_INLINE {
        const int group = first + i;
        rows_of[i] = grouped_rows_of(args, group < last ? group : last).count;
      });
    }
    // All groups are loaded before the first is used.
    wt::unrolled<Each>([&](auto i) WT_INLINE { wt::forget(rows_of[i]); });
    wt::unrolled<Each>([&](auto i) WT_INLINE {
      tiles[i] = first + i <= last ? (rows_of[i] + BM - 1) / BM * args.tiles_n : 0;
      sum += tiles[i];
    });
    const int end = lanes::sum_up_to(sum), total = wt::readlane(end, WT_GROUPED_LANES - 1);
    if (id >= total) return grouped_no_place(total);
    const int position = position_of(args, id, total);

    // This is the lane's group that has the position, if it is one of them.
    int group = first, begin = end - sum, next = begin;
    wt::unrolled<Each - 1>([&](auto i) WT_INLINE {
      next += tiles[i];
      const bool later = position >= next;
      group = later ? first + i + 1 : group, begin = later ? next : begin;
    });
    const int lane = __builtin_popcountl(wt::ballot(end <= position));
    group = wt::readlane(group, lane);
    const grouped_rows rows = grouped_rows_of(args, group);
    return {group,
            grouped_walk(args, static_cast<unsigned>(position - wt::readlane(begin, lane)),
                         static_cast<unsigned>((rows.count + BM - 1) / BM)),
            total, rows};
  }

  // Sets the rows of groups from `first` on as grouped_rows_of does. Groups past the last one have none.
  template <int Each>
  WT_DEVICE static void count_between_offsets(const wt_grouped_args &args, int first, int (&rows_of)[Each]) {
    const auto places = wt::unchanged(args.places);
    int offset[Each + 1];
    wt::unrolled<Each + 1>([&](auto i) WT_INLINE {
      const int group = first + i;
      offset[i] = places[group < args.groups ? group : args.groups];
    });
    wt::unrolled<Each>([&](auto i) WT_INLINE {
      const int begin = offset[i] < 0 ? 0 : offset[i];
      const int end = offset[i + 1] < args.rows ? offset[i + 1] : args.rows;
      rows_of[i] = end > begin ? end - begin : 0;
    });
  }

  // This is the remap of sched/grid.h, for a number of tiles that the host does not know.
  WT_DEVICE static int position_of(const wt_grouped_args &args, int id, int total) {
    const wt_divisor dies = args.product.grid.dies;
    const int share = static_cast<int>(wt_divide(static_cast<unsigned>(total), dies));
    const unsigned run = static_cast<unsigned>(share < 1 ? 1 : share < args.run ? share : args.run);
    const unsigned local = wt_divide(static_cast<unsigned>(id), dies);
    return wt_grid_remapped(id, total, dies.divisor, run, local, local / run);
  }
};

// Describes the tiles of products that sum over the tokens: all groups have as many, and those without rows
// are zero. Block tokens share a scale. With scales, a group begins at a multiple of Block and has all of its
// last block; the result of one that begins elsewhere is NaN.
template <int Block = 1>
struct grouped_by_depth {
  WT_DEVICE static grouped_place at(const wt_grouped_args &args, int id) {
    const wt_grid_map &grid = args.product.grid;
    const int total = args.groups * static_cast<int>(grid.tiles.divisor);
    if (id >= total) return grouped_no_place(total);
    const wt_grid_part part = wt_grid_part_of(grid, id);
    return {part.part, wt_grid_tile_of(grid, part.id), total, {0, 0}};
  }

  WT_DEVICE static grouped_rows rows_of(const wt_grouped_args &args, const grouped_place &place) {
    return grouped_rows_of(args, place.group);
  }
  WT_DEVICE static wt_gemm_args product(const wt_grouped_args &args, int group, const grouped_rows &rows) {
    wt_gemm_args product = grouped_operands(args, group, rows.first / Block);
    product.k = product.k_part = whole_blocks(args, rows);
    if (product.row_scale) product.row_scale += static_cast<long long>(group) * product.m;
    grouped_move_columns(product, group);
    if (Block > 1 && rows.count > 0 && rows.first % Block != 0) product.alpha = __builtin_nanf("");
    return product;
  }

 private:
  // Returns the tokens of a group, up to the end of its last block or of the operands.
  WT_DEVICE static int whole_blocks(const wt_grouped_args &args, const grouped_rows &rows) {
    if constexpr (Block == 1) return rows.count;
    const int left = args.rows - (args.contract == WT_GROUPED_COUNTS ? 0 : rows.first);
    const int whole = (rows.count + Block - 1) / Block * Block;
    return whole < left ? whole : left;
  }
};

// Describes the tiles of products with scales, whose tokens are either rows or K, as the arguments say.
template <int BM, int Block>
struct grouped_by_either {
  using tall = grouped_by_rows<BM>;
  using depth = grouped_by_depth<Block>;

  WT_DEVICE static grouped_place at(const wt_grouped_args &args, int id) {
    return is_depth(args) ? depth::at(args, id) : tall::at(args, id);
  }
  WT_DEVICE static grouped_rows rows_of(const wt_grouped_args &args, const grouped_place &place) {
    return is_depth(args) ? depth::rows_of(args, place) : tall::rows_of(args, place);
  }
  WT_DEVICE static wt_gemm_args product(const wt_grouped_args &args, int group, const grouped_rows &rows) {
    return is_depth(args) ? depth::product(args, group, rows) : tall::product(args, group, rows);
  }

  // Returns the tokens before those of a group, as operands count them.
  WT_DEVICE static int tokens_before(const wt_grouped_args &args, const grouped_rows &rows) {
    return is_depth(args) ? rows.first / Block : rows.first;
  }

 private:
  WT_DEVICE static bool is_depth(const wt_grouped_args &args) { return args.tokens == WT_GROUPED_DEPTH; }
};

#endif
