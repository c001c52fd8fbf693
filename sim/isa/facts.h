// SPDX-License-Identifier: MIT
// Facts about instructions that check mode and the timing model share: a row of an instruction table
// (sim/isa/op.h) gives them, so that no one decides by the letters of a mnemonic. Bits 0 to 7 are left free:
// the rows of vector instructions hand over their own flags and these facts in one number.
#ifndef SIM_ISA_FACTS_H
#define SIM_ISA_FACTS_H

#include <stdint.h>

#define SIM_ROW_BIT(n) (UINT64_C(1) << (n))

// ---- registers

#define SIM_ROW_CANCELS SIM_ROW_BIT(8)   // with the same register twice the result is known: x ^ x, x - x
#define SIM_ROW_USES_DST SIM_ROW_BIT(9)  // the result depends on all of the old destination
#define SIM_ROW_READS_VCC SIM_ROW_BIT(10)
#define SIM_ROW_WRITES_EXEC SIM_ROW_BIT(11)  // besides its destination
#define SIM_ROW_READS_M0 SIM_ROW_BIT(12)
#define SIM_ROW_SCC_IN SIM_ROW_BIT(13)  // the result depends on SCC
#define SIM_ROW_SCC_OUT SIM_ROW_BIT(14)
#define SIM_ROW_PACKED_DWORDS SIM_ROW_BIT(15)    // works on two dwords, each on its own
#define SIM_ROW_HIGH_TO_LOW SIM_ROW_BIT(16)      // the low dword of the result depends on high dwords
#define SIM_ROW_INDEXES_SOURCE SIM_ROW_BIT(17)   // M0 is added to the number of the source register
#define SIM_ROW_SETS_INDEX SIM_ROW_BIT(18)       // M0: the index of vector registers ...
#define SIM_ROW_SETS_INDEX_MODE SIM_ROW_BIT(19)  // ... and the operands that it counts for
#define SIM_ROW_GETREG SIM_ROW_BIT(20)
#define SIM_ROW_SETREG SIM_ROW_BIT(21)
#define SIM_ROW_COPY SIM_ROW_BIT(22)   // v_mov_b32
#define SIM_ROW_PICKS SIM_ROW_BIT(23)  // v_pk_mov_b32: each source gives one dword of the result

// ---- vector and matrix units

#define SIM_ROW_DOT SIM_ROW_BIT(24)
#define SIM_ROW_SPARSE SIM_ROW_BIT(25)      // the accumulator is the destination
#define SIM_ROW_SCALED SIM_ROW_BIT(26)      // scales are loaded first; the encoding has 16 bytes
#define SIM_ROW_SCALE_LOAD SIM_ROW_BIT(27)  // loads scales and nothing else

// ---- memory

#define SIM_ROW_STORES SIM_ROW_BIT(28)  // writes memory or LDS; atomics do too
#define SIM_ROW_ATOMIC SIM_ROW_BIT(29)
#define SIM_ROW_COMPARES SIM_ROW_BIT(30)     // an atomic that writes where it finds what it expects
#define SIM_ROW_BUFFER SIM_ROW_BIT(31)       // goes through a descriptor; the data operand comes first
#define SIM_ROW_FORMAT SIM_ROW_BIT(32)       // converts by a data format
#define SIM_ROW_DIRECT SIM_ROW_BIT(33)       // copies to LDS, whatever its encoding says
#define SIM_ROW_PAIR SIM_ROW_BIT(34)         // accesses two places of LDS
#define SIM_ROW_COUNTS SIM_ROW_BIT(35)       // ds_append, ds_consume
#define SIM_ROW_EXCHANGES SIM_ROW_BIT(36)    // exchanges what it reads from LDS among lanes
#define SIM_ROW_BACKWARDS SIM_ROW_BIT(37)    // ds_bpermute: lanes fetch; others send
#define SIM_ROW_NO_ADDRESS SIM_ROW_BIT(38)   // no operand holds its address
#define SIM_ROW_NO_MEMORY SIM_ROW_BIT(39)    // touches no memory, in spite of its class
#define SIM_ROW_ACQUIRES SIM_ROW_BIT(40)     // orders what other work-groups have released before it ...
#define SIM_ROW_RELEASES SIM_ROW_BIT(41)     // ... and what this one has done
#define SIM_ROW_LOADS SIM_ROW_BIT(48)        // scalar: reads memory that others may write
#define SIM_ROW_INVALIDATES SIM_ROW_BIT(49)  // what is loaded later comes from beyond a cache

// These are global atomics, which other work-groups see in order.
#define SIM_ROW_GLOBAL_ATOMIC (SIM_ROW_STORES | SIM_ROW_ATOMIC | SIM_ROW_ACQUIRES | SIM_ROW_RELEASES)

// ---- control

#define SIM_ROW_NOP SIM_ROW_BIT(42)       // passes N + 1 wait states
#define SIM_ROW_SLEEP SIM_ROW_BIT(43)     // pauses for 64 N clocks
#define SIM_ROW_PRIORITY SIM_ROW_BIT(44)  // sets the priority of the wave
#define SIM_ROW_END SIM_ROW_BIT(45)       // ends the wave
#define SIM_ROW_CLOCK SIM_ROW_BIT(46)     // reads the clock of the shader
#define SIM_ROW_GRID SIM_ROW_BIT(47)      // a barrier of all work-groups
#define SIM_ROW_TARGET SIM_ROW_BIT(50)    // a branch whose encoding says to where

// ---- how undefined bits pass from the sources of an instruction to its results, in bits 56 to 63

typedef enum sim_spread {
  SIM_SPREAD_NONE,    // in a row: as in most instructions of its class
  SIM_SPREAD_LANES,   // each lane on its own
  SIM_SPREAD_CHOICE,  // v_cndmask_b32
  SIM_SPREAD_PERM,    // v_perm_b32
  SIM_SPREAD_PACKED,  // each dword on its own
  SIM_SPREAD_MATRIX,
  SIM_SPREAD_FIRST,  // v_readfirstlane_b32
  SIM_SPREAD_READLANE,
  SIM_SPREAD_WRITELANE,
  SIM_SPREAD_SWAP,       // v_swap_b32
  SIM_SPREAD_SWAP_ROWS,  // v_permlane*_swap
  SIM_SPREAD_SCALAR,
  SIM_SPREAD_AND,
  SIM_SPREAD_OR,
  SIM_SPREAD_ANDN1,  // with the first source inverted
  SIM_SPREAD_ANDN2,  // with the second source inverted
  SIM_SPREAD_ORN1,
  SIM_SPREAD_ORN2,
  SIM_SPREAD_CLEAR,  // x ^ x, x - x: known whatever x is
  SIM_SPREAD_INDEX,  // s_set_gpr_idx_on, _idx, _mode: parts of M0
  SIM_SPREAD_BITS,   // s_mov, s_not, s_xor: bit by bit
  SIM_SPREAD_SELECT,
  SIM_SPREAD_PERMUTE,  // ds_permute, ds_bpermute, ds_swizzle
} sim_spread;

enum { SIM_ROW_SPREAD_SHIFT = 56 };
#define SIM_ROW_SPREAD(spread) ((uint64_t)SIM_SPREAD_##spread << SIM_ROW_SPREAD_SHIFT)

#endif
