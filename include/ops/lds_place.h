// SPDX-License-Identifier: MIT
// This header says where in LDS a tile is, in a register: as an argument of what moves data there, and as a
// stage that is chosen at run time.
#ifndef WT_OPS_LDS_PLACE_H
#define WT_OPS_LDS_PLACE_H

#include "isa/lds.h"

namespace wt {

// Says where in LDS a Tile is. A tile converts to its place, so that callers name tiles; a place knows what
// lies there, so that another type of tile is refused.
//
// scope: wave; operands: object in LDS; leaves: none; waits: nobody; LDS: none; registers: 1; chips: both
template <class Tile>
struct lds_place {
  u32 address;  // in bytes

  // Makes the place of a tile.
  WT_DEVICE lds_place(const Tile &tile) : address(lds_address(&tile)) {}
  // Makes the place of a tile that lies at a byte address.
  WT_DEVICE explicit lds_place(u32 byte_address) : address(byte_address) {}
  // Refuses everything else.
  template <class Other>
  WT_DEVICE lds_place(const Other &) {
    static_assert(
        __is_same(Other, Tile),
        "this is no tile of the type that belongs here: name one, or lds_parts<its type> of what it "
        "is a part of");
  }

  // Return the place of the tile that lies `offset` bytes further on, and of the n-th tile after this one,
  // where tiles follow each other: a stage of a ring.
  WT_DEVICE lds_place at(u32 offset) const { return lds_place(address + offset); }
  WT_DEVICE lds_place operator[](u32 n) const { return at(n * static_cast<u32>(sizeof(Tile))); }
  // Returns the address of a byte of the tile, for a single instruction (ops/isa).
  WT_DEVICE u32 byte(u32 n) const { return address + n; }
};

// Returns the place of the first of the Parts that an object in LDS is made of, such as the halves of a tile
// or the stages of a ring.
//
// scope: wave; operands: object in LDS; leaves: none; waits: nobody; LDS: none; registers: 1; chips: both
template <class Part, class Whole>
WT_DEVICE lds_place<Part> lds_parts(const Whole &whole) {
  static_assert(sizeof(Whole) % sizeof(Part) == 0,
                "the object is not made of whole parts of this type: name the type of its tiles");
  return lds_place<Part>(lds_address(&whole));
}
// Returns the same for an object at a place.
//
// scope: wave; operands: place; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <class Part, class Whole>
WT_DEVICE lds_place<Part> lds_parts(lds_place<Whole> whole) {
  static_assert(sizeof(Whole) % sizeof(Part) == 0,
                "the object is not made of whole parts of this type: name the type of its tiles");
  return lds_place<Part>(whole.address);
}

}  // namespace wt

#endif
