// Sorting by cell, compared with a plain loop that appends each item to its cell's list.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/loops/cell_bins.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class CellBinsOn : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(CellBinsOn);

struct CellFromTable {
  const int* cells;
  PERTURB_HD int operator()(int item) const { return cells[item]; }
};
struct RecordSlots {
  int* places;
  PERTURB_HD void operator()(int item, int place) const { places[item] = place; }
};

// Neighbouring items are in distant cells; every eleventh in none.
std::vector<int> scattered_cells(int items, int cells, unsigned salt) {
  std::vector<int> of(items);
  for (int k = 0; k < items; ++k) {
    const unsigned mixed = (static_cast<unsigned>(k) + salt) * 2654435761u;
    of[k] = mixed % 11 == 0 ? -1 : static_cast<int>((mixed >> 8) % static_cast<unsigned>(cells));
  }
  return of;
}

void expect_sorted(Backend& backend, CellBins& bins, const std::vector<int>& cells) {
  const int items = static_cast<int>(cells.size()), cell_count = static_cast<int>(bins.max_cells());
  std::vector<std::vector<int>> lists(cell_count);
  for (int k = 0; k < items; ++k)
    if (cells[k] >= 0) lists[cells[k]].push_back(k);

  Array<int> table(backend, items, "cells of things"), recorded(backend, items, "places of things");
  table.upload(cells);
  recorded.upload(std::vector<int>(items, -1));
  bins.build("test.bins", items, CellFromTable{table.data()}, RecordSlots{recorded.data()});

  std::vector<int> starts(cell_count + 1), entries(bins.max_items());
  backend.copy_to_host(starts.data(), bins.starts().data, starts.size() * sizeof(int));
  if (!entries.empty()) backend.copy_to_host(entries.data(), bins.entries().data, entries.size() * sizeof(int));
  const std::vector<int> places = recorded.download();
  int start = 0;
  for (int c = 0; c < cell_count; ++c) {
    ASSERT_EQ(starts[c], start) << "cell " << c;
    start += static_cast<int>(lists[c].size());
    ASSERT_EQ(starts[c + 1], start) << "cell " << c;
    std::vector<int> found(entries.begin() + starts[c], entries.begin() + starts[c + 1]);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, lists[c]) << "cell " << c;
  }
  for (int k = 0; k < items; ++k) {
    if (cells[k] < 0)
      ASSERT_EQ(places[k], -1) << "thing " << k << " lies in no cell";
    else
      ASSERT_EQ(entries[places[k]], k);
  }
}

void sort_sizes(Backend& backend) {
  for (const int items : {0, 1, 3, 255, 257, 1001, 30011})
    for (const int cells : {1, 7, 1000}) {
      SCOPED_TRACE(testing::Message() << items << " things, " << cells << " cells, " << backend.threads()
                                      << " threads");
      CellBins bins(backend, items, cells, "bins");
      expect_sorted(backend, bins, scattered_cells(items, cells, 0));
    }
}

TEST_P(CellBinsOn, PutEachItemIntoItsCell) { sort_sizes(backend()); }

TEST(CellBinsThreads, KeepEachItemExactlyOnce) {
  for (const int threads : {1, 3, 7}) sort_sizes(*Backend::make_cpu(threads));
}

// Slow enough that the threads run concurrently and compete for one counter.
struct SlowlyCellOne {
  PERTURB_HD int operator()(int item) const {
    unsigned mixed = static_cast<unsigned>(item);
    for (int round = 0; round < 100; ++round) mixed = mixed * 2654435761u + 1u;
    return mixed == 0 ? 0 : 1;
  }
};
TEST(CellBinsThreads, CountTogether) {
  constexpr int items = 100003;
  const auto backend = Backend::make_cpu(4);
  CellBins bins(*backend, items, 2, "bins");
  int none = 0;
  for (int k = 0; k < items; ++k) none += SlowlyCellOne{}(k) == 0 ? 1 : 0;
  for (int turn = 0; turn < 3; ++turn) {
    bins.build("test.bins", items, SlowlyCellOne{});
    std::vector<int> entries(items);
    backend->copy_to_host(entries.data(), bins.entries().data, entries.size() * sizeof(int));
    std::sort(entries.begin(), entries.end());
    for (int k = 0; k < items; ++k) ASSERT_EQ(entries[k], k);
  }
  EXPECT_EQ(bins.starts()[1], none);
}

// A sort does not depend on the previous one, even if that was larger.
TEST_P(CellBinsOn, RebuildWithOtherSizes) {
  CellBins bins(backend(), 5000, 333, "bins");
  expect_sorted(backend(), bins, scattered_cells(5000, 333, 1));
  expect_sorted(backend(), bins, scattered_cells(700, 333, 2));
  bins.use_cells(10);
  expect_sorted(backend(), bins, scattered_cells(5000, 10, 3));
  bins.use_cells(333);
  expect_sorted(backend(), bins, scattered_cells(4999, 333, 4));
  expect_sorted(backend(), bins, {});
}

TEST_P(CellBinsOn, AllInOneCellOrInNone) {
  CellBins bins(backend(), 5000, 9, "bins");
  expect_sorted(backend(), bins, std::vector<int>(5000, 8));
  expect_sorted(backend(), bins, std::vector<int>(5000, 0));
  expect_sorted(backend(), bins, std::vector<int>(5000, -1));
}

}  // namespace
}  // namespace perturb
