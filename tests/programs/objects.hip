// SPDX-License-Identifier: MIT
// Runs what needs a stack and a program counter in registers: virtual functions, function pointers,
// recursion, local arrays and large structs by value. Built without optimisation, so that everything goes
// through scratch.
#include "program.h"

#include <new>

struct shape {
  float width, height;
  __device__ shape(float w, float h) : width(w), height(h) {}
  __device__ virtual ~shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 4; }
};
struct rectangle : shape {
  __device__ rectangle(float w, float h) : shape(w, h) {}
  __device__ float area() const override { return width * height; }
};
struct triangle : shape {
  __device__ triangle(float w, float h) : shape(w, h) {}
  __device__ float area() const override { return 0.5f * width * height; }
  __device__ int corners() const override { return 3; }
};
struct alignas(16) storage {
  char bytes[32];
};

__global__ void construct(storage *shapes) {
  const int i = threadIdx.x;
  if (i % 3 == 0) {
    new (shapes + i) triangle(i, 4);
  } else {
    new (shapes + i) rectangle(i, 2);
  }
}

__global__ void measure(storage *shapes, float *out) {
  const shape *const s = reinterpret_cast<const shape *>(shapes + threadIdx.x);
  out[threadIdx.x] = s->area() + 1000 * s->corners();
}

typedef int (*operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int combine(int a, int b) { return add(a, b) - multiply(a, b); }
__device__ operation operations[] = {add, multiply, combine};

// Lanes of one wave call different functions.
__global__ void call(const int *which, int *out) {
  const int i = threadIdx.x;
  out[i] = operations[which[i]](i, i % 7);
}

template <class Compare>
__host__ __device__ void insertion_sort(int *values, int count, Compare before) {
  for (int i = 1; i < count; ++i) {
    const int value = values[i];
    int k = i - 1;
    for (; k >= 0 && before(value, values[k]); --k) values[k + 1] = values[k];
    values[k + 1] = value;
  }
}

struct descending {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

__host__ __device__ inline int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

constexpr int kLocal = 40;

// Sorts an array of its own, indexed at run time, and recurses as deep as its lane says.
__host__ __device__ inline int sort_and_recurse(const int *in, int count, int i) {
  int values[kLocal];
  unsigned char bytes[kLocal];
  for (int k = 0; k < kLocal; ++k) {
    values[k] = in[(i + k) % count];
    bytes[k] = static_cast<unsigned char>(values[k]);
  }
  insertion_sort(values, kLocal, descending());
  unsigned hash = ackermann(2, i % 6);
  for (int k = 0; k < kLocal; ++k) hash = hash * 31 + values[k] + bytes[bytes[k] % kLocal];
  return static_cast<int>(hash);
}

__global__ void sort_local(const int *in, int count, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = sort_and_recurse(in, count, i);
}

// Each level takes a frame: 1000 levels want more than the default stack of 16 KB.
__device__ __attribute__((noinline)) int sum_down(int n) { return n ? n + sum_down(n - 1) : 0; }
__global__ void deep(int levels, int *out) { out[threadIdx.x] = sum_down(levels - threadIdx.x); }

struct table {
  float rows[16][16];
  double bias[8];
  short tags[5];
  char sign;
  const int *indirect;
};

__global__ void sum_table(table t, char c, double d, short s, long long wide, float *out) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += t.rows[i % 16][k];
  out[i] = sum + t.bias[i % 8] + t.tags[i % 5] + t.sign + t.indirect[0] + c + d + s + wide;
}

extern "C" hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);  // declared since HIP 5.3

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"objects"};
  generator random{31};
  constexpr int kCount = 300, kThreads = 128;
  storage *shapes = nullptr;
  float *floats = nullptr;
  int *ints = nullptr;
  HIP_CHECK(hipMalloc(&shapes, kThreads * sizeof(storage)));
  HIP_CHECK(hipMalloc(&floats, kCount * sizeof(float)));
  HIP_CHECK(hipMalloc(&ints, kCount * sizeof(int)));

  construct<<<1, kThreads>>>(shapes);
  measure<<<1, kThreads>>>(shapes, floats);
  std::vector<float> got = to_host(floats, kThreads);
  for (int i = 0; i < kThreads; ++i) check.near(got[i], i % 3 == 0 ? 2 * i + 3000 : 2 * i + 4000, 0, i);

  std::vector<int> which(kThreads);
  for (int &w : which) w = random.bits() % 3;
  call<<<1, kThreads>>>(to_device(which), ints);
  std::vector<int> results = to_host(ints, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    const int sum = i + i % 7, product = i * (i % 7);
    check.near(results[i], which[i] == 0 ? sum : which[i] == 1 ? product : sum - product, 0, i);
  }

  std::vector<int> in(kCount);
  for (int &value : in) value = static_cast<int>(random.bits() % 2001) - 1000;
  sort_local<<<(kCount + kThreads - 1) / kThreads, kThreads>>>(to_device(in), kCount, ints);
  results = to_host(ints, kCount);
  for (int i = 0; i < kCount; ++i) check.near(results[i], sort_and_recurse(in.data(), kCount, i), 0, i);

  const hipLimit_t stack = static_cast<hipLimit_t>(0);  // hipLimitStackSize, named since HIP 5.3
  size_t stack_bytes = 0;
  HIP_CHECK(hipDeviceGetLimit(&stack_bytes, stack));
  HIP_CHECK(hipDeviceSetLimit(stack, 131056));
  deep<<<1, kThreads>>>(1000, ints);
  HIP_CHECK(hipDeviceSetLimit(stack, stack_bytes));
  results = to_host(ints, kThreads);
  for (int i = 0; i < kThreads; ++i) check.near(results[i], (1000 - i) * (1001 - i) / 2, 0, i);

  static table t;
  for (auto &row : t.rows)
    for (float &value : row) value = random.bits() % 50;
  for (double &value : t.bias) value = random.bits() % 9;
  for (short &value : t.tags) value = -static_cast<short>(random.bits() % 9);
  t.sign = -3;
  t.indirect = to_device(std::vector<int>{42});
  sum_table<<<1, kThreads>>>(t, -5, 7.0, -11, 1000000, floats);
  got = to_host(floats, kThreads);
  for (int i = 0; i < kThreads; ++i) {
    double want = t.bias[i % 8] + t.tags[i % 5] - 3 + 42 - 5 + 7 - 11 + 1000000;
    for (int k = 0; k < 16; ++k) want += t.rows[i % 16][k];
    check.near(got[i], want, 0, i);
  }
  return check.verdict();
}
