#include "cuda/wave/wave_studies.h"

#include <chrono>
#include <memory>

#include "cuda/core/random.h"
#include "cuda/wave/wave.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double seconds_of(Simulation& simulation, std::int64_t steps) {
  simulation.backend().synchronize();
  const auto start = Clock::now();
  simulation.step(steps);
  simulation.backend().synchronize();
  return seconds_since(start);
}

// Drops 70 droplets at places that are the same on every backend.
void burst(Simulation& simulation) {
  for (std::uint64_t n = 0; n < 70; ++n) {
    const Random4 random = philox(1, 70, n);
    const double x = 0.1 + 0.8 * uniform_double(random.v[0], random.v[1]);
    const double y = 0.1 + 0.8 * uniform_double(random.v[2], random.v[3]);
    simulation.apply(Action{"droplet", {{"x", x}, {"y", y}}, "", nullptr});
  }
}

void add_stages(Backend& backend, const Setup& setup, StudyTable& table) {
  const auto simulation = wave_create(backend, setup);
  const auto add = [&](const char* stage, std::int64_t steps, double seconds) {
    const double step = seconds / static_cast<double>(steps);
    table.rows.push_back({stage, backend.word(), simulation->selected_kernel(), static_cast<double>(steps), step,
                          simulation->step_cost(simulation->selected_kernel()).cells / step});
  };
  seconds_of(*simulation, 200);  // a warm-up on still water
  simulation->apply(Action{"droplet", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  add("first droplet", 200, seconds_of(*simulation, 200));
  simulation->step(2000);
  add("settled", 200, seconds_of(*simulation, 200));
  backend.synchronize();
  const auto start = Clock::now();
  burst(*simulation);
  simulation->step(200);
  backend.synchronize();
  add("burst of 70 droplets", 200, seconds_since(start));
  add("long run", 10000, seconds_of(*simulation, 10000));
}

StudyResult stages(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  Setup setup;  // an empty tank: the stages bring their own droplets
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
                   {"rate", "rate", "cell/s"}};
  if (backend.is_cuda()) {  // the comparison is CPU beside GPU
    const auto cpu = Backend::make_cpu();
    progress("stages on the CPU");
    add_stages(*cpu, setup, table);
  }
  progress("stages");
  add_stages(backend, setup, table);
  return {{std::move(table)}, {}};
}

}  // namespace

std::vector<Study> wave_studies() {
  return {{"stages", "The source's comparison of CPU and GPU in four stages, from a first droplet to a long run.",
           false, stages}};
}

}  // namespace perturb
