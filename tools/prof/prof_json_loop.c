// SPDX-License-Identifier: MIT
// Writes the listing of a kernel's hot loop as JSON.
#include "prof_json.h"
#include "prof_source.h"

// own: the path of the user's source file, or NULL.
static json_t *instruction(const sim_profile_launch *l, const sim_profile_op *op, const char *own) {
  const double issued = (double)op->seen.issued, each = issued > 0 ? 1 / issued : 0;
  json_t *lost = json_object();
  for (int i = 0; i < WT_SIM_STALLS; ++i)
    if (op->seen.stall[i])
      json_object_set_new(lost, sim_stall_names[i], json_real((double)op->seen.stall[i] * each));
  json_t *out = json_pack("{s:I, s:s, s:s, s:I, s:f, s:o}", "offset", (json_int_t)op->offset, "unit",
                          prof_unit_name(op), "text", prof_op_text(l, op), "issued",
                          (json_int_t)op->seen.issued, "cycles", prof_op_cycles(op) * each, "lost", lost);
  if (op->seen.watched) json_object_set_new(out, "pipe_idle", json_real(prof_op_idle(op)));
  const uint32_t line = own ? prof_op_line(l, op, own) : 0;
  if (line) json_object_set_new(out, "line", json_integer(line));
  return out;
}

json_t *prof_json_loop(const prof_kernel *k) {
  const sim_profile_launch *l = k->timed;
  const prof_loop *loop = &k->loop;
  const uint32_t first = loop->found ? loop->first : 0;
  const uint64_t end = loop->found ? loop->last + 1u : l->facts.op_count;
  prof_sources sources = prof_find_sources(l);
  const char *own = sources.count ? sources.files[sources.own].path : NULL;
  json_t *instructions = json_array();
  for (uint64_t i = first; i < end; ++i) json_array_append_new(instructions, instruction(l, &l->ops[i], own));
  prof_free_sources(&sources);
  const double iterations = loop->found ? loop->iterations : (double)l->facts.result.waves;
  double cycles = 0;
  for (uint64_t i = first; i < end; ++i) cycles += prof_op_cycles(&l->ops[i]);
  return json_pack("{s:b, s:f, s:f, s:f, s:f, s:o}", "is_loop", loop->found, "iterations", iterations,
                   "cycles_per_iteration", iterations > 0 ? cycles / iterations : 0,
                   "pipe_busy_per_iteration", loop->pipe_busy, "pipe_idle_per_iteration", loop->pipe_idle,
                   "instructions", instructions);
}
