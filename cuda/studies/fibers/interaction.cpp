// Studies of the interaction. The paper's chapter 6: the interaction alone on a processor and on a GPU, both at once,
// and the gain for a run. The paper's figures 5.7 to 5.10 and section 5.7.4: patterns of memory access by threads, good
// and bad.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/launch/occupancy.h"
#include "cuda/core/simulation/format.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/kernels/stepper.h"
#include "cuda/fibers/model/extension.h"
#include "cuda/studies/fibers/patterns.h"
#include "cuda/studies/fibers/studies.h"
#include "cuda/studies/paper.h"

namespace perturb::fibers {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int interaction_groups = 9;  // of evaluations of a run: the repeats of the findings
constexpr Fetching all_fetching[] = {Fetching::in_turn, Fetching::at_once, Fetching::by_itself};

// Both solve to a tolerance of 1e-6, from different guesses.
constexpr double extension_tolerance = 1e-4;

// Seconds of an evaluation with the step after it, of its interaction, and of putting the extension's chunks into the
// matrix, which the processor's own loop does by itself.
struct EvaluationTime {
  double whole = 0, interaction = 0, assembly = 0;
};

// The paper's run on a processor by the published formulas, with the interaction on the processor or by an extension on
// a device.
class PaperCloud {
 public:
  PaperCloud(Backend& cpu, int fibers) : PaperCloud(cpu, fibers, nullptr, Fetching::in_turn) {}
  PaperCloud(Backend& cpu, int fibers, Extension* extension, Fetching fetching)
      : cpu_(cpu), fibers_(fibers), flow_(cpu, fibers, parameters_, Kernel::recursion, true) {
    const Placement start = fiber_cloud(fibers, paper_ball_radius(fibers), 0.04, 1);
    const std::size_t size = start.position.size();
    for (Array<double>* vector : {&x_, &t_, &v_, &w_, &x_before_, &t_before_, &v_before_, &w_before_})
      *vector = Array<double>(cpu, size, "vector of the fibers");
    a_ = Array<double>(cpu, size * static_cast<std::size_t>(parameters_.terms), "force coefficients");
    x_.upload(start.position);
    t_.upload(start.tangent);
    if (extension == nullptr) return;
    flow_.set_external_matrix([this, extension, fetching](const Layout& layout, const Poses& poses,
                                                          const FiberRule& rule, double doublet, double* theta) {
      auto begin = Clock::now();
      extension->begin(poses.position, poses.tangent, rule, doublet, fetching);
      while (const Chunk* chunk = extension->fetch()) {
        waited_ += seconds_since(begin);
        assemble_chunk(cpu_, *chunk, layout, theta);
        begin = Clock::now();
      }
    });
  }
  PaperCloud(const PaperCloud&) = delete;
  PaperCloud& operator=(const PaperCloud&) = delete;

  // An evaluation, and a step to the next unless it is the last.
  EvaluationTime advance(bool last) {
    waited_ = 0;
    KernelStats& stats = cpu_.stats();
    stats.clear();
    stats.set_timing(true);
    const auto begin = Clock::now();
    const Solve solve = flow_.evaluate(parameters_, x_.data(), t_.data(), {}, v_.data(), w_.data(), a_.data());
    if (!last) {
      const Multistep step{Scheme::adams_bashforth,
                           first_,
                           fiber_paper_run().time_step,
                           x_.data(),
                           t_.data(),
                           x_before_.data(),
                           t_before_.data(),
                           v_.data(),
                           w_.data(),
                           v_before_.data(),
                           w_before_.data()};
      for (int m = 0; m < fibers_; ++m) step(m);
    }
    EvaluationTime time{seconds_since(begin), waited_, 0};
    stats.set_timing(false);
    for (const KernelTime& loop : stats.table()) {
      if (loop.label == "fibers.interaction") time.interaction += loop.seconds;
      if (loop.label == "fibers.assemble") time.assembly += loop.seconds;
    }
    first_ = false;
    if (!solve.converged)
      throw Error("The run of {} stopped early: its forces did not converge.", format_fiber_count(fibers_));
    return time;
  }
  // Continues from the poses of another cloud, so that rounding does not separate runs that are compared.
  void follow(const PaperCloud& other) {
    x_.upload(other.x_.download());
    t_.upload(other.t_.download());
    v_before_.upload(other.v_before_.download());
    w_before_.upload(other.w_before_.download());
  }
  std::vector<double> velocity() const { return v_.download(); }
  int points() const { return parameters_.subintervals * parameters_.points_per_subinterval; }

 private:
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Backend& cpu_;
  int fibers_;
  Parameters parameters_;
  Flow flow_;
  Array<double> x_, t_, v_, w_, x_before_, t_before_, v_before_, w_before_, a_;
  bool first_ = true;
  double waited_ = 0;
};

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Parts of a run of one number of fibers: sums over groups of its evaluations.
struct InteractionTimes {
  std::vector<double> whole, alone, share;  // on the processor, the last in percent
  std::vector<double> whole_with_gpu;       // both at once
  std::vector<double> extension[3];         // by `all_fetching`
  std::vector<double> assembly, to_matrix;  // of `in_turn`: alone, and with `extension[0]`
  double chunks = 0;

  // CPU over GPU in turn: of the function alone, as in the paper, and with the CPU's copying of chunks.
  double ratio() const { return sum_of(alone) / sum_of(extension[0]); }
  double ratio_with_copying() const { return sum_of(alone) / sum_of(to_matrix); }
  WaitPair waits() const { return {extension[1], extension[0]}; }
};

// Every evaluation of the run, on the processor and in each way of the extension alternately.
InteractionTimes measure(Backend& cpu, Backend* device, int fibers, int evaluations, std::size_t memory,
                         const StudyProgress& progress) {
  std::vector<std::unique_ptr<PaperCloud>> clouds;
  clouds.push_back(std::make_unique<PaperCloud>(cpu, fibers));
  std::optional<Extension> extension;
  if (device != nullptr) {
    extension.emplace(*device, fibers, clouds[0]->points(), memory);
    for (const Fetching fetching : all_fetching)
      clouds.push_back(std::make_unique<PaperCloud>(cpu, fibers, &*extension, fetching));
    PaperCloud(cpu, fibers, &*extension, Fetching::in_turn).advance(true);  // touches memory, loads kernels
  }
  InteractionTimes times;
  const auto group_of = [&](int k) { return k * interaction_groups / evaluations; };
  const auto add = [](std::vector<double>& sums, int group, double seconds) {
    if (static_cast<int>(sums.size()) <= group) sums.resize(static_cast<std::size_t>(group) + 1, 0.0);
    sums[static_cast<std::size_t>(group)] += seconds;
  };
  for (int k = 0; k < evaluations; ++k) {
    progress(format_fiber_count(fibers) + ", evaluation " + std::to_string(k + 1) + " of " +
             std::to_string(evaluations));
    for (std::size_t c = 0; c < clouds.size(); ++c) {
      const EvaluationTime time = clouds[c]->advance(k + 1 == evaluations);
      if (c == 0) {
        add(times.whole, group_of(k), time.whole);
        add(times.alone, group_of(k), time.interaction);
        continue;
      }
      add(times.extension[c - 1], group_of(k), time.interaction);
      if (all_fetching[c - 1] == Fetching::in_turn) {
        add(times.assembly, group_of(k), time.assembly);
        add(times.to_matrix, group_of(k), time.interaction + time.assembly);
      }
      if (all_fetching[c - 1] == Fetching::at_once) add(times.whole_with_gpu, group_of(k), time.whole);
      if (!(largest_relative_difference(clouds[c]->velocity(), clouds[0]->velocity()) < extension_tolerance))
        throw Error("internal: the extension's velocities of {} are not the processor's.", format_fiber_count(fibers));
      clouds[c]->follow(*clouds[0]);
    }
  }
  for (std::size_t group = 0; group < times.whole.size(); ++group)
    times.share.push_back(100 * times.alone[group] / times.whole[group]);
  if (extension) times.chunks = extension->chunks();
  return times;
}

// The part of the GPU's time that the CPU still waits for if both work at once. Where it waits longer than in turn,
// nothing is hidden.
std::vector<double> parts_waited(const std::vector<double>& at_once, const std::vector<double>& in_turn) {
  std::vector<double> all;
  for (std::size_t k = 0; k < std::min(at_once.size(), in_turn.size()); ++k)
    all.push_back(std::min(1.0, at_once[k] / in_turn[k]));
  return all;
}

// In percent, of the whole run as in the table; below zero where the CPU waits longer.
double hidden_part(const std::vector<double>& at_once, const std::vector<double>& in_turn) {
  return 100 * (1 - sum_of(at_once) / sum_of(in_turn));
}

}  // namespace

Finding growing_hidden_part(int fibers, const WaitPair& first, const WaitPair& last) {
  const PaperTable& paper = paper_table("fibers");
  const std::string row = std::to_string(fibers);
  const double its_part = 100 * (1 - paper.at("table B.2", row, "GPU-extension") /
                                         paper.at("table B.2", row, "GPU-extension (non-parallel)"));
  return with_measured(
      {"the part of the GPU's time that is hidden by working at once grows from 100 to " + format_fiber_count(fibers) +
           " (the paper's times: " + format_number(its_part, 2) + " % hidden)",
       "section 6.1.1, table B.2", NAN, parts_waited(last.at_once, last.in_turn),
       parts_waited(first.at_once, first.in_turn)},
      hidden_part(last.at_once, last.in_turn), "%");
}

Finding same_ratio(const std::vector<double>& ratios, int most) {
  std::vector<double> paper_values;
  for (const CurvePoint& p : paper_table("fibers").curve("table 6.1", "CPU to GPU time ratio"))
    if (p.x <= most) paper_values.push_back(p.y);
  constexpr double part = 0.1;
  return agreement(
      "the GPU is as many times faster whatever the number of fibers: the largest ratio over the smallest is the "
      "paper's within 10 %, 100 to " +
          format_fiber_count(most),
      "table 6.1, section 7.1", spread_of(paper_values), spread_of(ratios), part * spread_of(paper_values));
}

Finding average_ratio(const std::vector<double>& ratios, int most) {
  const PaperTable& paper = paper_table("fibers");
  const std::vector<CurvePoint> paper_values = paper.curve("table 6.1", "CPU to GPU time ratio");
  double sum = 0;
  int count = 0;
  for (const CurvePoint& p : paper_values)
    if (p.x <= most) {
      sum += p.y;
      ++count;
    }
  const double average =
      most >= paper_values.back().x ? paper.at("section 6.1", "all runs", "average of table 6.1") : sum / count;
  double here = 0;
  for (const double ratio : ratios) here += ratio / static_cast<double>(ratios.size());
  constexpr double printed = 0.5;
  return agreement("the GPU is " + format_number(paper.at("section 7.1", "all runs", "times faster on the GPU")) +
                       " times faster: the averages agree within 0.5, 100 to " + format_fiber_count(most),
                   "section 6.1", average, here, printed);
}

std::optional<Finding> hidden_half(int fibers, const std::vector<double>& at_once, const std::vector<double>& in_turn) {
  const PaperTable& paper = paper_table("fibers");
  const std::string row = std::to_string(fibers);
  const PaperValue* hidden = paper.find("section 6.1.1", row, "hidden of the kernel's time");
  if (hidden == nullptr) return std::nullopt;
  const double left = 1 - hidden->value / 100;
  return with_measured(
      {"more than " + format_number(hidden->value) + " % of the GPU's time is hidden by working at once, " +
           format_fiber_count(fibers),
       "section 6.1.1, figure 6.3",
       left * paper.at("table B.2", row, "GPU-extension (non-parallel)") / paper.at("table B.2", row, "GPU-extension"),
       at_once, times_of(in_turn, left)},
      hidden_part(at_once, in_turn), "%");
}

namespace {

// Of the whole run, as in the table.
double gain_of(const RunPair& run) { return 100 * (1 - sum_of(run.with_gpu) / sum_of(run.alone)); }

}  // namespace

Finding falling_gain(int fibers, const RunPair& first, const RunPair& last) {
  const PaperTable& paper = paper_table("fibers");
  // The time that is left of a run: unlike the gain it is above zero, so that it has a ratio, also where a run loses.
  const auto left_in_paper = [&](int of) { return 100 - paper.at("table 6.2", std::to_string(of), "gain"); };
  const auto left = [](const RunPair& run) { return quotients_of(run.with_gpu, run.alone); };
  return with_measured(
      {"what a run gains by the GPU falls from " + std::to_string(first.fibers) + " to " + format_fiber_count(fibers),
       "table 6.2", left_in_paper(fibers) / left_in_paper(first.fibers), left(first), left(last)},
      gain_of(last), "%, with " + format_fiber_count(first.fibers) + " " + format_number(gain_of(first), 3) + " %");
}

std::vector<Finding> gain_findings(const std::vector<RunPair>& runs) {
  const PaperTable& paper = paper_table("fibers");
  const auto [least, most] = std::minmax_element(
      runs.begin(), runs.end(), [&](const RunPair& a, const RunPair& b) { return gain_of(a) < gain_of(b); });
  const auto paper_value = [&](const char* which) { return paper.at("section 7.2", "all runs", which); };
  const double smallest = paper_value("smallest gain"), largest = paper_value("largest gain");
  const std::string of = ", " + std::to_string(runs.front().fibers) + " to " + format_fiber_count(runs.back().fibers);
  return {with_measured({"every run gains at least " + format_number(smallest) + " % by the GPU" + of, "section 7.2",
                         NAN, least->with_gpu, times_of(least->alone, 1 - smallest / 100)},
                        gain_of(*least), "%"),
          with_measured({"some run gains as much as " + format_number(largest) + " % by the GPU" + of, "section 7.2",
                         NAN, most->with_gpu, times_of(most->alone, 1 - largest / 100)},
                        gain_of(*most), "%")};
}

// ---- tables, plots and findings of the interaction, from the parts of runs by their number of fibers

namespace {

using RunTimes = std::map<int, InteractionTimes>;

StudyTable interaction_table(const RunTimes& runs, const std::string& title, bool with_gpu) {
  const PaperTable& paper = paper_table("fibers");
  StudyTable table(
      "interaction", title,
      {column("fibers", "fibers", 6), column("cpu_seconds", "CPU", "s"),
       column("gpu_in_turn_seconds", "GPU, in turn with the CPU", "s"),
       column("gpu_at_once_seconds", "GPU, both at once", "s"),
       column("gpu_pinned_seconds", "both at once, pinned memory", "s"),
       column("assembly_seconds", "chunks into the matrix, CPU", "s"), column("paper_ratio", "CPU over GPU in turn", 4),
       column("pinned_ratio", "CPU over GPU, pinned memory", 4),
       column("ratio", "CPU over GPU in turn and chunks into the matrix", 4), column("chunks"),
       column("source_cpu_seconds", "source, CPU", "s", 7),
       column("source_gpu_in_turn_seconds", "source, GPU in turn", "s", 7),
       column("source_gpu_at_once_seconds", "source, both at once", "s", 7),
       column("source_ratio", "source, ratio", 4)});
  for (const auto& [fibers, times] : runs) {
    const std::string row = std::to_string(fibers);
    const auto on_gpu = [&](double value) { return value_if(with_gpu, value); };
    const auto source = [&](const char* column_of_paper) { return paper.printed("table B.2", row, column_of_paper); };
    table.add({fibers, sum_of(times.alone), on_gpu(sum_of(times.extension[0])), on_gpu(sum_of(times.extension[1])),
               on_gpu(sum_of(times.extension[2])), on_gpu(sum_of(times.assembly)), on_gpu(times.ratio()),
               on_gpu(sum_of(times.alone) / sum_of(times.extension[2])), on_gpu(times.ratio_with_copying()),
               on_gpu(times.chunks), source("CPU-only"), source("GPU-extension (non-parallel)"),
               source("GPU-extension"), paper.printed("table 6.1", row, "CPU to GPU time ratio")});
  }
  return table;
}

// How much faster than the paper's program the CPU's loop is: that explains the ratio.
std::string gain_of_cpu(const RunTimes& runs) {
  const auto& [fibers, times] = *runs.rbegin();
  const double paper = paper_table("fibers").at("table B.2", std::to_string(fibers), "CPU-only");
  return " The CPU's loop is " + format_number(paper / sum_of(times.alone)) + " times as fast as the paper's MATLAB (" +
         format_fiber_count(fibers) + ").";
}

std::string interaction_note(const Backend& cpu, std::size_t memory) {
  return "Tables 6.1 and B.2, figures 6.2 and 6.3 of the paper: " + paper_table("fibers").cited() +
         ". Here the sum over every evaluation of the run, by the published formulas (kernel `recursion`). CPU: " +
         cpu.device_name() + ", " + std::to_string(cpu.threads()) +
         " threads. GPU: what the CPU waits for, kernel and copies, in chunks of at most " + format_bytes(memory) +
         ", the memory of the paper's GPU (table A.2); both at once: the next chunk is computed while the CPU puts "
         "this one into its matrix. The paper's ratio is that of one function: its calls until the results are ready "
         "for `assemble`. The CPU's loop writes the matrix itself: a third ratio adds the time in which the CPU puts "
         "the chunks there. Copies are blocking ones, as in the paper, and through pageable memory, except in the "
         "columns of pinned memory.";
}

StudyTable gain_table(const RunTimes& runs, bool with_gpu) {
  const PaperTable& paper = paper_table("fibers");
  StudyTable table(
      "gain", "Share of the interaction in a run, and the gain from computing it on the GPU",
      {column("fibers", "fibers", 6), column("cpu_seconds", "run, CPU only", "s"),
       column("share", "interaction's share", "%"), column("source_share", "the paper's", "%"),
       column("gain", "gain with the GPU", "%"), column("source_gain", "the paper's", "%"),
       column("saved_seconds", "saved by the GPU", "s"), column("gpu_seconds", "run, GPU extension", "s")});
  table.note =
      "Tables 6.2, 6.3 and B.1 of the paper. The whole run is timed: its evaluations and steps. The interaction's "
      "share is its part of that time. The rest of a run, which solves for the forces, stays on the CPU; with the "
      "extension the GPU and the CPU work at once. `--runs` takes the fastest kernel of this machine instead of the "
      "published formulas, and has all of a run on the GPU, so that its times differ.";
  for (const auto& [fibers, times] : runs) {
    const std::string row = std::to_string(fibers);
    const double whole = sum_of(times.whole), on_gpu = sum_of(times.whole_with_gpu);
    table.add({fibers, whole, 100 * sum_of(times.alone) / whole, paper.printed("table 6.3", row, "portion"),
               value_if(with_gpu, 100 * (1 - on_gpu / whole)), paper.printed("table 6.2", row, "gain"),
               value_if(with_gpu, whole - on_gpu), value_if(with_gpu, on_gpu)});
  }
  return table;
}

std::vector<double> all_ratios(const RunTimes& runs) {
  std::vector<double> ratios;
  for (const auto& [fibers, times] : runs) ratios.push_back(times.ratio());
  return ratios;
}

StudyTable average_table(const RunTimes& runs) {
  const PaperTable& paper = paper_table("fibers");
  const std::string largest = std::to_string(static_cast<int>(paper.curve("table B.2", "CPU-only").back().x));
  const std::string here = "100 to " + format_fiber_count(runs.rbegin()->first);
  StudyTable table(
      "average", "The ratio's average, " + here,
      {column("here", "here, " + here, 4), column("source", "the paper, 100 to " + largest + " fibers", 4)});
  table.add({sum_of(all_ratios(runs)) / static_cast<double>(runs.size()),
             paper.at("section 6.1", "all runs", "average of table 6.1")});
  return table;
}

std::vector<StudyPlot> interaction_plots(const StudyTable& alone, const StudyTable& gain, bool with_gpu) {
  const PaperTable& paper = paper_table("fibers");
  StudyPlot times = plot_of("The interaction of a run", {"fibers", "", Scale::logarithmic},
                            {"time", "s", Scale::logarithmic}, {alone.line("fibers", "cpu_seconds")});
  StudyPlot gains = plot_of("Tables 6.2 and 6.3: the interaction in a run", {"fibers"}, {"share, gain", "%"},
                            {gain.line("fibers", "share", "interaction's share of a run on the CPU")});
  if (with_gpu) {
    times.lines.push_back(alone.line("fibers", "gpu_in_turn_seconds", "GPU, in turn"));
    times.lines.push_back(alone.line("fibers", "gpu_at_once_seconds"));
    gains.lines.push_back(gain.line("fibers", "gain"));
  }
  const auto add = [&](StudyPlot& plot, const char* label, const char* place, const char* column_of_paper) {
    plot.lines.push_back({label, paper.curve(place, column_of_paper), LineKind::paper});
  };
  add(times, "the paper, CPU", "table B.2", "CPU-only");
  add(times, "the paper, GPU in turn", "table B.2", "GPU-extension (non-parallel)");
  add(times, "the paper, both at once", "table B.2", "GPU-extension");
  add(gains, "the paper, share", "table 6.3", "portion");
  add(gains, "the paper, gain", "table 6.2", "gain");
  return {std::move(times), std::move(gains)};
}

std::vector<Finding> interaction_findings(const RunTimes& runs, bool with_gpu) {
  const PaperTable& paper = paper_table("fibers");
  const InteractionTimes &first = runs.begin()->second, &last = runs.rbegin()->second;
  const int fibers = runs.rbegin()->first;
  const std::string of = format_fiber_count(fibers);
  const bool several = runs.size() > 1;
  const auto paper_value = [&](int of_fibers, const char* place, const char* column_of_paper) {
    return paper.at(place, std::to_string(of_fibers), column_of_paper);
  };
  std::vector<Finding> findings;
  if (several)
    findings.push_back({"the interaction's share of a run on the CPU falls from 100 to " + of, "table 6.3",
                        paper_value(100, "table 6.3", "portion") / paper_value(fibers, "table 6.3", "portion"),
                        last.share, first.share});
  if (!with_gpu) return findings;
  const auto shorter = [&](int of_fibers, const InteractionTimes& times) {
    findings.push_back({"the interaction is shorter on the GPU than on the CPU, " + format_fiber_count(of_fibers),
                        "table 6.1", paper_value(of_fibers, "table 6.1", "CPU to GPU time ratio"), times.extension[0],
                        times.alone});
  };
  shorter(100, first);
  if (several) shorter(fibers, last);
  findings.push_back({"the CPU waits less if both work at once, " + of, "table B.2",
                      paper_value(fibers, "table B.2", "GPU-extension (non-parallel)") /
                          paper_value(fibers, "table B.2", "GPU-extension"),
                      last.extension[1], last.extension[0]});
  if (const auto hidden = hidden_half(fibers, last.extension[1], last.extension[0])) findings.push_back(*hidden);
  const std::vector<double> ratios = all_ratios(runs);
  findings.push_back(average_ratio(ratios, fibers));
  std::vector<RunPair> pairs;
  for (const auto& [of_fibers, times] : runs) {
    pairs.push_back({of_fibers, times.whole_with_gpu, times.whole});
    findings.push_back(
        {"a run with the extension is shorter than on the CPU alone, " + format_fiber_count(of_fibers), "table B.1",
         paper_value(of_fibers, "table B.1", "CPU-only") / paper_value(of_fibers, "table B.1", "GPU-extension"),
         times.whole_with_gpu, times.whole});
  }
  const std::vector<Finding> of_gains = gain_findings(pairs);
  findings.insert(findings.end(), of_gains.begin(), of_gains.end());
  if (several) {
    findings.push_back(same_ratio(ratios, fibers));
    findings.push_back(growing_hidden_part(fibers, first.waits(), last.waits()));
    findings.push_back(falling_gain(fibers, pairs.front(), pairs.back()));
  }
  return findings;
}

}  // namespace

StudyResult interaction_study(Backend& backend, int most, int evaluations, const StudyProgress& progress) {
  const auto memory =
      static_cast<std::size_t>(paper_table("fibers").at("table A.2", "GeForce GTX 260", "global memory"));
  const bool with_gpu = backend.is_cuda();
  std::optional<StudyCpu> own_cpu;
  if (with_gpu) own_cpu.emplace(progress);
  Backend& cpu = own_cpu ? **own_cpu : backend;
  PaperRun of_paper = fiber_paper_run();
  of_paper.end = (evaluations - 1) * of_paper.time_step;
  RunTimes runs;
  StudyResult result;
  for (int fibers = 100; fibers <= most; fibers += 100) {
    runs[fibers] = measure(cpu, with_gpu ? &backend : nullptr, fibers, evaluations, memory, progress);
    StudyTable alone =
        interaction_table(runs, "The interaction alone in a run, " + of_paper.text() + ", FP64", with_gpu);
    alone.note = interaction_note(cpu, memory) + gain_of_cpu(runs);
    StudyTable gain = gain_table(runs, with_gpu);
    for (StudyTable* table : {&alone, &gain}) table->note += fiber_left_out("table B.2", most);
    result.plots = interaction_plots(alone, gain, with_gpu);
    result.tables = {std::move(alone), std::move(gain)};
    if (with_gpu) result.tables.push_back(average_table(runs));
    result.tables.push_back(findings_table(interaction_findings(runs, with_gpu),
                                           with_gpu ? "" : "Measurements that need a GPU are missing here."));
    report_partial(progress, result);
  }
  return result;
}

// ---- patterns of memory access

namespace {

constexpr int pattern_repeats = 7;

// A warm-up of each, which allocates memory and loads kernels.
std::vector<std::vector<double>> pattern_seconds(const std::vector<std::function<void()>>& works) {
  for (const auto& work : works) work();
  return interleaved_seconds(works, pattern_repeats);
}

// Times of patterns in the order of their table, given by the axis label.
StudyPlot plot_of_patterns(const char* title, const char* patterns, const std::vector<std::vector<double>>& seconds) {
  StudyPlot plot = plot_of(title, {patterns}, {"time", "s", Scale::logarithmic}, {{"here", {}}});
  for (std::size_t k = 0; k < seconds.size(); ++k) plot.lines[0].add(k + 1, median_of(seconds[k]));
  return plot;
}

void add_global_patterns(Backend& backend, const StudyProgress& progress, StudyResult& result,
                         std::vector<Finding>& findings) {
  constexpr int blocks_on_cuda = 8192, blocks_on_cpu = 512;  // short on either
  GlobalTraffic traffic;
  traffic.blocks = backend.is_cuda() ? blocks_on_cuda : blocks_on_cpu;
  Array<double> from(backend, traffic.size(), "numbers"), to(backend, traffic.size(), "numbers");
  constexpr GlobalPattern all[] = {GlobalPattern::padded, GlobalPattern::packed, GlobalPattern::own};
  std::vector<std::function<void()>> works;
  for (const GlobalPattern pattern : all)
    works.emplace_back([&, pattern] {
      move_numbers(backend, pattern, traffic, from.data(), to.data());
      backend.synchronize();
    });
  progress("patterns in memory");
  const auto seconds = pattern_seconds(works);
  StudyTable table("global", "Global memory: numbers moved by blocks of 128 threads, of which 120 have work",
                   {column("pattern", "where a thread's numbers lie"), column("figure"), column("seconds", "time", "s"),
                    column("rate", "read and written", "B/s")});
  table.note = std::to_string(traffic.blocks) + " blocks" +
               (backend.is_cuda() ? " (512 on a processor)" : " (8192 with CUDA)") + ", of which each thread moves " +
               std::to_string(traffic.numbers) +
               " numbers in double precision: as many as the inner integrals have here. The paper's equation 2.2 has "
               "more. On a processor's core the threads of a block come one after the other, so that what is good for "
               "a GPU need not be good there.";
  const char* const figures[] = {"5.8", "5.7", "-"};
  for (std::size_t k = 0; k < 3; ++k) {
    const double median = median_of(seconds[k]);
    table.add({name_of(all[k]), figures[k], median, traffic.bytes() / median});
  }
  result.tables.push_back(table);
  result.plots.push_back(
      plot_of_patterns("Figures 5.7 and 5.8: global memory", "pattern: padded, packed, a thread's own", seconds));
  if (!backend.is_cuda()) return;  // the paper's findings on a GPU's segments do not apply to a processor's caches
  findings.push_back({"blocks that begin with a whole segment are quicker than packed ones", "figures 5.7, 5.8", NAN,
                      seconds[0], seconds[1]});
  findings.push_back({"neighbouring threads are quicker with consecutive numbers than with scattered ones",
                      "section 4.5.3", NAN, seconds[0], seconds[2]});
}

void add_shared_patterns(Backend& backend, const StudyProgress& progress, StudyResult& result,
                         std::vector<Finding>& findings) {
  constexpr int blocks = 4096, turns = 2000;
  constexpr SharedPattern all[] = {SharedPattern::rows, SharedPattern::one_bank, SharedPattern::rows_double,
                                   SharedPattern::halves, SharedPattern::own_double};
  Array<double> results(backend, static_cast<std::size_t>(blocks) * GlobalTraffic::block, "results");
  std::vector<std::function<void()>> works;
  for (const SharedPattern pattern : all)
    works.emplace_back([&, pattern] {
      run_shared_pattern(backend, pattern, blocks, turns, results.data());
      backend.synchronize();
    });
  progress("patterns in shared memory");
  const auto seconds = pattern_seconds(works);
  StudyTable table("shared", "Shared memory: a recursion over six numbers of each thread",
                   {column("pattern", "where they lie"), column("figure"), column("seconds", "time", "s"),
                    column("rate", "steps", "1/s")});
  table.note =
      "One step of the recursion reads two numbers and writes one. The paper's GPU accesses its banks for half a warp "
      "at once. Later ones have twice as many and access them for a whole warp, so the conflict of figure 5.10 does "
      "not occur here: rows of doubles have none.";
  const char* const figures[] = {"5.9", "-", "5.10", "5.9, halves", "-"};
  for (std::size_t k = 0; k < 5; ++k) {
    const double median = median_of(seconds[k]);
    table.add({name_of(all[k]), figures[k], median, static_cast<double>(results.size()) * turns / median});
  }
  result.tables.push_back(table);
  result.plots.push_back(plot_of_patterns("Figures 5.9 and 5.10: shared memory",
                                          "pattern: rows, one bank, rows of doubles, halves, a thread's own", seconds));
  findings.push_back({"threads that access separate banks are quicker than all in one bank, single precision",
                      "section 4.5.2", NAN, seconds[0], seconds[1]});
  findings.push_back(
      {"doubles in one buffer are quicker than in halves", "section 5.7.4", NAN, seconds[2], seconds[3]});
}

// Its algorithms 5.2 to 5.5, as kernels of their own.
void add_loop_patterns(Backend& backend, const StudyProgress& progress, StudyResult& result,
                       std::vector<Finding>& findings) {
  constexpr int blocks = 4096, turns_of_values = 4000, turns_of_sums = 16, parts = 4;
  constexpr LoopPattern all[] = {LoopPattern::recomputed, LoopPattern::kept,     LoopPattern::global,
                                 LoopPattern::shared,     LoopPattern::constant, LoopPattern::tiled};
  constexpr auto threads = static_cast<std::size_t>(blocks) * GlobalTraffic::block;
  Array<double> numbers(backend, parts * legendre_size * threads, "numbers"),
      results(backend, legendre_size * threads, "results");
  numbers.fill_zero();
  const auto turns_of = [](LoopPattern pattern) {
    return pattern == LoopPattern::recomputed || pattern == LoopPattern::kept ? turns_of_values : turns_of_sums;
  };
  std::vector<std::function<void()>> works;
  for (const LoopPattern pattern : all)
    works.emplace_back([&, pattern] {
      run_loop_pattern(backend, pattern, blocks, turns_of(pattern), parts, numbers.data(), results.data());
      backend.synchronize();
    });
  progress("loops");
  const auto seconds = pattern_seconds(works);
  StudyTable table(
      "loops", "Loops of the interaction",
      {column("pattern", "loop"), column("algorithm"), column("seconds", "time", "s"), column("rate", "turns", "1/s")});
  table.note = "Kernels of their own with " + std::to_string(blocks) +
               " blocks of 128 threads. A turn of the sums reads six numbers of each thread and writes six. On its GPU "
               "no cache held the numbers that algorithm 5.4 reads again.";
  const char* const algorithms[] = {"5.2", "5.3", "5.4", "5.4", "5.4", "5.5"};
  for (std::size_t k = 0; k < std::size(all); ++k) {
    const double median = median_of(seconds[k]);
    table.add({name_of(all[k]), algorithms[k], median, static_cast<double>(threads) * turns_of(all[k]) / median});
  }
  result.tables.push_back(table);
  findings.push_back(
      {"two values kept in registers are quicker than recomputed ones", "section 5.7.1", NAN, seconds[1], seconds[0]});
  findings.push_back(
      {"the Legendre matrix is quicker in shared than in global memory", "section 5.7.5", NAN, seconds[3], seconds[2]});
  findings.push_back({"the Legendre matrix is quicker in shared than in constant memory", "section 5.7.5", NAN,
                      seconds[3], seconds[4]});
  findings.push_back({"the sums are quicker whole than in tiles", "section 5.7.5", NAN, seconds[3], seconds[5]});
}

int paper_capability() {
  return static_cast<int>(
      std::lround(10 * paper_table("fibers").at("table A.2", "GeForce GTX 260", "compute capability")));
}

// Resources of the kernel here compared with the paper's.
StudyTable extension_resources(const Backend& backend) {
  const PaperTable& paper = paper_table("fibers");
  const LaunchShape shape = extension_shape(backend);
  const auto paper_value = [&](const char* what) { return paper.printed("section 5.7.6", "kernel", what); };
  const bool here = backend.is_cuda();
  // Warps per multiprocessor of the device.
  const auto max_warps = [](const GpuRules* rules) { return rules ? rules->max_threads / threads_of_warp : 0; };
  const int warps = here ? max_warps(gpu_rules(cuda_status().compute_capability)) : 0;
  StudyTable table("needs", "The kernel in the paper's form: a thread for each pair and outer point",
                   {column("number"), column("here", "here", 4), column("source", "the paper", 4)});
  table.rows = {
      {"threads of a block", PaperGrid::block, paper_value("threads per block")},
      {"registers of a thread", value_if(here, shape.registers_per_thread), paper_value("registers per thread")},
      {"blocks of a multiprocessor",
       value_if(warps > 0, std::floor(shape.occupancy * warps * threads_of_warp / PaperGrid::block + 0.5)),
       paper_value("blocks per multiprocessor")},
      {"warps of a multiprocessor", value_if(warps > 0, shape.occupancy * warps),
       paper_value("warps per multiprocessor")},
      // The paper does not print its occupancy: it follows from the warps that it states and those of its GPU.
      {"occupancy, %", value_if(here, 100 * shape.occupancy), "-"}};
  table.note =
      "The paper: " + paper.cited() + ", section 5.7.6, on compute capability " +
      format_number(paper_capability() / 10.0) +
      ". It prints no occupancy. Here: our kernel by this device's rules; the number of threads is the paper's.";
  return table;
}

// Limits of its GPUs that the paper states, by the rules of their compute capabilities. Whether the kernel in its form
// is within those of a later one, as it set itself.
StudyTable limits_of_its_gpus(const Backend& backend, std::vector<Finding>& findings) {
  const PaperTable& paper = paper_table("fibers");
  StudyTable table("limits", "Limits of the paper's GPUs",
                   {column("number"), column("here", "by its rules", 4), column("source", "the paper", 4)});
  for (const auto& [row, capability] :
       {std::pair("compute capability 1.3", 13), std::pair("compute capability 2.x", 21)})
    table.add({std::string("registers of a thread, ") + row, gpu_rules(capability)->max_registers,
               paper.printed("section 5.7", row, "most registers per thread")});
  // As in its calculator: from its kernel's registers alone, because it does not state the shared memory of a block.
  const auto of_kernel = [&](const char* what) { return paper.printed("section 5.7.6", "kernel", what); };
  const int registers = static_cast<int>(number_of(of_kernel("registers per thread"))),
            threads = static_cast<int>(number_of(of_kernel("threads per block")));
  const int blocks = occupancy_of(*gpu_rules(paper_capability()), {threads, registers, 0}).blocks;
  table.add({"blocks of a multiprocessor, of its kernel", blocks, of_kernel("blocks per multiprocessor")});
  table.add({"warps of a multiprocessor, of its kernel", blocks * threads / threads_of_warp,
             of_kernel("warps per multiprocessor")});
  table.note = "By the occupancy model, whose rules are those of NVIDIA's occupancy calculator.";
  if (backend.is_cuda()) {
    const double here = extension_shape(backend).registers_per_thread;
    findings.push_back(with_measured(
        counted_finding("the kernel needs no more registers than compute capability 2.x has", "section 5.7", NAN, here,
                        paper.at("section 5.7", "compute capability 2.x", "most registers per thread") + 0.5),
        here, "registers"));
  }
  return table;
}

}  // namespace

StudyResult patterns_study(Backend& backend, const Setup&, const StudyProgress& progress) {
  StudyResult result;
  std::vector<Finding> findings;
  add_global_patterns(backend, progress, result, findings);
  report_partial(progress, result);
  if (backend.is_cuda()) {
    add_shared_patterns(backend, progress, result, findings);
    add_loop_patterns(backend, progress, result, findings);
  }
  report_partial(progress, result);
  result.tables.push_back(extension_resources(backend));
  result.tables.push_back(limits_of_its_gpus(backend, findings));
  result.tables.push_back(findings_table(
      findings, backend.is_cuda() ? ""
                                  : "Needs a GPU: patterns in shared memory are not measured here, and the times of "
                                    "those in global memory are a processor's, of which the paper says nothing."));
  return result;
}

}  // namespace perturb::fibers
