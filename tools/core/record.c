// SPDX-License-Identifier: MIT
// Writes records: a table for people, CSV as RFC 4180 has it, or a JSON array of objects.
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

static record_field *add(record *r, const char *name, record_kind kind) {
  record_field *field = &r->fields[r->count < RECORD_MOST ? r->count++ : RECORD_MOST - 1];
  *field = (record_field){.name = name, .kind = kind};
  return field;
}

void record_text(record *r, const char *name, const char *text) { add(r, name, RECORD_TEXT)->text = text; }
void record_whole(record *r, const char *name, long long value) { add(r, name, RECORD_WHOLE)->whole = value; }
void record_number(record *r, const char *name, double value) { add(r, name, RECORD_NUMBER)->number = value; }
void record_flag(record *r, const char *name, bool value) { add(r, name, RECORD_FLAG)->whole = value; }
void record_brief(record *r) { r->fields[r->count - 1].brief = true; }

// Writes the value as text, without quotes; a number gets `digits` significant digits.
static const char *value_text(const record_field *field, int digits, char *text, size_t size) {
  switch (field->kind) {
    case RECORD_TEXT: return field->text;
    case RECORD_WHOLE: snprintf(text, size, "%lld", field->whole); break;
    case RECORD_NUMBER:
      if (isnan(field->number)) return "";
      snprintf(text, size, "%.*g", digits, field->number);
      break;
    case RECORD_FLAG: return field->whole ? "true" : "false";
  }
  return text;
}

const char *record_value(const record_field *field, char *text, size_t size) {
  return value_text(field, 6, text, size);
}

// ---- a table: columns as wide as their names and the first values, at least 8; texts on the left

static void set_widths(record_writer *w, const record *r) {
  char text[64];
  for (int i = 0; i < r->count; ++i) {
    const int name = (int)strlen(r->fields[i].name),
              value = (int)strlen(value_text(&r->fields[i], 5, text, sizeof text));
    w->width[i] = name > value ? name : value;
    if (w->width[i] < 8) w->width[i] = 8;
  }
}

static void put_table(const record_writer *w, const record *r, bool names) {
  char text[64];
  bool first = true;
  for (int i = 0; i < r->count; ++i) {
    const record_field *field = &r->fields[i];
    if (!field->brief) continue;
    const char *value = names ? field->name : value_text(field, 5, text, sizeof text);
    printf("%s%*s", first ? "" : "  ", field->kind == RECORD_TEXT ? -w->width[i] : w->width[i],
           *value ? value : "-");
    first = false;
  }
  putchar('\n');
}

// ---- CSV

static void put_quoted(const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; ++text) {
    if (*text == '"') putchar('"');
    putchar(*text);
  }
  putchar('"');
}

static void put_csv(const record *r, bool names) {
  char text[64];
  for (int i = 0; i < r->count; ++i) {
    if (i) putchar(',');
    put_quoted(names ? r->fields[i].name : value_text(&r->fields[i], 9, text, sizeof text));
  }
  putchar('\n');
}

// ---- JSON

static void put_json_text(const char *text) {
  putchar('"');
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c < ' ')
      printf("\\u%04x", c);
    else if (c == '"' || c == '\\')
      printf("\\%c", c);
    else
      putchar(c);
  }
  putchar('"');
}

static void put_json(const record *r, bool first) {
  char text[64];
  fputs(first ? "[\n  {" : ",\n  {", stdout);
  for (int i = 0; i < r->count; ++i) {
    const record_field *field = &r->fields[i];
    if (i) fputs(", ", stdout);
    put_json_text(field->name);
    fputs(": ", stdout);
    const char *value = value_text(field, 17, text, sizeof text);
    if (field->kind == RECORD_TEXT)
      put_json_text(value);
    else
      fputs(field->kind == RECORD_NUMBER && !isfinite(field->number) ? "null" : value, stdout);
  }
  putchar('}');
}

void record_put(record_writer *w, const record *r) {
  const bool first = w->rows++ == 0;
  switch (w->format) {
    case RECORD_TABLE:
      if (first) set_widths(w, r), put_table(w, r, true);
      put_table(w, r, false);
      break;
    case RECORD_CSV:
      if (first) put_csv(r, true);
      put_csv(r, false);
      break;
    case RECORD_JSON: put_json(r, first); break;
  }
  tool_flush_output();  // a row of a long sweep is seen when it is there
}

void record_end(const record_writer *w) {
  if (w->format == RECORD_JSON) fputs(w->rows ? "\n]\n" : "[]\n", stdout);
}
