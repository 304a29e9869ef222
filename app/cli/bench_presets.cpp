// `perturb bench --presets`: how fast every preset opens and runs on this machine.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/commands.h"
#include "app/cli/results_origin.h"
#include "app/cli/study_run.h"
#include "app/cli/terminal.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using PresetClock = std::chrono::steady_clock;

// The time of a step depends on the state: gases are compressed, membranes come to rest. So each preset is timed from
// its start for one second at its own pace, with the same steps on every machine. A machine that needs longer for it
// than seconds_of_first_run stops earlier.
constexpr std::int64_t timed_frames = 60;
constexpr double seconds_of_first_run = 2, seconds_of_runs = 0.5;
constexpr int max_runs_of_preset = 9, default_steps_per_frame = 16;
constexpr double seconds_of_a_preset = 2;  // expected, before one was timed
constexpr double frames_per_second = 60;
constexpr double stated_loss = 1.05;  // smaller differences are noise

struct PresetTime {
  std::string scene, backend;
  std::string choice;             // Simulation::choice
  double wanted = 0;              // steps per second at the scene's own pace, at 60 frames per second
  double opened = 0, first = 0;   // seconds to open it, and for its first frame of steps
  std::int64_t steps = 0;         // that were timed, after the first frame
  double step = 0, min_step = 0;  // seconds per step: median and minimum of the runs
  double launches = 0;            // loops or kernels per step
  // Frames of steps for each frame of the window; 1: the scene reaches its own pace.
  double pace() const { return 1 / (step * wanted); }
};

double seconds_from(PresetClock::time_point start) {
  return std::chrono::duration<double>(PresetClock::now() - start).count();
}

double time_steps(Experiment& experiment, std::int64_t steps) {
  const auto start = PresetClock::now();
  experiment.advance(steps);
  experiment.backend().synchronize();
  return seconds_from(start);
}

PresetTime time_preset(const Backends& backends, const std::string& path) {
  const auto start = PresetClock::now();
  Experiment experiment(backends, load_scene(path));
  experiment.set_recording(false);
  Backend& backend = experiment.backend();
  backend.synchronize();
  PresetTime time;
  time.scene = path;
  time.backend = backend.id();
  time.opened = seconds_from(start);
  const Scene& scene = experiment.scene();
  const std::int64_t frame = scene.steps_per_frame > 0 ? scene.steps_per_frame : default_steps_per_frame;
  time.wanted = frames_per_second * static_cast<double>(frame);
  time.first = time_steps(experiment, frame);

  // The first frame also compiles and allocates, so it is not among the timed ones.
  double seconds = 0;
  for (std::int64_t frames = 1, more = 1; frames < timed_frames && (frames == 1 || seconds < seconds_of_first_run);) {
    more = std::min(more, timed_frames - frames);
    seconds += time_steps(experiment, more * frame);
    frames += more;
    time.steps += more * frame;
    if (seconds < seconds_of_first_run / 4) more *= 2;
  }
  std::vector<double> times = {seconds};
  for (double total = seconds; static_cast<int>(times.size()) < max_runs_of_preset && total < seconds_of_runs;) {
    experiment.restart();
    time_steps(experiment, frame);
    times.push_back(time_steps(experiment, time.steps));
    total += times.back();
  }
  if (times.size() > 1) times.erase(times.begin());  // in parts, each with a wait
  std::sort(times.begin(), times.end());
  time.step = times[times.size() / 2] / static_cast<double>(time.steps);
  time.min_step = times.front() / static_cast<double>(time.steps);
  time.choice = experiment.simulation().choice().english();

  // A whole frame: for other numbers of steps, `auto` may take another kernel, and times its candidates first.
  KernelStats& stats = backend.stats();
  stats.clear();
  stats.set_timing(true);
  experiment.advance(frame);
  stats.set_timing(false);
  std::int64_t launches = 0;
  for (const KernelTime& kernel : stats.table()) launches += kernel.launches;
  time.launches = static_cast<double>(launches) / static_cast<double>(frame);
  if (const Message& reason = experiment.stop_reason(); !reason.empty())
    std::cerr << path << " stopped: " << reason.english() << '\n';
  return time;
}

nlohmann::ordered_json json_of_preset(const PresetTime& t) {
  return {{"scene", t.scene},
          {"backend", t.backend},
          {"choice", t.choice},
          {"steps", t.steps},
          {"seconds_per_step", t.step},
          {"least_seconds_per_step", t.min_step},
          {"launches_per_step", t.launches},
          {"wanted_steps_per_second", t.wanted},
          {"seconds_to_open", t.opened},
          {"seconds_for_first_frame", t.first}};
}

// Seconds per step by scene, from a file of an earlier run.
std::map<std::string, double> earlier_times(const std::string& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  std::map<std::string, double> times;
  if (json.is_object() && json.contains("presets"))
    for (const auto& row : json["presets"]) times[row.value("scene", "")] = row.value("seconds_per_step", 0.);
  if (times.empty())
    throw InputError("Cannot compare with \"{}\": it is not a file of \"perturb bench --presets --json\".", path);
  return times;
}

void print_losses(const std::vector<PresetTime>& times, const std::map<std::string, double>& before,
                  std::ostream& out) {
  TextTable table({"slower than before", ">before", ">now", ">ratio"});
  int losses = 0;
  for (const PresetTime& t : times) {
    const auto found = before.find(t.scene);
    if (found == before.end() || !(t.step > stated_loss * found->second)) continue;
    table.add(
        {t.scene, with_prefix(found->second, "s"), with_prefix(t.step, "s"), format_number(t.step / found->second, 3)});
    ++losses;
  }
  if (losses == 0)
    out << "No preset takes more than 5 % longer for a step than before.\n";
  else
    table.print(out);
}

}  // namespace

int bench_presets(const BenchOptions& options) {
  if (!options.kernel.empty() || !options.sizes.empty() || options.steps)
    throw InputError("--presets times the presets as they open. Omit --kernel, --size and --steps.");
  std::map<std::string, double> before;
  if (!options.compare.empty()) before = earlier_times(options.compare);
  Message note;
  const OwnedBackends owned = make_backends(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note.english() << '\n';
  const Backends backends = owned.get();
  std::vector<std::string> scenes;
  for (const SceneEntry& entry : all_scenes()) {
    const std::string& asked = options.simulation;
    if (asked.empty() || asked == entry.simulation || asked == entry.path()) scenes.push_back(entry.path());
  }
  if (scenes.empty()) scenes.push_back(options.simulation);  // the user's own, or an unknown name
  const Backend& preferred = backends.preferred();
  TextTable table({"preset", "on", ">steps", ">time per step", ">launches", ">pace", ">opens in", ">first frame"});
  if (!options.json) {
    std::cout << "On " << preferred.device_name() << " (" << preferred.id() << ")";
    if (backends.cpu()) std::cout << " and " << backends.cpu()->device_name() << " (cpu)";
    std::cout << ". Pace 1: the scene runs at its own pace at 60 frames per second.\n";
    const auto longest = std::max_element(scenes.begin(), scenes.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    table.print_as_added(std::cout,
                         {*longest, preferred.id(), "123456", "1.23 ms", "1.23", "0.123", "123 ms", "123 ms"});
  }
  std::vector<PresetTime> times;
  ProgressEstimator estimator(std::vector<double>(scenes.size(), seconds_of_a_preset));
  ProgressLine line;
  for (const std::string& scene : scenes) {
    const auto begin = PresetClock::now();
    line.show(estimator, scene, 0);
    times.push_back(time_preset(backends, scene));
    estimator.done(seconds_from(begin));
    line.clear();
    const PresetTime& t = times.back();
    if (!options.json)
      table.add({t.scene, t.backend, std::to_string(t.steps), with_prefix(t.step, "s"), format_number(t.launches, 3),
                 format_number(t.pace(), 3), with_prefix(t.opened, "s"), with_prefix(t.first, "s")});
  }
  if (options.json) {
    nlohmann::ordered_json json = {{"device", preferred.device_name()}, {"backend", preferred.id()}};
    if (backends.cpu()) json["cpu"] = backends.cpu()->device_name();
    json["threads"] = backends.cpu() ? backends.cpu()->threads() : preferred.threads();
    json.update(results_origin());
    json["presets"] = nlohmann::ordered_json::array();
    for (const PresetTime& t : times) json["presets"].push_back(json_of_preset(t));
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    if (!before.empty()) print_losses(times, before, std::cerr);
    return 0;
  }
  if (!before.empty()) print_losses(times, before, std::cout);
  return 0;
}

}  // namespace perturb
