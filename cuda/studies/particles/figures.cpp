// The paper's figures about parts of a step of all pairs: the time of each kernel (11 to 13 and 15), order and filter
// on the host (14), pairs and walls among the candidates (16), the GPU against the CPU (10), and the time of its own
// kernels against the threads per block (19 and 20).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/particles/particles.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"

namespace perturb::particles {

namespace {

constexpr int figure_groups = 7;  // of steps: the smallest number that allows every verdict
// FP64, as compiled with --fmad=true, the compiler's default, and with --fmad=false.
const DiscVariant figures_variant{"", "all-pairs", false, true}, figures_plain{"", "all-pairs", false, false};

struct Part {
  const char *id, *label, *loop;
};
// The paper's four kernels and its host part.
constexpr std::array<Part, 5> figure_parts = {{{"walls", "walls", "particles.check_walls"},
                                               {"pairs", "pairs", "particles.check_pairs"},
                                               {"settle", "settle", "particles.settle_collisions"},
                                               {"update", "update", "particles.update"},
                                               {"filter", "order and filter on the host", "particles.host_filter"}}};
enum PartIndex { walls_part, pairs_part, settle_part, update_part, filter_part };
constexpr std::size_t kernel_parts = filter_part;  // figure 15 shows shares of the time of these

// Seconds a step of each part, one number for each group of steps.
using PartTimes = std::array<std::vector<double>, figure_parts.size()>;

PartTimes times_of_parts(Simulation& run, int steps, int groups = figure_groups) {
  Backend& backend = run.backend();
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  PartTimes times;
  for (int group = 0; group < groups; ++group) {
    backend.synchronize();
    stats.set_timing(true), stats.clear();
    run.step(steps);
    backend.synchronize();
    const std::vector<KernelTime> table = stats.table();
    for (std::size_t k = 0; k < figure_parts.size(); ++k) {
      double seconds = 0;
      for (const KernelTime& time : table)
        if (time.label == figure_parts[k].loop) seconds += time.seconds;
      times[k].push_back(seconds / steps);
    }
  }
  stats.set_timing(timing), stats.clear();
  return times;
}

// Times of several runs, alternately, [run]: a group of steps of each, then again from the first.
std::vector<PartTimes> parts_in_turns(const std::vector<std::unique_ptr<Simulation>>& runs, int steps) {
  for (const auto& run : runs) run->step(1);  // allocates memory
  std::vector<PartTimes> times(runs.size());
  for (int group = 0; group < figure_groups; ++group)
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const PartTimes once = times_of_parts(*runs[r], steps, 1);
      for (std::size_t k = 0; k < once.size(); ++k) times[r][k].push_back(once[k].front());
    }
  return times;
}

std::vector<double> ratios_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) all.push_back(a[k] / b[k]);
  return all;
}

// Figure 15: the N at which settling and the check of pairs take equal shares, which the paper gives as "about". Its N
// are multiples of a thousand.
Finding equal_shares(const std::map<int, PartTimes>& of_count) {
  constexpr double about = 1000;
  std::vector<double> crossings;
  for (int group = 0; group < figure_groups; ++group) {
    std::vector<CurvePoint> pairs, settle;
    for (const auto& [count, times] : of_count) {
      const auto k = static_cast<std::size_t>(group);
      pairs.push_back({static_cast<double>(count), times[pairs_part][k]});
      settle.push_back({static_cast<double>(count), times[settle_part][k]});
    }
    crossings.push_back(crossing(settle, pairs));
  }
  return agreement("the N at which settling and the check of pairs take equal shares (within " + format_number(about) +
                       "; 0: below the smallest)",
                   "figure 15",
                   paper_table("particles").at("figure 15", "settleCollision and checkCollision", "N of equal shares"),
                   std::move(crossings), about);
}

// Figure 14: "almost one-sixth the total execution time" in the paper. Here the time of the kernels and of qsort and
// filter, each timed by itself: the step orders by std::sort.
Finding host_part_of_run(const PartTimes& times, const std::vector<double>& qsort, int count) {
  constexpr double almost = 1;
  std::vector<double> parts;
  for (std::size_t k = 0; k < qsort.size(); ++k) {
    double all = qsort[k];
    for (std::size_t part = 0; part < kernel_parts; ++part) all += times[part][k];
    parts.push_back(all / qsort[k]);
  }
  const double paper = paper_table("particles").at("figure 14", "32000", "one part in of the run");
  return agreement("qsort and filter on the host take almost one part in " + format_number(paper) +
                       " of the time of all (here of the four kernels and these, each timed by itself; within " +
                       format_number(almost) + "), N = " + std::to_string(count),
                   "figure 14", paper, std::move(parts), almost);
}

double seconds_of_one_step(Simulation& run) {
  using Clock = std::chrono::steady_clock;
  run.backend().synchronize();
  const auto start = Clock::now();
  run.step(1);
  run.backend().synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

StudyPlot empty_plot(const char* title, const char* y_label, const char* y_unit) {
  StudyPlot plot;
  plot.title = title;
  plot.x_label = "N", plot.y_label = y_label, plot.y_unit = y_unit;
  plot.logarithmic_x = plot.logarithmic_y = true;
  return plot;
}

// Seconds per step on the GPU and on this machine's processor, alternately.
struct AgainstCpu {
  int count = 0;
  std::vector<double> gpu, cpu;
};
AgainstCpu against_cpu(Simulation& gpu, Simulation& cpu, double gpu_step, double cpu_step) {
  constexpr double group = 0.02;  // seconds
  AgainstCpu against;
  std::vector<std::function<void()>> works;
  std::vector<int> steps;
  for (const auto& [run, step] : {std::pair(&gpu, gpu_step), std::pair(&cpu, cpu_step)}) {
    steps.push_back(std::clamp(static_cast<int>(group / step), 1, 500));
    works.emplace_back([to_step = run, many = steps.back()] {
      to_step->step(many);
      to_step->backend().synchronize();
    });
  }
  std::vector<std::vector<double>> seconds = interleaved_seconds(works, figure_groups);
  for (std::size_t k = 0; k < seconds.size(); ++k)
    for (double& s : seconds[k]) s /= steps[k];
  against.gpu = std::move(seconds[0]), against.cpu = std::move(seconds[1]);
  return against;
}

// Figures 11 and 13: contraction shortens the check of pairs, and the other kernels less.
void add_contraction_findings(Backend& backend, int count, int steps, std::vector<Finding>& findings) {
  std::vector<std::unique_ptr<Simulation>> runs;
  for (const DiscVariant& variant : {figures_plain, figures_variant})
    runs.push_back(make_discs(backend, report_setup(count, variant), variant.kernel));
  const std::vector<PartTimes> t = parts_in_turns(runs, steps);
  const std::string of = ", N = " + std::to_string(count);
  findings.push_back(
      {"contraction makes the check of pairs shorter" + of, "figure 11", NAN, t[1][pairs_part], t[0][pairs_part]});
  for (const PartIndex part : {walls_part, settle_part, update_part})
    findings.push_back(
        {std::string("contraction shortens the check of pairs more than the part ") + figure_parts[part].label + of,
         "figure 13", NAN, ratios_of(t[0][part], t[1][part]), ratios_of(t[0][pairs_part], t[1][pairs_part])});
}

}  // namespace

StudyResult figures_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  constexpr double longest_pairs_step = 2, longest_group = 0.25;  // seconds
  StudyTable table, plain_table, candidates, against;
  table.id = "parts", table.title = "Time per step of each part of the paper's way, FP64, contraction";
  table.columns.push_back({"discs", "N", "", 6});
  for (const Part& part : figure_parts) table.columns.push_back({std::string(part.id) + "_seconds", part.label, "s"});
  plain_table = table;
  table.columns.push_back({"qsort_seconds", "qsort and filter on the host, as the paper", "s"});
  plain_table.id = "parts_plain", plain_table.title = "The same without contraction";
  for (std::size_t k = 0; k < kernel_parts; ++k)
    table.columns.push_back({std::string(figure_parts[k].id) + "_share", figure_parts[k].label, "%", 3});
  candidates.id = "candidates", candidates.title = "Candidates of a step: pairs and walls";
  candidates.columns = {{"discs", "N", "", 6},
                        {"pairs", "pairs", "", 8},
                        {"walls", "walls", "", 8},
                        {"ratio", "pairs over walls", "", 4},
                        {"of_square", "all over N squared", "", 4}};
  against.id = "speed_up", against.title = "The GPU against this machine's processor, all pairs, FP64";
  against.columns = {{"discs", "N", "", 6},
                     {"gpu_seconds", "GPU", "s"},
                     {"cpu_seconds", "CPU", "s"},
                     {"speed_up", "CPU over GPU", "", 4},
                     {"gpu_plain_seconds", "GPU, no contraction", "s"},
                     {"cpu_plain_seconds", "CPU, no contraction", "s"},
                     {"speed_up_plain", "CPU over GPU, no contraction", "", 4}};
  against.note = "Medians of " + std::to_string(figure_groups) + " groups of steps, run alternately.";
  StudyPlot times = empty_plot("Figures 11 to 14: time of each part", "Time per step", "s"),
            shares = empty_plot("Figure 15: share of each part", "Share", "%"),
            ratios = empty_plot("Figure 16: candidates", "Pairs over walls", ""),
            faster = empty_plot("Figure 10: against the processor", "CPU over GPU", "");
  shares.logarithmic_y = false;
  for (const Part& part : figure_parts) times.lines.push_back({part.label, {}});
  StudyPlot plain_times = empty_plot("Figures 11 to 14, no contraction: time of each part", "Time per step", "s");
  for (const Part& part : figure_parts) plain_times.lines.push_back({part.label, {}});
  for (std::size_t k = 0; k < kernel_parts; ++k) shares.lines.push_back({figure_parts[k].label, {}});
  ratios.lines.push_back({"here", {}}), faster.lines.push_back({"contraction", {}});
  faster.lines.push_back({"no contraction", {}});
  times.lines.push_back({"qsort and filter on the host", {}});
  const char* const sorting = "qsort and filter on the host per step";
  StudyLine theirs{"the paper, qsort and filter", paper.curve("figure 14", sorting), LineKind::paper};
  for (CurvePoint& p : theirs.points) p.y /= 1000;  // the paper gives milliseconds
  const double equal = paper.at("figure 15", "settleCollision and checkCollision", "N of equal shares");
  shares.lines.push_back(
      {"the paper, equal shares of settling and the check of pairs", {{equal, 0}, {equal, 100}}, LineKind::paper});
  times.lines.push_back(std::move(theirs));

  std::optional<StudyCpu> cpu;
  if (backend.is_cuda()) {
    cpu.emplace(progress);
    against.note += " CPU: " + (*cpu)->device_name() + ", " + std::to_string((*cpu)->threads()) +
                    " threads; the paper's: Intel Xeon Silver 4114, " +
                    format_number(paper.at("section 5.1", "OpenMP", "threads")) +
                    " OpenMP threads. Contraction is on in both of ours or off in both; the paper compares both of its "
                    "CUDA programs with one CPU program, which has none.";
  }
  PartTimes first, last;
  int first_count = 0, last_count = 0, last_steps = 1;
  std::map<int, PartTimes> of_count;
  std::map<int, std::vector<double>> qsort_of_count, candidates_of_count, gain_of_count;
  AgainstCpu first_against, last_against;
  std::vector<double> first_ratios, last_ratios;
  const auto result = [&] {
    StudyResult all;
    all.tables = {table, plain_table, candidates};
    all.plots = {times, plain_times, shares, ratios};
    if (backend.is_cuda()) all.tables.push_back(against), all.plots.push_back(faster);
    return all;
  };
  std::string left_out;
  double step = 0, cpu_step = 0, before = 1;
  for (const CurvePoint& point : paper.curve("section 5.2", "N")) {
    const int count = static_cast<int>(point.x);
    const double pairs = point.x / before * point.x / before;
    if (count > most) break;
    if (!left_out.empty() || pairs * step > longest_pairs_step) {
      left_out += (left_out.empty() ? " Left out because of time: N = " : ", ") + std::to_string(count);
      continue;
    }
    before = point.x;
    progress("N = " + std::to_string(count));
    const Setup setup = report_setup(count, figures_variant);
    const auto run = make_discs(backend, setup, figures_variant.kernel);
    run->step(1);  // allocates memory
    step = seconds_of_one_step(*run);
    const int steps = std::clamp(static_cast<int>(timing_duration(longest_group) / step), 1, 200);
    const PartTimes measured = times_of_parts(*run, steps);
    std::vector<double> seconds;
    for (const std::vector<double>& repeats : measured) seconds.push_back(median_of(repeats));
    const double all = std::accumulate(seconds.begin(), seconds.begin() + kernel_parts, 0.0);
    std::vector<StudyValue> row = {point.x};
    for (const double s : seconds) row.emplace_back(s);
    for (std::size_t k = 0; k < figure_parts.size(); ++k) times.lines[k].points.push_back({point.x, seconds[k]});
    progress("N = " + std::to_string(count) + ", no contraction");
    const auto plain = make_discs(backend, report_setup(count, figures_plain), figures_plain.kernel);
    plain->step(1);  // allocates memory
    const PartTimes of_plain = times_of_parts(*plain, steps);
    std::vector<StudyValue> plain_row = {point.x};
    for (std::size_t k = 0; k < figure_parts.size(); ++k) {
      plain_row.emplace_back(median_of(of_plain[k]));
      plain_times.lines[k].points.push_back({point.x, median_of(of_plain[k])});
    }
    plain_table.rows.push_back(std::move(plain_row));
    for (std::size_t k = 0; k < kernel_parts; ++k) shares.lines[k].points.push_back({point.x, 100 * seconds[k] / all});
    // Counts of several steps, to separate growth from chance.
    std::vector<double> here;
    double of_pairs = 0, of_walls = 0;
    std::vector<double> qsort;
    for (int k = 0; k < figure_groups; ++k) {
      run->step(1);
      const State state = run->save();
      qsort.push_back(qsort_and_filter(backend, setup, state).seconds);
      const DiscCandidates found = particles_candidates(backend, setup, state);
      of_pairs += found.pairs / figure_groups, of_walls += found.walls / figure_groups;
      here.push_back(found.pairs / found.walls);
      candidates_of_count[count].push_back(found.pairs + found.walls);
    }
    row.emplace_back(median_of(qsort));
    for (std::size_t k = 0; k < kernel_parts; ++k) row.emplace_back(100 * seconds[k] / all);
    table.rows.push_back(std::move(row));
    times.lines[figure_parts.size()].points.push_back({point.x, median_of(qsort)});
    qsort_of_count[count] = qsort;
    candidates.rows.push_back({point.x, of_pairs, of_walls, of_pairs / of_walls,
                               median_of(candidates_of_count[count]) / (point.x * point.x)});
    ratios.lines[0].points.push_back({point.x, of_pairs / of_walls});
    if (first_count == 0) first = measured, first_count = count, first_ratios = here;
    last = measured, last_count = count, last_ratios = here, last_steps = steps;
    of_count[count] = measured;
    if (cpu && pairs * cpu_step < longest_pairs_step) {
      const auto there = make_discs(**cpu, setup, figures_variant.kernel);
      cpu_step = seconds_per_step(*there);
      const double gpu_step = seconds_per_step(*run);
      last_against = against_cpu(*run, *there, gpu_step, cpu_step);
      last_against.count = count;
      gain_of_count[count] = ratios_of(last_against.cpu, last_against.gpu);
      if (first_against.count == 0) first_against = last_against;
      const auto plain_there = make_discs(**cpu, report_setup(count, figures_plain), figures_plain.kernel);
      const AgainstCpu plain_against =
          against_cpu(*plain, *plain_there, seconds_per_step(*plain), seconds_per_step(*plain_there));
      const double gain = median_of(gain_of_count[count]),
                   plain_gain = median_of(ratios_of(plain_against.cpu, plain_against.gpu));
      against.rows.push_back({point.x, median_of(last_against.gpu), median_of(last_against.cpu), gain,
                              median_of(plain_against.gpu), median_of(plain_against.cpu), plain_gain});
      faster.lines[0].points.push_back({point.x, gain});
      faster.lines[1].points.push_back({point.x, plain_gain});
    }
    report_partial(progress, result());
  }
  const std::string note =
      "Medians of " + std::to_string(figure_groups) + " groups of steps; each part is timed by itself.";
  const std::string of_launches =
      backend.is_cuda()
          ? " A kernel's time includes a few microseconds of timing its launch, a large part of times below "
            "20 microseconds: their ratios are too near to 1."
          : "";
  table.note = note +
               " The paper's time is the mean of the steps of a run, on a node with a Titan RTX. Order and filter: by "
               "std::sort, in the step. Qsort: the same candidates ordered by the C library's qsort as in the paper, "
               "then filtered, timed apart." +
               of_launches;
  plain_table.note = note + of_launches;
  candidates.note = "Means of " + std::to_string(figure_groups) +
                    " steps, counted again from the positions and velocities of the discs.";
  table.note += (left_out.empty() ? "" : left_out + ".") + particles_left_out(most);
  StudyResult whole = result();
  report_partial(progress, whole);
  std::vector<Finding> more;
  if (const auto half = of_count.find(last_count / 2); half != of_count.end()) {
    const std::string from = ", N = " + std::to_string(last_count / 2) + " to " + std::to_string(last_count);
    add_square_findings(more, "the time of the check of pairs" + from, "figure 12", half->second[pairs_part],
                        last[pairs_part]);
    add_square_findings(more, "the number of candidates" + from, "section 7.2", candidates_of_count[last_count / 2],
                        candidates_of_count[last_count]);
    add_square_findings(more, "the time of qsort and filter" + from, "figure 14", qsort_of_count[last_count / 2],
                        qsort_of_count[last_count]);
  }
  more.push_back(equal_shares(of_count));
  more.push_back(host_part_of_run(last, qsort_of_count[last_count], last_count));
  if (!backend.is_cuda()) restrict_to_device(more.back(), "processor");
  progress("contraction, part by part");
  add_contraction_findings(backend, last_count, last_steps, more);
  for (const AgainstCpu* found : {&first_against, &last_against})
    if (found->count > 0)
      more.push_back({"the GPU is faster than the CPU, N = " + std::to_string(found->count), "figure 10", NAN,
                      found->gpu, found->cpu});
  if (last_against.count > first_against.count)
    more.push_back({"the GPU's gain over the CPU grows, N = " + std::to_string(first_against.count) + " to " +
                        std::to_string(last_against.count),
                    "figure 10", NAN, ratios_of(first_against.cpu, first_against.gpu),
                    ratios_of(last_against.cpu, last_against.gpu)});
  if (backend.is_cuda()) {
    GainGrowth growth = gain_growth(gain_of_count);
    if (!growth.table.rows.empty()) whole.tables.push_back(std::move(growth.table));
    more.insert(more.end(), growth.findings.begin(), growth.findings.end());
    progress("blocks of the loops over discs");
    StudyPlot blocks;
    whole.tables.push_back(disc_blocks(backend, last_count, last_steps, blocks, more));
    whole.plots.push_back(std::move(blocks));
    report_partial(progress, whole);
  }
  const double larger = static_cast<double>(last_count) / first_count;
  // "Not linearly as expected" of the paper: by less than N grows. It names the check of pairs next to settling, of
  // which it also says that it grows as N squared; in the figure the second kernel is the check of walls.
  const auto less_than_linearly = [&](const char* what, PartIndex part) {
    return with_measured({std::string(what) + " grows, but not linearly: by a smaller factor than N, N = " +
                              std::to_string(first_count) + " to " + std::to_string(last_count),
                          "section 7.2", NAN, last[part], times_of(first[part], larger)},
                         median_of(last[part]) / median_of(first[part]), "times");
  };
  const std::string small = ", N = " + std::to_string(first_count), large = ", N = " + std::to_string(last_count);
  std::vector<Finding> findings = {
      {"settling takes longer than the check of pairs" + small, "figure 15", NAN, first[pairs_part],
       first[settle_part]},
      {"the check of pairs takes longer than settling" + large, "figure 15", NAN, last[settle_part], last[pairs_part]},
      {"qsort and filter take longer" + large + " than" + small.substr(1), "figure 14", NAN,
       qsort_of_count[first_count], qsort_of_count[last_count]},
      {"the check of walls takes longer" + large + " than" + small.substr(1), "figure 13", NAN, first[walls_part],
       last[walls_part]},
      {"settling takes longer" + large + " than" + small.substr(1), "figure 13", NAN, first[settle_part],
       last[settle_part]},
      less_than_linearly("the check of walls", walls_part),
      less_than_linearly("settling", settle_part),
      {"there are more pairs for each wall" + large + " than" + small.substr(1), "figure 16", NAN, first_ratios,
       last_ratios}};
  findings.insert(findings.end(), more.begin(), more.end());
  // Order and filter run on the host here too, and candidates take no time. All other findings are about a GPU's
  // kernels.
  if (!backend.is_cuda())
    for (Finding& finding : findings)
      if (finding.place != "figure 14" && finding.place != "figure 16" &&
          finding.claim.find("candidates") == std::string::npos)
        restrict_to_device(finding, "processor");
  whole.tables.push_back(findings_table(
      findings, "The paper: " + paper.cited() + ". It describes these only in words." +
                    (backend.is_cuda() ? of_launches
                                       : " Its speed-up over the CPU (figure 10) needs a GPU: not measured here.")));
  return whole;
}

GainGrowth gain_growth(const std::map<int, std::vector<double>>& gains) {
  // Growth of the gain if N doubles, in each repeat.
  struct Interval {
    int from, to;
    std::vector<double> per_doubling;
  };
  std::vector<Interval> intervals;
  for (auto next = gains.begin(); next != gains.end(); ++next) {
    if (next == gains.begin()) continue;
    const auto before = std::prev(next);
    Interval interval{before->first, next->first, {}};
    const double doublings = std::log2(static_cast<double>(next->first) / before->first);
    for (const double ratio : ratios_of(next->second, before->second))
      interval.per_doubling.push_back(std::pow(ratio, 1 / doublings));
    intervals.push_back(std::move(interval));
  }
  GainGrowth growth;
  if (intervals.size() < 2) return growth;
  StudyTable& table = growth.table;
  table.id = "gain_growth", table.title = "Growth of the gain over the CPU per doubling of N";
  table.columns = {{"from", "N from", "", 6}, {"to", "to", "", 6}, {"growth", "factor per doubling", "", 4}};
  constexpr double linear = 2, about = 0.4;
  int critical = 0;
  for (const Interval& interval : intervals) {
    // Of the medians, as the table of gains has them: the median of the repeats' factors may differ from their ratio.
    const double factor = std::pow(median_of(gains.at(interval.to)) / median_of(gains.at(interval.from)),
                                   1 / std::log2(static_cast<double>(interval.to) / interval.from));
    if (critical == 0 && factor < std::sqrt(linear)) critical = interval.from;
    table.rows.push_back({static_cast<double>(interval.from), static_cast<double>(interval.to), factor});
  }
  table.note =
      "Linear growth is a factor of 2. The gain tapers off at the first N after which it grows by less than "
      "the root of 2 per doubling: " +
      (critical > 0 ? std::to_string(critical) : std::string("at none of these")) +
      ". The paper gives no number for its own. The gains are those of figure 10, with contraction.";
  const Interval &first = intervals.front(), &last = intervals.back();
  const auto range = [](const Interval& interval) {
    return std::to_string(interval.from) + " to " + std::to_string(interval.to);
  };
  growth.findings.push_back(
      agreement("the GPU's gain over the CPU grows linearly at first (its factor per doubling of N, within " +
                    format_number(about) + "), N = " + range(first),
                "section 7.2", linear, first.per_doubling, about));
  growth.findings.push_back({"the GPU's gain grows less per doubling of N at last than at first, N = " + range(last) +
                                 " against " + range(first),
                             "section 7.2", NAN, last.per_doubling, first.per_doubling});
  return growth;
}

// ---- blocks
//
// Figures 19 and 20. C1: threads per block of the loops over discs and collisions; C2: of the loop over pairs.

namespace {

constexpr int block_turns = 9;

struct LoopOfDiscs {
  const char *id, *label, *loop;
};
constexpr LoopOfDiscs loops_of_discs[] = {{"walls_seconds", "walls", "particles.check_walls"},
                                          {"settle_seconds", "settle", "particles.settle_collisions"},
                                          {"update_seconds", "update", "particles.update"}};

struct DiscBlocks {
  int discs, pairs;
};

// Seconds per step with each of these blocks, alternately, [blocks][turn]. One run continues throughout: blocks change
// no bit.
std::vector<std::vector<double>> seconds_in_blocks(Simulation& run, int steps, const std::vector<DiscBlocks>& blocks) {
  std::vector<std::function<void()>> works;
  for (const DiscBlocks& in : blocks)
    works.push_back([&run, steps, in] {
      particles_use_blocks(run, in.discs, in.pairs);
      run.step(steps);
      run.backend().synchronize();
    });
  for (const auto& work : works) work();  // loads the kernels
  std::vector<std::vector<double>> seconds = interleaved_seconds(works, block_turns);
  for (std::vector<double>& of_blocks : seconds)
    for (double& s : of_blocks) s /= steps;
  return seconds;
}

// Seconds per step of each loop over discs, timed separately.
std::vector<double> seconds_of_loops(Simulation& run, int steps, const DiscBlocks& in) {
  particles_use_blocks(run, in.discs, in.pairs);
  Backend& backend = run.backend();
  KernelStats& stats = backend.stats();
  const bool timing = stats.timing();
  backend.synchronize();
  stats.set_timing(true), stats.clear();
  run.step(steps);
  backend.synchronize();
  std::vector<double> seconds;
  for (const LoopOfDiscs& of : loops_of_discs) {
    seconds.push_back(0);
    for (const KernelTime& time : stats.table())
      if (time.label == of.loop) seconds.back() += time.seconds / steps;
  }
  stats.set_timing(timing), stats.clear();
  return seconds;
}

}  // namespace

int particles_paper_block(const char* figure, const char* kernels) {
  return static_cast<int>(paper_table("particles").at(figure, "runs", kernels));
}

StudyTable disc_blocks(Backend& backend, int count, int steps, StudyPlot& plot, std::vector<Finding>& findings) {
  const auto run = make_discs(backend, report_setup(count, {"", "all-pairs", false, true}), "all-pairs");
  const int pairs_block = particles_paper_block("figure 19", "C2"),
            discs_block = particles_paper_block("figure 20", "C1");
  std::vector<int> sizes;
  for (const CurvePoint& point : paper_table("particles").curve("section 9.1", "threads per block"))
    sizes.push_back(static_cast<int>(point.x));
  std::vector<DiscBlocks> blocks;
  for (const int size : sizes) blocks.push_back({size, pairs_block});
  // Those of figure 20 are measured alternately with them.
  for (const int size : sizes) blocks.push_back({discs_block, size});
  const std::vector<std::vector<double>> seconds = seconds_in_blocks(*run, steps, blocks);

  StudyTable table;
  table.id = "disc_blocks";
  table.title = "Time per step of all pairs against the block of the loops over discs, N = " + std::to_string(count) +
                ", blocks of " + std::to_string(pairs_block) + " over pairs";
  table.columns = {{"block", "threads", "", 6}, {"seconds", "a step", "s", 4}, {"most_seconds", "at most", "s", 4}};
  for (const LoopOfDiscs& of : loops_of_discs) table.columns.push_back({of.id, of.label, "s"});
  table.note = "Medians of " + std::to_string(block_turns) + " groups of " + std::to_string(steps) +
               " steps in turns, FP64, contraction; the loops timed by themselves. The paper draws whole runs, without "
               "numbers, and sees no pattern.";
  plot.title = "Figure 19: the block of the loops over discs";
  plot.x_label = "Threads per block", plot.y_label = "Time per step", plot.y_unit = "s";
  plot.logarithmic_x = true;
  plot.lines = {{"a step", {}}};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double x = sizes[k], step = median_of(seconds[k]);
    std::vector<StudyValue> row = {x, step, *std::max_element(seconds[k].begin(), seconds[k].end())};
    for (const double s : seconds_of_loops(*run, steps, blocks[k])) row.emplace_back(s);
    table.rows.push_back(std::move(row));
    plot.lines[0].points.push_back({x, step});
  }
  // "No discernable pattern" over discs and a "very small" gain over pairs: tested as less than the repeats of one size
  // differ.
  for (const bool over_pairs : {false, true}) {
    std::vector<double> medians;
    double repeats = 1;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::vector<double>& of_size = seconds[k + (over_pairs ? sizes.size() : 0)];
      medians.push_back(median_of(of_size));
      repeats = std::max(repeats, spread_of(of_size));
    }
    findings.push_back(with_measured(
        counted_finding(std::string("blocks of ") + std::to_string(sizes.front()) + " to " +
                            std::to_string(sizes.back()) + " over " + (over_pairs ? "pairs" : "discs") +
                            " change a step by less than its repeats differ, N = " + std::to_string(count),
                        over_pairs ? "figure 20" : "figure 19", NAN, spread_of(medians), repeats),
        spread_of(medians), "times, longest over shortest"));
  }
  return table;
}

}  // namespace perturb::particles
