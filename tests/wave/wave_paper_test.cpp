// The rewritten programs of the paper compute the same as the tank, and colour as the paper does.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "cuda/core/backend/stop.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/wave/paper.h"
#include "cuda/studies/wave/studies.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/support/setup_of.h"

namespace perturb::wave {
namespace {

constexpr int paper_side = 40;

std::vector<PaperMethod> ways_of(const Backend& backend) {
  if (!backend.is_cuda()) return {PaperMethod::matrices};
  return {PaperMethod::matrices, PaperMethod::copies, PaperMethod::device};
}

class WavePaperPrograms : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WavePaperPrograms);

// A droplet near a corner, whose wave is reflected by two sides. Sums of nine products and of three terms are rounded
// in a different order from ours: a few units in the last place of FP32 per step, for heights of 0.07.
TEST_P(WavePaperPrograms, GiveTheFieldOfTheTank) {
  for (const PaperMethod way : ways_of(backend())) {
    const auto theirs = make_wave_paper(way, backend(), paper_side, PaperColours::table);
    theirs->drop(9, 12);
    perturb::Setup setup = setup_of("wave", paper_side, paper_side);
    setup.parameters["damping_form"] = 1;  // one-sided, as in the paper
    const auto ours = create(backend(), setup);
    State state = ours->save();
    state.put<float>("u", {paper_side, paper_side}, "height", theirs->heights());
    state.put<float>("u_previous", {paper_side, paper_side}, "height", std::vector<float>(paper_side * paper_side));
    ours->load(state);
    constexpr int steps = 400;
    for (int k = 0; k < steps; ++k) theirs->step();
    ours->step(steps);
    const std::vector<float> there = theirs->heights(), here = ours->save().get<float>("u", {paper_side, paper_side});
    float highest = 0, apart = 0;
    for (std::size_t k = 0; k < here.size(); ++k) {
      highest = std::max(highest, std::abs(here[k]));
      apart = std::max(apart, std::abs(here[k] - there[k]));
    }
    EXPECT_GT(highest, 1e-3f);
    EXPECT_LT(apart, 1e-4f * highest) << "way " << static_cast<int>(way);
  }
}

// The window's 24-bit colours are the paper's numbers, except for the last place where a product rounds differently
// from the quotient.
TEST(WavePaperColours24, MatchPaperColours) {
  const auto backend = Backend::make_cpu(1);
  const ColorTable table(*backend, find_colormap("bits24"));
  const ColorScale scale = table.scale(-1, 1);
  const auto number = [](std::uint32_t color) { return static_cast<int>(color & 0xFFFFFFu); };
  for (int k = -1100; k <= 1100; ++k) {
    const float height = static_cast<float>(k) / 1000.f;
    EXPECT_NEAR(number(scale(height)), number(wave_paper_colour24(height)), 1) << height;
  }
}

// The image shows the field, cell by cell, in both mappings; all programs have it in host memory.
TEST_P(WavePaperPrograms, ColourEveryCellAsPaper) {
  const std::vector<std::uint32_t>& table = find_colormap("ripple").colors;
  for (const PaperMethod way : ways_of(backend()))
    for (const PaperColours colours : {PaperColours::table, PaperColours::bits24}) {
      const auto program = make_wave_paper(way, backend(), paper_side, colours);
      for (int n = 0; n < 12; ++n) program->drop(20, 20);  // far below the middle of the table
      program->step();
      const std::vector<float> heights = program->heights();
      std::vector<std::uint32_t> seen(heights.size());
      std::memcpy(seen.data(), program->picture(), seen.size() * sizeof seen[0]);
      for (std::size_t k = 0; k < heights.size(); ++k) {
        if (colours == PaperColours::bits24) {
          ASSERT_EQ(seen[k], wave_paper_colour24(heights[k]));
          continue;
        }
        // 70 colours over heights from -1 to 1; near a border, rounding may give either colour.
        const double at = (heights[k] + 1.0) / 2 * static_cast<double>(table.size());
        const auto low = static_cast<std::size_t>(std::clamp(at - 1e-4, 0.0, 69.0)),
                   high = static_cast<std::size_t>(std::clamp(at + 1e-4, 0.0, 69.0));
        ASSERT_TRUE(seen[k] == table[low] || seen[k] == table[high]) << heights[k];
      }
      EXPECT_NE(*std::min_element(seen.begin(), seen.end()), *std::max_element(seen.begin(), seen.end()));
    }
}

// A 24-bit number from -1 to 1, its lowest byte red. FP32 has 24 bits too, so the last one may be rounded.
TEST(WavePaperColours, TwentyFourBitsFromTheLowestByte) {
  const auto number = [](float height) { return static_cast<double>(wave_paper_colour24(height) & 0xFFFFFF); };
  EXPECT_EQ(number(-1), 0);
  EXPECT_EQ(number(-7), 0);
  EXPECT_EQ(number(1), 0xFFFFFF);
  EXPECT_EQ(number(std::nanf("")), 0);
  for (const float height : {-0.9f, -0.5f, 0.f, 0.25f, 0.7f})
    EXPECT_NEAR(number(height), (height + 1.0) / 2 * 0xFFFFFF, 2) << height;
  EXPECT_EQ(wave_paper_colour24(0) >> 24, 255u) << "opaque";
}

TEST(WaveStudies, ComparesProgramsInFourStages) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup = setup_of("wave", 24, 24);
  std::size_t partial_rows = 0;
  std::vector<std::string> parts;
  const StudyProgress progress = StudyReporter{[&](const std::string& words) { parts.push_back(words); },
                                               [&](const StudyResult&) { ++partial_rows; }};
  const StudyResult result = programs_study(*backend, setup, progress);
  EXPECT_EQ(std::count_if(parts.begin(), parts.end(),
                          [](const std::string& words) { return words.find(", group 7 of 7") != std::string::npos; }),
            2)
      << "each program shows its groups of steps";
  EXPECT_EQ(partial_rows, 2u) << "matrices and this program: the others need a GPU";
  ASSERT_EQ(result.tables.size(), 2u);
  ASSERT_EQ(result.tables[0].rows.size(), 8u);
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::vector<StudyValue>&theirs = result.tables[0].rows[stage], &ours = result.tables[0].rows[4 + stage];
    EXPECT_EQ(std::get<std::string>(theirs[2]), std::get<std::string>(ours[2]));
    EXPECT_EQ(number_of(theirs[3]), number_of(ours[3])) << "the same steps for each program";
  }
  EXPECT_EQ(result.tables[1].rows.size(), 3u);
  EXPECT_NE(result.tables[1].note.find("not measured here"), std::string::npos);
}

// Timing the parts of a step does not change its result, and happens only on request.
TEST_P(WavePaperPrograms, ReportTimeOfStepParts) {
  for (const PaperMethod way : ways_of(backend())) {
    const auto watched = make_wave_paper(way, backend(), paper_side, PaperColours::table);
    const auto alone = make_wave_paper(way, backend(), paper_side, PaperColours::table);
    PaperSeconds seconds{};
    watched->add_parts_to(&seconds);
    for (const auto& program : {watched.get(), alone.get()}) {
      program->drop(9, 12);
      for (int k = 0; k < 5; ++k) program->step();
    }
    EXPECT_EQ(watched->heights(), alone->heights());
    for (std::size_t part = 0; part < seconds.size(); ++part) {
      const bool has_none = way == PaperMethod::matrices && static_cast<PaperPart>(part) == PaperPart::copies;
      EXPECT_EQ(seconds[part] > 0, !has_none) << paper_parts[part];
    }
    watched->add_parts_to(nullptr);
    const PaperSeconds before = seconds;
    watched->step();
    EXPECT_EQ(seconds, before);
  }
}

TEST(WaveStudies, TheProfileHasEachPartAndItsShare) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup = setup_of("wave", 24, 24);
  const StudyResult result = profile_study(*backend, setup, [](const std::string&) {});
  ASSERT_EQ(result.tables.size(), 2u);
  double percent = 0;
  for (const std::vector<StudyValue>& row : result.tables[0].rows) percent += std::get<double>(row.back());
  EXPECT_EQ(result.tables[0].rows.size(), 3u) << "matrices copy nothing";
  EXPECT_NEAR(percent, 100, 1e-9);
  ASSERT_EQ(result.plots.size(), 1u);
  const std::vector<CurvePoint>& points = result.plots[0].lines.at(0).points;
  ASSERT_EQ(points.size(), paper_parts.size());
  for (std::size_t part = 0; part < points.size(); ++part)
    EXPECT_EQ(std::isfinite(points[part].y), static_cast<PaperPart>(part) != PaperPart::copies)
        << "no line is drawn through the copies that this program does not make";
  EXPECT_EQ(result.tables[1].rows.size(), 2u);
  EXPECT_NE(result.tables[1].note.find("not measured here"), std::string::npos);
}

// A stop request is handled between two steps of the paper's programs.
TEST(WaveStudies, PaperProgramsStopOnRequest) {
  const auto backend = Backend::make_cpu(1);
  perturb::Setup setup = setup_of("wave", 24, 24);
  StopRequest request;
  const StopScope scope(*backend, request);
  std::vector<std::string> parts;
  const StudyProgress progress = [&](const std::string& words) {
    parts.push_back(words);
    request.request_stop();
  };
  EXPECT_THROW(programs_study(*backend, setup, progress), Stopped);
  EXPECT_EQ(parts.size(), 1u);
}

// All kinds of memory give the field's Laplacian, also at the border: the same products and sums in the same order.
TEST_P(WavePaperPrograms, ConvolveEquallyFromAllKindsOfMemory) {
  constexpr int side = 40;
  std::vector<float> field(side * side);
  for (std::size_t k = 0; k < field.size(); ++k) field[k] = std::sin(0.37f * static_cast<float>(k));
  const std::vector<std::vector<float>> results = wave_convolutions(backend(), side, field);
  EXPECT_EQ(results.size(), backend().is_cuda() ? 9u : 2u);
  const auto at = [&](int i, int j) {
    return i < 0 || j < 0 || i >= side || j >= side ? 0.0 : field[static_cast<std::size_t>(j * side + i)];
  };
  for (const std::vector<float>& result : results) {
    EXPECT_EQ(result, results.front());
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        ASSERT_NEAR(result[static_cast<std::size_t>(j * side + i)],
                    at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j), 1e-5)
            << i << ", " << j;
  }
}

// A row that needs a GPU has no number and no verdict of a processor.
TEST_P(WavePaperPrograms, AdviceHasVerdictsForItsOwnDeviceOnly) {
  const ShortTimingScope quick;
  StudyRequest request;
  request.size_given = true;
  const StudyRequestScope scope(request);
  perturb::Setup setup = setup_of("wave", 64, 64);
  const StudyProgress none = [](const std::string&) {};
  const auto claims_of = [](const StudyTable& table) {
    std::vector<std::string> claims;
    for (const auto& row : table.rows) claims.push_back(std::get<std::string>(row[0]));
    return claims;
  };
  const bool cuda = backend().is_cuda();
  for (const auto& [study, findings] :
       {std::pair(&convolution_study, cuda ? 6u : 1u), std::pair(&practices_study, cuda ? 7u : 6u),
        std::pair(&larger_study, cuda ? 1u : 0u)}) {
    const StudyResult result = study(backend(), setup, none);
    ASSERT_EQ(result.tables.back().id, "findings");
    const std::vector<std::string> claims = claims_of(result.tables.back());
    EXPECT_EQ(claims.size(), findings);
    for (const std::string& claim : claims)
      EXPECT_EQ(claim.find("(asked of a processor)") == std::string::npos, cuda) << claim;
    EXPECT_FALSE(result.tables.front().rows.empty());
  }
  const StudyResult copies = transfers_study(backend(), setup, none);
  EXPECT_EQ(copies.tables.front().rows.size(), cuda ? 7u : 0u);
  EXPECT_EQ(copies.tables.front().note.find("not measured here") == std::string::npos, cuda);
}

// The occupancy model gives the paper's example, digit for digit.
TEST(WaveStudies, BlocksOfPapersExampleAreThoseOfModel) {
  const ShortTimingScope quick;
  const auto backend = Backend::make_cpu(1);
  const StudyResult result = practices_study(*backend, {}, [](const std::string&) {});
  const StudyTable& blocks = result.tables.at(1);
  ASSERT_EQ(blocks.id, "blocks");
  ASSERT_EQ(blocks.rows.size(), 3u);
  for (const auto& row : blocks.rows) EXPECT_EQ(number_of(row[1]), number_of(row[4]));
}

}  // namespace
}  // namespace perturb::wave
