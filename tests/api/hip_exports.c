// SPDX-License-Identifier: MIT
// The simulated runtime exports every symbol of ROCm's libamdhip64.so.5 under the same version node, and
// nothing but HIP symbols and what wavetile_sim.h declares. Arguments: our library, exports.txt,
// wavetile_sim.h, and ROCm's library where there is one. All are read as files.
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

typedef struct library {
  const uint8_t *image;
  const Elf64_Sym *symbols;
  const char *strings;
  const Elf64_Half *versions;
  const Elf64_Verdef *definitions;
  size_t count;
  char soname[64];
} library;

static int open_library(const char *path, library *l) {
  int file = open(path, O_RDONLY);
  struct stat s;
  if (file < 0 || fstat(file, &s)) return 0;
  *l = (library){.image = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0)};
  close(file);
  const Elf64_Ehdr *header = (const void *)l->image;
  const Elf64_Shdr *sections = (const void *)(l->image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    const uint8_t *at = l->image + sections[i].sh_offset;
    if (sections[i].sh_type == SHT_DYNSYM) {
      l->symbols = (const void *)at;
      l->count = sections[i].sh_size / sizeof(Elf64_Sym);
      l->strings = (const char *)l->image + sections[sections[i].sh_link].sh_offset;
    }
    if (sections[i].sh_type == SHT_GNU_versym) l->versions = (const void *)at;
    if (sections[i].sh_type == SHT_GNU_verdef) l->definitions = (const void *)at;
  }
  for (int i = 0; i < header->e_shnum && l->strings; ++i)
    if (sections[i].sh_type == SHT_DYNAMIC)
      for (const Elf64_Dyn *d = (const void *)(l->image + sections[i].sh_offset); d->d_tag; ++d)
        if (d->d_tag == DT_SONAME) snprintf(l->soname, sizeof l->soname, "%s", l->strings + d->d_un.d_val);
  return l->symbols && l->versions && l->definitions;
}

// Returns the name of the version node of symbol i, NULL when it is not an exported definition.
static const char *node(const library *l, size_t i) {
  const Elf64_Sym *s = &l->symbols[i];
  if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || ELF64_ST_BIND(s->st_info) == STB_LOCAL)
    return NULL;
  for (const uint8_t *at = (const uint8_t *)l->definitions;;) {
    const Elf64_Verdef *d = (const void *)at;
    if (d->vd_ndx == (l->versions[i] & 0x7fff))
      return l->strings + ((const Elf64_Verdaux *)(const void *)(at + d->vd_aux))->vda_name;
    if (!d->vd_next) return "none";
    at += d->vd_next;
  }
}

static const char *find(const library *l, const char *name) {
  for (size_t i = 1; i < l->count; ++i)
    if (strcmp(l->strings + l->symbols[i].st_name, name) == 0 && node(l, i)) return node(l, i);
  return NULL;
}

static int is_hip_name(const char *name) {
  static const char *const prefixes[] = {"hip", "__hip", "_Z", "__gnu_", "amd_dbgapi_", "wtSim"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  return 0;
}

static bool read_text(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  const size_t got = file ? fread(text, 1, size, file) : 0;
  if (file) fclose(file);
  if (got == 0 || got == size) return false;
  text[got] = 0;
  return true;
}

// Returns whether the header declares a function of this name.
static bool declares(const char *header, const char *name) {
  char declaration[300];
  snprintf(declaration, sizeof declaration, "WT_SIM_API int %s(", name);
  return strstr(header, declaration) != NULL;
}

static size_t declarations(const char *header) {
  size_t count = 0;
  while ((header = strstr(header, "WT_SIM_API int "))) ++header, ++count;
  return count;
}

int main(int argc, char **argv) {
  library ours, reference;
  static char header[1 << 16];
  bool opened = argc >= 4 && open_library(argv[1], &ours) && read_text(argv[3], header, sizeof header);
  CHECK(opened, "arguments: library, exports.txt, wavetile_sim.h, ROCm's library");
  if (!opened) return test_result();
  CHECK(strcmp(ours.soname, "libamdhip64.so.5") == 0, "the soname is %s", ours.soname);
  size_t exported = 0, listed = 0, own = 0;
  for (size_t i = 1; i < ours.count; ++i) {
    if (!node(&ours, i)) continue;
    ++exported;
    CHECK(is_hip_name(ours.strings + ours.symbols[i].st_name), "%s is exported",
          ours.strings + ours.symbols[i].st_name);
  }
  FILE *list = fopen(argv[2], "r");
  CHECK(list != NULL, "cannot read %s", argv[2]);
  char line[512], version[32], kind[16], name[256];
  while (list && fgets(line, sizeof line, list)) {
    if (line[0] == '#' || sscanf(line, "%31s %15s %255s", version, kind, name) != 3) continue;
    ++listed;
    const char *got = find(&ours, name);
    CHECK(got && strcmp(got, version) == 0, "%s is exported as %s, listed as %s", name, got ? got : "nothing",
          version);
    if (strncmp(name, "wtSim", 5) != 0) continue;
    ++own;
    CHECK(declares(header, name), "%s is not in wavetile_sim.h", name);
  }
  CHECK(own == declarations(header), "%zu functions of our own, %zu in wavetile_sim.h", own,
        declarations(header));
  if (list) fclose(list);
  CHECK(exported == listed && listed > 400, "%zu symbols exported, %zu listed", exported, listed);
  if (argc < 5 || !open_library(argv[4], &reference)) {
    printf("skipped: no ROCm library to compare with\n");
    return test_result();
  }
  size_t compared = 0;
  for (size_t i = 1; i < reference.count; ++i) {
    const char *want = node(&reference, i);
    if (!want || strcmp(reference.soname, "libamdhip64.so.5") != 0) continue;
    const char *got = find(&ours, reference.strings + reference.symbols[i].st_name);
    ++compared;
    CHECK(got && strcmp(got, want) == 0, "%s: ROCm exports it as %s, we as %s",
          reference.strings + reference.symbols[i].st_name, want, got ? got : "nothing");
  }
  printf("%zu symbols compared with %s\n", compared, argv[4]);
  return test_result();
}
