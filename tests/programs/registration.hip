// SPDX-License-Identifier: MIT
// Uses what the compiler registers before main: kernels by host address, device, constant and managed
// variables by the address of their shadow, a template kernel and a kernel pointer.
#include "program.h"

#include <hip/hip_ext.h>

__device__ int counters[3] = {5, 6, 7};
__constant__ double factor = 2.5;
__managed__ int managed_total = 1000;
__managed__ int *managed_pointer = nullptr;

__global__ void add_counters(int *out) {
  out[threadIdx.x] += counters[threadIdx.x];
  counters[threadIdx.x] = static_cast<int>(threadIdx.x * factor);
}

__global__ void add_to_managed(int value) {
  if (threadIdx.x == 0) {
    managed_total += value;
    managed_pointer[1] = managed_total;
  }
}

template <class T, int kStep>
__global__ __launch_bounds__(128) void step(T *out) {
  __shared__ T part[128];
  part[threadIdx.x] = static_cast<T>(threadIdx.x * kStep);
  __syncthreads();
  out[threadIdx.x] = part[127 - threadIdx.x];
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"registration"};

  std::vector<int> start = {100, 200, 300};
  int *out = to_device(start);
  add_counters<<<1, 3>>>(out);
  std::vector<int> sums = to_host(out, 3);
  for (int i = 0; i < 3; ++i) check.near(sums[i], start[i] + 5 + i, 0, i);

  int values[3] = {0, 0, 0};
  void *address = nullptr;
  size_t size = 0;
  HIP_CHECK(hipMemcpyFromSymbol(values, HIP_SYMBOL(counters), sizeof values));
  for (int i = 0; i < 3; ++i) check.near(values[i], static_cast<int>(i * 2.5), 0, i);
  HIP_CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(counters)));
  check.near(static_cast<double>(size), sizeof counters, 0, 0);
  HIP_CHECK(hipGetSymbolAddress(&address, HIP_SYMBOL(counters)));
  HIP_CHECK(hipMemcpy(values, address, sizeof values, hipMemcpyDeviceToHost));
  check.near(values[2], 5, 0, 2);
  const int ninety = 90;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(counters), &ninety, sizeof ninety, sizeof ninety));
  const double ten = 10;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factor), &ten, sizeof ten));
  add_counters<<<1, 3>>>(out);
  sums = to_host(out, 3);
  check.near(sums[1], 206 + 90, 0, 1);
  HIP_CHECK(hipMemcpyFromSymbol(values, HIP_SYMBOL(counters), sizeof values));
  check.near(values[2], 20, 0, 2);
  // The graph has nodes that copy to a variable and from it.
  hipGraph_t graph;
  hipGraphNode_t to, from;
  hipGraphExec_t exec;
  hipGraphNodeType type;
  int seventies[3] = {70, 71, 72}, copied[2] = {0, 0};
  HIP_CHECK(hipGraphCreate(&graph, 0));
  HIP_CHECK(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, HIP_SYMBOL(counters), seventies,
                                          sizeof seventies, 0, hipMemcpyHostToDevice));
  HIP_CHECK(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, copied, HIP_SYMBOL(counters), sizeof copied,
                                            sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipGraphNodeGetType(to, &type));
  check.near(type, hipGraphNodeTypeMemcpyToSymbol, 0, 0);
  HIP_CHECK(hipGraphNodeGetType(from, &type));
  check.near(type, hipGraphNodeTypeMemcpyFromSymbol, 0, 0);
  HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  HIP_CHECK(hipGraphLaunch(exec, nullptr));
  HIP_CHECK(hipDeviceSynchronize());
  for (int i = 0; i < 2; ++i) check.near(copied[i], 71 + i, 0, i);
  HIP_CHECK(hipGraphExecDestroy(exec));
  HIP_CHECK(hipGraphDestroy(graph));
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(counters), values, sizeof values));
  // An overrun of the variable and an address that is no variable are refused.
  check.near(hipMemcpyToSymbol(HIP_SYMBOL(counters), values, sizeof values, 4), hipErrorInvalidValue, 0, 0);
  check.near(hipMemcpyToSymbol(&check, values, 4), hipErrorInvalidSymbol, 0, 0);

  managed_total += 1;  // on the host
  HIP_CHECK(hipMallocManaged(reinterpret_cast<void **>(&managed_pointer), 2 * sizeof(int)));
  add_to_managed<<<1, 64>>>(30);
  HIP_CHECK(hipDeviceSynchronize());
  check.near(managed_total, 1031, 0, 0);
  check.near(managed_pointer[1], 1031, 0, 1);

  hipFuncAttributes attributes;
  HIP_CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&step<short, 3>)));
  check.near(static_cast<double>(attributes.sharedSizeBytes), 256, 0, 0);
  check.near(attributes.maxThreadsPerBlock, 128, 0, 0);
  const void *const host_address = reinterpret_cast<const void *>(&step<short, 3>);
  HIP_CHECK(hipFuncSetAttribute(host_address, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
  HIP_CHECK(hipFuncSetAttribute(host_address, hipFuncAttributePreferredSharedMemoryCarveout, 50));
  HIP_CHECK(hipFuncGetAttributes(&attributes, host_address));
  check.near(attributes.maxDynamicSharedSizeBytes, 1024, 0, 0);
  check.near(attributes.preferredShmemCarveout, 50, 0, 0);
  int blocks = 0, grid = 0, block = 0;
  HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step<short, 3>, 128, 0));
  check.near(blocks, 16, 0, 0);
  HIP_CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, step<short, 3>, 0, 0));
  check.near(block, 128, 0, 0);

  short *shorts = nullptr;
  HIP_CHECK(hipMalloc(&shorts, 128 * sizeof(short)));
  void *arguments[] = {&shorts};
  hipEvent_t begin, end;
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&end));
  HIP_CHECK(hipExtLaunchKernel(reinterpret_cast<const void *>(&step<short, 3>), dim3(1), dim3(128), arguments,
                               0, nullptr, begin, end, 0));
  float milliseconds = -1;
  HIP_CHECK(hipEventSynchronize(end));
  HIP_CHECK(hipEventElapsedTime(&milliseconds, begin, end));
  check.near(milliseconds > 0, 1, 0, 0);
  std::vector<short> reversed = to_host(shorts, 128);
  for (int i = 0; i < 128; ++i) check.near(reversed[i], (127 - i) * 3, 0, i);
  void (*kernel)(short *) = step<short, -7>;
  kernel<<<1, 128>>>(shorts);
  reversed = to_host(shorts, 128);
  for (int i = 0; i < 128; ++i) check.near(reversed[i], (127 - i) * -7, 0, i);

  // A block beyond the launch bounds fails at the launch; the old launch interface works.
  step<short, 3><<<1, 129>>>(shorts);
  check.near(hipGetLastError(), hipErrorLaunchFailure, 0, 0);
  HIP_CHECK(hipConfigureCall(dim3(1), dim3(128), 0, nullptr));
  HIP_CHECK(hipSetupArgument(&shorts, sizeof shorts, 0));
  HIP_CHECK(hipLaunchByPtr(reinterpret_cast<const void *>(&step<short, 3>)));
  reversed = to_host(shorts, 128);
  check.near(reversed[0], 127 * 3, 0, 0);
  check.near(hipLaunchKernel(&check, dim3(1), dim3(64), nullptr, 0, nullptr), hipErrorInvalidDeviceFunction,
             0, 0);

  // A reset gives memory back, but not the program's own variables; its kernels load again.
  HIP_CHECK(hipDeviceReset());
  check.near(managed_total, 1031, 0, 0);
  HIP_CHECK(hipMallocManaged(reinterpret_cast<void **>(&managed_pointer), 2 * sizeof(int)));
  add_to_managed<<<1, 64>>>(9);
  HIP_CHECK(hipDeviceSynchronize());
  check.near(managed_pointer[1], 1040, 0, 1);
  HIP_CHECK(hipMemcpyFromSymbol(values, HIP_SYMBOL(counters), sizeof values));
  for (int i = 0; i < 3; ++i) check.near(values[i], 5 + i, 0, i);
  return check.verdict();
}
