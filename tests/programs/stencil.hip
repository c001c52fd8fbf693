// SPDX-License-Identifier: MIT
// Runs stencils in two and three dimensions and all-pairs gravity in float and double, on pitched memory and
// with dynamic LDS. Built with -O3 -ffast-math, so bounds allow for reordered sums and approximate divisions.
#include "program.h"

#include <algorithm>

constexpr int kTile = 16, kRadius = 2;
struct weights {
  float of[2 * kRadius + 1];
};

__global__ __launch_bounds__(kTile *kTile) void blur(const float *in, float *out, int width, int height,
                                                     size_t pitch, weights w) {
  constexpr int kSide = kTile + 2 * kRadius;
  __shared__ float tile[kSide][kSide + 1];
  const int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  for (int y = threadIdx.y; y < kSide; y += kTile) {
    for (int x = threadIdx.x; x < kSide; x += kTile) {
      const int from_x = min(max(x0 + x - kRadius, 0), width - 1);
      const int from_y = min(max(y0 + y - kRadius, 0), height - 1);
      tile[y][x] = in[from_y * (pitch / sizeof(float)) + from_x];
    }
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j <= 2 * kRadius; ++j) {
    for (int i = 0; i <= 2 * kRadius; ++i) {
      sum += w.of[j] * w.of[i] * tile[threadIdx.y + j][threadIdx.x + i];
    }
  }
  out[y * (pitch / sizeof(float)) + x] = sum;
}

__host__ __device__ inline double diffused(const double *a, dim3 n, unsigned x, unsigned y, unsigned z) {
  const size_t row = n.x, plane = row * n.y, i = z * plane + y * row + x;
  if (x == 0 || y == 0 || z == 0 || x == n.x - 1 || y == n.y - 1 || z == n.z - 1) return a[i];
  return a[i] +
         0.125 * (a[i - 1] + a[i + 1] + a[i - row] + a[i + row] + a[i - plane] + a[i + plane] - 6 * a[i]);
}

__global__ void diffuse(const double *__restrict__ a, double *__restrict__ b, dim3 n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n.x && y < n.y && z < n.z) b[(z * n.y + y) * n.x + x] = diffused(a, n, x, y, z);
}

// Body: position x, y, z and mass w. T is the scalar, V its vector of four.
template <class T, class V>
__global__ void gravity(const V *bodies, V *forces, int count, T softening) {
  extern __shared__ char raw[];
  V *const part = reinterpret_cast<V *>(raw);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, block = blockDim.x;
  const V self = bodies[min(i, count - 1)];
  T x = 0, y = 0, z = 0;
  for (int first = 0; first < count; first += block) {
    __syncthreads();
    if (first + static_cast<int>(threadIdx.x) < count) part[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(block, count - first); ++k) {
      const T dx = part[k].x - self.x, dy = part[k].y - self.y, dz = part[k].z - self.z;
      const T inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      const T force = part[k].w * inverse * inverse * inverse;
      x += force * dx, y += force * dy, z += force * dz;
    }
  }
  if (i < count) forces[i].x = x, forces[i].y = y, forces[i].z = z, forces[i].w = 0;
}

void check_blur(checker &check, generator &random) {
  constexpr int kWidth = 75, kHeight = 53;
  constexpr size_t kRow = kWidth * sizeof(float);
  const weights w = {{1, 4, 6, 4, 1}};
  std::vector<float> image(kWidth * kHeight), got(kWidth * kHeight);
  for (float &value : image) value = random.bits() % 256;  // integers: every sum is exact
  float *in = nullptr, *out = nullptr;
  size_t pitch = 0;
  HIP_CHECK(hipMallocPitch(reinterpret_cast<void **>(&in), &pitch, kRow, kHeight));
  HIP_CHECK(hipMallocPitch(reinterpret_cast<void **>(&out), &pitch, kRow, kHeight));
  HIP_CHECK(hipMemcpy2D(in, pitch, image.data(), kRow, kRow, kHeight, hipMemcpyHostToDevice));
  const dim3 grid((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile);
  blur<<<grid, dim3(kTile, kTile)>>>(in, out, kWidth, kHeight, pitch, w);
  HIP_CHECK(hipMemcpy2D(got.data(), kRow, out, pitch, kRow, kHeight, hipMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i) {
    float sum = 0;
    for (int dy = -kRadius; dy <= kRadius; ++dy) {
      for (int dx = -kRadius; dx <= kRadius; ++dx) {
        const int x = std::clamp(i % kWidth + dx, 0, kWidth - 1);
        const int y = std::clamp(i / kWidth + dy, 0, kHeight - 1);
        sum += w.of[dy + kRadius] * w.of[dx + kRadius] * image[y * kWidth + x];
      }
    }
    check.near(got[i], sum, 0, i);
  }
}

void check_diffusion(checker &check, generator &random) {
  const dim3 n(19, 13, 11);
  std::vector<double> a(n.x * n.y * n.z), b(a.size());
  for (double &value : a) value = random.uniform(0, 1000);
  double *a_device = to_device(a), *b_device = to_device(b);
  for (int step = 0; step < 4; ++step) {
    diffuse<<<dim3(3, 4, 3), dim3(8, 4, 4)>>>(a_device, b_device, n);
    std::swap(a_device, b_device);
    for (unsigned i = 0; i < a.size(); ++i)
      b[i] = diffused(a.data(), n, i % n.x, i / n.x % n.y, i / n.x / n.y);
    std::swap(a, b);
  }
  const std::vector<double> got = to_host(a_device, a.size());
  for (size_t i = 0; i < a.size(); ++i) check.near(got[i], a[i], 1e-10, i);
}

template <class T, class V>
void check_gravity(checker &check, generator &random, double bound) {
  constexpr int kBodies = 200, kThreads = 128;
  std::vector<V> bodies(kBodies);
  for (V &b : bodies) {
    b.x = random.uniform(-1, 1), b.y = random.uniform(-1, 1), b.z = random.uniform(-1, 1);
    b.w = random.uniform(0, 1);
  }
  V *const forces = to_device(bodies);
  gravity<T><<<2, kThreads, kThreads * sizeof(V)>>>(to_device(bodies), forces, kBodies, T(0.0625));
  const std::vector<V> got = to_host(forces, kBodies);
  for (int i = 0; i < kBodies; ++i) {
    double want[3] = {0, 0, 0}, scale = 0;  // scale: the sum of magnitudes, to which rounding is relative
    for (const V &b : bodies) {
      const double d[3] = {double(b.x) - bodies[i].x, double(b.y) - bodies[i].y, double(b.z) - bodies[i].z};
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.0625;
      for (int axis = 0; axis < 3; ++axis) want[axis] += b.w * d[axis] / (square * std::sqrt(square));
      scale += b.w / square;
    }
    check.near(got[i].x, want[0], bound * scale, i);
    check.near(got[i].y, want[1], bound * scale, i);
    check.near(got[i].z, want[2], bound * scale, i);
  }
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"stencil"};
  generator random{51};
  check_blur(check, random);
  check_diffusion(check, random);
  check_gravity<float, float4>(check, random, 4e-6);
  check_gravity<double, double4>(check, random, 1e-14);
  return check.verdict();
}
