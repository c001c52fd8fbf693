// SPDX-License-Identifier: MIT
// Target identifiers: processor names by ELF machine number, and the sramecc/xnack settings a code object
// may ask for (LLVM AMDGPUUsage, "Target ID" and "ELF Header").
#include <stdio.h>

#include "sim/object/internal.h"

// The numbers are EF_AMDGPU_MACH_AMDGCN_* of LLVM's BinaryFormat/ELF.h. Only gfx942, gfx950 and their generic
// target are executed; the others are here so that a refusal can name what the file is for.
static const struct {
  uint8_t mach;
  char name[16];
} machines[] = {
    {0x20, "gfx600"},         {0x21, "gfx601"},          {0x22, "gfx700"},          {0x23, "gfx701"},
    {0x24, "gfx702"},         {0x25, "gfx703"},          {0x26, "gfx704"},          {0x28, "gfx801"},
    {0x29, "gfx802"},         {0x2a, "gfx803"},          {0x2b, "gfx810"},          {0x2c, "gfx900"},
    {0x2d, "gfx902"},         {0x2e, "gfx904"},          {0x2f, "gfx906"},          {0x30, "gfx908"},
    {0x31, "gfx909"},         {0x32, "gfx90c"},          {0x33, "gfx1010"},         {0x34, "gfx1011"},
    {0x35, "gfx1012"},        {0x36, "gfx1030"},         {0x37, "gfx1031"},         {0x38, "gfx1032"},
    {0x39, "gfx1033"},        {0x3a, "gfx602"},          {0x3b, "gfx705"},          {0x3c, "gfx805"},
    {0x3d, "gfx1035"},        {0x3e, "gfx1034"},         {0x3f, "gfx90a"},          {0x41, "gfx1100"},
    {0x42, "gfx1013"},        {0x43, "gfx1150"},         {0x44, "gfx1103"},         {0x45, "gfx1036"},
    {0x46, "gfx1101"},        {0x47, "gfx1102"},         {0x48, "gfx1200"},         {0x49, "gfx1250"},
    {0x4a, "gfx1151"},        {0x4c, "gfx942"},          {0x4e, "gfx1201"},         {0x4f, "gfx950"},
    {0x51, "gfx9-generic"},   {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},
    {0x55, "gfx1152"},        {0x58, "gfx1153"},         {0x59, "gfx12-generic"},   {0x5a, "gfx1251"},
    {0x5f, "gfx9-4-generic"},
};

const char *sim_target_machine_name(uint32_t mach) {
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i) {
    if (machines[i].mach == mach) return machines[i].name;
  }
  return NULL;
}

static bool parse_feature(const char *text, size_t size, sim_target *out) {
  if (size < 2) return false;
  char sign = text[size - 1];
  sim_setting setting = sign == '+' ? SIM_SETTING_ON : SIM_SETTING_OFF;
  if (sign != '+' && sign != '-') return false;
  sim_setting *slot = NULL;
  if (size - 1 == 7 && memcmp(text, "sramecc", 7) == 0) slot = &out->sramecc;
  if (size - 1 == 5 && memcmp(text, "xnack", 5) == 0) slot = &out->xnack;
  if (slot == NULL || *slot != SIM_SETTING_ANY) return false;  // unknown, or given twice
  *slot = setting;
  return true;
}

bool sim_target_parse(const char *text, size_t size, sim_target *out) {
  *out = (sim_target){0};
  const char *end = text + size;
  const char *colon = memchr(text, ':', size);
  size_t length = colon ? (size_t)(colon - text) : size;
  if (length < 4 || length >= sizeof out->processor || memcmp(text, "gfx", 3) != 0) return false;
  memcpy(out->processor, text, length);
  while (colon != NULL) {
    const char *feature = colon + 1;
    colon = memchr(feature, ':', (size_t)(end - feature));
    if (!parse_feature(feature, (size_t)((colon ? colon : end) - feature), out)) return false;
  }
  return true;
}

void sim_target_fix_device(sim_target *device) {
  if (device->sramecc == SIM_SETTING_ANY) device->sramecc = SIM_SETTING_ON;
  if (device->xnack == SIM_SETTING_ANY) device->xnack = SIM_SETTING_OFF;
}

bool sim_target_is_generic(const sim_target *code) { return strcmp(code->processor, "gfx9-4-generic") == 0; }

// Returns whether gfx9-4-generic includes the device (LLVM AMDGPUUsage, "Generic processors").
static bool is_gfx9_4(const sim_target *device) {
  return strcmp(device->processor, "gfx942") == 0 || strcmp(device->processor, "gfx950") == 0;
}

bool sim_target_accepts(const sim_target *device, const sim_target *code) {
  return (strcmp(device->processor, code->processor) == 0 ||
          (sim_target_is_generic(code) && is_gfx9_4(device))) &&
         (code->sramecc == SIM_SETTING_ANY || code->sramecc == device->sramecc) &&
         (code->xnack == SIM_SETTING_ANY || code->xnack == device->xnack);
}

void sim_target_features(const sim_target *target, char out[64]) {
  static const char *const sramecc[] = {"", ":sramecc-", ":sramecc+"};
  static const char *const xnack[] = {"", ":xnack-", ":xnack+"};
  snprintf(out, 64, "%s%s", sramecc[target->sramecc], xnack[target->xnack]);
}
