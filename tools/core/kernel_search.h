// SPDX-License-Identifier: MIT
// Finds compiled kernels by name, in the library or in a file, for the subcommands that look at code objects.
#ifndef WT_TOOLS_KERNEL_SEARCH_H
#define WT_TOOLS_KERNEL_SEARCH_H

#include "sim/machine/machine.h"
#include "sim/object/object.h"

typedef struct kernel_search {
  const char *file;    // a code object or a bundle; NULL: the library
  const char *kernel;  // its name, or in the library also the stem of a file; NULL: all kernels of the file
  const char *target;  // NULL: every target
} kernel_search;

// Returns TOOL_OK, or reports a target that no machine has and returns TOOL_USAGE.
int kernel_search_check_target(const kernel_search *search);
// Sets file and kernel from the words of a command line, KERNEL or FILE [KERNEL]: a name with a dot or a
// slash is a file's. Returns TOOL_OK, or reports words or a target that are wrong and returns TOOL_USAGE.
// `command` is the subcommand, for the message.
int kernel_search_begin(kernel_search *search, const char *const words[2], const char *command);

// This is called for each code object with a kernel that is searched for: that of the name, or all if it is
// NULL. Returns TOOL_OK, or an exit code that ends the search.
typedef int kernel_taker(void *to, const sim_object *object, const sim_machine *machine, const char *name);

// Returns TOOL_OK, what `take` returned, or reports that there is no such kernel, with the nearest names, and
// returns TOOL_USAGE.
int kernel_search_run(const kernel_search *search, kernel_taker *take, void *to);

#endif
