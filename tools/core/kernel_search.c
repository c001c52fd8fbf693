// SPDX-License-Identifier: MIT
// Searches first for code objects, then for the kernel in them.
#include "kernel_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read_file.h"
#include "sim/settings/nearest.h"
#include "src/core/left_out.h"
#include "tool.h"
#include "wt_embedded.h"

typedef struct job {
  const kernel_search *search;
  kernel_taker *take;
  void *to;
  size_t found;   // code objects that were taken
  nearest names;  // of kernels that were not
} job;

static const sim_machine *machine_of(const char *target) {
  for (size_t i = 0; sim_machine_at(i); ++i)
    if (strcmp(sim_machine_at(i)->target, target) == 0) return sim_machine_at(i);
  return NULL;
}

int kernel_search_check_target(const kernel_search *search) {
  if (!search->target || machine_of(search->target)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--target is \"%s\"; pass gfx942 or gfx950", search->target);
}

int kernel_search_begin(kernel_search *search, const char *const words[2], const char *command) {
  const int code = kernel_search_check_target(search);
  if (code) return code;
  if (!words[0])
    return tool_error(TOOL_USAGE,
                      "name a kernel, as in: wavetile %s gemm_4wave_256x256; wavetile isa --list lists all",
                      command);
  if (strpbrk(words[0], "./")) {
    search->file = words[0], search->kernel = words[1];
    return TOOL_OK;
  }
  search->kernel = words[0];
  if (!words[1]) return TOOL_OK;
  return tool_error(TOOL_USAGE, "\"%s\" is one word too many; pass one kernel's name", words[1]);
}

static bool is_wanted(const kernel_search *search, const char *target) {
  return !search->target || strcmp(search->target, target) == 0;
}

// Returns whether the object has a kernel of this name, or any kernel when the name is NULL. Offers the names
// that the object has to the search.
static bool has_kernel(job *j, const sim_object *object, const char *name) {
  bool found = !name && object->kernel_count;
  for (size_t i = 0; name && i < object->kernel_count; ++i) {
    found |= strcmp(object->kernels[i].name, name) == 0;
    nearest_offer(&j->names, object->kernels[i].name);
  }
  return found;
}

static int look_into(job *j, const void *data, size_t size, const sim_machine *machine, const char *name) {
  char message[256];
  sim_object *object;
  if (sim_object_load(data, size, machine->target, &object, message, sizeof message) != SIM_OBJECT_OK)
    return j->search->file
               ? tool_error(TOOL_USAGE, "%s: %s; pass a kernel's name or what wavetile hipcc --kernel writes",
                            j->search->file, message)
               : tool_error(TOOL_FAILED, "%s", message);
  int code = TOOL_OK;
  if (has_kernel(j, object, name)) {
    code = j->take(j->to, object, machine, name);
    ++j->found;
  }
  sim_object_free(object);
  return code;
}

// The name is a file's stem (all its kernels) or one kernel, which begins with the stem.
static int search_library(job *j) {
  const kernel_search *search = j->search;
  for (size_t i = 0; i < wt_embedded_count; ++i) {
    const wt_embedded *e = &wt_embedded_table[i];
    if (!is_wanted(search, e->target)) continue;
    nearest_offer(&j->names, e->name);
    if (strncmp(search->kernel, e->name, strlen(e->name)) != 0) continue;
    const bool whole_file = strcmp(search->kernel, e->name) == 0;
    const int code =
        look_into(j, e->image, e->size, machine_of(e->target), whole_file ? NULL : search->kernel);
    if (code) return code;
  }
  if (j->found) return TOOL_OK;
  for (const wt_left_out *e = wt_left_out_table; e->name; ++e) {
    if (!is_wanted(search, e->target)) continue;
    nearest_offer(&j->names, e->name);
    if (strncmp(search->kernel, e->name, strlen(e->name)) == 0)
      return tool_error(TOOL_USAGE, WT_LEFT_OUT, e->name, e->family);
  }
  char near[512];
  nearest_text(&j->names, "", near, sizeof near);
  return tool_error(TOOL_USAGE, "no kernel is named \"%s\"%s%s%s%s wavetile isa --list lists all",
                    search->kernel, search->target ? " for " : "", search->target ? search->target : "", near,
                    *near ? "" : ";");
}

// Returns the target of a chip that the file has code for; NULL when there is none.
static const char *served_target(const void *data, size_t size) {
  for (size_t i = 0; sim_machine_at(i); ++i)
    if (sim_object_serves(data, size, sim_machine_at(i)->target)) return sim_machine_at(i)->target;
  return NULL;
}

static int search_bytes(job *j, const void *data, size_t size) {
  const kernel_search *search = j->search;
  const char *const other = search->target ? served_target(data, size) : NULL;
  if (other && !sim_object_serves(data, size, search->target))
    return tool_error(TOOL_USAGE, "--target is %s, but %s has code for %s; pass that", search->target,
                      search->file, other);
  int code = TOOL_OK;
  bool served = false;
  for (size_t i = 0; sim_machine_at(i) && !code; ++i) {
    const sim_machine *machine = sim_machine_at(i);
    const bool asked = search->target && is_wanted(search, machine->target);
    // A file for no target that is looked for is loaded all the same: the loader says what it is.
    const bool last_try = !served && !sim_machine_at(i + 1) && !search->target;
    if (!asked && (search->target || !sim_object_serves(data, size, machine->target)) && !last_try) continue;
    served = true;
    code = look_into(j, data, size, machine, search->kernel);
  }
  return code;
}

static int search_file(job *j) {
  const kernel_search *search = j->search;
  size_t size;
  unsigned char *data = read_file(search->file, &size);
  if (!data)
    return tool_error(TOOL_USAGE, "cannot read \"%s\": %s", search->file,
                      errno ? strerror(errno) : "it is empty");
  const int code = search_bytes(j, data, size);
  free(data);
  if (code || j->found) return code;
  if (!search->kernel) return tool_error(TOOL_USAGE, "\"%s\" has no kernels", search->file);
  char near[512];
  nearest_text(&j->names, "", near, sizeof near);
  return tool_error(TOOL_USAGE, "no kernel of \"%s\" is named \"%s\"%s%s leave the name out to see all",
                    search->file, search->kernel, near, *near ? "" : ";");
}

int kernel_search_run(const kernel_search *search, kernel_taker *take, void *to) {
  job j = {search, take, to, 0, nearest_begin(search->kernel ? search->kernel : "")};
  return search->file ? search_file(&j) : search_library(&j);
}
