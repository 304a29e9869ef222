// The studies of the wave's paper: its four stages, its three programs (paper.h) compared with this one, and the
// times of the parts of their steps.
#include "cuda/studies/wave/studies.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/math/random.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/timing/timing_duration.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/wave/paper.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

namespace {

// Drops this number of droplets, at the same positions on every backend.
void burst(Simulation& simulation, int droplets) {
  for (int n = 0; n < droplets; ++n) {
    const Random4 random = philox(1, 70, static_cast<std::uint64_t>(n));
    const double x = 0.1 + 0.8 * uniform_double(random.v[0], random.v[1]);
    const double y = 0.1 + 0.8 * uniform_double(random.v[2], random.v[3]);
    simulation.apply(Action{"droplet", {{"x", x}, {"y", y}}, "", nullptr});
  }
}

// The steps of the stages with Perturb's own kernels.
constexpr int own_groups = 7, own_steps_of_group = 200, own_steps_to_settle = 2000, own_steps_of_long_group = 2000;

std::string long_group_of(int steps) { return "long run of " + std::to_string(steps) + " steps"; }

// How calm the water is in the stage `settled`, for the notes. Heights fall as exp(-k t/2).
std::string calm_after(int steps) {
  const PaperTable& paper = paper_table("wave");
  const auto number = [&](const char* column) {
    return paper.at("section Creating the algorithm", "pseudo-code", column);
  };
  const long to_decay = std::lround(2 / (number("decay factor") * number("time step")));
  return "The stage \"settled\" begins after " + std::to_string(steps) +
         " steps, when the water is not calm: a wave takes " + std::to_string(to_decay) +
         " steps to fall to 37 % of its height.";
}

std::string long_group_of_paper() {
  const auto minutes = [](const char* column) {
    const PaperTable& paper = paper_table("wave");
    return std::to_string(std::lround(paper.at("section Performance comparison", "long run", column)));
  };
  return "Its long run takes " + minutes("shortest") + " to " + minutes("longest") + " minutes.";
}

// Seconds per step in each group of steps of a stage.
struct Stage {
  std::string name;
  std::vector<double> repeats;
};

std::vector<Stage> run_stages(Backend& backend, const Setup& setup, int droplets, const StudyProgress& progress,
                              StudyTable& table) {
  constexpr int groups = own_groups;
  std::vector<Stage> stages;
  const auto simulation = create(backend, setup);
  const auto add = [&](const std::string& name, std::int64_t steps, const auto& before) {
    Stage stage{name, {}};
    for (int k = 0; k < groups; ++k) {
      const double seconds = seconds_to_run(backend, [&] {
        before();
        simulation->step(steps);
      });
      stage.repeats.push_back(seconds / static_cast<double>(steps));
    }
    const double step = median_of(stage.repeats);
    table.add({name, backend.id(), simulation->selected_kernel(), groups * steps, step, longest_of(stage.repeats),
               simulation->step_cost(simulation->selected_kernel()).cells / step});
    stages.push_back(std::move(stage));
    report_partial(progress, {{table}, {}});
  };
  const auto nothing = [] {};
  seconds_to_step(*simulation, 200);  // a warm-up on still water
  simulation->apply(Action{"droplet", {{"x", 0.5}, {"y", 0.5}}, "", nullptr});
  add("first droplet", own_steps_of_group, nothing);
  simulation->step(own_steps_to_settle);
  add("settled", own_steps_of_group, nothing);
  add("bursts of " + std::to_string(droplets) + " droplets", own_steps_of_group, [&] { burst(*simulation, droplets); });
  add("long run", own_steps_of_long_group, nothing);
  return stages;
}

StudyLine line_of(const std::vector<Stage>& stages, const Backend& backend) {
  StudyLine line{backend.id(), {}};
  for (std::size_t k = 0; k < stages.size(); ++k) line.add(k + 1, median_of(stages[k].repeats));
  return line;
}

StudyResult stages(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  const char* const place = "section Performance comparison";
  const int droplets = static_cast<int>(paper.at(place, "burst", "most droplets"));
  Setup setup;  // an empty tank: the stages add their own droplets
  setup.simulation = scene.simulation;
  setup.width = scene.width;
  setup.height = scene.height;
  StudyTable table("stages", "The four stages of the wave paper",
                   {column("stage"), column("backend", "on"), column("kernel"), column("steps", "steps", 6),
                    column("seconds_per_step", "time per step", "s"),
                    column("longest_seconds_per_step", "at most", "s"), column("rate", "rate", "cell/s")});
  table.note = "Medians of seven groups of steps. The paper (" + paper.cited() +
               ") prints no times, only that the GPU was faster in every stage and that the CPU became slightly faster "
               "in the long run. " +
               long_group_of_paper() +
               " It coloured and read back every image. The kernels here are Perturb's own; the paper's CPU program "
               "has one thread. CPU and GPU take the same steps. Each group of the third stage adds its droplets "
               "before its first step. " +
               calm_after(own_groups * own_steps_of_group + own_steps_to_settle);
  std::optional<StudyCpu> other;
  // Without times of the paper: it prints none.
  StudyPlot plot = plot_of(table.title, {"stage: first droplet, settled, bursts, long run"},
                           {"time per step", "s", Scale::logarithmic});
  if (backend.is_cuda()) {  // compares CPU and GPU
    other.emplace(progress);
    progress("stages on the CPU");
    plot.lines.push_back(line_of(run_stages(**other, setup, droplets, progress, table), **other));
  }
  progress("stages");
  plot.lines.push_back(line_of(run_stages(backend, setup, droplets, progress, table), backend));
  const Backend& cpu = other ? **other : backend;
  table.note += " The CPU: " + cpu.device_name() + ", " + std::to_string(cpu.threads()) + " threads.";
  return {{std::move(table)}, {std::move(plot)}};
}

}  // namespace

std::string processor_of(const Backend& backend) {
  return backend.is_cuda() ? Backend::make_cpu(1)->device_name() : backend.device_name();
}

std::vector<Study> wave_studies() {
  return {
      {"stages", "The paper's comparison of CPU and GPU in four stages, from a first droplet to a long run.", false,
       stages},
      {"programs",
       "The paper's own programs (matrices on the CPU, copies at each convolution, all on the GPU) compared with this "
       "one.",
       false, programs_study},
      {"profile", "Time of each part of a step in the paper's programs.", false, profile_study},
      {"convolution",
       "The paper's convolutions from global, shared and constant memory and through a texture, by size of blocks.",
       false, convolution_study},
      {"transfers", "Copies between host and device in pageable and in pinned memory (CUDA).", false, transfers_study},
      {"practices", "The paper's advice for kernels, each followed and not.", false, practices_study},
      {"larger", "The paper's programs with larger tanks.", false, larger_study}};
}

// ---- the paper's three programs compared with this one, in the paper's four stages
//
// As in the paper, each step ends when its coloured image is in host memory.

namespace {

using PaperClock = std::chrono::steady_clock;
constexpr int paper_groups = 7;

// A program that shows a tank: one of the paper's, or this one.
struct TankProgram {
  std::string name, on;
  std::function<void(int i, int j)> drop;
  std::function<void()> step;  // ends when the image is in host memory
};

double seconds_of_steps(const TankProgram& program, int steps) {
  const auto start = PaperClock::now();
  for (int k = 0; k < steps; ++k) program.step();
  return std::chrono::duration<double>(PaperClock::now() - start).count();
}

TankProgram program_of_paper(const char* name, PaperMethod way, Backend& backend, int side, PaperColours colours) {
  const std::shared_ptr<PaperProgram> tank = make_wave_paper(way, backend, side, colours);
  return {name, way == PaperMethod::matrices ? "cpu, 1 thread" : "cuda", [tank](int i, int j) { tank->drop(i, j); },
          [tank] { tank->step(); }};
}

// This program: the simulation's own kernel, an image with one pixel per cell, and the copy to the host.
TankProgram program_of_ours(Backend& backend, int side) {
  struct OwnTank {
    OwnTank(Backend& b, const Setup& setup, int n)
        : tank(create(b, setup)),
          colours(b, find_colormap("ripple")),
          pixels(b, static_cast<std::size_t>(n) * static_cast<std::size_t>(n), "image"),
          back(b, pixels.size() * sizeof(std::uint32_t)) {
      view.quantity = "height";
      view.minimum = -1;
      view.maximum = 1;
    }
    std::unique_ptr<Simulation> tank;
    ColorTable colours;
    Array<std::uint32_t> pixels;
    AsyncReadback back;
    ViewSettings view;
  };
  Setup setup;
  setup.simulation = "wave";
  setup.width = setup.height = side;
  const auto shown = std::make_shared<OwnTank>(backend, setup, side);
  const std::string on = backend.is_cuda() ? "cuda" : "cpu, " + std::to_string(backend.threads()) + " threads";
  return {"this program", on,
          [shown, side](int i, int j) {
            shown->tank->apply(Action{"droplet", {{"x", (i + 0.5) / side}, {"y", (j + 0.5) / side}}, "", nullptr});
          },
          [shown, side] {
            shown->tank->step(1);
            shown->tank->paint({shown->pixels.data(), side, side}, Camera{}, shown->view, shown->colours);
            shown->back.start(shown->pixels.data());
            shown->back.wait();
          }};
}

enum PaperStage { first_stage, settled_stage, burst_stage, long_stage, paper_stages };
struct StageTimes {
  std::vector<std::vector<double>> seconds;  // [stage][group], of a step
  const std::vector<double>& operator[](std::size_t stage) const { return seconds[stage]; }
};

// The paper waits until the water is calm, and continues for a quarter of an hour. Here, the number of steps fits into
// a lesson. It is the same for every program, and so are the droplets of each group of the stage with bursts.
constexpr int steps_to_settle = 500;
constexpr int steps_of_group[paper_stages] = {40, 40, 40, 200};

// Adds droplets at the same positions for every program.
void drop_some(const TankProgram& program, int side, int droplets) {
  for (int n = 0; n < droplets; ++n) {
    const Random4 random = philox(1, 70, static_cast<std::uint64_t>(n));
    program.drop(static_cast<int>(uniform_double(random.v[0], random.v[1]) * side),
                 static_cast<int>(uniform_double(random.v[2], random.v[3]) * side));
  }
}

// The first stage runs separately, since it ends when the water is calm. The others are compared with each other: each
// has its own tank, and their groups of steps alternate, so that a machine that slows down affects all of them equally.
StageTimes times_of_stages(const std::function<TankProgram()>& make, int side, int droplets,
                           const std::function<void(int group)>& show_group) {
  std::vector<TankProgram> tanks;  // settled, burst, long
  for (int k = settled_stage; k < paper_stages; ++k) {
    tanks.push_back(make());
    tanks.back().drop(side / 2, side / 2);
    tanks.back().step();
  }
  StageTimes times{std::vector<std::vector<double>>(paper_stages)};
  for (int k = 0; k < paper_groups; ++k)
    times.seconds[first_stage].push_back(seconds_of_steps(tanks[0], steps_of_group[first_stage]) /
                                         steps_of_group[first_stage]);
  for (const TankProgram& tank : tanks) seconds_of_steps(tank, steps_to_settle);
  for (int k = 0; k < paper_groups; ++k) {
    show_group(k);
    for (std::size_t stage = settled_stage; stage < paper_stages; ++stage) {
      const TankProgram& tank = tanks[stage - settled_stage];
      const auto start = PaperClock::now();
      if (stage == burst_stage) drop_some(tank, side, droplets);
      for (int n = 0; n < steps_of_group[stage]; ++n) tank.step();
      times.seconds[stage].push_back(std::chrono::duration<double>(PaperClock::now() - start).count() /
                                     steps_of_group[stage]);
    }
  }
  return times;
}

}  // namespace

StudyResult programs_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  const char* const place = "section Performance comparison";
  const int droplets = static_cast<int>(paper.at(place, "burst", "most droplets"));
  const int side =
      scene.width > 0 ? scene.width : static_cast<int>(paper.at("section Implementing", "CPU version", "cells a side"));
  StudyTable table("programs",
                   "The paper's programs compared with this one, " + std::to_string(side) +
                       " cells per side, coloured at every step",
                   {column("program"), column("on"), column("stage"), column("steps", "steps", 6),
                    column("seconds_per_step", "time per step", "s"),
                    column("longest_seconds_per_step", "at most", "s"), column("rate", "rate", "cell/s")});
  table.note = "Medians of " + std::to_string(paper_groups) +
               " groups of steps. Each step ends when its image is in host memory. The steps are the same for every "
               "program; each group of " +
               std::to_string(steps_of_group[burst_stage]) + " steps of the third stage begins with " +
               std::to_string(droplets) + " droplets. " +
               calm_after(1 + paper_groups * steps_of_group[first_stage] + steps_to_settle) +
               " The paper prints no times. " + long_group_of_paper() + " The CPU: " + processor_of(backend) + ".";
  const char* const stage_names[] = {"first droplet", "settled", "bursts of droplets", "long run"};
  const PaperColours colours = PaperColours::table;

  std::optional<StudyCpu> other;
  if (backend.is_cuda()) other.emplace(progress);
  Backend& cpu = other ? **other : backend;
  std::vector<std::function<TankProgram()>> programs = {
      [&] { return program_of_paper("matrices", PaperMethod::matrices, cpu, side, colours); },
      [&] { return program_of_ours(cpu, side); }};
  if (backend.is_cuda()) {
    programs.emplace_back([&] { return program_of_paper("copies", PaperMethod::copies, backend, side, colours); });
    programs.emplace_back([&] { return program_of_paper("device", PaperMethod::device, backend, side, colours); });
    programs.emplace_back([&] { return program_of_ours(backend, side); });
  }
  // The paper's programs do not check for a stop request, and neither does a CPU that runs alongside a GPU, so each
  // step checks it.
  for (std::function<TankProgram()>& make : programs)
    make = [make, &backend] {
      TankProgram program = make();
      program.step = [step = program.step, &backend] {
        backend.stop_point();
        step();
      };
      return program;
    };
  std::vector<StageTimes> times;
  StudyPlot plot = plot_of(table.title, {"stage: first droplet, settled, bursts, long run"},
                           {"time per step", "s", Scale::logarithmic});
  for (const auto& make : programs) {
    const auto [name, on] = [&] {
      const TankProgram program = make();
      return std::pair(program.name, program.on);
    }();
    progress(name + " on " + on);
    times.push_back(times_of_stages(make, side, droplets, [&, name = name, on = on](int group) {
      progress(name + " on " + on + ", group " + std::to_string(group + 1) + " of " + std::to_string(paper_groups));
    }));
    StudyLine line{name + ", " + on, {}};
    for (int stage = 0; stage < paper_stages; ++stage) {
      const std::vector<double>& repeats = times.back()[static_cast<std::size_t>(stage)];
      const double step = median_of(repeats);
      line.add(stage + 1.0, step);
      table.add({name, on, stage_names[stage], paper_groups * steps_of_group[stage], step, longest_of(repeats),
                 static_cast<double>(side) * side / step});
    }
    plot.lines.push_back(std::move(line));
    report_partial(progress, {{table}, {plot}});
  }

  progress("both colour mappings");
  std::vector<TankProgram> coloured;
  for (const PaperColours mapping : {PaperColours::table, PaperColours::bits24})
    coloured.push_back(program_of_paper("matrices", PaperMethod::matrices, cpu, side, mapping));
  std::vector<std::function<void()>> works;
  for (const TankProgram& program : coloured) {
    program.drop(side / 2, side / 2);
    works.emplace_back([&program] { seconds_of_steps(program, 4); });
  }
  const std::vector<std::vector<double>> mapped = interleaved_seconds(works, 9);

  const std::string long_group = long_group_of(paper_groups * steps_of_group[long_stage]);
  const StageTimes& matrices = times[0];
  std::vector<Finding> findings = {{"on the CPU steps are longer while many droplets fall, than when settled",
                                    "section Implementing", NAN, matrices[settled_stage], matrices[burst_stage]},
                                   {"on the CPU steps are shorter in a " + long_group + ", than when settled", place,
                                    NAN, matrices[long_stage], matrices[settled_stage]},
                                   {"on the CPU the table of colours makes a step shorter than 24 bits",
                                    "section Implementing", NAN, mapped[0], mapped[1]}};
  if (backend.is_cuda()) {
    findings.push_back({"with copies at each convolution the GPU is slower than the CPU", "section CUDA", NAN,
                        matrices[settled_stage], times[2][settled_stage]});
    findings.push_back({"a step all on the device is shorter than one that the CPU finishes after copies",
                        "section CUDA", NAN, times[3][settled_stage], times[2][settled_stage]});
    std::vector<double> burst_over_settled;
    for (std::size_t k = 0; k < times[3][burst_stage].size(); ++k)
      burst_over_settled.push_back(times[3][burst_stage][k] / times[3][settled_stage][k]);
    constexpr double as_long = 0.1;
    findings.push_back(
        agreement("all on the device a step takes as long while many droplets fall as when settled, to within a tenth "
                  "(their ratio)",
                  place, 1, std::move(burst_over_settled), as_long));
    for (std::size_t stage = 0; stage < paper_stages; ++stage)
      findings.push_back({"all on the device the GPU is faster than the CPU: " +
                              (stage == long_stage ? long_group : std::string(stage_names[stage])),
                          place, NAN, times[3][stage], matrices[stage]});
  }
  return {
      {std::move(table),
       findings_table(findings, "The paper: " + paper.cited() + ". Its CPU program is its matrices, on one thread." +
                                    (backend.is_cuda() ? "" : " Its GPU versions need one: not measured here."))},
      {std::move(plot)}};
}

// ---- times of the parts of a step of the paper's programs
//
// The paper shows them as profiler screenshots: most of the time is convolution on the CPU, and copies on the GPU.

namespace {

constexpr int profile_groups = 7;
constexpr double profile_group_seconds = 0.05;

// Seconds of a step in each group of steps, [part][group].
using ProfileTimes = std::array<std::vector<double>, paper_parts.size()>;

ProfileTimes profile_of(PaperProgram& tank, int side, const Backend& stop_requested) {
  tank.drop(side / 2, side / 2);
  PaperSeconds seconds{};
  tank.add_parts_to(&seconds);
  const auto take = [&](int steps) {
    seconds.fill(0);
    for (int k = 0; k < steps; ++k) {
      stop_requested.stop_point();
      tank.step();
    }
  };
  take(2);
  take(2);  // the first two steps touch memory for the first time
  const double step = std::accumulate(seconds.begin(), seconds.end(), 0.0) / 2;
  const int steps = std::clamp(static_cast<int>(profile_group_seconds / std::max(step, 1e-9)), 4, 400);
  ProfileTimes times;
  for (int group = 0; group < profile_groups; ++group) {
    take(steps);
    for (std::size_t part = 0; part < times.size(); ++part) times[part].push_back(seconds[part] / steps);
  }
  tank.add_parts_to(nullptr);
  return times;
}

}  // namespace

StudyResult profile_study(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  const PaperTable& paper = paper_table("wave");
  const int side =
      scene.width > 0 ? scene.width : static_cast<int>(paper.at("section Implementing", "CPU version", "cells a side"));
  StudyTable table("profile",
                   "Time of each part of a step in the paper's programs, " + std::to_string(side) + " cells per side",
                   {column("program"), column("on"), column("part", "part of a step"),
                    column("seconds_per_step", "time per step", "s"),
                    column("longest_seconds_per_step", "at most", "s"), column("percent", "of the step", "%")});
  table.note = "Medians of " + std::to_string(profile_groups) +
               " groups of steps, the first after one droplet. On the GPU the timer waits for the device before and "
               "after each part, so these steps take longer than those of --programs. The paper prints no numbers. "
               "Drawing to its windows is not included. The CPU: " +
               processor_of(backend) + ".";
  StudyPlot plot = plot_of(table.title, {"part: convolution, products and sums, copies, colours"},
                           {"time per step", "s", Scale::logarithmic});

  struct Program {
    const char* name;
    PaperMethod way;
  };
  std::vector<Program> programs = {{"matrices", PaperMethod::matrices}};
  if (backend.is_cuda()) {
    programs.push_back({"copies", PaperMethod::copies});
    programs.push_back({"device", PaperMethod::device});
  }
  std::vector<ProfileTimes> times;
  for (const Program& program : programs) {
    const std::string on = program.way == PaperMethod::matrices ? "cpu, 1 thread" : "cuda";
    progress(program.name + (" on " + on));
    const auto tank = make_wave_paper(program.way, backend, side, PaperColours::table);
    times.push_back(profile_of(*tank, side, backend));
    double step = 0;
    for (const std::vector<double>& part : times.back()) step += median_of(part);
    StudyLine line{program.name + (", " + on), {}};
    for (std::size_t part = 0; part < paper_parts.size(); ++part) {
      const std::vector<double>& repeats = times.back()[part];
      const double median = median_of(repeats);
      if (median <= 0) {  // the CPU's program has nothing to copy: the line has a gap there
        line.add(static_cast<double>(part) + 1, NAN);
        continue;
      }
      table.add({program.name, on, paper_parts[part], median, longest_of(repeats), 100 * median / step});
      line.add(static_cast<double>(part) + 1, median);
    }
    plot.lines.push_back(std::move(line));
    report_partial(progress, {{table}, {plot}});
  }

  const auto part = [&](std::size_t program, PaperPart which) {
    return times[program][static_cast<std::size_t>(which)];
  };
  constexpr std::size_t on_matrices = 0, with_copies = 1;
  using enum PaperPart;
  std::vector<Finding> findings = {
      {"on the CPU the convolution takes longer than the other products and sums", "section Implementing", NAN,
       part(on_matrices, matrices), part(on_matrices, convolution)},
      {"on the CPU the convolution takes longer than the colours", "section Implementing", NAN,
       part(on_matrices, colours), part(on_matrices, convolution)}};
  if (backend.is_cuda()) {
    findings.push_back({"the GPU's kernel convolves faster than the CPU", "section CUDA", NAN,
                        part(with_copies, convolution), part(on_matrices, convolution)});
    findings.push_back({"copies to the GPU and back take longer than its convolution", "section CUDA", NAN,
                        part(with_copies, convolution), part(with_copies, copies)});
  }
  return {{std::move(table),
           findings_table(findings,
                          "The paper: " + paper.cited() + "." +
                              (backend.is_cuda() ? "" : " Its findings about a GPU need a GPU: not measured here."))},
          {std::move(plot)}};
}

}  // namespace perturb::wave
