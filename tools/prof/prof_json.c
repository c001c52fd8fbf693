// SPDX-License-Identifier: MIT
// Writes a run as JSON: numbers in SI units and cycles, shares from 0 to 1.
#include "prof_json.h"

#include <errno.h>
#include <string.h>

#include "core/tool.h"
#include "core/whole_file.h"
#include "wavetile.h"

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Names come from the program: they may be any bytes.
static json_t *text_of(const char *text) {
  json_t *string = json_string(text);
  return string ? string : json_string("(not UTF-8)");
}

static json_t *launches(const prof_kernel *k) {
  return json_pack("{s:I, s:I, s:I, s:I}", "all", (json_int_t)(k->timed_count + k->equal + k->alike), "timed",
                   (json_int_t)k->timed_count, "equal", (json_int_t)k->equal, "alike", (json_int_t)k->alike);
}

static json_t *time_of(const prof_kernel *k) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "cycles", r->cycles, "least_cycles", k->least,
                   "most_cycles", k->most, "write_back_cycles", r->write_back, "seconds", r->seconds,
                   "seconds_of_all_launches", k->seconds, "clock_mhz", r->clock_mhz);
}

static json_t *matrix(const prof_kernel *k) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  const double rate = k->matrix_flops / r->seconds;
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "flops", k->matrix_flops, "flops_per_second", rate,
                   "peak_flops_per_second", k->matrix_peak, "share_of_peak", ratio(rate, k->matrix_peak),
                   "busy", r->matrix_share, "busy_in_loop", r->loop_efficiency);
}

static json_t *vector(const prof_kernel *k) {
  const double rate = k->vector_flops / k->timed->facts.result.seconds;
  return json_pack("{s:f, s:f, s:f, s:f}", "flops", k->vector_flops, "flops_per_second", rate,
                   "peak_flops_per_second", k->vector_peak, "share_of_peak", ratio(rate, k->vector_peak));
}

static json_t *memory(const prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  return json_pack("{s:f, s:f, s:f, s:f, s:f}", "hbm_bytes_read", k->level[WT_SIM_LEVEL_HBM].read,
                   "hbm_bytes_written", k->level[WT_SIM_LEVEL_HBM].written, "bytes_per_second",
                   k->bytes_per_second, "peak_bytes_per_second", f->hbm_bytes_per_second, "share_of_peak",
                   ratio(k->bytes_per_second, f->hbm_bytes_per_second));
}

static json_t *levels(const prof_kernel *k) {
  json_t *out = json_array();
  for (int i = 0; i < WT_SIM_LEVELS; ++i) {
    const double rate = prof_level_rate(k, (wt_sim_level)i);
    json_array_append_new(
        out, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f}", "level", prof_level_names[i], "bytes_read",
                       k->level[i].read, "bytes_written", k->level[i].written, "bytes_per_second", rate,
                       "most_bytes_per_second", k->level[i].limit, "share_of_most",
                       ratio(rate, k->level[i].limit), "flops_per_byte", prof_intensity(k, (wt_sim_level)i)));
  }
  return out;
}

static json_t *roofline(const prof_kernel *k) {
  prof_roof roofs[PROF_ROOFS];
  json_t *nearest = json_array();
  prof_roofs(k, roofs);
  for (int i = 0; i < PROF_ROOFS; ++i)
    json_array_append_new(nearest, json_pack("{s:s, s:f}", "roof", roofs[i].name, "share", roofs[i].share));
  return json_pack("{s:f, s:f, s:s, s:o}", "flops", prof_flops_of(k), "flops_per_second",
                   prof_flops_of(k) / k->timed->facts.result.seconds, "bound_by", roofs[0].name, "roofs",
                   nearest);
}

static json_t *cache(uint64_t lines, uint64_t hits) {
  return json_pack("{s:I, s:I, s:f}", "lines", (json_int_t)lines, "hits", (json_int_t)hits, "hit_rate",
                   ratio((double)hits, (double)lines));
}

static json_t *caches(const wt_sim_timing_result *r) {
  return json_pack("{s:o, s:o, s:o}", "tcp", cache(r->tcp_lines, r->tcp_hits), "l2",
                   cache(r->l2_lines, r->l2_hits), "llc", cache(r->llc_lines, r->llc_hits));
}

static json_t *occupancy(const sim_profile_facts *f) {
  return json_pack("{s:i, s:s, s:f, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "work_groups_per_cu",
                   f->groups_per_cu, "limited_by", prof_occupancy_limit(f), "waves_per_simd",
                   (double)f->groups_per_cu * f->group_waves / f->simds_per_cu, "most_waves_per_simd",
                   f->waves_per_simd, "vgprs", f->vgprs, "allocated_vgprs", f->allocated_vgprs, "agprs",
                   f->agprs, "sgprs", f->sgprs, "lds_bytes", f->static_lds + f->dynamic_lds,
                   "scratch_bytes_per_lane", f->scratch_bytes, "spilled_vgprs", f->vgpr_spills);
}

json_t *prof_json_causes(const double *value, double factor, const char *last) {
  json_t *out = json_object();
  for (int i = 0; i < WT_SIM_STALLS; ++i)
    json_object_set_new(out, sim_stall_names[i], json_real(value[i] * factor));
  if (last) json_object_set_new(out, last, json_real(value[WT_SIM_STALLS] * factor));
  return out;
}

// Shares of `whole`; what no cause takes is issuing.
static json_t *shares(const double stall[WT_SIM_STALLS], double whole) {
  double value[WT_SIM_STALLS + 1] = {0};
  if (whole <= 0) return json_null();
  value[WT_SIM_STALLS] = whole;
  for (int i = 0; i < WT_SIM_STALLS; ++i) {
    value[i] = stall[i];
    value[WT_SIM_STALLS] -= stall[i];
  }
  return prof_json_causes(value, 1 / whole, "issuing");
}

static json_t *pipe_shares(const prof_loop *loop) {
  const double whole = loop->pipe_busy + loop->pipe_idle;
  if (loop->pipe_busy <= 0) return json_null();
  json_t *out = prof_json_causes(loop->idle, 1 / whole, "issuing");
  json_object_set_new(out, "busy", json_real(loop->pipe_busy / whole));
  return out;
}

static json_t *waves_time(const prof_kernel *k) {
  const wt_sim_timing_result *r = &k->timed->facts.result;
  return json_pack("{s:o, s:o, s:o}", "launch", shares(r->stall, r->wave_cycles), "loop",
                   shares(k->loop.stall, k->loop.wave_cycles), "matrix_pipe_in_loop", pipe_shares(&k->loop));
}

static json_t *limits(const prof_kernel *k) {
  prof_advice advice[PROF_ADVICE];
  const size_t count = prof_advise(k, advice);
  json_t *out = json_array();
  for (size_t i = 0; i < count; ++i)
    json_array_append_new(out, json_pack("{s:s, s:s, s:s}", "resource", advice[i].resource, "sentence",
                                         advice[i].sentence, "suggestion", advice[i].suggestion));
  return out;
}

static json_t *kernel(const prof_kernel *k) {
  const sim_profile_facts *f = &k->timed->facts;
  const wt_sim_timing_result *r = &f->result;
  char shape[32];
  snprintf(shape, sizeof shape, "%016llx", (unsigned long long)f->shape);
  return json_pack(
      "{s:o, s:o, s:s, s:s, s:s, s:[i,i,i], s:[i,i,i], s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, "
      "s:o, s:o, "
      "s:o, s:o, s:I, s:I}",
      "name", text_of(k->timed->kernel), "title", text_of(k->title), "chip", k->timed->chip, "target",
      k->timed->target, "shape", shape, "grid", f->grid[0], f->grid[1], f->grid[2], "block", f->block[0],
      f->block[1], f->block[2], "launches", launches(k), "time", time_of(k), "matrix", matrix(k), "vector",
      vector(k), "memory", memory(k), "memory_levels", levels(k), "roofline", roofline(k), "caches",
      caches(r), "lds_conflict_cycles", (json_int_t)r->lds_conflicts, "occupancy", occupancy(f), "waves_time",
      waves_time(k), "limited_by", limits(k), "loop", prof_json_loop(k), "source", prof_json_source(k),
      "work_groups_timed", (json_int_t)r->groups, "waves_timed", (json_int_t)r->waves);
}

json_t *prof_json(const prof_run *run, const prof_options *options) {
  json_t *kernels = json_array(), *program = json_array();
  for (char **word = options->program; *word; ++word) json_array_append_new(program, text_of(*word));
  for (size_t i = 0; i < run->count; ++i)
    if (prof_shown(&run->kernels[i], options)) json_array_append_new(kernels, kernel(&run->kernels[i]));
  return json_pack("{s:s, s:i, s:s, s:s, s:o, s:s, s:b, s:I, s:f, s:o}", "format", "wavetile-prof", "version",
                   PROF_JSON_VERSION, "wavetile", wt_version(), "numbers", "predicted, not measured",
                   "program", program, "timing", options->timing, "repeats", options->repeats, "launches",
                   (json_int_t)run->launches, "seconds", run->seconds, "kernels", kernels);
}

int prof_write_json(const prof_run *run, const prof_options *options, const char *path) {
  char message[WHOLE_FILE_PATH + 256];
  whole_file file;
  json_t *root = prof_json(run, options);
  if (!root) return tool_error(TOOL_FAILED, "host memory ran out");
  bool good = whole_file_begin(&file, path, message, sizeof message);
  if (good) {
    const bool written = json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0;
    good = whole_file_end(&file, written, message, sizeof message);
  }
  json_decref(root);
  return good ? TOOL_OK : tool_error(TOOL_FAILED, "%s", message);
}

json_t *prof_read_json(const char *path) {
  json_error_t error;
  const char *format = "";
  int version = 0;
  json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *kernels = NULL;
  if (!root) {
    if (error.line < 0)
      tool_error(TOOL_USAGE, "--compare cannot read \"%s\": %s", path, strerror(errno));
    else
      tool_error(TOOL_USAGE, "--compare: \"%s\" is not from wavetile prof --json: %s (line %d)", path,
                 error.text, error.line);
    return NULL;
  }
  const bool ours = json_unpack(root, "{s:s, s:i, s:o}", "format", &format, "version", &version, "kernels",
                                &kernels) == 0 &&
                    strcmp(format, "wavetile-prof") == 0 && json_is_array(kernels);
  if (ours && version == PROF_JSON_VERSION) return root;
  if (ours)
    tool_error(TOOL_USAGE,
               "\"%s\" has version %d of the form, this command reads %d; write it again with --json", path,
               version, PROF_JSON_VERSION);
  else
    tool_error(TOOL_USAGE, "--compare: \"%s\" is not from wavetile prof --json", path);
  json_decref(root);
  return NULL;
}
