#include "app/cli/soak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "app/run/experiment.h"
#include "app/run/interrupts.h"
#include "app/scenes/presets.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/stop.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int frames_a_second = 60;
constexpr int window_steps_per_frame = 16;      // where the preset does not say
constexpr double seconds_between_looks = 0.05;  // of computing: a frame or more
constexpr double seconds_before_a_slider = 1;   // of window time

// What one run showed.
struct Outcome {
  std::int64_t steps = 0, looks = 0;
  double seconds = 0, window_seconds = 0;
  std::int64_t not_finite = 0;         // looks at which some number was not finite
  std::int64_t red = 0;                // looks at which a gauge was past its limit, and all was well
  bool red_before_trouble = false;     // some gauge was, at a look before the trouble
  std::string trouble;                 // the sentence
  std::map<std::string, double> most;  // by gauge, the largest share of its limit while all was well
};

struct Length {
  double window_seconds, seconds;  // whichever ends first
};

// A preset that was opened, with a clock of window time.
class Run {
 public:
  Run(Backend& backend, const std::string& scene) : experiment_(backend, load_setup(scene)) {
    const int own = experiment_.setup().steps_per_frame;
    steps_per_frame_ = own > 0 ? own : window_steps_per_frame;
  }
  Experiment& experiment() { return experiment_; }
  const Outcome& outcome() const { return outcome_; }

  // `every_frame`: looks after each frame's steps, as the window does; else after some. Under a StopScope it may throw
  // Stopped; the outcome is that of the steps taken.
  void go_on(Length length, bool every_frame) {
    const auto begin = Clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const auto frames = static_cast<std::int64_t>(std::ceil(length.window_seconds * frames_a_second));
    std::int64_t chunk = 1;
    look();
    for (std::int64_t frame = 0; frame < frames && outcome_.trouble.empty() && passed() < length.seconds;) {
      const std::int64_t taken = std::min(chunk, frames - frame);
      const auto before = Clock::now();
      try {
        experiment_.advance(taken * steps_per_frame_);
      } catch (const Stopped&) {
        outcome_.steps = experiment_.simulation().steps();
        outcome_.seconds += passed();
        throw;
      }
      look();
      frame += taken;
      outcome_.window_seconds += static_cast<double>(taken) / frames_a_second;
      const double took = std::chrono::duration<double>(Clock::now() - before).count();
      if (!every_frame && took < seconds_between_looks) chunk = std::min<std::int64_t>(2 * chunk, frames_a_second);
    }
    outcome_.steps = experiment_.simulation().steps();
    outcome_.seconds += passed();
  }

 private:
  void look() {
    const Diagnostics diagnostics = experiment_.simulation().diagnostics(experiment_.setup().view, true);
    experiment_.inspect(diagnostics);
    ++outcome_.looks;
    const bool finite =
        diagnostics.finite && std::all_of(diagnostics.scalars.begin(), diagnostics.scalars.end(),
                                          [](const Scalar& scalar) { return std::isfinite(scalar.value); });
    outcome_.not_finite += finite ? 0 : 1;
    outcome_.trouble = experiment_.trouble();
    bool red = false;
    for (const Gauge& gauge : experiment_.simulation().gauges()) {
      if (gauge.only_warns || !finite || !outcome_.trouble.empty()) continue;
      red = red || !(gauge.value <= gauge.limit);
      double& most = outcome_.most[gauge.id];
      most = std::max(most, gauge.limit != 0 ? gauge.value / gauge.limit : 0);
    }
    outcome_.red += red ? 1 : 0;
    outcome_.red_before_trouble = outcome_.red_before_trouble || red;
  }

  Experiment experiment_;
  int steps_per_frame_;
  Outcome outcome_;
};

struct Row {
  std::string scene, slider, value;  // the slider that was pushed and how far; empty: none
  Outcome outcome;
  bool ended = true;  // or given up, because somebody asked for an end
  // A preset as it opens shows neither; a pushed slider may stop the run, where a gauge has said so before.
  bool pass() const {
    if (slider.empty()) return outcome.not_finite == 0 && outcome.red == 0 && outcome.trouble.empty();
    return outcome.trouble.empty() ? outcome.not_finite == 0 : outcome.red_before_trouble;
  }
};

std::vector<Row> run_preset(Backend& backend, const std::string& scene, const VerifyOptions& options) {
  const double window = 60 * options.minutes;
  if (!options.sliders) {
    Run run(backend, scene);
    try {
      run.go_on({window, options.seconds}, false);
    } catch (const Stopped&) {
      return {{scene, "", "", run.outcome(), false}};
    }
    return {{scene, "", "", run.outcome()}};
  }
  std::vector<Row> rows;
  const std::string simulation = scene.substr(0, scene.find('/'));
  const SimulationInfo& info = find_simulation(simulation);
  for (const Parameter& p : info.parameters) {
    if (p.apply == Apply::restart || !p.choices.empty()) continue;  // not what one drags while it runs
    for (const double end : {p.minimum, p.maximum}) {
      Run run(backend, scene);
      try {
        run.go_on({seconds_before_a_slider, options.seconds}, true);
        run.experiment().set_parameter(p.id, end);
        run.go_on({window, options.seconds}, true);
      } catch (const InputError&) {
        continue;  // refused in a sentence: nothing has changed
      } catch (const Stopped&) {
        rows.push_back({scene, p.id, p.format(end), run.outcome(), false});
        return rows;
      }
      rows.push_back({scene, p.id, p.format(end), run.outcome()});
    }
  }
  return rows;
}

// In the order of `scenes`, `options.at_once` of them at a time, each with a backend of its own: what one alone cannot
// fill, a GPU or many cores, then works on several. Says on the error stream which ones are done. After a wish to stop
// those that had not begun have no rows.
std::vector<std::vector<Row>> run_presets(const std::vector<std::string>& scenes, const VerifyOptions& options,
                                          const StopRequest& stop) {
  std::vector<std::vector<Row>> rows(scenes.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t done = 0;
  const auto work = [&] {
    try {
      const auto backend = make_backend(options.backend, options.threads);
      const StopScope scope(*backend, stop);
      for (std::size_t k = next++; k < scenes.size() && !stop.asked(); k = next++) {
        rows[k] = run_preset(*backend, scenes[k], options);
        const std::lock_guard<std::mutex> lock(mutex);
        std::cerr << scenes[k] << " is done: " << ++done << " of " << scenes.size() << '\n';
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      next = scenes.size();
    }
  };
  std::vector<std::thread> workers;
  for (int k = 1; k < std::min<int>(options.at_once, static_cast<int>(scenes.size())); ++k) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  return rows;
}

nlohmann::ordered_json as_json(const Row& row) {
  const Outcome& o = row.outcome;
  nlohmann::ordered_json json{{"scene", row.scene}};
  if (!row.slider.empty()) json["slider"] = row.slider, json["value"] = row.value;
  json["steps"] = o.steps, json["window_seconds"] = o.window_seconds, json["seconds"] = o.seconds;
  json["looks"] = o.looks, json["not_finite"] = o.not_finite, json["red"] = o.red;
  json["trouble"] = o.trouble;
  if (!o.trouble.empty()) json["red_before_trouble"] = o.red_before_trouble;
  for (const auto& [id, share] : o.most) json["gauges"][id] = share;
  json["pass"] = row.pass();
  if (!row.ended) json["ended"] = false;
  return json;
}

}  // namespace

int soak_command(const VerifyOptions& options) {
  std::vector<std::string> scenes;
  if (options.simulation.find('/') != std::string::npos) {
    load_setup(options.simulation);  // refuses what there is not
    scenes.push_back(options.simulation);
  } else {
    for (const SimulationInfo* info : catalog())
      if (options.simulation.empty() || info == &find_simulation(options.simulation))
        for (const std::string& id : preset_ids(info->id)) scenes.push_back(info->id + "/" + id);
  }
  std::string note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Checked on the CPU: " << note << '\n';

  nlohmann::ordered_json json{{"device", backend->device_name()}, {"backend", backend->word()},
                              {"threads", backend->threads()},    {"minutes", options.minutes},
                              {"seconds", options.seconds},       {"at_once", options.at_once}};
  TextTable table({"scene", ">steps", ">window", ">computing", ">not finite", ">red", ">highest gauge", ""});
  bool all_pass = true;
  std::size_t ended = 0;
  Interrupts interrupts;
  for (const std::vector<Row>& rows : run_presets(scenes, options, interrupts.request())) {
    ended += !rows.empty() && rows.back().ended ? 1 : 0;
    for (const Row& row : rows) {
      const Outcome& o = row.outcome;
      all_pass = all_pass && row.pass();
      json["runs"].push_back(as_json(row));
      std::string highest;
      double share = -1;
      for (const auto& [id, most] : o.most)
        if (most > share) share = most, highest = id + " " + number_in_words(most, 3);
      table.add({row.scene + (row.slider.empty() ? "" : " " + row.slider + "=" + row.value), std::to_string(o.steps),
                 with_prefix(o.window_seconds, "s"), with_prefix(o.seconds, "s"), std::to_string(o.not_finite),
                 std::to_string(o.red), highest,
                 !row.pass() ? "FAIL"
                 : row.ended ? "pass"
                             : "given up"});
      if (!row.pass() && !o.trouble.empty()) std::cerr << row.scene << ": " << o.trouble << '\n';
    }
  }
  if (options.json) {
    std::cout << json.dump(2) << '\n';
  } else {
    std::cout << "Presets on " << backend->device_name() << " (" << backend->word() << ")\n";
    table.print(std::cout);
    if (all_pass && ended == scenes.size()) std::cout << "All presets pass.\n";
    if (!all_pass) std::cout << "Some presets FAIL.\n";
  }
  if (ended < scenes.size())
    std::cerr << "Asked to stop: " << ended << " of " << scenes.size() << " presets were run to their end.\n";
  return all_pass && ended == scenes.size() ? 0 : 1;
}

}  // namespace perturb
