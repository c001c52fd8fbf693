// SPDX-License-Identifier: MIT
// Keeps the notes of a code object that no segment loads: what a compiler or a library tells tools about its
// kernels. Running the object does not need them, so that what is malformed is left out.
#include <stdlib.h>

#include "sim/object/internal.h"

enum { ALIGN = 4 };  // of notes; they are padded to it

static size_t padded(size_t size) { return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

// Adds a section to the notes. All of them are no longer than the file, so that overlapping sections cannot
// multiply into more memory than it justifies.
static void add(sim_bytes section, size_t limit, sim_section *notes) {
  const size_t size = padded(section.size);
  if (!size || size > limit || notes->size > limit - size) return;
  uint8_t *grown = realloc(notes->data, notes->size + size);
  if (!grown) return;
  memset(grown + notes->size, 0, size);
  memcpy(grown + notes->size, section.data, section.size);
  *notes = (sim_section){grown, notes->size + size};
}

void sim_notes_keep(const sim_elf *elf, sim_object *object) {
  Elf64_Shdr s;
  for (unsigned i = 0; i < elf->header.e_shnum; ++i)
    if (sim_elf_section(elf, i, &s) && s.sh_type == SHT_NOTE && !(s.sh_flags & (SHF_ALLOC | SHF_COMPRESSED)))
      add(sim_bytes_slice(elf->file, s.sh_offset, s.sh_size), elf->file.size, &object->notes);
}

bool sim_object_note(const sim_object *object, size_t *at, sim_note *out) {
  const sim_bytes notes = {object->notes.data, object->notes.size};
  Elf64_Nhdr head;
  if (!sim_bytes_has(notes, *at, sizeof head)) return false;
  memcpy(&head, notes.data + *at, sizeof head);
  const uint64_t owner = *at + sizeof head, data = owner + padded(head.n_namesz);
  if (!head.n_namesz || !sim_bytes_has(notes, owner, head.n_namesz) ||
      !sim_bytes_has(notes, data, padded(head.n_descsz)) || notes.data[owner + head.n_namesz - 1])
    return false;
  *out = (sim_note){(const char *)notes.data + owner, head.n_type, notes.data + data, head.n_descsz};
  *at = (size_t)data + padded(head.n_descsz);
  return true;
}
