// Divergence of paths by rounding: the paper's figure 7.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/state.h"
#include "cuda/particles/parameters.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/particles/studies.h"

namespace perturb::particles {

namespace {

std::vector<double> numbers_of(const State& state) {
  std::vector<double> all;
  for (const char* name : {"position", "velocity"}) {
    const Dataset& data = state.datasets.at(name);
    if (data.type == ElementType::float32) {
      const auto values = state.get<float>(name, data.shape);
      all.insert(all.end(), values.begin(), values.end());
    } else {
      const auto values = state.get<double>(name, data.shape);
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

// Number of discs with any value that differs when written with eight decimals.
double differing_discs(const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t discs = a.size() / 4;
  double count = 0;
  for (std::size_t k = 0; k < discs; ++k) {
    bool same = true;
    for (const std::size_t at : {2 * k, 2 * k + 1, 2 * discs + 2 * k, 2 * discs + 2 * k + 1})
      same = same && std::round(a[at] * 1e8) == std::round(b[at] * 1e8);
    if (!same) ++count;
  }
  return count;
}

// The state as FP32 runs begin with it.
State with_rounded_discs(State state) {
  for (const char* name : {"position", "velocity"}) {
    const Dataset& data = state.datasets.at(name);
    const std::vector<std::size_t> shape = data.shape;
    const std::string unit = data.unit;
    std::vector<double> values = state.get<double>(name, shape);
    for (double& value : values) value = static_cast<float>(value);
    state.put(name, shape, unit, values);
  }
  return state;
}

// First step at which no disc is equal in the two runs, at most the given number from now; one more if some stay equal
// to the end.
int steps_to_full_divergence(Simulation& a, Simulation& b, int most) {
  for (int step = 1; step <= most; ++step) {
    a.step(1);
    b.step(1);
    const std::vector<double> here = numbers_of(a.save());
    if (4 * differing_discs(here, numbers_of(b.save())) == static_cast<double>(here.size())) return step;
  }
  return most + 1;
}

// The paper compares its CUDA program with its CPU program: with contraction all discs differ sooner, from a given
// step. Several starts, as ours are not the paper's. Without contraction the program's CPU and GPU compute the same
// bits by construction, so that those never part.
std::vector<Finding> contraction_parts_first(Backend& backend, Backend& cpu, const Setup& scene,
                                             const StudyProgress& progress) {
  const PaperTable& paper = paper_table("particles");
  constexpr int starts = 7;  // the smallest number that allows every verdict
  const double with = paper.at("figure 7", "fmad on", "step of full divergence"),
               without = paper.at("figure 7", "fmad off", "step of full divergence");
  const int most = static_cast<int>(2 * without);
  Finding finding{"with contraction all discs differ from the CPU's sooner than without, FP64",
                  "section 4.5",
                  without / with,
                  {},
                  {}};
  for (int start = 0; start < starts; ++start) {
    progress("start " + std::to_string(start + 1) + " of " + std::to_string(starts));
    for (const bool contraction : {true, false}) {
      Setup setup = scene;
      setup.seed = scene.seed + static_cast<std::uint32_t>(start);
      setup.parameters["collisions"] = 0;
      setup.parameters["contraction"] = 0;
      setup.parameters["precision"] = static_cast<double>(Precision::fp64);
      const auto there = make_discs(cpu, setup, "grid");
      setup.parameters["contraction"] = contraction ? 1 : 0;
      const auto here = make_discs(backend, setup, "grid");
      (contraction ? finding.less : finding.more).push_back(steps_to_full_divergence(*here, *there, most));
    }
  }
  finding.claim += never_diverged(finding.more, most);
  // The scale of the tolerance is the paper's: what contraction changes there.
  const double within = without - with;
  return {agreement("with contraction all discs differ from the CPU's from this step on, median of " +
                        std::to_string(starts) + " other starts (within " + format_number(within) +
                        ", the paper's steps with and without contraction apart), FP64",
                    "section 4.5", with, finding.less, within),
          finding};
}

constexpr int divergence_steps = 1000;

// Two runs that are compared, and when they part.
struct DivergingPair {
  const char *id, *label;
  std::size_t a, b;
  int all_differ = -1, some_differ = -1;  // the first step with no disc equal, and with one that differs
};

StudyTable full_divergence(const std::vector<DivergingPair>& pairs) {
  const PaperTable& paper = paper_table("particles");
  StudyTable ends("full_divergence", "The first step at which no disc is alike",
                  {column("pair", "between"), column("step", "step", 4), column("source", "the paper compared"),
                   column("source_step", "its step", 4), column("first_step", "first step at which one differs", 4),
                   column("source_first_step", "the paper's", 4)});
  for (const DivergingPair& pair : pairs) {
    const std::string id = pair.id;
    const char* row = nullptr;
    if (id == "contraction_fp64")
      row = "fmad on";
    else if (id == "cpu")
      row = "fmad off";
    else if (id == "cpu_contraction")
      row = "fmad on in the CPU program";
    const auto step_or_none = [&](int step) {
      return step < 0 ? StudyValue("not in " + std::to_string(divergence_steps)) : StudyValue(step);
    };
    ends.add({pair.label, step_or_none(pair.all_differ),
              row == nullptr            ? "-"
              : id == "cpu_contraction" ? row
                                        : row + std::string(" with its CPU program"),
              row == nullptr ? StudyValue("-") : paper.printed("figure 7", row, "step of full divergence"),
              step_or_none(pair.some_differ),
              id == "contraction_fp64" ? paper.printed("section 4.1", "fmad on", "first step that differs")
                                       : StudyValue("-")});
  }
  ends.note =
      "Of one start, that of the plot; the findings have the median of seven. The paper: " + paper.cited() +
      ", figure 7, from another start. \"Contraction on\" is compared with off on " +
      "one device. Ours without contraction compute the same bits on CPU and GPU, so that this is also CUDA with "
      "contraction compared with the CPU without, as in the paper, and \"CPU compared with CUDA\" has to stay alike.";
  return ends;
}

}  // namespace

std::string never_diverged(const std::vector<double>& steps, int most) {
  const auto never = std::count_if(steps.begin(), steps.end(), [&](double step) { return step > most; });
  if (never == 0) return "";
  return " (without, where the program's CPU and GPU compute the same bits, discs are alike to the end of " +
         std::to_string(most) + " steps in " + std::to_string(never) + " of " + std::to_string(steps.size()) +
         " starts, which count as " + std::to_string(most + 1) + ": the ratio is at least this)";
}

StudyResult divergence_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  struct Run {
    Backend* backend;
    bool single, contraction;
    bool rounded = false;  // begins with the state of the FP32 runs
  };
  std::optional<StudyCpu> cpu;
  std::vector<Run> runs = {{&backend, false, false},
                           {&backend, false, true},
                           {&backend, true, false},
                           {&backend, true, true},
                           {&backend, false, false, true}};
  std::vector<DivergingPair> pairs = {{"contraction_fp64", "contraction on, FP64", 0, 1},
                                      {"contraction_fp32", "contraction on, FP32", 2, 3},
                                      {"single", "FP32 compared with FP64, from the same rounded start", 4, 2}};
  if (backend.is_cuda()) {
    cpu.emplace(progress);
    runs.push_back({cpu->get(), false, false});
    pairs.push_back({"cpu", "CPU compared with CUDA, FP64", 0, runs.size() - 1});
    runs.push_back({cpu->get(), false, true});
    pairs.push_back({"cpu_contraction", "CPU compared with CUDA, contraction on in both, FP64", 1, runs.size() - 1});
  }
  const double tenth = 0.1;
  const bool fused = backend.is_cuda() || multiply_add(tenth, 10.0, -1.0) != tenth * 10.0 - 1.0;

  std::vector<std::unique_ptr<Simulation>> simulations;
  for (const Run& run : runs) {
    Setup setup = scene;
    setup.parameters["collisions"] = 0;  // contraction is a variant of the paper's rule
    setup.parameters["precision"] = static_cast<double>(run.single ? Precision::fp32 : Precision::fp64);
    setup.parameters["contraction"] = run.contraction ? 1 : 0;
    simulations.push_back(make_discs(*run.backend, setup, "grid"));
    if (run.rounded) simulations.back()->load(with_rounded_discs(simulations.back()->save()));
  }
  StudyResult result;
  StudyTable table("divergence", "Discs that differ at the 8th decimal", {column("step", "step", 6)});
  // The plot ends where the paper's does. The table goes on: discs of other starts part later.
  const int last_shown = static_cast<int>(paper_table("particles").at("figure 7", "plot", "last step shown"));
  StudyPlot plot = plot_of("Figure 7: discs that differ at the 8th decimal", {"Step"}, {"Discs"});
  for (const DivergingPair& pair : pairs) {
    table.columns.push_back(column(pair.id, pair.label, 7));
    plot.lines.push_back({pair.label, {}});
  }
  int next_row = 0;
  for (int step = 0; step <= divergence_steps; ++step) {
    if (step % 200 == 0) progress("step " + std::to_string(step));
    if (step > 0)
      for (const auto& run : simulations) run->step(1);
    std::vector<std::vector<double>> states;
    for (const auto& run : simulations) states.push_back(numbers_of(run->save()));
    std::vector<StudyValue> row = {step};
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double count = differing_discs(states[pairs[k].a], states[pairs[k].b]);
      if (step <= last_shown) plot.lines[k].add(step, count);
      row.emplace_back(count);
      DivergingPair& pair = pairs[k];
      if (pair.some_differ < 0 && count > 0) pair.some_differ = step;
      if (pair.all_differ < 0 && 4 * count == static_cast<double>(states[0].size())) pair.all_differ = step;
    }
    if (step == next_row) {
      table.add(std::move(row));
      next_row += step < 20 ? 2 : step < 100 ? 10 : 50;
      report_partial(progress, {{table}, {plot}});
    }
  }
  table.note = "Of " + std::to_string(static_cast<std::int64_t>(simulations[0]->step_cost("grid").cells)) +
               " discs. Two paths that differ in their last bit part by a factor at every collision.";
  const PaperTable& paper = paper_table("particles");
  // Where the paper's curves reach their maximum, the only number that it gives for them.
  const double discs = simulations[0]->step_cost("grid").cells;
  for (const auto& [row, words] : {std::pair("fmad on", "the paper: all differ, contraction on"),
                                   std::pair("fmad off", "the paper: all differ, contraction off")}) {
    const double step = paper.at("figure 7", row, "step of full divergence");
    plot.lines.push_back({words, {{step, 0}, {step, discs}}, LineKind::paper});
  }
  if (!fused) table.note += " This build's processor has no fused multiply-add, so contraction changes nothing here.";
  result.tables = {std::move(table), full_divergence(pairs)};
  result.plots.push_back(std::move(plot));
  if (!cpu) {
    result.tables.push_back(findings_table({}, "Its comparison of a GPU with a CPU needs a GPU: not measured here."));
    return result;
  }
  report_partial(progress, result);
  result.tables.push_back(
      findings_table(contraction_parts_first(backend, **cpu, scene, progress),
                     "Steps until no disc is alike, seven starts each; a run in which some are to the end counts one "
                     "step more than were taken, twice what the paper took. Ours without contraction compute the same "
                     "bits on CPU and GPU, so that those cannot part."));
  return result;
}

}  // namespace perturb::particles
