// SPDX-License-Identifier: MIT
// Makes clang's command from what the user asked for and what was found.
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "hipcc.h"
#include "hipcc_flags.h"  // generated: HIPCC_KERNEL_FLAGS, those that the library's own kernels are compiled with

// A compiler's own folder must not be named: that would change the order in which it searches.
static void add_system_folder(hipcc_words *out, const char *folder) {
  if (!*folder || strcmp(folder, "/usr/include") == 0) return;
  hipcc_add(out, "-isystem");
  hipcc_add(out, "%s", folder);
}

static void add_archs(hipcc_words *out, const hipcc_request *r) {
  for (size_t i = 0; i < r->arch_count; ++i) hipcc_add(out, "--offload-arch=%s", r->archs[i]);
}

// Device libraries that do not know a target by name, as Debian's do not, are given to clang file by file.
// The file for gfx940 describes the instruction set that gfx942 and gfx950 extend.
static void add_device_library(hipcc_words *out, const hipcc_request *r, const hipcc_toolchain *chain) {
  static const char *const files[] = {"hip",
                                      "opencl",
                                      "ocml",
                                      "ockl",
                                      "oclc_abi_version_500",
                                      "oclc_isa_version_940",
                                      "oclc_wavefrontsize64_on",
                                      "oclc_daz_opt_off",
                                      "oclc_finite_only_off",
                                      "oclc_unsafe_math_off",
                                      "oclc_correctly_rounded_sqrt_on"};
  if (r->rocm) hipcc_add(out, "--rocm-path=%s", r->rocm);
  if (!*chain->device_library) return;
  if (chain->knows_archs) {
    hipcc_add(out, "--rocm-device-lib-path=%s", chain->device_library);
    return;
  }
  hipcc_add(out, "--hip-device-lib-path=%s", chain->device_library);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    hipcc_add(out, "--hip-device-lib=%s.bc", files[i]);
}

// Appends the user's words. Where no -x among them gives the language, "-x LANGUAGE" is put before each
// source file that needs another one than the file before, and "-x none" before other files.
static void add_words(hipcc_words *out, const hipcc_request *r) {
  static const char *const names[] = {[HIPCC_NO_SOURCE] = "none", [HIPCC_HIP] = "hip", [HIPCC_C] = "c"};
  hipcc_language now = HIPCC_NO_SOURCE;
  for (size_t i = 0; i < r->count; ++i) {
    if (hipcc_is_file(r, i) && !r->language_given && !r->kernel && hipcc_language_of(r->words[i]) != now) {
      now = hipcc_language_of(r->words[i]);
      hipcc_add(out, "-x");
      hipcc_add(out, "%s", names[now]);
    }
    if (!r->kernel || !hipcc_is_about_dependencies(r, i)) hipcc_add(out, "%s", r->words[i]);
  }
}

// Clang's driver writes no dependency file when it compiles for the device alone, so its front end is asked.
static void add_dependencies(hipcc_words *out, const hipcc_request *r, const char *output) {
  const char *name = strrchr(output, '/'), *dot = strrchr(name ? name : output, '.');
  const int stem = dot ? (int)(dot - output) : (int)strlen(output);
  hipcc_add(out, "-Xclang");
  hipcc_add(out, "-dependency-file");
  hipcc_add(out, "-Xclang");
  if (r->dependency_file)
    hipcc_add(out, "%s", r->dependency_file);
  else
    hipcc_add(out, "%.*s.d", stem, output);
  if (r->all_dependencies) {
    hipcc_add(out, "-Xclang");
    hipcc_add(out, "-sys-header-deps");
  }
  hipcc_add(out, "-Xclang");
  hipcc_add(out, "-MT");
  hipcc_add(out, "-Xclang");
  hipcc_add(out, "%s", r->dependency_target ? r->dependency_target : output);
}

static void compose_program(hipcc_words *out, const hipcc_request *r, const hipcc_toolchain *chain) {
  if (r->sources || r->hip) {
    hipcc_add(out, "-D__HIP_PLATFORM_AMD__");
    add_system_folder(out, chain->hip_include);
    add_system_folder(out, chain->headers);
    if (strcmp(chain->api, chain->headers) != 0) add_system_folder(out, chain->api);
    if (*chain->api) {  // the program tells the runtime which headers it was compiled with
      hipcc_add(out, "-include");
      hipcc_add(out, "%s/wavetile/hip_note.h", chain->api);
    }
    if (!r->optimised) hipcc_add(out, "-O3");
  }
  if (r->hip) hipcc_add(out, "-D__AMDGCN_WAVEFRONT_SIZE=64");  // clang 22 defines it no more, HIP 5 needs it
  if (r->hip || r->relocatable) {
    add_archs(out, r);
    add_device_library(out, r, chain);
  }
  add_words(out, r);
  if (!r->links) return;
  if (r->relocatable) hipcc_add(out, "--hip-link");
  hipcc_add(out, "-L%s", chain->runtime);
  hipcc_add(out, "-Wl,-rpath,%s", chain->runtime);
  hipcc_add(out, "-lamdhip64");
}

// Makes a code object for one target, or a bundle of several, which hipModuleLoad takes as well.
static void compose_kernel(hipcc_words *out, const hipcc_request *r, const hipcc_toolchain *chain) {
  static const char *const flags[] = {HIPCC_KERNEL_FLAGS};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) hipcc_add(out, "%s", flags[i]);
  add_archs(out, r);
  if (r->writes_file) hipcc_add(out, r->arch_count > 1 ? "--gpu-bundle-output" : "--no-gpu-bundle-output");
  add_system_folder(out, chain->headers);
  add_words(out, r);
  if (!r->writes_file || !r->source) return;
  char path[TOOL_PATH], output[TOOL_PATH + 8];
  snprintf(path, sizeof path, "%s", r->source);
  char *name = basename(path), *dot = strrchr(name, '.');
  if (dot && dot > name) *dot = 0;
  snprintf(output, sizeof output, "%s.%s", name, r->assembly ? "s" : "co");
  if (!r->output) {
    hipcc_add(out, "-o");
    hipcc_add(out, "%s", output);
  }
  if (r->dependencies) add_dependencies(out, r, r->output ? r->output : output);
}

void hipcc_compose(const hipcc_request *r, const hipcc_toolchain *chain, hipcc_words *command) {
  hipcc_add(command, "%s", chain->clang);
  if (r->kernel)
    compose_kernel(command, r, chain);
  else
    compose_program(command, r, chain);
}
