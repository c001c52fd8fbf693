// SPDX-License-Identifier: MIT
// Declares what the files of `wavetile hipcc` share: what the user asked for, the parts of the tool chain,
// and the command that comes of both.
#ifndef WT_TOOLS_HIPCC_H
#define WT_TOOLS_HIPCC_H

#include <stdbool.h>
#include <stddef.h>

#include "core/folders.h"

enum { HIPCC_ARCHS = 8 };  // most targets of one command

// Describes a list of words that ends with NULL; it owns them.
typedef struct hipcc_words {
  char **word;
  size_t count, capacity;
} hipcc_words;

// Appends a word made by `format`. When host memory runs out the process ends with a sentence.
void hipcc_add(hipcc_words *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hipcc_free(hipcc_words *list);
// Prints the words to standard error as a shell would have to be given them.
void hipcc_print(const hipcc_words *list);

// Says what a source file is compiled as.
typedef enum hipcc_language { HIPCC_NO_SOURCE, HIPCC_HIP, HIPCC_C } hipcc_language;

typedef struct hipcc_request {
  bool kernel;             // --kernel: device code only
  const char *rocm;        // the ROCm tree to compile against; NULL: Debian's packages
  const char *rocm_named;  // what named it: "--rocm" or a variable of the environment
  const char *clang;       // --clang: the compiler; NULL: it is looked for
  char archs[HIPCC_ARCHS][48];
  size_t arch_count;
  char **words;  // what is passed to clang, `count` words
  size_t count;

  // These words say so (hipcc_read_words).
  const char *source;       // the last source file
  size_t sources, hip, c;   // how many source files there are, and of which language
  bool language_given;      // -x LANGUAGE stands among the words
  bool links, writes_file;  // the command ends with linking; it writes a file rather than standard output
  bool assembly;            // -S
  const char *output;       // -o; NULL: not given
  bool optimised;           // -O
  bool relocatable;         // -fgpu-rdc: device code is linked with the program
  bool dependencies, all_dependencies;  // -MD or -MMD: the files that were read are written down; -MD: all
  const char *dependency_file, *dependency_target;  // -MF, -MT or -MQ; NULL: not given
  bool no_device_headers, no_device_library;        // -nogpuinc, -nogpulib
} hipcc_request;

// Reads from request->words what the command will do.
void hipcc_read_words(hipcc_request *request);
// Returns whether word `i` is a file, rather than an option or the value of one.
bool hipcc_is_file(const hipcc_request *request, size_t i);
// Returns whether word `i` asks for dependencies, or is the value of one that does.
bool hipcc_is_about_dependencies(const hipcc_request *request, size_t i);
// Returns the language that a file's ending stands for.
hipcc_language hipcc_language_of(const char *file);

typedef struct hipcc_toolchain {
  char clang[TOOL_PATH];
  char hip_include[TOOL_PATH];     // the folder of hip/hip_runtime.h; empty: the request needs none
  char device_library[TOOL_PATH];  // the folder of ockl.bc; empty: the request needs none
  bool knows_archs;                // the device library has a file for each target, so clang finds it alone
  char headers[TOOL_PATH];         // the folder of wavetile_device.h; empty when it is not installed
  char api[TOOL_PATH];             // the folder of wavetile.h, which may be the same; empty likewise
  char runtime[TOOL_PATH];         // the folder of the simulated libamdhip64.so; empty: nothing is linked
} hipcc_toolchain;

// Finds what the request needs. Returns TOOL_OK, or reports what is missing and returns TOOL_FAILED, or
// TOOL_USAGE when it is missing where the request, or ROCM_PATH, says that it is.
int hipcc_find(const hipcc_request *request, hipcc_toolchain *chain);

// Composes the whole command, with `clang` as its first word.
void hipcc_compose(const hipcc_request *request, const hipcc_toolchain *chain, hipcc_words *command);

#endif
