// Walls are stored as marks of links. Drawn walls are kept exactly, except for holes of one cell, which become wall.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/model/lattice.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/setup_of.h"

namespace perturb::lbm {
namespace {

using WallCells = std::vector<std::uint8_t>;  // row-major, 1: wall
using Numbers = std::map<std::string, double>;

Action image_of(const WallCells& walls, int width, int height) {
  auto image = std::make_shared<GreyImage>();
  image->width = width;
  image->height = height;
  for (const std::uint8_t b : walls) image->values.push_back(b ? 0.f : 1.f);
  Action a = action("wall-image");
  a.file = "walls.png";
  a.image = image;
  return a;
}
WallCells random_walls(int width, int height, unsigned percent, unsigned seed) {
  std::mt19937 random(seed);
  WallCells walls(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::uint8_t& b : walls) b = random() % 100 < percent;
  return walls;
}

// The same walls without holes, by the definition of a hole: a cell without fluid neighbours, also across periodic
// sides. A neighbour at a corner does not count: it is behind two walls that touch.
WallCells without_holes(const WallCells& walls, int width, int height, bool wraps_x, bool wraps_y) {
  WallCells result = walls;
  const auto fluid = [&](int i, int j) {
    if (wraps_x) i = (i + width) % width;
    if (wraps_y) j = (j + height) % height;
    return i >= 0 && i < width && j >= 0 && j < height && walls[static_cast<std::size_t>(j * width + i)] == 0;
  };
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const bool any = fluid(i - 1, j) || fluid(i + 1, j) || fluid(i, j - 1) || fluid(i, j + 1);
      if (!any) result[static_cast<std::size_t>(j * width + i)] = 1;
    }
  return result;
}

struct Sides {
  const char* name;
  Numbers parameters;
  bool wraps_x, wraps_y;
};
const std::vector<Sides>& all_sides() {
  static const std::vector<Sides> all = {
      {"periodic", {}, true, true},
      {"box", {{"boundary_left", wall}, {"boundary_bottom", wall}, {"boundary_top", moving}}, false, false},
      {"channel", {{"boundary_left", inlet}, {"boundary_right", outlet}}, false, true},
      {"upwards", {{"boundary_bottom", inlet}, {"boundary_top", outlet}, {"inlet_profile", 1}}, true, false}};
  return all;
}

class LbmWalls : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int width, int height, Numbers parameters = {}, std::vector<Action> actions = {}) {
    return create(backend(), setup_of("lbm", width, height, std::move(parameters), std::move(actions)));
  }
  static WallCells walls_of(const Simulation& flow) {
    const State s = flow.save();
    return s.get<std::uint8_t>("wall", {static_cast<std::size_t>(s.height), static_cast<std::size_t>(s.width)});
  }
  static std::vector<float> shifted(const State& s) {
    return s.get<float>("populations_shifted",
                        {9, static_cast<std::size_t>(s.height), static_cast<std::size_t>(s.width)});
  }
  static double mass(Simulation& flow) { return flow.diagnostics({}, true).number("mass"); }
};
PERTURB_ON_EACH_BACKEND(LbmWalls);

TEST_P(LbmWalls, HolesOfOneCellAreFilled) {
  int holes = 0;
  for (const auto& [width, height] : {std::pair{2, 2}, {2, 7}, {5, 3}, {37, 21}, {130, 64}})
    for (const Sides& sides : all_sides())
      for (const unsigned percent : {30u, 60u, 80u}) {
        SCOPED_TRACE(std::string(sides.name) + ", " + std::to_string(width) + " x " + std::to_string(height) + ", " +
                     std::to_string(percent) + " %");
        const WallCells drawn = random_walls(width, height, percent, 7 * percent + static_cast<unsigned>(width));
        const WallCells expected = without_holes(drawn, width, height, sides.wraps_x, sides.wraps_y);
        ASSERT_EQ(without_holes(expected, width, height, sides.wraps_x, sides.wraps_y), expected)
            << "filling opens no further hole";
        const auto filled = std::count(expected.begin(), expected.end(), 1) - std::count(drawn.begin(), drawn.end(), 1);
        const auto flow = make(width, height, sides.parameters);
        if (std::count(expected.begin(), expected.end(), 0) == 0) {
          EXPECT_THROW(flow->apply(image_of(drawn, width, height)), InputError);
          EXPECT_EQ(walls_of(*flow), WallCells(expected.size(), 0)) << "refused: all is as it was";
          continue;
        }
        flow->apply(image_of(drawn, width, height));
        EXPECT_EQ(walls_of(*flow), expected);
        EXPECT_EQ(flow->take_warning().english().find("filled") != std::string::npos, filled > 0);
        holes += static_cast<int>(filled);
        flow->apply(image_of(drawn, width, height));  // over the same walls: no change and no warning
        EXPECT_EQ(walls_of(*flow), expected);
        EXPECT_EQ(flow->take_warning(), "");
      }
  EXPECT_GT(holes, 50) << "the walls above have holes";
}

TEST_P(LbmWalls, AFilledHoleLosesItsMassAndNothingElseChanges) {
  constexpr int width = 40, height = 24;
  const auto flow = make(width, height, {{"boundary_left", wall}, {"boundary_bottom", wall}, {"viscosity", 0.02}},
                         {action("taylor-green", {{"speed", 0.05}, {"m", 2}, {"n", 1}})});
  flow->step(30);
  const State before = flow->save();
  WallCells drawn(width * height);
  for (int j = 9; j <= 11; ++j)
    for (int i = 19; i <= 21; ++i) drawn[static_cast<std::size_t>(j * width + i)] = i != 20 || j != 10;
  flow->apply(image_of(drawn, width, height));
  EXPECT_EQ(flow->take_warning(), "A one-cell hole in the walls was filled, because no fluid can flow there.");
  const State after = flow->save();
  const WallCells now = walls_of(*flow);
  EXPECT_EQ(std::count(now.begin(), now.end(), 1), 9);
  const std::vector<float> was = shifted(before), is = shifted(after);
  double expected = 0, cells = 0;  // rho - 1, summed over the remaining fluid
  for (std::size_t n = 0; n < is.size(); ++n) {
    const std::size_t k = n % now.size();
    ASSERT_EQ(is[n], now[k] ? 0.f : was[n]);
    if (!now[k]) expected += static_cast<double>(was[n]);
    if (!now[k] && n < now.size()) cells += 1;
  }
  EXPECT_NEAR(mass(*flow), 1 + expected / cells, 1e-9) << "the mean density, of sums in another order";
  const double start = mass(*flow);
  flow->step(500);
  EXPECT_NEAR(mass(*flow), start, 2e-6);  // rounding of 500 steps

  // Erasing a single cell has no effect; two adjacent cells become fluid.
  const double x = 20.5 / width, y = 10.5 / height, next = 21.5 / width;
  const auto rub = [&](double to) {
    flow->apply(action("wall-line", {{"x0", x}, {"y0", y}, {"x1", to}, {"y1", y}, {"thickness", 0.5}, {"erase", 1}}));
    const WallCells walls = walls_of(*flow);
    return std::count(walls.begin(), walls.end(), 1);
  };
  EXPECT_EQ(rub(x), 9);
  EXPECT_NE(flow->take_warning(), "");
  EXPECT_EQ(rub(next), 7);
  EXPECT_EQ(flow->take_warning(), "");
  flow->step(100);
  EXPECT_TRUE(flow->diagnostics({}, true).finite);
}

TEST_P(LbmWalls, WallsOutliveSavingAndChangesOfSides) {
  constexpr int width = 61, height = 40;
  const auto flow = make(
      width, height, {},
      {image_of(random_walls(width, height, 55, 3), width, height), action("stream", {{"vx", 0.03}, {"vy", 0.01}})});
  WallCells expected = walls_of(*flow);
  struct Change {
    const char* id;
    double value;
    bool wraps_x, wraps_y;
  };
  for (const Change& c : {Change{"boundary_left", inlet, false, true},
                          {"boundary_left", wall, false, true},
                          {"boundary_bottom", moving, false, false},
                          {"boundary_left", periodic, true, false},
                          {"boundary_top", periodic, true, true}}) {
    SCOPED_TRACE(c.id);
    flow->set_parameter(c.id, c.value);
    expected = without_holes(expected, width, height, c.wraps_x, c.wraps_y);
    EXPECT_EQ(walls_of(*flow), expected);
    flow->step(5);
    EXPECT_EQ(walls_of(*flow), expected);
    EXPECT_TRUE(flow->diagnostics({}, true).finite);
    // A second flow loads the state and continues bit for bit.
    Numbers parameters;
    for (const Parameter& p : flow->info().parameters) parameters[p.id] = flow->parameters().get(p.id);
    const auto other = make(width, height, parameters);
    other->load(flow->save());
    EXPECT_EQ(other->take_warning(), "");
    other->step(7);
    flow->step(7);
    EXPECT_EQ(largest_difference(other->save(), flow->save()), 0);
  }
}

TEST_P(LbmWalls, AHoleThatOnlyAPeriodicSideKeptOpenIsFilledWithTheSide) {
  constexpr int width = 6, height = 4;
  // Two cells that are adjacent across the left and right sides, and two in the middle.
  WallCells drawn(width * height, 1);
  for (const int k : {1 * width, 1 * width + width - 1, 2 * width + 2, 2 * width + 3})
    drawn[static_cast<std::size_t>(k)] = 0;
  const auto flow = make(width, height, {}, {image_of(drawn, width, height)});
  EXPECT_EQ(walls_of(*flow), drawn);
  flow->set_parameter("boundary_left", wall);
  EXPECT_EQ(flow->take_warning().english(),
            "2 one-cell holes in the walls were filled, because no fluid can flow there.");
  drawn[1 * width] = drawn[1 * width + width - 1] = 1;
  EXPECT_EQ(walls_of(*flow), drawn);
}

TEST_P(LbmWalls, RejectedBoundaryChangeLeavesStateUnchanged) {
  constexpr int width = 6, height = 4;
  WallCells drawn(width * height, 1);
  drawn[1 * width] = drawn[1 * width + width - 1] = 0;  // the only fluid, across a side
  const auto flow = make(width, height, {{"force_y", 1e-4}}, {image_of(drawn, width, height)});
  flow->step(3);
  const State before = flow->save();
  EXPECT_THROW(flow->set_parameter("boundary_left", wall), InputError);
  for (const char* side : {"boundary_left", "boundary_right"}) EXPECT_EQ(flow->parameters().get(side), periodic);
  EXPECT_EQ(largest_difference(flow->save(), before), 0);
  for (int k = 0; k < 8; ++k) {  // whichever allocation fails
    fail_memory_after(k);
    bool rejected = false;
    try {
      flow->set_parameter("boundary_bottom", wall);
    } catch (const Error&) {
      rejected = true;
    }
    fail_memory_after(-1);
    if (!rejected) {
      EXPECT_GT(k, 0) << "memory was asked for";
      break;
    }
    EXPECT_EQ(flow->parameters().get("boundary_top"), periodic);
    EXPECT_EQ(largest_difference(flow->save(), before), 0);
  }
  EXPECT_EQ(flow->parameters().get("boundary_top"), wall);
  EXPECT_EQ(walls_of(*flow), drawn);
}

TEST_P(LbmWalls, AStateSavedWithAHoleLoads) {
  constexpr int width = 30, height = 20, hole = 8 * width + 12;
  const auto flow = make(width, height, {}, {action("stream", {{"vx", 0.05}})});
  flow->step(10);
  State saved = flow->save();  // as in files of earlier versions: a fluid cell, with its populations, among walls
  WallCells walls(width * height);
  for (int b = -1; b <= 1; ++b)
    for (int a = -1; a <= 1; ++a) walls[static_cast<std::size_t>(hole + b * width + a)] = a != 0 || b != 0;
  saved.put<std::uint8_t>("wall", {height, width}, "", walls);
  flow->load(saved);
  EXPECT_NE(flow->take_warning().english().find("filled"), std::string::npos);
  walls[hole] = 1;
  EXPECT_EQ(walls_of(*flow), walls);
  const std::vector<float> g = shifted(flow->save());
  for (std::size_t n = 0; n < g.size(); ++n)
    if (walls[n % walls.size()]) {
      ASSERT_EQ(g[n], 0.f);
    }
  // A state whose only fluid is such a cell is rejected, like one that has only walls.
  std::fill(walls.begin(), walls.end(), std::uint8_t{1});
  walls[hole] = 0;
  saved.put<std::uint8_t>("wall", {height, width}, "", walls);
  const State before = flow->save();
  EXPECT_THROW(flow->load(saved), InputError);
  EXPECT_EQ(largest_difference(flow->save(), before), 0);
}

TEST_P(LbmWalls, EveryKernelAmongRandomWalls) {
  std::vector<std::pair<int, int>> sizes = {{3, 5}, {67, 33}, {128, 96}};
  if (backend().is_cuda()) sizes.emplace_back(1800, 1411);  // where multi-step passes run as streams
  for (const auto& size : sizes)
    for (const Sides& sides : all_sides()) {
      const int width = size.first, height = size.second;  // clang 14 captures no structured bindings
      Numbers parameters = sides.parameters;
      parameters["force_x"] = 1e-5;
      const auto after = [&](const std::string& kernel) {
        const auto flow = make(width, height, parameters,
                               {image_of(random_walls(width, height, 35, 11), width, height),
                                action("stream", {{"vx", 0.04}, {"vy", 0.02}})});
        flow->select_kernel(kernel);
        flow->step(13);
        return flow->save();
      };
      const State expected = after("fused");
      for (const KernelVariant& kernel : lbm_simulation().kernels) {
        if (backend().is_cuda() ? !kernel.on_cuda : !kernel.on_cpu) continue;
        EXPECT_LE(largest_difference(after(kernel.id), expected), kernel.stated_error)
            << kernel.id << ", " << sides.name << ", " << width << " x " << height;
      }
    }
}

// A closed oblique wall, one pixel thick: a push on one side has no effect on the other, and no mass passes.
TEST_P(LbmWalls, SlantedWallOfOnePixelIsTight) {
  constexpr int size = 48;
  WallCells drawn(size * size);
  for (int k = 0; k < size; ++k) drawn[static_cast<std::size_t>(k * size + k)] = 1;
  const Action push =
      action("push", {{"x0", 0.2}, {"y0", 0.8}, {"x1", 0.2}, {"y1", 0.8}, {"vx", 0.2}, {"vy", -0.2}, {"radius", 4}});
  for (const KernelVariant& kernel : lbm_simulation().kernels) {
    if (backend().is_cuda() ? !kernel.on_cuda : !kernel.on_cpu) continue;
    for (const double outlines : {0., 1.}) {
      SCOPED_TRACE(kernel.id + ", outlines " + std::to_string(outlines));
      const auto flow = make(size, size, {{"boundary_left", wall}, {"boundary_bottom", wall}, {"outlines", outlines}},
                             {image_of(drawn, size, size), push});
      flow->select_kernel(kernel.id);
      const double start = mass(*flow);
      flow->step(300);
      EXPECT_EQ(walls_of(*flow), drawn);
      EXPECT_NEAR(mass(*flow), start, 1e-5);
      const std::vector<float> g = shifted(flow->save());
      double above = 0;
      for (int q = 0; q < 9; ++q)
        for (int j = 0; j < size; ++j)
          for (int i = 0; i < size; ++i) {
            const float value = g[static_cast<std::size_t>((q * size + j) * size + i)];
            if (i > j) {
              ASSERT_EQ(value, 0.f) << q << ", " << i << ", " << j;
            }
            if (i < j) above = std::max(above, std::abs(static_cast<double>(value)));
          }
      EXPECT_GT(above, 1e-4) << "the fluid on the other side moves";
    }
  }
}

// Two walls that touch are one body: all momentum that the fluid loses at the corner is its force.
TEST_P(LbmWalls, WallsThatTouchFeelTheFluidAtTheirCorner) {
  constexpr int size = 24;
  WallCells drawn(size * size);
  for (int k = 8; k < 16; ++k) drawn[static_cast<std::size_t>(k * size + k)] = 1;
  const auto flow = make(size, size, {}, {image_of(drawn, size, size), action("stream", {{"vx", 0.05}})});
  flow->step(20);
  const Diagnostics before = flow->diagnostics({}, true);
  flow->step(1);
  const Diagnostics after = flow->diagnostics({}, true);
  const double lost = before.number("momentum_x") - after.number("momentum_x");
  EXPECT_GT(lost, 0.01);
  EXPECT_NEAR(before.number("drag"), lost, 1e-4) << "the body's own";
}

// Few walls in a large flow, in its middle, at its sides and corners, and redrawn while it flows: `temporal` must track
// their current and previous positions.
TEST_P(LbmWalls, FewWallsAndOthersLater) {
  const int width = backend().is_cuda() ? 1801 : 301, height = backend().is_cuda() ? 1411 : 211;
  for (const Sides& sides : all_sides()) {
    const auto after = [&](const char* kernel) {
      const auto flow = make(width, height, sides.parameters, {action("stream", {{"vx", 0.04}, {"vy", 0.02}})});
      flow->select_kernel(kernel);
      const auto disc = [&](double x, double y) {
        flow->apply(action("wall-disc", {{"x", x}, {"y", y}, {"radius", 0.02}}));
      };
      disc(0.5, 0.5);
      disc(0.004, 0.3);
      disc(1, 1);
      flow->step(13);
      disc(0.7, 0);
      disc(0.31, 0.77);
      flow->step(12);
      flow->apply(action("clear-walls"));
      flow->step(6);
      disc(0.2, 0.2);
      flow->step(6);
      return flow->save();
    };
    EXPECT_EQ(largest_difference(after("temporal"), after("fused")), 0) << sides.name;
  }
}

// 72 bytes per cell for the populations (and less than a page between planes). Walls need three more bytes (one for
// marks, two for the outline), sides without walls one. Walls that belong to no object need another three while there
// are bodies that do. In addition, a flow holds the partial sums of its diagnostics,
// with a size independent of the grid.
TEST_P(LbmWalls, WallsCostThreeBytesACell) {
  constexpr int width = 256, height = 96;  // rows without padding
  constexpr std::size_t cells = static_cast<std::size_t>(width) * height;
  const std::size_t none = backend().memory_in_use();
  const auto held = [&] { return backend().memory_in_use() - none; };
  std::size_t sums = 0;
  {
    const auto tiny = make(2, 2);
    sums = held() - 2 * Planes<float>::bytes_of(backend(), 2, 2);
  }
  const std::size_t planes = 2 * Planes<float>::bytes_of(backend(), width, height);
  EXPECT_LT(planes, 72 * cells + 2 * 9 * 4096);
  const Action disc = action("wall-disc", {{"x", 0.3}, {"y", 0.5}, {"radius", 0.2}});
  const auto flow = make(width, height);
  EXPECT_EQ(held(), planes + sums);
  flow->apply(disc);
  EXPECT_EQ(held(), planes + 3 * cells + sums) << "a byte of marks, two of the outline";
  flow->apply(action("move-body", {{"x0", 0.3}, {"y0", 0.5}, {"x1", 0.35}, {"y1", 0.5}}));
  flow->apply(image_of(random_walls(width, height, 10, 5), width, height));
  flow->set_parameter("boundary_left", inlet);
  flow->step(12);
  flow->diagnostics({}, true);
  flow->load(flow->save());
  sums += sizeof(float) * (3 * width + height);  // of the middle lines, the lowest and the highest row
  EXPECT_EQ(held(), planes + 6 * cells + sums) << "the image is kept separately from the disc";
  flow->apply(action("remove-object", {{"object", 1}}));
  EXPECT_EQ(held(), planes + 3 * cells + sums);
  flow->apply(action("clear-walls"));
  EXPECT_EQ(held(), planes + cells + sums) << "the sides need their marks";
  flow->set_parameter("boundary_left", periodic);
  EXPECT_EQ(held(), planes + sums);
}

}  // namespace
}  // namespace perturb::lbm
