// SPDX-License-Identifier: MIT
// Declares compilation at run time. `wavetile hipcc`, the command beside this library, finds clang and
// everything that it needs; the files here give it a program in a folder of its own and read back what it
// made.
#ifndef SIM_HIP_RTC_H
#define SIM_HIP_RTC_H

#include <stdbool.h>
#include <stddef.h>

// Describes a list of texts that it owns.
typedef struct sim_rtc_list {
  char **text;
  size_t count;
} sim_rtc_list;

typedef struct sim_rtc_bytes {
  char *data;  // ends with a zero that `size` does not count
  size_t size;
} sim_rtc_bytes;

bool sim_rtc_list_add(sim_rtc_list *list, const char *text);  // false when host memory runs out
void sim_rtc_list_free(sim_rtc_list *list);

// ---- folder.c: a folder for the files of one compilation
typedef struct sim_rtc_folder {
  char path[64];
} sim_rtc_folder;
bool sim_rtc_folder_open(sim_rtc_folder *folder);
// Removes the folder with everything in it.
void sim_rtc_folder_close(const sim_rtc_folder *folder);
// Writes a file; folders in its name are made. Returns false when that fails or the name leaves the folder.
bool sim_rtc_write(const sim_rtc_folder *folder, const char *name, const void *data, size_t size);
bool sim_rtc_read(const sim_rtc_folder *folder, const char *name, sim_rtc_bytes *out);

// ---- command.c
// Returns whether the compiler's command is there; if not, the call says so by its name.
bool sim_rtc_available(const char *call);
// Runs it with the words in the folder; what it prints goes to the file "log". Returns its exit status, -1
// when it cannot be run.
int sim_rtc_run(const sim_rtc_folder *folder, const sim_rtc_list *words);

// ---- lowered.c
// Finds, in a code object, the name of the symbol whose address the pointer variable holds. Returns NULL when
// there is none; the result is in the code object.
const char *sim_rtc_pointed_symbol(const sim_rtc_bytes *object, const char *variable);

#endif
