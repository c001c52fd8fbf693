// SPDX-License-Identifier: MIT
// Names the chips that machine.c lists.
#ifndef SIM_MACHINE_CHIPS_H
#define SIM_MACHINE_CHIPS_H

#include "sim/machine/machine.h"

extern const sim_machine sim_machine_mi300x, sim_machine_mi355x;

#endif
