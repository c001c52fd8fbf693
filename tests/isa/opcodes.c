// SPDX-License-Identifier: MIT
// Sweeps the opcodes: for each encoding some words that give an opcode operands it can take, and every opcode
// number in its field. Encodings: CDNA3 and CDNA4 ISA, chapter "Microcode formats".
#include "tests/isa/opcodes.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/isa/decode.h"

typedef struct sweep {
  const char *encoding;
  uint32_t words[4];      // of opcode 0
  unsigned field;         // which word holds the opcode
  unsigned shift, count;  // where, and how many numbers there are
} sweep;

// Registers are multiples of four, so that any width decodes. Fields an instruction does not use must be zero
// for some, so most encodings are tried with and without operands.
static const sweep sweeps[] = {
    {"SOP2", {0x80080408, 0xbf800000}, 0, 23, 96},
    {"SOPK", {0xb0041001, 0xbf800000}, 0, 23, 28},
    {"SOP1", {0xbe840008}, 0, 8, 256},
    {"SOPC", {0xbf000408}, 0, 16, 128},
    {"SOPP", {0xbf800000}, 0, 16, 128},
    {"SMEM", {0xc0020804, 0x10}, 0, 18, 256},
    {"SMEM", {0xc0000000, 0}, 0, 18, 256},
    {"VOP1", {0x7e000108}, 0, 9, 256},
    {"VOP2", {0x00001108, 0x3f800000}, 0, 25, 62},
    {"VOPC", {0x7c001108}, 0, 17, 256},
    {"SDWA", {0x7e0000f9, 0x00060608}, 0, 9, 256},
    {"SDWA", {0x000010f9, 0x06060608}, 0, 25, 62},
    {"SDWA", {0x7c0010f9, 0x06060008}, 0, 17, 256},
    {"DPP", {0x7e0000fa, 0xff00e408}, 0, 9, 256},
    {"DPP", {0x7e0000fa, 0xff015008}, 0, 9, 256},
    {"DPP", {0x000010fa, 0xff00e408}, 0, 25, 62},
    {"DPP", {0x000010fa, 0xff015008}, 0, 25, 62},
    {"VOP3", {0xd0000000, 0x04221108}, 0, 16, 896},
    {"VOP3", {0xd0001400, 0x00221108}, 0, 16, 896},
    {"VOP3", {0xd0000000, 0x00000108}, 0, 16, 896},
    {"VOP3", {0xd0000000, 0x00000508}, 0, 16, 896},
    {"VOP3", {0xd0000000, 0}, 0, 16, 896},
    {"VOP3P", {0xd3804000, 0x1c221108}, 0, 16, 128},
    {"VOP3P", {0xd3800000, 0x00000108}, 0, 16, 128},
    {"VOP3P", {0xd3800000, 0x05828120}, 0, 16, 128},
    {"VOP3P", {0xd3804000, 0x18000108}, 0, 16, 128},
    {"VOP3PX2", {0xd3ac0000, 0x00020501, 0xd3800800, 0x05828120}, 2, 16, 128},
    {"DS", {0xd8000000, 0}, 0, 17, 256},
    {"DS", {0xd8010000, 0}, 0, 17, 256},
    {"FLAT", {0xdc000000, 0x08000400}, 0, 18, 128},
    {"FLAT", {0xdc010000, 0x08000400}, 0, 18, 128},
    {"SCRATCH", {0xdc004000, 0x08060400}, 0, 18, 128},
    {"SCRATCH", {0xdc006000, 0x087f0400}, 0, 18, 128},
    {"SCRATCH", {0xdc004000, 0x087f0400}, 0, 18, 128},
    {"GLOBAL", {0xdc008000, 0x087f0400}, 0, 18, 128},
    {"GLOBAL", {0xdc008000, 0x08060400}, 0, 18, 128},
    {"GLOBAL", {0xdc018000, 0x08060400}, 0, 18, 128},
    {"MUBUF", {0xe0000000, 0x80020400}, 0, 18, 128},
    {"MUBUF", {0xe0004000, 0x80020400}, 0, 18, 128},
    {"MUBUF", {0xe0010000, 0x80020000}, 0, 18, 128},
    {"MTBUF", {0xe8000000 | 4u << 19 | 7u << 23, 0x80020400}, 0, 15, 16},
    {"EXP", {0xc4000000, 0}, 0, 4, 4},
    {"VINTRP", {0xd4000000, 0}, 0, 16, 4},
    {"MIMG", {0xf0000000, 0}, 0, 18, 128},
};

static LLVMDisasmContextRef disassembler(const char *target) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  LLVMDisasmContextRef context = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", target, NULL, 0, NULL, NULL);
  if (context) return context;
  fprintf(stderr, "LLVM has no disassembler for %s\n", target);
  exit(EXIT_FAILURE);
}

static isa_opcode *find_or_add(isa_opcode *opcodes, size_t *count, const char *name) {
  for (size_t i = 0; i < *count; ++i)
    if (strcmp(opcodes[i].name, name) == 0) return &opcodes[i];
  if (*count == ISA_MOST_OPCODES) {
    fprintf(stderr, "more than %d opcodes; raise ISA_MOST_OPCODES\n", ISA_MOST_OPCODES);
    exit(EXIT_FAILURE);
  }
  isa_opcode *o = &opcodes[(*count)++];
  memset(o, 0, sizeof *o);
  memcpy(o->name, name, strlen(name) + 1);
  return o;
}

static void add_encoding(isa_opcode *o, const char *encoding) {
  size_t length = strlen(o->encodings), n = strlen(encoding);
  // The sweeps of an encoding follow each other, but those of SDWA and DPP: no other name contains these.
  if (length >= n && strcmp(o->encodings + length - n, encoding) == 0) return;
  snprintf(o->encodings + length, sizeof o->encodings - length, "%s%s", length ? " " : "", encoding);
}

size_t isa_list_opcodes(const char *target, isa_opcode opcodes[ISA_MOST_OPCODES]) {
  LLVMDisasmContextRef context = disassembler(target);
  int chip_bit = strcmp(target, "gfx950") == 0 ? SIM_ON_GFX950 : SIM_ON_GFX942;
  size_t count = 0;
  for (size_t s = 0; s < sizeof sweeps / sizeof sweeps[0]; ++s) {
    const sweep *e = &sweeps[s];
    for (uint32_t number = 0; number < e->count; ++number) {
      sim_op op = {0};
      memcpy(op.raw, e->words, sizeof op.raw);
      op.raw[e->field] += number << e->shift;
      char text[512] = "", name[ISA_NAME_SIZE], line[512];
      op.size =
          (uint8_t)LLVMDisasmInstruction(context, (uint8_t *)op.raw, sizeof op.raw, 0, text, sizeof text);
      // A comment is LLVM's remark on operands the opcode does not take.
      if (op.size == 0 || strchr(text, '/') || strchr(text, ';')) continue;
      if (e->field * 4 >= op.size) continue;
      const char *start = text + strspn(text, "\t ");
      isa_mnemonic(start, name);
      isa_opcode *o = find_or_add(opcodes, &count, name);
      add_encoding(o, e->encoding);
      for (unsigned word = op.size / 4u; word < 4; ++word) op.raw[word] = 0;
      snprintf(line, sizeof line, "%s", start);
      sim_decode_op(&op, line, chip_bit);
      if (op.info) o->row = op.info;
      if ((!op.info || op.run != op.info->run) && !o->missed[0])
        snprintf(o->missed, sizeof o->missed, "%.150s", start);
    }
  }
  LLVMDisasmDispose(context);
  return count;
}

void isa_random_instruction(test_rng *rng, uint32_t words[2]) {
  const sweep *e;
  do e = &sweeps[test_random(rng) % (sizeof sweeps / sizeof sweeps[0])];
  while (e->field);
  uint32_t number = (uint32_t)test_random(rng) % e->count;
  for (unsigned i = 0; i < 2; ++i) {
    uint64_t r = test_random(rng);
    words[i] = e->words[i];
    // Few changed bits leave most instructions valid; many reach what nobody writes.
    if (r & 3)
      words[i] ^= (uint32_t)(test_random(rng) & test_random(rng) & (r & 12 ? test_random(rng) : ~0ull));
  }
  // The encoding's own bits are those above the opcode's field.
  uint32_t kept = ~((1u << e->shift) - 1);
  words[0] = (words[0] & ~kept) | ((e->words[0] + (number << e->shift)) & kept);
}

void isa_known_instructions(const char *target, test_rng *rng, uint32_t (*words)[2], size_t count) {
  LLVMDisasmContextRef context = disassembler(target);
  const int chip_bit = strcmp(target, "gfx950") == 0 ? SIM_ON_GFX950 : SIM_ON_GFX942;
  for (size_t i = 0; i < count;) {
    sim_op op = {0};
    char text[512] = "", line[512];
    isa_random_instruction(rng, words[i]);
    memcpy(op.raw, words[i], sizeof words[i]);
    if (sim_is_reserved((const uint8_t *)op.raw, sizeof words[i])) continue;
    op.size =
        (uint8_t)LLVMDisasmInstruction(context, (uint8_t *)op.raw, sizeof words[i], 0, text, sizeof text);
    if (op.size == 0) continue;
    if (op.size == 4) words[i][1] = 0xbf800000;  // s_nop 0
    snprintf(line, sizeof line, "%s", text + strspn(text, "\t "));
    sim_decode_op(&op, line, chip_bit);
    i += op.info && op.run == op.info->run;
  }
  LLVMDisasmDispose(context);
}
