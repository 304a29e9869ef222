// The paper's figures about parts of a step of all pairs: the time of each kernel (11 to 13 and 15), order and filter
// on the host (14), pairs and walls among the candidates (16), the GPU against the CPU (10), and the time of its own
// kernels against the threads per block (19 and 20).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
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
const Variant figures_variant{"", "all-pairs", false, true}, figures_plain{"", "all-pairs", false, false};

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
  PartTimes times;
  for (int group = 0; group < groups; ++group) {
    const std::vector<KernelTime> table = kernel_times(run.backend(), [&] { run.step(steps); });
    for (std::size_t k = 0; k < figure_parts.size(); ++k) {
      double seconds = 0;
      for (const KernelTime& time : table)
        if (time.label == figure_parts[k].loop) seconds += time.seconds;
      times[k].push_back(seconds / steps);
    }
  }
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

// Seconds per step on the GPU and on this machine's processor, alternately.
struct AgainstCpu {
  std::vector<double> gpu, cpu;
  std::vector<double> gain() const { return quotients_of(cpu, gpu); }
};

// Measurements with one number of discs, in groups of steps: the parts of a step with contraction and without, the
// paper's qsort and filter, candidates counted in several steps to separate growth from chance, and the processor.
struct OfCount {
  int steps = 1;  // of a group
  PartTimes parts, plain;
  std::vector<double> qsort, pairs, walls;
  std::optional<AgainstCpu> against, plain_against;

  std::vector<double> candidates() const {
    std::vector<double> all;
    for (std::size_t k = 0; k < pairs.size(); ++k) all.push_back(pairs[k] + walls[k]);
    return all;
  }
};
using OfCounts = std::map<int, OfCount>;

// Figure 15: the N at which settling and the check of pairs take equal shares, which the paper gives as "about". Its N
// are multiples of a thousand.
Finding equal_shares(const OfCounts& of_counts) {
  constexpr double about = 1000;
  std::vector<double> crossings;
  for (int group = 0; group < figure_groups; ++group) {
    std::vector<CurvePoint> pairs, settle;
    for (const auto& [count, of] : of_counts) {
      const auto k = static_cast<std::size_t>(group);
      pairs.push_back({static_cast<double>(count), of.parts[pairs_part][k]});
      settle.push_back({static_cast<double>(count), of.parts[settle_part][k]});
    }
    crossings.push_back(crossing(settle, pairs));
  }
  const double here = median_of(crossings);
  Finding finding = agreement(
      "the N at which settling and the check of pairs take equal shares (within " + format_number(about) + ")",
      "figure 15", paper_table("particles").at("figure 15", "settleCollision and checkCollision", "N of equal shares"),
      std::move(crossings), about);
  if (here == 0) finding.measured = "none: pairs lead from N = " + std::to_string(of_counts.begin()->first) + " on";
  return finding;
}

// Figure 14: "almost one-sixth the total execution time" in the paper. Here the time of the kernels and of qsort and
// filter, each timed by itself: the step orders by std::sort.
Finding host_part_of_run(const OfCount& of, int count) {
  constexpr double almost = 1;
  std::vector<double> parts;
  for (std::size_t k = 0; k < of.qsort.size(); ++k) {
    double all = of.qsort[k];
    for (std::size_t part = 0; part < kernel_parts; ++part) all += of.parts[part][k];
    parts.push_back(all / of.qsort[k]);
  }
  const double paper = paper_table("particles").at("figure 14", "32000", "one part in of the run");
  const double share = 100 / median_of(parts);
  return with_measured(
      agreement("qsort and filter on the host take almost 1/" + format_number(paper) +
                    " of the time of all (here of the four kernels and these, each timed by itself; 1/" +
                    format_number(paper - almost) + " to 1/" + format_number(paper + almost) +
                    "), N = " + std::to_string(count),
                "figure 14", paper, std::move(parts), almost),
      share, "%");
}

AgainstCpu against_cpu(Simulation& gpu, Simulation& cpu, double gpu_step, double cpu_step) {
  constexpr double group = 0.02;  // seconds
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
  return {std::move(seconds[0]), std::move(seconds[1])};
}

// Figures 11 and 13: contraction shortens the check of pairs, and the other kernels less.
void add_contraction_findings(Backend& backend, int count, int steps, std::vector<Finding>& findings) {
  std::vector<std::unique_ptr<Simulation>> runs;
  for (const Variant& variant : {figures_plain, figures_variant})
    runs.push_back(make_discs(backend, report_setup(count, variant), variant.kernel));
  const std::vector<PartTimes> t = parts_in_turns(runs, steps);
  const std::string of = ", N = " + std::to_string(count);
  findings.push_back(
      {"contraction makes the check of pairs shorter" + of, "figure 11", NAN, t[1][pairs_part], t[0][pairs_part]});
  for (const PartIndex part : {walls_part, settle_part, update_part})
    findings.push_back(
        {std::string("contraction shortens the check of pairs more than the part ") + figure_parts[part].label + of,
         "figure 13", NAN, quotients_of(t[0][part], t[1][part]), quotients_of(t[0][pairs_part], t[1][pairs_part])});
}

// The parts of a step with one number of discs, of a run with contraction and of one without.
OfCount measure(Backend& backend, Simulation& run, Simulation& plain, const Setup& setup, int steps,
                const StudyProgress& progress) {
  const std::string n = "N = " + std::to_string(static_cast<int>(disc_parameter(setup, "count")));
  OfCount of;
  of.steps = steps;
  of.parts = times_of_parts(run, steps);
  progress(n + ", no contraction");
  plain.step(1);  // allocates memory
  of.plain = times_of_parts(plain, steps);
  for (int k = 0; k < figure_groups; ++k) {
    run.step(1);
    const State state = run.save();
    of.qsort.push_back(qsort_and_filter(backend, setup, state).seconds);
    const Candidates found = particles_candidates(backend, setup, state);
    of.pairs.push_back(found.pairs);
    of.walls.push_back(found.walls);
  }
  return of;
}

// ---- tables and plots of these measurements

std::string column_of(const Part& part, const char* what) { return std::string(part.id) + what; }

StudyTable empty_parts_table(const char* id, const char* title) {
  StudyTable table(id, title, {column("discs", "N", 6)});
  for (const Part& part : figure_parts) table.columns.push_back(column(column_of(part, "_seconds"), part.label, "s"));
  return table;
}

StudyTable parts_table(const OfCounts& of_counts) {
  StudyTable table = empty_parts_table("parts", "Time per step of each part of the paper's way, FP64, contraction");
  table.columns.push_back(column("qsort_seconds", "qsort and filter on the host, as the paper", "s"));
  for (std::size_t k = 0; k < kernel_parts; ++k)
    table.columns.push_back(column(column_of(figure_parts[k], "_share"), figure_parts[k].label, "%"));
  for (const auto& [count, of] : of_counts) {
    std::vector<StudyValue> row = {count};
    double kernels = 0;
    for (std::size_t k = 0; k < kernel_parts; ++k) kernels += median_of(of.parts[k]);
    for (const std::vector<double>& seconds : of.parts) row.emplace_back(median_of(seconds));
    row.emplace_back(median_of(of.qsort));
    for (std::size_t k = 0; k < kernel_parts; ++k) row.emplace_back(100 * median_of(of.parts[k]) / kernels);
    table.add(std::move(row));
  }
  return table;
}

StudyTable plain_parts_table(const OfCounts& of_counts) {
  StudyTable table = empty_parts_table("parts_plain", "The same without contraction");
  for (const auto& [count, of] : of_counts) {
    std::vector<StudyValue> row = {count};
    for (const std::vector<double>& seconds : of.plain) row.emplace_back(median_of(seconds));
    table.add(std::move(row));
  }
  return table;
}

StudyTable candidates_table(const OfCounts& of_counts) {
  StudyTable table("candidates", "Candidates of a step: pairs and walls",
                   {column("discs", "N", 6), column("pairs", "pairs", 8), column("walls", "walls", 8),
                    column("ratio", "pairs over walls", 4), column("of_square", "all over N squared", 4)});
  const auto mean_of = [](const std::vector<double>& counts) {
    double mean = 0;
    for (const double count : counts) mean += count / figure_groups;
    return mean;
  };
  for (const auto& [count, of] : of_counts) {
    const double pairs = mean_of(of.pairs), walls = mean_of(of.walls), n = count;
    table.add({n, pairs, walls, pairs / walls, median_of(of.candidates()) / (n * n)});
  }
  return table;
}

StudyTable speed_up_table(const OfCounts& of_counts) {
  StudyTable table("speed_up", "The GPU against this machine's processor, all pairs, FP64",
                   {column("discs", "N", 6), column("gpu_seconds", "GPU", "s"), column("cpu_seconds", "CPU", "s"),
                    column("speed_up", "CPU over GPU", 4), column("gpu_plain_seconds", "GPU, no contraction", "s"),
                    column("cpu_plain_seconds", "CPU, no contraction", "s"),
                    column("speed_up_plain", "CPU over GPU, no contraction", 4)});
  for (const auto& [count, of] : of_counts)
    if (of.against)
      table.add({count, median_of(of.against->gpu), median_of(of.against->cpu), median_of(of.against->gain()),
                 median_of(of.plain_against->gpu), median_of(of.plain_against->cpu),
                 median_of(of.plain_against->gain())});
  return table;
}

std::string speed_up_note(const Backend& cpu) {
  return "Medians of " + std::to_string(figure_groups) +
         " groups of steps, run alternately. CPU: " + cpu.device_name() + ", " + std::to_string(cpu.threads()) +
         " threads; the paper's: Intel Xeon Silver 4114, " +
         format_number(paper_table("particles").at("section 5.1", "OpenMP", "threads")) +
         " OpenMP threads. Contraction is on in both of ours or off in both; the paper compares both of its CUDA "
         "programs with one CPU program, which has none.";
}

// `cpu`: null without a GPU that is compared with it.
StudyResult figures_of(const OfCounts& of_counts, const Backend* cpu) {
  const PaperTable& paper = paper_table("particles");
  const StudyTable parts = parts_table(of_counts), plain = plain_parts_table(of_counts),
                   candidates = candidates_table(of_counts);
  std::vector<std::string> seconds, shares;
  for (const Part& part : figure_parts) seconds.push_back(column_of(part, "_seconds"));
  for (std::size_t k = 0; k < kernel_parts; ++k) shares.push_back(column_of(figure_parts[k], "_share"));
  const StudyAxis n{"N", "", Scale::logarithmic}, time{"Time per step", "s", Scale::logarithmic};
  StudyPlot times = plot_of("Figures 11 to 14: time of each part", n, time, parts.lines("discs", seconds));
  times.lines.push_back(parts.line("discs", "qsort_seconds", "qsort and filter on the host"));
  StudyLine theirs{"the paper, qsort and filter", paper.curve("figure 14", "qsort and filter on the host per step"),
                   LineKind::paper};
  for (CurvePoint& p : theirs.points) p.y /= 1000;  // the paper gives milliseconds
  times.lines.push_back(std::move(theirs));
  StudyPlot of_shares = plot_of("Figure 15: share of each part", n, {"Share", "%"}, parts.lines("discs", shares));
  const double equal = paper.at("figure 15", "settleCollision and checkCollision", "N of equal shares");
  of_shares.lines.push_back(
      {"the paper, equal shares of settling and the check of pairs", {{equal, 0}, {equal, 100}}, LineKind::paper});
  StudyResult result{
      {parts, plain, candidates},
      {std::move(times),
       plot_of("Figures 11 to 14, no contraction: time of each part", n, time, plain.lines("discs", seconds)),
       std::move(of_shares),
       plot_of("Figure 16: candidates", n, {"Pairs over walls", "", Scale::logarithmic},
               {candidates.line("discs", "ratio", "here")})}};
  if (cpu == nullptr) return result;
  StudyTable against = speed_up_table(of_counts);
  against.note = speed_up_note(*cpu);
  result.plots.push_back(plot_of(
      "Figure 10: against the processor", n, {"CPU over GPU", "", Scale::logarithmic},
      {against.line("discs", "speed_up", "contraction"), against.line("discs", "speed_up_plain", "no contraction")}));
  result.tables.push_back(std::move(against));
  return result;
}

// ---- findings

std::string from_to(int from, int to) { return ", N = " + std::to_string(from) + " to " + std::to_string(to); }

// Figures 12 and 14, and section 7.2.
void add_growth_findings(const OfCounts& of_counts, std::vector<Finding>& findings) {
  std::vector<CurvePoint> pairs, candidates, qsort;
  for (const auto& [count, of] : of_counts) {
    const double n = count;
    pairs.push_back({n, median_of(of.parts[pairs_part])});
    candidates.push_back({n, median_of(of.candidates())});
    qsort.push_back({n, median_of(of.qsort)});
  }
  add_square_finding(findings, "the time of the check of pairs", "figure 12", std::move(pairs));
  add_square_finding(findings, "the number of candidates", "section 7.2", std::move(candidates));
  add_square_finding(findings, "the time of qsort and filter", "figure 14", std::move(qsort));
}

// Figure 10, at the first and the last number of discs that both ran.
void add_against_findings(const OfCounts& of_counts, std::vector<Finding>& findings) {
  std::vector<std::pair<int, const AgainstCpu*>> both;
  for (const auto& [count, of] : of_counts)
    if (of.against) both.emplace_back(count, &*of.against);
  if (both.empty()) return;
  const auto& [first_count, first] = both.front();
  const auto& [last_count, last] = both.back();
  for (const auto& [count, against] : {both.front(), both.back()})
    findings.push_back(
        {"the GPU is faster than the CPU, N = " + std::to_string(count), "figure 10", NAN, against->gpu, against->cpu});
  if (last_count > first_count)
    findings.push_back({"the GPU's gain over the CPU grows" + from_to(first_count, last_count), "figure 10", NAN,
                        first->gain(), last->gain()});
}

// The paper's statements on small and large numbers of discs.
std::vector<Finding> findings_of_ends(const OfCounts& of_counts) {
  const auto& [first_count, first] = *of_counts.begin();
  const auto& [last_count, last] = *of_counts.rbegin();
  const double larger = static_cast<double>(last_count) / first_count;
  const std::string small = ", N = " + std::to_string(first_count), large = ", N = " + std::to_string(last_count);
  const std::string than_small = large + " than" + small.substr(1);
  // "Not linearly as expected" of the paper: by less than N grows. It names the check of pairs next to settling, of
  // which it also says that it grows as N squared; in the figure the second kernel is the check of walls.
  const auto less_than_linearly = [&](const char* what, PartIndex part) {
    const std::vector<double>&few = of_counts.begin()->second.parts[part],
          &many = of_counts.rbegin()->second.parts[part];
    return with_measured({what + (" grows, but not linearly: by a smaller factor than N" +
                                  from_to(of_counts.begin()->first, of_counts.rbegin()->first)),
                          "section 7.2", NAN, many, times_of(few, larger)},
                         median_of(many) / median_of(few), "times");
  };
  return {{"settling takes longer than the check of pairs" + small, "figure 15", NAN, first.parts[pairs_part],
           first.parts[settle_part]},
          {"the check of pairs takes longer than settling" + large, "figure 15", NAN, last.parts[settle_part],
           last.parts[pairs_part]},
          {"qsort and filter take longer" + than_small, "figure 14", NAN, first.qsort, last.qsort},
          {"the check of walls takes longer" + than_small, "figure 13", NAN, first.parts[walls_part],
           last.parts[walls_part]},
          {"settling takes longer" + than_small, "figure 13", NAN, first.parts[settle_part], last.parts[settle_part]},
          less_than_linearly("the check of walls", walls_part),
          less_than_linearly("settling", settle_part),
          {"there are more pairs for each wall" + than_small, "figure 16", NAN, quotients_of(first.pairs, first.walls),
           quotients_of(last.pairs, last.walls)}};
}

}  // namespace

StudyResult figures_study(Backend& backend, int most, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  constexpr double longest_pairs_step = 2, longest_group = 0.25;  // seconds
  std::optional<StudyCpu> cpu;
  if (backend.is_cuda()) cpu.emplace(progress);
  OfCounts of_counts;
  const auto figures = [&] { return figures_of(of_counts, cpu ? cpu->get() : nullptr); };
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
    const Setup setup = report_setup(count, figures_variant), plain_setup = report_setup(count, figures_plain);
    const auto run = make_discs(backend, setup, figures_variant.kernel),
               plain = make_discs(backend, plain_setup, figures_plain.kernel);
    run->step(1);  // allocates memory
    step = seconds_to_step(*run, 1);
    const int steps = std::clamp(static_cast<int>(timing_duration(longest_group) / step), 1, 200);
    OfCount& of = of_counts[count] = measure(backend, *run, *plain, setup, steps, progress);
    if (cpu && pairs * cpu_step < longest_pairs_step) {
      const auto there = make_discs(**cpu, setup, figures_variant.kernel),
                 plain_there = make_discs(**cpu, plain_setup, figures_plain.kernel);
      cpu_step = seconds_per_step(*there);
      of.against = against_cpu(*run, *there, seconds_per_step(*run), cpu_step);
      of.plain_against = against_cpu(*plain, *plain_there, seconds_per_step(*plain), seconds_per_step(*plain_there));
    }
    report_partial(progress, figures());
  }
  StudyResult whole = figures();
  const std::string note =
      "Medians of " + std::to_string(figure_groups) + " groups of steps; each part is timed by itself.";
  const std::string of_launches = backend.is_cuda()
                                      ? " A kernel's time includes a few microseconds of timing its launch, a large "
                                        "part of times below 20 microseconds: their ratios are too near to 1."
                                      : "";
  whole.tables[0].note =
      note +
      " The paper's time is the mean of the steps of a run, on a node with a Titan RTX. Order and filter: by "
      "std::sort, in the step. Qsort: the same candidates ordered by the C library's qsort as in the paper, then "
      "filtered, timed apart." +
      of_launches + (left_out.empty() ? "" : left_out + ".") + particles_left_out(most);
  whole.tables[1].note = note + of_launches;
  whole.tables[2].note = "Means of " + std::to_string(figure_groups) +
                         " steps, counted again from the positions and velocities of the discs.";
  report_partial(progress, whole);
  const auto& [last_count, last] = *of_counts.rbegin();
  std::vector<Finding> findings = findings_of_ends(of_counts);
  add_growth_findings(of_counts, findings);
  findings.push_back(equal_shares(of_counts));
  findings.push_back(host_part_of_run(last, last_count));
  if (!backend.is_cuda()) restrict_to_device(findings.back(), "processor");
  progress("contraction, part by part");
  add_contraction_findings(backend, last_count, last.steps, findings);
  add_against_findings(of_counts, findings);
  if (backend.is_cuda()) {
    std::map<int, std::vector<double>> gains;
    for (const auto& [count, of] : of_counts)
      if (of.against) gains[count] = of.against->gain();
    GainGrowth growth = gain_growth(gains);
    if (!growth.table.rows.empty()) whole.tables.push_back(std::move(growth.table));
    findings.insert(findings.end(), growth.findings.begin(), growth.findings.end());
    progress("blocks of the loops over discs");
    StudyPlot blocks;
    whole.tables.push_back(disc_blocks(backend, last_count, last.steps, blocks, findings));
    whole.plots.push_back(std::move(blocks));
    report_partial(progress, whole);
  }
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
    for (const double ratio : quotients_of(next->second, before->second))
      interval.per_doubling.push_back(std::pow(ratio, 1 / doublings));
    intervals.push_back(std::move(interval));
  }
  GainGrowth growth;
  if (intervals.size() < 2) return growth;
  StudyTable& table = growth.table =
      StudyTable("gain_growth", "Growth of the gain over the CPU per doubling of N",
                 {column("from", "N from", 6), column("to", "to", 6), column("growth", "factor per doubling", 4)});
  constexpr double linear = 2, about = 0.4;
  int critical = 0;
  for (const Interval& interval : intervals) {
    // Of the medians, as the table of gains has them: the median of the repeats' factors may differ from their ratio.
    const double factor = std::pow(median_of(gains.at(interval.to)) / median_of(gains.at(interval.from)),
                                   1 / std::log2(static_cast<double>(interval.to) / interval.from));
    if (critical == 0 && factor < std::sqrt(linear)) critical = interval.from;
    table.add({interval.from, interval.to, factor});
  }
  table.note =
      "Linear growth is a factor of 2. The gain tapers off at the first N after which it grows by less than the root "
      "of 2 per doubling: " +
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

struct Blocks {
  int discs, pairs;
};

// Seconds per step with each of these blocks, alternately, [blocks][turn]. One run continues throughout: blocks change
// no bit.
std::vector<std::vector<double>> seconds_in_blocks(Simulation& run, int steps, const std::vector<Blocks>& blocks) {
  std::vector<std::function<void()>> works;
  for (const Blocks& in : blocks)
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
std::vector<double> seconds_of_loops(Simulation& run, int steps, const Blocks& in) {
  particles_use_blocks(run, in.discs, in.pairs);
  const std::vector<KernelTime> times = kernel_times(run.backend(), [&] { run.step(steps); });
  std::vector<double> seconds;
  for (const LoopOfDiscs& of : loops_of_discs) {
    seconds.push_back(0);
    for (const KernelTime& time : times)
      if (time.label == of.loop) seconds.back() += time.seconds / steps;
  }
  return seconds;
}

}  // namespace

int paper_block(const char* figure, const char* kernels) {
  return static_cast<int>(paper_table("particles").at(figure, "runs", kernels));
}

StudyTable disc_blocks(Backend& backend, int count, int steps, StudyPlot& plot, std::vector<Finding>& findings) {
  const auto run = make_discs(backend, report_setup(count, {"", "all-pairs", false, true}), "all-pairs");
  const int pairs_block = paper_block("figure 19", "C2"), discs_block = paper_block("figure 20", "C1");
  const std::vector<int> sizes = paper_table("particles").rows("section 9.1", "threads per block");
  std::vector<Blocks> blocks;
  for (const int size : sizes) blocks.push_back({size, pairs_block});
  // Those of figure 20 are measured alternately with them.
  for (const int size : sizes) blocks.push_back({discs_block, size});
  const std::vector<std::vector<double>> seconds = seconds_in_blocks(*run, steps, blocks);

  StudyTable table(
      "disc_blocks",
      "Time per step of all pairs against the block of the loops over discs, N = " + std::to_string(count) +
          ", blocks of " + std::to_string(pairs_block) + " over pairs",
      {column("block", "threads", 6), column("seconds", "a step", "s", 4), column("most_seconds", "at most", "s", 4)});
  for (const LoopOfDiscs& of : loops_of_discs) table.columns.push_back(column(of.id, of.label, "s"));
  table.note = "Medians of " + std::to_string(block_turns) + " groups of " + std::to_string(steps) +
               " steps in turns, FP64, contraction; the loops timed by themselves. The paper draws whole runs, without "
               "numbers, and sees no pattern.";
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::vector<StudyValue> row = {sizes[k], median_of(seconds[k]), longest_of(seconds[k])};
    for (const double s : seconds_of_loops(*run, steps, blocks[k])) row.emplace_back(s);
    table.add(std::move(row));
  }
  plot = plot_of("Figure 19: the block of the loops over discs", {"Threads per block", "", Scale::logarithmic},
                 {"Time per step", "s"}, {table.line("block", "seconds")});
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
