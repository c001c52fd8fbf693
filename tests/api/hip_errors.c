// SPDX-License-Identifier: MIT
// Every error code of the HIP header has its name and a sentence of its own. Argument: hip_runtime_api.h;
// none: WT_SIM_QUIET is set, and errors are returned without a word.
#include "hip_capture.h"

// Reads the header's "hipErrorName = number" entries; enumerators without a number follow the one before.
static void every_code_has_name_and_sentence(const char *path) {
  FILE *header = fopen(path, "r");
  CHECK(header != NULL, "cannot read %s", path);
  char line[512], name[64];
  int number = -1, codes = 0, inside = 0;
  while (header && fgets(line, sizeof line, header)) {
    if (strstr(line, "typedef enum") && strstr(line, "hipError_t")) inside = 1;
    if (strstr(line, "} hipError_t")) break;
    char *start = inside ? strstr(line, "hip") : NULL;
    if (!start || sscanf(start, "%63[A-Za-z0-9]", name) != 1) continue;
    if (strncmp(name, "hipError", 8) != 0 && strcmp(name, "hipSuccess") != 0) continue;
    if (strcmp(name, "hipError") == 0 || strspn(line, " ") != (size_t)(start - line)) continue;
    char *equals = strchr(start, '='), *comment = strstr(start, "///");
    if (equals && (!comment || equals < comment) && sscanf(equals + 1, "%d", &number) != 1) {
      if (!fgets(line, sizeof line, header)) break;  // the number stands on the next line
      number = atoi(line + strspn(line, " "));
    } else if (!equals) {
      ++number;
    }
    ++codes;
    const char *known = hipGetErrorName((hipError_t)number), *text = hipGetErrorString((hipError_t)number);
    // Two deprecated spellings share a number with the name in use.
    int alias = strcmp(name, "hipErrorMemoryAllocation") == 0 ||
                strcmp(name, "hipErrorInitializationError") == 0 ||
                strcmp(name, "hipErrorMapBufferObjectFailed") == 0 ||
                strcmp(name, "hipErrorInvalidResourceHandle") == 0;
    CHECK(alias ? strcmp(known, "hipErrorUnknown") != 0 : strcmp(known, name) == 0, "code %d is %s, named %s",
          number, name, known);
    CHECK(text && strlen(text) > 5 && !strstr(text, "does not define"), "code %d has the text \"%s\"", number,
          text);
  }
  if (header) fclose(header);
  CHECK(codes > 70, "the header has %d codes", codes);
}

static void unavailable_calls_say_so_by_name(void) {
  hipExternalMemory_t memory;
  SAYS(hipErrorNotSupported, "hipImportExternalMemory is not available on the simulated device",
       hipImportExternalMemory(&memory, NULL));
  hipArray *array;
  hipChannelFormatDesc desc = {8, 0, 0, 0, hipChannelFormatKindUnsigned};
  SAYS(hipErrorNotSupported, "hipMallocArray is not available", hipMallocArray(&array, &desc, 4, 4, 0));
}

static void peeking_keeps_the_last_error(void) {
  CHECK(hipFree((void *)0x10) == hipErrorInvalidValue, "an unknown pointer");
  CHECK(hipPeekAtLastError() == hipErrorInvalidValue, "peek");
  CHECK(hipPeekAtLastError() == hipErrorInvalidValue, "peek again");
  CHECK(hipGetLastError() == hipErrorInvalidValue, "get");
  CHECK(hipPeekAtLastError() == hipSuccess, "forgotten");
}

int main(int argc, char **argv) {
  if (argc == 1) {
    hipExternalMemory_t memory;
    SAYS(hipErrorNotSupported, "", hipImportExternalMemory(&memory, NULL));
    SAYS(hipErrorInvalidValue, "", hipFree((void *)0x10));
    return test_result();
  }
  every_code_has_name_and_sentence(argv[1]);
  CHECK(strcmp(hipGetErrorName((hipError_t)4242), "hipErrorUnknown") == 0, "an undefined code");
  unavailable_calls_say_so_by_name();
  peeking_keeps_the_last_error();
  return test_result();
}
