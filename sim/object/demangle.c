// SPDX-License-Identifier: MIT
// Demangles names by the C++ library: libstdc++ is in the process, for LLVM needs it.
#include "sim/object/demangle.h"

#include <dlfcn.h>
#include <string.h>

char *sim_demangle(const char *name) {
  char *(*demangle)(const char *, char *, size_t *, int *);
  void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  char *text = NULL;
  int status;
  memcpy(&demangle, &symbol, sizeof demangle);  // ISO C has no cast from void * to a function pointer
  if (symbol && strncmp(name, "_Z", 2) == 0) text = demangle(name, NULL, NULL, &status);
  return text ? text : strdup(name);
}
