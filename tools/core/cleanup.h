// SPDX-License-Identifier: MIT
// Makes sure that a subcommand leaves nothing behind when it is interrupted. Temporary files and folders, and
// a program that was started, are known here; SIGINT, SIGTERM and SIGHUP end and remove them, and then the
// process.
#ifndef WT_TOOLS_CLEANUP_H
#define WT_TOOLS_CLEANUP_H

#include <sys/types.h>

// Makes a write beyond the limit on file sizes fail with EFBIG rather than end the process. It is called
// once, by main.
void cleanup_begin(void);

// Make an empty temporary file or folder, as mkstemp and mkdtemp do, and keep a copy of its path. The first
// returns the file's descriptor or -1, the second 0 or -1 (errno).
int cleanup_make_file(char *path_template);
int cleanup_make_folder(char *path_template);
// Forgets the path of a temporary file that the caller removes or renames.
void cleanup_forget(const char *path);
// Removes the folder with the files in it, and no longer keeps its path.
void cleanup_remove_folder(const char *path);

// Forks, and returns what fork does. When the parent is interrupted, it ends the process that was started
// before it removes anything.
pid_t cleanup_fork(void);
// Called when the process has ended and its status was taken.
void cleanup_forked_ended(void);

#endif
