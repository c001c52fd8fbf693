// SPDX-License-Identifier: MIT
// `wavetile run PROGRAM`: runs a HIP program, unchanged, on the simulated device or on a GPU.
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/program.h"
#include "core/tool.h"
#include "sim/settings/environment.h"

static const char help[] =
    "usage: wavetile run [options] PROGRAM [arguments]\n\n"
    "Runs a HIP program, unchanged, on the simulated device, and says in one line at the end what it did. "
    "The exit "
    "status is the program's; a signal that ends the program ends this command as well. Options override the "
    "settings of the environment that docs/simulator.md lists.";

// ---- signals

static volatile pid_t child;  // 0: not started yet

// A terminal sends its signals to the program as well; what another process sends here is passed on.
static void pass_on(int number, siginfo_t *info, void *context) {
  (void)context;
  if (child > 0 && info->si_code <= 0) kill(child, number);
}

static void handle_signals(void) {
  static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART}, before;
  action.sa_sigaction = pass_on;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)  // one ignored, as under nohup, remains so
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
}

static pid_t start(void) {
  const pid_t process = fork();
  if (process > 0) child = process;
  return process;
}

// Ends this process as the program ended: returns its exit code, or raises its signal.
static int end_alike(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});  // a core of this process would help nobody
  signal(number, SIG_DFL);
  raise(number);
  return 128 + number;  // the signal is blocked
}

// ---- options

// "hip:N" gives its number in o->ordinal; anything else is a list of chips.
static int read_device(run_options *o) {
  char *end = NULL;
  o->ordinal = -1;
  if (!o->device || strncasecmp(o->device, "hip:", 4) != 0) return TOOL_OK;
  errno = 0;
  const long number = strtol(o->device + 4, &end, 10);
  if (o->device[4] < '0' || o->device[4] > '9' || *end || errno || number > 1024)
    return tool_error(TOOL_USAGE, "--device is \"%s\"; pass hip:0 for the first GPU", o->device);
  o->ordinal = (int)number;
  return TOOL_OK;
}

// Refuses a program's name that is a value of the option before it, which takes one only after "=".
static int check_program(const char *option, const char *program) {
  static const struct {
    const char *option;
    sim_env variable;
  } optional[] = {{"--check", SIM_ENV_CHECK}, {"--timing", SIM_ENV_TIMING}};
  char message[1024];
  for (size_t i = 0; i < sizeof optional / sizeof *optional; ++i)
    if (strcmp(option, optional[i].option) == 0 &&
        sim_env_accepts(optional[i].variable, program, message, sizeof message))
      return tool_error(TOOL_USAGE,
                        "the program to run is \"%s\"; did you mean %s=%s? Pass ./%s for a program", program,
                        option, program, program);
  return TOOL_OK;
}

static int run(run_options *o) {
  char path[64];
  sim_tally *tally = NULL;
  if (o->ordinal < 0 && !(tally = sim_tally_create(path, sizeof path)))
    return tool_error(TOOL_FAILED, "cannot share memory with the program: %s", strerror(errno));
  int status, code = run_prepare(o, tally ? path : NULL);
  if (code) return code;
  handle_signals();
  code = tool_program_run(o->program, start, &status);
  if (code) return code;
  run_tell(o, tally);
  return end_alike(status);
}

int tool_run(int argc, char **argv) {
  run_options o = {.device = NULL};
  bool wants_help = false;
  const tool_option table[] = {
      {"device", TOOL_STRING, &o.device, "DEVICE",
       "sim:mi355x, sim:mi300x, several separated by commas (device 0 first), or hip:N for a GPU; default: "
       "the simulated devices, those first that the program was compiled for"},
      {"schedule", TOOL_STRING, &o.schedule, "NAME",
       "when memory operations land: late (default), late-vmem, late-lds, early, lockstep, timed or "
       "random:SEED"},
      {"check", TOOL_OPTIONAL, &o.check, "[=fail|strict]",
       "report missing waits, races and undefined values; fail: the run fails where there are any; strict: "
       "also where something depends on timing"},
      {"report", TOOL_STRING, &o.report, "FILE", "write what --check finds as JSON; implies --check"},
      {"timing", TOOL_OPTIONAL, &o.timing, "[=only|die]",
       "predict the time of each launch; only: execute no more than the prediction needs; die: no more than "
       "one die needs. Memory then does not hold what the program expects"},
      {"threads", TOOL_SIZE, &o.threads, "N", "host threads; default: all cores"},
      {"progress", TOOL_FLAG, &o.progress, NULL, "show the progress of each launch"},
      {"quiet", TOOL_FLAG, &o.quiet, NULL,
       "print no messages of the simulated device, and no line at the end"},
      {"help", TOOL_FLAG, &wants_help, NULL, "print this"}};
  const size_t count = sizeof table / sizeof *table;
  int first, code = tool_options_parse_leading(argc, argv, table, count, &first);
  if (code) return code;
  if (wants_help) {
    tool_help(help, table, count);
    return TOOL_OK;
  }
  if (first == argc)
    return tool_error(TOOL_USAGE, "name the program to run, as in: wavetile run --check ./my_hip_program");
  o.program = argv + first;
  code = check_program(argv[first - 1], argv[first]);
  if (!code) code = read_device(&o);
  return code ? code : run(&o);
}
