// SPDX-License-Identifier: MIT
// Implements typed buffer accesses: data formats of one to four components (CDNA4 ISA table 41 and 9.1.4). A
// format's name lists its components from the top bit down, so X is the last number (Mesa maps R11G11B10 to
// 10_11_11).
#include <math.h>

#include "sim/exec/memory/buffer.h"
#include "sim/exec/vector/number.h"

typedef struct layout {
  const char *name;
  uint8_t components, bits[4];  // bits of X, Y, Z, W; no components: not a format
} layout;

static const layout layouts[16] = {
    {"INVALID", 0, {0}},
    {"8", 1, {8}},
    {"16", 1, {16}},
    {"8_8", 2, {8, 8}},
    {"32", 1, {32}},
    {"16_16", 2, {16, 16}},
    {"10_11_11", 3, {11, 11, 10}},
    {"11_11_10", 3, {10, 11, 11}},
    {"10_10_10_2", 4, {2, 10, 10, 10}},
    {"2_10_10_10", 4, {10, 10, 10, 2}},
    {"8_8_8_8", 4, {8, 8, 8, 8}},
    {"32_32", 2, {32, 32}},
    {"16_16_16_16", 4, {16, 16, 16, 16}},
    {"32_32_32", 3, {32, 32, 32}},
    {"32_32_32_32", 4, {32, 32, 32, 32}},
    {"RESERVED_15", 0, {0}},
};

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, RESERVED, FLOAT };  // number formats

// Returns what a format access needs when it lands, packed in one number: access->lds_base holds it, or
// access->data[0][0] in copies to LDS.
static uint32_t pack(uint32_t data_format, uint32_t num_format, uint32_t dst_sel) {
  return data_format | num_format << 4 | dst_sel << 8;
}
static const layout *layout_of(uint32_t format) { return &layouts[format & 15]; }
static uint32_t number_of(uint32_t format) { return format >> 4 & 7; }
static uint32_t select_of(uint32_t format, unsigned component) { return format >> (8 + 3 * component) & 7; }

// Returns the bit at which component i begins; for i = components, the size in bits.
static unsigned bit_offset(const layout *f, unsigned i) {
  unsigned at = 0;
  while (i--) at += f->bits[i];
  return at;
}
// Components of 10 and 11 bits share a dword.
static bool is_packed(const layout *f) { return f->bits[0] % 8 || f->bits[1] % 8; }
static uint32_t unit_bytes(const layout *f) { return is_packed(f) ? 4 : f->bits[0] / 8u; }
// Floats have 10, 11, 16 or 32 bits.
static bool has_number(const layout *f, uint32_t number) {
  bool floats = f->bits[0] >= 10 && f->bits[1] != 10;
  return number != RESERVED && (number != FLOAT || floats);
}

static uint32_t component_count(const sim_op *op) { return op->info->arg >> SIM_M_COMPONENTS & 7; }

static double clamp(double x, double low, double high) { return x > low ? (x < high ? x : high) : low; }

// Returns a component as the shader sees it: f32 bits, or an integer for UINT and SINT.
static uint32_t from_memory(uint32_t raw, unsigned bits, uint32_t number) {
  if (bits == 32) return raw;  // 32-bit data is not converted
  int32_t value = (int32_t)(raw << (32 - bits)) >> (32 - bits);
  switch (number) {
    case UNORM: return sim_bits32((float)((double)raw / ((1u << bits) - 1)));
    case SNORM: return sim_bits32((float)clamp((double)value / ((1 << (bits - 1)) - 1), -1, 1));
    case USCALED: return sim_bits32((float)raw);
    case SSCALED: return sim_bits32((float)value);
    case SINT: return (uint32_t)value;
    // 10 and 11 bits are an f16 without sign and without its low mantissa bits.
    case FLOAT: return sim_from_f16(bits < 16 ? raw << (15 - bits) : raw);
    default: return raw;
  }
}

// Returns an f16 without sign and without `drop` mantissa bits, to nearest even; what is below zero becomes
// zero.
static uint32_t to_unsigned_float(uint32_t data, unsigned drop) {
  uint32_t infinity = 0x7c00u >> drop;
  if (sim_isnan32(data)) return infinity | 1;
  if (data >> 31) return 0;
  if (data == 0x7f800000) return infinity;
  int exponent = (int)(data >> 23) - 127 < -14 ? -14 : (int)(data >> 23) - 127;
  int mantissa_bits = 10 - (int)drop;
  uint32_t units = (uint32_t)nearbyint(ldexp(sim_f32(data), mantissa_bits - exponent));
  uint32_t code = units + ((uint32_t)(exponent + 14) << mantissa_bits);
  return code > infinity ? infinity : code;
}

static uint32_t to_memory(uint32_t data, unsigned bits, uint32_t number) {
  if (bits == 32) return data;
  double x = sim_f32(data), top = (1u << bits) - 1, half = (1 << (bits - 1)) - 1;
  if (isnan(x)) x = 0;
  switch (number) {
    case UNORM: return (uint32_t)nearbyint(clamp(x, 0, 1) * top);
    case SNORM: return (uint32_t)(int32_t)nearbyint(clamp(x, -1, 1) * half);
    case USCALED: return (uint32_t)clamp(x, 0, top);
    case SSCALED: return (uint32_t)(int32_t)clamp(x, -half - 1, half);
    case UINT: return data < (uint32_t)top ? data : (uint32_t)top;
    case SINT: return (uint32_t)(int32_t)clamp((int32_t)data, -half - 1, half);
    case FLOAT: return bits < 16 ? to_unsigned_float(data, 15 - bits) : sim_to_f16(data);
    default: return data;
  }
}

static bool is_integer(uint32_t number) { return number == UINT || number == SINT; }

// Describes the bytes that hold component i, and how far it is shifted in them.
typedef struct place {
  uint64_t address;
  unsigned bytes, shift;
} place;

static place place_of(const layout *f, uint64_t address, unsigned component) {
  unsigned at = bit_offset(f, component);
  if (is_packed(f)) return (place){address, 4, at};
  return (place){address + at / 8, f->bits[component] / 8u, 0};
}

static uint32_t low_bits(unsigned bits) { return bits == 32 ? UINT32_MAX : (1u << bits) - 1; }

static uint32_t load_component(const layout *f, uint64_t address, unsigned component) {
  place at = place_of(f, address, component);
  uint32_t raw = 0;
  memcpy(&raw, (const void *)(uintptr_t)at.address, at.bytes);
  return raw >> at.shift & low_bits(f->bits[component]);
}

static void store_component(const layout *f, uint64_t address, unsigned component, uint32_t value) {
  place at = place_of(f, address, component);
  uint32_t raw = 0, mask = low_bits(f->bits[component]) << at.shift;
  memcpy(&raw, (const void *)(uintptr_t)at.address, at.bytes);
  raw = (raw & ~mask) | (value << at.shift & mask);
  memcpy((void *)(uintptr_t)at.address, &raw, at.bytes);
}

static uint32_t channel(const sim_access *a, uint32_t format, int l, unsigned component) {
  const layout *f = layout_of(format);
  uint32_t number = number_of(format), select = select_of(format, component);
  if (select < 2) return select == 0 ? 0 : is_integer(number) ? 1 : 0x3f800000;
  unsigned source = select - 4;
  if (select < 4 || source >= f->components || !(a->in_range[0] >> l & 1)) return 0;
  return from_memory(load_component(f, a->address[l], source), f->bits[source], number);
}

static void land_load(sim_wave *w, sim_access *a) {
  uint32_t arg = a->op->info->arg, count = component_count(a->op), format = a->lds_base;
  uint32_t (*rows)[SIM_LANES] = &w->v[a->op->dst[0].reg];
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (unsigned i = 0; i < count; ++i) {
      uint32_t value = channel(a, format, l, i);
      if (!(arg & SIM_M_D16)) {
        rows[i][l] = value;
        continue;
      }
      uint32_t half = is_integer(number_of(format)) ? value & 0xffff : sim_to_f16(value);
      // The other half of a register becomes zero (memory_ops.h, sim_load_small).
      if (arg & SIM_M_HIGH || i % 2)
        rows[i / 2][l] = (i % 2 ? rows[i / 2][l] : 0) | half << 16;
      else
        rows[i / 2][l] = half;
    }
  }
}

// Lands a copy to LDS: it writes X alone, in the dword that the lane owns.
static void land_direct(sim_wave *w, sim_access *a) {
  uint8_t *lds = w->group->lds + a->lds_base;
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint32_t value = channel(a, a->data[0][0], l, 0);
    memcpy(lds + 4 * l, &value, 4);
  }
}

static uint32_t stored_value(const sim_access *a, int l, unsigned component) {
  uint32_t arg = a->op->info->arg;
  if (!(arg & SIM_M_D16)) return a->data[component][l];
  uint32_t word = a->data[component / 2][l];
  uint32_t half = arg & SIM_M_HIGH || component % 2 ? word >> 16 : word & 0xffff;
  uint32_t number = number_of(a->lds_base);
  if (!is_integer(number)) return sim_from_f16(half);
  return number == SINT ? (uint32_t)(int16_t)half : half;
}

static void land_store(sim_wave *w, sim_access *a) {
  (void)w;
  const layout *f = layout_of(a->lds_base);
  uint32_t count = component_count(a->op), number = number_of(a->lds_base);
  for (uint64_t lanes = a->lanes & a->in_range[0]; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (unsigned i = 0; i < f->components && i < count; ++i) {
      uint32_t raw = to_memory(stored_value(a, l, i), f->bits[i], number);
      store_component(f, a->address[l], i, raw);
    }
  }
}

// Finds the format in the descriptor or the instruction, checks the range and computes the addresses. Returns
// NULL after a fault.
static sim_access *issue(sim_wave *w, const sim_op *op, sim_land_fn land) {
  static const char *const numbers[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                        "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  sim_buffer b;
  if (!sim_buffer_read(w, op, &b)) return NULL;
  bool typed = op->encoding == SIM_ENC_MTBUF;
  uint32_t data_format = typed ? op->raw[0] >> 19 & 15 : b.data_format;
  uint32_t num_format = typed ? op->raw[0] >> 23 & 7 : b.num_format;
  const layout *f = &layouts[data_format];
  bool unbound = b.data_format == 0 && !b.add_tid;
  if (!unbound && (!f->components || !has_number(f, num_format))) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1,
              "buffer format BUF_DATA_FORMAT_%s, BUF_NUM_FORMAT_%s is not supported", f->name,
              numbers[num_format]);
    return NULL;
  }
  uint32_t bytes = unbound ? 4 : bit_offset(f, f->components) / 8;
  sim_access *a = sim_issue_vm(w, op, land);
  a->bytes = bytes;
  // X, Y, Z, W stand in place: 4, 5, 6, 7 (CDNA4 ISA table 48).
  a->lds_base = pack(data_format, num_format, typed ? 4 | 5 << 3 | 6 << 6 | 7 << 9 : b.dst_sel);
  uint32_t unit = unbound ? 4 : unit_bytes(f);
  if (!sim_buffer_addresses(w, op, &b, a, bytes, unit, true)) return NULL;
  if (!(op->flags & SIM_F_LDS)) return a;
  a->data[0][0] = a->lds_base;
  return sim_buffer_direct_setup(w, op, &b, a, unit) ? a : NULL;
}

void sim_run_buffer_load_format(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, op->flags & SIM_F_LDS ? land_direct : land_load);
  if (a) sim_commit(w);
}

void sim_run_buffer_store_format(sim_wave *w, const sim_op *op) {
  sim_access *a = issue(w, op, land_store);
  if (!a) return;
  sim_capture_store(w, a, op->src[0].reg, op->src[0].regs);
  sim_commit(w);
}
