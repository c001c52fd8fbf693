// SPDX-License-Identifier: MIT
// This is a kernel that must use scratch memory: an array of its own with an index only known at run time. It
// serves the test that the build refuses such a kernel.
extern "C" __attribute__((global)) void scratch_user(int *data, const int *places, int count) {
  int own[200];
  for (int i = 0; i < 200; ++i) own[i] = data[i];
  for (int i = 0; i < count; ++i) own[places[i]] += own[places[count - 1 - i]];
  for (int i = 0; i < 200; ++i) data[i] = own[i];
}
