// SPDX-License-Identifier: MIT
// Says which of the chip's memory channels an address belongs to, and with it the slice of the last-level
// cache.
#ifndef SIM_TIMING_CHANNELS_H
#define SIM_TIMING_CHANNELS_H

#include <stdint.h>

// There are 8 stacks of 16 channels, a slice of the LLC with each (AMD CDNA 3 white paper).
enum { SIM_MEMORY_CHANNELS = 128 };
// So many neighbouring bytes belong to one channel, of memory as of L2 (RPC, SHARK).
enum { SIM_CHANNEL_BYTES = 256 };

// Returns the channel of a 256-byte piece of memory, 0 to 127: bits of the address combined by exclusive or,
// so that every aligned 32 KB lie in all channels once. The bits are those of the address translation that
// Linux does for memory errors of MI300 (drivers/ras/amd/atl/dehash.c, "MI300 hash bits"), with all of its
// hashes on; MI355X is taken to do the same. Pages are large: the bits above 2 MB, which are the driver's
// choice, only name the channels differently from page to page.
static inline unsigned sim_memory_channel(uint64_t address) {
  const uint64_t channel = (address >> 8 & 0xf) | (address >> 14 & 1) << 4, die = address >> 12 & 3;
  const uint64_t by_4k = address >> 12 & 7, by_1t = address >> 43 & 0x1f;
  const uint64_t by_rest = address >> 15 ^ address >> 22 ^ address >> 29 ^ address >> 36;
  return (unsigned)((channel | die << 5) ^ by_4k ^ by_1t ^ by_rest) & (SIM_MEMORY_CHANNELS - 1);
}

#endif
