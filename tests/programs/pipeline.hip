// SPDX-License-Identifier: MIT
// This is a pipeline over chunks of data, as an application would build it: class templates that own streams
// and memory, two streams joined by events, memory from a pool, a callback at the end of each chunk, 2D
// copies into a padded image, and the same pipeline once more as a captured graph that is replayed with new
// data.
#include <algorithm>
#include <numeric>

#include "program.h"

constexpr int kRows = 24, kColumns = 100, kChunks = 5, kRadius = 2;

// Computes the mean of the 2 * kRadius + 1 elements around each; the border repeats the first and the last.
template <class T>
__global__ void smooth_rows(const T *in, T *out, size_t pitch, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= columns) return;
  const T *const line = reinterpret_cast<const T *>(reinterpret_cast<const char *>(in) + row * pitch);
  T sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k) sum += line[min(max(column + k, 0), columns - 1)];
  T *const result = reinterpret_cast<T *>(reinterpret_cast<char *>(out) + row * pitch);
  result[column] = sum / (2 * kRadius + 1);
}

// Finds the largest element of each row: shuffles within a wave, LDS between waves.
template <class T, int Threads>
__global__ void row_maximum(const T *in, T *out, size_t pitch, int columns) {
  __shared__ T of_wave[Threads / 64];
  const T *const line = reinterpret_cast<const T *>(reinterpret_cast<const char *>(in) + blockIdx.x * pitch);
  T best = line[0];
  for (int column = threadIdx.x; column < columns; column += Threads) best = max(best, line[column]);
  for (int step = 32; step; step /= 2) best = max(best, __shfl_xor(best, step));
  if (threadIdx.x % 64 == 0) of_wave[threadIdx.x / 64] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int wave = 1; wave < Threads / 64; ++wave) best = max(best, of_wave[wave]);
    out[blockIdx.x] = best;
  }
}

template <class T>
struct pitched_image {
  T *data = nullptr;
  size_t pitch = 0;
  pitched_image() {
    HIP_CHECK(hipMallocPitch(reinterpret_cast<void **>(&data), &pitch, kColumns * sizeof(T), kRows));
  }
  ~pitched_image() { (void)hipFree(data); }
  pitched_image(const pitched_image &) = delete;
};

struct stream_of_work {
  hipStream_t stream = nullptr;
  stream_of_work() { HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking)); }
  ~stream_of_work() { (void)hipStreamDestroy(stream); }
  stream_of_work(const stream_of_work &) = delete;
};

template <class T>
class pipeline {
 public:
  // Enqueues the work on one chunk: copies on one stream, kernels on the other.
  void enqueue(const T *in, T *smooth, T *maxima, hipHostFn_t done, void *user) {
    const size_t row = kColumns * sizeof(T);
    HIP_CHECK(hipMemcpy2DAsync(source_.data, source_.pitch, in, row, row, kRows, hipMemcpyHostToDevice,
                               copies_.stream));
    HIP_CHECK(hipEventRecord(copied_, copies_.stream));
    HIP_CHECK(hipStreamWaitEvent(kernels_.stream, copied_, 0));
    smooth_rows<T><<<dim3((kColumns + 63) / 64, kRows), 64, 0, kernels_.stream>>>(source_.data, target_.data,
                                                                                  source_.pitch, kColumns);
    row_maximum<T, 128><<<kRows, 128, 0, kernels_.stream>>>(target_.data, maxima_, target_.pitch, kColumns);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipEventRecord(computed_, kernels_.stream));
    HIP_CHECK(hipStreamWaitEvent(copies_.stream, computed_, 0));
    HIP_CHECK(hipMemcpy2DAsync(smooth, row, target_.data, target_.pitch, row, kRows, hipMemcpyDeviceToHost,
                               copies_.stream));
    HIP_CHECK(hipMemcpyAsync(maxima, maxima_, kRows * sizeof(T), hipMemcpyDeviceToHost, copies_.stream));
    HIP_CHECK(hipLaunchHostFunc(copies_.stream, done, user));
  }

  hipGraphExec_t capture(const T *in, T *smooth, T *maxima, hipHostFn_t done, void *user) {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    HIP_CHECK(hipStreamBeginCapture(copies_.stream, hipStreamCaptureModeGlobal));
    enqueue(in, smooth, maxima, done, user);
    HIP_CHECK(hipStreamEndCapture(copies_.stream, &graph));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    HIP_CHECK(hipGraphDestroy(graph));
    return exec;
  }

  void launch(hipGraphExec_t exec) { HIP_CHECK(hipGraphLaunch(exec, copies_.stream)); }
  void wait() { HIP_CHECK(hipStreamSynchronize(copies_.stream)); }

  pipeline() {
    HIP_CHECK(hipEventCreateWithFlags(&copied_, hipEventDisableTiming));
    HIP_CHECK(hipEventCreateWithFlags(&computed_, hipEventDisableTiming));
    HIP_CHECK(hipMallocAsync(reinterpret_cast<void **>(&maxima_), kRows * sizeof(T), kernels_.stream));
  }
  ~pipeline() {
    (void)hipFreeAsync(maxima_, kernels_.stream);
    (void)hipEventDestroy(copied_);
    (void)hipEventDestroy(computed_);
  }

 private:
  stream_of_work copies_, kernels_;
  pitched_image<T> source_, target_;
  hipEvent_t copied_ = nullptr, computed_ = nullptr;
  T *maxima_ = nullptr;
};

void count_one(void *counter) { ++*static_cast<int *>(counter); }

template <class T>
void compare(checker &check, const std::vector<T> &in, const std::vector<T> &smooth,
             const std::vector<T> &maxima, double bound) {
  for (int row = 0; row < kRows; ++row) {
    double best = -1e30;
    for (int column = 0; column < kColumns; ++column) {
      double sum = 0;
      for (int k = -kRadius; k <= kRadius; ++k)
        sum += in[row * kColumns + std::clamp(column + k, 0, kColumns - 1)];
      const double want = sum / (2 * kRadius + 1);
      check.near(smooth[row * kColumns + column], want, bound, row * kColumns + column);
      best = std::max(best, static_cast<double>(smooth[row * kColumns + column]));
    }
    check.near(maxima[row], best, 0, row);
  }
}

template <class T>
void run(checker &check, double epsilon) {
  // The bound covers five additions and a division of numbers below 100, each rounded once.
  const double bound = 7 * 100 * epsilon;
  generator random{static_cast<uint64_t>(sizeof(T))};
  pipeline<T> p;
  std::vector<T> in(kRows * kColumns), smooth(in.size()), maxima(kRows);
  int finished = 0;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    for (T &value : in) value = random.uniform(-100, 100);
    p.enqueue(in.data(), smooth.data(), maxima.data(), count_one, &finished);
    p.wait();
    compare(check, in, smooth, maxima, bound);
  }
  hipGraphExec_t exec = p.capture(in.data(), smooth.data(), maxima.data(), count_one, &finished);
  check.near(finished, kChunks, 0, 0);  // capturing runs nothing
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    for (T &value : in) value = random.uniform(-100, 100);
    p.launch(exec);
    p.wait();
    compare(check, in, smooth, maxima, bound);
  }
  check.near(finished, 2 * kChunks, 0, 1);
  HIP_CHECK(hipGraphExecDestroy(exec));
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"pipeline"};
  run<float>(check, 0x1p-24);
  run<double>(check, 0x1p-53);
  return check.verdict();
}
