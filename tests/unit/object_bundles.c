// SPDX-License-Identifier: MIT
// Bundles: the right entry is found by target id, one for the processor before a generic one, compressed ones
// unpack in every header version and method, and a size of 0 means that the headers decide. usage:
// object_bundles BUNDLE COMPRESSED_V2 COMPRESSED_V3 (entries: gfx9-4-generic:sramecc+:xnack-, gfx942,
// gfx950:xnack+, gfx950:xnack-)
#include <zlib.h>
#include <zstd.h>

#include "object_files.h"

static void expect_loaded(test_file file, size_t size, const char *target, const char *features) {
  sim_object *object;
  sim_object_status status =
      sim_object_load(file.data, size, target, &object, test_message, sizeof test_message);
  CHECK(status == SIM_OBJECT_OK, "%s: %s", target, test_message);
  if (object == NULL) return;
  CHECK(strncmp(object->target, target, 6) == 0, "%s for %s", object->target, target);
  CHECK(strcmp(object->features, features) == 0, "%s%s for %s", object->target, object->features, target);
  CHECK(sim_object_kernel(object, "plain") != NULL, "kernel plain");
  sim_object_free(object);
}

static void check_entries(test_file file, bool known_size) {
  size_t size = known_size ? file.size : 0;
  expect_loaded(file, size, "gfx942", "");
  expect_loaded(file, size, "gfx942:sramecc+:xnack-", "");
  expect_loaded(file, size, "gfx950", ":xnack-");
  expect_loaded(file, size, "gfx950:sramecc+:xnack-", ":xnack-");
  expect_loaded(file, size, "gfx950:xnack+", ":xnack+");
  static const char *const served[] = {"gfx942", "gfx950", "gfx950:xnack+"};
  for (size_t i = 0; i < sizeof served / sizeof *served; ++i)
    CHECK(sim_object_serves(file.data, size, served[i]), "size %zu: nothing for %s", size, served[i]);
  CHECK(!sim_object_serves(file.data, size, "gfx90a"), "size %zu: something for gfx90a", size);
  sim_object *object;
  sim_object_status status =
      sim_object_load(file.data, size, "gfx90a", &object, test_message, sizeof test_message);
  CHECK(status == SIM_OBJECT_NO_TARGET && strstr(test_message, "gfx950:xnack+") != NULL, "%d %s", status,
        test_message);
}

// Writes a compressed bundle of the given version around a stream that this test compresses itself.
static test_file compress_bundle(test_file bundle, unsigned version, bool zstd, const uint8_t hash[8]) {
  static const unsigned header_sizes[] = {20, 24, 32};
  size_t header = header_sizes[version - 1],
         room = compressBound(bundle.size) + ZSTD_compressBound(bundle.size);
  test_file out = {calloc(1, header + room), 0};
  if (out.data == NULL) exit(1);
  uLongf packed = room;
  if (zstd) {
    packed = ZSTD_compress(out.data + header, room, bundle.data, bundle.size, 3);
  } else if (compress2(out.data + header, &packed, bundle.data, bundle.size, 6) != Z_OK) {
    exit(1);
  }
  out.size = header + packed;
  const uint16_t version16 = (uint16_t)version, method = zstd ? 1 : 0;
  const uint64_t total = out.size, unpacked = bundle.size;
  memcpy(out.data, "CCOB", 4);
  memcpy(out.data + 4, &version16, 2);
  memcpy(out.data + 6, &method, 2);
  if (version == 1) memcpy(out.data + 8, &unpacked, 4);
  if (version == 2) memcpy(out.data + 8, &total, 4), memcpy(out.data + 12, &unpacked, 4);
  if (version == 3) memcpy(out.data + 8, &total, 8), memcpy(out.data + 16, &unpacked, 8);
  memcpy(out.data + header - 8, hash, 8);
  return out;
}

static void check_compressed(test_file bundle, const uint8_t hash[8]) {
  for (unsigned version = 1; version <= 3; ++version) {
    for (int zstd = 0; zstd < 2; ++zstd) {
      test_file file = compress_bundle(bundle, version, zstd, hash);
      check_entries(file, true);
      if (version > 1) check_entries(file, false);
      // A wrong bit in the stream is noticed, wherever it is; only padding bits leave the contents as they
      // were.
      int accepted = 0;
      for (size_t at = 40; at < file.size; at += file.size / 7) {
        sim_object *object;
        file.data[at] ^= 0x10;
        if (sim_object_load(file.data, file.size, "gfx950", &object, test_message, sizeof test_message) ==
            SIM_OBJECT_OK)
          sim_object_free(object), ++accepted;
        else
          test_expect(file, file.size, "gfx950", SIM_OBJECT_INVALID, "damaged");
        file.data[at] ^= 0x10;
      }
      CHECK(accepted <= 1, "version %u: %d of 7 flipped bits were not noticed", version, accepted);
      test_expect(file, file.size - 1, "gfx950", SIM_OBJECT_INVALID, "compressed offload bundle");
      free(file.data);
    }
  }
  test_file file = compress_bundle(bundle, 2, false, hash);
  file.data[4] = 4;
  test_expect(file, file.size, "gfx950", SIM_OBJECT_UNSUPPORTED, "version 4");
  file.data[4] = 2;
  file.data[6] = 2;
  test_expect(file, file.size, "gfx950", SIM_OBJECT_UNSUPPORTED, "method 2");
  file.data[6] = 0;
  memset(file.data + 12, 0xff, 4);
  test_expect(file, file.size, "gfx950", SIM_OBJECT_INVALID, "do not unpack to 4294967295");
  // What follows the header may grow to 1024 times its size, and 64 MiB more.
  const uint32_t most = (64 << 20) + 1024 * (uint32_t)(file.size - 24);
  memcpy(file.data + 12, &most, 4);
  test_expect(file, file.size, "gfx950", SIM_OBJECT_INVALID, "damaged");
  memcpy(file.data + 12, &(uint32_t){most + 1}, 4);
  test_expect(file, file.size, "gfx950", SIM_OBJECT_INVALID, "do not unpack to");
  file.data[4] = 1;  // version 1 does not say how long it is
  sim_object *object;
  sim_object_status status =
      sim_object_load(file.data, 0, "gfx950", &object, test_message, sizeof test_message);
  CHECK(status == SIM_OBJECT_INVALID && strstr(test_message, "do not state") != NULL, "%d %s", status,
        test_message);
  free(file.data);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  test_file bundle = test_read_file(argv[1]), v2 = test_read_file(argv[2]), v3 = test_read_file(argv[3]);
  CHECK(memcmp(bundle.data, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0, "%s", argv[1]);
  CHECK(memcmp(v2.data, "CCOB\2", 5) == 0 && memcmp(v3.data, "CCOB\3", 5) == 0, "%s %s", argv[2], argv[3]);
  const test_file files[] = {bundle, v2, v3};
  for (size_t i = 0; i < 3; ++i) {
    check_entries(files[i], true);
    check_entries(files[i], false);
  }
  check_compressed(bundle, v2.data + 16);
  test_expect(bundle, bundle.size, "gfx950:bogus+", SIM_OBJECT_UNSUPPORTED, "gfx950:bogus+");
  for (size_t i = 0; i < 3; ++i) free(files[i].data);
  return test_result();
}
