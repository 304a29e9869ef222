// Consistency of the paper's numbers with its own statements, and the timing of its experiment.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/parameters.h"
#include "cuda/studies/lbm/splitting.h"
#include "cuda/studies/lbm/studies.h"
#include "cuda/studies/paper.h"
#include "tests/support/backends.h"
#include "tests/support/study_lines.h"

namespace perturb::lbm {
namespace {

const PaperTable& paper() { return paper_table("lbm"); }

TEST(LbmPaper, WeightsAddUpToOne) {
  const auto weight = [](const char* row) { return paper().at("section 3.1", row, "weight x 36"); };
  EXPECT_EQ(weight("rest") + 4 * weight("face neighbour") + 4 * weight("edge neighbour"), 36);
}

// G80, from NVIDIA's programming guide: registers and threads per multiprocessor, and its processors. Registers are
// allocated to whole blocks of 256 threads.
TEST(LbmPaper, OccupanciesAreThoseOfTheG80) {
  constexpr int registers = 8192, max_threads = 768, processors = 8, block = 256;
  const auto value = [](const char* row, const char* column) { return paper().at("figure 2", row, column); };
  const double multiprocessors = paper().at("section 1", "GeForce 8", "processors") / processors;
  EXPECT_EQ(multiprocessors * max_threads, paper().at("section 1", "GeForce 8", "active threads"));
  EXPECT_EQ(registers / max_threads, paper().at("section 1", "GeForce 8", "registers per thread at full occupancy"));
  for (const char* kernel : {"if-kernel", "else-kernel"}) {
    const int blocks =
        std::min(max_threads / block, static_cast<int>(registers / (value(kernel, "registers per thread") * block)));
    EXPECT_NEAR(100.0 * blocks * block / max_threads, value(kernel, "occupancy"), 0.5) << kernel;
  }
}

// Limits of equation 1: a branch that takes all of the time gains as much as its occupancy, branches of equal occupancy
// gain nothing, and launches cost time.
TEST(LbmPaper, EquationOneAtItsEnds) {
  EXPECT_DOUBLE_EQ(split_speed_up({{1, 1.0}, {0, 0.5}}, 0.5, 0), 2);
  EXPECT_DOUBLE_EQ(split_speed_up({{0, 1.0}, {1, 0.5}}, 0.5, 0), 1);
  EXPECT_DOUBLE_EQ(split_speed_up({{2, 0.75}, {3, 0.75}}, 0.75, 0), 1);
  EXPECT_DOUBLE_EQ(split_speed_up({{2, 0.75}, {3, 0.75}}, 0.75, 5), 0.5);
  EXPECT_DOUBLE_EQ(split_speed_up({{1, 1.0}, {1, 0.5}}, 0.5, 0), 2 / 1.5);
}

TEST(LbmPaper, HasTheGainsOfFigure8) {
  EXPECT_EQ(paper().at("figure 8", "128 x 128", "gain of the split version"), 30.1);
  EXPECT_EQ(paper().at("figure 8", "256 x 256", "gain of the split version"), 24);
}

// A channel of width h from rest: u = sum over odd n of a_n sin(n pi y/h) (1 - exp(-n² t/T)), a_n ~ 1/n³ and
// T = h²/(pi² nu).
// Its root mean square approaches its final value with the relative error (960/pi^6) exp(-t/T), since 960/pi^6 is 1
// over the sum of 1/n^6. So the time at which its change per interval falls below a given share has a closed form.
TEST(LbmStudies, AChannelConvergesWhenTheoryDoes) {
  const auto backend = Backend::make_cpu();
  for (const int solid : {0, 50}) {
    constexpr int side = 48;
    const perturb::Setup setup = convergence_setup(side, solid);
    const double walls = std::max(2.0, side * solid / 100.0);  // rows
    const double h = side - walls, relaxation = h * h / (M_PI * M_PI * setup.parameters.at("viscosity"));
    const double interval = convergence_interval, share = 960 / std::pow(M_PI, 6);
    const double expected = relaxation * std::log(share * std::expm1(interval / relaxation) / convergence_change);
    const auto flow = lbm_simulation().create(*backend, setup);
    EXPECT_NEAR(static_cast<double>(steps_to_converge(*flow)), expected, interval + 0.01 * expected) << solid;
  }
}

TEST(LbmStudies, ListsConvergenceNextToPaperGains) {
  const auto backend = Backend::make_cpu();
  const StudyResult result = convergence_study(*backend, {32}, [](const std::string&) {});
  ASSERT_EQ(result.tables.size(), 2u) << "gains need a GPU";
  expect_labels_of_kinds(result);
  ASSERT_EQ(result.tables[0].rows.size(), 5u);
  ASSERT_EQ(result.tables[1].id, "findings");
  EXPECT_TRUE(result.tables[1].rows.empty())
      << "the solid share was chosen so that steps grow as it falls, and the time is that of a step: no verdict";
  double last = std::numeric_limits<double>::infinity();
  for (const auto& row : result.tables[0].rows) {
    EXPECT_LE(std::get<double>(row.at(2)), last) << "narrower channels converge sooner";
    last = std::get<double>(row.at(2));
    EXPECT_EQ(row.size(), result.tables[0].columns.size());
  }
}

// The larger size takes minutes on a CPU, so there it runs only on request.
TEST(LbmStudies, TheLargerSizeIsLeftOutOnAProcessorAndNamed) {
  perturb::Setup scene;
  scene.width = 512;
  scene.height = 256;
  EXPECT_EQ(lbm_convergence_sides(false, scene), (std::vector<int>{128}));
  EXPECT_EQ(lbm_convergence_sides(true, scene), (std::vector<int>{128, 256}));
  scene.width = 256;
  EXPECT_EQ(lbm_convergence_sides(false, scene), (std::vector<int>{128, 256}));
  const auto backend = Backend::make_cpu();
  const StudyResult result = convergence_study(*backend, {32}, [](const std::string&) {});
  EXPECT_NE(result.tables.at(0).note.find("Left out because of time: 128 x 128, 256 x 256; use --long"),
            std::string::npos)
      << result.tables[0].note;
  scene.width = 512;
  const StudyRequestScope all({.long_too = true});
  EXPECT_EQ(lbm_convergence_sides(false, scene), (std::vector<int>{128, 256}));
}

// The comparison with the equation: branches with the predicted times agree, others do not, and a few groups are
// inconclusive.
TEST(LbmStudies, ComparesEquationOneByGroup) {
  const auto found = [](double together, std::size_t groups) {
    const std::vector<double> one(groups, together), of_if(groups, 1), of_else(groups, 3);
    return prediction(one, of_if, of_else, 0.5, 1, 0.5);
  };
  const auto verdict = [&](double together, std::size_t groups) {
    const Prediction p = found(together, groups);
    return verdict_text(equation_finding(p.measured, p.predicted));
  };
  // The if-branch takes twice as long at half the occupancy: 2 + 3 before, 1 + 3 after.
  const Prediction right = found(5, 9);
  ASSERT_EQ(right.predicted.size(), 9u);
  EXPECT_DOUBLE_EQ(right.predicted[0], 5.0 / 4);
  EXPECT_DOUBLE_EQ(right.measured[0], 5.0 / 4);
  EXPECT_EQ(verdict(5, 9), "agrees");
  EXPECT_EQ(verdict(4, 9), "differs");
  EXPECT_EQ(verdict(5, 5), text_of(Verdict::inconclusive));
}

// A split that loses less than another does not gain.
TEST(LbmStudies, OnlyASplitThatGainsGainsMore) {
  const auto found = [](double less, double more) {
    return gain_finding("a split gains more", "section 2.3", std::vector<double>(9, less),
                        std::vector<double>(9, more));
  };
  EXPECT_EQ(verdict_text(found(1.1, 1.2)), text_of(Verdict::holds));
  EXPECT_EQ(verdict_text(found(0.9, 1.2)), text_of(Verdict::holds));
  EXPECT_EQ(verdict_text(found(0.8, 0.9)), text_of(Verdict::reversed));
  EXPECT_EQ(verdict_text(found(1.2, 1.1)), text_of(Verdict::reversed));
  EXPECT_EQ(found(0.8, 0.875).measured, "-12.5 %");
}

// A wall cell after the paper's solid branch: each population that arrived is returned in the opposite direction.
TEST(LbmPaper, SolidBranchIsFullWayBounceBack) {
  constexpr int side = 4;
  std::vector<float> before(lbm_links * side * side), after(before.size(), -1);
  for (std::size_t k = 0; k < before.size(); ++k) before[k] = static_cast<float>(k);
  const Populations<float> from{before.data(), side, side, side}, to{after.data(), side, side, side};
  StepParams params;
  params.width = params.height = side;
  full_way_bounce_back(params, from, to, 0, 2);
  for (int q = 0; q < lbm_links; ++q) {
    const int i = wrap(0 - lbm_ex(q), side), j = wrap(2 - lbm_ey(q), side);
    EXPECT_EQ(to.at(lbm_opposite(q), 0, 2), from.at(q, i, j)) << q;
  }
}

// The populations of that cell are never read: whatever walls contain, the flow is bit-identical.
TEST(LbmPaper, PopulationsInWallsAreNeverRead) {
  constexpr int side = 8;
  const auto flow = [&](float inside) {
    std::vector<std::uint8_t> wall(side * side, 0), boundary_links(side * side, 0);
    for (int i = 2; i < 5; ++i) wall[3 * side + i] = wall[4 * side + i] = 1;
    StepParams params;
    params.width = params.height = side;
    params.painted = true;
    const View2D<const std::uint8_t> walls{wall.data(), side, side, side};
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        boundary_links[static_cast<std::size_t>(j * side + i)] =
            static_cast<std::uint8_t>(boundary_links_of(params, walls, i, j));
    params.links = {boundary_links.data(), side, side, side};
    std::vector<float> a(lbm_links * side * side), b(a.size());
    Populations<float> from{a.data(), side, side, side}, to{b.data(), side, side, side};
    for (std::size_t k = 0; k < a.size(); ++k) {
      const bool solid = wall[k % (side * side)] != 0;
      a[k] = solid ? inside : 1e-3f * static_cast<float>(k % 7);
    }
    for (int step = 0; step < 5; ++step, std::swap(from, to))
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
          if (params.links(i, j) == all_links)
            full_way_bounce_back(params, from, to, i, j);
          else
            cell_step<float, lbm_plain>(params, from, to, i, j);
        }
    std::vector<float> fluid;
    for (int q = 0; q < lbm_links; ++q)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i)
          if (params.links(i, j) != all_links) fluid.push_back(from.at(q, i, j));
    return fluid;
  };
  EXPECT_EQ(flow(0.f), flow(0.25f));
}

// The paper: D2Q9 with one relaxation time, solid cells that reverse what arrives, and no force, inlet or outlet.
TEST(LbmStudies, TimesThePapersFlow) {
  const perturb::Setup setup = paper_flow(32, 25);
  EXPECT_EQ(setup.parameters.at("collision"), static_cast<double>(Collision::bgk));
  EXPECT_EQ(setup.parameters.at("outlines"), static_cast<double>(Outlines::cells));
  EXPECT_EQ(setup.parameters.count("force_x"), 0u);
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    EXPECT_EQ(setup.parameters.count(side), 0u) << side << ": walls are solid cells";
  const auto backend = Backend::make_cpu(1);
  const auto flow = lbm_simulation().create(*backend, setup);
  flow->step(20);
  const State state = flow->save();
  const std::vector<std::uint8_t> wall = state.get<std::uint8_t>("wall", {32, 32});
  EXPECT_EQ(std::count(wall.begin(), wall.end(), 1), 32 * 8) << "a quarter is solid";
  const std::vector<float> velocity = state.get<float>("velocity", {32, 32, 2});
  EXPECT_GT(velocity[(20 * 32 + 5) * 2], 0.01f) << "the fluid moves along the channel";
  const StudyResult page = convergence_study(*backend, {32}, [](const std::string&) {});
  EXPECT_NE(page.tables.at(0).note.find(paper_flow_text()), std::string::npos) << "the page names the flow";
}

// The flow has both kinds of cells also where nothing is added to its walls. Each warp of single cells has both.
TEST(LbmStudies, TheFlowHasTheWallsOfItsLayout) {
  constexpr int side = 64;
  const auto backend = Backend::make_cpu(1);
  const auto wall_of = [&](int percent, int one_in) {
    const auto flow = lbm_simulation().create(*backend, paper_flow(side, percent, one_in));
    return flow->save().get<std::uint8_t>("wall", {side, side});
  };
  EXPECT_EQ(wall_of(50, 0), paper_walls(side, 50)) << "it grows from the same side";
  EXPECT_DOUBLE_EQ(percent_of(paper_walls(side, 50)), 50);
  for (const int one_in : {0, 32, 16, 8, 4}) {
    const std::vector<std::uint8_t> walls = paper_walls(side, 0, one_in);
    const double single = one_in > 0 ? (side - 2.0) / one_in : 0;  // of each column
    EXPECT_DOUBLE_EQ(percent_of(walls), 100 * (2 + single) / side);
    EXPECT_EQ(wall_of(0, one_in), walls) << "no cell is cut off from all others";
    for (int j = 1; j < side - 1; ++j)
      for (int warp = 0; warp < side; warp += 32) {
        const auto first = walls.begin() + j * side + warp;
        EXPECT_EQ(std::count(first, first + 32, 1), one_in > 0 ? 32 / one_in : 0);
      }
  }
}

TEST(LbmStudies, InterleavesKernelTimings) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup;
  setup.simulation = "lbm";
  setup.width = setup.height = 16;
  const auto repeats = times_in_turns(*backend, setup, {"fused", "in-place"}, 3, 4);
  ASSERT_EQ(repeats.size(), 2u);
  for (const auto& of_kernel : repeats) {
    ASSERT_EQ(of_kernel.size(), 3u);
    for (const double seconds : of_kernel) EXPECT_GT(seconds, 0);
  }
}

// The arithmetic needs no GPU: for the G80 the model gives the paper's values. Parts that need a GPU are reported as
// missing.
TEST(LbmStudies, OccupancyIsTheSourcesOnItsOwnGpu) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup;
  setup.simulation = "lbm";
  const StudyResult result = occupancy_study(*backend, setup, [](const std::string&) {});
  expect_labels_of_kinds(result);
  ASSERT_EQ(result.tables.size(), 4u) << "arithmetic has no findings";
  const auto column = [](const StudyTable& table, const char* id) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].id == id) return c;
    ADD_FAILURE() << table.id << " has no column " << id;
    return std::size_t{0};
  };
  const auto expect_alike = [&](const StudyTable& table, const char* here, const char* theirs) {
    int compared = 0;
    for (const auto& row : table.rows) {
      const auto* printed = std::get_if<PrintedNumber>(&row[column(table, theirs)]);
      if (printed == nullptr) continue;
      EXPECT_NEAR(std::get<double>(row[column(table, here)]), printed->value, 0.5) << table.id;
      ++compared;
    }
    EXPECT_GT(compared, 0) << table.id;
  };
  expect_alike(result.tables[0], "occupancy", "source_occupancy");
  expect_alike(result.tables[1], "gain", "source_gain");
  // Each share computed for figure 8 reproduces its speed-up, and none exceeds 1.
  for (const auto& row : result.tables[2].rows) {
    const double share = std::get<double>(row[0]) / 100;
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    EXPECT_NEAR(std::get<double>(row[1]), split_speed_up({{share, 1}, {1 - share, 2.0 / 3}}, 2.0 / 3, 0), 1e-12);
  }
  EXPECT_NE(result.tables[2].note.find("not measured here"), std::string::npos);
  ASSERT_EQ(result.plots.size(), 1u);
  // Figure 2's two kernels, figure 1 and the two numbers of section 1 agree.
  ASSERT_EQ(result.tables[3].id, "threads");
  expect_alike(result.tables[3], "threads", "source_threads");
}

// Kernels with made-up requirements: occupancies and registers determine the verdicts.
TEST(LbmStudies, ShapesAreAskedWhatFigures4To7Say) {
  const auto part = [](const char* kernel, const char* name, int registers, double occupancy) {
    PartShape p{kernel, name, {}};
    p.shape.registers_per_thread = registers;
    p.shape.occupancy = occupancy;
    return p;
  };
  const std::vector<Finding> findings = shape_findings(
      {part("unsplit", "boundary, one loop", 40, 0.75), part("unsplit", "velocities and densities", 64, 0.5),
       part("split", "boundary, two loops", 42, 0.75), part("split", "if-kernel (solid)", 16, 1),
       part("split", "else-kernel (fluid)", 64, 0.5)});
  std::vector<std::string> verdicts;
  for (const Finding& finding : findings) verdicts.push_back(verdict_text(finding));
  const std::string holds = text_of(Verdict::holds);
  EXPECT_EQ(verdicts, (std::vector<std::string>{"differs", holds, holds, "alike here", holds,
                                                text_of(Verdict::reversed), "alike here"}));
  EXPECT_EQ(findings[0].measured, "100 % and 50 %");
  EXPECT_EQ(findings[1].measured, "50 %");
}

// The kernels need CUDA: without a GPU there is no verdict.
TEST(LbmStudies, HasNoSplitVerdictWithoutGpu) {
  const auto backend = Backend::make_cpu(1);
  for (const Study& study : lbm_studies()) {
    if (study.id != "split") continue;
    perturb::Setup setup;
    setup.simulation = "lbm";
    const StudyResult result = study.run(*backend, setup, [](const std::string&) {});
    ASSERT_EQ(result.tables.size(), 1u);
    EXPECT_TRUE(result.tables[0].rows.empty());
    EXPECT_NE(result.tables[0].note.find("Nothing was measured"), std::string::npos);
    return;
  }
  FAIL() << "no study of the split";
}

class LbmSplitting : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmSplitting);

// Splitting changes the order of kernels, and no result: each thread takes its own branch, and both sums.
TEST_P(LbmSplitting, GivesTheSameBits) {
  constexpr int threads = 1000;
  for (const BranchKind kind : {BranchKind::different, BranchKind::equal}) {
    const std::vector<float> together = lbm_branches(backend(), kind, false, threads);
    EXPECT_EQ(lbm_branches(backend(), kind, true, threads), together);
    EXPECT_NE(together[3], together[4]);
    for (const float value : together) ASSERT_TRUE(std::isfinite(value));
  }
  // Squares and ones of the numbers that the test puts in.
  double first = 0;
  for (int i = 0; i < many_sums; ++i) {
    const double x = 1 + 0.1 * ((i * threads) % 17);
    first += x * x + 1;
  }
  for (const bool many : {false, true}) {
    const std::vector<float> sums = lbm_sums(backend(), false, many, threads);
    EXPECT_EQ(lbm_sums(backend(), true, many, threads), sums);
    EXPECT_NEAR(sums[0], first, 1e-4);
  }
}

TEST_P(LbmSplitting, HasVerdictsForItsOwnDeviceOnly) {
  const ShortTimingScope quick;
  const StudyResult result = splitting_study(backend(), {}, [](const std::string&) {});
  ASSERT_EQ(result.tables.size(), 4u);
  EXPECT_EQ(result.tables[0].rows.size(), 4u);
  EXPECT_EQ(result.tables[2].rows.size(), 10u);
  const StudyTable& findings = result.tables.back();
  // One depends on the registers that the compiler gives a kernel.
  EXPECT_GE(findings.rows.size(), backend().is_cuda() ? 9u : 7u);
  EXPECT_LE(findings.rows.size(), backend().is_cuda() ? 10u : 7u);
  for (const auto& row : findings.rows)
    EXPECT_EQ(std::get<std::string>(row[0]).find("(asked of a processor)") == std::string::npos, backend().is_cuda());
}

// The paper's two numbers: the most threads, and the most registers of a thread with which there are as many.
TEST(LbmStudies, ThreadsAtOnceAgreeWithPaper) {
  const auto backend = Backend::make_cpu(1);
  const StudyResult result = occupancy_study(*backend, {}, [](const std::string&) {});
  double max_threads = 0, registers = 0;
  for (const auto& row : result.tables.back().rows) {
    const double threads = std::get<double>(row[1]);
    if (threads >= max_threads) {
      max_threads = threads;
      registers = std::get<double>(row[0]);
    }
  }
  EXPECT_EQ(max_threads, paper_table("lbm").at("section 1", "GeForce 8", "active threads"));
  EXPECT_EQ(registers, paper_table("lbm").at("section 1", "GeForce 8", "registers per thread at full occupancy"));
}

}  // namespace
}  // namespace perturb::lbm
