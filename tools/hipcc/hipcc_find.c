// SPDX-License-Identifier: MIT
// Finds the parts of the tool chain: clang with its linker, the HIP headers, the device library, the device
// headers of this library and the simulated runtime. What is missing is named together with its remedy.
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tool.h"
#include "hipcc.h"

// Writes the first path that matches `pattern`, of a shell's kind, to `out`.
static bool first_match(const char *pattern, char *out, size_t size) {
  glob_t found;
  bool ok = glob(pattern, 0, NULL, &found) == 0;
  if (ok) ok = (size_t)snprintf(out, size, "%s", found.gl_pathv[0]) < size;
  globfree(&found);
  return ok;
}

// Looks for a program in the folders of PATH.
static bool in_path(const char *name, char *out, size_t size) {
  const char *rest = getenv("PATH");
  while (rest && *rest) {
    const size_t length = strcspn(rest, ":");
    if (length && (size_t)snprintf(out, size, "%.*s/%s", (int)length, rest, name) < size &&
        access(out, X_OK) == 0)
      return true;
    rest += length + (rest[length] == ':');
  }
  return false;
}

// ---- the compiler

static bool find_clang(const hipcc_request *r, char *out, size_t size) {
  static const char *const of_rocm[] = {"llvm/bin/clang++", "lib/llvm/bin/clang++"};
  static const char *const by_name[] = {"clang++-22", "clang++-21"};
  for (size_t i = 0; r->rocm && i < sizeof of_rocm / sizeof *of_rocm; ++i) {
    snprintf(out, size, "%s/%s", r->rocm, of_rocm[i]);
    if (access(out, X_OK) == 0) return true;
  }
  snprintf(out, size, "%s", HIPCC_CLANG);  // of the build of this command
  if (access(out, X_OK) == 0) return true;
  for (size_t i = 0; i < sizeof by_name / sizeof *by_name; ++i)
    if (in_path(by_name[i], out, size)) return true;
  return false;
}

// Clang runs programs that stand beside itself or in PATH.
static int check_helper(const char *clang, const char *name, const char *package) {
  char path[PATH_MAX], beside[PATH_MAX + 64];
  if (!realpath(clang, path)) return TOOL_OK;  // clang will say itself what is wrong with it
  snprintf(beside, sizeof beside, "%s/%s", dirname(path), name);
  if (access(beside, X_OK) == 0 || in_path(name, beside, sizeof beside)) return TOOL_OK;
  return tool_error(TOOL_FAILED,
                    "%s needs the program %s, which is neither beside it nor in PATH; install %s", clang,
                    name, package);
}

static int choose_clang(const hipcc_request *r, hipcc_toolchain *chain) {
  const size_t size = sizeof chain->clang;
  if (r->clang) {
    if (strchr(r->clang, '/') ? access(r->clang, X_OK) == 0 : in_path(r->clang, chain->clang, size)) {
      if (strchr(r->clang, '/')) snprintf(chain->clang, size, "%s", r->clang);
      return TOOL_OK;
    }
    return tool_error(TOOL_USAGE, "--clang is \"%s\", which cannot be run: %s; pass the path of a clang++",
                      r->clang, strerror(errno));
  }
  if (!find_clang(r, chain->clang, size))
    return tool_error(TOOL_FAILED,
                      "there is no clang++-22 in PATH; install clang-22 and lld-22, or name a clang++ of "
                      "version 21 or newer with --clang");
  if (!r->hip && !r->kernel) return TOOL_OK;
  const int code = check_helper(chain->clang, "lld", "lld-22");
  return code ? code : check_helper(chain->clang, "clang-offload-bundler", "clang-tools-22");
}

// ---- HIP

// Finds the tree whose headers are used: the one that is named, else Debian's, else ROCm's usual one.
static int find_hip_headers(const hipcc_request *r, hipcc_toolchain *chain) {
  static const char *const usual[] = {HIPCC_HIP_INCLUDE, "/usr/include", "/opt/rocm/include"};
  char header[TOOL_PATH + 64];
  const size_t size = sizeof chain->hip_include;
  for (size_t i = 0; i < (r->rocm ? 1 : sizeof usual / sizeof *usual); ++i) {
    if (r->rocm)
      snprintf(chain->hip_include, size, "%s/include", r->rocm);
    else
      snprintf(chain->hip_include, size, "%s", usual[i]);
    snprintf(header, sizeof header, "%s/hip/hip_runtime.h", chain->hip_include);
    if (access(header, R_OK) == 0) return TOOL_OK;
  }
  if (r->rocm)
    return tool_error(TOOL_USAGE,
                      "%s is \"%s\", but %s cannot be read: %s; name ROCm's folder, such as /opt/rocm",
                      r->rocm_named, r->rocm, header, strerror(errno));
  return tool_error(TOOL_FAILED,
                    "hip/hip_runtime.h is neither in /usr/include nor in /opt/rocm/include; install "
                    "libamdhip64-dev, or name a ROCm tree with --rocm");
}

// Returns whether the device library in chain->device_library has a file for the processor of every target.
static bool library_knows(const hipcc_request *r, const hipcc_toolchain *chain) {
  char file[TOOL_PATH + 64];
  for (size_t i = 0; i < r->arch_count; ++i) {
    const int length = (int)strcspn(r->archs[i] + 3, ":");  // behind "gfx", before ":xnack-"
    snprintf(file, sizeof file, "%s/oclc_isa_version_%.*s.bc", chain->device_library, length,
             r->archs[i] + 3);
    if (access(file, R_OK) != 0) return false;
  }
  return true;
}

static int find_device_library(const hipcc_request *r, hipcc_toolchain *chain) {
  static const char *const of_rocm[] = {"amdgcn/bitcode", "lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
                                        "llvm/lib/clang/*/lib/amdgcn/bitcode"};
  static const char *const usual[] = {"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/amdgcn/bitcode",
                                      "/opt/rocm/amdgcn/bitcode"};
  char pattern[TOOL_PATH], file[TOOL_PATH];
  const size_t count = r->rocm ? sizeof of_rocm / sizeof *of_rocm : sizeof usual / sizeof *usual;
  for (size_t i = 0; i < count; ++i) {
    snprintf(pattern, sizeof pattern, "%s%s%s/ockl.bc", r->rocm ? r->rocm : "", r->rocm ? "/" : "",
             r->rocm ? of_rocm[i] : usual[i]);
    if (!first_match(pattern, file, sizeof file)) continue;
    snprintf(chain->device_library, sizeof chain->device_library, "%s", dirname(file));
    chain->knows_archs = library_knows(r, chain);
    return TOOL_OK;
  }
  if (r->rocm)
    return tool_error(TOOL_USAGE,
                      "%s is \"%s\", but there is no device library in %s/%s; name a whole ROCm tree",
                      r->rocm_named, r->rocm, r->rocm, of_rocm[0]);
  return tool_error(TOOL_FAILED,
                    "there is no device library in %s; install rocm-device-libs, or name a ROCm tree with "
                    "--rocm",
                    usual[0]);
}

// ---- this library

static int find_own(const hipcc_request *r, hipcc_toolchain *chain) {
  if (r->sources && !tool_header_folders(chain->headers, chain->api, sizeof chain->headers)) {
    if (r->kernel)
      return tool_error(TOOL_FAILED,
                        "--kernel needs the device headers, but there is no wavetile_device.h in %s; install "
                        "wavetile's headers beside this command",
                        chain->api);
    chain->headers[0] = chain->api[0] = 0;  // an ordinary program may do without
  }
  if (!r->kernel && r->links && !tool_runtime_folder(chain->runtime, sizeof chain->runtime))
    return tool_error(TOOL_FAILED,
                      "programs are linked with the simulated runtime, but this command runs with another; "
                      "leave LD_LIBRARY_PATH and LD_PRELOAD unset");
  return TOOL_OK;
}

int hipcc_find(const hipcc_request *r, hipcc_toolchain *chain) {
  *chain = (hipcc_toolchain){.knows_archs = false};
  int code = choose_clang(r, chain);
  if (!code && !r->kernel && (r->hip || r->c)) code = find_hip_headers(r, chain);
  if (!code && !r->kernel && (r->hip || r->relocatable) && !r->no_device_library)
    code = find_device_library(r, chain);
  return code ? code : find_own(r, chain);
}
