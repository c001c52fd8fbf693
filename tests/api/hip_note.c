// SPDX-License-Identifier: MIT
// Includes nothing but what the build includes before it: hip_note.h.
typedef int wt_nothing;
