// The paper's form of the interaction: its grid, its chunks, and tensors equal to those of the other kernels.
#include <set>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/studies/fibers/patterns.h"
#include "cuda/studies/fibers/studies.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"

namespace perturb::fibers {
namespace {

// Every outer point of every pair has one thread, of any run of columns; few blocks are without work.
TEST(FibersPaperGrid, CoversTheTriangleOnce) {
  for (const int fibers : {2, 3, 7, 40, 131})
    for (const int points : {1, 2, 24})
      for (const auto& [first, last] : {std::pair(0, fibers - 1), std::pair(fibers / 3, fibers - 1), std::pair(0, 1)}) {
        PaperGrid grid;
        grid.fibers = fibers;
        grid.points = points;
        grid.first = first;
        grid.last = last;
        std::set<std::pair<int, int>> seen;
        int idle = 0;
        for (int y = 0; y < grid.height(); ++y)
          for (int x = 0; x < grid.width(); ++x) {
            int m = 0, block = 0;
            if (!grid.place(x, y, m, block)) {
              ++idle;
              continue;
            }
            EXPECT_GE(m, first);
            EXPECT_LT(m, last);
            EXPECT_TRUE(seen.insert({m, block}).second) << m << ' ' << block;
          }
        int blocks = 0;
        for (int m = first; m < last; ++m) blocks += grid.blocks(m);
        EXPECT_EQ(static_cast<int>(seen.size()), blocks);
        EXPECT_LE(idle, 2 * grid.height() + grid.width()) << fibers << ' ' << points;
      }
}

TEST(FibersPaperGrid, NumbersPairsColumnByColumn) {
  PaperGrid grid;
  grid.fibers = 50;
  grid.points = 24;
  grid.first = 3;
  grid.last = 30;
  long long number = 0;
  for (int m = grid.first; m < grid.last; ++m)
    for (int l = m + 1; l < grid.fibers; ++l, ++number) {
      int column = 0, partner = 0;
      grid.pair_of(number, column, partner);
      EXPECT_EQ(column, m);
      EXPECT_EQ(partner, l);
      EXPECT_EQ(grid.pair(m, l), number);
    }
  EXPECT_EQ(grid.pairs(), number);
}

class FiberExtensionTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberExtensionTest);

// Of the largest number: both sum up the same products, the logarithm and the order of pairs differ.
constexpr double extension_tolerance = 1e-12;

TEST_P(FiberExtensionTest, VelocitiesAreThoseOfTheRecursion) {
  const auto cpu = Backend::make_cpu(2);
  constexpr int fibers = 45;
  const Placement placement = fiber_cloud(fibers, 4, 0.1, 5);
  const Parameters p = precise_fibers();
  const Evaluation exact = evaluate_fibers(*cpu, placement, p, Kernel::recursion);
  const int points = p.subintervals * p.points_per_subinterval;
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{1} << 20})
    for (const Fetching fetching : {Fetching::in_turn, Fetching::at_once, Fetching::by_itself}) {
      Extension extension(backend(), fibers, points, memory);
      EXPECT_LE(extension.bytes(), memory + 2 * sizeof(double) * 3 * fibers + (std::size_t{1} << 16));
      if (memory == std::size_t{1} << 20)
        EXPECT_GT(extension.chunks(), 3);
      else
        EXPECT_EQ(extension.chunks(), 1);
      const std::size_t size = placement.position.size();
      Array<double> x(*cpu, size, "x"), t(*cpu, size, "t"), v(*cpu, size, "v"), w(*cpu, size, "w");
      Array<double> a(*cpu, size * static_cast<std::size_t>(p.terms), "a");
      x.upload(placement.position);
      t.upload(placement.tangent);
      Flow flow(*cpu, fibers, p, Kernel::recursion, true);
      int assembled = 0;
      flow.set_external_matrix(
          [&](const Layout& layout, const Poses& poses, const FiberRule& rule, double doublet, double* theta) {
            extension.begin(poses.position, poses.tangent, rule, doublet, fetching);
            while (const Chunk* chunk = extension.fetch()) {
              assemble_chunk(*cpu, *chunk, layout, theta);
              ++assembled;
            }
          });
      flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data());
      EXPECT_EQ(assembled, extension.chunks());
      EXPECT_LT(largest_relative_difference(v.download(), exact.velocity), extension_tolerance);
      EXPECT_LT(largest_relative_difference(w.download(), exact.spin), extension_tolerance);
    }
}

TEST_P(FiberExtensionTest, RejectsColumnBeyondMemory) { EXPECT_THROW(Extension(backend(), 100, 24, 1000), InputError); }

// Whatever the pattern, all numbers of the threads with work arrive, and nothing beyond the field is touched.
TEST_P(FiberExtensionTest, PatternsMoveAllNumbers) {
  GlobalTraffic traffic;
  traffic.blocks = 3;
  traffic.numbers = 5;
  std::vector<double> numbers(traffic.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k + 1);
  for (const GlobalPattern pattern : {GlobalPattern::padded, GlobalPattern::packed, GlobalPattern::own}) {
    Array<double> from(backend(), traffic.size(), "from"), to(backend(), traffic.size(), "to");
    from.upload(numbers);
    move_numbers(backend(), pattern, traffic, from.data(), to.data());
    int moved = 0;
    const std::vector<double> got = to.download();
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (got[k] == 0) continue;
      EXPECT_EQ(got[k], numbers[k]);
      ++moved;
    }
    EXPECT_EQ(moved, traffic.blocks * traffic.working * traffic.numbers) << name_of(pattern);
  }
}

// The order of the six numbers changes no result.
TEST_P(FiberExtensionTest, SharedPatternsComputeTheSame) {
  const std::size_t size = 2 * GlobalTraffic::block;
  Array<double> results(backend(), size, "results");
  const auto run = [&](SharedPattern pattern) {
    run_shared_pattern(backend(), pattern, 2, 50, results.data());
    return results.download();
  };
  if (!backend().is_cuda()) {
    EXPECT_THROW(run(SharedPattern::rows), Error);
    return;
  }
  EXPECT_EQ(run(SharedPattern::rows), run(SharedPattern::one_bank));
  EXPECT_EQ(run(SharedPattern::rows_double), run(SharedPattern::halves));
  EXPECT_EQ(run(SharedPattern::rows_double), run(SharedPattern::own_double));
  // The recursion itself, of a thread in the middle.
  double kept[6];
  for (int k = 0; k < 6; ++k) kept[k] = k + 64.0 / GlobalTraffic::block;
  for (int turn = 0; turn < 50; ++turn) kept[turn % 6] = 0.5 * kept[(turn + 5) % 6] + 0.25 * kept[(turn + 4) % 6];
  double sum = 0;
  for (const double value : kept) sum += value;
  EXPECT_NEAR(run(SharedPattern::rows_double)[64], sum, 1e-12 * sum);
}

// Neither does the way of a loop.
TEST_P(FiberExtensionTest, LoopPatternsComputeTheSame) {
  constexpr int blocks = 2, parts = 2;
  constexpr std::size_t threads = blocks * GlobalTraffic::block, size = legendre_size * threads;
  std::vector<double> given(parts * size);
  for (std::size_t k = 0; k < given.size(); ++k) given[k] = 0.01 * static_cast<double>(k % 97);
  Array<double> numbers(backend(), given.size(), "numbers"), results(backend(), size, "results");
  numbers.upload(given);
  const auto run = [&](LoopPattern pattern) {
    results.fill_zero();
    run_loop_pattern(backend(), pattern, blocks, 4, parts, numbers.data(), results.data());
    return results.download();
  };
  if (!backend().is_cuda()) {
    EXPECT_THROW(run(LoopPattern::kept), Error);
    return;
  }
  const std::vector<double> kept = run(LoopPattern::kept), recomputed = run(LoopPattern::recomputed);
  double sum = 0;
  for (const double value : {0.75, 1.25, 0.75, 1.25}) sum = 0.5 * sum + value;
  EXPECT_NEAR(kept[0], sum, 1e-12);
  for (std::size_t k = 0; k < threads; ++k) EXPECT_NEAR(recomputed[k], kept[k], 1e-12);
  const std::vector<double> sums = run(LoopPattern::shared);
  // The last turn reads the second part. P_2 is -1/2 + 3/2 x².
  EXPECT_NEAR(sums[2 * threads + 5], -0.5 * given[size + 5] + 1.5 * given[size + 2 * threads + 5], 1e-12);
  for (const LoopPattern pattern : {LoopPattern::global, LoopPattern::constant, LoopPattern::tiled}) {
    const std::vector<double> others = run(pattern);
    for (std::size_t k = 0; k < size; ++k) ASSERT_NEAR(others[k], sums[k], 1e-12) << name_of(pattern) << " " << k;
  }
}

TEST_P(FiberExtensionTest, StudyTablesIncludePaperNumbers) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const StudyResult result = interaction_study(backend(), 200, 3, [](const std::string&) {});
  const StudyTable& table = result.tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  const auto at = [&](std::size_t row, const std::string& id) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].id == id) return table.rows[row].at(c);
    ADD_FAILURE() << id;
    return StudyValue{};
  };
  EXPECT_EQ(number_of(at(1, "source_cpu_seconds")), 2 * 60 + 17.683);
  EXPECT_EQ(number_of(at(1, "source_ratio")), 15.72);
  for (const std::size_t row : {0, 1}) EXPECT_GT(std::get<double>(at(row, "cpu_seconds")), 0);
  EXPECT_EQ(std::holds_alternative<double>(at(1, "ratio")), backend().is_cuda());
  const StudyTable& run = result.tables.at(1);
  for (const auto& row : run.rows) {
    EXPECT_GT(std::get<double>(row.at(2)), 0);
    EXPECT_LT(std::get<double>(row.at(2)), 100);
  }
  ASSERT_EQ(result.plots.size(), 2u);
  EXPECT_EQ(result.plots[0].lines.back().points.size(), 10u) << "all points of the paper";
}

}  // namespace
}  // namespace perturb::fibers
