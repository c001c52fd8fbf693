// SPDX-License-Identifier: MIT
// Appends records of launches.
#include <string.h>

#include "sim/report/profile.h"

static bool put(FILE *file, const void *data, size_t size) {
  return size == 0 || fwrite(data, size, 1, file) == 1;
}

static bool put_string(FILE *file, const char *text) {
  uint64_t size = strlen(text) + 1;
  return put(file, &size, sizeof size) && put(file, text, size);
}

bool sim_profile_write_shape(FILE *file, sim_profile_kind kind, uint64_t shape) {
  uint64_t head[2] = {kind, shape};
  return put(file, head, sizeof head) && fflush(file) == 0;
}

bool sim_profile_write_launch(FILE *file, const sim_profile_launch *l) {
  const sim_profile_facts *f = &l->facts;
  uint64_t head[2] = {SIM_PROFILE_TIMED, f->shape};
  return put(file, head, sizeof head) && put(file, f, sizeof *f) && put_string(file, l->kernel) &&
         put_string(file, l->chip) && put_string(file, l->target) &&
         put(file, l->ops, f->op_count * sizeof *l->ops) && put(file, l->text, f->text_size) &&
         put(file, l->issues, f->issue_count * sizeof *l->issues) &&
         put(file, l->frames, f->frame_count * sizeof *l->frames) && fflush(file) == 0;
}
