// SPDX-License-Identifier: MIT
// `wavetile hipcc`: compiles HIP programs for the simulated device, and kernels of this library, with clang.
#include "hipcc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tool.h"

static const char help[] =
    "usage: wavetile hipcc [options] [clang's options] FILE...\n"
    "       wavetile hipcc --kernel [options] [clang's options] FILE.hip\n\n"
    "Compiles HIP programs as hipcc does, and links them with the simulated runtime. Options that are not "
    "listed here go to clang as they are: -c, -o, -O, -g, -I, -D, -L, -l, -std and all others. Files that "
    "end in "
    ".hip, "
    ".cpp, .cc, .cxx, .cu or .C are compiled as HIP, unless -x says otherwise. The default is -O3. The exit "
    "status is clang's.";

// Appends one target, or several separated by commas, to request->archs.
static int add_archs(hipcc_request *r, const char *text) {
  static const char *const known[] = {"gfx942", "gfx950", "gfx9-4-generic"};
  do {
    const size_t length = strcspn(text, ","), name = strcspn(text, ",:");
    bool ok = length < sizeof r->archs[0];
    size_t i = 0;
    while (i < sizeof known / sizeof *known &&
           (strlen(known[i]) != name || strncmp(known[i], text, name) != 0))
      ++i;
    if (!ok || i == sizeof known / sizeof *known)
      return tool_error(TOOL_USAGE,
                        "--offload-arch is \"%.*s\", for which there is no simulated device; pass gfx942, "
                        "gfx950 or gfx9-4-generic",
                        (int)length, text);
    if (r->arch_count == HIPCC_ARCHS)
      return tool_error(TOOL_USAGE, "--offload-arch names more than %d targets; pass fewer",
                        (int)HIPCC_ARCHS);
    snprintf(r->archs[r->arch_count++], sizeof r->archs[0], "%.*s", (int)length, text);
    text += length + (text[length] == ',');
  } while (*text);
  return TOOL_OK;
}

// Moves this command's own options into `own`, which begins with the subcommand's name, and leaves in `words`
// what clang is given. Options that may stand several times are read at once.
static int sort_words(int argc, char **argv, const tool_option *table, size_t count, hipcc_request *r,
                      char **own, int *own_count) {
  for (int i = 1; i < argc; ++i) {
    char *word = argv[i];
    if (strcmp(word, "-v") == 0) word = "--verbose";
    if (strcmp(word, "-h") == 0) word = "--help";
    const size_t length = strcspn(word, "=");
    const tool_option *option = NULL;
    for (size_t j = 0; j < count && !option; ++j)
      if (strncmp(word, "--", 2) == 0 && strlen(table[j].name) == length - 2 &&
          strncmp(table[j].name, word + 2, length - 2) == 0)
        option = &table[j];
    if (!option) {
      r->words[r->count++] = word;
      continue;
    }
    own[(*own_count)++] = word;
    if (option->kind != TOOL_FLAG && !word[length] && i + 1 < argc) own[(*own_count)++] = argv[++i];
    if (strcmp(option->name, "offload-arch") != 0) continue;
    if (!word[length] && own[*own_count - 1] == word) continue;  // without its value, which is reported later
    const int code = add_archs(r, word[length] ? word + length + 1 : own[*own_count - 1]);
    if (code) return code;
  }
  return TOOL_OK;
}

static int check(hipcc_request *r) {
  if (r->count == 0)
    return tool_error(TOOL_USAGE, "name a file to compile, as in: wavetile hipcc program.hip -o program");
  hipcc_read_words(r);
  if (r->kernel && r->sources > 1)
    return tool_error(TOOL_USAGE,
                      "--kernel makes one code object of one file, but %zu are named; compile one at a time",
                      r->sources);
  if (!r->arch_count) return add_archs(r, "gfx942,gfx950");
  return TOOL_OK;
}

// Becomes clang, so that its exit status, and the signal that may end it, are this command's.
static int compile(const hipcc_request *r, bool verbose) {
  hipcc_toolchain chain;
  int code = hipcc_find(r, &chain);
  if (code) return code;
  hipcc_words command = {.word = NULL};
  hipcc_compose(r, &chain, &command);
  if (verbose) hipcc_print(&command);
  fflush(NULL);
  execv(command.word[0], command.word);
  code = tool_error(TOOL_FAILED, "cannot run %s: %s", command.word[0], strerror(errno));
  hipcc_free(&command);
  return code;
}

int tool_hipcc(int argc, char **argv) {
  hipcc_request r = {.kernel = false};
  bool verbose = false, wants_help = false;
  const char *last_arch = NULL;  // sort_words collects them
  const tool_option table[] = {
      {"kernel", TOOL_FLAG, &r.kernel, NULL,
       "compile device code alone, with the device headers of this library on the include path and without "
       "HIP's, into a code object for hipModuleLoad; default name: FILE.co. With several targets it is a "
       "bundle of "
       "code objects"},
      {"offload-arch", TOOL_STRING, &last_arch, "TARGET",
       "compile for gfx942 (MI300X), gfx950 (MI355X) or gfx9-4-generic; may be given several times; default: "
       "gfx942 and gfx950"},
      {"rocm", TOOL_STRING, &r.rocm, "DIR",
       "compile with the headers, the device library and, if it has one, the clang of this ROCm tree; "
       "default: WT_ROCM_PATH or ROCM_PATH of the environment, else Debian's packages"},
      {"clang", TOOL_STRING, &r.clang, "PROGRAM", "compile with this clang++ (version 21 or newer)"},
      {"verbose", TOOL_FLAG, &verbose, NULL, "also -v: print clang's command before it is run"},
      {"help", TOOL_FLAG, &wants_help, NULL, "print this"}};
  const size_t count = sizeof table / sizeof *table;
  char **lists = calloc(2 * ((size_t)argc + 1), sizeof *lists), **own = lists + argc + 1;
  if (!lists) return tool_error(TOOL_FAILED, "host memory ran out");
  int own_count = 1;
  own[0] = argv[0];
  r.words = lists;
  int code = sort_words(argc, argv, table, count, &r, own, &own_count);
  if (!code) code = tool_options_parse(own_count, own, table, count, NULL, 0);
  r.rocm_named = "--rocm";
  if (!r.rocm) r.rocm = tool_rocm_folder(&r.rocm_named);
  if (!code && wants_help)
    tool_help(help, table, count);
  else if (!code)
    code = check(&r);
  if (!code && !wants_help) code = compile(&r, verbose);
  free(lists);
  return code;
}
