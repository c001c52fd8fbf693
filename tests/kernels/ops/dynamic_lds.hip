// SPDX-License-Identifier: MIT
// Keeps tiles and vectors in LDS that the launch sizes.
#include "device.h"
#include "dynamic_lds.h"

using wt::f32;

using tile = wt::rt_ct<f32, 16, 16>;
using lds_tile = wt::st<f32, 16, 16, wt::swizzle_for_row<64>>;
using tiles = wt::dynamic_tiles<lds_tile, wt::sv<f32, 20>, lds_tile, wt::sv<f32, 16>>;
static_assert(tiles::offset(2) == 1024 + 80 && tiles::kBytes == OPS_DYNAMIC_BYTES);

// Wave 0 puts a tile and its row sums there, wave 1 twice the tile; each then reads what the other has put.
template <class First, class Second, class Sums>
WT_DEVICE void exchange(First &first, Second &second, Sums &sums, const f32 *in, f32 *out) {
  tile mine, theirs;
  wt::col_vec<f32, tile> rows;
  const int wave = wt::wave_id();
  wt::load(mine, wt::row_major(in, 16, 16), 0, 0);
  if (wave == 0) {
    wt::row_sum(rows, mine);
    wt::store<wt::bank_conflicts::allowed>(first, mine, 0, 0);
    wt::store(sums, rows);
  } else {
    wt::add(mine, mine, mine);
    wt::store<wt::bank_conflicts::allowed>(second, mine, 0, 0);
  }
  wt::barrier();
  if (wave == 0) {
    wt::load(theirs, second);
  } else {
    wt::load(theirs, first);
    wt::load(rows, sums);
    wt::add_row(theirs, theirs, rows);
  }
  wt::store(wt::row_major(out + wave * 256, 16, 16), theirs, 0, 0);
}

WT_KERNEL(128) in_order(const f32 *in, f32 *out) {
  tiles::require();
  exchange(tiles::get<0>(), tiles::get<2>(), tiles::get<3>(), in, out);
}

// These lie behind what the kernel declares itself, from back to front, at offsets that are known when it
// runs.
WT_KERNEL(128) by_offset(const f32 *in, f32 *out, int first, int second, int sums) {
  WT_SHARED static int mark[3];
  if (wt::thread_id() < 3) mark[wt::thread_id()] = wt::thread_id() + 1;
  wt::barrier();
  exchange(wt::dynamic_tile<lds_tile>(first), wt::dynamic_tile<lds_tile>(second),
           wt::dynamic_tile<wt::sv<f32, 16>>(sums), in, out);
  wt::barrier();
  if (wt::thread_id() < 3) out[512 + wt::thread_id()] = static_cast<f32>(mark[wt::thread_id()]);
  if (wt::thread_id() == 3) out[515] = static_cast<f32>(wt::dynamic_lds_bytes());
}
