// SPDX-License-Identifier: MIT
// rt_pinned is a register tile in one half of the register file, or in registers chosen by number.
#ifndef WT_TILES_RT_PINNED_H
#define WT_TILES_RT_PINNED_H

#include "rt.h"

namespace wt {

// This says where a pinned tile lies. A wave that has a SIMD to itself owns 256 VGPRs and 256 AGPRs (CDNA4
// ISA ch. 3); matrix instructions and LDS reads take either.
//
// `spread` puts every fourth row of fragments into VGPRs and the others into AGPRs; of fragments of 32 rows,
// which are few, every fourth one. Accumulators that fill all 256 AGPRs leave the compiler none to work with;
// where control flow joins, it then moves fragments away and does not know that it must wait for the MFMA
// that computed them.
enum class register_file { vgpr, agpr, spread };

// This is a register tile that the compiler does not move. Left to itself, the compiler mixes accumulators
// and operands over both files, and moves them. With all accumulators in AGPRs, everything that is computed
// lies in VGPRs and nothing moves in the main loop.
//
// First is the number of the tile's first register, whose fragments follow one another, row by row, or
// kAnyRegister. The compiler also uses registers chosen by number for other values, and then moves the tile
// out of the way: choose few ranges, and none that overlap.
//
// Only zero, pin, load, mma_*, keep and release (ops/pinned_tile.h, ops/mma.h, ops/lds_reader.h) accept such
// a tile.
template <register_file File, int First, class T, int Rows, int Columns, class Layout>
struct rt_pinned {
  using tile = rt<T, Rows, Columns, Layout>;
  using element = T;
  using layout = Layout;
  using fragment_type = typename tile::fragment_type;
  static_assert(File != register_file::spread || First == kAnyRegister,
                "a spread tile has no one range of registers: leave the numbers to the compiler");
  static constexpr int kFirst = First;
  static constexpr int kRows = Rows, kColumns = Columns, kTall = tile::kTall, kWide = tile::kWide;
  // Returns whether fragment (i, j) is in AGPRs.
  static constexpr bool in_agprs(int i, int j) {
    const int part = Layout::kRows == 32 ? i * kWide + j : i;
    return File == register_file::agpr || (File == register_file::spread && part % 4 != 3);
  }
  static constexpr int kFragmentRegisters = Layout::kElements * kBits<T> / 32;
  static_assert(First == kAnyRegister || (First >= 0 && First + tile::kRegisters <= 256),
                "a register file has 256 registers: begin the tile at a lower number");
  static_assert(
      First == kAnyRegister || First % 2 == 0,
      "matrix instructions take even-aligned registers (CDNA4 ISA ch. 7): begin the tile at an even number");

  // Returns the number of the first register of fragment (i, j).
  static constexpr int first(int i, int j) {
    return First == kAnyRegister ? kAnyRegister : First + (i * kWide + j) * kFragmentRegisters;
  }

  fragment_type fragment[kTall][kWide];
};

// These are tiles pinned to AGPRs and to VGPRs.
template <class T, int Rows, int Columns, class Layout, int First = kAnyRegister>
using rt_agpr = rt_pinned<register_file::agpr, First, T, Rows, Columns, Layout>;
template <class T, int Rows, int Columns, class Layout, int First = kAnyRegister>
using rt_vgpr = rt_pinned<register_file::vgpr, First, T, Rows, Columns, Layout>;

// This says who chooses the registers of a tile: the compiler at every instruction, or the program, which
// pins the tile to a register file.
enum class placement { compiler, pinned };

// `type` is the tile itself, or the tile pinned to File, as Placement says.
template <placement Placement, class Tile, register_file File>
struct placed {
  using type = Tile;
};
template <class T, int Rows, int Columns, class Layout, register_file File>
struct placed<placement::pinned, rt<T, Rows, Columns, Layout>, File> {
  using type = rt_pinned<File, kAnyRegister, T, Rows, Columns, Layout>;
};
// This is placed<Placement, Tile, File>::type.
template <placement Placement, class Tile, register_file File = register_file::spread>
using placed_t = typename placed<Placement, Tile, File>::type;
// This is Tile, pinned to File.
template <class Tile, register_file File = register_file::spread>
using pinned_t = placed_t<placement::pinned, Tile, File>;

// Holds for rt_pinned tiles.
template <class Tile>
constexpr bool is_pinned = false;
template <register_file File, int First, class T, int Rows, int Columns, class Layout>
constexpr bool is_pinned<rt_pinned<File, First, T, Rows, Columns, Layout>> = true;

}  // namespace wt

#endif
