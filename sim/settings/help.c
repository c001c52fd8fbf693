// SPDX-License-Identifier: MIT
// Says what each setting is for, in a phrase for the manual page; docs/simulator.md explains more.
#include "sim/settings/environment.h"

static const struct {
  const char *otherwise, *help;
} rows[SIM_ENV_COUNT] = {
    [SIM_ENV_BUDGET] = {"2^33",
                        "wave-instructions that a work-group may execute before it counts as never ending"},
    [SIM_ENV_CHECK] = {"0",
                       "watch every launch for code that is right only by luck; fail: errors fail the run; "
                       "strict: timing dependence and the manual's table do, too"},
    [SIM_ENV_CHECK_LEAKS] = {"0",
                             "in check mode, report memory that is still allocated when the process ends"},
    [SIM_ENV_CHECK_UNWRITTEN] = {"0",
                                 "in check mode, memory of hipMalloc is undefined until something writes it"},
    [SIM_ENV_COMPUTE_UNITS] = {"all that the chip has", "the most compute units that a device has"},
    [SIM_ENV_DEVICES] = {"each chip once, first the one that the program's code objects are for",
                         "the simulated chips, in the order of their device numbers, separated by commas"},
    [SIM_ENV_FAULT] =
        {"exact", "where accesses fault: beyond the bytes of every allocation, or beyond its pages of 4 KB"},
    [SIM_ENV_HIP_VERSION] = {"seen from what the program imports",
                             "major release of the headers of programs without a note"},
    [SIM_ENV_HOST] = {"the widest that the CPU has", "the vector code that executes instructions"},
    [SIM_ENV_LDS_CONFLICTS] = {"0", "count LDS bank conflicts, and report them when the process ends"},
    [SIM_ENV_MFMA] = {"exact; fast where a launch is executed for its time only",
                      "how matrix instructions add products: as hardware, or with one rounding each"},
    [SIM_ENV_PROFILE] = {"none", "folder that receives a record of each launch"},
    [SIM_ENV_PROFILE_FROM] = {"0", "the first cycle whose instructions a record keeps"},
    [SIM_ENV_PROFILE_ISSUES] = {"131072", "instructions of one compute unit that a record keeps"},
    [SIM_ENV_PROFILE_LAUNCHES] = {"1", "launches with the same kernel, grid and arguments that are timed"},
    [SIM_ENV_PROGRESS] =
        {"0", "show the progress of each launch on standard error, and a word on those that take long"},
    [SIM_ENV_QUIET] = {"0", "print no messages and no fault reports"},
    [SIM_ENV_REPORT] = {"none", "file that receives what check mode finds, as JSON"},
    [SIM_ENV_RESIDENT] = {"0; 1 under lockstep and timed",
                          "run the work-groups of every launch at the same time"},
    [SIM_ENV_SCHEDULE] = {"late", "when memory operations land, and in which order waves run"},
    [SIM_ENV_SOFFSET] = {"counted", "whether a buffer's range check counts the SGPR offset"},
    [SIM_ENV_TALLY] = {"none", "memory in which the launches of a run are added up; wavetile run sets it"},
    [SIM_ENV_THREADS] = {"all cores", "host threads that execute work-groups"},
    [SIM_ENV_TIMING] =
        {"0", "predict the time of each launch; only: without results; die: one chiplet stands for all"},
    [SIM_ENV_TIMING_REPEATS] = {"0, what earlier launches have left",
                                "what launches find in the last-level cache: 1, what the same launch on the "
                                "same data has left; copies, on copies of it; cold, nothing"},
    [SIM_ENV_TIMING_ROUNDS] = {"8; 3 of longer launches", "rounds of work-groups that are timed in detail"},
};

const char *sim_env_otherwise(sim_env variable) { return rows[variable].otherwise; }
const char *sim_env_help(sim_env variable) { return rows[variable].help; }
