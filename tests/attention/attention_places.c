// SPDX-License-Identifier: MIT
// Tests the order of the tiles of attention: each is taken once, whatever the sizes; and under a causal mask
// the shader engines of a die, which are handed its work-groups in turn, get much the same work.
#include "check.h"

#include <stdlib.h>

#include "kernels/attention/attention_order.h"

enum { CASES = 20000, DIES = 8, ENGINES = 4, MOST_TILES = 40 * 5 * 20 };

static void each_tile_is_taken_once(void) {
  static int taken[MOST_TILES];
  test_rng rng = test_seed(5);
  for (int n = 1; n <= CASES; ++n) {
    const int tiles = 1 + (int)(test_random(&rng) % 40), heads = 1 + (int)(test_random(&rng) % 20);
    const int batch = 1 + (int)(test_random(&rng) % 5), resident = test_random(&rng) % 2 ? 32 : 38;
    const wt_attention_order order = wt_attention_order_of(tiles, heads, batch, DIES, resident);
    for (int id = 0; id < tiles * heads * batch; ++id) {
      const wt_attention_place p = wt_attention_place_of(&order, id);
      const int all = p.batch * heads + p.head, tile = all * tiles + p.tile;
      const int inside =
          p.batch >= 0 && p.batch < batch && p.head >= 0 && p.head < heads && p.tile >= 0 && p.tile < tiles;
      CHECK(inside && taken[tile] != n,
            "%d tiles, %d heads, batch %d: work-group %d has tile %d of head %d of %d", tiles, heads, batch,
            id, p.tile, p.head, p.batch);
      if (!inside) return;
      taken[tile] = n;
    }
  }
}

static void engines_have_much_the_same_work(void) {
  for (int tiles = 4; tiles <= 32; tiles *= 2) {
    const int heads = 16, batch = 16;
    const wt_attention_order order = wt_attention_order_of(tiles, heads, batch, DIES, 32);
    long work[ENGINES] = {0};
    for (int local = 0; local < tiles * heads * batch / DIES; ++local)
      work[local % ENGINES] += wt_attention_place_of(&order, local * DIES).tile + 1;
    for (int i = 0; i < ENGINES; ++i)
      CHECK(labs(work[i] - work[0]) * 5 <= work[0], "%d tiles: engine %d has %ld, the first %ld", tiles, i,
            work[i], work[0]);
  }
}

int main(void) {
  each_tile_is_taken_once();
  engines_have_much_the_same_work();
  return test_result();
}
