// SPDX-License-Identifier: MIT
// The order in which the work-groups of an attention launch take tiles, shared by host (C) and device (HIP
// C++).
#ifndef WT_KERNELS_ATTENTION_ORDER_H
#define WT_KERNELS_ATTENTION_ORDER_H

#include "sched/grid.h"

// An order made ready for kernels, as part of their arguments: everything that a position is divided by.
//
// A die (XCD) is handed runs of positions (wt_grid_remap), and takes as many heads together as fill a run:
// the last tiles of all these heads first, which under a causal mask have the most keys, then those before.
// So the heads of one key head find K and V in the die's L2, and whichever compute unit is done with a small
// tile first takes a large one next. In the order of heads, a die's shader engines, which are handed
// work-groups in turn, would each have tiles of one size only.
typedef struct wt_attention_order {
  wt_divisor dies, run;      // for the remap
  wt_divisor whole;          // the tiles of all heads that are taken together
  wt_divisor together;       // these heads
  wt_divisor last_together;  // the heads that are left at the end
  wt_divisor heads;          // of a member of the batch
  unsigned whole_count;      // how often as many heads as `together` are taken
  int tiles;                 // of a head
  int count;                 // work-groups
} wt_attention_order;

// Describes the tile of a work-group.
typedef struct wt_attention_place {
  int batch, head, tile;
} wt_attention_place;

// Returns the order of `batch` times `heads` heads of `tiles` tiles each, on `dies` dies that each hold
// `resident` work-groups at once. All are at least 1, and there are at most 2^31 - 1 work-groups.
WT_ANYWHERE wt_attention_order wt_attention_order_of(int tiles, int heads, int batch, int dies,
                                                     int resident) {
  const unsigned all = (unsigned)heads * (unsigned)batch;
  const int count = (int)(all * (unsigned)tiles), chunk = wt_grid_chunk(count, dies, resident);
  const unsigned fit = (unsigned)(chunk > tiles ? chunk / tiles : 1), together = fit < all ? fit : all;
  const unsigned last = all % together;
  const wt_attention_order order = {.dies = wt_divisor_of((unsigned)dies),
                                    .run = wt_divisor_of((unsigned)chunk),
                                    .whole = wt_divisor_of(together * (unsigned)tiles),
                                    .together = wt_divisor_of(together),
                                    .last_together = wt_divisor_of(last == 0 ? together : last),
                                    .heads = wt_divisor_of((unsigned)heads),
                                    .whole_count = all / together,
                                    .tiles = tiles,
                                    .count = count};
  return order;
}

// Returns the tile of work-group `id`, which is less than the order's count.
WT_ANYWHERE wt_attention_place wt_attention_place_of(const wt_attention_order *order, int id) {
  const unsigned local = wt_divide((unsigned)id, order->dies), round = wt_divide(local, order->run);
  const unsigned position =
      (unsigned)wt_grid_remapped(id, order->count, order->dies.divisor, order->run.divisor, local, round);
  const unsigned index = wt_divide(position, order->whole), rest = position - index * order->whole.divisor;
  const wt_divisor together = index < order->whole_count ? order->together : order->last_together;
  const unsigned up = wt_divide(rest, together);
  const unsigned head = index * order->together.divisor + (rest - up * together.divisor);
  const unsigned batch = wt_divide(head, order->heads);
  const wt_attention_place place = {(int)batch, (int)(head - batch * order->heads.divisor),
                                    order->tiles - 1 - (int)up};
  return place;
}

#endif
