// The paper's numbers against its own statements about them, and the sweeps compared with them.
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/study_lines.h"

namespace perturb::particles {
namespace {

const PaperTable& paper() { return paper_table("particles"); }

TEST(ParticlesPaper, SortingInAllStepsIsThatOfOneTimesTheirNumber) {
  EXPECT_EQ(paper().at("figure 14", "32000", "qsort and filter on the host per step") / 1000 *
                paper().at("section 5.2", "default", "S"),
            paper().at("figure 14", "32000", "qsort and filter in all steps"));
}

TEST(ParticlesPaper, ContractionDivergesFirst) {
  EXPECT_LT(paper().at("figure 7", "fmad on", "step of full divergence"),
            paper().at("figure 7", "fmad off", "step of full divergence"));
  EXPECT_LT(paper().at("figure 7", "fmad off", "step of full divergence"),
            paper().at("figure 7", "plot", "last step shown"));
}

TEST(ParticlesPaper, HasItsNumbersAndBlocks) {
  const std::vector<CurvePoint> numbers = paper().curve("section 5.2", "N");
  ASSERT_EQ(numbers.size(), 10u);
  for (const CurvePoint& p : numbers) EXPECT_EQ(p.x, p.y);
  EXPECT_EQ(paper().curve("section 9.1", "threads per block").size(), 6u);
  // A core is one of 64 in each of Turing's multiprocessors.
  for (const char* gpu : {"Titan RTX", "Tesla T4"})
    EXPECT_EQ(paper().at("section 7.2", gpu, "CUDA cores"), 64 * paper().at("section 7.2", gpu, "multiprocessors"));
}

// Its section 2.2: a slow factor gives "greater accuracy". Its section 8.1: FP32 may be "nearly there". The numbers of
// docs/papers/discs.md are of more steps of this gas.
std::map<std::string, double> numbers_of_report(double slow_factor, double precision, int steps) {
  const auto backend = Backend::make_cpu(2);
  perturb::Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = {
      {"count", 1000},         {"box", 20000}, {"radius", 1}, {"velocity_max", 5000}, {"slow_factor", slow_factor},
      {"precision", precision}};
  const auto gas = find_simulation("particles").create(*backend, setup);
  gas->step(steps);
  std::map<std::string, double> numbers;
  for (const Scalar& s : gas->diagnostics({}, true).scalars) numbers[s.id] = s.value;
  return numbers;
}

TEST(ParticlesPaper, SmallerStepsMissFewerCollisions) {
  constexpr double fp64 = 1;
  double last = numbers_of_report(1, fp64, 16).at("missed_share");
  EXPECT_NEAR(last, 0.26, 0.04);
  for (const int slow_factor : {4, 16}) {
    const double share = numbers_of_report(slow_factor, fp64, 16 * slow_factor).at("missed_share");
    EXPECT_NEAR(share / last, 0.26, 0.08) << "nearly in proportion to the step";
    last = share;
  }
}

TEST(ParticlesPaper, SinglePrecisionHasTheEnergyOfTheGas) {
  const double energy = numbers_of_report(1, 1, 0).at("energy");
  EXPECT_NEAR(numbers_of_report(1, 1, 50).at("energy") / energy, 1, 1e-13);
  EXPECT_NEAR(numbers_of_report(1, 0, 50).at("energy") / energy, 1, 2e-6);
}

TEST(ParticlesStudies, TheSweepsTakeTheSourcesNumbersAndComputeTheirVerdicts) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const ShortTimingScope brief;
  const auto backend = Backend::make_cpu(1);
  const StudyResult result = sweeps_study(*backend, 2000, [](const std::string&) {});
  expect_labels_of_kinds(result);
  std::map<std::string, const StudyTable*> tables;
  for (const StudyTable& table : result.tables) tables[table.id] = &table;
  ASSERT_TRUE(tables.count("numbers") && tables.count("shares") && tables.count("findings"));
  std::set<double> counts;
  for (const auto& row : tables["numbers"]->rows) counts.insert(std::get<double>(row.at(0)));
  EXPECT_EQ(counts, (std::set<double>{1000, 2000}));
  EXPECT_NE(tables["numbers"]->note.find(particles_left_out(2000)), std::string::npos) << tables["numbers"]->note;
  const StudyTable& findings = *tables["findings"];
  ASSERT_EQ(findings.rows.size(), 1u + 2u + 2u)
      << "contraction; FP32 with it and without; growth with it and without: blocks are CUDA's";
  for (const auto& row : findings.rows) {
    ASSERT_EQ(row.size(), findings.columns.size());
    std::map<std::string, StudyValue> cells;
    for (std::size_t c = 0; c < row.size(); ++c) cells[findings.columns[c].id] = row[c];
    const std::string verdict = std::get<std::string>(cells["verdict"]);
    const bool of_growth = std::get<std::string>(cells["place"]) == "figure 8";
    EXPECT_EQ(verdict == "not measured here", of_growth) << "an exponent needs N = 8000 to 32 000";
    EXPECT_GE(std::get<double>(cells["repeats"]), of_growth ? 0 : 5);
    // The paper's CPU program grows in the same way: only the others are claims about a GPU.
    EXPECT_EQ(std::get<std::string>(cells["claim"]).ends_with(" (asked of a processor)"),
              std::get<std::string>(cells["place"]) != "figure 8");
    if (verdict == text_of(Verdict::holds)) {
      EXPECT_GT(std::get<double>(cells["ratio"]), 1);
    }
    if (verdict == text_of(Verdict::reversed)) {
      EXPECT_LT(std::get<double>(cells["ratio"]), 1);
    }
  }
}

TEST(ParticlesStudies, ListsFullDivergenceNextToPaperSteps) {
  const auto backend = Backend::make_cpu(1);
  for (const Study& study : particles_studies()) {
    if (study.id != "divergence") continue;
    perturb::Setup setup = report_setup(50, {"", "grid", false, false});
    // Thirty steps part all of them.
    setup.parameters["box"] = 200;
    setup.parameters["velocity_max"] = 50;
    const StudyResult result = study.run(*backend, setup, [](const std::string&) {});
    expect_labels_of_kinds(result);
    ASSERT_EQ(result.tables.size(), 3u);
    EXPECT_NE(result.tables[2].note.find("needs a GPU"), std::string::npos);
    const StudyTable& ends = result.tables[1];
    ASSERT_EQ(ends.id, "full_divergence");
    ASSERT_EQ(ends.rows.size(), 3u);
    EXPECT_EQ(ends.rows[0].at(3), paper().printed("figure 7", "fmad on", "step of full divergence"));
    for (const StudyLine& line : result.plots[0].lines)
      if (line.kind == LineKind::measured) {
        EXPECT_EQ(line.points.back().x, paper().at("figure 7", "plot", "last step shown")) << "as far as the paper's";
      }
    // The first step at which the plot is at its top; these discs part before its end.
    for (std::size_t k = 0; k < ends.rows.size(); ++k) {
      const auto& points = result.plots[0].lines[k].points;
      const auto all = std::find_if(points.begin(), points.end(), [](const CurvePoint& p) { return p.y == 50; });
      if (all == points.end()) {
        EXPECT_FALSE(std::holds_alternative<double>(ends.rows[k].at(1)) && std::get<double>(ends.rows[k].at(1)) <= 180);
      } else {
        EXPECT_EQ(ends.rows[k].at(1), StudyValue(all->x));
      }
    }
    return;
  }
  FAIL() << "no study of divergence";
}

// Straight paths of discs spread evenly: two touch in a step if one is in the strip of width 4 r that the other sweeps
// at the relative speed, and a disc hits a wall if it is nearer than its path. A closed form derived here.
TEST(ParticlesStudies, CandidatesAreAsManyAsStraightPathsBring) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  constexpr int count = 8000;
  constexpr double box = 1000, radius = 1;
  perturb::Setup setup = report_setup(count, {"", "grid", false, false});
  setup.parameters["box"] = box;
  setup.parameters["radius"] = radius;
  setup.parameters["velocity_max"] = 10;
  const auto backend = Backend::make_cpu();
  const State state = make_discs(*backend, setup, "grid")->save();
  const std::vector<double> v = state.get<double>("velocity", state.datasets.at("velocity").shape);
  double pairs = 0, walls = 0;
  for (int p = 0; p < count; ++p) {
    for (int q = 0; q < p; ++q) pairs += 4 * radius * std::hypot(v[2 * p] - v[2 * q], v[2 * p + 1] - v[2 * q + 1]);
    walls += (std::abs(v[2 * p]) + std::abs(v[2 * p + 1])) / (box - 2 * radius);
  }
  pairs /= box * box;
  const Candidates found = particles_candidates(*backend, setup, state);
  // Counts scatter by their roots; four of these, and one in a hundred for paths that end beyond a wall.
  EXPECT_NEAR(found.pairs, pairs, 4 * std::sqrt(pairs) + 0.01 * pairs);
  EXPECT_NEAR(found.walls, walls, 4 * std::sqrt(walls) + 0.01 * walls);
}

// The C library's qsort and std::sort order the candidates alike, so that the same discs settle with the same partners.
TEST(ParticlesStudies, QsortGivesTheStepsCollisions) {
  perturb::Setup setup = report_setup(400, {"", "all-pairs", false, false});
  setup.parameters["box"] = 200;
  setup.parameters["velocity_max"] = 5;
  const auto backend = Backend::make_cpu(1);
  const auto run = make_discs(*backend, setup, "all-pairs");
  const State before = run->save();
  const QsortFilter found = qsort_and_filter(*backend, setup, before);
  EXPECT_GT(found.seconds, 0);
  run->step(1);
  const State after = run->save();
  const std::vector<std::size_t> shape = before.datasets.at("velocity").shape;
  const std::vector<double> from = before.get<double>("velocity", shape), to = after.get<double>("velocity", shape);
  int settled = 0;
  for (std::size_t k = 0; k < found.best.size(); ++k) {
    const bool turned = from[2 * k] != to[2 * k] || from[2 * k + 1] != to[2 * k + 1];
    EXPECT_EQ(turned, found.best[k] != no_partner) << k;
    settled += turned ? 1 : 0;
  }
  EXPECT_GT(settled, 20);
}

TEST(ParticlesStudies, AProcessorHasFewerDiscsUnlessAllAreAskedFor) {
  perturb::Setup scene;
  EXPECT_EQ(max_discs_of_studies(true, scene), 32000);
  EXPECT_EQ(max_discs_of_studies(false, scene), 16000);
  EXPECT_EQ(particles_left_out(16000), " Left out because of time: N = 24000, 32000; use --long to include them.");
  EXPECT_EQ(particles_left_out(32000), "");
  const StudyRequestScope all({.long_too = true});
  EXPECT_EQ(max_discs_of_studies(false, scene), 32000);
}

// --size takes the paper's numbers up to its own, or is refused.
TEST(ParticlesStudies, TakesAsManyDiscsAsTheSizeHas) {
  perturb::Setup scene;
  const StudyRequestScope given({.size_given = true});
  scene.width = 5000;
  scene.height = 1;
  EXPECT_EQ(max_discs_of_studies(true, scene), 4000);
  EXPECT_EQ(particles_left_out(4000), " Left out by --size: N = 6000, 8000, 12000, 16000, 24000, 32000.");
  scene.width = 200;
  scene.height = 160;
  EXPECT_EQ(max_discs_of_studies(false, scene), 32000);
  scene.height = 2;
  EXPECT_THROW(max_discs_of_studies(true, scene), InputError);
  const auto backend = Backend::make_cpu(1);
  for (const Study& study : particles_studies())
    if (study.id == "growth" || study.id == "rules" || study.id == "drawing") {
      EXPECT_THROW(study.run(*backend, scene, [](const std::string&) {}), InputError) << study.id;
    }
}

// In each of the paper's block sizes; on a GPU the loops use them, on a processor they only have to run.
TEST(ParticlesStudies, TheLoopsOverDiscsTakeTheSourcesBlocks) {
  for (const BackendKind kind : tested_backends()) {
    const auto backend = kind == BackendKind::cpu ? Backend::make_cpu(1) : Backend::make_cuda();
    StudyPlot plot;
    std::vector<Finding> findings;
    const StudyTable table = disc_blocks(*backend, 500, 2, plot, findings);
    ASSERT_EQ(findings.size(), 2u) << "blocks over discs and over pairs";
    for (const Finding& finding : findings) {
      EXPECT_TRUE(finding.counted);
      EXPECT_FALSE(finding.measured.empty());
      EXPECT_GE(finding.less.at(0), 1) << "longest over shortest";
    }
    ASSERT_EQ(table.rows.size(), paper().curve("section 9.1", "threads per block").size());
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      EXPECT_EQ(std::get<double>(table.rows[k][0]), paper().curve("section 9.1", "threads per block")[k].x);
      EXPECT_GT(std::get<double>(table.rows[k][1]), 0);
      EXPECT_GE(std::get<double>(table.rows[k][2]), std::get<double>(table.rows[k][1]));
      EXPECT_GT(std::get<double>(table.rows[k][3]), 0) << "walls";
      EXPECT_GT(std::get<double>(table.rows[k][5]), 0) << "update";
    }
  }
}

// Blocks change times alone.
TEST(ParticlesStudies, InAnyBlocksAStepHasTheSameBits) {
  for (const BackendKind kind : tested_backends()) {
    const auto backend = kind == BackendKind::cpu ? Backend::make_cpu(1) : Backend::make_cuda();
    perturb::Setup setup = report_setup(300, {"", "all-pairs", false, true});
    setup.parameters["box"] = 200;
    const auto run = make_discs(*backend, setup, "all-pairs");
    run->step(20);
    const State expected = run->save();
    for (const auto& [discs, pairs] : {std::pair(96, 192), std::pair(256, 32)}) {
      const auto other = make_discs(*backend, setup, "all-pairs");
      particles_use_blocks(*other, discs, pairs);
      other->step(20);
      EXPECT_EQ(other->save().datasets.at("position").bytes, expected.datasets.at("position").bytes);
    }
  }
}

// Times that go as N and as N squared are equal where their factors say; from the straight lines that they are in
// logarithms.
TEST(ParticlesStudies, EqualSharesAreWhereTwoTimesCross) {
  std::vector<CurvePoint> settle, pairs;
  for (const double n : {1000.0, 2000.0, 4000.0, 8000.0}) {
    settle.push_back({n, 6 * n});
    pairs.push_back({n, n * n / 1e3});
  }
  EXPECT_NEAR(crossing(settle, pairs), 6000, 1e-6);
  EXPECT_EQ(crossing(pairs, settle), 0) << "the second is the longer from the first";
  settle.resize(2);
  pairs.resize(2);
  EXPECT_TRUE(std::isinf(crossing(settle, pairs)));
}

TEST(ParticlesStudies, FiguresReportPartialResults) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const ShortTimingScope brief;
  const auto backend = Backend::make_cpu(1);
  std::vector<std::size_t> rows;
  const StudyProgress progress = StudyReporter{
      [](const std::string&) {}, [&](const StudyResult& result) { rows.push_back(result.tables.at(0).rows.size()); }};
  const StudyResult result = figures_study(*backend, 2000, progress);
  EXPECT_EQ(rows, (std::vector<std::size_t>{1, 2, 2}));
  expect_labels_of_kinds(result);
  EXPECT_NE(result.tables.at(0).note.find(particles_left_out(2000)), std::string::npos) << result.tables[0].note;
  ASSERT_EQ(result.tables.size(), 4u) << "parts, with and without contraction, candidates, findings; no speed-up";
  ASSERT_EQ(result.tables[1].id, "parts_plain");
  ASSERT_EQ(result.tables[1].rows.size(), 2u);
  for (const auto& row : result.tables[1].rows) EXPECT_GT(std::get<double>(row.at(2)), 0) << "the check of pairs";
  ASSERT_EQ(result.tables[0].rows.size(), 2u);
  for (const auto& row : result.tables[0].rows) {
    double shares = 0;
    for (std::size_t c = row.size() - 4; c < row.size(); ++c) shares += std::get<double>(row[c]);
    EXPECT_NEAR(shares, 100, 1e-9);
  }
  for (const auto& row : result.tables[2].rows)
    EXPECT_DOUBLE_EQ(std::get<double>(row[3]), std::get<double>(row[1]) / std::get<double>(row[2]));
  EXPECT_EQ(result.tables[3].id, "findings");
  EXPECT_EQ(result.tables[3].rows.size(), 8u + 3u + 2u + 4u)
      << "growth of the check of pairs, of the candidates and of the host's; equal shares and the host's part; "
         "contraction part by part";
  EXPECT_NE(result.tables[3].note.find("not measured here"), std::string::npos);
  // The host's own work and the candidates are no GPU's, and what part of a GPU's step the host is, is one.
  int of_host = 0;
  for (const auto& row : result.tables[3].rows) {
    const auto &claim = std::get<std::string>(row[0]), &place = std::get<std::string>(row[1]);
    const bool asked = claim.ends_with(" (asked of a processor)");
    of_host += asked ? 0 : 1;
    EXPECT_TRUE(asked || place == "figure 14" || place == "figure 16" || claim.find("candidates") != claim.npos)
        << claim;
  }
  EXPECT_EQ(of_host, 1 + 1 + 1 + 1);
}

// Full divergence that was not waited for makes a ratio no more than a least one, and the claim says so.
TEST(ParticlesStudies, ReportsRunsThatNeverDiverged) {
  EXPECT_EQ(never_diverged({100, 310}, 310), "");
  const std::string said = never_diverged({311, 200, 311}, 310);
  EXPECT_NE(said.find("2 of 3 starts, which count as 311"), std::string::npos) << said;
}

// The exponent of a time that is a power of N is that power, and its interval is that of the noise: with residuals of
// the same size and changing sign the least squares have a closed form.
TEST(ParticlesStudies, TestsQuadraticGrowth) {
  for (const double power : {1.0, 2.0, 3.0}) {
    std::vector<CurvePoint> points;
    for (const double n : {1000, 4000, 8000, 12000, 16000, 24000, 32000})
      points.push_back({n, 1e-9 * std::pow(n, power) * (n < 8000 ? 5 : 1)});
    std::vector<Finding> findings;
    add_square_finding(findings, "a time", "figure 8", points);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].measured.find(format_number(power, 3) + " ± "), 0u) << findings[0].measured;
    EXPECT_EQ(verdict_text(findings[0]), power == 2 ? "agrees" : "differs");
  }
  // y = 1, e^d, 1 at the logarithms -1, 0, 1: slope 0, residuals -d/3, 2 d/3, -d/3, t of one degree of freedom.
  const Power found = power_of({{std::exp(-1.0), 1}, {1, std::exp(0.3)}, {std::exp(1.0), 1}});
  EXPECT_NEAR(found.exponent, 0, 1e-12);
  EXPECT_NEAR(found.half_width, 12.706 * std::sqrt(0.3 * 0.3 * 6 / 9 / 2), 1e-9);
  std::vector<Finding> noisy;
  add_square_finding(noisy, "a time", "figure 8", {{8000, 1}, {16000, 40}, {32000, 16}});
  EXPECT_EQ(verdict_text(noisy.at(0)), "not measured here") << "the interval includes every power";
  add_square_finding(noisy, "a time", "figure 8", {{4000, 1}, {8000, 4}, {16000, 16}});
  EXPECT_EQ(verdict_text(noisy.at(1)), "not measured here") << "another range of N";
}

// No gain is not one of 2 to 3 times, although it is less than 3.
TEST(ParticlesStudies, TestsAGainAgainstBothEndsOfItsRange) {
  for (const auto& [gain, verdict] :
       {std::pair(1.0, "differs"), std::pair(2.5, "agrees"), std::pair(2.95, "agrees"), std::pair(4.0, "differs")}) {
    const std::vector<double> quick = {1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06};
    std::vector<Finding> findings;
    add_gain_finding(findings, "FP32", ", N = 32000", "figure 17", quick, times_of(quick, gain));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(verdict_text(findings[0]), verdict) << gain;
    EXPECT_EQ(findings[0].claim.find("FP32 makes a step 2 to 3 times shorter"), 0u) << findings[0].claim;
  }
}

// A gain that grows as N to 4000 and then not at all: both findings hold, and the table names the N between them.
TEST(ParticlesStudies, FindsWhereTheGainTapersOff) {
  std::map<int, std::vector<double>> gains;
  for (const int count : {1000, 2000, 4000, 8000, 16000})
    for (int k = 0; k < 7; ++k) gains[count].push_back((1 + 0.001 * k) * std::min(count, 4000) / 1000.0);
  const GainGrowth tapering = gain_growth(gains);
  ASSERT_EQ(tapering.findings.size(), 2u);
  EXPECT_EQ(verdict_text(tapering.findings[0]), "agrees");
  EXPECT_EQ(verdict_text(tapering.findings[1]), text_of(Verdict::holds));
  EXPECT_NE(tapering.table.note.find(": 4000."), std::string::npos) << tapering.table.note;
  for (auto& [count, repeats] : gains)
    for (std::size_t k = 0; k < repeats.size(); ++k) repeats[k] = (1 + 0.001 * static_cast<double>(k)) * count * count;
  const GainGrowth squared = gain_growth(gains);
  EXPECT_EQ(verdict_text(squared.findings[0]), "differs");
  EXPECT_NE(verdict_text(squared.findings[1]), text_of(Verdict::holds));
  EXPECT_NE(squared.table.note.find("at none"), std::string::npos);
  gains.erase(gains.begin(), std::prev(gains.end()));
  EXPECT_TRUE(gain_growth(gains).findings.empty());
}

class ParticlesMemory : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesMemory);

// No addition is lost, to one counter or to many.
TEST_P(ParticlesMemory, CountersAddUp) {
  constexpr int threads = 5000;
  const std::vector<int> one = particles_additions(backend(), threads, 1),
                         many = particles_additions(backend(), threads, 1000);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_GT(one[0], 0);
  for (const int counter : many) EXPECT_EQ(counter, one[0] / 1000);
}

TEST_P(ParticlesMemory, HasNumbersOfGpusOnlyWithOne) {
  const ShortTimingScope brief;
  const StudyProgress none = [](const std::string&) {};
  const StudyResult memory = memory_study(backend(), {}, none);
  const bool cuda = backend().is_cuda();
  EXPECT_EQ(memory.tables.back().rows.size(), cuda ? 6u : 2u);
  for (const auto& row : memory.tables.back().rows)
    EXPECT_EQ(std::get<std::string>(row[0]).find("(asked of a processor)") == std::string::npos, cuda);
  const StudyResult chunks = chunks_study(backend(), 3000, none);
  if (!cuda) {
    EXPECT_TRUE(chunks.tables[0].rows.empty());
    EXPECT_NE(chunks.tables[0].note.find("not measured here"), std::string::npos);
    return;
  }
  EXPECT_EQ(chunks.tables[0].rows.size(), 4u) << "two numbers of discs, with and without contraction";
  EXPECT_EQ(chunks.tables[1].rows.size(), 4u * 36u);
}

}  // namespace
}  // namespace perturb::particles
