// SPDX-License-Identifier: MIT
// Launches kernels that go wrong: the matching error is delivered once, the report names what happened, and
// the next launch works. Also: results that depend on the order of work-groups do not depend on the number of
// host threads.
#include <hip/hip_runtime_api.h>

#include "hip_capture.h"
#include "wavetile_sim.h"

// The HIP 5.2 headers define no such code; sim/hip/hip.h says why it is this one.
#define hipErrorMisalignedAddress ((hipError_t)716)

enum { GROUPS = 8, ITEMS = GROUPS * 64 };

static hipModule_t module;
static const char *target;

static hipError_t launch(const char *name, void *a, void *b, unsigned lds) {
  hipFunction_t function;
  hipError_t error = hipModuleGetFunction(&function, module, name);
  CHECK(error == hipSuccess, "%s: kernel %s: %s", target, name, hipGetErrorString(error));
  if (error) return error;
  void *args[] = {&a, &b};
  error = hipModuleLaunchKernel(function, GROUPS, 1, 1, 64, 1, 1, lds, NULL, args, NULL);
  CHECK(error == hipSuccess, "%s: launching %s is valid, got %s", target, name, hipGetErrorString(error));
  return hipDeviceSynchronize();
}

// Runs a launch with stderr captured into `text`.
static hipError_t launch_captured(const char *name, void *a, unsigned lds, char text[1024]) {
  hip_capture capture = capture_begin();
  hipError_t error = launch(name, a, a, lds);
  capture_end(capture, text);
  return error;
}

static void faults_are_reported_and_survived(void) {
  static const struct {
    const char *kernel;
    hipError_t error;
    unsigned lds;
    const char *words[6];  // all must be in the report
  } cases[] = {
      {"store_outside",
       hipErrorIllegalAddress,
       0,
       {"store_outside", "work-group (1,0,0)", "lane 17", "global_store_dword", "nearest allocation",
        "past the end"}},
      {"load_null", hipErrorIllegalAddress, 0, {"load_null", "lane 0", "load_dword", "0x0"}},
      {"lds_outside", hipErrorLaunchFailure, 1024, {"lds_outside", "lane 5", "ds_write_b32", "0x11170"}},
      {"never_ends", hipErrorLaunchTimeOut, 0, {"never_ends", "WT_SIM_BUDGET"}},
      {"traps", hipErrorLaunchFailure, 0, {"traps", "s_trap"}},
      {"misaligned_copy",
       hipErrorMisalignedAddress,
       1024,
       {"misaligned_copy", "global_load_lds_dword", "lane 0"}},
      {"asks_for_service_77",
       hipErrorNotSupported,
       0,
       {"asks_for_service_77", "asks the host for a service"}},
      {"calls_load",
       hipErrorIllegalAddress,
       0,
       {"kernel  calls_load", "load_in_callee", "+0x", "_load_dword"}},
      {"unknown_instruction", hipErrorNotSupported, 0, {"unknown_instruction", "0xc00effff"}},
  };
  int *buffer;
  CHECK(hipMalloc((void **)&buffer, ITEMS * sizeof *buffer) == hipSuccess, "allocate");
  setenv("WT_SIM_BUDGET", "200000", 1);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char report[1024];
    hipError_t error = launch_captured(cases[i].kernel, buffer, cases[i].lds, report);
    CHECK(error == cases[i].error, "%s: %s gave %s, expected %s; report: %s", target, cases[i].kernel,
          hipGetErrorName(error), hipGetErrorName(cases[i].error), report);
    for (int word = 0; word < 6 && cases[i].words[word]; ++word)
      CHECK(strstr(report, cases[i].words[word]), "%s: the report does not say '%s': %s", target,
            cases[i].words[word], report);
    CHECK(hipDeviceSynchronize() == hipSuccess, "%s: the error of %s is delivered once", target,
          cases[i].kernel);
    int out[ITEMS];
    CHECK(launch("fine", buffer, NULL, 0) == hipSuccess, "%s: a launch after %s", target, cases[i].kernel);
    CHECK(hipMemcpy(out, buffer, sizeof out, hipMemcpyDeviceToHost) == hipSuccess, "copy back");
    int wrong = 0;
    for (int k = 0; k < ITEMS; ++k) wrong += out[k] != k * 3 + 1;
    CHECK(wrong == 0, "%s: %d wrong elements after %s", target, wrong, cases[i].kernel);
  }
  unsetenv("WT_SIM_BUDGET");
  hipFree(buffer);
}

static void results_do_not_depend_on_host_threads(void) {
  static const char *const threads[] = {"1", "2", "3", "7"};
  test_rng rng = test_seed(11);
  float input[ITEMS], first_sum = 0;
  unsigned first_mixture = 0;
  for (int i = 0; i < ITEMS; ++i) input[i] = (float)(test_random(&rng) % 1000003) * 1.0e-3f;
  float *device_input, *sum;
  unsigned *counter, *order;
  CHECK(hipMalloc((void **)&device_input, sizeof input) == hipSuccess, "allocate");
  CHECK(hipMalloc((void **)&sum, sizeof *sum) == hipSuccess, "allocate");
  CHECK(hipMalloc((void **)&counter, sizeof *counter) == hipSuccess, "allocate");
  CHECK(hipMalloc((void **)&order, GROUPS * sizeof *order) == hipSuccess, "allocate");
  hipMemcpy(device_input, input, sizeof input, hipMemcpyHostToDevice);
  for (size_t t = 0; t < sizeof threads / sizeof threads[0]; ++t) {
    setenv("WT_SIM_THREADS", threads[t], 1);
    float total;
    unsigned tickets[GROUPS];
    hipMemset(sum, 0, sizeof *sum);
    hipMemset(counter, 0, sizeof *counter);
    CHECK(launch("rounding_sum", sum, device_input, 0) == hipSuccess, "sum");
    CHECK(launch("tickets", counter, order, 0) == hipSuccess, "tickets");
    hipMemcpy(&total, sum, sizeof total, hipMemcpyDeviceToHost);
    hipMemcpy(tickets, order, sizeof tickets, hipMemcpyDeviceToHost);
    unsigned mixture = 0;
    hipMemset(counter, 0, sizeof *counter);
    CHECK(launch("mixed_atomics", counter, device_input, 0) == hipSuccess, "mixed atomics");
    hipMemcpy(&mixture, counter, sizeof mixture, hipMemcpyDeviceToHost);
    if (t == 0) first_mixture = mixture;
    CHECK(mixture == first_mixture, "%s: mixed atomics give %#x with %s threads, %#x with 1", target, mixture,
          threads[t], first_mixture);
    if (t == 0) first_sum = total;
    CHECK(memcmp(&total, &first_sum, sizeof total) == 0, "%s: sum %.9g with %s threads, %.9g with 1", target,
          total, threads[t], first_sum);
    for (unsigned i = 0; i < GROUPS; ++i)
      CHECK(tickets[i] == i, "%s: work-group %u drew ticket %u with %s threads", target, i, tickets[i],
            threads[t]);
  }
  unsetenv("WT_SIM_THREADS");
  hipFree(device_input);
  hipFree(sum);
  hipFree(counter);
  hipFree(order);
}

// An allocation of two pages and 100 bytes, and registered memory that begins within one page and ends within
// the next.
static void accesses_fault_by_byte_or_by_page(void) {
  enum { PAGE = 4096, SIZE = 2 * PAGE + 100, BEGIN = 256, END = PAGE + 200 };
  static const struct {
    int offset;
    bool registered, exact, page;  // whether the access passes
    const char *only;              // the one kernel that can make this access
  } cases[] = {
      {SIZE - 4, false, true, true, NULL},
      {SIZE, false, false, true, NULL},
      {SIZE - 2, false, false, true, "read_vector"},
      {3 * PAGE - 4, false, false, true, NULL},
      {3 * PAGE - 2, false, false, false, "read_vector"},
      {3 * PAGE, false, false, false, NULL},
      {-4, false, false, false, NULL},
      {BEGIN, true, true, true, NULL},
      {BEGIN - 4, true, false, true, NULL},
      {0, true, false, true, NULL},
      {-4, true, false, false, NULL},
      {END, true, false, true, NULL},
      {2 * PAGE - 4, true, false, true, NULL},
      {2 * PAGE, true, false, false, NULL},
  };
  static const char *const kernels[] = {"read_scalar", "read_vector"};
  char *memory, *host = aligned_alloc(PAGE, 4 * PAGE);
  int *out;
  CHECK(hipMalloc((void **)&memory, SIZE) == hipSuccess && hipMalloc((void **)&out, ITEMS * 4) == hipSuccess,
        "allocate");
  memset(host, 0, 4 * PAGE);
  CHECK(hipHostRegister(host + PAGE + BEGIN, END - BEGIN, 0) == hipSuccess, "register");
  CHECK(hipMemset(memory, 0x5a, SIZE) == hipSuccess, "fill");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int k = 0; k < 2; ++k)
      for (int page = 0; page < 2; ++page) {
        if (cases[i].only && strcmp(cases[i].only, kernels[k]) != 0) continue;
        char report[1024];
        const bool passes = page ? cases[i].page : cases[i].exact;
        setenv("WT_SIM_FAULT", page ? "page" : "exact", 1);
        wtSimCheck(i % 2, NULL, NULL);
        hip_capture capture = capture_begin();
        const hipError_t error =
            launch(kernels[k], out, (cases[i].registered ? host + PAGE : memory) + cases[i].offset, 0);
        capture_end(capture, report);
        CHECK(error == (passes ? hipSuccess : hipErrorIllegalAddress), "%s at %d (case %zu), by %s: %s; %s",
              kernels[k], cases[i].offset, i, page ? "page" : "byte", hipGetErrorName(error), report);
        if (passes) continue;
        CHECK(strstr(report, page ? "WT_SIM_FAULT=page" : "WT_SIM_FAULT=exact"), "%s", report);
        CHECK(page || !strstr(report, "WT_SIM_FAULT=page") == !cases[i].page, "%s", report);
      }
  wtSimCheck(0, NULL, NULL);
  unsetenv("WT_SIM_FAULT");
  // Without the setting, an access faults by byte.
  char report[1024];
  hip_capture capture = capture_begin();
  CHECK(launch("read_vector", out, memory + SIZE, 0) == hipErrorIllegalAddress, "past the end");
  capture_end(capture, report);
  CHECK(hipHostUnregister(host + PAGE + BEGIN) == hipSuccess, "unregister");
  hipFree(memory);
  hipFree(out);
  free(host);
}

static void wrong_settings_are_refused_by_name(void) {
  static const char *const settings[][2] = {{"WT_SIM_SCHEDULE", "soon"}, {"WT_SIM_SCHEDULE", "random:"},
                                            {"WT_SIM_BUDGET", "-5"},     {"WT_SIM_THREADS", "all"},
                                            {"WT_SIM_THREADS", "0"},     {"WT_SIM_FAULT", "pages"}};
  int *buffer;
  CHECK(hipMalloc((void **)&buffer, ITEMS * sizeof *buffer) == hipSuccess, "allocate");
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
    char report[1024];
    setenv(settings[i][0], settings[i][1], 1);
    hipError_t error = launch_captured("fine", buffer, 0, report);
    unsetenv(settings[i][0]);
    CHECK(error != hipSuccess, "%s=%s was taken", settings[i][0], settings[i][1]);
    CHECK(strstr(report, settings[i][0]) && strstr(report, settings[i][1]), "%s=%s: report: %s",
          settings[i][0], settings[i][1], report);
  }
  CHECK(launch("fine", buffer, NULL, 0) == hipSuccess, "a launch after them");
  hipFree(buffer);
}

int main(int argc, char **argv) {
  int devices = 0;
  CHECK(argc == 3, "arguments: the code object of each device in order");
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices", devices);
  for (int device = 0; device < devices && argc == 3; ++device) {
    target = argv[device + 1];
    CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
    hipError_t error = hipModuleLoad(&module, target);
    CHECK(error == hipSuccess, "%s: %s", target, hipGetErrorString(error));
    if (error) continue;
    faults_are_reported_and_survived();
    accesses_fault_by_byte_or_by_page();
    wrong_settings_are_refused_by_name();
    results_do_not_depend_on_host_threads();
    hipModuleUnload(module);
  }
  return test_result();
}
