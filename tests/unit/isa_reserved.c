// SPDX-License-Identifier: MIT
// Tests the forms that LLVM's disassembler must not see: a literal's number where an encoding has no literal,
// SDWA selects that the ISA reserves, and scalar registers as A or B of v_mfma_*_f8f6f4.
#include "sim/isa/decode.h"

#include "check.h"

// These are encodings, and opcodes of VOP3.
#define VOP3 (0x34u << 26)
#define MUBUF (0x38u << 26)
#define MTBUF (0x3au << 26)
#define OTHER (0x36u << 26)
#define COMPARE_SDWA (0x3eu << 25)
enum { SDWA = 0xf9 };
enum { FMA = 0x1cb << 16, LAST_COMPARE = 0xff << 16, READFIRSTLANE = 0x142 << 16, READLANE = 0x289 << 16 };
enum { SCALES = 0x3ac << 16, F8F6F4_16 = 0x3ad << 16, F8F6F4_32 = 0x3ae << 16 };
#define VECTORS (256u | 257u << 9 | 258u << 18)  // three vector registers as sources

static bool is_reserved(uint32_t first, uint32_t second) {
  const uint32_t words[] = {first, second};
  return sim_is_reserved((const uint8_t *)words, sizeof words);
}

// `field` of one of the two words is what a value must not be, and may be what is one larger or smaller.
static void one_value_is_reserved(void) {
  static const struct {
    const char *text;
    uint32_t first, second;  // with the field 0
    int word, shift, bits;
    uint32_t reserved;  // no value when the field has none
  } cases[] = {
      {"source 0 of VOP3", VOP3 | FMA, VECTORS & ~511u, 1, 0, 9, 255},
      {"source 1 of VOP3", VOP3 | FMA, VECTORS & ~(511u << 9), 1, 9, 9, 255},
      {"source 2 of VOP3", VOP3 | FMA, VECTORS & ~(511u << 18), 1, 18, 9, 255},
      {"the vector register of VOP3", VOP3 | FMA, VECTORS, 0, 0, 8, UINT32_MAX},
      {"the scalar register of the first comparison", VOP3, VECTORS, 0, 0, 8, 255},
      {"the scalar register of the last comparison", VOP3 | LAST_COMPARE, VECTORS, 0, 0, 8, 255},
      {"the vector register behind the comparisons", VOP3 | (LAST_COMPARE + (1 << 16)), VECTORS, 0, 0, 8,
       UINT32_MAX},
      {"the scalar register of v_readfirstlane", VOP3 | READFIRSTLANE, VECTORS, 0, 0, 8, 255},
      {"the scalar register of v_readlane", VOP3 | READLANE, VECTORS, 0, 0, 8, 255},
      {"the vector register of v_writelane", VOP3 | (READLANE + (1 << 16)), VECTORS, 0, 0, 8, UINT32_MAX},
      {"the offset of MUBUF", MUBUF, 0, 1, 24, 8, 255},
      {"the offset of MTBUF", MTBUF, 0, 1, 24, 8, 255},
      {"the address of MUBUF", MUBUF, 0, 1, 0, 8, UINT32_MAX},
      {"source 0 where no VOP3 is", OTHER, VECTORS & ~511u, 1, 0, 9, UINT32_MAX},
      {"the offset where no MUBUF is", OTHER, 0, 1, 24, 8, UINT32_MAX},
      {"source select 0 of SDWA", SDWA, 0, 1, 16, 3, 7},
      {"source select 1 of SDWA", SDWA, 0, 1, 24, 3, 7},
      {"the result select of SDWA", SDWA, 0, 1, 8, 3, 7},
      {"the unused field of SDWA", SDWA, 0, 1, 11, 2, 3},
      {"source select 0 of an SDWA comparison", SDWA | COMPARE_SDWA, 0, 1, 16, 3, 7},
      {"source select 1 of an SDWA comparison", SDWA | COMPARE_SDWA, 0, 1, 24, 3, 7},
      {"the mask of an SDWA comparison", SDWA | COMPARE_SDWA, 0, 1, 8, 5, UINT32_MAX},
      {"source select 0 of no SDWA", SDWA - 1, 0, 1, 16, 3, UINT32_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (uint32_t value = 0; value < 1u << cases[i].bits; ++value) {
      const uint32_t field = value << cases[i].shift;
      const bool got = is_reserved(cases[i].first | (cases[i].word ? 0 : field),
                                   cases[i].second | (cases[i].word ? field : 0));
      CHECK(got == (value == cases[i].reserved), "%s: %u is%s reserved", cases[i].text, value,
            got ? "" : " not");
    }
}

static void matrices_in_scalar_registers_are_reserved(void) {
  static const uint32_t opcodes[] = {F8F6F4_16, F8F6F4_32};
  for (int i = 0; i < 2; ++i)
    for (uint32_t a = 0; a < 512; ++a)
      for (uint32_t b = 252; b < 260; ++b) {
        const bool expected = a < 256 || b < 256;
        CHECK(is_reserved(VOP3 | opcodes[i], a | b << 9 | 258u << 18) == expected,
              "opcode %#x with sources %u and %u", opcodes[i] >> 16, a, b);
        const uint32_t scaled[] = {VOP3 | SCALES, VECTORS, VOP3 | opcodes[i], a | b << 9 | 258u << 18};
        CHECK(sim_is_reserved((const uint8_t *)scaled, sizeof scaled) == expected,
              "opcode %#x behind scales, with sources %u and %u", opcodes[i] >> 16, a, b);
      }
}

static void an_instruction_of_one_word_is_never_reserved(void) {
  const uint32_t words[] = {SDWA, 7 << 16};
  CHECK(sim_is_reserved((const uint8_t *)words, 8), "8 bytes of SDWA");
  CHECK(!sim_is_reserved((const uint8_t *)words, 7), "7 bytes of SDWA");
}

int main(void) {
  one_value_is_reserved();
  matrices_in_scalar_registers_are_reserved();
  an_instruction_of_one_word_is_never_reserved();
  return test_result();
}
