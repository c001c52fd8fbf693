// SPDX-License-Identifier: MIT
// LDS: a queue per pair of SIMDs, one array of banks, and for each pair a path to LDS, which addresses and
// data share, and one back. Banks have a port to read and one to write (AMD CDNA 3 ISA, data share: two-port
// RAM, 1R/1W per clock cycle; taken for gfx950 too). A request takes the ports it needs for its phases and
// conflicts, and the paths for its bytes; what arrives from memory is written first.
#include "sim/timing/compute_unit.h"

bool sim_lds_full(sim_lds *lds, uint32_t simd, const sim_timing *t, uint64_t now) {
  sim_lds_pair *p = &lds->pair[simd % SIM_CU_PAIRS];
  while (p->served_count && p->served[p->served_head] <= now) {
    p->served_head = (p->served_head + 1) % SIM_CU_QUEUE;
    --p->served_count;
  }
  return p->count + p->served_count >= t->lds_queue;
}

void sim_lds_enqueue(sim_cu *cu, sim_cu_wave *w, const sim_op_cost *cost, uint32_t conflicts) {
  sim_lds_pair *p = &cu->lds.pair[w->simd % SIM_CU_PAIRS];
  uint32_t slot = (w->lds_head + w->lds_count++) % 16;
  w->lds[slot] = SIM_CU_UNKNOWN;
  p->waiting[(p->head + p->count++) % SIM_CU_QUEUE] = (sim_lds_request){
      .wave = w,
      .slot = slot,
      .reads = cost->bank_reads,
      .writes = cost->bank_writes,
      .bank_cycles = conflicts ? cost->phases + conflicts - 1 : 1,
      .in_cycles = (cost->in_bytes + cu->timing->lds_in_bytes - 1) / cu->timing->lds_in_bytes,
      .out_cycles = (cost->out_bytes + cu->timing->lds_out_bytes - 1) / cu->timing->lds_out_bytes,
  };
}

static void serve_copy(sim_lds *lds, uint64_t now) {
  sim_lds_copy *c = &lds->copy[lds->copy_head];
  lds->copy_head = (lds->copy_head + 1) % SIM_CU_COPIES;
  --lds->copy_count;
  lds->write_free = now + c->cycles;
  c->wave->vm[c->slot] = now + c->cycles;
}

static void serve_request(sim_cu *cu, sim_lds_pair *p, uint64_t now) {
  sim_lds_request *r = &p->waiting[p->head];
  p->head = (p->head + 1) % SIM_CU_QUEUE;
  --p->count;
  if (r->reads) cu->lds.read_free = now + r->bank_cycles;
  if (r->writes) cu->lds.write_free = now + r->bank_cycles;
  p->in_free = now + r->in_cycles;
  if (r->out_cycles) p->out_free = now + r->out_cycles;
  // The first data leaves the queue's place free (GGT docs/lds_throughput.md: the ninth request issues when
  // the first completes).
  uint64_t first = now + cu->timing->lds_latency;
  uint32_t longest = r->bank_cycles > r->out_cycles ? r->bank_cycles : r->out_cycles;
  r->wave->lds[r->slot] = first + (longest > r->in_cycles ? longest : r->in_cycles);
  p->served[(p->served_head + p->served_count++) % SIM_CU_QUEUE] = first;
}

static bool can_serve(const sim_lds *lds, const sim_lds_pair *p, uint64_t now) {
  if (!p->count || p->in_free > now) return false;
  const sim_lds_request *r = &p->waiting[p->head];
  if (r->reads && lds->read_free > now) return false;
  if (r->writes && lds->write_free > now) return false;
  return !r->out_cycles || p->out_free <= now;
}

void sim_lds_step(sim_cu *cu, uint64_t now) {
  sim_lds *lds = &cu->lds;
  if (lds->copy_count && lds->write_free <= now && lds->copy[lds->copy_head].arrives <= now)
    serve_copy(lds, now);
  const uint32_t first = lds->turn;
  for (uint32_t i = 0; i < SIM_CU_PAIRS; ++i) {
    uint32_t pair = (first + i) % SIM_CU_PAIRS;
    if (!can_serve(lds, &lds->pair[pair], now)) continue;
    serve_request(cu, &lds->pair[pair], now);
    lds->turn = (pair + 1) % SIM_CU_PAIRS;
  }
}

bool sim_lds_idle(const sim_lds *lds) {
  return !lds->copy_count && !lds->pair[0].count && !lds->pair[1].count;
}
