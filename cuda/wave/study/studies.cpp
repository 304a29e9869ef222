#include "cuda/wave/study/studies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/math/random.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_of(Simulation& simulation, std::int64_t steps) {
  simulation.backend().synchronize();
  const auto start = SteadyClock::now();
  simulation.step(steps);
  simulation.backend().synchronize();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Drops this number of droplets, at the same positions on every backend.
void burst(Simulation& simulation, int droplets) {
  for (int n = 0; n < droplets; ++n) {
    const Random4 random = philox(1, 70, static_cast<std::uint64_t>(n));
    const double x = 0.1 + 0.8 * uniform_double(random.v[0], random.v[1]);
    const double y = 0.1 + 0.8 * uniform_double(random.v[2], random.v[3]);
    simulation.apply(Action{"droplet", {{"x", x}, {"y", y}}, "", nullptr});
  }
}

// Seconds per step in each group of steps of a stage.
struct Stage {
  std::string name;
  std::vector<double> repeats;
};

std::vector<Stage> run_stages(Backend& backend, const Setup& setup, int droplets, const StudyProgress& progress,
                              StudyTable& table) {
  constexpr int groups = 7;
  std::vector<Stage> stages;
  const auto simulation = create(backend, setup);
  const auto add = [&](const std::string& name, std::int64_t steps, const auto& before) {
    Stage stage{name, {}};
    for (int k = 0; k < groups; ++k) {
      backend.synchronize();
      const auto start = SteadyClock::now();
      before();
      simulation->step(steps);
      backend.synchronize();
      stage.repeats.push_back(std::chrono::duration<double>(SteadyClock::now() - start).count() /
                              static_cast<double>(steps));
    }
    const double step = median_of(stage.repeats);
    table.rows.push_back({name, backend.word(), simulation->selected_kernel(), static_cast<double>(groups * steps),
                          step, *std::max_element(stage.repeats.begin(), stage.repeats.end()),
                          simulation->step_cost(simulation->selected_kernel()).cells / step});
    stages.push_back(std::move(stage));
    report_partial(progress, {{table}, {}});
  };
  const auto nothing = [] {};
  seconds_of(*simulation, 200);  // a warm-up on still water
  simulation->apply(Action{"droplet", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  add("first droplet", 200, nothing);
  simulation->step(2000);
  add("settled", 200, nothing);
  add("bursts of " + std::to_string(droplets) + " droplets", 200, [&] { burst(*simulation, droplets); });
  add("long run", 2000, nothing);
  return stages;
}

StudyLine line_of(const std::vector<Stage>& stages, const Backend& backend) {
  StudyLine line{backend.word(), {}, false};
  for (std::size_t k = 0; k < stages.size(); ++k)
    line.points.push_back({static_cast<double>(k + 1), median_of(stages[k].repeats)});
  return line;
}

StudyResult stages(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  const char* const place = "section Performance comparison";
  const int droplets = static_cast<int>(paper.at(place, "burst", "most droplets"));
  Setup setup;  // an empty tank: the stages add their own droplets
  setup.simulation = scene.simulation;
  setup.width = scene.width, setup.height = scene.height;
  StudyTable table;
  table.id = "stages";
  table.title = "The wave's source in four stages";
  table.columns = {{"stage", "stage", ""},
                   {"backend", "on", ""},
                   {"kernel", "kernel", ""},
                   {"steps", "steps", "", 6},
                   {"seconds_per_step", "time per step", "s"},
                   {"longest_seconds_per_step", "at most", "s"},
                   {"rate", "rate", "cell/s"}};
  table.note = "Medians of seven groups of steps. The source (" + paper.cited() +
               ") prints no times, only that the GPU was faster in every stage and the CPU a little faster in the long "
               "run. It coloured and read back each picture, and its kernels were others.";
  std::unique_ptr<Backend> other;
  std::vector<Finding> findings;
  std::vector<Stage> on_cpu;
  StudyPlot plot;  // without times of the paper: it prints none
  plot.title = table.title, plot.x_label = "stage: first droplet, settled, bursts, long run";
  plot.y_label = "time per step", plot.y_unit = "s", plot.logarithmic_y = true;
  if (backend.is_cuda()) {  // compares CPU and GPU
    other = Backend::make_cpu();
    progress("stages on the CPU");
    on_cpu = run_stages(*other, setup, droplets, progress, table);
    plot.lines.push_back(line_of(on_cpu, *other));
  }
  progress("stages");
  std::vector<Stage> here = run_stages(backend, setup, droplets, progress, table);
  plot.lines.push_back(line_of(here, backend));
  if (!backend.is_cuda()) on_cpu = std::move(here);
  if (backend.is_cuda())
    for (std::size_t k = 0; k < here.size(); ++k)
      findings.push_back(
          {"the GPU is faster than the CPU: " + here[k].name, place, NAN, here[k].repeats, on_cpu[k].repeats});
  findings.push_back({"the CPU's steps are shorter in the long run than when settled", place, NAN, on_cpu[3].repeats,
                      on_cpu[1].repeats});
  return {{std::move(table),
           findings_table(findings, backend.is_cuda() ? "" : "What it found of a GPU needs one: not measured here.")},
          {std::move(plot)}};
}

}  // namespace

std::vector<Study> wave_studies() {
  return {
      {"stages", "The source's comparison of CPU and GPU in four stages, from a first droplet to a long run.", false,
       stages},
      {"programs",
       "The source's own programs (matrices on the CPU, copies at each convolution, all on the GPU) beside this one.",
       false, programs_study},
      {"profile", "What a step of the source's programs spends its time on.", false, profile_study}};
}

}  // namespace perturb::wave
