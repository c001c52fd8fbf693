// SPDX-License-Identifier: MIT
// Offload bundles: finds the code object for a device among the entries (clang, "Clang Offload Bundler",
// bundled binary file layout and compatibility rules).
#include <stdio.h>

#include "sim/object/internal.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { MAGIC_SIZE = 24, ENTRY_HEADER_SIZE = 24, MAX_ENTRIES = 4096, MAX_ID = 4096 };

bool sim_bundle_is(sim_bytes file) {
  return file.size >= MAGIC_SIZE && !memcmp(file.data, magic, MAGIC_SIZE);
}

typedef struct entry {
  uint64_t offset, size;
  const char *id;
  size_t id_size;
} entry;

static uint64_t read_u64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// Reads the entry header at *at and moves *at behind it.
static bool next_entry(sim_load *load, sim_bytes file, uint64_t index, uint64_t *at, entry *out) {
  if (!sim_bytes_has(file, *at, ENTRY_HEADER_SIZE)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "offload bundle: truncated in the header of entry %llu",
                         (unsigned long long)index);
  }
  const uint8_t *header = file.data + *at;
  *out = (entry){read_u64(header), read_u64(header + 8), (const char *)header + ENTRY_HEADER_SIZE, 0};
  uint64_t id_size = read_u64(header + 16);
  *at += ENTRY_HEADER_SIZE;
  if (id_size > MAX_ID || !sim_bytes_has(file, *at, id_size)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "offload bundle: truncated in the name of entry %llu",
                         (unsigned long long)index);
  }
  out->id_size = (size_t)id_size;
  *at += id_size;
  return true;
}

// "hip-amdgcn-amd-amdhsa--gfx950:xnack-": the kinds hip and hipv4 mean the same; the environment between the
// last dashes may be empty, named, or (written by old bundlers) left out with its dash.
static bool parse_id(const entry *e, sim_target *out) {
  static const char *const prefixes[] = {"hip-amdgcn-amd-amdhsa-", "hipv4-amdgcn-amd-amdhsa-"};
  for (size_t i = 0; i < 2; ++i) {
    size_t length = strlen(prefixes[i]);
    if (e->id_size <= length || memcmp(e->id, prefixes[i], length) != 0) continue;
    const char *id = e->id + length;
    size_t size = e->id_size - length;
    if (size < 3 || memcmp(id, "gfx", 3) != 0) {
      const char *dash = memchr(id, '-', size);
      if (dash == NULL) return false;
      size -= (size_t)(dash + 1 - id);
      id = dash + 1;
    }
    return sim_target_parse(id, size, out);
  }
  return false;
}

static bool no_entry(sim_load *load, const sim_target *device, const char *have) {
  char features[64];
  sim_target_features(device, features);
  return sim_load_fail(load, SIM_OBJECT_NO_TARGET, "offload bundle: no code object for %s%s, it holds%s",
                       device->processor, features, have[0] ? have : " nothing");
}

bool sim_bundle_find(sim_load *load, sim_bytes file, const sim_target *device, sim_bytes *out) {
  if (!sim_bytes_has(file, MAGIC_SIZE, 8)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "offload bundle: truncated before the entry count");
  }
  uint64_t count = read_u64(file.data + MAGIC_SIZE), at = MAGIC_SIZE + 8;
  if (count > MAX_ENTRIES) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "offload bundle: %llu entries, the limit is %d",
                         (unsigned long long)count, MAX_ENTRIES);
  }
  char have[512] = "";
  size_t have_size = 0;
  int best = -1;
  for (uint64_t i = 0; i < count; ++i) {
    entry e = {.id = ""};
    if (!next_entry(load, file, i, &at, &e)) return false;
    if (!sim_bytes_has(file, e.offset, e.size)) {
      return sim_load_fail(load, SIM_OBJECT_INVALID, "offload bundle: entry %.*s lies outside the bundle",
                           (int)(e.id_size < 200 ? e.id_size : 200), e.id);
    }
    if (have_size < sizeof have) {
      int n = snprintf(have + have_size, sizeof have - have_size, " %.*s",
                       (int)(e.id_size < 100 ? e.id_size : 100), e.id);
      have_size += n > 0 ? (size_t)n : 0;
    }
    sim_target code;
    if (e.size == 0 || !parse_id(&e, &code) || !sim_target_accepts(device, &code)) continue;
    // The entry that names the processor or states more settings was compiled more closely for this device.
    int rank = (code.sramecc != SIM_SETTING_ANY) + (code.xnack != SIM_SETTING_ANY);
    rank += sim_target_is_generic(&code) ? 0 : 4;
    if (rank > best) {
      best = rank;
      *out = sim_bytes_slice(file, e.offset, e.size);
    }
  }
  return best >= 0 || no_entry(load, device, have);
}
