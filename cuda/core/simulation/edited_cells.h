// Base of the rows of all edited kernels (core/simulation/edited_pass.h). It is compiled while the program runs, so
// it includes nothing else.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb {

// The begin of the memory of a pass. Two compilers read it, so members are plain; a field is given by its distance from
// here, in bytes.
struct EditedHeader {
  int width, height, levels;
  int bad_cell;  // 1 + width j + i of a cell with a value that is not finite; 0: none

  // Which of two fields that take turns a level writes: the last level writes field 0.
  PERTURB_HD int target(int level) const { return (levels - 1 - level) % 2; }
  PERTURB_HD bool is_last(int level) const { return level == levels - 1; }
};

template <class T>
PERTURB_HD inline T* edited_field(char* memory, long long place) {
  return reinterpret_cast<T*>(memory + place);
}

PERTURB_HD inline void note_bad_cell(char* memory, int i, int j) {
  auto* header = reinterpret_cast<EditedHeader*>(memory);
  header->bad_cell = 1 + header->width * j + i;
}
// Notes a value of a row that is not finite; value(i): that of a column.
template <class Value>
inline void note_bad_row(char* memory, int j, const Value& value) {
  const int width = reinterpret_cast<const EditedHeader*>(memory)->width;
  int bad = 0;  // not a bool: the loop is vectorised
  for (int i = 0; i < width; ++i) {
    const auto x = value(i);
    bad |= x - x == 0 ? 0 : 1;
  }
  if (!bad) return;
  for (int i = 0; i < width; ++i)
    if (const auto x = value(i); !(x - x == 0)) return note_bad_cell(memory, i, j);
}

}  // namespace perturb
