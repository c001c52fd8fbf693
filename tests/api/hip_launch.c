// SPDX-License-Identifier: MIT
// Launches through the module interface: both ways to pass arguments, grids in three dimensions, globals, and
// what is refused. Arguments: code objects for gfx950 (device 0) and gfx942 (device 1).
#include <pthread.h>

#include "hip_capture.h"
#include "wavetile_sim.h"

hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx,
                                    uint32_t ly, uint32_t lz, size_t lds, hipStream_t stream, void **params,
                                    void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags);

static hipModule_t module;

static hipFunction_t kernel(const char *name) {
  hipFunction_t f = NULL;
  OK(hipModuleGetFunction(&f, module, name));
  return f;
}

typedef struct mixed {
  char c;
  double d;
  short s[3];
} mixed;

static void check_packed(const double *out, const char *how) {
  static const double expected[10] = {-3, -300, 70000, 1.0e15, 0.5, -0.125, 7, 2.5, 321, 77};
  for (int i = 0; i < 10; ++i)
    CHECK(out[i] == expected[i], "%s: argument %d is %g, not %g", how, i, out[i], expected[i]);
}

static void arguments_arrive_by_params_and_by_extra(void) {
  double *out;
  OK(hipMallocManaged((void **)&out, 10 * sizeof *out, hipMemAttachGlobal));
  char a = -3, h = 77;
  short b = -300;
  int c = 70000;
  long d = 1000000000000000;
  float e = 0.5f;
  double f = -0.125;
  mixed g = {7, 2.5, {1, 2, 3}};
  void *params[] = {&out, &a, &b, &c, &d, &e, &f, &g, &h};
  OK(hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  OK(hipDeviceSynchronize());
  check_packed(out, "kernelParams");

  // Holds the same arguments as the C struct that their natural layout is.
  struct {
    double *out;
    char a;
    short b;
    int c;
    long d;
    float e;
    double f;
    mixed g;
    char h;
  } buffer = {out, a, b, c, d, e, f, g, h};
  size_t size = sizeof buffer;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  void *swapped[] = {HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer,
                     HIP_LAUNCH_PARAM_END};
  memset(out, 0, 10 * sizeof *out);
  OK(hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  OK(hipDeviceSynchronize());
  check_packed(out, "extra");
  memset(out, 0, 10 * sizeof *out);
  OK(hipExtModuleLaunchKernel(kernel("pack"), 64, 1, 1, 64, 1, 1, 0, NULL, NULL, swapped, NULL, NULL, 0));
  OK(hipDeviceSynchronize());
  check_packed(out, "extra, size first");

  SAYS(hipErrorInvalidValue, "both kernelParams and extra",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, params, extra));
  void *endless[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer};
  SAYS(hipErrorInvalidValue, "extra[4]",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, endless));
  extra[0] = (void *)17;
  SAYS(hipErrorInvalidValue, "extra[0]",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  SAYS(hipErrorInvalidValue, "argument 0",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
  params[3] = NULL;
  SAYS(hipErrorInvalidValue, "argument 3",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  OK(hipFree(out));
}

static unsigned long long errors_found(int enable) {
  unsigned long long errors;
  wtSimCheck(enable, &errors, NULL);
  return errors;
}

// An `extra` that ends before the metadata's arguments do is taken. What is missing holds the pattern of
// uninitialised registers, and check mode reports its use.
static void arguments_may_be_missing_from_extra(void) {
  static const unsigned char missing[8] = {0xad, 0xde, 0xc0, 0xff, 0xad, 0xde, 0xc0, 0xff};
  struct {
    double *out;
    char a;
    short b;
    int c;
    long d;
  } buffer = {NULL, -3, -300, 70000, 1000000000000000};
  for (size_t size = 8; size <= sizeof buffer; size += 4) {
    double *out;
    OK(hipMallocManaged((void **)&out, 10 * sizeof *out, hipMemAttachGlobal));
    buffer.out = out;
    unsigned char given[8 + sizeof buffer];
    memcpy(given, &buffer, sizeof buffer);
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, given, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    const unsigned long long before = errors_found(1);
    OK(hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    OK(hipDeviceSynchronize());
    CHECK(errors_found(0) > before, "%zu bytes: check mode says nothing", size);
    for (size_t i = size; i < sizeof buffer; ++i) given[i] = missing[i % 4];
    long d;
    int c;
    memcpy(&c, given + 12, sizeof c);
    memcpy(&d, given + 16, sizeof d);
    CHECK(out[0] == (double)(signed char)given[8] && out[2] == c && out[3] == (double)d,
          "%zu bytes: %g %g %g", size, out[0], out[2], out[3]);
    CHECK(out[4] != out[4] && out[9] == (double)(signed char)missing[0], "%zu bytes: %g %g", size, out[4],
          out[9]);
    OK(hipFree(out));
  }
  // Nothing of what this kernel reads is missing: no finding.
  int *out;
  size_t size = sizeof out;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &out, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  OK(hipMalloc((void **)&out, 64 * sizeof *out));
  const unsigned long long before = errors_found(1);
  OK(hipModuleLaunchKernel(kernel("takes_more_than_it_reads"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  OK(hipDeviceSynchronize());
  CHECK(errors_found(0) == before, "%llu findings", errors_found(0) - before);
  size = 0;  // no argument at all is taken, too
  OK(hipModuleLaunchKernel(kernel("reads_nothing"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

static void grids_have_three_dimensions(void) {
  enum { W = 4 * 3, H = 8 * 2, D = 2 * 5 };
  unsigned *out, width = W, height = H, wrong = 0;
  unsigned long long before, after;
  OK(hipHostMalloc((void **)&out, W * H * D * sizeof *out, 0));
  memset(out, 0xff, W * H * D * sizeof *out);
  void *params[] = {&out, &width, &height};
  hipEvent_t start, stop;
  float ms = -1;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  wtSimTotals(NULL, &before);
  OK(hipExtModuleLaunchKernel(kernel("where"), W, H, D, 4, 8, 2, 0, NULL, params, NULL, start, stop, 0));
  wtSimTotals(NULL, &after);
  CHECK(after - before == 3 * 2 * 5, "%llu workgroups", after - before);
  OK(hipEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0, "events stand around the kernel: %g", ms);
  for (unsigned i = 0; i < W * H * D; ++i) wrong += out[i] != (i % W | i / W % H << 8 | i / (W * H) << 16);
  CHECK(wrong == 0, "%u work-items are somewhere else", wrong);
  SAYS(hipErrorInvalidValue, "a grid of 1x65537x1 blocks exceeds the largest",
       hipModuleLaunchKernel(kernel("where"), 1, 65537, 1, 1, 1, 1, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "no multiple",
       hipExtModuleLaunchKernel(kernel("where"), W + 1, H, D, 4, 8, 2, 0, NULL, params, NULL, NULL, NULL, 0));
  // A block that is larger than the launch shrinks to it.
  unsigned written = 0;
  memset(out, 0xff, W * H * D * sizeof *out);
  OK(hipExtModuleLaunchKernel(kernel("where"), 3, 2, 1, 4, 8, 2, 0, NULL, params, NULL, NULL, NULL, 0));
  OK(hipDeviceSynchronize());
  for (unsigned i = 0; i < W * H * D; ++i) written += out[i] != UINT32_MAX;
  CHECK(written == 6 && out[W + 2] == (2 | 1 << 8), "%u work-items wrote", written);
  OK(hipEventDestroy(start));
  OK(hipEventDestroy(stop));
  OK(hipHostFree(out));
}

static void globals_are_shared_with_the_host(void) {
  int *out, table[4] = {1000, 2000, 3000, 4000};
  hipDeviceptr_t address;
  size_t size;
  OK(hipMallocManaged((void **)&out, 64 * sizeof *out, hipMemAttachGlobal));
  void *params[] = {&out};
  OK(hipModuleLaunchKernel(kernel("add_table"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  OK(hipModuleGetGlobal(&address, &size, module, "table"));
  OK(hipMemcpyHtoD(address, table, sizeof table));
  OK(hipModuleLaunchKernel(kernel("add_table"), 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  OK(hipDeviceSynchronize());
  for (int i = 0; i < 64; ++i) CHECK(out[i] == 1010 * (i % 4 + 1), "element %d is %d", i, out[i]);
  OK(hipFree(out));
}

static void bad_launches_are_refused_at_once(void) {
  int *out, in_host[256], sum = 0, expected = 0;
  hipDeviceProp_t p;
  int device;
  OK(hipGetDevice(&device));
  OK(hipGetDeviceProperties(&p, device));
  OK(hipMalloc((void **)&out, 257 * sizeof *out));
  for (int i = 0; i < 256; ++i) expected += in_host[i] = 3 * i - 100;
  OK(hipMemcpy(out + 1, in_host, sizeof in_host, hipMemcpyHostToDevice));
  int *in = out + 1;
  void *params[] = {&out, &in};
  hipFunction_t f = kernel("sum_in_lds");
  SAYS(hipErrorLaunchFailure, "257x1x1", hipModuleLaunchKernel(f, 1, 1, 1, 257, 1, 1, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "size 0", hipModuleLaunchKernel(f, 1, 0, 1, 256, 1, 1, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "size 0", hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 0, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidConfiguration, "2^32",
       hipModuleLaunchKernel(f, 1u << 30, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "more than 1024 work-items",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 65536, 65536, 4, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "more than 1024 work-items",
       hipModuleLaunchKernel(kernel("pack"), 1, 1, 1, 5, 41, 5, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "more than 1024 work-items",
       hipExtModuleLaunchKernel(f, 1, 1, 1, UINT32_MAX, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0));
  SAYS(hipErrorInvalidHandle, "not a function",
       hipExtModuleLaunchKernel((hipFunction_t)&sum, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL, NULL, NULL, 0));
  SAYS(hipErrorInvalidValue, "LDS",
       hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, UINT32_MAX, NULL, params, NULL));
  SAYS(
      hipErrorLaunchOutOfResources, "LDS",
      hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, (unsigned)p.sharedMemPerBlock - 1023, NULL, params, NULL));
  SAYS(hipErrorInvalidHandle, "not a function",
       hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
  SAYS(hipErrorInvalidValue, "not a stream",
       hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, (hipStream_t)params, params, NULL));
  OK(hipDeviceSynchronize());
  // This is the largest LDS that fits, in a stream.
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, (unsigned)p.sharedMemPerBlock - 1024, stream, params,
                           NULL));
  OK(hipMemcpyAsync(&sum, out, sizeof sum, hipMemcpyDeviceToHost, stream));
  OK(hipStreamDestroy(stream));
  CHECK(sum == expected, "sum %d, expected %d", sum, expected);
  OK(hipSetDevice(!device));
  SAYS(hipErrorInvalidHandle, "was loaded for device",
       hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
  OK(hipSetDevice(device));
  OK(hipFree(out));
}

typedef struct worker {
  const char *path;
  int device, seed;
  long wrong;
} worker;

// Loads its own module and launches in its own stream, while other threads do the same.
static void *work(void *argument) {
  worker *w = argument;
  hipModule_t own;
  hipFunction_t sum;
  hipStream_t stream;
  int *buffer, host[256], result;
  w->wrong += hipSetDevice(w->device) != hipSuccess || hipModuleLoad(&own, w->path) != hipSuccess ||
              hipModuleGetFunction(&sum, own, "sum_in_lds") != hipSuccess ||
              hipStreamCreate(&stream) != hipSuccess ||
              hipMalloc((void **)&buffer, 257 * sizeof *buffer) != hipSuccess;
  for (int round = 0; round < 10 && !w->wrong; ++round) {
    int expected = 0, *in = buffer + 1;
    void *params[] = {&buffer, &in};
    for (int i = 0; i < 256; ++i) expected += host[i] = i * w->seed + round;
    w->wrong += hipMemcpyAsync(in, host, sizeof host, hipMemcpyHostToDevice, stream) != hipSuccess;
    w->wrong += hipModuleLaunchKernel(sum, 1, 1, 1, 256, 1, 1, 0, stream, params, NULL) != hipSuccess;
    w->wrong += hipMemcpyAsync(&result, buffer, sizeof result, hipMemcpyDeviceToHost, stream) != hipSuccess;
    w->wrong += hipStreamSynchronize(stream) != hipSuccess || result != expected;
  }
  w->wrong += hipFree(buffer) != hipSuccess || hipStreamDestroy(stream) != hipSuccess ||
              hipModuleUnload(own) != hipSuccess;
  return NULL;
}

static void threads_may_launch_at_once(char **paths) {
  pthread_t thread[4];
  worker workers[4];
  for (int i = 0; i < 4; ++i) {
    workers[i] = (worker){paths[i % 2], i % 2, i + 1, 0};
    pthread_create(&thread[i], NULL, work, &workers[i]);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(thread[i], NULL);
    CHECK(workers[i].wrong == 0, "thread %d: %ld wrong", i, workers[i].wrong);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: code objects for gfx950 and gfx942");
  for (int device = 0; device < 2 && argc == 3; ++device) {
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    arguments_arrive_by_params_and_by_extra();
    arguments_may_be_missing_from_extra();
    grids_have_three_dimensions();
    globals_are_shared_with_the_host();
    bad_launches_are_refused_at_once();
    OK(hipModuleUnload(module));
  }
  if (argc == 3) threads_may_launch_at_once(argv + 1);
  return test_result();
}
