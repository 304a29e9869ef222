#include "cuda/studies/paper.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_sources();

namespace {

constexpr std::string_view headings = "place,row,column,value,unit,read";

// Returns the text before the next `separator` and removes both from `text`.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return part;
}

}  // namespace

PaperTable::PaperTable(std::string name, std::string_view text) : name_(std::move(name)) {
  int line_number = 0;
  const auto require = [&](bool condition, const char* what) {
    if (!condition)
      throw Error("internal: assets/sources/{}.csv, line {}: {}", name_, std::to_string(line_number), what);
  };
  const auto next_line = [&] {
    ++line_number;
    return take(text, "\n");
  };
  std::string_view work = next_line();
  require(work.starts_with("# "), "begins with \"# author | title | year\"");
  work.remove_prefix(2);
  author_ = take(work, " | ");
  title_ = take(work, " | ");
  double year = 0;
  require(!author_.empty() && !title_.empty() && read_number(work, year), "author, title and year are wanted");
  year_ = static_cast<int>(year);
  require(next_line() == headings, "the headings are wanted");
  while (!text.empty()) {
    std::string_view line = next_line();
    require(std::count(line.begin(), line.end(), ',') == 5, "six fields are wanted");
    std::array<std::string_view, 6> field;
    for (std::string_view& f : field) f = take(line, ",");
    PaperValue value;
    value.place = field[0];
    value.row = field[1];
    value.column = field[2];
    value.digits = field[3];
    value.unit = field[4];
    value.read = field[5];
    require(read_number(value.digits, value.value), "the value is not a number");
    require(!value.place.empty() && !value.row.empty() && !value.column.empty() && !value.read.empty(),
            "only the unit may be empty");
    require(find(value.place, value.row, value.column) == nullptr, "this number is in the file already");
    values_.push_back(std::move(value));
  }
}

std::string PaperTable::cited() const { return author_ + ", " + title_ + " (" + std::to_string(year_) + ")"; }

const PaperValue* PaperTable::find(std::string_view place, std::string_view row, std::string_view column) const {
  for (const PaperValue& value : values_)
    if (value.place == place && value.row == row && value.column == column) return &value;
  return nullptr;
}

double PaperTable::at(std::string_view place, std::string_view row, std::string_view column) const {
  return number_of(printed(place, row, column));
}

StudyValue PaperTable::printed(std::string_view place, std::string_view row, std::string_view column) const {
  const PaperValue* found = find(place, row, column);
  if (found == nullptr) throw Error("internal: assets/sources/{}.csv has no {}, {}, {}", name_, place, row, column);
  return PrintedNumber{found->value, found->digits};
}

StudyValue PaperTable::printed_or_dash(std::string_view place, std::string_view row, std::string_view column) const {
  const PaperValue* found = find(place, row, column);
  return found != nullptr ? StudyValue(PrintedNumber{found->value, found->digits}) : StudyValue("-");
}

std::vector<CurvePoint> PaperTable::curve(std::string_view place, std::string_view column) const {
  std::vector<CurvePoint> points;
  double x = 0;
  for (const PaperValue& value : values_)
    if (value.place == place && value.column == column && read_number(value.row, x)) points.push_back({x, value.value});
  return points;
}

std::vector<int> PaperTable::rows(std::string_view place, std::string_view column, int largest) const {
  std::vector<int> numbers;
  for (const CurvePoint& point : curve(place, column))
    if (point.x <= largest) numbers.push_back(static_cast<int>(point.x));
  return numbers;
}

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> tables = [] {
    std::vector<PaperTable> list;
    for (const EmbeddedFile& file : embedded_sources())
      list.emplace_back(std::string(file.name.substr(0, file.name.find('.'))), file.text);
    return list;
  }();
  return tables;
}

const PaperTable& paper_table(std::string_view simulation) {
  for (const PaperTable& table : paper_tables())
    if (table.name() == simulation) return table;
  throw Error("internal: there is no assets/sources/{}.csv", simulation);
}

std::span<const EmbeddedFile> embedded_source_studies();

std::vector<PaperStudy> read_paper_studies(std::string_view text) {
  std::vector<PaperStudy> list;
  int number = 0;
  const auto require = [&](bool condition, const char* what) {
    if (!condition) throw Error("internal: assets/source_studies.csv, line {}: {}", std::to_string(number), what);
  };
  const auto take = [&](char separator) {
    const std::size_t at = text.find(separator);
    require(at != std::string_view::npos, "five fields and the end of a line are wanted");
    const std::string_view field = text.substr(0, at);
    require(field.find('\n') == std::string_view::npos, "five fields are wanted");
    text.remove_prefix(at + 1);
    return std::string(field);
  };
  for (number = 1; !text.empty(); ++number) {
    PaperStudy study;
    study.simulation = take(',');
    study.study = take(',');
    study.preset = take(',');
    const std::string seconds = take(','), version = take('\n');
    if (number == 1) {
      require(seconds == "seconds" && version == "version", "the headings are wanted");
      continue;
    }
    double counted = 0;
    require(read_number(version, counted) && counted >= 1 && counted == std::floor(counted), "a version is wanted");
    study.version = static_cast<int>(counted);
    require(!study.simulation.empty() && !study.study.empty(), "a simulation and a study are wanted");
    require(read_number(seconds, study.seconds) && study.seconds > 0, "seconds are wanted");
    list.push_back(std::move(study));
  }
  return list;
}

std::vector<PaperStudy> paper_studies(std::string_view simulation) {
  static const std::vector<PaperStudy> all = read_paper_studies(embedded_source_studies().front().text);
  std::vector<PaperStudy> list;
  std::copy_if(all.begin(), all.end(), std::back_inserter(list),
               [&](const PaperStudy& study) { return study.simulation == simulation; });
  return list;
}

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

constexpr const char* no_difference = "no difference";
constexpr std::size_t enough_repeats = 5;  // four cannot reach the significance level

StudyValue number_or_dash(double value) { return value_if(std::isfinite(value), value); }

}  // namespace

StudyCpu::StudyCpu(const StudyProgress& progress, int threads) : backend_(Backend::make_cpu(threads)) {
  const auto* reporter = progress.target<StudyReporter>();
  if (reporter == nullptr || reporter->stop == nullptr) return;
  stop_ = std::make_unique<StopScope>(*backend_, *reporter->stop);
  loops_ = std::make_unique<InterruptibleScope>(*backend_);
}
StudyCpu::~StudyCpu() = default;

const char* text_of(Verdict verdict) {
  return verdict == Verdict::holds ? "holds here" : verdict == Verdict::reversed ? "reversed here" : "inconclusive";
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

RatioRange ratio_range(const std::vector<double>& less, const std::vector<double>& more) {
  if (less.empty() || more.empty()) return {};
  constexpr std::size_t enough = 7;
  const std::size_t left_out = std::min(less.size(), more.size()) >= enough ? 1 : 0;
  const auto ends = [&](std::vector<double> repeats) {
    std::sort(repeats.begin(), repeats.end());
    return std::pair{repeats[left_out], repeats[repeats.size() - 1 - left_out]};
  };
  const auto [min_less, max_less] = ends(less);
  const auto [min_more, max_more] = ends(more);
  return {min_more / max_less, max_more / min_less};
}

double median_of(std::vector<double> repeats) {
  if (repeats.empty()) return NAN;
  std::sort(repeats.begin(), repeats.end());
  const std::size_t half = repeats.size() / 2;
  return repeats.size() % 2 == 1 ? repeats[half] : (repeats[half - 1] + repeats[half]) / 2;
}

double shortest_of(const std::vector<double>& repeats) { return *std::min_element(repeats.begin(), repeats.end()); }
double longest_of(const std::vector<double>& repeats) { return *std::max_element(repeats.begin(), repeats.end()); }
double spread_of(const std::vector<double>& repeats) { return longest_of(repeats) / shortest_of(repeats); }

std::vector<double> times_of(std::vector<double> repeats, double factor) {
  for (double& value : repeats) value *= factor;
  return repeats;
}

std::vector<double> quotients_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) all.push_back(a[k] / b[k]);
  return all;
}

std::vector<KernelTime> kernel_times(Backend& backend, const std::function<void()>& work) {
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  backend.synchronize();
  stats.set_timing(true);
  stats.clear();
  work();
  backend.synchronize();
  std::vector<KernelTime> times = stats.table();
  stats.set_timing(timing);
  stats.clear();
  return times;
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

std::vector<std::vector<double>> seconds_each(Backend& backend, const std::vector<RepeatedWork>& works, int turns) {
  constexpr int most = 20000;
  const double enough = timing_duration(0.02);
  std::vector<int> times;
  std::vector<std::function<void()>> groups;
  for (const RepeatedWork& work : works) {
    const auto run = [&backend, &work](int count) {
      backend.stop_point();
      work(count);
      backend.synchronize();
    };
    const auto seconds_of = [&](int count) { return interleaved_seconds({[&] { run(count); }}, 1)[0][0] / count; };
    double once = seconds_of(1);  // loads the kernel
    if (once < enough) once = seconds_of(4);
    times.push_back(std::clamp(static_cast<int>(enough / std::max(once, 1e-7)), 1, most));
    groups.emplace_back([run, count = times.back()] { run(count); });
  }
  std::vector<std::vector<double>> seconds = interleaved_seconds(groups, turns);
  for (std::size_t k = 0; k < seconds.size(); ++k)
    for (double& s : seconds[k]) s /= times[k];
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

Finding agreement_of_ratio(std::string claim, std::string place, double paper, std::vector<double> less,
                           std::vector<double> more, double within) {
  Finding finding{std::move(claim), std::move(place), paper, std::move(less), std::move(more)};
  finding.within = within;
  return finding;
}

Finding paired_finding(std::string claim, std::string place, double paper, std::vector<double> less,
                       std::vector<double> more) {
  Finding finding{std::move(claim), std::move(place), paper, std::move(less), std::move(more)};
  finding.paired = true;
  return finding;
}

Finding with_measured(Finding finding, double measured, const std::string& unit) {
  if (std::isfinite(measured)) finding.measured = format_number(measured, 3) + (unit.empty() ? "" : " " + unit);
  return finding;
}

void restrict_to_device(Finding& finding, const std::string& device) {
  finding.claim += " (asked of a " + device + ")";
}
void restrict_to_device(std::vector<Finding>& findings, const std::string& device) {
  for (Finding& finding : findings) restrict_to_device(finding, device);
}

std::string verdict_text(const Finding& finding) {
  if (std::isfinite(finding.within) && !finding.more.empty()) {
    const auto compared_with = [&](double ratio) {
      std::vector<double> at_ratio = finding.less;
      for (double& value : at_ratio) value *= ratio;
      return verdict_of(at_ratio, finding.more);
    };
    const Verdict above_min = compared_with(finding.paper - finding.within),
                  above_max = compared_with(finding.paper + finding.within);
    if (above_min == Verdict::reversed || above_max == Verdict::holds) return "differs";
    const bool agrees = above_min == Verdict::holds && above_max == Verdict::reversed;
    return agrees ? "agrees" : text_of(Verdict::inconclusive);
  }
  if (std::isfinite(finding.within)) {
    const std::size_t n = finding.less.size();
    if (n == 0) return "not measured here";
    std::size_t near = 0;
    for (const double here : finding.less) near += std::abs(here - finding.paper) <= finding.within ? 1 : 0;
    if (n == 1 || is_significant_majority(std::max(near, n - near), n)) return 2 * near > n ? "agrees" : "differs";
    return text_of(Verdict::inconclusive);
  }
  if (finding.less.empty() || finding.more.empty()) return "not measured here";
  if (!finding.counted) {
    const RatioRange range = ratio_range(finding.less, finding.more);
    Verdict verdict =
        finding.paired ? verdict_of_pairs(finding.less, finding.more) : verdict_of(finding.less, finding.more);
    if (!finding.paired && range.contains_one()) verdict = Verdict::inconclusive;
    const double ratio = finding.paired ? median_of(quotients_of(finding.more, finding.less))
                                        : median_of(finding.more) / median_of(finding.less);
    const bool enough = std::min(finding.less.size(), finding.more.size()) >= enough_repeats;
    const bool none =
        verdict == Verdict::inconclusive ? range.shows_no_effect() : RatioRange{ratio, ratio}.shows_no_effect();
    return finding.measured.empty() && enough && none ? no_difference : text_of(verdict);
  }
  const double less = finding.less.front(), more = finding.more.front();
  if (!std::isfinite(less) || !std::isfinite(more)) return text_of(Verdict::inconclusive);
  return less < more ? text_of(Verdict::holds) : less > more ? text_of(Verdict::reversed) : "alike here";
}

namespace {

// The ratio of a finding and its ends; or, of agreement without `more`, the number itself.
struct FindingNumbers {
  double median, least, most;
  std::size_t repeats;
};
FindingNumbers numbers_of(const Finding& f) {
  const auto of_repeats = [](const std::vector<double>& all) {
    return all.empty() ? FindingNumbers{NAN, NAN, NAN, 0}
                       : FindingNumbers{median_of(all), shortest_of(all), longest_of(all), all.size()};
  };
  if (std::isfinite(f.within) && f.more.empty()) return of_repeats(f.less);
  if (f.paired) return of_repeats(quotients_of(f.more, f.less));
  const RatioRange range = ratio_range(f.less, f.more);
  return {median_of(f.more) / median_of(f.less), range.least, range.most, std::min(f.less.size(), f.more.size())};
}

}  // namespace

StudyTable findings_table(const std::vector<Finding>& findings, std::string note) {
  StudyTable table("findings", "Findings of the paper and measurements here",
                   {column("claim", "the paper"), column("place", "where"), column("source_ratio", "its ratio", 4),
                    column("measured"), column("ratio", "here"), column("least_ratio", "at least"),
                    column("most_ratio", "at most"), column("repeats"), column("verdict")},
                   std::move(note));
  for (const Finding& f : findings) {
    const FindingNumbers numbers = numbers_of(f);
    table.add({f.claim, f.place, number_or_dash(f.paper), f.measured.empty() ? "-" : f.measured,
               number_or_dash(numbers.median), number_or_dash(numbers.least), number_or_dash(numbers.most),
               numbers.repeats, verdict_text(f)});
  }
  return table;
}

}  // namespace perturb
