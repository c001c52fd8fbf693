// SPDX-License-Identifier: MIT
// Addresses and range checks of buffer accesses (CDNA4 ISA 9.1.5).
#include "sim/exec/memory/buffer.h"

static const uint32_t zero[SIM_LANES];

enum { ELEMENT = 4 };  // swizzle element of gfx9 descriptors, which have no field for it (CDNA4 ISA table 48)

bool sim_buffer_read(sim_wave *w, const sim_op *op, sim_buffer *buffer) {
  const uint32_t *word = &w->s[op->src[op->src_count - 2].reg];
  if (word[3] >> 30) {
    sim_fault(w, SIM_FAULT_PROGRAM, op, -1,
              "the descriptor's type is %u; a buffer's is 0: the SGPRs hold no buffer descriptor",
              word[3] >> 30);
    return false;
  }
  buffer->base = word[0] | (uint64_t)(word[1] & 0xffff) << 32;
  buffer->stride = word[1] >> 16 & 0x3fff;
  buffer->num_records = word[2];
  buffer->dst_sel = word[3] & 0xfff;
  buffer->num_format = word[3] >> 12 & 7;
  buffer->data_format = word[3] >> 15 & 15;
  buffer->index_stride = 8u << (word[3] >> 21 & 3);
  buffer->add_tid = word[3] >> 23 & 1;
  // Swizzling interleaves records. Where neither the instruction nor ADD_TID gives an index, addresses are
  // linear: HipKittens (include/common/util.cuh, make_srsrc) sets swizzle and stride for plain byte offsets
  // without idxen, in kernels that gave right results on MI355X (arXiv 2511.08083). The formula of CDNA4
  // ISA 9.1.5.2 would spread them.
  buffer->swizzle = word[1] >> 31 && (op->flags & SIM_F_IDXEN || buffer->add_tid);
  bool format = op->encoding == SIM_ENC_MTBUF || op->info->arg >> SIM_M_COMPONENTS & 7;
  // With ADD_TID the data format holds stride bits 17:14 of accesses that need no format (CDNA4 ISA table
  // 45).
  if (buffer->add_tid && !format) buffer->stride |= buffer->data_format << 14;
  return true;
}

// Says how an access is checked (CDNA4 ISA 9.1.5.1). By offset, each dword of it has to end within the
// records, the SGPR offset counted: what gfx950 hardware does (ROCm/rocm-systems #10928). The manual lets the
// first byte decide and leaves the SGPR offset out; so does WT_SIM_SOFFSET=ignored with the SGPR offset.
typedef enum check { CHECK_NONE, CHECK_OFFSET, CHECK_INDEX, CHECK_UNBOUND, CHECK_UNKNOWN } check;

static check check_of(const sim_buffer *b, const sim_op *op) {
  bool idxen = op->flags & SIM_F_IDXEN;
  if (b->add_tid) return idxen ? CHECK_UNKNOWN : CHECK_NONE;
  // An invalid data format means an unbound resource, whatever the instruction implies (CDNA4 ISA 9.1.4).
  if (b->data_format == 0) return CHECK_UNBOUND;
  return idxen && b->stride ? CHECK_INDEX : CHECK_OFFSET;
}

static uint64_t swizzled(const sim_buffer *b, uint64_t index, uint64_t offset) {
  uint64_t index_msb = index / b->index_stride, index_lsb = index % b->index_stride;
  uint64_t offset_msb = offset / ELEMENT, offset_lsb = offset % ELEMENT;
  return (index_msb * b->stride + offset_msb * ELEMENT) * b->index_stride + index_lsb * ELEMENT + offset_lsb;
}

// Computes the byte offset within the record (instruction and VGPR) and the record index, per lane. Offsets
// do not wrap: a sum beyond 32 bits is out of range (LLVM AMDGPUUsage, buffer out-of-bounds modes:
// saturating).
static void components(const sim_wave *w, const sim_op *op, const sim_buffer *b, uint64_t offset[SIM_LANES],
                       uint64_t index[SIM_LANES]) {
  const sim_operand *vaddr = sim_buffer_vaddr(op);
  bool idxen = op->flags & SIM_F_IDXEN, offen = op->flags & SIM_F_OFFEN;
  const uint32_t *index_row = idxen ? w->v[vaddr->reg] : zero;
  const uint32_t *offset_row = offen ? w->v[vaddr->reg + idxen] : zero;
  for (int l = 0; l < SIM_LANES; ++l) {
    offset[l] = (uint64_t)offset_row[l] + (uint32_t)op->imm;
    index[l] = (uint64_t)index_row[l] + (b->add_tid ? (unsigned)l : 0);
  }
}

// Returns the lanes whose value + extra is below the limit.
static uint64_t below(const uint64_t value[SIM_LANES], uint64_t extra, uint64_t limit) {
  uint64_t mask = 0, outside = 0;
  for (int l = 0; l < SIM_LANES; ++l) outside |= limit - 1 - (value[l] + extra);
  if (!(outside >> 63)) return ~0ull;
  for (int l = 0; l < SIM_LANES; ++l) mask |= (uint64_t)(value[l] + extra < limit) << l;
  return mask;
}

// Handles the usual case in one pass: raw addresses, and every lane's last byte (`span` bytes after the
// first) is in range. `counted` is what the range check adds to each offset.
static bool all_in_range(const sim_wave *w, const sim_op *op, const sim_buffer *b, sim_access *a,
                         uint64_t start, uint64_t align, uint32_t span, uint64_t counted) {
  const uint32_t *row = op->flags & SIM_F_OFFEN ? w->v[sim_buffer_vaddr(op)->reg] : zero;
  uint64_t limit = (uint64_t)b->num_records - 1 - span, imm = (uint32_t)op->imm, outside = 0;
  for (int l = 0; l < SIM_LANES; ++l) {
    uint64_t offset = row[l] + imm;
    outside |= limit - (offset + counted);
    a->address[l] = (start + offset) & align;
  }
  return !(outside >> 63);
}

static bool address_faults(sim_wave *w, const sim_op *op, const sim_access *a, uint32_t bytes) {
  uint32_t dwords = bytes < 4 ? 1 : bytes / 4;
  uint64_t whole = a->lanes & a->in_range[dwords - 1];
  if (!sim_check_addresses(w, op, a->address, whole, bytes)) return true;
  // These are lanes of which only the first i dwords are in range.
  for (uint32_t i = dwords - 1; i > 0; --i) {
    uint64_t part = a->lanes & a->in_range[i - 1] & ~a->in_range[i];
    if (part && !sim_check_addresses(w, op, a->address, part, 4 * i)) return true;
  }
  return false;
}

// An observer may want to know where the SGPR offset decides.
static void compare_readings(sim_wave *w, const sim_op *op, const sim_buffer *b, uint64_t soffset,
                             uint32_t bytes) {
  uint64_t offset[SIM_LANES], index[SIM_LANES];
  components(w, op, b, offset, index);
  const uint64_t ignored = below(offset, bytes - 1, b->num_records),
                 counted = below(offset, bytes - 1 + soffset, b->num_records),
                 lanes = (ignored ^ counted) & sim_exec(w);
  for (int seat = 0; lanes && b->num_records && seat < SIM_SEATS; ++seat)
    if (w->group->observer[seat] && w->group->observer[seat]->range)
      w->group->observer[seat]->range(w, op, lanes);
}

bool sim_buffer_addresses(sim_wave *w, const sim_op *op, const sim_buffer *b, sim_access *a, uint32_t bytes,
                          uint32_t last, bool all_or_nothing) {
  uint64_t offset[SIM_LANES], index[SIM_LANES];
  uint32_t dwords = bytes < 4 ? 1 : bytes / 4;
  uint64_t soffset = sim_src32(w, &op->src[op->src_count - 1]), start = b->base + soffset;
  uint64_t counted = w->group->soffset_in_range ? soffset : 0;
  // Dwords and wider ignore the two low address bits (CDNA4 ISA 9.1.7).
  uint64_t align = last < 4 ? ~0ull : ~3ull;
  check kind = check_of(b, op);
  bool inside = kind == CHECK_OFFSET && !(op->flags & SIM_F_IDXEN) &&
                all_in_range(w, op, b, a, start, align, bytes - 1, counted);
  // What is inside with the SGPR offset is so without it.
  if (w->group->observed && soffset && kind == CHECK_OFFSET && !(inside && counted))
    compare_readings(w, op, b, soffset, bytes);
  if (inside) return sim_check_addresses(w, op, a->address, a->lanes, bytes);
  components(w, op, b, offset, index);
  if (kind == CHECK_UNKNOWN) {
    sim_fault(
        w, SIM_FAULT_UNSUPPORTED, op, -1,
        "a descriptor with ADD_TID and an instruction with idxen: the manual gives no range rule for it");
    return false;
  }
  if (b->swizzle && bytes > ELEMENT) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1,
              "%u bytes per lane through a swizzled descriptor, whose elements have %d bytes", bytes,
              ELEMENT);
    return false;
  }
  if (b->swizzle)
    for (int l = 0; l < SIM_LANES; ++l) a->address[l] = (start + swizzled(b, index[l], offset[l])) & align;
  else
    for (int l = 0; l < SIM_LANES; ++l) a->address[l] = (start + index[l] * b->stride + offset[l]) & align;

  uint64_t in_range = kind == CHECK_UNBOUND || (kind != CHECK_NONE && b->num_records == 0) ? 0 : ~0ull;
  for (uint32_t i = 0; i < 4; ++i) a->in_range[i] = in_range;
  if (in_range && kind == CHECK_INDEX) {
    in_range = below(index, 0, b->num_records);
    for (uint32_t i = 0; i < 4; ++i) a->in_range[i] = in_range;
  } else if (in_range && kind == CHECK_OFFSET) {
    uint64_t final = below(offset, bytes - 1 + counted, b->num_records);
    for (uint32_t i = 0; i < 4; ++i)
      a->in_range[i] = all_or_nothing || final == ~0ull || i + 1 >= dwords
                           ? final
                           : below(offset, 4 * i + 3 + counted, b->num_records);
  }
  return !address_faults(w, op, a, bytes);
}

// The address of a direct-to-LDS copy must not rely on the dropped low bits: a copy that does is an error
// here.
static bool aligned_copy(sim_wave *w, const sim_op *op, const sim_buffer *b, const sim_access *a,
                         uint32_t bytes) {
  if (bytes < 4)
    return sim_check_alignment(w, op, a->address, a->lanes & a->in_range[0], bytes, "memory address");
  const sim_operand *vaddr = sim_buffer_vaddr(op);
  uint32_t uniform = (uint32_t)b->base + sim_src32(w, &op->src[op->src_count - 1]) + (uint32_t)op->imm;
  bool offen = op->flags & SIM_F_OFFEN, idxen = op->flags & SIM_F_IDXEN;
  uint32_t all = uniform | b->stride;
  for (int l = 0; l < SIM_LANES && offen; ++l) all |= w->v[vaddr->reg + idxen][l];
  if (!(all & 3)) return true;
  for (uint64_t lanes = a->lanes & a->in_range[0]; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint32_t low = uniform + (offen ? w->v[vaddr->reg + idxen][l] : 0);
    low += b->stride * ((idxen ? w->v[vaddr->reg][l] : 0) + (b->add_tid ? (uint32_t)l : 0));
    if (!(low & 3)) continue;
    sim_fault(
        w, SIM_FAULT_ALIGNMENT, op, l,
        "the memory address of a direct-to-LDS copy, 0x%llx plus %u bytes, is not a multiple of 4 bytes",
        (unsigned long long)a->address[l], low & 3);
    return false;
  }
  return true;
}

bool sim_buffer_direct_setup(sim_wave *w, const sim_op *op, const sim_buffer *b, sim_access *a,
                             uint32_t bytes) {
  return aligned_copy(w, op, b, a, bytes) && sim_direct_setup(w, op, a, bytes);
}
