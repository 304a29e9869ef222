#include "cuda/core/bench/verdict.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace perturb {

namespace {

// The probability that, for m and n measurements of the same quantity, at most `u` of the m n pairs are in the wrong
// order. The number of arrangements: W(m, n, u) = W(m-1, n, u-n) + W(m, n-1, u), by which of the two sets has the
// largest value.
double chance_of(std::size_t m, std::size_t n, std::size_t u) {
  std::vector<std::vector<std::vector<double>>> ways(
      m + 1, std::vector<std::vector<double>>(n + 1, std::vector<double>(u + 1, 0)));
  for (std::size_t a = 0; a <= m; ++a)
    for (std::size_t b = 0; b <= n; ++b)
      for (std::size_t k = 0; k <= u; ++k) {
        if (a == 0 || b == 0)
          ways[a][b][k] = k == 0 ? 1 : 0;
        else
          ways[a][b][k] = (k >= b ? ways[a - 1][b][k - b] : 0) + ways[a][b - 1][k];
      }
  double few = 0, all = 1;
  for (std::size_t k = 0; k <= u; ++k) few += ways[m][n][k];
  for (std::size_t k = 1; k <= m; ++k) all *= static_cast<double>(n + k) / static_cast<double>(k);
  return few / all;
}

bool is_significantly_less(const std::vector<double>& less, const std::vector<double>& more) {
  std::size_t wrong = 0;
  for (const double a : less)
    for (const double b : more) wrong += a >= b ? 1 : 0;
  return chance_of(less.size(), more.size(), wrong) <= verdict_chance;
}

// Whether the pairs that contradict the claim are significantly few: counts, among all 2^n ways to give the ranks
// signs, those with a contradicting rank sum that is no larger. Equal pairs count against the claim; ranks are doubled,
// because ranks of equal ratios are half-integers.
bool is_significantly_less_in_pairs(const std::vector<double>& less, const std::vector<double>& more) {
  std::vector<double> gains;
  for (std::size_t k = 0; k < less.size(); ++k) gains.push_back(std::log(more[k] / less[k]));
  std::vector<std::size_t> ranks;  // doubled
  std::size_t against = 0, all = 0;
  for (const double gain : gains) {
    std::size_t below = 0, equal = 0;
    for (const double other : gains) {
      below += std::abs(other) < std::abs(gain) ? 1 : 0;
      equal += std::abs(other) == std::abs(gain) ? 1 : 0;
    }
    ranks.push_back(2 * below + equal + 1);
    all += ranks.back();
    if (gain <= 0) against += ranks.back();
  }
  std::vector<double> ways(all + 1, 0);
  ways[0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t sum = all; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  double few = 0;
  for (std::size_t sum = 0; sum <= against; ++sum) few += ways[sum];
  return few / std::exp2(static_cast<double>(ranks.size())) <= verdict_chance;
}

// Whether `many` or more of n fair coin tosses on the same side are improbable.
bool is_significant_majority(std::size_t many, std::size_t n) {
  double ways = 1, few = 0;  // with k tosses on the other side
  for (std::size_t k = 0; k <= n - many; ++k) {
    few += ways;
    ways *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return few / std::exp2(static_cast<double>(n)) <= verdict_chance;
}

StudyValue number_or_dash(double value) {
  return std::isfinite(value) ? StudyValue(value) : StudyValue(std::string("-"));
}

}  // namespace

const char* text_of(Verdict verdict) {
  return verdict == Verdict::holds      ? "holds here"
         : verdict == Verdict::reversed ? "reversed here"
                                        : "cannot be told from the noise";
}

Verdict verdict_of(const std::vector<double>& less, const std::vector<double>& more) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (less.empty() || more.empty()) return Verdict::inconclusive;
  if (!std::all_of(less.begin(), less.end(), finite) || !std::all_of(more.begin(), more.end(), finite))
    return Verdict::inconclusive;
  if (is_significantly_less(less, more)) return Verdict::holds;
  return is_significantly_less(more, less) ? Verdict::reversed : Verdict::inconclusive;
}

Verdict verdict_of_pairs(const std::vector<double>& less, const std::vector<double>& more) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (less.empty() || less.size() != more.size()) return Verdict::inconclusive;
  if (!std::all_of(less.begin(), less.end(), positive) || !std::all_of(more.begin(), more.end(), positive))
    return Verdict::inconclusive;
  if (is_significantly_less_in_pairs(less, more)) return Verdict::holds;
  return is_significantly_less_in_pairs(more, less) ? Verdict::reversed : Verdict::inconclusive;
}

double median_of(std::vector<double> repeats) {
  if (repeats.empty()) return NAN;
  std::sort(repeats.begin(), repeats.end());
  const std::size_t half = repeats.size() / 2;
  return repeats.size() % 2 == 1 ? repeats[half] : (repeats[half - 1] + repeats[half]) / 2;
}

std::vector<std::vector<double>> interleaved_seconds(const std::vector<std::function<void()>>& works, int turns) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::vector<double>> seconds(works.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t k = 0; k < works.size(); ++k) {
      const auto start = Clock::now();
      works[k]();
      seconds[k].push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  return seconds;
}

Finding counted_finding(std::string claim, std::string place, double paper, double less, double more) {
  Finding finding{std::move(claim), std::move(place), paper, {less}, {more}};
  finding.counted = true;
  return finding;
}

Finding agreement(std::string claim, std::string place, double paper, double here, double within) {
  Finding finding{std::move(claim), std::move(place), paper, {here}, {}};
  finding.within = within;
  return finding;
}

Finding agreement(std::string claim, std::string place, double paper, std::vector<double> repeats, double within) {
  Finding finding{std::move(claim), std::move(place), paper, std::move(repeats), {}};
  finding.within = within;
  return finding;
}

Finding paired_finding(std::string claim, std::string place, double paper, std::vector<double> less,
                       std::vector<double> more) {
  Finding finding{std::move(claim), std::move(place), paper, std::move(less), std::move(more)};
  finding.paired = true;
  return finding;
}

void restrict_to_device(Finding& finding, const std::string& device) {
  finding.claim += " (asked of a " + device + ")";
}
void restrict_to_device(std::vector<Finding>& findings, const std::string& device) {
  for (Finding& finding : findings) restrict_to_device(finding, device);
}

std::string verdict_text(const Finding& finding) {
  if (std::isfinite(finding.within)) {
    const std::size_t n = finding.less.size();
    if (n == 0) return "not measured here";
    std::size_t near = 0;
    for (const double here : finding.less) near += std::abs(here - finding.paper) <= finding.within ? 1 : 0;
    if (n == 1 || is_significant_majority(std::max(near, n - near), n)) return 2 * near > n ? "agrees" : "differs";
    return text_of(Verdict::inconclusive);
  }
  if (finding.less.empty() || finding.more.empty()) return "not measured here";
  if (finding.paired) return text_of(verdict_of_pairs(finding.less, finding.more));
  if (!finding.counted) return text_of(verdict_of(finding.less, finding.more));
  const double less = finding.less.front(), more = finding.more.front();
  if (!std::isfinite(less) || !std::isfinite(more)) return text_of(Verdict::inconclusive);
  return less < more ? text_of(Verdict::holds) : less > more ? text_of(Verdict::reversed) : "alike here";
}

StudyTable findings_table(const std::vector<Finding>& findings, std::string note) {
  StudyTable table;
  table.id = "findings", table.title = "What the source found, and what was measured here";
  table.columns = {{"claim", "the source", ""},          {"place", "where", ""},
                   {"source_ratio", "its ratio", "", 4}, {"ratio", "here", "", 3},
                   {"least_ratio", "at least", "", 3},   {"most_ratio", "at most", "", 3},
                   {"repeats", "repeats", "", 3},        {"verdict", "verdict", ""}};
  for (const Finding& f : findings) {
    const auto ends = [](const std::vector<double>& repeats) {
      if (repeats.empty()) return std::pair<double, double>{NAN, NAN};
      const auto [least, most] = std::minmax_element(repeats.begin(), repeats.end());
      return std::pair<double, double>{*least, *most};
    };
    if (std::isfinite(f.within)) {
      const auto [least, most] = ends(f.less);
      table.rows.push_back({f.claim, f.place, number_or_dash(f.paper), number_or_dash(median_of(f.less)),
                            number_or_dash(least), number_or_dash(most), static_cast<double>(f.less.size()),
                            verdict_text(f)});
      continue;
    }
    if (f.paired) {
      std::vector<double> ratios;
      for (std::size_t k = 0; k < std::min(f.less.size(), f.more.size()); ++k) ratios.push_back(f.more[k] / f.less[k]);
      const auto [least, most] = ends(ratios);
      table.rows.push_back({f.claim, f.place, number_or_dash(f.paper), number_or_dash(median_of(ratios)),
                            number_or_dash(least), number_or_dash(most), static_cast<double>(ratios.size()),
                            verdict_text(f)});
      continue;
    }
    const auto [least_less, most_less] = ends(f.less);
    const auto [least_more, most_more] = ends(f.more);
    table.rows.push_back({f.claim, f.place, number_or_dash(f.paper),
                          number_or_dash(median_of(f.more) / median_of(f.less)), number_or_dash(least_more / most_less),
                          number_or_dash(most_more / least_less),
                          static_cast<double>(std::min(f.less.size(), f.more.size())), verdict_text(f)});
  }
  table.note = std::move(note);
  return table;
}

}  // namespace perturb
