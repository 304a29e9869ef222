#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "cuda/studies/paper.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

TEST(Verdict, FollowsTheOrderOfTheRepeats) {
  const std::vector<double> low = {1.0, 1.1, 1.2, 1.05, 1.15}, high = {2.0, 2.1, 1.9, 2.2, 2.05};
  EXPECT_EQ(verdict_of(low, high), Verdict::holds);
  EXPECT_EQ(verdict_of(high, low), Verdict::reversed);
  EXPECT_EQ(verdict_of(low, low), Verdict::inconclusive);
}

TEST(Verdict, IsInconclusiveWhenNoiseEqualsDifference) {
  const std::vector<double> a = {1.0, 1.4, 1.1, 1.5, 1.2, 1.3, 1.6}, b = {1.1, 1.5, 1.2, 1.6, 1.3, 1.4, 1.7};
  EXPECT_EQ(verdict_of(a, b), Verdict::inconclusive);
}

TEST(Verdict, ToleratesOneSlowRepeat) {
  // 8 of 64 pairs are out of order; 10 would be too many.
  const std::vector<double> low = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 90},
                            high = {2.0, 2.1, 1.9, 2.2, 2.3, 1.8, 2.4, 2.5};
  EXPECT_EQ(verdict_of(low, high), Verdict::holds);
}

// Two sets that the test separates and whose ranges overlap: their medians differ by 1.5 %.
TEST(Verdict, IsInconclusiveNearOneInFindings) {
  const std::vector<double> less = {1.000, 1.001, 1.002, 1.003, 1.004, 1.005, 1.018, 1.019},
                            more = {1.015, 1.016, 1.017, 1.020, 1.021, 1.022, 1.023, 1.024};
  ASSERT_EQ(verdict_of(less, more), Verdict::holds);
  EXPECT_TRUE(ratio_range(less, more).contains_one());
  EXPECT_EQ(verdict_text({"a claim", "a place", 2, less, more}), text_of(Verdict::inconclusive));
  std::vector<double> apart = more;
  for (double& value : apart) value += 0.01;
  EXPECT_EQ(verdict_text({"a claim", "a place", 2, less, apart}), text_of(Verdict::holds));
  EXPECT_EQ(verdict_text({"a claim", "a place", 2, apart, less}), text_of(Verdict::reversed));
}

// A clear order of two sets that differ by 1 %, and sets without an order that differ by no more than 1 %.
TEST(Verdict, SmallEffectIsNoDifference) {
  const std::vector<double> a = {1.000, 1.001, 1.002, 1.003, 1.004}, b = times_of(a, 1.01), c = times_of(a, 1.03);
  const auto text = [](const std::vector<double>& less, const std::vector<double>& more) {
    return verdict_text({"a claim", "a place", NAN, less, more});
  };
  ASSERT_EQ(verdict_of(a, b), Verdict::holds);
  EXPECT_EQ(text(a, b), "no difference");
  EXPECT_EQ(text(b, a), "no difference");
  EXPECT_EQ(text(a, a), "no difference");
  EXPECT_EQ(text(a, c), text_of(Verdict::holds));
  EXPECT_EQ(text(c, a), text_of(Verdict::reversed));
  EXPECT_EQ(text({0.9, 1, 1.1, 1.2, 1.3}, {0.9, 1, 1.1, 1.2, 1.3}), text_of(Verdict::inconclusive)) << "too much noise";
  EXPECT_EQ(text({1, 1}, {1, 1}), text_of(Verdict::inconclusive)) << "too few repeats";
  const Finding bound = with_measured({"at most 3", "a place", NAN, a, b}, 2.97, "times");
  EXPECT_EQ(verdict_text(bound), text_of(Verdict::holds)) << "a ratio to a bound has no smallest effect";
  const std::vector<double> starts = {1, 10, 100, 1000, 10000, 2, 20, 200}, later = times_of(starts, 1.01);
  EXPECT_EQ(verdict_text(paired_finding("a claim", "a place", NAN, starts, later)), "no difference");
  EXPECT_EQ(verdict_text(counted_finding("a claim", "a place", NAN, 100, 101)), text_of(Verdict::holds));
}

TEST(Verdict, LeavesOutOneRepeatAtEachEndOfSeven) {
  const RatioRange six = ratio_range({1, 1, 1, 1, 1, 9}, {2, 2, 2, 2, 2, 2}),
                   seven = ratio_range({1, 1, 1, 1, 1, 1, 9}, {2, 2, 2, 2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(six.least, 2.0 / 9);
  EXPECT_DOUBLE_EQ(seven.least, 2);
  EXPECT_DOUBLE_EQ(seven.most, 2);
  EXPECT_FALSE(ratio_range({}, {1}).contains_one());
}

TEST(Verdict, FourRepeatsAreTooFewAndFiveAreEnough) {
  EXPECT_EQ(verdict_of({1, 2, 3, 4}, {5, 6, 7, 8}), Verdict::inconclusive);  // by chance in 1 of 70
  EXPECT_EQ(verdict_of({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), Verdict::holds);  // in 1 of 252
  EXPECT_EQ(verdict_of({}, {1, 2, 3, 4, 5}), Verdict::inconclusive);
  EXPECT_EQ(verdict_of({1}, {2}), Verdict::inconclusive);
}

TEST(Verdict, EqualValuesCountForNeitherSide) {
  EXPECT_EQ(verdict_of({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}), Verdict::inconclusive);
  EXPECT_EQ(verdict_of({1, 1, 1, 1, 1}, {1, 2, 2, 2, 2}), Verdict::inconclusive);
}

TEST(Verdict, IsInconclusiveForNonFiniteValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(verdict_of({1, 2, 3, 4, nan}, {6, 7, 8, 9, 10}), Verdict::inconclusive);
  EXPECT_EQ(verdict_of({1, 2, 3, 4, 5}, {6, 7, 8, 9, infinity}), Verdict::inconclusive);
}

// Mann and Whitney's critical values for 1 % one-sided (from their table): one more pair is too many.
TEST(Verdict, HasTheCriticalNumbersOfTheTable) {
  for (const auto& [n, critical] :
       {std::pair{5, 1}, std::pair{6, 3}, std::pair{7, 6}, std::pair{8, 9}, std::pair{10, 19}}) {
    const auto verdict = [n = n](int out_of_order) {
      std::vector<double> less, more;
      for (int k = 0; k < n; ++k) {
        less.push_back(k);
        more.push_back(1000 + k);
      }
      // The largest of `less` moves up past this many of `more`, then the next one.
      for (int k = n - 1; out_of_order > 0; --k) {
        const int past = std::min(out_of_order, n);
        less[static_cast<std::size_t>(k)] = 1000 + past - 0.5;
        out_of_order -= past;
      }
      return verdict_of(less, more);
    };
    EXPECT_EQ(verdict(critical), Verdict::holds) << n;
    EXPECT_EQ(verdict(critical + 1), Verdict::inconclusive) << n;
  }
}

TEST(Verdict, IsSeldomWrongAboutNothing) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  std::mt19937 random(7);
  std::normal_distribution<double> noise(10, 1);
  int decided = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a, b;
    for (int k = 0; k < 9; ++k) {
      a.push_back(noise(random));
      b.push_back(noise(random));
    }
    decided += verdict_of(a, b) != Verdict::inconclusive;
  }
  EXPECT_LE(decided, 2 * verdict_chance * trials * 1.3) << "both sides together, and a little luck";
  EXPECT_GT(decided, 0);
}

StudyValue cell_of(const StudyTable& table, std::size_t row, const std::string& id) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].id == id) return table.rows.at(row).at(c);
  return StudyValue(std::string("no such column"));
}

TEST(Findings, AreComputedFromWhatWasMeasured) {
  const std::vector<double> low = {1, 1.1, 1.2, 0.9, 1.0}, high = {2, 2.2, 2.1, 1.8, 2.0};
  const StudyTable table = findings_table({{"a is faster than b", "table 1", 1.5, low, high},
                                           {"b is faster than a", "table 1", 1.5, high, low},
                                           {"a is faster than itself", "table 2", NAN, low, low},
                                           {"nothing was measured", "table 3", 3, {}, {}}},
                                          "a note");
  ASSERT_EQ(table.rows.size(), 4u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  const auto cell = [&](std::size_t row, const std::string& id) { return cell_of(table, row, id); };
  EXPECT_EQ(cell(0, "verdict"), StudyValue(std::string("holds here")));
  EXPECT_EQ(cell(1, "verdict"), StudyValue(std::string("reversed here")));
  EXPECT_EQ(cell(2, "verdict"), StudyValue(std::string("inconclusive")));
  EXPECT_EQ(cell(3, "verdict"), StudyValue(std::string("not measured here")));
  EXPECT_EQ(cell(0, "source_ratio"), StudyValue(1.5));
  EXPECT_EQ(cell(2, "source_ratio"), StudyValue(std::string("-")));
  EXPECT_DOUBLE_EQ(std::get<double>(cell(0, "ratio")), 2.0);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(0, "least_ratio")), 1.8 / 1.2);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(0, "most_ratio")), 2.2 / 0.9);
  EXPECT_EQ(cell(0, "repeats"), StudyValue(5.0));
  EXPECT_EQ(cell(3, "ratio"), StudyValue(std::string("-")));
  EXPECT_EQ(cell(0, "measured"), StudyValue(std::string("-")));
  EXPECT_EQ(table.note, "a note");
}

TEST(Findings, TheMedianIsTheMiddle) {
  EXPECT_DOUBLE_EQ(median_of({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median_of({})));
}

TEST(InterleavedTiming, InterleavesTimedWork) {
  std::string order;
  const auto seconds = interleaved_seconds({[&] {
                                              order += 'a';
                                              std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                            },
                                            [&] { order += 'b'; }},
                                           3);
  EXPECT_EQ(order, "ababab");
  ASSERT_EQ(seconds.size(), 2u);
  ASSERT_EQ(seconds[0].size(), 3u);
  for (const double s : seconds[0]) EXPECT_GE(s, 0.002) << "a sleep lasts no less than it was asked to";
}

TEST(Verdict, HandlesCountedNumbersAndAgreement) {
  EXPECT_EQ(verdict_text(counted_finding("", "", 2, 1, 3)), text_of(Verdict::holds));
  EXPECT_EQ(verdict_text(counted_finding("", "", 2, 3, 1)), text_of(Verdict::reversed));
  EXPECT_EQ(verdict_text(counted_finding("", "", 2, 3, 3)), "alike here");
  EXPECT_EQ(verdict_text(counted_finding("", "", 2, NAN, 3)), text_of(Verdict::inconclusive));
  EXPECT_EQ(verdict_text(agreement("", "", 67, 66.7, 0.5)), "agrees");
  EXPECT_EQ(verdict_text(agreement("", "", 67, 66.4, 0.5)), "differs");
  EXPECT_EQ(verdict_text(agreement("", "", 67, NAN, 0.5)), "differs");
  const StudyTable table = findings_table({agreement("", "", 67, 66.7, 0.5), counted_finding("", "", 2, 1, 3)});
  EXPECT_EQ(std::get<double>(cell_of(table, 0, "ratio")), 66.7) << "the number itself";
  EXPECT_EQ(std::get<double>(cell_of(table, 1, "ratio")), 3) << "a ratio";
}

TEST(Findings, ShowMeasuredNumberBesideItsRatioToABound) {
  const std::vector<double> gains = {1.2, 1.21, 1.19, 1.22, 1.18};
  const Finding at_most = {"at most 3 times", "", NAN, gains, std::vector<double>(gains.size(), 3)};
  const StudyTable table =
      findings_table({with_measured(at_most, median_of(gains), "times"), with_measured(at_most, NAN, "times")});
  EXPECT_EQ(cell_of(table, 0, "measured"), StudyValue(std::string("1.2 times")));
  EXPECT_DOUBLE_EQ(std::get<double>(cell_of(table, 0, "ratio")), 2.5);
  EXPECT_EQ(cell_of(table, 1, "measured"), StudyValue(std::string("-"))) << "nothing was measured";
}

// Wilcoxon's table, one-sided, 1 %: the sum of contradicting ranks may be 0 for 7 pairs, 1 for 8, 3 for 9, 5 for 10;
// six pairs are too few.
TEST(Verdict, PairedTestHasTabulatedCriticalValues) {
  const auto verdict = [](int pairs, const std::vector<int>& against) {
    std::vector<double> less, more;
    for (int rank = 1; rank <= pairs; ++rank) {
      const bool wrong = std::find(against.begin(), against.end(), rank) != against.end();
      const double start = 1 + 100.0 * (rank % 3), gain = 1 + 0.01 * rank;  // starts differ far more than pairs do
      less.push_back(wrong ? start * gain : start);
      more.push_back(wrong ? start : start * gain);
    }
    return verdict_of_pairs(less, more);
  };
  EXPECT_EQ(verdict(6, {}), Verdict::inconclusive);
  EXPECT_EQ(verdict(7, {}), Verdict::holds);
  EXPECT_EQ(verdict(7, {1}), Verdict::inconclusive);
  EXPECT_EQ(verdict(8, {1}), Verdict::holds);
  EXPECT_EQ(verdict(8, {2}), Verdict::inconclusive);
  EXPECT_EQ(verdict(9, {3}), Verdict::holds);
  EXPECT_EQ(verdict(9, {4}), Verdict::inconclusive);
  EXPECT_EQ(verdict(10, {5}), Verdict::holds);
  EXPECT_EQ(verdict(10, {2, 4}), Verdict::inconclusive);
  EXPECT_EQ(verdict(7, {1, 2, 3, 4, 5, 6, 7}), Verdict::reversed);
}

// Ten pairs that differ by 3 % in the same direction, with starts that differ tenfold: unpaired, the test is
// inconclusive.
TEST(Verdict, PairedTestIgnoresDifferencesBetweenStarts) {
  std::vector<double> less, more;
  for (int k = 0; k < 10; ++k) {
    less.push_back(1 + k);
    more.push_back(1.03 * (1 + k));
  }
  EXPECT_EQ(verdict_of(less, more), Verdict::inconclusive);
  EXPECT_EQ(verdict_text(paired_finding("", "", NAN, less, more)), text_of(Verdict::holds));
  EXPECT_EQ(verdict_text(paired_finding("", "", NAN, more, less)), text_of(Verdict::reversed));
  EXPECT_EQ(verdict_text(paired_finding("", "", NAN, less, less)), text_of(Verdict::inconclusive));
  const StudyTable table = findings_table({paired_finding("", "", NAN, less, more)});
  EXPECT_NEAR(std::get<double>(cell_of(table, 0, "ratio")), 1.03, 1e-12) << "the median of the pairs' ratios";
  less[0] = 0;
  EXPECT_EQ(verdict_of_pairs(less, more), Verdict::inconclusive) << "no ratio";
}

TEST(Verdict, AgreementOfRepeatsAsksForNearlyAllOfThem) {
  const auto words = [](int near, int far) {
    std::vector<double> repeats(static_cast<std::size_t>(near), 10.5);
    repeats.insert(repeats.end(), static_cast<std::size_t>(far), 12);
    return verdict_text(agreement("", "", 10, repeats, 1));
  };
  EXPECT_EQ(words(7, 0), "agrees");
  EXPECT_EQ(words(0, 7), "differs");
  EXPECT_EQ(words(6, 0), text_of(Verdict::inconclusive));
  EXPECT_EQ(words(8, 1), text_of(Verdict::inconclusive));
  EXPECT_EQ(words(10, 1), "agrees");
  EXPECT_EQ(words(1, 10), "differs");
  EXPECT_EQ(verdict_text(agreement("", "", 10, std::vector<double>{}, 1)), "not measured here");
}

// Five repeats of each quantity suffice, as for any two of them: all ratios are within the tolerance, or all beyond.
TEST(Verdict, AgreementOfARatioTestsBothEnds) {
  const auto words = [](double ratio, std::size_t repeats) {
    std::vector<double> less, more;
    for (std::size_t k = 0; k < repeats; ++k) {
      less.push_back(1 + 0.01 * static_cast<double>(k));
      more.push_back(ratio * (1 + 0.01 * static_cast<double>(k)));
    }
    return verdict_text(agreement_of_ratio("", "", 3, less, more, 0.5));
  };
  EXPECT_EQ(words(3, 5), "agrees");
  EXPECT_EQ(words(2.7, 5), "agrees");
  for (const double far : {0.03, 2.3, 3.7, 123.0}) EXPECT_EQ(words(far, 5), "differs") << far;
  for (const double end : {2.5, 3.5}) EXPECT_EQ(words(end, 5), text_of(Verdict::inconclusive)) << end;
  EXPECT_EQ(words(3, 4), text_of(Verdict::inconclusive)) << "too few";
  EXPECT_EQ(words(123, 4), text_of(Verdict::inconclusive));
  EXPECT_EQ(words(3, 0), "not measured here");
  const StudyTable table = findings_table({agreement_of_ratio("", "", 3, {1, 1, 1, 1, 1}, {3, 3, 3, 3, 3.1}, 0.5)});
  EXPECT_EQ(std::get<double>(cell_of(table, 0, "ratio")), 3);
  EXPECT_EQ(std::get<double>(cell_of(table, 0, "most_ratio")), 3.1);
  EXPECT_EQ(cell_of(table, 0, "verdict"), StudyValue(std::string("agrees")));
}

}  // namespace
}  // namespace perturb
