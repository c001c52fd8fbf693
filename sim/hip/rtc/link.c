// SPDX-License-Identifier: MIT
// Implements hiprtcLink and hipLink: bitcode of several programs is linked into one code object.
#include <hip/hiprtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/hip.h"
#include "sim/hip/rtc/rtc.h"

// These are hiprtcJITInputType and hipJitInputType of HIP 6 (include/hip of ROCm/HIP): an ABI.
enum { INPUT_BITCODE = 100 };
enum { ERROR_LINKING = 100 };

typedef struct link_state {
  sim_rtc_folder folder;
  sim_rtc_list files;
  sim_rtc_bytes code;
} link_state;

#pragma GCC visibility push(default)
hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, link_state **out);
hiprtcResult hiprtcLinkAddFile(link_state *link, int type, const char *path, unsigned count, int *options,
                               void **values);
hiprtcResult hiprtcLinkAddData(link_state *link, int type, void *image, size_t size, const char *name,
                               unsigned count, int *options, void **values);
hiprtcResult hiprtcLinkComplete(link_state *link, void **code, size_t *size);
hiprtcResult hiprtcLinkDestroy(link_state *link);
hipError_t hipLinkCreate(unsigned count, int *options, void **values, link_state **out);
hipError_t hipLinkAddFile(link_state *link, int type, const char *path, unsigned count, int *options,
                          void **values);
hipError_t hipLinkAddData(link_state *link, int type, void *image, size_t size, const char *name,
                          unsigned count, int *options, void **values);
hipError_t hipLinkComplete(link_state *link, void **code, size_t *size);
hipError_t hipLinkDestroy(link_state *link);
#pragma GCC visibility pop

static hiprtcResult refuse(const char *call, const char *why) {
  sim_say("%s: %s", call, why);
  return HIPRTC_ERROR_INVALID_INPUT;
}

static hiprtcResult need(const char *call, const link_state *link) {
  return sim_hip_handle_is(link, SIM_HIP_RTC_LINK) ? HIPRTC_SUCCESS
                                                   : refuse(call, "the link state is none of this runtime");
}

static hiprtcResult need_bitcode(const char *call, int type) {
  return type == INPUT_BITCODE ? HIPRTC_SUCCESS : refuse(call, "only LLVM bitcode (type 100) can be linked");
}

// The options steer a just-in-time compiler that this runtime does not have.
hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, link_state **out) {
  const char *call = "hiprtcLinkCreate";
  if (!out || (count && (!options || !values)))
    return refuse(call, out ? "options are announced but not given" : "the result pointer is null");
  if (!sim_rtc_available(call)) return HIPRTC_ERROR_INTERNAL_ERROR;
  link_state *link = calloc(1, sizeof *link);
  const bool folder = link && sim_rtc_folder_open(&link->folder);
  if (folder && sim_hip_handle_add(link, SIM_HIP_RTC_LINK, NULL)) {
    *out = link;
    return HIPRTC_SUCCESS;
  }
  if (folder) sim_rtc_folder_close(&link->folder);
  free(link);
  return HIPRTC_ERROR_OUT_OF_MEMORY;
}

hiprtcResult hiprtcLinkAddData(link_state *link, int type, void *image, size_t size, const char *name,
                               unsigned count, int *options, void **values) {
  const char *call = "hiprtcLinkAddData";
  (void)name, (void)options, (void)values, (void)count;
  hiprtcResult result = need(call, link);
  if (result != HIPRTC_SUCCESS) return result;
  if (!image || !size) return refuse(call, "the image is null or empty");
  if (need_bitcode(call, type) != HIPRTC_SUCCESS) return HIPRTC_ERROR_INVALID_INPUT;
  char file[32];
  snprintf(file, sizeof file, "input%zu.bc", link->files.count);
  return sim_rtc_write(&link->folder, file, image, size) && sim_rtc_list_add(&link->files, file)
             ? HIPRTC_SUCCESS
             : HIPRTC_ERROR_INTERNAL_ERROR;
}

hiprtcResult hiprtcLinkAddFile(link_state *link, int type, const char *path, unsigned count, int *options,
                               void **values) {
  const char *call = "hiprtcLinkAddFile";
  hiprtcResult result = need(call, link);
  if (result != HIPRTC_SUCCESS) return result;
  if (need_bitcode(call, type) != HIPRTC_SUCCESS) return HIPRTC_ERROR_INVALID_INPUT;
  FILE *file = path ? fopen(path, "rb") : NULL;
  char *data = NULL;
  long size = -1;
  if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET))
    data = malloc((size_t)size);
  const bool read = data && fread(data, 1, (size_t)size, file) == (size_t)size;
  if (file) fclose(file);
  result = read ? hiprtcLinkAddData(link, type, data, (size_t)size, path, count, options, values)
                : (refuse(call, "the file cannot be read"), HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
  free(data);
  return result;
}

// The linker takes bitcode itself and makes one module of it, as a code object has to be.
static bool add_input(sim_rtc_list *words, const char *file) {
  char word[64];
  snprintf(word, sizeof word, "-Wl,%s", file);
  return sim_rtc_list_add(words, word);
}

hiprtcResult hiprtcLinkComplete(link_state *link, void **code, size_t *size) {
  const char *call = "hiprtcLinkComplete";
  const sim_hip_device *device = sim_hip_current();
  hiprtcResult result = need(call, link);
  if (result != HIPRTC_SUCCESS) return result;
  if (!code || !size) return refuse(call, "a result pointer is null");
  char processor[64];
  snprintf(processor, sizeof processor, "-mcpu=%s", device ? device->machine->target : "gfx942");
  const char *const fixed[] = {"--target=amdgcn-amd-amdhsa", processor, "-O3", "-flto"};
  sim_rtc_list words = {NULL, 0};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof fixed / sizeof *fixed; ++i) ok = sim_rtc_list_add(&words, fixed[i]);
  for (size_t i = 0; ok && i < link->files.count; ++i) ok = add_input(&words, link->files.text[i]);
  ok = ok && sim_rtc_list_add(&words, "-o") && sim_rtc_list_add(&words, "linked");
  const int status = ok ? sim_rtc_run(&link->folder, &words) : -1;
  sim_rtc_list_free(&words);
  free(link->code.data);
  link->code = (sim_rtc_bytes){NULL, 0};
  if (status || !sim_rtc_read(&link->folder, "linked", &link->code)) {
    sim_rtc_bytes log;
    if (sim_rtc_read(&link->folder, "log", &log)) sim_say("%s: %s", call, log.data);
    free(log.data);
    return (hiprtcResult)ERROR_LINKING;
  }
  *code = link->code.data;
  *size = link->code.size;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcLinkDestroy(link_state *link) {
  hiprtcResult result = need("hiprtcLinkDestroy", link);
  if (result != HIPRTC_SUCCESS) return result;
  sim_hip_handle_remove(link, SIM_HIP_RTC_LINK);
  sim_rtc_folder_close(&link->folder);
  sim_rtc_list_free(&link->files);
  free(link->code.data);
  free(link);
  return HIPRTC_SUCCESS;
}

// ---- the same calls with HIP's errors

static hipError_t error_of(hiprtcResult result) {
  return sim_hip_result(result == HIPRTC_SUCCESS               ? hipSuccess
                        : result == HIPRTC_ERROR_INVALID_INPUT ? hipErrorInvalidValue
                        : result == HIPRTC_ERROR_OUT_OF_MEMORY ? hipErrorOutOfMemory
                                                               : hipErrorInvalidImage);
}

hipError_t hipLinkCreate(unsigned count, int *options, void **values, link_state **out) {
  return error_of(hiprtcLinkCreate(count, options, values, out));
}
hipError_t hipLinkAddFile(link_state *link, int type, const char *path, unsigned count, int *options,
                          void **values) {
  return error_of(hiprtcLinkAddFile(link, type, path, count, options, values));
}
hipError_t hipLinkAddData(link_state *link, int type, void *image, size_t size, const char *name,
                          unsigned count, int *options, void **values) {
  return error_of(hiprtcLinkAddData(link, type, image, size, name, count, options, values));
}
hipError_t hipLinkComplete(link_state *link, void **code, size_t *size) {
  return error_of(hiprtcLinkComplete(link, code, size));
}
hipError_t hipLinkDestroy(link_state *link) { return error_of(hiprtcLinkDestroy(link)); }
