// The cover, the weights and the integration cells.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/error_thrown_by.h"

namespace perturb::membrane {
namespace {

std::vector<Cover> covers() { return {Cover(0, 1), Cover(1, 2), Cover(4, 3), mixed_cover(), hp_cover()}; }

constexpr double rounding = 1e-13;  // of sums of a few weights near 1

TEST(MembraneCover, CountsNoFurtherThanItsNumbersReach) {
  const std::size_t last = static_cast<std::size_t>(std::numeric_limits<int>::max());
  EXPECT_EQ(membrane_number(0), 0);
  EXPECT_EQ(membrane_number(last), std::numeric_limits<int>::max());
  for (const std::size_t count : {last + 1, (std::size_t{1} << 32) + 5, std::numeric_limits<std::size_t>::max()})
    EXPECT_THROW(membrane_number(count), InputError) << count;
  // More leaves than the finest cover has.
  const std::string error = error_thrown_by([&] { Cover(std::vector<Leaf>((std::size_t{1} << (2 * max_level)) + 1)); });
  EXPECT_NE(error.find("there are 4194305 of them"), std::string::npos) << error;
}

TEST(MembraneCover, WeightsSumUpToOneAndTheirSlopesToNothing) {
  const auto cpu = Backend::make_cpu(1);
  for (const double overlap : {1.05, 1.3, 1.9})
    for (const Cover& cover : covers()) {
      const Structure s(cover, overlap);
      const Space space(*cpu, s);
      const SpaceView view = space.view();
      for (std::uint64_t k = 0; k < 2000; ++k) {
        const double x = uniform_number(2 * k), y = uniform_number(2 * k + 1);
        int list[max_patches_over_point];
        const int over = view.patches_over(x, y, list);
        ASSERT_GE(over, 1);
        Weights w;
        w.at(x, y, over, PatchesOf{s.patches.data(), list});
        double sum = 0, sum_x = 0, sum_y = 0, steepest = 1;
        for (int i = 0; i < over; ++i) {
          EXPECT_GE(w.phi[i], 0);
          sum += w.phi[i];
          sum_x += w.phi_x[i];
          sum_y += w.phi_y[i];
          steepest = std::max({steepest, std::abs(w.phi_x[i]), std::abs(w.phi_y[i])});
        }
        ASSERT_NEAR(sum, 1, rounding) << x << ' ' << y;
        ASSERT_NEAR(sum_x, 0, rounding * steepest);
        ASSERT_NEAR(sum_y, 0, rounding * steepest);
      }
    }
}

TEST(MembraneCover, FindsExactlyThePatchesThatCoverAPoint) {
  const auto cpu = Backend::make_cpu(1);
  for (const double overlap : {1.3, 1.9})
    for (const Cover& cover : covers()) {
      const Structure s(cover, overlap);
      const Space space(*cpu, s);
      for (std::uint64_t k = 0; k < 500; ++k) {
        const double x = uniform_number(3 * k), y = uniform_number(3 * k + 1);
        int list[max_patches_over_point];
        const int over = space.view().patches_over(x, y, list);
        int count = 0;
        for (const Patch& p : s.patches) count += p.covers(x, y) ? 1 : 0;
        EXPECT_EQ(over, count) << x << ' ' << y;
        for (int i = 0; i < over; ++i) EXPECT_TRUE(s.patches[static_cast<std::size_t>(list[i])].covers(x, y));
      }
    }
}

TEST(MembraneCover, CellsTileTheSquareAndEachHasItsPatchesAllOver) {
  const auto cpu = Backend::make_cpu(1);
  for (const double overlap : {1.1, 1.3, 1.7, 1.95})
    for (const Cover& cover : covers()) {
      const Structure s(cover, overlap);
      const Space space(*cpu, s);
      const SpaceView view = space.view();
      double area = 0;
      const auto look = [&](const Cell& c) {
        area += (c.x1 - c.x0) * (c.y1 - c.y0);
        ASSERT_LT(c.x0, c.x1);
        ASSERT_LT(c.y0, c.y1);
        // The same patches cover all of the cell: near its corners as in its middle.
        for (const double tx : {1e-6, 0.5, 1 - 1e-6})
          for (const double ty : {1e-6, 0.5, 1 - 1e-6}) {
            const double x = c.x0 + tx * (c.x1 - c.x0), y = c.y0 + ty * (c.y1 - c.y0);
            int count = 0;
            for (int k = 0; k < s.count(); ++k) {
              const bool covers = s.patches[static_cast<std::size_t>(k)].covers(x, y);
              count += covers ? 1 : 0;
              ASSERT_EQ(covers, c.index_of(k) >= 0) << k;
            }
            ASSERT_EQ(count, c.over);
          }
      };
      if (s.uniform)
        for (int y = 0; y < 2 * s.per_side - 1; ++y)
          for (int x = 0; x < 2 * s.per_side - 1; ++x) look(view.uniform_cell(x, y));
      else
        for (std::size_t k = 0; k < s.cells.size(); ++k) look(view.cut_cell(static_cast<int>(k)));
      EXPECT_NEAR(area, 1, rounding);
    }
}

TEST(MembraneCover, BlocksStandWherePatchesOverlap) {
  for (const Cover& cover : covers()) {
    const Structure s(cover, 1.6);
    std::int64_t values = 0;
    for (int i = 0; i < s.count(); ++i) {
      std::vector<bool> has(static_cast<std::size_t>(s.count()));
      for (std::int64_t k = s.row[static_cast<std::size_t>(i)]; k < s.row[static_cast<std::size_t>(i) + 1]; ++k)
        has[static_cast<std::size_t>(s.column[static_cast<std::size_t>(k)])] = true;
      for (int j = 0; j < s.count(); ++j) {
        const Patch &p = s.patches[static_cast<std::size_t>(i)], &q = s.patches[static_cast<std::size_t>(j)];
        const bool meet = std::abs(p.x - q.x) < p.half + q.half && std::abs(p.y - q.y) < p.half + q.half;
        EXPECT_EQ(has[static_cast<std::size_t>(j)], meet) << i << ' ' << j;
        if (meet) values += membrane_functions(p.degree) * membrane_functions(q.degree);
      }
    }
    EXPECT_EQ(values, s.values);
    // Patches of one colour do not overlap, and every patch has one.
    std::vector<int> seen(static_cast<std::size_t>(s.count()));
    for (std::size_t c = 0; c + 1 < s.color_begin.size(); ++c)
      for (int a = s.color_begin[c]; a < s.color_begin[c + 1]; ++a) {
        const int i = s.colored[static_cast<std::size_t>(a)];
        ++seen[static_cast<std::size_t>(i)];
        for (int b = a + 1; b < s.color_begin[c + 1]; ++b) {
          const Patch& p = s.patches[static_cast<std::size_t>(i)];
          const Patch& q = s.patches[static_cast<std::size_t>(s.colored[static_cast<std::size_t>(b)])];
          EXPECT_FALSE(std::abs(p.x - q.x) < p.half + q.half - 1e-12 && std::abs(p.y - q.y) < p.half + q.half - 1e-12);
        }
      }
    for (const int count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(MembraneCover, CountsOfAUniformCoverWithoutMakingIt) {
  for (int level = 0; level < 5; ++level)
    for (int degree = 1; degree <= membrane_max_degree; ++degree) {
      const Structure s(Cover(level, degree), 1.3);
      EXPECT_EQ(s.values, uniform_values(level, degree));
      EXPECT_EQ(s.unknowns, uniform_unknowns(level, degree));
      EXPECT_EQ(Space::bytes(s), Space::uniform_bytes(level));
    }
}

TEST(MembraneCover, SplittingKeepsNeighboursWithinAFactorOfTwoAndMergingUndoesIt) {
  Cover cover(1, 1);
  for (int k = 0; k < 5; ++k) cover.split(cover.find(0.49, 0.49));
  // The constructor rejects anything but a balanced tiling.
  EXPECT_NO_THROW(Cover(cover.leaves()));
  EXPECT_GT(cover.count(), 4 + 5 * 3);

  Cover undone(2, 1);
  const std::vector<Leaf> before = undone.leaves();
  undone.split(undone.find(0.4, 0.6));
  EXPECT_FALSE(undone.uniform());
  undone.merge(undone.find(0.4, 0.6));
  EXPECT_TRUE(undone.uniform());
  EXPECT_EQ(undone.leaves(), before);
}

TEST(MembraneCover, RejectsInvalidCovers) {
  std::vector<Leaf> leaves = Cover(1, 1).leaves();
  leaves.pop_back();
  EXPECT_THROW(Cover{leaves}, InputError);
  leaves.push_back(leaves.front());
  EXPECT_THROW(Cover{leaves}, InputError);
  EXPECT_THROW(Cover{std::vector<Leaf>{}}, InputError);
  Cover cover(1, membrane_max_degree);
  EXPECT_THROW(cover.change_degree(0, 1), InputError);
  EXPECT_EQ(cover.leaves()[0].degree, membrane_max_degree);
  EXPECT_THROW(Cover(0, 1).merge(0), InputError);
}

}  // namespace
}  // namespace perturb::membrane
