// SPDX-License-Identifier: MIT
// Reads source operands that are not registers (CDNA3 ISA, "Scalar data operand encodings": 235 to 238 and
// 251 to 253).
#include "sim/exec/aperture.h"
#include "sim/exec/wave.h"

uint64_t sim_special(const sim_wave *w, unsigned code) {
  switch (code) {
    case 235: return sim_aperture_base(SIM_SHARED_APERTURE);
    case 236: return sim_aperture_limit(SIM_SHARED_APERTURE);
    case 237: return sim_aperture_base(SIM_PRIVATE_APERTURE);
    case 238: return sim_aperture_limit(SIM_PRIVATE_APERTURE);
    case 251: return sim_s64(w, SIM_VCC) == 0;
    case 252: return sim_exec(w) == 0;
    case 253: return w->scc;
    default: return 0;  // the decoder produces no other code
  }
}
