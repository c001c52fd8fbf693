// SPDX-License-Identifier: MIT
// Messages of device printf and assert, put together from their parts.
#include <stdlib.h>
#include <string.h>

#include "sim/hip/services/hostcall.h"

// The descriptor has these fields (ockl, services.cl): begin, end, how many quadwords of data follow, and
// which message this is.
enum { BEGIN = 1, END = 2, LENGTH_SHIFT = 5, LENGTH_MASK = 7, ID_SHIFT = 8, FLAGS = (1 << ID_SHIFT) - 1 };
enum { TO_STDERR = 1 };             // in the first quadword of a message
enum { MOST_QUADWORDS = 1 << 17 };  // of one message: what is longer is a string without an end

typedef struct message {
  uint64_t *data;
  size_t count, capacity;
  bool open;
} message;

static message *messages;
static size_t message_count;
static bool wrote_stderr;

static message *open_message(uint64_t *id) {
  for (*id = 0; *id < message_count && messages[*id].open;) ++*id;
  if (*id == message_count) {
    size_t more = message_count ? 2 * message_count : 64;
    message *larger = realloc(messages, more * sizeof *larger);
    if (!larger) return NULL;
    memset(larger + message_count, 0, (more - message_count) * sizeof *larger);
    messages = larger;
    message_count = more;
  }
  messages[*id].open = true;
  messages[*id].count = 0;
  return &messages[*id];
}

static bool append(message *m, const uint64_t *data, size_t count) {
  if (m->count + count > m->capacity) {
    size_t capacity = m->capacity ? 2 * m->capacity : 32;
    uint64_t *larger = capacity <= MOST_QUADWORDS ? realloc(m->data, capacity * sizeof *larger) : NULL;
    if (!larger) return false;
    m->data = larger;
    m->capacity = capacity;
  }
  if (count) memcpy(m->data + m->count, data, count * sizeof *data);
  m->count += count;
  return true;
}

const char *sim_hip_message_part(uint64_t slots[8]) {
  uint64_t descriptor = slots[0], id = descriptor >> ID_SHIFT;
  message *m;
  if (descriptor & BEGIN) {
    m = open_message(&id);
    if (!m) return "host memory ran out for the messages of device printf";
  } else {
    m = id < message_count && messages[id].open ? &messages[id] : NULL;
    if (!m) return "a kernel continues a message that it has not begun";
  }
  if (!append(m, slots + 1, descriptor >> LENGTH_SHIFT & LENGTH_MASK))
    return "a message of device printf does not end; is a string without its final zero printed?";
  if (!(descriptor & END)) {
    slots[0] = (descriptor & FLAGS & ~(uint64_t)BEGIN) | id << ID_SHIFT;
    return NULL;
  }
  bool to_stderr = m->count && m->data[0] & TO_STDERR;
  int written = m->count ? sim_hip_printf(to_stderr ? stderr : stdout, m->data + 1, m->count - 1) : -1;
  wrote_stderr |= to_stderr;
  m->open = false;
  slots[0] = (uint64_t)(int64_t)written;
  return NULL;
}

bool sim_hip_messages_end(void) {
  bool wrote = wrote_stderr;
  for (size_t i = 0; i < message_count; ++i) free(messages[i].data);
  free(messages);
  messages = NULL;
  message_count = 0;
  wrote_stderr = false;
  return wrote;
}
