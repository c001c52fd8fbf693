// SPDX-License-Identifier: MIT
// Processes that were forked from one that is profiled record their launches beside it, in files of their
// own, whole. Equal launches are timed once, but anew when the mode was set, which empties the caches.
#include <dirent.h>
#include <sys/wait.h>

#include "hip_capture.h"
#include "sim/report/profile.h"
#include "wavetile_sim.h"

enum { CHILDREN = 3, LAUNCHES = 20 };

// A record holds more bytes than a stream writes at a time.
static bool launch(const char *path, int count) {
  hipModule_t module;
  hipFunction_t kernel;
  bool ok = !hipModuleLoad(&module, path) && !hipModuleGetFunction(&kernel, module, "sum_in_lds");
  int *memory;
  ok = ok && !hipMalloc((void **)&memory, 1024);
  void *params[] = {&memory, &memory};
  for (int i = 0; ok && i < count; ++i)
    ok = !hipModuleLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, NULL, params, NULL) && !hipDeviceSynchronize();
  return ok;
}

// The one work-group that is launched runs on the first compute unit, whose issues are kept.
static void expect_issues(const sim_profile_launch *l) {
  uint64_t issued = 0, waves = 0;
  for (uint64_t i = 0; i < l->facts.op_count; ++i) issued += l->ops[i].seen.issued;
  for (uint64_t i = 0; i < l->facts.issue_count; ++i)
    if (l->issues[i].wave >= waves) waves = l->issues[i].wave + 1u;
  CHECK(issued > 0 && l->facts.issue_count == issued, "%llu of %llu issues are kept",
        (unsigned long long)l->facts.issue_count, (unsigned long long)issued);
  CHECK(waves == l->facts.group_waves, "%llu of %u waves issue", (unsigned long long)waves,
        l->facts.group_waves);
}

// Returns the number of launches in the file, -1 when it has something else. *timed receives how many of
// them were timed.
static int launches_in(const char *folder, const char *name, int *timed) {
  char path[512];
  sim_profile_record record;
  bool broken;
  int count = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  *timed = 0;
  if (!file) return -1;
  for (; sim_profile_read(file, &record, &broken); ++count) {
    *timed += record.launch != NULL;
    if (record.launch) expect_issues(record.launch);
    sim_profile_launch_free(record.launch);
  }
  fclose(file);
  unlink(path);
  return broken ? -1 : count;
}

// Checks the records of all processes in the folder, and removes it.
static void check_folder(char *folder, int processes, int most_launches, int most_timed) {
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, NULL, alphasort);
  CHECK(count == 2 + processes, "%d entries in the folder", count);
  for (int i = 0; i < count; ++i) {
    if (names[i]->d_name[0] != '.') {
      int timed;
      const int launches = launches_in(folder, names[i]->d_name, &timed);
      CHECK(launches == most_launches && timed == most_timed, "%d launches in %s, %d of them timed", launches,
            names[i]->d_name, timed);
    }
    free(names[i]);
  }
  free(names);
  rmdir(folder);
}

// Launches in a process of its own, which sets the mode in the midst.
static void equal_launches_are_timed_once(const char *path) {
  enum { EQUAL = 3 };
  char folder[] = "/tmp/wavetile-profile-XXXXXX";
  int status;
  CHECK(mkdtemp(folder), "no folder");
  const pid_t child = fork();
  if (child == 0) {
    setenv("WT_SIM_PROFILE", folder, 1), setenv("WT_SIM_PROFILE_LAUNCHES", "1", 1);
    setenv("WT_SIM_TIMING", "1", 1);
    const bool first = launch(path, EQUAL);
    wtSimTiming(WT_SIM_TIMING_ALL, NULL, 0);
    exit(first && launch(path, EQUAL) ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "it launches");
  check_folder(folder, 1, 2 * EQUAL, 2);
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/wavetile-profile-XXXXXX";
  if (argc == 3) equal_launches_are_timed_once(argv[1]);
  CHECK(argc == 3 && mkdtemp(folder), "arguments: the code object of each device in order");
  setenv("WT_SIM_PROFILE", folder, 1);
  setenv("WT_SIM_PROFILE_LAUNCHES", "1000", 1);
  setenv("WT_SIM_TIMING", "1", 1);
  CHECK(launch(argv[1], 1), "the first process launches");
  for (int i = 0; i < CHILDREN; ++i)
    if (!fork()) _exit(launch(argv[1], LAUNCHES) ? 0 : 1);
  CHECK(launch(argv[1], LAUNCHES - 1), "and again");
  for (int i = 0, status; i < CHILDREN; ++i)
    CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked process launches");
  check_folder(folder, CHILDREN + 1, LAUNCHES, LAUNCHES);
  return test_result();
}
