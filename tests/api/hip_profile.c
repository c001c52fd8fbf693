// SPDX-License-Identifier: MIT
// Processes that were forked from one that is profiled record their launches beside it, in files of their
// own, whole.
#include <dirent.h>
#include <sys/wait.h>

#include "hip_capture.h"
#include "sim/report/profile.h"

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

// Returns the number of launches in the file, -1 when it has something else.
static int launches_in(const char *folder, const char *name) {
  char path[512];
  sim_profile_record record;
  bool broken;
  int count = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  for (; sim_profile_read(file, &record, &broken); ++count) {
    if (record.launch) expect_issues(record.launch);
    sim_profile_launch_free(record.launch);
  }
  fclose(file);
  unlink(path);
  return broken ? -1 : count;
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/wavetile-profile-XXXXXX";
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
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, NULL, alphasort);
  CHECK(count == 2 + CHILDREN + 1, "%d entries in the folder", count);
  for (int i = 0; i < count; ++i) {
    if (names[i]->d_name[0] != '.') {
      const int launches = launches_in(folder, names[i]->d_name);
      CHECK(launches == LAUNCHES, "%d launches in %s", launches, names[i]->d_name);
    }
    free(names[i]);
  }
  free(names);
  rmdir(folder);
  return test_result();
}
