// SPDX-License-Identifier: MIT
// Returns names of kernels as their source has them.
#ifndef SIM_OBJECT_DEMANGLE_H
#define SIM_OBJECT_DEMANGLE_H

// Returns the name that a linkage name stands for, "scale(float*, int)" for "_Z5scalePfi", or a copy of the
// name where it stands for none. The caller frees it; NULL when host memory runs out.
char *sim_demangle(const char *name);

#endif
