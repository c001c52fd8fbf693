// SPDX-License-Identifier: MIT
// new, delete, malloc and free in kernels: every work-item builds a list of its own, a later kernel walks and
// frees it.
#include "program.h"

struct node {
  int value;
  node *next;
};

__global__ void build(node **lists) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  node *list = nullptr;
  for (int k = 0; k <= i % 5; ++k) list = new node{i * 10 + k, list};
  lists[i] = list;
}

__global__ void sum_and_free(node **lists, long *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  long sum = 0;
  for (node *list = lists[i]; list;) {
    node *const next = list->next;
    sum += list->value;
    delete list;
    list = next;
  }
  sums[i] = sum;
}

// These are too large for the device library's slabs: the host allocates each of them.
__global__ void large(int count, long *sums) {
  int *const values = static_cast<int *>(malloc(count * sizeof(int)));
  long sum = 0;
  for (int k = 0; k < count; ++k) values[k] = k ^ threadIdx.x;
  for (int k = 0; k < count; ++k) sum += values[k];
  free(values);
  sums[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"device_heap"};
  constexpr int kBlocks = 3, kThreads = 96, kCount = kBlocks * kThreads;
  node **const lists = to_device(std::vector<node *>(kCount, nullptr));
  long *const sums = to_device(std::vector<long>(kCount, -1));

  for (int round = 0; round < 2; ++round) {
    build<<<kBlocks, kThreads>>>(lists);
    sum_and_free<<<kBlocks, kThreads>>>(lists, sums);
    const std::vector<long> got = to_host(sums, kCount);
    for (int i = 0; i < kCount; ++i) {
      long want = 0;
      for (int k = 0; k <= i % 5; ++k) want += i * 10 + k;
      check.near(got[i], want, 0, i);
    }
  }

  size_t before = 0, after = 0, total = 0;
  HIP_CHECK(hipMemGetInfo(&before, &total));
  constexpr int kLarge = 2000;
  large<<<1, 4>>>(kLarge, sums);
  const std::vector<long> got = to_host(sums, 4);
  for (int i = 0; i < 4; ++i) {
    long want = 0;
    for (int k = 0; k < kLarge; ++k) want += k ^ i;
    check.near(got[i], want, 0, i);
  }
  HIP_CHECK(hipMemGetInfo(&after, &total));
  check.near(before == after, 1, 0, 0);  // freed means given back

  HIP_CHECK(hipFree(lists));
  HIP_CHECK(hipFree(sums));
  return check.verdict();
}
