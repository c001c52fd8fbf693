// SPDX-License-Identifier: MIT
// Runs blocks that wait for each other: cooperative groups' grid sync, a hand-written barrier, a chain in
// which every block waits for a later one; and shows what happens to those who misuse it.
#include "program.h"

#include <hip/hip_cooperative_groups.h>  // wants hip_runtime.h before it

namespace cg = cooperative_groups;

// Computes heat in a rod: every step needs the neighbours' values of the step before, over block boundaries.
__global__ void diffuse(double *a, double *b, int count, int steps, int *facts) {
  cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    if (i > 0 && i < count - 1) b[i] = a[i] + 0.25 * (a[i - 1] - 2 * a[i] + a[i + 1]);
    grid.sync();
    double *const swapped = a;
    a = b, b = swapped;
  }
  if (i == 0) facts[0] = grid.is_valid(), facts[1] = static_cast<int>(grid.size());
}

// Tiles of a block reduce with shuffles, the block through LDS, the grid through memory and one sync.
template <int Tile>
__global__ void sum_of_squares(const int *in, long long *partial, long long *out) {
  __shared__ long long of_tile[1024 / Tile];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<Tile> tile = cg::tiled_partition<Tile>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long sum = static_cast<long long>(in[i]) * in[i];
  for (int step = Tile / 2; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) of_tile[threadIdx.x / Tile] = sum;
  block.sync();
  if (threadIdx.x == 0) {
    long long total = 0;
    for (unsigned k = 0; k < blockDim.x / Tile; ++k) total += of_tile[k];
    partial[blockIdx.x] = total;
  }
  cg::this_grid().sync();
  if (i == 0) {
    long long total = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) total += partial[k];
    *out = total;
  }
}

// A barrier of the program's own: the last block to arrive opens the next round.
__device__ void own_barrier(unsigned *arrived, unsigned *round, bool sleep) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned now = __hip_atomic_load(round, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    if (__hip_atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == gridDim.x - 1) {
      __hip_atomic_store(arrived, 0u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      __hip_atomic_store(round, now + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    } else {
      while (__hip_atomic_load(round, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == now)
        if (sleep) __builtin_amdgcn_s_sleep(2);
    }
  }
  __syncthreads();
}

// Each round every block adds its right neighbour's value to its own.
__global__ void add_neighbours(unsigned *values, unsigned *barrier, int rounds, bool sleep) {
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  for (int k = 0; k < rounds; ++k) {
    const unsigned theirs = __hip_atomic_load(&values[next], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    own_barrier(&barrier[0], &barrier[1], sleep);
    if (threadIdx.x == 0)
      __hip_atomic_fetch_add(&values[blockIdx.x], theirs, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    own_barrier(&barrier[0], &barrier[1], sleep);
  }
}

// Block k waits for block k + 1, which comes later in dispatch order.
__global__ void backwards(int *ready, int *order) {
  if (threadIdx.x != 0) return;
  const int next = blockIdx.x + 1;
  while (next < static_cast<int>(gridDim.x) &&
         !__hip_atomic_load(&ready[next], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  order[blockIdx.x] = next < static_cast<int>(gridDim.x) ? order[next] + 1 : 0;
  __hip_atomic_store(&ready[blockIdx.x], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void leaves_early() {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
}

__global__ void nothing() {}

template <class... Arguments>
hipError_t launch(void (*kernel)(Arguments...), int blocks, int threads, Arguments... arguments) {
  void *pointers[] = {&arguments..., nullptr};
  return hipLaunchCooperativeKernel(reinterpret_cast<void *>(kernel), dim3(blocks), dim3(threads), pointers,
                                    0, nullptr);
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"cooperative"};
  generator random{77};

  constexpr int kBlocks = 12, kThreads = 128, kCount = kBlocks * kThreads, kSteps = 7;
  std::vector<double> rod(kCount);
  for (double &value : rod) value = random.uniform(0, 100);
  double *const a = to_device(rod), *const b = to_device(rod);
  int *const facts = to_device(std::vector<int>(2, -1));
  HIP_CHECK(launch(diffuse, kBlocks, kThreads, a, b, kCount, kSteps, facts));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> next = rod;
    for (int i = 1; i < kCount - 1; ++i) next[i] = rod[i] + 0.25 * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
    rod = next;
  }
  const std::vector<double> got = to_host(kSteps % 2 ? b : a, kCount);
  for (int i = 0; i < kCount; ++i) check.near(got[i], rod[i], 1e-11, i);
  const std::vector<int> known = to_host(facts, 2);
  check.near(known[0], 1, 0, 0);
  check.near(known[1], kCount, 0, 1);

  std::vector<int> numbers(kCount);
  long long squares = 0;
  for (int &n : numbers)
    n = static_cast<int>(random.bits() % 2001) - 1000, squares += static_cast<long long>(n) * n;
  const int *const in = to_device(numbers);
  long long *const partial = to_device(std::vector<long long>(kBlocks + 1, 0));
  HIP_CHECK(launch(sum_of_squares<32>, kBlocks, kThreads, in, partial, partial + kBlocks));
  check.near(to_host(partial, kBlocks + 1)[kBlocks] == squares, 1, 0, 2);
  HIP_CHECK(launch(sum_of_squares<8>, kBlocks, kThreads, in, partial, partial + kBlocks));
  check.near(to_host(partial, kBlocks + 1)[kBlocks] == squares, 1, 0, 3);

  for (const bool sleep : {false, true}) {
    constexpr int kRing = 40, kRounds = 5;
    std::vector<unsigned> ring(kRing);
    for (unsigned &value : ring) value = random.bits();
    unsigned *const values = to_device(ring), *const barrier = to_device(std::vector<unsigned>(2, 0));
    HIP_CHECK(launch(add_neighbours, kRing, 192, values, barrier, kRounds, sleep));
    for (int k = 0; k < kRounds; ++k) {
      const std::vector<unsigned> before = ring;
      for (int i = 0; i < kRing; ++i) ring[i] += before[(i + 1) % kRing];
    }
    const std::vector<unsigned> sums = to_host(values, kRing);
    for (int i = 0; i < kRing; ++i) check.near(sums[i], ring[i], 0, i);
    HIP_CHECK(hipFree(values));
    HIP_CHECK(hipFree(barrier));
  }

  constexpr int kChain = 100;
  int *const ready = to_device(std::vector<int>(kChain, 0)), *const order =
                                                                 to_device(std::vector<int>(kChain, -1));
  HIP_CHECK(launch(backwards, kChain, 64, ready, order));
  const std::vector<int> places = to_host(order, kChain);
  for (int i = 0; i < kChain; ++i) check.near(places[i], kChain - 1 - i, 0, i);

  // Without the API: the environment can ask for blocks that run at the same time, and the schedules that
  // keep hardware's pace imply it; else a block that polls gives way to others, except under `timed`. How
  // often one that waits looks depends on the schedule.
  const char *const given = getenv("WT_SIM_SCHEDULE");
  const std::string schedule = given ? given : "late";
  const struct {
    const char *resident, *schedule;
    bool ends;
  } modes[] = {{"0", "late", true},    {"1", schedule.c_str(), true}, {"", "late", true},
               {"", "lockstep", true}, {"", "timed", true},           {"0", "timed", false}};
  for (const auto &mode : modes) {
    setenv("WT_SIM_BUDGET", mode.ends ? "100000000" : "100000", 1);
    setenv("WT_SIM_RESIDENT", mode.resident, 1);
    setenv("WT_SIM_SCHEDULE", mode.schedule, 1);
    HIP_CHECK(hipMemset(ready, 0, kChain * sizeof(int)));
    HIP_CHECK(hipMemset(order, 0, kChain * sizeof(int)));
    backwards<<<kChain, 64>>>(ready, order);
    check.near(hipDeviceSynchronize(), mode.ends ? hipSuccess : hipErrorLaunchTimeOut, 0, 10);
    check.near(to_host(order, 1)[0], mode.ends ? kChain - 1 : 0, 0, 11);
  }
  unsetenv("WT_SIM_RESIDENT");
  setenv("WT_SIM_SCHEDULE", schedule.c_str(), 1);

  // More blocks than the device holds, a grid sync in a launch without a grid, a block that does not take
  // part.
  int per_cu = 0;
  hipDeviceProp_t properties;
  HIP_CHECK(hipGetDeviceProperties(&properties, argc > 1 ? std::atoi(argv[1]) : 0));
  check.near(properties.cooperativeLaunch, 1, 0, 4);
  HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, nothing, 1024, 0));
  const int most = per_cu * properties.multiProcessorCount;
  check.near(launch(nothing, most, 1024), hipSuccess, 0, 5);
  check.near(launch(nothing, most + 1, 1024), hipErrorCooperativeLaunchTooLarge, 0, 6);
  hipStream_t gone;
  HIP_CHECK(hipStreamCreate(&gone));
  HIP_CHECK(hipStreamDestroy(gone));
  check.near(
      hipLaunchCooperativeKernel(reinterpret_cast<void *>(nothing), dim3(1), dim3(64), nullptr, 0, gone),
      hipErrorContextIsDestroyed, 0, 10);
  leaves_early<<<1, 64>>>();
  check.near(hipDeviceSynchronize(), hipErrorNotSupported, 0, 7);
  HIP_CHECK(launch(leaves_early, 3, 64));
  check.near(hipDeviceSynchronize(), hipErrorLaunchTimeOut, 0, 8);
  HIP_CHECK(launch(nothing, 3, 64));
  check.near(hipDeviceSynchronize(), hipSuccess, 0, 9);
  return check.verdict();
}
