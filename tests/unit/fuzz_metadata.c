// SPDX-License-Identifier: MIT
// Fuzzes the metadata of code objects (MessagePack): whatever the bytes are, they are refused with a sentence
// or leave kernels that are consistent. With clang -fsanitize=fuzzer it is a libFuzzer target; otherwise
// (WT_FUZZ_DRIVER) see tests/fuzz_driver.h. Seeds: metadata of objects whose kernels are "k" and "l".
#include <stdio.h>
#include <stdlib.h>

#include "sim/object/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "fuzz_metadata: %s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char message[256] = "", first[] = "k", second[] = "l";
  sim_load load = {.message = message, .message_size = sizeof message};
  sim_kernel kernels[] = {{.name = first, .kernarg_bytes = 64}, {.name = second}};
  sim_object object = {.target = "gfx950", .kernels = kernels, .kernel_count = 2};
  const bool read = sim_metadata_read(&load, (sim_bytes){data, size}, &object);
  require(read == (load.status == SIM_OBJECT_OK), "the status says something else than the result");
  require(read == (message[0] == 0), "a refusal without a sentence, or the other way round");
  for (int i = 0; i < 2; ++i) {
    const sim_kernel *k = &kernels[i];
    require(k->name == (i ? second : first) && k->explicit_arg_count <= k->arg_count, "a kernel is damaged");
    for (uint32_t a = 0; a < k->arg_count; ++a)
      require((uint64_t)k->args[a].offset + k->args[a].size <= k->kernarg_bytes,
              "arguments lie in the segment");
    free(k->args);
  }
  return 0;
}

#ifdef WT_FUZZ_DRIVER
#include "fuzz_driver.h"

int main(int argc, char **argv) { return fuzz_main(argc, argv, NULL); }
#endif
