// The papers that the simulations follow: their printed numbers, the studies that repeat their measurements, and
// verdicts whether their findings hold on this machine.
//
// The numbers are in assets/sources/NAME.csv, one file per simulation, embedded. This is the only source of these
// numbers for studies and for tests of documentation pages. The file: a first line "# author | title | year", a line of
// headings, then one line per number:
//   place    "table B.1", "figure 7", "section 6.1"
//   row      the row of a table, otherwise the subject: "800", "if-kernel"
//   column   "CPU-only"
//   value    the digits as printed; times of the form h:m:s in seconds
//   unit     "s", "%"; empty for a plain number
//   read     "table", "text", "caption", "listing"; for curves "by eye, +-x", in the value's unit
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/studies/study.h"

namespace perturb {

struct PaperValue {
  std::string place, row, column;
  double value = 0;
  std::string unit, read;
  std::string digits;  // the value as written
};

class PaperTable {
 public:
  // Throws Error with the line number if the text is malformed. The texts are part of the project: a test reads them
  // all.
  PaperTable(std::string name, std::string_view text);

  const std::string& name() const { return name_; }  // of the simulation
  const std::string& author() const { return author_; }
  const std::string& title() const { return title_; }
  int year() const { return year_; }
  std::string cited() const;  // "author, title (year)"
  const std::vector<PaperValue>& values() const { return values_; }

  // Null if the paper has no such number.
  const PaperValue* find(std::string_view place, std::string_view row, std::string_view column) const;
  // The number. Throws Error if there is none: use `find` if it may be missing.
  double at(std::string_view place, std::string_view row, std::string_view column) const;
  // The same as a cell of a study's table, with the digits that the paper prints.
  StudyValue printed(std::string_view place, std::string_view row, std::string_view column) const;
  StudyValue printed_or_dash(std::string_view place, std::string_view row, std::string_view column) const;
  // A column of a table whose rows are numbers, as a function of the row, in the table's order.
  std::vector<CurvePoint> curve(std::string_view place, std::string_view column) const;
  // The rows of such a column, up to the largest.
  std::vector<int> rows(std::string_view place, std::string_view column,
                        int largest = std::numeric_limits<int>::max()) const;

 private:
  std::string name_, author_, title_;
  int year_ = 0;
  std::vector<PaperValue> values_;
};

// All tables, by name.
const std::vector<PaperTable>& paper_tables();
// The table of a simulation. Throws Error if there is none.
const PaperTable& paper_table(std::string_view simulation);

// The studies that repeat the measurements of the papers: assets/source_studies.csv, embedded, in the order in which
// `perturb bench SIM --paper` runs them. One line per study:
//   simulation, study   their ids
//   preset              the preset it uses; empty: the simulation's first
//   seconds             approximate time on two processor cores: the first estimate for the duration of a full run,
//                       which is corrected by the studies that have finished
//   version             counts changes after which stored results are no longer those of the study, each listed in
//                       assets/source_changes.csv; written with the results
struct PaperStudy {
  std::string simulation, study, preset;
  double seconds = 0;
  int version = 1;
};

// Throws Error with the line number if the text is malformed. The text is part of the project: a test reads it.
std::vector<PaperStudy> read_paper_studies(std::string_view text);
// The studies of one simulation.
std::vector<PaperStudy> paper_studies(std::string_view simulation);

// A StudyProgress that also receives partial results, for runs that are stopped early.
struct StudyReporter {
  std::function<void(const std::string&)> words;
  std::function<void(const StudyResult&)> partial;
  const StopRequest* stop = nullptr;  // ends the study; null: none
  void operator()(const std::string& text) const { words(text); }
};
// CPU threads of a study's own, for a comparison with the backend that it was given. While it exists its loops end on
// the request that ends the study, by Stopped.
class StudyCpu {
 public:
  // `threads` = 0: one for each processor.
  explicit StudyCpu(const StudyProgress& progress, int threads = 0);
  ~StudyCpu();
  StudyCpu(const StudyCpu&) = delete;
  StudyCpu& operator=(const StudyCpu&) = delete;

  Backend* get() const { return backend_.get(); }
  Backend& operator*() const { return *backend_; }
  Backend* operator->() const { return backend_.get(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<StopScope> stop_;
  std::unique_ptr<InterruptibleScope> loops_;
};

// Throws Stopped if the study is to end: for long work on the host that is no loop of a backend.
inline void study_stop_point(const StudyProgress& progress) {
  const auto* reporter = progress.target<StudyReporter>();
  if (reporter != nullptr && reporter->stop != nullptr && reporter->stop->stop_requested()) throw Stopped();
}

// For long studies, called after each part: reports the result if the study ended here. Ignored unless `progress` is a
// StudyReporter.
inline void report_partial(const StudyProgress& progress, const StudyResult& result) {
  if (const auto* reporter = progress.target<StudyReporter>()) reporter->partial(result);
}

// Whether a finding of a paper holds on this machine: computed from repeated measurements, so that no text in the code
// has to predict the result.
enum class Verdict { holds, reversed, inconclusive };

// "holds here", "reversed here", "inconclusive"
const char* text_of(Verdict verdict);

// The probability that chance alone separates two equal sets of measurements this clearly. One finding in a hundred may
// be wrong.
constexpr double verdict_chance = 0.01;

// The smallest effect that counts, for the measured ratios of all papers. A smaller one is no difference.
constexpr double smallest_effect = 0.02;

// The verdict on the claim that `less` is less than `more`: repeats of two quantities of the same unit, measured
// alternately. The test is that of Mann and Whitney, which uses only the order of the measurements: a repeat that other
// load made ten times as long counts only as one out of order. Exact; equal values count against either side. Values
// that are not finite, or fewer than five repeats each (four cannot reach the significance level), are inconclusive.
Verdict verdict_of(const std::vector<double>& less, const std::vector<double>& more);

// The same for repeats that form pairs, such as two runs from one start, so that the variation between starts is not
// noise. The test is Wilcoxon's signed-rank test, exact, on the logarithms of each pair's ratio. Values that are not
// positive are inconclusive, and so are fewer than seven pairs (six of one sign are too probable by chance).
Verdict verdict_of_pairs(const std::vector<double>& less, const std::vector<double>& more);

// The smallest and the largest ratio of any two repeats, `more` over `less`. With seven repeats or more on both sides
// one is left out at each end, so that a single disturbance does not count. NaN if there are none.
struct RatioRange {
  double least = std::numeric_limits<double>::quiet_NaN(), most = least;
  bool contains_one() const { return least <= 1 && most >= 1; }
  bool shows_no_effect() const { return least * (1 + smallest_effect) > 1 && most < 1 + smallest_effect; }
};
RatioRange ratio_range(const std::vector<double>& less, const std::vector<double>& more);

// The median of the repeats; for an even number the mean of the middle two. NaN if there are none.
double median_of(std::vector<double> repeats);

// Repeats: the shortest and the longest, the longest over the shortest, all of them times a factor, and each of `a`
// over that of `b`.
double shortest_of(const std::vector<double>& repeats);
double longest_of(const std::vector<double>& repeats);
double spread_of(const std::vector<double>& repeats);
std::vector<double> times_of(std::vector<double> repeats, double factor);
std::vector<double> quotients_of(const std::vector<double>& a, const std::vector<double>& b);

// Seconds of each kernel while `work` runs, each timed by itself.
std::vector<KernelTime> kernel_times(Backend& backend, const std::function<void()>& work);

// Seconds of each work in each turn, [work][turn]: first, second, ... and again from the first, so that a machine that
// slows down does so for all of them. A work must wait for everything that it queues.
std::vector<std::vector<double>> interleaved_seconds(const std::vector<std::function<void()>>& works, int turns);

// A work done several times; what it queues is waited for by the caller.
using RepeatedWork = std::function<void(int times)>;
// The same for works too short to time once: seconds of each work done once. A turn repeats each often enough to be
// timed. A work should check for stop requests if it takes long on the host.
std::vector<std::vector<double>> seconds_each(Backend& backend, const std::vector<RepeatedWork>& works, int turns);

// A claim of a paper, and its measurement here.
struct Finding {
  std::string claim;  // in our wording: "split is faster than unsplit, 128 x 128"
  std::string place;  // "figure 8"
  double paper = 0;   // the paper's number, `more` over `less`; NaN if it gives none
  std::vector<double> less, more;
  // One number on each side, without noise: registers, an occupancy, arithmetic.
  bool counted = false;
  // If not NaN, the claim is that `less` equals `paper` within this tolerance; if there is `more`, that `more` over
  // `less` does.
  double within = std::numeric_limits<double>::quiet_NaN();
  bool paired = false;  // the elements of `less` and `more` form pairs
  // The measured number itself, where `more` over `less` is its ratio to a bound; otherwise empty.
  std::string measured = {};
};

// Findings of several kinds: one number on each side; agreement of one number with the paper's; agreement in repeats,
// of which significantly many are within or beyond the tolerance (a sign test, which needs seven); agreement of the
// ratio of two quantities (a test at each end of the tolerance, for which five repeats of each suffice); and pairs.
Finding counted_finding(std::string claim, std::string place, double paper, double less, double more);
Finding agreement(std::string claim, std::string place, double paper, double here, double within);
Finding agreement(std::string claim, std::string place, double paper, std::vector<double> repeats, double within);
Finding agreement_of_ratio(std::string claim, std::string place, double paper, std::vector<double> less,
                           std::vector<double> more, double within);
Finding paired_finding(std::string claim, std::string place, double paper, std::vector<double> less,
                       std::vector<double> more);

// The same with the measured number in the unit of the claim: for "at most 3 times", whose ratio is 3 over the measured
// number, or "more than 30 %". It is shown in place of the ratio.
Finding with_measured(Finding finding, double measured, const std::string& unit);

// Notes in a finding's claim that the paper made it for another kind of device than the measured one: `device`, a
// "processor" or a "GPU". The verdict then applies to that device and does not judge the paper.
void restrict_to_device(Finding& finding, const std::string& device);
void restrict_to_device(std::vector<Finding>& findings, const std::string& device);

// The text of a verdict: those of `Verdict`, where a ratio near 1 is inconclusive too: if `ratio_range` contains 1,
// the next run may order the two in the other way, whatever the test says about this one (pairs are runs from one
// start, which the next run repeats: for them the test decides). "no difference" of five repeats or more: their
// medians differ by less than `smallest_effect`, or, if their order is not clear, all of their ratios do. It is not
// asked of a ratio to a bound, which has `measured`. For counted numbers also "alike here"; for agreement "agrees" or
// "differs", for repeats also that they are inconclusive; "not measured here" for a finding without repeats.
std::string verdict_text(const Finding& finding);

// A table with one row per finding: the claim, its place, the paper's ratio, the measured number if the ratio is one to
// a bound, the measured ratio (of the medians, and of the ends of both ranges), the repeats and the verdict. `note`
// describes what was compared.
StudyTable findings_table(const std::vector<Finding>& findings, std::string note = "");

}  // namespace perturb
