// Instruments without a view: their computed results compared with known numbers.
#include "app/instruments/instruments.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/instruments/instrument.h"
#include "app/instruments/probe_sound.h"
#include "app/io/files/csv.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/uncompared.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sampled_sine(std::size_t count, double spacing, double frequency, double amplitude) {
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(3 +
                     amplitude * std::sin(2 * std::numbers::pi * frequency * spacing * static_cast<double>(k) + 0.4));
  return values;
}

TEST(Spectrum, FindsFrequencyWithinUncertainty) {
  for (const double frequency : {0.0123, 0.05, 0.317}) {
    const Spectrum found = spectrum_of(sampled_sine(3000, 0.5, frequency, 0.2), 0.5);
    // 2048 of them, 1024 units of time.
    EXPECT_NEAR(found.uncertainty, 0.5 / 1024, 1e-12);
    EXPECT_NEAR(found.peak, frequency, found.uncertainty);
    EXPECT_NEAR(found.peak, frequency, 0.1 * found.uncertainty)
        << "the parabola finds a pure oscillation more precisely";
    EXPECT_NEAR(found.amplitude, 0.2, 0.01);
  }
}

// With fewer readings per period, a faster oscillation could look the same.
TEST(Spectrum, NamesNoFrequencyOfTooFewReadingsPerPeriod) {
  for (const double frequency : {0.18, 0.31, 0.45}) {
    const Spectrum found = spectrum_of(sampled_sine(3000, 1, frequency, 0.2), 1);
    EXPECT_EQ(found.peak, 0) << frequency;
    EXPECT_TRUE(found.is_unresolved);
  }
  EXPECT_FALSE(spectrum_of(sampled_sine(3000, 1, 0.15, 0.2), 1).is_unresolved);
}

TEST(Spectrum, ReportsStrongerOfTwoOscillations) {
  std::vector<double> values = sampled_sine(4096, 1, 0.05, 0.2);
  const std::vector<double> other = sampled_sine(4096, 1, 0.12, 0.5);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += other[k];
  const Spectrum found = spectrum_of(values, 1);
  EXPECT_NEAR(found.peak, 0.12, found.uncertainty);
}

TEST(Spectrum, HasNoPeakForDriftOrConstant) {
  std::vector<double> drift;
  for (int k = 0; k < 1000; ++k) drift.push_back(0.01 * k);
  EXPECT_EQ(spectrum_of(drift, 1).peak, 0);
  EXPECT_EQ(spectrum_of(std::vector<double>(1000, 0.25), 1).peak, 0);
  EXPECT_TRUE(spectrum_of(std::vector<double>(min_for_spectrum - 1, 0.0), 1).points.empty());
}

// A field at rest contains rounding noise, whose highest line is not a peak.
TEST(Spectrum, HasNoPeakForRoundingNoise) {
  std::vector<double> still, held;
  for (int k = 0; k < 1000; ++k) {
    const double noise = std::sin(1e3 * k * k);
    still.push_back(1e-16 * noise);
    held.push_back(1 + 6e-8 * noise);
  }
  EXPECT_EQ(spectrum_of(still, 1, 1e-8).peak, 0);
  EXPECT_EQ(spectrum_of(held, 1).peak, 0);
  std::vector<double> small;
  for (const double value : sampled_sine(1000, 1, 0.05, 1e-4)) small.push_back(value);
  EXPECT_GT(spectrum_of(small, 1, 1e-8).peak, 0) << "a small oscillation about 3 counts";
}

TEST(Series, UsesOnlyEvenlySpacedNumbers) {
  Series series;
  for (int k = 1; k <= 10; ++k) series.add(2 * k, 1.0 * k, k, 2);
  EXPECT_EQ(series.even_values().size(), 10U);
  series.add(22, 11, nothing, 2);
  series.add(24, 12, 12, 2);
  EXPECT_EQ(series.even_values(), std::vector<double>{12});
  // A step is missing, or the run went back: earlier readings are discarded.
  series.add(40, 20, 1, 2);
  EXPECT_EQ(series.size(), 1U);
  // Another time step: the readings from there on are evenly spaced.
  for (int k = 1; k <= 5; ++k) series.add(40 + 2 * k, 20 + 3 * k, 1, 2);
  for (int k = 1; k <= 4; ++k) series.add(50 + 2 * k, 35 + k, 1, 2);
  EXPECT_EQ(series.even_values().size(), 5U);
}

TEST(Series, ReplacesWhatCameAfterAReturn) {
  Series series;
  for (int k = 0; k < 40; ++k) series.add(4 * k, 2. * k, k, 4);
  series.add(80, 40, -1, 4);
  EXPECT_EQ(series.size(), 21U);
  EXPECT_EQ(series.latest(), -1);
  EXPECT_EQ(series.last_step(), 80);
  EXPECT_EQ(series.even_values().size(), 21U);
  series.add(10, 5, 1, 4);
  EXPECT_EQ(series.size(), 1U) << "another spacing";
}

TEST(Series, KeepsNewestReadingsAsTheyAreAndMeanAndRangeOfOlderOnes) {
  Series series;
  const auto count = static_cast<int>(Series::max_readings) * 5;
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double value = k == count - 50 ? 9 : k == 700 ? -7 : k == 30000 ? -6 : 1 + std::sin(0.7 * k);
    series.add(k, k, value, 1);
    sum += value;
  }
  EXPECT_EQ(series.size(), Series::max_readings);
  EXPECT_FALSE(series.is_whole());
  const std::vector<SampleGroup> groups = series.groups(400);
  const std::vector<CurvePoint> kept = series.kept();
  EXPECT_LE(groups.size(), 1000U);
  double highest = 0, lowest = 0, second = 0, sum_of_groups = 0;
  std::size_t readings = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const SampleGroup& group = groups[k];
    highest = std::max(highest, group.high);
    lowest = std::min(lowest, group.low);
    if (std::abs(group.x - 30000) <= static_cast<double>(group.count)) second = std::min(second, group.low);
    EXPECT_LT(k > 0 ? groups[k - 1].x : -1, group.x);
    EXPECT_GE(group.mean, group.low);
    EXPECT_LE(group.mean, group.high);
    readings += group.count;
    sum_of_groups += group.mean * static_cast<double>(group.count);
  }
  EXPECT_EQ(highest, 9) << "one spike among thousands is not lost";
  EXPECT_EQ(lowest, -7) << "nor among the oldest readings";
  EXPECT_EQ(second, -6);
  EXPECT_EQ(readings, static_cast<std::size_t>(count)) << "each reading is in one group";
  EXPECT_NEAR(sum_of_groups, sum, 1e-9 * count);
  for (std::size_t k = 1; k <= 200; ++k) EXPECT_EQ(groups[groups.size() - k].count, 1U) << k;
  ASSERT_EQ(kept.size(), Series::max_readings);
  for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_EQ(kept[k].x, count - static_cast<double>(kept.size() - k));
}

TEST(Instruments, MeasureInDomainUnits) {
  const DomainSize domain{800, 400};
  Instrument ruler = parse_instrument("ruler 0.25 0.5 0.75 0.5");
  EXPECT_DOUBLE_EQ(length_of(ruler, domain), 400);
  ruler.count = 4;
  EXPECT_DOUBLE_EQ(length_of(ruler, domain), 100);
  // 3, 4, 5: in length units, not in fractions.
  EXPECT_DOUBLE_EQ(length_of(parse_instrument("cut 0 0 0.375 1"), domain), 500);
  EXPECT_NEAR(angle_of(parse_instrument("protractor 1 0.5 0.5 0.5 0.5 0.9"), domain), 90, 1e-12);
  EXPECT_NEAR(angle_of(parse_instrument("protractor 0.6 0.5 0.5 0.5 0.6 0.7"), domain), 45, 1e-12);
  EXPECT_NEAR(angle_of(parse_instrument("protractor 0.6 0.5 0.5 0.5 0.1 0.5"), domain), 180, 1e-12);
  EXPECT_NEAR(angle_of(parse_instrument("protractor 0.6 0.5 0.5 0.5 0.9 0.5"), domain), 0, 1e-12);
}

TEST(Instruments, RoundTripAsArguments) {
  for (const char* text :
       {"probe,0.1,0.30000000000000004,height", "cut,0.55,0,0.55,1,speed,average", "ruler,0.25,0.5,0.75,0.5,4",
        "protractor,0.2,0.5,0.5,0.5,0.5,0.9", "stopwatch", "stopwatch,from,2.5", "stopwatch,from,2.5,to,4"})
    EXPECT_EQ(to_argument(parse_instrument(text)), text);
}

TEST(Instruments, UseLengthUnitOfSimulation) {
  EXPECT_EQ(length_unit_of(find_simulation("lbm")), "cell");
  EXPECT_EQ(length_unit_of(find_simulation("wave")), "length");
  EXPECT_EQ(length_unit_of(SimulationInfo()), "length");
}

TEST(Instruments, RejectInvalidText) {
  for (const char* text :
       {"", "tape 0 0 1 1", "probe", "probe 0.5", "probe 0.5 0.5 0.5", "probe 0.5 1.5", "ruler 0 0 1 1 height",
        "probe 0.5 0.5 height speed", "cut 0 0 1", "ruler 0 0 1 1 0", "ruler 0 0 1 1 2.5", "probe a b", "stopwatch 1",
        "stopwatch from", "stopwatch from a", "probe nan 0"}) {
    const std::string error = error_thrown_by([&] { parse_instrument(text); });
    EXPECT_NE(error.find("Write for example"), std::string::npos) << error;
  }
}

TEST(Instruments, AreNumberedAndRemoved) {
  Instruments all;
  const int first = all.add(parse_instrument("probe 0.1 0.1")), second = all.add(parse_instrument("probe 0.2 0.1"));
  EXPECT_EQ(all.find(second)->name().english(), "Probe 2");
  all.remove(first);
  EXPECT_EQ(all.find(second)->name().english(), "Probe 2") << "a name in a notebook stays what it is";
  EXPECT_EQ(all.find(first), nullptr);
  while (all.all().size() < Instruments::max_instruments) all.add(parse_instrument("stopwatch"));
  EXPECT_THROW(all.add(parse_instrument("stopwatch")), InputError);
}

TEST(Instruments, ForgetReadingsOfMovedProbeOnly) {
  Instruments all;
  const int probe = all.add(parse_instrument("probe 0.1 0.1")), ruler = all.add(parse_instrument("ruler 0 0 1 1"));
  all.take_probed({{1, 0.5, {7}}, {2, 1.0, {8}}}, 1);
  EXPECT_EQ(all.latest(probe), 8);
  Instrument moved = *all.find(ruler);
  moved.places[0].x = 0.5;
  all.change(moved);
  EXPECT_EQ(all.latest(probe), 8);
  moved = *all.find(probe);
  moved.places[0].x = 0.5;
  all.change(moved);
  EXPECT_FALSE(std::isfinite(all.latest(probe)));
}

TEST(Profile, AveragesWhatIsAddedToTheMeanOnly) {
  Profile profile;
  profile.add_to_mean(std::vector<double>{1, 2, 3});
  profile.take(std::vector<double>{7, 7, 7});
  profile.add_to_mean(std::vector<double>{3, 2, nothing});
  profile.take(std::vector<double>{3, 2, nothing, 5, 5});
  EXPECT_EQ(profile.moments(), 2U);
  const std::vector<CurvePoint> mean = profile.points(true, 10), now = profile.points(false, 10);
  ASSERT_EQ(mean.size(), 3U);
  ASSERT_EQ(now.size(), 5U);
  EXPECT_DOUBLE_EQ(mean[0].y, 2);
  EXPECT_DOUBLE_EQ(now[0].y, 3);
  EXPECT_DOUBLE_EQ(mean[1].x, 5);
  EXPECT_DOUBLE_EQ(now[1].x, 2.5);
  EXPECT_FALSE(std::isfinite(mean[2].y));
}

TEST(CurvesCsv, RoundTripsNumbersAndLogarithms) {
  Curve curve;
  curve.id = "a,b";
  curve.x_unit = "length";
  curve.y_unit = "height";
  curve.points = {{0.1, 1.0 / 3}, {0.2, nothing}};
  curve.theory = {{0.1, 0.25}};
  Curve powers;
  powers.id = "powers";
  powers.logarithmic_y = true;
  powers.points = {{1, 2}};
  const std::string text = curves_as_csv({curve, powers});
  EXPECT_EQ(text,
            "curve,x,x_unit,y,y_unit,kind\n"
            "\"a,b\",0.1,length,0.3333333333333333,height,measured\n"
            "\"a,b\",0.2,length,,height,measured\n"
            "\"a,b\",0.1,length,0.25,height,theory\n"
            "powers,1,,100,,measured\n");
}

TEST(CurvesCsv, StatesAreaBetweenCurveAndTheory) {
  Curve curve;
  for (int k = 0; k <= 100; ++k) curve.points.push_back({0.1 * k, 1.03 * (2 + 0.1 * k)});
  curve.theory = {{0, 2}, {10, 12}};
  EXPECT_NEAR(error_against_theory(curve), 0.03, 1e-12);
  EXPECT_EQ(error_text(curve).english(), ", 3.0 % off");
  // Measurements beyond the ends of the theory cannot be compared.
  curve.points.push_back({11, 1e9});
  EXPECT_NEAR(error_against_theory(curve), 0.03, 1e-12);
  curve.theory.clear();
  EXPECT_EQ(error_text(curve), "");
}

// One narrow peak in a hundred points, shifted by one of them, has an area of its own width only. Its square would
// decide over all other points.
TEST(CurvesCsv, ErrorDoesNotDependOnOnePeak) {
  Curve curve;
  for (int k = 0; k <= 100; ++k) {
    curve.points.push_back({1.0 * k, k == 50 ? 30.0 : 1.0});
    curve.theory.push_back({1.0 * k, k == 51 ? 30.0 : 1.0});
  }
  EXPECT_NEAR(error_against_theory(curve), 2 * 29 / 130.0, 1e-12);
  // On a logarithmic axis the typical factor counts: here 1.02 at most points and a thousand at one.
  curve.logarithmic_y = true;
  for (int k = 0; k <= 100; ++k) {
    const auto at = static_cast<std::size_t>(k);
    curve.theory[at].y = 0;
    curve.points[at].y = k == 50 ? 3 : std::log10(1.02);
  }
  EXPECT_NEAR(error_against_theory(curve), std::pow(10, (3 + 100 * std::log10(1.02)) / 101) - 1, 1e-9);
}

TEST(CurvesCsv, StatesNoErrorWhereTheoryDoesNotHold) {
  Curve curve;
  curve.label = "Speeds";
  for (int k = 0; k <= 10; ++k) {
    curve.points.push_back({1.0 * k, 2});
    curve.theory.push_back({1.0 * k, 1});
  }
  EXPECT_EQ(error_text(curve).english(), ", 100 % off");
  leave_uncompared(curve, "heat flows");
  EXPECT_EQ(curve.label.english(), "Speeds (not compared: heat flows)");
  EXPECT_EQ(error_text(curve), "");
}

// Theory's frequencies above a measured spectrum have no height.
TEST(CurvesCsv, StatesNoErrorForTickMarks) {
  Curve curve;
  curve.points = {{0, 1}, {1, 5}, {2, 1}};
  for (const double x : {0.5, 1.5}) curve.theory.insert(curve.theory.end(), {{x, 6}, {x, 7}, {x, 6}});
  EXPECT_EQ(error_text(curve), "");
  // A step is not a tick.
  curve.theory = {{0, 1}, {1, 1}, {1, 5}, {2, 5}};
  EXPECT_NE(error_text(curve), "");
}

class WavFile : public ScratchFolder {};

TEST_F(WavFile, MapsDominantFrequencyToTone) {
  const double frequency = 0.05, spacing = 1.0;
  const double seconds = save_wav(path("a.wav"), sampled_sine(4001, spacing, frequency, 0.2), spacing, frequency);
  EXPECT_NEAR(seconds, 200.0 / audible_pitch, 1e-9) << "4000 units of time are 200 periods";
  const std::string bytes = read("a.wav");
  std::uint32_t rate = 0, length = 0;
  std::memcpy(&rate, bytes.data() + 24, 4);
  std::memcpy(&length, bytes.data() + 40, 4);
  EXPECT_EQ(bytes.substr(0, 4) + bytes.substr(8, 8), "RIFFWAVEfmt ");
  EXPECT_EQ(rate, 44100U);
  ASSERT_EQ(bytes.size(), 44U + length);
  std::vector<double> heard;
  for (std::size_t k = 44; k + 1 < bytes.size(); k += 2) {
    std::int16_t sample = 0;
    std::memcpy(&sample, bytes.data() + k, 2);
    heard.push_back(sample);
  }
  const Spectrum tone = spectrum_of(heard, 1.0 / rate);
  EXPECT_NEAR(tone.peak, audible_pitch, tone.uncertainty);
  EXPECT_GT(*std::max_element(heard.begin(), heard.end()), 20000);
}

TEST_F(WavFile, ReportsMissingTone) {
  EXPECT_THROW(save_wav(path("a.wav"), sampled_sine(100, 1, 0.05, 0.2), 1, 0), InputError);
  EXPECT_THROW(save_wav(path("a.wav"), sampled_sine(100, 1, 0.05, 0.2), 1, 0.05), InputError);
  EXPECT_EQ(files(), 0U);
  fail_output_after(0);
  EXPECT_THROW(save_wav(path("a.wav"), sampled_sine(4001, 1, 0.05, 0.2), 1, 0.05), Error);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace perturb
