// SPDX-License-Identifier: MIT
// Build step: refuses a code object whose kernels spill registers or use scratch memory.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/read_file.h"
#include "sim/object/object.h"

// Returns whether every kernel keeps its values in registers; names each one that does not.
static bool check_kernels(const sim_object *object, const char *path, bool allow_scratch) {
  bool good = true;
  for (size_t i = 0; i < object->kernel_count; ++i) {
    const sim_kernel *k = &object->kernels[i];
    if (!k->has_metadata) {
      fprintf(stderr, "%s: kernel %s has no metadata, so its spills are not known\n", path, k->name);
      good = false;
    } else if (!allow_scratch &&
               (k->vgpr_spills || k->sgpr_spills || k->scratch_bytes || k->uses_dynamic_stack)) {
      fprintf(stderr,
              "kernel %s for %s spills %u VGPRs and %u SGPRs and uses %u bytes of scratch per lane%s; "
              "make it need fewer registers (it has %u VGPRs, %u of them AGPRs), or add ALLOW_SCRATCH where "
              "CMake names its file\n",
              k->name, object->target, k->vgpr_spills, k->sgpr_spills, k->scratch_bytes,
              k->uses_dynamic_stack ? " and a dynamic stack" : "", k->vgpr_count, k->agpr_count);
      good = false;
    }
  }
  if (object->kernel_count == 0) {
    fprintf(stderr, "%s: no kernel in it\n", path);
    good = false;
  }
  return good;
}

int main(int argc, char **argv) {
  const bool allow_scratch = argc == 4 && strcmp(argv[1], "--allow-scratch") == 0;
  if (argc != 3 && !allow_scratch) {
    fprintf(stderr, "usage: kernel_check [--allow-scratch] CODE_OBJECT TARGET\n");
    return 2;
  }
  const char *path = argv[argc - 2], *target = argv[argc - 1];
  size_t size;
  unsigned char *data = read_file(path, &size);
  if (!data) {
    fprintf(stderr, "%s: %s\n", path, errno ? strerror(errno) : "the file is empty");
    return 1;
  }
  char message[256];
  sim_object *object;
  bool good = false;
  if (sim_object_load(data, size, target, &object, message, sizeof message) == SIM_OBJECT_OK) {
    good = check_kernels(object, path, allow_scratch);
    sim_object_free(object);
  } else {
    fprintf(stderr, "%s: %s\n", path, message);
  }
  free(data);
  return !good;
}
