// SPDX-License-Identifier: MIT
// Holds the table of settings, and what reads and judges them by it.
#include "sim/settings/environment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/machine/machine.h"
#include "sim/settings/nearest.h"

extern char **environ;  // POSIX has no header that declares it

static const char prefix[] = "WT_SIM_";
enum {
  PREFIX = sizeof prefix - 1,
  CHOICES = 8,
  SHOWN = 64
};  // SHOWN: most characters of a value in a message

typedef enum env_kind {
  OUTPUT,  // a file that can be written
  FOLDER,  // a folder in which files can be made
  SHARED,  // a descriptor of another process, below /proc
  CHIPS,   // names of simulated devices, separated by commas
  NUMBER,  // a whole number from `least` on
  SHARES,  // a multiple of `least`
  CHOICE   // one of `choices`; one that ends with a colon is followed by a whole number
} env_kind;

static const struct {
  const char *name;
  env_kind kind;
  uint64_t least;
  const char *choices[CHOICES];  // in the order of the enumeration that the reader makes of them
} table[SIM_ENV_COUNT] = {
    [SIM_ENV_BUDGET] = {"WT_SIM_BUDGET", NUMBER, 1, {NULL}},
    [SIM_ENV_CHECK] = {"WT_SIM_CHECK", CHOICE, 0, {"0", "1", "fail", "strict"}},  // sim_check_mode
    [SIM_ENV_CHECK_LEAKS] = {"WT_SIM_CHECK_LEAKS", CHOICE, 0, {"0", "1"}},
    [SIM_ENV_CHECK_UNWRITTEN] = {"WT_SIM_CHECK_UNWRITTEN", CHOICE, 0, {"0", "1"}},
    // Each of the four shader engines of the eight dies, which both chips have, has as many.
    [SIM_ENV_COMPUTE_UNITS] = {"WT_SIM_COMPUTE_UNITS", SHARES, 32, {NULL}},
    [SIM_ENV_DEVICES] = {"WT_SIM_DEVICES", CHIPS, 0, {NULL}},
    [SIM_ENV_FAULT] = {"WT_SIM_FAULT", CHOICE, 0, {"exact", "page"}},
    [SIM_ENV_HIP_VERSION] = {"WT_SIM_HIP_VERSION", CHOICE, 0, {"5", "6", "7"}},
    [SIM_ENV_HOST] = {"WT_SIM_HOST", CHOICE, 0, {"avx512", "avx2", "portable"}},  // sim_host
    [SIM_ENV_LDS_CONFLICTS] = {"WT_SIM_LDS_CONFLICTS", CHOICE, 0, {"0", "1"}},
    [SIM_ENV_MFMA] = {"WT_SIM_MFMA", CHOICE, 0, {"exact", "fast"}},  // sim_mfma_mode
    [SIM_ENV_PROFILE] = {"WT_SIM_PROFILE", FOLDER, 0, {NULL}},
    [SIM_ENV_PROFILE_FROM] = {"WT_SIM_PROFILE_FROM", NUMBER, 0, {NULL}},
    [SIM_ENV_PROFILE_ISSUES] = {"WT_SIM_PROFILE_ISSUES", NUMBER, 0, {NULL}},
    [SIM_ENV_PROFILE_LAUNCHES] = {"WT_SIM_PROFILE_LAUNCHES", NUMBER, 1, {NULL}},
    [SIM_ENV_PROGRESS] = {"WT_SIM_PROGRESS", CHOICE, 0, {"0", "1"}},
    [SIM_ENV_QUIET] = {"WT_SIM_QUIET", CHOICE, 0, {"0", "1"}},
    [SIM_ENV_REPORT] = {"WT_SIM_REPORT", OUTPUT, 0, {NULL}},
    [SIM_ENV_RESIDENT] = {"WT_SIM_RESIDENT", CHOICE, 0, {"0", "1"}},
    [SIM_ENV_SCHEDULE] = {"WT_SIM_SCHEDULE",  // sim_schedule
                          CHOICE,
                          0,
                          {"late", "early", "lockstep", "random:", "late-vmem", "late-lds", "timed"}},
    [SIM_ENV_SOFFSET] = {"WT_SIM_SOFFSET", CHOICE, 0, {"counted", "ignored"}},
    [SIM_ENV_TALLY] = {"WT_SIM_TALLY", SHARED, 0, {NULL}},
    [SIM_ENV_THREADS] = {"WT_SIM_THREADS", NUMBER, 1, {NULL}},
    [SIM_ENV_TIMING] = {"WT_SIM_TIMING", CHOICE, 0, {"0", "1", "only", "die"}},  // wt_sim_timing_mode
    [SIM_ENV_TIMING_REPEATS] = {"WT_SIM_TIMING_REPEATS", CHOICE, 0, {"0", "1", "copies", "cold"}},
    [SIM_ENV_TIMING_ROUNDS] = {"WT_SIM_TIMING_ROUNDS", NUMBER, 1, {NULL}},
};

// ---- values

// Reads `text` as a whole number, decimal or with 0x. Returns false when it is something else.
static bool read_whole(const char *text, uint64_t *value) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 0);
  return !errno && !*end;
}

// Returns the index among the choices, or -1. `*number` receives what stands behind a colon.
static int place_of(sim_env v, const char *text, uint64_t *number) {
  for (int i = 0; i < CHOICES && table[v].choices[i]; ++i) {
    const char *choice = table[v].choices[i];
    const size_t length = strlen(choice);
    if (choice[length - 1] != ':') {
      if (strcmp(text, choice) == 0) return i;
    } else if (strncmp(text, choice, length) == 0 && read_whole(text + length, number)) {
      return i;
    }
  }
  return -1;
}

// Returns what stands for the number that follows a choice; "" where none does.
static const char *after_colon(const char *choice) { return choice[strlen(choice) - 1] == ':' ? "SEED" : ""; }

const char *sim_env_name(sim_env v) { return table[v].name; }

void sim_env_values(sim_env v, char *out, size_t size) {
  static const char *const kinds[] = {
      [OUTPUT] = "a path", [FOLDER] = "a path", [SHARED] = "a path", [CHIPS] = "names of chips"};
  int used = 0;
  *out = 0;
  if (table[v].kind == NUMBER || table[v].kind == SHARES)
    snprintf(out, size, table[v].kind == NUMBER ? "a whole number from %llu on" : "a multiple of %llu",
             (unsigned long long)table[v].least);
  else if (table[v].kind != CHOICE)
    snprintf(out, size, "%s", kinds[table[v].kind]);
  for (int i = 0; i < CHOICES && table[v].choices[i] && used < (int)size; ++i) {
    const char *choice = table[v].choices[i];
    used += snprintf(out + used, size - (size_t)used, "%s%s%s", i ? ", " : "", choice, after_colon(choice));
  }
}

const char *sim_env_text(sim_env v) {
  const char *text = getenv(table[v].name);
  return text && *text ? text : NULL;
}

int sim_env_choice(sim_env v, int otherwise) {
  uint64_t number;
  const char *text = sim_env_text(v);
  const int place = text ? place_of(v, text, &number) : -1;
  return place < 0 ? otherwise : place;
}

// Reads `text` as a number that the setting may be.
static bool number_of(sim_env v, const char *text, uint64_t *value) {
  return read_whole(text, value) && *value >= table[v].least &&
         (table[v].kind == NUMBER || *value % table[v].least == 0);
}

uint64_t sim_env_number(sim_env v, uint64_t otherwise) {
  const char *text = sim_env_text(v);
  uint64_t value = otherwise;
  if (!text) return otherwise;
  if (table[v].kind == CHOICE) {
    place_of(v, text, &value);
    return value;
  }
  return number_of(v, text, &value) ? value : otherwise;
}

// ---- what is wrong

static bool refuse_choice(sim_env v, const char *text, char *message, size_t size) {
  char near[256], values[256];
  nearest search = nearest_begin(text);
  for (int i = 0; i < CHOICES && table[v].choices[i]; ++i) {
    char choice[32];
    snprintf(choice, sizeof choice, "%s%s", table[v].choices[i], after_colon(table[v].choices[i]));
    nearest_offer(&search, choice);
  }
  nearest_text(&search, "", near, sizeof near);
  sim_env_values(v, values, sizeof values);
  snprintf(message, size, "%s=%.*s is not one of %s%s", table[v].name, SHOWN, text, values, near);
  return false;
}

static bool refuse_chip(const char *text, const char *name, int length, char *message, size_t size) {
  char wanted[SHOWN], near[256], known[256] = "";
  snprintf(wanted, sizeof wanted, "%.*s", length, name);
  nearest search = nearest_begin(wanted);
  for (size_t i = 0, used = 0; sim_machine_at(i) && used < sizeof known; ++i) {
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", sim_machine_at(i)->name);
    nearest_offer(&search, sim_machine_at(i)->name);
  }
  nearest_text(&search, "", near, sizeof near);
  snprintf(message, size, "WT_SIM_DEVICES=%.*s: there is no simulated device \"%s\"%s name some of %s", SHOWN,
           text, wanted, *near ? near : ";", known);
  return false;
}

static bool accepts_chips(const char *text, char *message, size_t size) {
  int count = 0;
  for (const char *name = text;; ++name) {
    char known[SHOWN];
    const int length = (int)strcspn(name, ",");
    snprintf(known, sizeof known, "%.*s", length, name);
    if (!sim_machine_find(known)) return refuse_chip(text, name, length, message, size);
    if (++count > SIM_ENV_DEVICES_MOST) {
      snprintf(message, size, "WT_SIM_DEVICES names more than %d devices; shorten the list",
               (int)SIM_ENV_DEVICES_MOST);
      return false;
    }
    name += length;
    if (!*name) return true;
  }
}

// Copies the folder in which the file at `path` is, or would be.
static void copy_folder(const char *path, char *out, size_t size) {
  const char *slash = strrchr(path, '/');
  snprintf(out, size, "%.*s", slash == path ? 1 : slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static bool accepts_output(sim_env v, const char *text, char *message, size_t size) {
  char folder[PATH_MAX];
  struct stat file;
  const bool exists = stat(text, &file) == 0;
  copy_folder(text, folder, sizeof folder);
  errno = exists && S_ISDIR(file.st_mode) ? EISDIR : 0;
  if (!errno && access(exists ? text : folder, exists ? W_OK : W_OK | X_OK) == 0) return true;
  snprintf(message, size, "%s=%.*s cannot be written: %s; name a file in a folder that exists", table[v].name,
           SHOWN, text, strerror(errno));
  return false;
}

static bool accepts_folder(sim_env v, const char *text, char *message, size_t size) {
  struct stat folder;
  errno = 0;
  if (stat(text, &folder) == 0 && !S_ISDIR(folder.st_mode)) errno = ENOTDIR;
  if (!errno && access(text, W_OK | X_OK) == 0) return true;
  snprintf(message, size, "%s=%.*s is no folder that can be written: %s; name one that exists", table[v].name,
           SHOWN, text, strerror(errno));
  return false;
}

// The process whose descriptor it is may have ended: then nobody wants to know, and nothing is wrong.
static bool accepts_shared(sim_env v, const char *text, char *message, size_t size) {
  if (strncmp(text, "/proc/", 6) == 0) return true;
  snprintf(message, size, "%s=%.*s is no tally of wavetile run; leave the setting out", table[v].name, SHOWN,
           text);
  return false;
}

bool sim_env_accepts(sim_env v, const char *text, char *message, size_t size) {
  uint64_t number;
  switch (table[v].kind) {
    case OUTPUT: return accepts_output(v, text, message, size);
    case FOLDER: return accepts_folder(v, text, message, size);
    case SHARED: return accepts_shared(v, text, message, size);
    case CHIPS: return accepts_chips(text, message, size);
    case CHOICE: return place_of(v, text, &number) >= 0 || refuse_choice(v, text, message, size);
    case NUMBER:
    case SHARES: break;
  }
  if (number_of(v, text, &number)) return true;
  char values[SHOWN];
  sim_env_values(v, values, sizeof values);
  snprintf(message, size, "%s=%.*s is not %s", table[v].name, SHOWN, text, values);
  return false;
}

bool sim_env_valid(sim_env v, char *message, size_t size) {
  const char *text = sim_env_text(v);
  return !text || sim_env_accepts(v, text, message, size);
}

static bool is_setting(const char *name) {
  for (int v = 0; v < SIM_ENV_COUNT; ++v)
    if (strcmp(table[v].name, name) == 0) return true;
  return false;
}

static bool refuse_name(const char *name, char *message, size_t size) {
  char near[256];
  nearest search = nearest_begin(name + PREFIX);
  for (int v = 0; v < SIM_ENV_COUNT; ++v) nearest_offer(&search, table[v].name + PREFIX);
  nearest_text(&search, prefix, near, sizeof near);
  int used = snprintf(message, size, "%s is not a setting of the simulated device%s", name,
                      *near ? near : "; there are");
  for (int v = 0; !*near && v < SIM_ENV_COUNT && used < (int)size; ++v)
    used += snprintf(message + used, size - (size_t)used, "%s %s", v ? "," : "", table[v].name);
  return false;
}

bool sim_env_all_valid(char *message, size_t size) {
  for (char **at = environ; at && *at; ++at) {
    char name[SHOWN];
    const int length = (int)strcspn(*at, "=");
    if (strncmp(*at, prefix, PREFIX) != 0) continue;
    snprintf(name, sizeof name, "%.*s", length, *at);
    if (!is_setting(name)) return refuse_name(name, message, size);
  }
  for (int v = 0; v < SIM_ENV_COUNT; ++v)
    if (!sim_env_valid((sim_env)v, message, size)) return false;
  return true;
}
