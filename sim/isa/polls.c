// SPDX-License-Identifier: MIT
// Finds the loops in which a wave waits for others: short ones that read memory past the caches, update it
// and take the old value, or sleep or invalidate a cache between their loads. Some of them do nothing else.
#include "sim/isa/program.h"

enum {
  LONGEST = 64,       // instructions of a loop that may wait
  LONGEST_SPIN = 32,  // and of one that does nothing else
};

typedef struct loop {
  sim_op *begin, *end;  // the branch back comes last
} loop;

static bool has(const sim_op *op, uint64_t facts) { return op->info && op->info->facts & facts; }

static bool is_vector_memory(const sim_op *op) {
  return op->info && op->info->klass == SIM_CLASS_VMEM && !has(op, SIM_ROW_NO_MEMORY);
}

static bool reads_memory(const sim_op *op) {
  if (is_vector_memory(op)) return op->dst_count || has(op, SIM_ROW_ATOMIC);
  return op->info && op->info->klass == SIM_CLASS_SMEM && has(op, SIM_ROW_LOADS | SIM_ROW_ATOMIC);
}

static bool mark_polls(loop l) {
  bool pauses = false, found = false;
  for (const sim_op *op = l.begin; op < l.end; ++op) pauses |= has(op, SIM_ROW_SLEEP | SIM_ROW_INVALIDATES);
  for (sim_op *op = l.begin; op < l.end; ++op) {
    if (!reads_memory(op) || !(pauses || sim_op_is_shared(op))) continue;
    op->flags |= SIM_F_POLLS;
    found = true;
  }
  return found;
}

// What an op touches in a loop that does nothing but wait for another wave: LDS is all the memory that it
// touches, or what it loads as volatile.
typedef enum touch { TOUCHES_NOTHING, TOUCHES_LDS, TOUCHES_VOLATILE, TOUCHES_OTHER } touch;

static touch touch_of(const sim_op *op) {
  if (!op->info) return TOUCHES_OTHER;
  const bool only_stores = has(op, SIM_ROW_STORES) && !has(op, SIM_ROW_ATOMIC);
  switch ((sim_class)op->info->klass) {
    case SIM_CLASS_MFMA:
    case SIM_CLASS_BARRIER: return TOUCHES_OTHER;
    case SIM_CLASS_LDS:
      if (only_stores) return TOUCHES_OTHER;
      return has(op, SIM_ROW_NO_MEMORY) || sim_row_spread(op->info) == SIM_SPREAD_PERMUTE ? TOUCHES_NOTHING
                                                                                          : TOUCHES_LDS;
    case SIM_CLASS_VMEM:
      if (has(op, SIM_ROW_NO_MEMORY)) return TOUCHES_NOTHING;
      return sim_op_is_volatile(op) && !has(op, SIM_ROW_STORES) ? TOUCHES_VOLATILE : TOUCHES_OTHER;
    default: return TOUCHES_NOTHING;
  }
}

static bool is_register(const sim_operand *o) { return o->kind == SIM_OPND_VGPR || o->kind == SIM_OPND_SGPR; }

static bool changes(const sim_op *op, const sim_operand *o) {
  for (unsigned i = 0; i < op->dst_count; ++i)
    if (sim_operands_overlap(&op->dst[i], o)) return !has(op, SIM_ROW_COPY);
  const sim_spread spread = op->info ? sim_row_spread(op->info) : SIM_SPREAD_NONE;
  return (spread == SIM_SPREAD_SWAP || spread == SIM_SPREAD_SWAP_ROWS) &&
         sim_operands_overlap(&op->src[0], o);
}

// Returns whether the op finds the same address in every iteration.
static bool looks_at_one_place(loop l, const sim_op *op) {
  const unsigned sources = op->info->klass == SIM_CLASS_LDS && op->src_count ? 1 : op->src_count;
  bool has_address = false;
  for (unsigned i = 0; i < sources; ++i) {
    if (!is_register(&op->src[i])) continue;
    has_address = true;
    for (const sim_op *other = l.begin; other <= l.end; ++other)
      if (changes(other, &op->src[i])) return false;
  }
  return has_address;
}

static void mark_spins(loop l) {
  touch found = TOUCHES_NOTHING;
  for (const sim_op *op = l.begin; op <= l.end; ++op) {
    const touch t = touch_of(op);
    if (t > found) found = t;
  }
  if (found == TOUCHES_NOTHING || found == TOUCHES_OTHER) return;
  for (sim_op *op = l.begin; op < l.end; ++op)
    if (touch_of(op) == found && looks_at_one_place(l, op)) op->flags |= SIM_F_SPINS;
}

bool sim_mark_polls(sim_program *p) {
  bool found = false;
  for (uint32_t i = 0; i < p->op_count; ++i) {
    const uint32_t target = p->ops[i].target;
    if (!has(&p->ops[i], SIM_ROW_TARGET) || target > i || i - target >= LONGEST) continue;
    const loop l = {&p->ops[target], &p->ops[i]};
    found |= mark_polls(l);
    if (i - target < LONGEST_SPIN) mark_spins(l);
  }
  return found;
}
