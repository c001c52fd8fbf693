// SPDX-License-Identifier: MIT
// Describes the result of a run as named fields, and a sequence of such results as a table, CSV or JSON on
// standard output.
#ifndef WT_TOOLS_RECORD_H
#define WT_TOOLS_RECORD_H

#include <stdbool.h>
#include <stddef.h>

enum { RECORD_MOST = 64 };

typedef enum record_kind { RECORD_TEXT, RECORD_WHOLE, RECORD_NUMBER, RECORD_FLAG } record_kind;

typedef struct record_field {
  const char *name;
  record_kind kind;
  bool brief;        // whether a table for people shows it
  const char *text;  // lives until the record is put
  long long whole;
  double number;
} record_field;

typedef struct record {
  int count;
  record_field fields[RECORD_MOST];
} record;

// Add a field. NaN stands for a number that is not known: null in JSON, nothing in tables and CSV.
void record_text(record *r, const char *name, const char *text);
void record_whole(record *r, const char *name, long long value);
void record_number(record *r, const char *name, double value);
void record_flag(record *r, const char *name, bool value);
// Makes tables for people show the field that was added last.
void record_brief(record *r);

// Returns a field's value as text with six significant digits, "" when there is none. `text` is memory for
// numbers.
const char *record_value(const record_field *field, char *text, size_t size);

typedef enum record_format { RECORD_TABLE, RECORD_CSV, RECORD_JSON } record_format;

// A writer begins with all members zero except the format.
typedef struct record_writer {
  record_format format;
  long long rows;
  int width[RECORD_MOST];  // of a table's columns, after the first record
} record_writer;

// Writes a record, and before the first one the head of the table or file. All records of a writer have the
// same fields.
void record_put(record_writer *w, const record *r);
// Called once at the end, also when a run has failed, so that what was written is complete.
void record_end(const record_writer *w);

#endif
