// SPDX-License-Identifier: MIT
// What a subcommand leaves behind when it is interrupted: nothing. Temporary files and folders, and a program
// that was started, are known here; SIGINT, SIGTERM and SIGHUP end and remove them, and then the process.
#ifndef WT_TOOLS_CLEANUP_H
#define WT_TOOLS_CLEANUP_H

#include <sys/types.h>

// A write beyond the limit on file sizes shall fail with EFBIG rather than end the process. To be called
// once, by main.
void cleanup_begin(void);

// As mkstemp and mkdtemp: makes an empty temporary file or folder and keeps its path, a copy. A file is
// returned as a descriptor, or -1; a folder as 0 or -1 (errno).
int cleanup_make_file(char *path_template);
int cleanup_make_folder(char *path_template);
// The temporary file is removed or renamed by the caller: no longer keep its path.
void cleanup_forget(const char *path);
// Removes the folder with the files in it, and no longer keeps its path.
void cleanup_remove_folder(const char *path);

// As fork. The parent ends the process that is started when it is interrupted itself, and before it removes
// anything.
pid_t cleanup_fork(void);
// The process has ended and its status was taken.
void cleanup_forked_ended(void);

#endif
