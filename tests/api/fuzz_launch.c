// SPDX-License-Identifier: MIT
// Fuzzes everything from a module's load to the end of a launch: a code object with changed bytes, kernels of
// random instructions with any arguments, grid and request to the host, on both chips, plain, in check mode
// and with the timing model. Each ends in an error or in success; neither may disturb the next. With clang
// -fsanitize=fuzzer it is a libFuzzer target; otherwise (WT_FUZZ_DRIVER) see tests/fuzz_driver.h.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "tests/isa/opcodes.h"
#include "wavetile_sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

// This is younger than Debian's headers.
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned grid_x, unsigned grid_y,
                                            unsigned grid_z, unsigned block_x, unsigned block_y,
                                            unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                            void **params);

// Describes an input: this header, `patches` of the code object, `words` of arguments, code for the rest.
// What is missing at its end is zero.
typedef struct header {
  uint8_t modes;  // MODE_*
  uint8_t timing : 2, schedule : 3, threads : 1, params : 1, null_param : 1;
  uint8_t kernel, grid[3], patches, words, extra_bytes;
  uint8_t block_y, block_z, reserved;
  uint16_t block_x, dynamic_lds;
} header;
enum { MODE_GFX942 = 1, MODE_CHECK = 2, MODE_LDS = 4, MODE_COOPERATIVE = 8, MODE_RESIDENT = 16 };
typedef struct patch {
  uint16_t at;
  uint8_t value, reserved;
} patch;
typedef struct word {  // of arguments
  uint8_t kind, reserved[3];
  uint32_t low;
} word;
enum { WORD_NUMBER, WORD_MEMORY, WORD_END, WORD_HOST, WORD_LARGE, WORD_KINDS };
_Static_assert(sizeof(header) == 16 && sizeof(patch) == 4 && sizeof(word) == 8, "no padding");

enum { MEMORY = 65536, WORDS = 8, BODY = 4096, OBJECT = 65536, ARGUMENTS = 4096 };

typedef struct base_object {
  uint8_t bytes[OBJECT];
  size_t size, body;  // where the code is that is replaced
} base_object;

static base_object bases[2];
static int memory_file;
static uint64_t arguments[ARGUMENTS / 8];

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "fuzz_launch: %s\n", what);
  abort();
}

// ---- what is the same for all inputs

static void read_base(base_object *base, const char *path) {
  static const char mark[] = "CodeRemo in body";  // as fuzz_launch.s has it, in two quadwords
  FILE *file = fopen(path, "rb");
  require(file != NULL, "a base object cannot be opened");
  base->size = fread(base->bytes, 1, sizeof base->bytes, file);
  fclose(file);
  const uint8_t *at = memmem(base->bytes, base->size, mark, sizeof mark - 1);
  require(at && (size_t)(at - base->bytes) + BODY <= base->size, "a base object has no body");
  base->body = (size_t)(at - base->bytes);
}

static void prepare(void) {
  static bool prepared;
  if (prepared) return;
  prepared = true;
  setenv("WT_SIM_DEVICES", "mi355x,mi300x", 1);
  setenv("WT_SIM_QUIET", "1", 1);
  setenv("WT_SIM_BUDGET", "20000", 1);
  read_base(&bases[0], WT_FUZZ_OBJECTS "/fuzz_launch.gfx950.co");
  read_base(&bases[1], WT_FUZZ_OBJECTS "/fuzz_launch.gfx942.co");
  memory_file = memfd_create("fuzz_launch", 0);
  require(memory_file >= 0, "no file in memory");
  require(freopen("/dev/null", "w", stdout) != NULL, "no place for what kernels print");
}

// ---- one input

typedef struct reader {
  const uint8_t *at, *end;
} reader;

static void take(reader *r, void *out, size_t size) {
  const size_t have = (size_t)(r->end - r->at), n = have < size ? have : size;
  memset(out, 0, size);
  if (n) memcpy(out, r->at, n);
  r->at += n;
}

static hipModule_t load(const base_object *base, const header *h, reader *r, const uint8_t *code,
                        size_t code_size) {
  static uint8_t bytes[OBJECT];
  char path[64];
  hipModule_t module = NULL;
  memcpy(bytes, base->bytes, base->size);
  for (unsigned i = 0; i < h->patches; ++i) {
    patch p;
    take(r, &p, sizeof p);
    bytes[p.at % base->size] = p.value;
  }
  memset(bytes + base->body, 0, 16);  // v_cndmask_b32 v0, s0, v0, vcc, and s_endpgm after the code
  if (code_size) memcpy(bytes + base->body, code, code_size < BODY ? code_size : BODY);
  require(ftruncate(memory_file, 0) == 0 && pwrite(memory_file, bytes, base->size, 0) == (ssize_t)base->size,
          "the file in memory cannot be written");
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory_file);
  return hipModuleLoad(&module, path) == hipSuccess ? module : NULL;
}

static uint64_t argument(const word *w, const uint8_t *memory, const uint8_t *host) {
  switch (w->kind % WORD_KINDS) {
    case WORD_MEMORY: return (uintptr_t)memory + w->low % MEMORY;
    case WORD_END: return (uintptr_t)memory + MEMORY - w->low % 64;
    case WORD_HOST: return (uintptr_t)host + w->low % MEMORY;
    case WORD_LARGE: return (uint64_t)w->low << 32 | w->low;
    default: return w->low;
  }
}

static void set_modes(const header *h) {
  static const char *const schedules[] = {"late",      "early",    "lockstep", "random:7",
                                          "late-vmem", "late-lds", "timed",    "random:8"};
  setenv("WT_SIM_SCHEDULE", schedules[h->schedule], 1);
  setenv("WT_SIM_THREADS", h->threads ? "2" : "1", 1);
  setenv("WT_SIM_RESIDENT", h->modes & MODE_RESIDENT ? "1" : "0", 1);
  wtSimCheck(h->modes & MODE_CHECK ? 1 : 0, NULL, NULL);
  wtSimLdsConflicts(h->modes & MODE_LDS ? 1 : 0, NULL, NULL);
  wtSimTiming(h->timing, NULL, 0);
}

static void launch(const header *h, hipFunction_t function) {
  size_t bytes = h->extra_bytes;
  void *params[WORDS], *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                                   &bytes, HIP_LAUNCH_PARAM_END};
  for (int i = 0; i < WORDS; ++i) params[i] = &arguments[i];
  if (h->null_param) params[h->reserved % WORDS] = NULL;
  // How many parameters a kernel takes is in the code object: only an unchanged one takes these.
  const bool by_params = h->params && !h->patches;
  hipError_t error;
  if (h->modes & MODE_COOPERATIVE && by_params)
    error = hipModuleLaunchCooperativeKernel(function, h->grid[0], h->grid[1], h->grid[2], h->block_x,
                                             h->block_y, h->block_z, h->dynamic_lds, NULL, params);
  else
    error = hipModuleLaunchKernel(function, h->grid[0], h->grid[1], h->grid[2], h->block_x, h->block_y,
                                  h->block_z, h->dynamic_lds, NULL, by_params ? params : NULL,
                                  by_params ? NULL : extra);
  if (error != hipSuccess) (void)hipGetLastError();
  (void)hipDeviceSynchronize();
  (void)hipGetLastError();
  require(hipDeviceSynchronize() == hipSuccess, "a fault is delivered twice");
}

// An ordinary kernel still runs.
static void check_device(const base_object *base) {
  static const uint32_t store[] = {0x7e2a02ff, 0x00c0ffee, 0xdc708000, 0x00101501, 0xbf810000};
  hipFunction_t function;
  uint32_t *memory = NULL, value = 0;
  const header plain = {.words = 0};
  reader none = {NULL, NULL};
  set_modes(&plain);
  hipModule_t module = load(base, &plain, &none, (const uint8_t *)store, sizeof store);
  require(module != NULL, "an ordinary module is not loaded any more");
  require(hipModuleGetFunction(&function, module, "fuzz_arguments") == hipSuccess, "its kernel is missing");
  require(hipMalloc((void **)&memory, MEMORY) == hipSuccess, "no memory any more");
  void *params[WORDS], *pointer = memory;
  for (int i = 0; i < WORDS; ++i) params[i] = &pointer;
  require(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL) == hipSuccess &&
              hipMemcpy(&value, memory, sizeof value, hipMemcpyDeviceToHost) == hipSuccess,
          "an ordinary launch fails");
  require(value == store[1], "an ordinary kernel stores something else");
  require(hipFree(memory) == hipSuccess && hipModuleUnload(module) == hipSuccess, "nothing can be released");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const kernels[] = {"fuzz_arguments", "fuzz_request", "fuzz_bare"};
  static unsigned count;
  static uint8_t host_memory[MEMORY];
  header h;
  reader r = {data, data + size};
  uint8_t *memory = NULL;
  hipFunction_t function;
  prepare();
  take(&r, &h, sizeof h);
  h.patches %= 16;
  h.words %= WORDS + 1;
  for (int i = 0; i < 3; ++i) h.grid[i] %= 4;
  const base_object *base = &bases[h.modes & MODE_GFX942];
  require(hipSetDevice(h.modes & MODE_GFX942) == hipSuccess, "no device");
  if (hipMalloc((void **)&memory, MEMORY) != hipSuccess) memory = NULL;
  const bool registered = hipHostRegister(host_memory, sizeof host_memory, 0) == hipSuccess;
  require(memory && registered, "no memory any more");
  const size_t before = h.patches * sizeof(patch) + h.words * sizeof(word), have = (size_t)(r.end - r.at);
  const uint8_t *code = have > before ? r.at + before : r.end;
  hipModule_t module = load(base, &h, &r, code, (size_t)(r.end - code));
  memset(arguments, 0, WORDS * sizeof *arguments);
  for (unsigned i = 0; i < h.words; ++i) {
    word w;
    take(&r, &w, sizeof w);
    arguments[i] = argument(&w, memory, host_memory);
  }
  set_modes(&h);
  if (module && hipModuleGetFunction(&function, module, kernels[h.kernel % 3]) == hipSuccess)
    launch(&h, function);
  if (module) require(hipModuleUnload(module) == hipSuccess, "a module cannot be unloaded");
  require(hipHostUnregister(host_memory) == hipSuccess, "host memory is not registered any more");
  // A request may free and allocate: everything goes.
  if (h.kernel % 3 == 1)
    require(hipDeviceReset() == hipSuccess, "the device cannot be reset");
  else
    require(hipFree(memory) == hipSuccess, "memory cannot be freed");
  (void)hipGetLastError();
  if (++count % 64 == 0) check_device(base);
  return 0;
}

// ---- making inputs

// Writes mostly instructions that the chip has: a stream ends at the first other one.
static void random_instruction(test_rng *rng, bool gfx942, uint32_t words[2]) {
  enum { KNOWN = 4096 };
  static uint32_t known[2][KNOWN][2];
  static bool made;
  if (!made) {
    test_rng seed = {1};
    isa_known_instructions("gfx950", &seed, known[0], KNOWN);
    isa_known_instructions("gfx942", &seed, known[1], KNOWN);
    made = true;
  }
  if (test_random(rng) % 64 == 0)
    isa_random_instruction(rng, words);
  else
    memcpy(words, known[gfx942][test_random(rng) % KNOWN], sizeof *known[0]);
}

static size_t make_input(test_rng *rng, uint8_t *data, size_t capacity) {
  const uint64_t random = test_random(rng);
  header h = {.block_x = 64, .block_y = 1, .block_z = 1, .grid = {1, 1, 1}, .words = WORDS, .params = 1};
  h.modes = (uint8_t)(random & 0x17);
  h.timing = random >> 8 & 3, h.schedule = random >> 10 & 7, h.threads = random >> 13 & 1;
  if ((random >> 16) % 8 == 0) h.kernel = 1 + (random >> 20 & 1);
  if ((random >> 24) % 8 == 0) h.patches = (uint8_t)(1 + (random >> 28) % 3);
  if ((random >> 32) % 4 == 0) h.block_x = (uint16_t)(random >> 36 & 255), h.grid[0] = 3;
  if ((random >> 44) % 16 == 0) h.params = 0, h.extra_bytes = (uint8_t)(random >> 48);
  if ((random >> 52) % 16 == 0) h.modes |= MODE_COOPERATIVE, h.grid[1] = 2;
  if ((random >> 56) % 32 == 0) h.dynamic_lds = (uint16_t)test_random(rng), h.block_y = 2;
  size_t size = sizeof h;
  for (int i = 0; i < h.patches; ++i, size += sizeof(patch)) {
    const patch p = {.at = (uint16_t)test_random(rng), .value = (uint8_t)test_random(rng)};
    memcpy(data + size, &p, sizeof p);
  }
  for (int i = 0; i < WORDS; ++i, size += sizeof(word)) {
    const uint64_t r = test_random(rng);
    const word w = {.kind = (uint8_t)(i < 3 ? WORD_MEMORY : r % WORD_KINDS),
                    .low = (uint32_t)(r >> 8 & (r & 64 ? 0xff0 : 0xffffffff))};
    memcpy(data + size, &w, sizeof w);
  }
  memcpy(data, &h, sizeof h);
  for (unsigned i = 4 + (random >> 40) % 28; i > 0 && size + 8 <= capacity; --i, size += 8) {
    uint32_t words[2];
    random_instruction(rng, h.modes & MODE_GFX942, words);
    memcpy(data + size, words, sizeof words);
  }
  return size;
}

#ifdef WT_FUZZ_DRIVER
#include "fuzz_driver.h"

int main(int argc, char **argv) { return fuzz_main(argc, argv, make_input); }
#else
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

// Half of the changes are instructions, put in place of others or behind them.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  test_rng rng = {seed};
  uint32_t words[2];
  const size_t code = sizeof(header) + WORDS * sizeof(word);
  if (test_random(&rng) % 16 == 0 && most > code + 8) return make_input(&rng, data, most);
  if (test_random(&rng) % 2 || size < code || most < size + sizeof words)
    return LLVMFuzzerMutate(data, size, most);
  random_instruction(&rng, data[0] & MODE_GFX942, words);
  const size_t slots = (size - code) / 4 + 1, at = code + test_random(&rng) % slots * 4;
  memcpy(data + at, words, sizeof words);
  return at + sizeof words > size ? at + sizeof words : size;
}
#endif
