// SPDX-License-Identifier: MIT
// Writes findings as text and as JSON.
#include "sim/report/check_entry.h"

// ---- text

static void print_place(const char *label, const sim_check_place *p) {
  fprintf(stderr, "  %s %s+0x%llx: %s\n", label, p->function, (unsigned long long)p->offset, p->text);
  for (size_t i = 0; i < p->source_count; ++i)
    fprintf(stderr, "          %s%s\n", i ? "inlined at " : "", p->source[i]);
}

void sim_check_print(const sim_check_entry *e) {
  const sim_finding *f = &e->finding;
  char lane[32] = "", places[64] = "";
  if (f->lane >= 0) snprintf(lane, sizeof lane, ", lane %d", f->lane);
  if (e->place_count > 1) snprintf(places, sizeof places, ", at %zu pairs of instructions", e->place_count);
  fprintf(stderr, "wavetile check: %s (%llu times%s)\n", sim_finding_name(f->kind),
          (unsigned long long)f->count, places);
  fprintf(stderr, "  kernel  %s (%s), first in work-group (%u,%u,%u), wave %u%s\n", e->title, e->target,
          f->id[0], f->id[1], f->id[2], f->wave, lane);
  print_place("at     ", &e->at);
  if (e->has_other) print_place("with   ", &e->other);
  fprintf(stderr, "  why     %s\n  remedy  %s\n", f->detail, f->remedy);
}

// ---- JSON

static void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void json_member(FILE *out, const char *name, const char *text) {
  fprintf(out, "\"%s\": ", name);
  json_string(out, text);
}

static void json_place(FILE *out, const char *name, const sim_check_place *p) {
  fprintf(out, ",\n     \"%s\": {", name);
  json_member(out, "function", p->function);
  fprintf(out, ", \"offset\": %llu, ", (unsigned long long)p->offset);
  json_member(out, "text", p->text);
  fputs(", ", out);
  json_member(out, "source", p->source_count ? p->source[0] : "");
  fputs(", \"inlined_at\": [", out);
  for (size_t i = 1; i < p->source_count; ++i) {
    if (i > 1) fputs(", ", out);
    json_string(out, p->source[i]);
  }
  fputs("]}", out);
}

void sim_check_json(FILE *out, const sim_check_entry *e) {
  const sim_finding *f = &e->finding;
  const sim_finding_class class = sim_finding_class_of(f->kind);
  fputs("    {", out);
  json_member(out, "kind", sim_finding_name(f->kind));
  fprintf(out, ", \"class\": \"%s\", \"error\": %s, \"count\": %llu, \"pairs\": %zu,\n     ",
          sim_finding_class_name(class), class == SIM_FOUND_ERROR ? "true" : "false",
          (unsigned long long)f->count, e->place_count);
  json_member(out, "kernel", e->kernel);
  fputs(", ", out);
  json_member(out, "name", e->title);
  fputs(", ", out);
  json_member(out, "target", e->target);
  fprintf(out, ", \"workgroup\": [%u, %u, %u], \"wave\": %u, \"lane\": %d", f->id[0], f->id[1], f->id[2],
          f->wave, f->lane);
  json_place(out, "at", &e->at);
  if (e->has_other) json_place(out, "with", &e->other);
  fputs(",\n     ", out);
  json_member(out, "why", f->detail);
  fputs(",\n     ", out);
  json_member(out, "remedy", f->remedy);
  fputc('}', out);
}
