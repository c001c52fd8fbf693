// SPDX-License-Identifier: MIT
// Holds the published bank and phase tables. Sources of the measurements: SHARK is nod-ai/amd-shark-ai
// docs/empirical-lds; HK is HazyResearch/HipKittens analysis/paper_experiments/phases; GGT is
// ROCm/gfx950-gluon-tutorials docs/lds_throughput.md.
#include "sim/machine/lds_banks.h"

// Names a group of the lanes 0..31 and the same group of the lanes 32..63.
#define IN_BOTH_HALVES(lanes) (lanes), (uint64_t)(lanes) << 32

#define PHASES_OF_64_LANES(banks) \
  {                               \
    (banks), 1, { UINT64_MAX }    \
  }
#define PHASES_OF_32_LANES(banks)               \
  {                                             \
    (banks), 2, { IN_BOTH_HALVES(0xffffffffu) } \
  }
#define PHASES_OF_16_LANES(banks)                                        \
  {                                                                      \
    (banks), 4, { IN_BOTH_HALVES(0xffffu), IN_BOTH_HALVES(0xffff0000u) } \
  }
#define PHASES_OF_8_LANES(banks)                                                                             \
  {                                                                                                          \
    (banks), 8, {                                                                                            \
      IN_BOTH_HALVES(0xffu), IN_BOTH_HALVES(0xff00u), IN_BOTH_HALVES(0xff0000u), IN_BOTH_HALVES(0xff000000u) \
    }                                                                                                        \
  }
// {0-3,12-15,20-27} {4-11,16-19,28-31}
#define MIXED_PHASES_OF_16_LANES(banks)                                      \
  {                                                                          \
    (banks), 4, { IN_BOTH_HALVES(0x0ff0f00fu), IN_BOTH_HALVES(0xf00f0ff0u) } \
  }
// {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}
#define MIXED_PHASES_OF_8_LANES(banks)                                                       \
  {                                                                                          \
    (banks), 8, {                                                                            \
      IN_BOTH_HALVES(0x00f0000fu), IN_BOTH_HALVES(0x000f00f0u), IN_BOTH_HALVES(0xf0000f00u), \
          IN_BOTH_HALVES(0x0f00f000u)                                                        \
    }                                                                                        \
  }

// It has 32 banks. Transposed reads do not exist.
const sim_lds_banks sim_lds_banks_gfx942 = {
    .rule =
        {
            [SIM_LDS_READ] =
                {
                    PHASES_OF_32_LANES(32),       // SHARK
                    PHASES_OF_16_LANES(32),       // SHARK
                    MIXED_PHASES_OF_8_LANES(32),  // HK
                    MIXED_PHASES_OF_8_LANES(32),  // HK, SHARK
                },
            // b32 and b96 have not been measured: lanes in order, 128 bytes a phase, as the two that have.
            [SIM_LDS_WRITE] =
                {
                    PHASES_OF_32_LANES(32),
                    PHASES_OF_16_LANES(32),  // HK
                    PHASES_OF_8_LANES(32),
                    PHASES_OF_8_LANES(32),  // SHARK
                },
            // Copies take dwords only (CDNA3 ISA 9.1.9). Not measured; a copy fills consecutive dwords, which
            // no order of the lanes makes conflict.
            [SIM_LDS_COPY] = {PHASES_OF_32_LANES(32)},
        },
};

// It has 64 banks for reads of 4, 8 and 16 bytes; 32 for the others that have been measured. Transposed reads
// follow the rule of plain reads of their width (GGT).
const sim_lds_banks sim_lds_banks_gfx950 = {
    .rule =
        {
            [SIM_LDS_READ] =
                {
                    PHASES_OF_64_LANES(64),        // SHARK
                    PHASES_OF_32_LANES(64),        // SHARK, HK
                    MIXED_PHASES_OF_8_LANES(32),   // HK: conflicts as with 32 banks
                    MIXED_PHASES_OF_16_LANES(64),  // HK, SHARK
                },
            // Only b64 has been measured, and behaves as on the chip before. The others take lanes in order,
            // 128 bytes a clock, as b64.
            [SIM_LDS_WRITE] =
                {
                    PHASES_OF_32_LANES(32),
                    PHASES_OF_16_LANES(32),  // HK
                    PHASES_OF_8_LANES(32),
                    PHASES_OF_8_LANES(32),
                },
            // Copies take one, three or four dwords (CDNA4 ISA 9.1.9). It was not measured, and has no
            // conflicts in any order.
            [SIM_LDS_COPY] =
                {
                    [0] = PHASES_OF_32_LANES(32),
                    [2] = PHASES_OF_8_LANES(32),
                    [3] = PHASES_OF_8_LANES(32),
                },
        },
};
