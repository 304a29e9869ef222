// How the kernels of the flow are launched, as the overlay shows it: against a record of launches with their index
// functions.
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "cuda/core/backend/field.h"
#include "cuda/lbm/kernels/launches.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/launch_record.h"
#include "tests/support/missing_texts.h"

namespace perturb::lbm {
namespace {

// The cells that each thread writes, by the index functions of the kernels.
template <int cells>
struct FewCells {
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    for (int c = 0; c < cells; ++c)
      record.write(few_column<cells>(t.block_x, t.thread_x) + c, t.block_y * loop_block_height + t.thread_y, t);
  }
};
struct CellsOfTiles {
  TileList list;
  int threads;
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    const TileList::Tile tile = list.tile_of_block(t.block_x);
    for (int k = t.thread_x; k < tile.width * tile.height; k += threads) {
      const int x = k % tile.width, y = k / tile.width;
      if (x < tile.box.width && y < tile.box.height) record.write(tile.box.x + x, tile.box.y + y, t);
    }
  }
};
struct CellsOfStreams {
  SweepBox box;
  int rows;
  ThreadRecord record;
  PERTURB_HD void operator()(const ThreadIndex& t) const {
    const int end = box.y + box.height, low = box.y + t.block_y * rows, high = low + rows < end ? low + rows : end;
    for (int c = 0; c < stream_cells_of_lane; ++c) {
      const int k = stream_cells_of_lane * t.thread_x + c, i = stream_column(box, t.block_x, t.thread_x) + c;
      if (k < lbm_stream_steps || k >= lbm_strip - lbm_stream_steps || i >= box.x + box.width) continue;
      for (int j = low; j < high; ++j) record.write(i, j, t);
    }
  }
};

StepParams flow_with(int width, int height, Boundary x, Boundary y) {
  StepParams flow;
  flow.width = width;
  flow.height = height;
  flow.left.kind = flow.right.kind = x;
  flow.bottom.kind = flow.top.kind = y;
  return flow;
}
LaunchInput input_of(const StepParams& flow) {
  return {flow, 4, std::int64_t{4} * Field<float>::stride_of(flow.width) * flow.height};
}

class LbmLaunchRecord : public OnEachBackend {
 protected:
  void record_tiles(Field<ThreadIndex>& record, const TileList& list, int threads) {
    for_each_thread(backend(), "test.launch", {list.blocks(), 1, threads, 1},
                    CellsOfTiles{list, threads, {record.view()}});
  }
};
PERTURB_ON_EACH_BACKEND(LbmLaunchRecord);

TEST_P(LbmLaunchRecord, EqualsTheMapOfFewCells) {
  for (const int width : {300, 301}) {
    const StepParams flow = flow_with(width, 37, Boundary::periodic, Boundary::periodic);
    Field<ThreadIndex> record = unwritten_cells(backend(), width, flow.height);
    const auto record_cells = [&](auto cells) {
      const LoopBlocks blocks = loop_blocks(width / cells(), flow.height);
      for_each_thread(backend(), "test.launch", {blocks.x, blocks.y, loop_block_width, loop_block_height},
                      FewCells<cells()>{{record.view()}});
    };
    width % few == 0 ? record_cells(std::integral_constant<int, few>())
                     : record_cells(std::integral_constant<int, 1>());
    for (const Kernel kernel : {Kernel::fused, Kernel::half})
      expect_recorded(cuda_launch_map(kernel, input_of(flow), 1, 0), record);
  }
}

TEST_P(LbmLaunchRecord, EqualsTheMapOfTiles) {
  for (const auto& [width, height] : {std::pair(256, 96), {100, 33}, {5, 7}}) {
    const StepParams flow = flow_with(width, height, Boundary::wall, Boundary::periodic);
    for (const int steps : {2, 4}) {
      SCOPED_TRACE(testing::Message() << width << " x " << height << ", " << steps << " steps");
      Field<ThreadIndex> record = unwritten_cells(backend(), width, height);
      record_tiles(record, grid_tiles(flow), steps == 2 ? GridTile<2>::threads : GridTile<4>::threads);
      const LaunchMap map = cuda_launch_map(Kernel::temporal, input_of(flow), steps, 0);
      expect_recorded(map, record);
      EXPECT_EQ(map.launches[0].halo_x, steps) << "each step needs one more cell";
    }
  }
}

TEST_P(LbmLaunchRecord, EqualsTheMapOfStreamsAndTheRim) {
  for (const Boundary x : {Boundary::periodic, Boundary::wall})
    for (const Boundary y : {Boundary::periodic, Boundary::wall})
      for (const int resident : {1, 132}) {
        const StepParams flow = flow_with(300, 161, x, y);
        const SweepBox box = inside_rim(flow);
        const int rows = stream_rows(box, resident);
        Field<ThreadIndex> record = unwritten_cells(backend(), flow.width, flow.height);
        for_each_thread(backend(), "test.launch",
                        {stream_strips(box), (box.height + rows - 1) / rows, threads_of_warp, 1},
                        CellsOfStreams{box, rows, {record.view()}});
        if (const TileList rim = rim_tiles(flow); rim.count > 0) record_tiles(record, rim, Rim::threads);
        expect_recorded(cuda_launch_map(Kernel::temporal, input_of(flow), lbm_stream_steps, resident), record);
      }
}

TEST(LbmLaunch, ReadsAreThePopulationsThatArrive) {
  const StepParams flow = flow_with(300, 100, Boundary::periodic, Boundary::wall);
  const LaunchInput input = input_of(flow);
  const std::int64_t row = 4 * Field<float>::stride_of(300);
  const auto reads = [&](Kernel kernel, int i, int j) {
    const LaunchMap map = cuda_launch_map(kernel, input, 1, 0);
    std::vector<std::int64_t> bytes;
    for (const ThreadRead& read : reads_of(map, location_of(map, i, j), i, j)) bytes.push_back(read.byte);
    return bytes;
  };
  const std::vector<std::int64_t> own = reads(Kernel::in_place, 80, 50);
  ASSERT_EQ(own.size(), static_cast<std::size_t>(lbm_links));
  for (int q = 0; q < lbm_links; ++q)
    EXPECT_EQ(own[static_cast<std::size_t>(q)], q * input.plane_bytes + (50 - lbm_ey(q)) * row + 4 * (80 - lbm_ex(q)))
        << q;
  EXPECT_EQ(reads(Kernel::in_place, 0, 50)[1], input.plane_bytes + 50 * row + 4 * 299) << "across the periodic side";
  EXPECT_EQ(reads(Kernel::in_place, 80, 0)[2], -1) << "a boundary link";
  // Four cells per thread: nine rows of them, and six neighbours for the ends of a warp.
  EXPECT_EQ(reads(Kernel::fused, 80, 50).size(), static_cast<std::size_t>(lbm_links + 6));
}

TEST(LbmLaunchTexts, AreInTheTableOfTheLanguage) {
  use_language("de");
  take_untranslated();
  StepParams flow = flow_with(1600, 1600, Boundary::periodic, Boundary::wall);
  flow.painted = true;
  for (const Kernel kernel : {Kernel::unsplit, Kernel::split, Kernel::fused, Kernel::in_place, Kernel::temporal}) {
    const LaunchMap map = cuda_launch_map(kernel, input_of(flow), kernel == Kernel::temporal ? lbm_stream_steps : 1, 9);
    tr(map.remark);
    tr(map.launches[0].reads[5].field);
  }
  report_missing_texts("the launch of the flow");
  use_language("en");
}

TEST(LbmLaunch, OnTheCpuFollowsTheRun) {
  const auto backend = Backend::make_cpu(2);
  const auto flow = flow_of(*backend, 128, 200, {}, {});
  flow->select_kernel("temporal");
  flow->step(4);
  LaunchMap map = flow->find<MapsLaunch>()->launch_map();
  EXPECT_EQ(map.kernel, "Temporal");
  EXPECT_EQ(map.steps, 4);
  EXPECT_EQ(map.launches[0].parts.size(), 2u);
  EXPECT_EQ(map.launches[0].seam_rows, 3);
  flow->select_kernel("half");
  map = flow->find<MapsLaunch>()->launch_map();
  EXPECT_EQ(map.cell_bytes, 2);
  EXPECT_EQ(map.launches[0].seam_rows, 0);
  flow->select_kernel("in-place");
  EXPECT_EQ(flow->find<MapsLaunch>()->launch_map().launches[0].label, "lbm.in_place_odd");
}

}  // namespace
}  // namespace perturb::lbm
