// SPDX-License-Identifier: MIT
// Decodes a code object once: LLVM's disassembler gives length and text of each instruction, sim_decode_op
// the rest.
#include "sim/isa/program.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/decode.h"
#include "sim/isa/known.h"
#include "sim/object/grow.h"

typedef struct builder {
  sim_program *program;
  size_t op_capacity, text_size, text_capacity;
  int chip_bit;
} builder;

static void initialise_llvm(void) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
}

// Appends the op at `offset` with the given text; false when memory runs out.
static bool append(builder *b, uint64_t offset, const sim_op *op, const char *text) {
  sim_program *p = b->program;
  size_t length = strlen(text) + 1;
  if (!sim_grow((void **)&p->ops, &b->op_capacity, p->op_count + 1u, sizeof *p->ops)) return false;
  if (!sim_grow((void **)&p->text, &b->text_capacity, b->text_size + length, 1)) return false;
  sim_op *appended = &p->ops[p->op_count];
  *appended = *op;
  appended->offset = offset;
  appended->text = (uint32_t)b->text_size;
  memcpy(p->text + b->text_size, text, length);
  b->text_size += length;
  p->index[(offset - p->index_base) / 4] = p->op_count++;
  return true;
}

// Sets `op` and `text` to the instruction at the beginning of `left` bytes of code. What is none becomes a
// word of data.
static void decode(int chip_bit, LLVMDisasmContextRef disassembler, const uint8_t *code, uint64_t left,
                   sim_op *op, char text[SIM_KNOWN_TEXT]) {
  char line[SIM_KNOWN_TEXT] = "";
  size_t size = sim_is_reserved(code, left) ? 0
                                            : LLVMDisasmInstruction(disassembler, (uint8_t *)(uintptr_t)code,
                                                                    left, 0, line, sizeof line);
  const bool is_data = size == 0;
  if (is_data) {
    uint32_t word;
    memcpy(&word, code, sizeof word);
    snprintf(line, sizeof line, ".long 0x%08x", word);
    size = 4;
  }
  const char *start = line;
  while (*start == '\t' || *start == ' ') ++start;
  strcpy(text, start);
  memset(op, 0, sizeof *op);
  op->size = (uint8_t)size;
  memcpy(op->raw, code, size < sizeof op->raw ? size : sizeof op->raw);
  strcpy(line, text);  // which decoding takes apart
  sim_decode_op(op, line, chip_bit);
  if (!is_data && size <= sizeof op->raw) sim_known_add(chip_bit, op, text);
}

static bool decode_range(builder *b, LLVMDisasmContextRef disassembler, sim_range range) {
  const uint8_t *image = b->program->object->image;
  for (uint64_t offset = range.begin; offset + 4 <= range.end;) {
    const uint64_t left = range.end - offset;
    sim_op op;
    char text[SIM_KNOWN_TEXT];
    if (!sim_known_find(b->chip_bit, image + offset, left, &op, text))
      decode(b->chip_bit, disassembler, image + offset, left, &op, text);
    if (!append(b, offset, &op, text)) return false;
    offset += op.size;
  }
  return true;
}

static bool append_end(builder *b) {
  sim_program *p = b->program;
  if (!sim_grow((void **)&p->ops, &b->op_capacity, p->op_count + 1u, sizeof *p->ops)) return false;
  if (!sim_grow((void **)&p->text, &b->text_capacity, b->text_size + 1, 1)) return false;
  memset(&p->ops[p->op_count], 0, sizeof *p->ops);
  p->ops[p->op_count].run = sim_run_past_end;
  p->ops[p->op_count].text = (uint32_t)b->text_size;
  p->text[b->text_size++] = 0;
  return true;
}

static void resolve_branches(sim_program *p) {
  for (uint32_t i = 0; i < p->op_count; ++i) {
    sim_op *op = &p->ops[i];
    if (!op->info || !(op->info->facts & SIM_ROW_TARGET)) continue;
    const sim_op *target = sim_program_at(p, op->offset + 4 + (uint64_t)((int64_t)(int16_t)op->raw[0] * 4));
    if (target) op->target = (uint32_t)(target - p->ops);
  }
}

bool sim_program_create(const sim_object *object, sim_chip chip, sim_program **out, char *message,
                        size_t message_size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialise_llvm);
  *out = NULL;
  // Code of a generic target is read as the chip reads it.
  const char *cpu = chip == SIM_GFX950 ? "gfx950" : "gfx942";
  LLVMDisasmContextRef disassembler = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL);
  if (!disassembler) {
    snprintf(message, message_size,
             "LLVM has no disassembler for %s; install LLVM 20 or newer with the AMDGPU target", cpu);
    return false;
  }
  sim_program *p = calloc(1, sizeof *p);
  bool ok = p != NULL;
  if (ok) {
    p->chip = chip;
    p->object = object;
    uint64_t end = 0;
    p->index_base = object->text_count ? UINT64_MAX : 0;
    for (size_t i = 0; i < object->text_count; ++i) {
      if (object->text[i].begin < p->index_base) p->index_base = object->text[i].begin;
      if (object->text[i].end > end) end = object->text[i].end;
    }
    p->index_count = (end - p->index_base) / 4 + 1;
    p->index = malloc(p->index_count * sizeof *p->index);
    ok = p->index != NULL;
  }
  if (ok) memset(p->index, 0xff, p->index_count * sizeof *p->index);
  builder b = {.program = p, .chip_bit = chip == SIM_GFX950 ? SIM_ON_GFX950 : SIM_ON_GFX942};
  for (size_t i = 0; ok && i < object->text_count; ++i) ok = decode_range(&b, disassembler, object->text[i]);
  ok = ok && append_end(&b);
  LLVMDisasmDispose(disassembler);
  if (!ok) {
    snprintf(message, message_size, "out of memory while decoding the code object");
    sim_program_free(p);
    return false;
  }
  resolve_branches(p);
  p->ordered_atomics = sim_mixes_atomics(p);
  p->polls = sim_mark_polls(p);
  *out = p;
  return true;
}

void sim_program_free(sim_program *program) {
  if (!program) return;
  free(program->ops);
  free(program->index);
  free(program->text);
  free(program);
}

const sim_op *sim_program_at(const sim_program *program, uint64_t offset) {
  if (offset % 4 || offset < program->index_base ||
      (offset - program->index_base) / 4 >= program->index_count)
    return NULL;
  uint32_t index = program->index[(offset - program->index_base) / 4];
  return index == UINT32_MAX ? NULL : &program->ops[index];
}

const char *sim_op_text(const sim_program *program, const sim_op *op) { return program->text + op->text; }
