// SPDX-License-Identifier: MIT
// Reads the catalogue of layouts out of a code object: its constants by their names.
#include "layout_catalogue.h"

#include <stdio.h>
#include <string.h>

#include "sim/object/object.h"

// Returns the rows of `row_size` bytes that are the global `name`; NULL if it is no such table.
static const void *find_table(const sim_object *object, const char *name, size_t row_size, size_t *count) {
  const sim_global *global = sim_object_global(object, name);
  if (!global || global->size == 0 || global->size % row_size != 0) return NULL;
  *count = global->size / row_size;
  return object->image + global->offset;
}

bool layout_catalogue_read(layout_catalogue *c, const void *image, size_t size, const char *target,
                           char *message, size_t message_size) {
  *c = (layout_catalogue){0};
  if (sim_object_load(image, size, target, &c->object, message, message_size) != SIM_OBJECT_OK) return false;
  c->maps = find_table(c->object, "layout_maps", sizeof *c->maps, &c->map_count);
  c->ops = find_table(c->object, "layout_lds_ops", sizeof *c->ops, &c->op_count);
  c->swizzles = find_table(c->object, "layout_swizzles", sizeof *c->swizzles, &c->swizzle_count);
  if (c->maps && c->ops && c->swizzles) return true;
  snprintf(message, message_size, "the code object holds no catalogue of layouts; build it again");
  layout_catalogue_free(c);
  return false;
}

void layout_catalogue_free(layout_catalogue *c) {
  sim_object_free(c->object);
  *c = (layout_catalogue){0};
}
