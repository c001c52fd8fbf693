// SPDX-License-Identifier: MIT
// wavetile for device code: tiles and what a wave does with them. Needs clang >= 20 in HIP mode (or ROCm's
// hipcc) and nothing else: no HIP device header, no device library.
#ifndef WT_WAVETILE_DEVICE_H
#define WT_WAVETILE_DEVICE_H

#include "ops/functions.h"
#include "ops/isa/buffer.h"
#include "ops/isa/convert.h"
#include "ops/isa/crosslane.h"
#include "ops/isa/dpp.h"
#include "ops/isa/ids.h"
#include "ops/isa/lds.h"
#include "ops/isa/math.h"
#include "ops/isa/mfma.h"
#include "ops/isa/mfma_table.h"
#include "ops/isa/sync.h"
#include "ops/load.h"
#include "ops/map.h"
#include "ops/maps.h"
#include "ops/mma.h"
#include "ops/store.h"
#include "sched/grid.h"
#include "tiles/gl.h"
#include "tiles/lds_access.h"
#include "tiles/lds_banks.h"
#include "tiles/mfma_layout.h"
#include "tiles/row_swizzle.h"
#include "tiles/rv.h"
#include "tiles/st.h"
#include "tiles/swizzle.h"
#include "tiles/swizzle_solver.h"
#include "tiles/target.h"
#include "tiles/types.h"

#endif
