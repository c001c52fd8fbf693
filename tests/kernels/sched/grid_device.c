// SPDX-License-Identifier: MIT
// The grid order computed on both simulated chips is the one computed here. Arguments: code objects for
// gfx950 (device 0) and gfx942 (device 1).
#include <hip/hip_runtime_api.h>
#include <limits.h>

#include "check.h"
#include "sched/grid.h"

enum { SHOWN = 512 };  // work-groups per launch

typedef struct placed {
  wt_grid_tile tile;
  wt_grid_part part;
  wt_grid_tile turned;
} placed;

static void check_ids(hipFunction_t function, placed *out, wt_grid_order order, int first, int ids) {
  wt_grid_map map = wt_grid_map_of(order);
  wt_grid_rotation rotation = wt_grid_rotation_of(order);
  void *params[] = {&map, &out, &first, &rotation};
  memset(out, -1, SHOWN * sizeof *out);
  CHECK(hipModuleLaunchKernel(function, (unsigned)ids, 1, 1, 64, 1, 1, 0, NULL, params, NULL) == hipSuccess &&
            hipDeviceSynchronize() == hipSuccess,
        "the launch");
  int same = 1;
  for (int i = 0; i < ids; ++i) {
    const wt_grid_tile tile = wt_grid_tile_of(map, first + i);
    const placed here = {tile, wt_grid_part_of(map, first + i), wt_grid_rotated(rotation, map, tile)};
    same &= memcmp(&out[i], &here, sizeof here) == 0;
  }
  CHECK(same, "%d x %d tiles, %d XCDs, runs of %d, windows of %d, by columns %d, ids from %d on",
        order.tiles_m, order.tiles_n, order.xcds, order.chunk, order.window, order.by_columns, first);
}

static int random_to(test_rng *rng, int most) { return 1 + (int)(test_random(rng) % (uint64_t)most); }

static void check_device(int device, const char *path, test_rng *rng) {
  static const wt_grid_order orders[] = {
      {1, 1, 8, 8, 4, 0},          {16, 16, 8, 32, 4, 0},     {16, 16, 8, 8, 4, 1},
      {13, 39, 8, 8, 4, 0},        {13, 39, 8, 8, 4, 1},      {507, 1, 8, 8, 4, 0},
      {1, 507, 8, 8, 4, 0},        {20, 20, 1, 1, 1, 0},      {20, 20, 3, 38, 7, 0},
      {46340, 46341, 8, 32, 4, 0}, {INT_MAX, 1, 8, 64, 8, 0}, {1, INT_MAX, INT_MAX, INT_MAX, INT_MAX, 0}};
  hipModule_t module;
  hipFunction_t function = NULL;
  placed *out = NULL;
  CHECK(hipSetDevice(device) == hipSuccess && hipModuleLoad(&module, path) == hipSuccess &&
            hipModuleGetFunction(&function, module, "grid_device") == hipSuccess &&
            hipHostMalloc((void **)&out, SHOWN * sizeof *out, 0) == hipSuccess,
        "setting up with %s", path);
  if (!out) return;
  for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
    const int count = wt_grid_count(orders[i]), ids = count < SHOWN ? count : SHOWN;
    check_ids(function, out, orders[i], 0, ids);
    check_ids(function, out, orders[i], count - ids, ids);
  }
  for (int i = 0; i < 20; ++i) {
    wt_grid_order order = {64 + random_to(rng, 60000), random_to(rng, 30000), random_to(rng, 8),
                           random_to(rng, 100),        random_to(rng, 50),    i % 2};
    check_ids(function, out, order, random_to(rng, wt_grid_count(order) - 64), 64);
  }
  hipHostFree(out);
  hipModuleUnload(module);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  test_rng rng = test_seed(9);
  for (int device = 0; device < 2; ++device) check_device(device, argv[1 + device], &rng);
  return test_result();
}
