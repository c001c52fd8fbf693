// SPDX-License-Identifier: MIT
// Runs maps of functions that know the row and the column, and wavetile's printf and assertion, in an
// ordinary HIP program beside the HIP headers, which have their own.
#include "program.h"

#include "include/wavetile_device.h"

using namespace wt;

constexpr int kTile = 32;

WT_KERNEL(64) biased_scores(gl<float> m, float slope) {
  const int first_row = workgroup_y() * kTile, first_column = workgroup_x() * kTile;
  rt_c<float, kTile, kTile> scores;
  load(scores, m, first_row, first_column);

  map(scores, [](float x) { return x > 0 ? x : 0.01f * x; });
  map_at(scores, origin{first_row, first_column}, [=](float x, int row, int column) {
    return x - slope * static_cast<float>(row - column);  // ALiBi
  });

  WT_ASSERT(m.rows > 0);  // stops the kernel, and names file, line, condition, work-group and thread
  if (lane_id() == 0) wt::printf("work-group %d begins at row %d\n", workgroup_x(), first_row);

  store(m, scores, first_row, first_column);
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  constexpr int kRows = 70, kColumns = 45;
  constexpr float kSlope = 0.25f;
  generator random{5};
  std::vector<float> scores(kRows * kColumns);
  for (float &x : scores) x = random.uniform(-1, 1);
  float *const device = to_device(scores);

  const dim3 grid((kColumns + kTile - 1) / kTile, (kRows + kTile - 1) / kTile);
  biased_scores<<<grid, 64>>>({device, kColumns, 1, kRows, kColumns}, kSlope);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const std::vector<float> got = to_host(device, kRows * kColumns);
  checker check{"scores"};
  for (int i = 0; i < kRows * kColumns; ++i) {
    const double x = scores[i] > 0 ? scores[i] : 0.01 * scores[i];
    check.near(got[i], x - kSlope * (i / kColumns - i % kColumns), 1e-5, i);
  }
  biased_scores<<<1, 64>>>({device, kColumns, 1, 0, kColumns}, kSlope);
  check.near(hipDeviceSynchronize(), hipErrorAssert, 0, -1);
  return check.verdict();
}
