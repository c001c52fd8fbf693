// SPDX-License-Identifier: MIT
// Executes MUBUF and MTBUF instructions: loads, stores, atomics, direct-to-LDS loads.
#include "sim/exec/memory/atomic.h"
#include "sim/exec/memory/buffer.h"
#include "sim/exec/memory/common_rows.h"

static uint32_t component(uint32_t bytes) { return bytes < 4 ? bytes : 4; }

static void run_load(sim_wave *w, const sim_op *op) {
  bool direct = op->flags & SIM_F_LDS;
  uint32_t bytes = sim_m_bytes(op);
  sim_buffer b;
  if (!sim_buffer_read(w, op, &b)) return;
  sim_access *a = sim_issue_vm(w, op, direct ? sim_land_direct : sim_land_load);
  a->bytes = bytes;
  if (!sim_buffer_addresses(w, op, &b, a, bytes, component(bytes), false)) return;
  if (direct && !sim_buffer_direct_setup(w, op, &b, a, bytes)) return;
  sim_commit(w);
}

static void run_store(sim_wave *w, const sim_op *op) {
  uint32_t bytes = sim_m_bytes(op);
  sim_buffer b;
  if (!sim_buffer_read(w, op, &b)) return;
  sim_access *a = sim_issue_vm(w, op, sim_land_store);
  a->bytes = bytes;
  sim_capture_store(w, a, op->src[0].reg, bytes < 4 ? 1 : bytes / 4);
  if (sim_buffer_addresses(w, op, &b, a, bytes, component(bytes), false)) sim_commit(w);
}

static void run_atomic(sim_wave *w, const sim_op *op) {
  uint32_t bytes = sim_m_bytes(op);
  sim_buffer b;
  if (!sim_buffer_read(w, op, &b)) return;
  sim_access *a = sim_issue_vm(w, op, sim_land_atomic);
  sim_atomic_capture(w, op, a, op->src[0].reg);
  if (!sim_buffer_addresses(w, op, &b, a, bytes, 4, true)) return;
  if (sim_check_alignment(w, op, a->address, a->lanes & a->in_range[0], bytes, "atomic address"))
    sim_commit(w);
}

#define ROW(mnemonic, signature, handler, argument, facts_) \
  {.name = mnemonic,                                        \
   .operands = signature,                                   \
   .run = handler,                                          \
   .chips = SIM_ON_BOTH,                                    \
   .klass = SIM_CLASS_VMEM,                                 \
   .arg = (uint32_t)(argument),                             \
   .facts = SIM_ROW_BUFFER | (facts_)}
#define LOAD(name, type, argument) ROW("buffer_load_" name, "=" type "?,any,b128,b32", run_load, argument, 0)
#define STORE(name, type, argument) \
  ROW("buffer_store_" name, type ",any,b128,b32", run_store, argument, SIM_ROW_STORES)
#define ATOMIC_ROW(stem, type, size, kind, on, facts_)              \
  {.name = "buffer_atomic_" stem,                                   \
   .operands = type ",any,b128,b32",                                \
   .run = run_atomic,                                               \
   .chips = on,                                                     \
   .klass = SIM_CLASS_VMEM,                                         \
   .arg = (uint32_t)(size) | (uint32_t)SIM_AT_##kind << SIM_M_KIND, \
   .facts = SIM_ROW_BUFFER | SIM_ROW_GLOBAL_ATOMIC | (facts_)}
#define ATOMIC(name, type, size, kind) ATOMIC_ROW(name, type, size, kind, SIM_ON_BOTH, 0)
#define INTEGER(name, kind) ATOMIC(name, "b32", 4, kind), ATOMIC(name "_x2", "b64", 8, kind)
// type32: data of x, xy ... in 32-bit forms; type16: in d16 forms.
#define FORMAT(prefix, count, letters, type32, type16)                                               \
  ROW(prefix "load_format_" letters, "=" type32 "?,any,b128,b32", sim_run_buffer_load_format,        \
      (count) << SIM_M_COMPONENTS, SIM_ROW_FORMAT),                                                  \
      ROW(prefix "store_format_" letters, type32 ",any,b128,b32", sim_run_buffer_store_format,       \
          (count) << SIM_M_COMPONENTS, SIM_ROW_FORMAT | SIM_ROW_STORES),                             \
      ROW(prefix "load_format_d16_" letters, "=" type16 ",any,b128,b32", sim_run_buffer_load_format, \
          (count) << SIM_M_COMPONENTS | SIM_M_D16, SIM_ROW_FORMAT),                                  \
      ROW(prefix "store_format_d16_" letters, type16 ",any,b128,b32", sim_run_buffer_store_format,   \
          (count) << SIM_M_COMPONENTS | SIM_M_D16, SIM_ROW_FORMAT | SIM_ROW_STORES)
#define FORMATS(prefix)                                                        \
  FORMAT(prefix, 1, "x", "b32", "b32"), FORMAT(prefix, 2, "xy", "b64", "b32"), \
      FORMAT(prefix, 3, "xyz", "b96", "b64"), FORMAT(prefix, 4, "xyzw", "b128", "b64")

static const sim_opinfo rows[] = {
    SIM_M_TRANSFERS(LOAD, STORE),
    FORMATS("buffer_"),
    FORMATS("tbuffer_"),
    ROW("buffer_load_format_d16_hi_x", "=b32,any,b128,b32", sim_run_buffer_load_format,
        1 << SIM_M_COMPONENTS | HI, SIM_ROW_FORMAT),
    ROW("buffer_store_format_d16_hi_x", "b32,any,b128,b32", sim_run_buffer_store_format,
        1 << SIM_M_COMPONENTS | HI, SIM_ROW_FORMAT | SIM_ROW_STORES),
    SIM_M_INTEGER_ATOMICS(INTEGER),
    ATOMIC_ROW("cmpswap", "b64", 4, CMPSWAP, SIM_ON_BOTH, SIM_ROW_COMPARES),
    ATOMIC_ROW("cmpswap_x2", "b128", 8, CMPSWAP, SIM_ON_BOTH, SIM_ROW_COMPARES),
    ATOMIC("add_f32", "b32", 4, FADD),
    ATOMIC("add_f64", "b64", 8, FADD),
    ATOMIC("min_f64", "b64", 8, FMIN),
    ATOMIC("max_f64", "b64", 8, FMAX),
    ATOMIC("pk_add_f16", "b32", 4, PK_ADD_F16),
    ATOMIC_ROW("pk_add_bf16", "b32", 4, PK_ADD_BF16, SIM_ON_GFX950, 0),
};

const sim_optable sim_table_buffer = {rows, sizeof rows / sizeof rows[0]};
