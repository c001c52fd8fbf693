// SPDX-License-Identifier: MIT
// Tests the grid order on the host: bijections for every size, what each step promises, 32-bit limits, and
// that the published remap without its limit is no bijection.
#include "sched/grid.h"

#include <limits.h>

#include "check.h"

enum { COUNT_MAX = 2200, SIDE_MAX = 40, RANDOM_MAX = 1 << 20 };

static int seen[RANDOM_MAX], stamp;  // seen[i] == stamp: i was met since the last forget()

static void forget(void) { ++stamp; }

// Whether `value` lies in 0 .. count - 1 and is new.
static int is_new(long long value, long long count) {
  if (value < 0 || value >= count || seen[value] == stamp) return 0;
  seen[value] = stamp;
  return 1;
}

// Computes the remap as it was published: without the limit.
static long long published(long long id, long long xcds, long long chunk) {
  const long long xcd = id % xcds, local = id / xcds;
  return local / chunk * xcds * chunk + xcd * chunk + local % chunk;
}

static void check_remap(int count, int xcds, int chunk) {
  const long long block = (long long)xcds * chunk, limit = count / block * block;
  int bijective = 1, as_published = 1, kept = 1, in_runs = 1;
  forget();
  for (int id = 0; id < count; ++id) {
    const int position = wt_grid_remap(id, count, xcds, chunk);
    bijective &= is_new(position, count);
    if (id >= limit) {
      kept &= position == id;
      continue;
    }
    as_published &= position == published(id, xcds, chunk);
    // The next work-group of this die stands beside this one, unless this one ends the run.
    if (position % chunk != chunk - 1)
      in_runs &= wt_grid_remap(id + xcds, count, xcds, chunk) == position + 1;
  }
  CHECK(bijective, "remap of %d for %d XCDs in runs of %d is no bijection", count, xcds, chunk);
  CHECK(kept, "remap of %d for %d XCDs in runs of %d moves ids from %lld on", count, xcds, chunk, limit);
  CHECK(as_published, "remap of %d for %d XCDs in runs of %d differs from the formula", count, xcds, chunk);
  CHECK(in_runs, "remap of %d for %d XCDs breaks runs of %d", count, xcds, chunk);
}

static void remaps_are_bijections(void) {
  static const int xcds[] = {1, 2, 3, 4, 7, 8}, chunks[] = {1, 2, 3, 5, 8, 16, 32, 38, 300, INT_MAX};
  for (int count = 1; count <= COUNT_MAX; ++count)
    for (size_t x = 0; x < sizeof xcds / sizeof *xcds; ++x)
      for (size_t c = 0; c < sizeof chunks / sizeof *chunks; ++c) check_remap(count, xcds[x], chunks[c]);
  check_remap(COUNT_MAX, INT_MAX, INT_MAX);
}

// A window's tiles change places within their rows, and the windows of an order begin at columns that are
// evenly spread.
static void turns_are_bijections_of_windows(void) {
  for (int tiles_m = 1; tiles_m <= SIDE_MAX; ++tiles_m)
    for (int tiles_n = 1; tiles_n <= SIDE_MAX; ++tiles_n)
      for (int window = 1; window <= tiles_m; window += 3) {
        const wt_grid_order order = {tiles_m, tiles_n, 8, 1, window, 0};
        const wt_grid_map map = wt_grid_map_of(order);
        const wt_grid_rotation rotation = wt_grid_rotation_of(order);
        const int windows = (tiles_m + window - 1) / window;
        int bijective = 1, spread = 1;
        forget();
        for (int m = 0; m < tiles_m; ++m)
          for (int n = 0; n < tiles_n; ++n) {
            const wt_grid_tile to = wt_grid_rotated(rotation, map, (wt_grid_tile){m, n});
            bijective &= to.m == m && to.n >= 0 && to.n < tiles_n && is_new(m * tiles_n + to.n, COUNT_MAX);
            spread &= to.n == (n + m / window * tiles_n / windows) % tiles_n;
          }
        CHECK(bijective, "turns of %d x %d tiles in windows of %d are no bijection", tiles_m, tiles_n,
              window);
        CHECK(spread, "turns of %d x %d tiles in windows of %d are not even", tiles_m, tiles_n, window);
      }
}

static void identities_change_nothing(void) {
  for (int id = 0; id < 1000; ++id) {
    CHECK(wt_grid_remap(id, 1000, 1, 8) == id, "one XCD moves %d", id);
    CHECK(wt_grid_remap(id, 1000, 8, 1) == id, "runs of 1 move %d", id);
    const wt_grid_order rows = {.tiles_m = 25, .tiles_n = 40, .xcds = 1, .chunk = 1, .window = 1};
    const wt_grid_tile tile = wt_grid_tile_of(wt_grid_map_of(rows), id);
    CHECK(tile.m == id / 40 && tile.n == id % 40, "row by row, %d is (%d, %d)", id, tile.m, tile.n);
    wt_grid_order columns = rows;
    columns.window = 25;
    const wt_grid_tile down = wt_grid_tile_of(wt_grid_map_of(columns), id);
    CHECK(down.m == id % 25 && down.n == id / 25, "column by column, %d is (%d, %d)", id, down.m, down.n);
  }
}

// Without the limit the formula leaves 0 .. count - 1 for nearly every count that is no multiple of the
// block.
static void the_limit_is_needed(void) {
  static const struct {
    int xcds, chunk;
  } cases[] = {{2, 3}, {4, 4}, {8, 2}, {8, 8}, {8, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int block = cases[i].xcds * cases[i].chunk;
    for (int count = 1; count <= 4 * block; ++count) {
      int bijective = 1;
      forget();
      for (int id = 0; id < count; ++id)
        bijective &= is_new(published(id, cases[i].xcds, cases[i].chunk), count);
      const int rest = count % block, harmless = rest <= 1 || rest == block - 1;
      CHECK(bijective == harmless, "%d ids, %d XCDs, runs of %d: the formula alone is %s bijection", count,
            cases[i].xcds, cases[i].chunk, bijective ? "a" : "no");
    }
  }
}

// Walks the same by loops.
static void check_walk(wt_grid_order order) {
  const int across = order.by_columns ? order.tiles_n : order.tiles_m;
  const int along = order.by_columns ? order.tiles_m : order.tiles_n;
  const wt_grid_map map = wt_grid_map_of(order);
  int position = 0, same = 1;
  for (long long first = 0; first < across; first += order.window)
    for (int b = 0; b < along; ++b)
      for (long long a = first; a < across && a < first + order.window; ++a) {
        const wt_grid_tile tile = wt_grid_walk(map, position++);
        same &= order.by_columns ? tile.n == a && tile.m == b : tile.m == a && tile.n == b;
      }
  CHECK(same && position == wt_grid_count(order), "%d x %d tiles, windows of %d, by columns %d",
        order.tiles_m, order.tiles_n, order.window, order.by_columns);
}

static void windows_are_walked_column_by_column(void) {
  static const int windows[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 39, 40, 41, INT_MAX};
  for (int m = 1; m <= SIDE_MAX; ++m)
    for (int n = 1; n <= SIDE_MAX; ++n)
      for (size_t w = 0; w < sizeof windows / sizeof *windows; ++w)
        for (int by_columns = 0; by_columns < 2; ++by_columns)
          check_walk((wt_grid_order){m, n, 1, 1, windows[w], by_columns});
}

static int random_to(test_rng *rng, int most) { return 1 + (int)(test_random(rng) % (uint64_t)most); }

// Returns a random size of any magnitude: small numbers are as likely as large ones.
static int random_size(test_rng *rng, int most) {
  const int shift = (int)(test_random(rng) % 31);
  return random_to(rng, most >> shift ? most >> shift : 1);
}

static void large_grids_are_bijections(test_rng *rng) {
  for (int i = 0; i < 40; ++i) {
    wt_grid_order order = {.tiles_m = random_size(rng, RANDOM_MAX),
                           .xcds = random_to(rng, 16),
                           .chunk = random_size(rng, RANDOM_MAX),
                           .window = random_size(rng, RANDOM_MAX),
                           .by_columns = i % 2};
    order.tiles_n = random_to(rng, RANDOM_MAX / order.tiles_m);
    const wt_grid_map map = wt_grid_map_of(order);
    int bijective = 1;
    forget();
    for (int id = 0; id < wt_grid_count(order); ++id) {
      const wt_grid_tile tile = wt_grid_tile_of(map, id);
      bijective &= tile.m >= 0 && tile.m < order.tiles_m && tile.n >= 0 && tile.n < order.tiles_n &&
                   is_new((long long)tile.m * order.tiles_n + tile.n, wt_grid_count(order));
    }
    CHECK(bijective, "%d x %d tiles, %d XCDs, runs of %d, windows of %d, by columns %d", order.tiles_m,
          order.tiles_n, order.xcds, order.chunk, order.window, order.by_columns);
  }
}

// Returns the id of the tile, in 64 bits.
static long long id_of(wt_grid_order order, wt_grid_tile tile) {
  const long long across = order.by_columns ? order.tiles_n : order.tiles_m;
  const long long along = order.by_columns ? order.tiles_m : order.tiles_n;
  const long long a = order.by_columns ? tile.n : tile.m, b = order.by_columns ? tile.m : tile.n;
  const long long first = a / order.window * order.window;
  const long long height = across - first < order.window ? across - first : order.window;
  const long long position = first * along + b * height + (a - first);
  const long long block = (long long)order.xcds * order.chunk;
  if (position >= across * along / block * block) return position;
  const long long inside = position % block, xcd = inside / order.chunk;
  return (position / block * order.chunk + inside % order.chunk) * order.xcds + xcd;
}

static void ids_may_have_31_bits(test_rng *rng) {
  for (int i = 0; i < 4000; ++i) {
    wt_grid_order order = {.tiles_m = random_size(rng, INT_MAX),
                           .xcds = i % 5 ? 8 : random_size(rng, INT_MAX),
                           .chunk = random_size(rng, INT_MAX),
                           .window = random_size(rng, INT_MAX),
                           .by_columns = i % 2};
    order.tiles_n = i % 3 ? INT_MAX / order.tiles_m : random_to(rng, INT_MAX / order.tiles_m);
    const int count = wt_grid_count(order);
    const wt_grid_map map = wt_grid_map_of(order);
    for (int k = 0; k < 64; ++k) {
      const int id = k == 0 ? 0 : k == 1 ? count - 1 : random_to(rng, count) - 1;
      const wt_grid_tile tile = wt_grid_tile_of(map, id);
      CHECK(tile.m >= 0 && tile.m < order.tiles_m && tile.n >= 0 && tile.n < order.tiles_n &&
                id_of(order, tile) == id,
            "id %d of %d x %d tiles, %d XCDs, runs of %d, windows of %d, by columns %d gives (%d, %d)", id,
            order.tiles_m, order.tiles_n, order.xcds, order.chunk, order.window, order.by_columns, tile.m,
            tile.n);
    }
  }
}

// On 256 resident work-groups, runs of 32 and windows of 4 give each die a block of 4 x 8 tiles.
static void dies_get_blocks(void) {
  const wt_grid_order order = {.tiles_m = 16, .tiles_n = 16, .xcds = 8, .chunk = 32, .window = 4};
  const wt_grid_map map = wt_grid_map_of(order);
  for (int id = 0; id < 256; ++id) {
    const wt_grid_tile tile = wt_grid_tile_of(map, id);
    const int xcd = id % 8;
    CHECK(tile.m / 4 == xcd / 2 && tile.n / 8 == xcd % 2, "%d on die %d is (%d, %d)", id, xcd, tile.m,
          tile.n);
  }
}

static void parts_follow_each_other(void) {
  const wt_grid_order order = {.tiles_m = 3, .tiles_n = 5, .xcds = 8, .chunk = 4, .window = 2};
  int id = 0;
  for (int part = 0; part < 4; ++part)
    for (int inside = 0; inside < 15; ++inside, ++id) {
      const wt_grid_part got = wt_grid_part_of(wt_grid_map_of(order), id);
      CHECK(got.part == part && got.id == inside, "%d is %d of part %d", id, got.id, got.part);
    }
}

// Each die's work-groups of the first round are one run.
static void fitted_chunks_fill_a_round(void) {
  for (int count = 1; count <= COUNT_MAX; ++count) {
    const int chunk = wt_grid_chunk(count, 8, 38);
    CHECK(chunk >= 1 && chunk <= 38, "%d work-groups: runs of %d", count, chunk);
    CHECK(chunk == 38 || (chunk + 1) * 8 > count, "%d work-groups: runs of %d leave out many", count, chunk);
    for (int xcd = 0; xcd < 8 && count >= 8; ++xcd)
      for (int i = 0; i < chunk; ++i) {
        const int position = wt_grid_remap(8 * i + xcd, count, 8, chunk);
        CHECK(position == xcd * chunk + i, "%d work-groups: the run of die %d has %d", count, xcd, position);
      }
  }
}

static void tiles_cover(void) {
  for (int size = 1; size <= 600; ++size) {
    const int tiles = wt_grid_tiles(size, 128);
    CHECK(tiles * 128 >= size && (tiles - 1) * 128 < size, "%d tiles of 128 for %d", tiles, size);
  }
  CHECK(wt_grid_tiles(INT_MAX, 256) == 1 << 23, "%d tiles of 256", wt_grid_tiles(INT_MAX, 256));
}

int main(void) {
  test_rng rng = test_seed(2026);
  remaps_are_bijections();
  turns_are_bijections_of_windows();
  identities_change_nothing();
  the_limit_is_needed();
  windows_are_walked_column_by_column();
  large_grids_are_bijections(&rng);
  ids_may_have_31_bits(&rng);
  dies_get_blocks();
  parts_follow_each_other();
  fitted_chunks_fill_a_round();
  tiles_cover();
  return test_result();
}
