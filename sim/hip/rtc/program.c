// SPDX-License-Identifier: MIT
// hiprtc: programs compiled from text at run time. A name expression becomes a pointer variable at the end of
// the source; what the variable points to in the code object is the lowered name.
#include <ctype.h>
#include <hip/hiprtc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/hip/hip.h"
#include "sim/hip/rtc/rtc.h"

typedef enum stage { CREATED, COMPILED, FAILED } stage;

struct _hiprtcProgram {
  char *source;
  char name[128];
  sim_rtc_list header_names, headers;
  sim_rtc_list expressions;  // as the program gave them
  sim_rtc_list lowered;      // in the same order, after compilation
  sim_rtc_bytes code, bitcode, log;
  stage stage;
};

static const struct {
  hiprtcResult code;
  const char *name;
} names[] = {
#define RESULT(code) {code, #code}
    RESULT(HIPRTC_SUCCESS),
    RESULT(HIPRTC_ERROR_OUT_OF_MEMORY),
    RESULT(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE),
    RESULT(HIPRTC_ERROR_INVALID_INPUT),
    RESULT(HIPRTC_ERROR_INVALID_PROGRAM),
    RESULT(HIPRTC_ERROR_INVALID_OPTION),
    RESULT(HIPRTC_ERROR_COMPILATION),
    RESULT(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE),
    RESULT(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION),
    RESULT(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION),
    RESULT(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID),
    RESULT(HIPRTC_ERROR_INTERNAL_ERROR),
    {(hiprtcResult)100, "HIPRTC_ERROR_LINKING"},
#undef RESULT
};

const char *hiprtcGetErrorString(hiprtcResult result) {
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i].code == result) return names[i].name;
  return "Invalid HIPRTC error code";
}

// This is the version of hiprtc that ROCm 5 to 7 tell.
hiprtcResult hiprtcVersion(int *major, int *minor) {
  if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9;
  *minor = 0;
  return HIPRTC_SUCCESS;
}

static hiprtcResult refuse(hiprtcResult result, const char *call, const char *why) {
  sim_say("%s: %s", call, why);
  return result;
}

static hiprtcResult need(const char *call, hiprtcProgram program) {
  if (sim_hip_handle_is(program, SIM_HIP_RTC_PROGRAM)) return HIPRTC_SUCCESS;
  return refuse(HIPRTC_ERROR_INVALID_PROGRAM, call, "the program is none of this runtime");
}

// ---- making and destroying

static void destroy(hiprtcProgram p) {
  sim_rtc_list_free(&p->header_names);
  sim_rtc_list_free(&p->headers);
  sim_rtc_list_free(&p->expressions);
  sim_rtc_list_free(&p->lowered);
  free(p->code.data);
  free(p->bitcode.data);
  free(p->log.data);
  free(p->source);
  free(p);
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *out, const char *source, const char *name, int header_count,
                                 const char **headers, const char **header_names) {
  const char *call = "hiprtcCreateProgram";
  if (!out) return refuse(HIPRTC_ERROR_INVALID_PROGRAM, call, "the result pointer is null");
  if (!source) return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "the source is null");
  if (header_count < 0 || (header_count && (!headers || !header_names)))
    return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "headers are announced but not given");
  hiprtcProgram p = calloc(1, sizeof *p);
  bool ok = p && (p->source = strdup(source));
  for (int i = 0; ok && i < header_count; ++i)
    ok = headers[i] && header_names[i] && sim_rtc_list_add(&p->headers, headers[i]) &&
         sim_rtc_list_add(&p->header_names, header_names[i]);
  if (ok && sim_hip_handle_add(p, SIM_HIP_RTC_PROGRAM, NULL)) {
    snprintf(p->name, sizeof p->name, "%s", name && *name ? name : "program.hip");
    *out = p;
    return HIPRTC_SUCCESS;
  }
  if (p) destroy(p);
  return HIPRTC_ERROR_OUT_OF_MEMORY;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
  if (!program) return HIPRTC_SUCCESS;  // as ROCm has it
  hiprtcResult result = need("hiprtcDestroyProgram", *program);
  if (result != HIPRTC_SUCCESS) return result;
  sim_hip_handle_remove(*program, SIM_HIP_RTC_PROGRAM);
  destroy(*program);
  *program = NULL;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram p, const char *expression) {
  const char *call = "hiprtcAddNameExpression";
  if (!expression) return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "the expression is null");
  hiprtcResult result = need(call, p);
  if (result != HIPRTC_SUCCESS) return result;
  if (p->stage != CREATED)
    return refuse(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, call,
                  "the program has been compiled already");
  return sim_rtc_list_add(&p->expressions, expression) ? HIPRTC_SUCCESS : HIPRTC_ERROR_OUT_OF_MEMORY;
}

// ---- compiling

// Adds pointer variables for the name expressions, which may begin with the "&" that is written here.
static char *with_expressions(const hiprtcProgram p) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fprintf(out, "#line 1 \"%s\"\n%s\n", p->name, p->source);
  for (size_t i = 0; i < p->expressions.count; ++i) {
    const char *e = p->expressions.text[i];
    while (isspace((unsigned char)*e) || *e == '&') ++e;
    fprintf(out,
            "extern \"C\" __device__ __attribute__((used)) const void *const wt_rtc_name_%zu = "
            "(const void *)&(%s);\n",
            i, e);
  }
  return fclose(out) ? (free(text), NULL) : text;
}

// A program finds this without including it, as with ROCm's hiprtc. The macro of run-time compilation comes
// after it, and the half precision of HIP 5 is left out: clang 22 does not compile Debian's headers
// otherwise.
static const char prelude[] =
    "#include <hip/hip_runtime.h>\n#include <hip/hip_complex.h>\n#if HIP_VERSION_MAJOR >= 6\n"
    "#include <hip/hip_fp16.h>\n#include <hip/hip_bfloat16.h>\n#include <hip/hip_math_constants.h>\n#endif\n"
    "#define __HIPCC_RTC__ 1\n";

static bool write_files(const sim_rtc_folder *folder, const hiprtcProgram p) {
  char *text = with_expressions(p);
  bool ok = text && sim_rtc_write(folder, "program.hip", text, strlen(text)) &&
            sim_rtc_write(folder, "prelude.h", prelude, strlen(prelude));
  for (size_t i = 0; ok && i < p->headers.count; ++i)
    ok = sim_rtc_write(folder, p->header_names.text[i], p->headers.text[i], strlen(p->headers.text[i]));
  free(text);
  return ok;
}

// Knows the options that name the target in ways that the command does not have.
static const char *target_of(const char *option) {
  static const char *const forms[] = {"--gpu-architecture=", "--offload-arch=", "-arch="};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
    if (!strncmp(option, forms[i], strlen(forms[i]))) return option + strlen(forms[i]);
  return NULL;
}

// Adds an option of the program's. The compiler works in a folder of its own, so an include folder that is
// not named from the root gets the program's working folder before it: the word behind -I and its like, or
// the rest of their word.
static bool add_option(sim_rtc_list *words, const char *option, bool *folder_follows) {
  static const char *const forms[] = {"-I", "-isystem", "-iquote", "-idirafter"};
  char here[PATH_MAX], word[2 * PATH_MAX];
  size_t length = 0;
  for (size_t i = 0; !*folder_follows && i < sizeof forms / sizeof *forms; ++i)
    if (!strncmp(option, forms[i], strlen(forms[i]))) length = strlen(forms[i]);
  const bool names_folder = *folder_follows || length;
  *folder_follows = length && !option[length];
  if (!names_folder || *folder_follows || option[length] == '/' || !getcwd(here, sizeof here))
    return sim_rtc_list_add(words, option);
  snprintf(word, sizeof word, "%.*s%s/%s", (int)length, option, here, option + length);
  return sim_rtc_list_add(words, word);
}

static bool has_option(int count, const char **options, const char *option) {
  for (int i = 0; i < count; ++i)
    if (!strcmp(options[i], option)) return true;
  return false;
}

static bool compose(sim_rtc_list *words, int count, const char **options, bool relocatable) {
  const sim_hip_device *device = sim_hip_current();
  char arch[128] = "";
  bool ok = true, folder_follows = false;
  for (int i = 0; ok && i < count; ++i) {
    const char *option = options[i];
    const bool two =
        (!strcmp(option, "--gpu-architecture") || !strcmp(option, "--offload-arch")) && i + 1 < count;
    const char *target = two ? options[++i] : target_of(option);
    if (target)
      snprintf(arch, sizeof arch, "--offload-arch=%s", target);
    else
      ok = add_option(words, option, &folder_follows);
  }
  if (!*arch) snprintf(arch, sizeof arch, "--offload-arch=%s", device ? device->machine->target : "gfx942");
  const char *const fixed[] = {arch,
                               "--offload-device-only",
                               "--no-gpu-bundle-output",
                               "-fuse-cuid=random",
                               "-I.",
                               "-include",
                               "prelude.h",
                               "-x",
                               "hip",
                               "-c",
                               "program.hip",
                               "-o",
                               "out"};
  for (size_t i = 0; ok && i < sizeof fixed / sizeof *fixed; ++i) ok = sim_rtc_list_add(words, fixed[i]);
  return ok && (!relocatable || sim_rtc_list_add(words, "-emit-llvm"));
}

static hiprtcResult read_names(hiprtcProgram p) {
  for (size_t i = 0; i < p->expressions.count; ++i) {
    char variable[64];
    snprintf(variable, sizeof variable, "wt_rtc_name_%zu", i);
    const char *name = sim_rtc_pointed_symbol(&p->code, variable);
    if (!sim_rtc_list_add(&p->lowered, name ? name : "")) return HIPRTC_ERROR_OUT_OF_MEMORY;
  }
  return HIPRTC_SUCCESS;
}

static hiprtcResult compile_in(const sim_rtc_folder *folder, hiprtcProgram p, int count,
                               const char **options) {
  sim_rtc_list words = {NULL, 0};
  const bool relocatable = has_option(count, options, "-fgpu-rdc");
  if (!write_files(folder, p) || !compose(&words, count, options, relocatable)) {
    sim_rtc_list_free(&words);
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
  const int status = sim_rtc_run(folder, &words);
  sim_rtc_list_free(&words);
  sim_rtc_read(folder, "log", &p->log);
  if (status) return HIPRTC_ERROR_COMPILATION;
  // LLVM's own options make it print about its passes. Where the compiler is part of the process, as in ROCm,
  // that text is on standard error, so programs look for it there.
  if (p->log.data && has_option(count, options, "-mllvm")) fputs(p->log.data, stderr);
  if (!sim_rtc_read(folder, "out", relocatable ? &p->bitcode : &p->code)) return HIPRTC_ERROR_INTERNAL_ERROR;
  return relocatable ? HIPRTC_SUCCESS : read_names(p);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram p, int count, const char **options) {
  const char *call = "hiprtcCompileProgram";
  sim_rtc_folder folder;
  hiprtcResult result = need(call, p);
  if (result != HIPRTC_SUCCESS) return result;
  if (count < 0 || (count && !options))
    return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "options are announced but not given");
  for (int i = 0; i < count; ++i)
    if (!options[i]) return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "an option is null");
  if (p->stage != CREATED)
    return refuse(HIPRTC_ERROR_COMPILATION, call, "the program has been compiled already");
  if (!sim_rtc_available(call)) return HIPRTC_ERROR_INTERNAL_ERROR;
  if (!sim_rtc_folder_open(&folder))
    return refuse(HIPRTC_ERROR_INTERNAL_ERROR, call, "there is no folder for temporary files, set TMPDIR");
  result = compile_in(&folder, p, count, options);
  sim_rtc_folder_close(&folder);
  p->stage = result == HIPRTC_SUCCESS ? COMPILED : FAILED;
  if (result == HIPRTC_ERROR_COMPILATION && p->log.data) sim_say("%s: %s", call, p->log.data);
  return result;
}

// ---- results

hiprtcResult hiprtcGetLoweredName(hiprtcProgram p, const char *expression, const char **lowered) {
  const char *call = "hiprtcGetLoweredName";
  if (!expression || !lowered)
    return refuse(HIPRTC_ERROR_INVALID_INPUT, call,
                  expression ? "the result pointer is null" : "the expression is null");
  hiprtcResult result = need(call, p);
  if (result != HIPRTC_SUCCESS) return result;
  if (p->stage != COMPILED)
    return refuse(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, call,
                  "the program has not been compiled");
  for (size_t i = 0; i < p->lowered.count; ++i)
    if (!strcmp(p->expressions.text[i], expression) && *p->lowered.text[i]) {
      *lowered = p->lowered.text[i];
      return HIPRTC_SUCCESS;
    }
  return refuse(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID, call, "the expression was not added");
}

static hiprtcResult give(const char *call, hiprtcProgram p, const sim_rtc_bytes *from, size_t extra,
                         size_t *size, char *out) {
  hiprtcResult result = need(call, p);
  if (result != HIPRTC_SUCCESS) return result;
  if (!size && !out) return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "the result pointer is null");
  if (size) *size = from->size ? from->size + extra : 0;
  if (out && from->size) memcpy(out, from->data, from->size + extra);
  return HIPRTC_SUCCESS;
}

static hiprtcResult give_compiled(const char *call, hiprtcProgram p, bool bitcode, size_t *size, char *out) {
  if (!size && !out) return refuse(HIPRTC_ERROR_INVALID_INPUT, call, "the result pointer is null");
  hiprtcResult result = need(call, p);
  if (result != HIPRTC_SUCCESS) return result;
  if (p->stage != COMPILED)
    return refuse(HIPRTC_ERROR_INVALID_PROGRAM, call, "the program has not been compiled");
  if (bitcode && !p->bitcode.data)
    return refuse(HIPRTC_ERROR_INVALID_PROGRAM, call, "the program was compiled without -fgpu-rdc");
  return give(call, p, bitcode ? &p->bitcode : &p->code, 0, size, out);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram p, size_t *size) {
  return give_compiled("hiprtcGetCodeSize", p, false, size, NULL);
}
hiprtcResult hiprtcGetCode(hiprtcProgram p, char *out) {
  return give_compiled("hiprtcGetCode", p, false, NULL, out);
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram p, size_t *size) {
  hiprtcResult result = need("hiprtcGetProgramLogSize", p);
  return result == HIPRTC_SUCCESS ? give("hiprtcGetProgramLogSize", p, &p->log, 1, size, NULL) : result;
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram p, char *out) {
  hiprtcResult result = need("hiprtcGetProgramLog", p);
  return result == HIPRTC_SUCCESS ? give("hiprtcGetProgramLog", p, &p->log, 1, NULL, out) : result;
}

// HIP declares these since 5.3.
#pragma GCC visibility push(default)
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram p, size_t *size);
hiprtcResult hiprtcGetBitcode(hiprtcProgram p, char *out);
#pragma GCC visibility pop

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram p, size_t *size) {
  return give_compiled("hiprtcGetBitcodeSize", p, true, size, NULL);
}
hiprtcResult hiprtcGetBitcode(hiprtcProgram p, char *out) {
  return give_compiled("hiprtcGetBitcode", p, true, NULL, out);
}
