// A record of which thread of a launch computes which cell, and its comparison with a LaunchMap.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/launch/launch_record.h"

namespace perturb {

// Given to the functors of launches; a cell outside the grid is none.
struct ThreadRecord {
  View2D<ThreadIndex> cells;
  PERTURB_HD void write(int i, int j, const ThreadIndex& thread) const {
    if (i >= 0 && i < cells.width && j >= 0 && j < cells.height) cells(i, j) = thread;
  }
};

// A grid in which no thread has written yet.
inline Field<ThreadIndex> unwritten_cells(Backend& backend, int width, int height) {
  Field<ThreadIndex> cells(backend, width, height, "record of a launch");
  cells.upload(std::vector<ThreadIndex>(static_cast<std::size_t>(width) * height));
  return cells;
}

inline void expect_recorded(const LaunchMap& map, const Field<ThreadIndex>& record) {
  const std::vector<ThreadIndex> cells = record.download();
  for (int j = 0; j < map.height; ++j)
    for (int i = 0; i < map.width; ++i) {
      const LaunchLocation place = location_of(map, i, j);
      ASSERT_TRUE(place.launch) << i << ", " << j;
      ASSERT_TRUE(place.cells.holds(i, j) && place.tile.holds(i, j)) << i << ", " << j;
      const ThreadIndex& wrote = cells[static_cast<std::size_t>(j) * map.width + i];
      ASSERT_EQ(place.block_x, wrote.block_x) << i << ", " << j;
      ASSERT_EQ(place.block_y, wrote.block_y) << i << ", " << j;
      ASSERT_EQ(place.thread_x, wrote.thread_x) << i << ", " << j;
      ASSERT_EQ(place.thread_y, wrote.thread_y) << i << ", " << j;
    }
}

}  // namespace perturb
