// SPDX-License-Identifier: MIT
// Handles the words of compiler commands: lists of them, and what the user's words say.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "hipcc.h"

// ---- lists

static void *or_end(void *memory) {
  if (!memory) exit(tool_error(TOOL_FAILED, "host memory ran out while the compiler's command was made"));
  return memory;
}

void hipcc_add(hipcc_words *list, const char *format, ...) {
  if (list->count + 2 > list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->word = or_end(realloc(list->word, list->capacity * sizeof *list->word));
  }
  va_list args;
  char *word = NULL;
  va_start(args, format);
  const int length = vasprintf(&word, format, args);
  va_end(args);
  list->word[list->count++] = or_end(length < 0 ? NULL : word);
  list->word[list->count] = NULL;
}

void hipcc_free(hipcc_words *list) {
  for (size_t i = 0; i < list->count; ++i) free(list->word[i]);
  free(list->word);
  *list = (hipcc_words){.word = NULL};
}

void hipcc_print(const hipcc_words *list) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  for (size_t i = 0; i < list->count; ++i) {
    const char *word = list->word[i];
    if (i) fputc(' ', stderr);
    if (*word && !word[strspn(word, plain)]) {
      fputs(word, stderr);
      continue;
    }
    fputc('\'', stderr);
    for (; *word; ++word) fputs(*word == '\'' ? "'\\''" : (char[2]){*word}, stderr);
    fputc('\'', stderr);
  }
  fputc('\n', stderr);
}

// ---- what the user's words say

// These are options of clang whose value is the next word.
static const char *const with_value[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-D",
                                         "-U",
                                         "-L",
                                         "-l",
                                         "-F",
                                         "-B",
                                         "-T",
                                         "-e",
                                         "-u",
                                         "-z",
                                         "-target",
                                         "--sysroot",
                                         "-include",
                                         "-imacros",
                                         "-iquote",
                                         "-isystem",
                                         "-isysroot",
                                         "-idirafter",
                                         "-iprefix",
                                         "-iwithprefix",
                                         "-MF",
                                         "-MT",
                                         "-MQ",
                                         "-MJ",
                                         "-mllvm",
                                         "-Xclang",
                                         "-Xlinker",
                                         "-Xassembler",
                                         "-Xpreprocessor",
                                         "-Xarch_host",
                                         "-Xarch_device",
                                         "-Xarch_gfx942",
                                         "-Xarch_gfx950",
                                         "-Xoffload-linker",
                                         "-Xcuda-ptxas",
                                         "--param",
                                         "-rpath",
                                         "-serialize-diagnostics",
                                         "--serialize-diagnostics"};

// After these options clang does not link.
static const char *const without_linking[] = {"-c",
                                              "-S",
                                              "-E",
                                              "-M",
                                              "-MM",
                                              "-emit-llvm",
                                              "--cuda-device-only",
                                              "--offload-device-only",
                                              "-fsyntax-only",
                                              "--precompile",
                                              "--analyze"};
// Among these, the following options write no file unless -o names one.
static const char *const without_file[] = {"-E", "-M", "-MM", "-fsyntax-only", "--analyze"};

#define IS_ONE_OF(table, word) is_one_of(table, sizeof(table) / sizeof *(table), word)

static bool is_one_of(const char *const *table, size_t count, const char *word) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(table[i], word) == 0) return true;
  return false;
}

hipcc_language hipcc_language_of(const char *file) {
  static const struct {
    const char *ending;
    hipcc_language language;
  } table[] = {{".hip", HIPCC_HIP}, {".cpp", HIPCC_HIP}, {".cc", HIPCC_HIP}, {".cxx", HIPCC_HIP},
               {".cu", HIPCC_HIP},  {".C", HIPCC_HIP},   {".c", HIPCC_C}};
  const char *name = strrchr(file, '/'), *dot = strrchr(name ? name : file, '.');
  for (size_t i = 0; dot && i < sizeof table / sizeof *table; ++i)
    if (strcmp(dot, table[i].ending) == 0) return table[i].language;
  return HIPCC_NO_SOURCE;
}

bool hipcc_is_file(const hipcc_request *r, size_t i) {
  const char *word = r->words[i];
  const bool option = (word[0] == '-' && word[1]) || word[0] == '@';
  return !option && !(i && IS_ONE_OF(with_value, r->words[i - 1]));
}

// Recognises -MF, -MT and -MQ, whose value is the rest of the word or the next word.
static bool is_about_rule(const char *word) {
  return strncmp(word, "-MF", 3) == 0 || strncmp(word, "-MT", 3) == 0 || strncmp(word, "-MQ", 3) == 0;
}

bool hipcc_is_about_dependencies(const hipcc_request *r, size_t i) {
  static const char *const flags[] = {"-MD", "-MMD"};
  const bool value = i && IS_ONE_OF(with_value, r->words[i - 1]);
  return value ? is_about_rule(r->words[i - 1]) : IS_ONE_OF(flags, r->words[i]) || is_about_rule(r->words[i]);
}

// Reads the value of an option, which stands behind it in the same word or in the next one.
static void read_value(hipcc_request *r, const char *option, const char *value) {
  if (strncmp(option, "-o", 2) == 0) r->output = value;
  if (strncmp(option, "-MF", 3) == 0) r->dependency_file = value;
  if (strncmp(option, "-MT", 3) == 0 || strncmp(option, "-MQ", 3) == 0) r->dependency_target = value;
}

static void read_option(hipcc_request *r, const char *word) {
  if (IS_ONE_OF(without_linking, word)) r->links = false;
  if (strncmp(word, "--target=amdgcn", 15) == 0) r->links = false;  // no program: device code may be linked
  if (IS_ONE_OF(without_file, word)) r->writes_file = false;
  r->assembly |= strcmp(word, "-S") == 0;
  if (strncmp(word, "-o", 2) == 0) read_value(r, word, word + 2);
  if (is_about_rule(word)) read_value(r, word, word + 3);
  if (strncmp(word, "--output=", 9) == 0) r->output = word + 9;
  r->all_dependencies |= strcmp(word, "-MD") == 0;
  r->dependencies |= strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0;
  r->optimised |= strncmp(word, "-O", 2) == 0;
  r->language_given |= strncmp(word, "-x", 2) == 0;
  r->relocatable |= strcmp(word, "-fgpu-rdc") == 0;
  r->no_device_headers |= strcmp(word, "-nogpuinc") == 0;
  r->no_device_library |= strcmp(word, "-nogpulib") == 0;
}

void hipcc_read_words(hipcc_request *r) {
  size_t named_hip = 0;  // how often -x says that files are HIP, also those whose ending says nothing
  r->links = r->writes_file = true;
  for (size_t i = 0; i < r->count; ++i) {
    const char *word = r->words[i];
    if (i && IS_ONE_OF(with_value, r->words[i - 1])) {
      named_hip += strcmp(r->words[i - 1], "-x") == 0 && strcmp(word, "hip") == 0;
      read_value(r, r->words[i - 1], word);
    } else if (!hipcc_is_file(r, i)) {
      static char device_only[] = "--cuda-device-only";  // what ROCm's hipcc makes of --genco
      if (strcmp(word, "--genco") == 0) word = r->words[i] = device_only;
      named_hip += strcmp(word, "-xhip") == 0;
      read_option(r, word);
    } else if (hipcc_language_of(word) != HIPCC_NO_SOURCE) {
      r->source = word;
      ++r->sources;
      r->hip += hipcc_language_of(word) == HIPCC_HIP;
      r->c += hipcc_language_of(word) == HIPCC_C;
    }
  }
  if (r->language_given) r->hip = named_hip;
}
