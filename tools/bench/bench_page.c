// SPDX-License-Identifier: MIT
// Writes pages with predictions: the parts between markers are written anew, the prose around them is kept.
#include "bench/bench_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/read_file.h"
#include "core/whole_file.h"

enum { MESSAGE = WHOLE_FILE_PATH + 512 };

// Copies `text`, with each part between "<!-- NAME -->" and "<!-- end of NAME -->" replaced. Returns how many
// there were.
static size_t write_parts(FILE *out, const char *text, const bench_table *table, const bench_part *parts,
                          size_t count) {
  size_t written = 0;
  for (size_t i = 0; i < count; ++i) {
    char begin[64], end[64];
    snprintf(begin, sizeof begin, "<!-- %s -->\n", parts[i].name);
    snprintf(end, sizeof end, "<!-- end of %s -->\n", parts[i].name);
    const char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
    if (!to) continue;
    from += strlen(begin);
    fwrite(text, 1, (size_t)(from - text), out);
    parts[i].write(out, table);
    text = to;
    ++written;
  }
  fputs(text, out);
  return written;
}

static int report_parts(const char *path, const bench_part *parts, size_t count, size_t written) {
  char names[256] = "";
  for (size_t i = 0; i < count; ++i)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s\"<!-- %s -->\"", i ? ", " : "",
             parts[i].name);
  return tool_error(
      TOOL_USAGE,
      "%s must have the parts %s, in this order and each with its \"<!-- end of ... -->\"; it has %zu of %zu",
      path, names, written, count);
}

int bench_page_write(const char *path, const bench_table *table, const bench_part *parts, size_t count) {
  char message[MESSAGE];
  size_t size;
  whole_file file;
  unsigned char *data = read_file(path, &size);
  char *text = data ? malloc(size + 1) : NULL;
  if (text) memcpy(text, data, size), text[size] = 0;
  free(data);
  if (!text)
    return tool_error(TOOL_USAGE, "%s cannot be read: %s; pass the folder of the pages as --write", path,
                      strerror(errno));
  if (!whole_file_begin(&file, path, message, sizeof message)) {
    free(text);
    return tool_error(TOOL_FAILED, "%s", message);
  }
  const size_t written = write_parts(file.stream, text, table, parts, count);
  free(text);
  errno = 0;
  if (whole_file_end(&file, written == count && !ferror(file.stream), message, sizeof message))
    return TOOL_OK;
  return written == count ? tool_error(TOOL_FAILED, "%s", message)
                          : report_parts(path, parts, count, written);
}
