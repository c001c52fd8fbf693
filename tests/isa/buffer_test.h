// SPDX-License-Identifier: MIT
// Shared by the buffer tests: descriptors in s[8:11] and memory with a known byte at every place.
#ifndef WT_TESTS_ISA_BUFFER_TEST_H
#define WT_TESTS_ISA_BUFFER_TEST_H

#include "tests/isa/harness.h"

enum { RAW32 = 0x00020000 };  // word 3 of the usual raw descriptor: data format 32

static inline void set_buffer(sim_wave *w, const void *base, uint32_t stride, uint32_t records,
                              uint32_t word3) {
  uint64_t address = (uint64_t)(uintptr_t)base;
  w->s[8] = (uint32_t)address;
  w->s[9] = (uint32_t)(address >> 32) | stride << 16;
  w->s[10] = records;
  w->s[11] = word3;
}

static inline uint8_t byte_at(size_t i) { return (uint8_t)(i * 167 + (i >> 8) * 29 + 11); }

static inline uint8_t *pattern_memory(isa_program *p, size_t bytes) {
  uint8_t *memory = isa_memory(p, bytes);
  for (size_t i = 0; i < bytes; ++i) memory[i] = byte_at(i);
  return memory;
}

static inline uint32_t dword_at(size_t i) {
  return byte_at(i) | (uint32_t)byte_at(i + 1) << 8 | (uint32_t)byte_at(i + 2) << 16 |
         (uint32_t)byte_at(i + 3) << 24;
}

#endif
