#include "app/cli/soak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/results_origin.h"
#include "app/cli/terminal.h"
#include "app/io/preset/presets.h"
#include "app/run/interrupts.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int frames_a_second = 60;
constexpr int window_steps_per_frame = 16;      // if the preset has no value
constexpr double seconds_between_looks = 0.05;  // of computing time: a frame or more

}  // namespace

SoakRun::SoakRun(Backend& backend, const std::string& scene) : experiment_(backend, load_scene(scene)) {
  const int own = experiment_.scene().steps_per_frame;
  steps_per_frame_ = own > 0 ? own : window_steps_per_frame;
}

void SoakRun::advance(SoakLength length, bool every_frame) {
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto frames = static_cast<std::int64_t>(std::ceil(length.window_seconds * frames_a_second));
  const auto count_what_was_taken = [&] {
    outcome_.steps = experiment_.simulation().steps();
    outcome_.seconds += passed();
  };
  std::int64_t chunk = 1;
  try {
    check();
    for (std::int64_t frame = 0; frame < frames && outcome_.stop_reason.empty() && passed() < length.seconds;) {
      const std::int64_t taken = std::min(chunk, frames - frame);
      const auto before = Clock::now();
      experiment_.advance(taken * steps_per_frame_);
      check();
      frame += taken;
      outcome_.window_seconds += static_cast<double>(taken) / frames_a_second;
      const double took = std::chrono::duration<double>(Clock::now() - before).count();
      if (!every_frame && took < seconds_between_looks) chunk = std::min<std::int64_t>(2 * chunk, frames_a_second);
    }
  } catch (const Stopped&) {
    count_what_was_taken();
    throw;
  }
  count_what_was_taken();
}

void SoakRun::check() {
  const Diagnostics diagnostics = experiment_.simulation().diagnostics(experiment_.scene().view, true);
  experiment_.check_diagnostics(diagnostics);
  ++outcome_.checks;
  const bool finite = diagnostics.finite &&
                      std::all_of(diagnostics.scalars.begin(), diagnostics.scalars.end(), [](const Scalar& scalar) {
                        return !has_value(scalar.value) || std::isfinite(scalar.value);
                      });
  outcome_.not_finite += finite ? 0 : 1;
  outcome_.stop_reason = experiment_.stop_reason().english();
  bool red = false;
  for (const Gauge& gauge : experiment_.simulation().gauges()) {
    if (gauge.advisory || !gauge.measured || !finite || !outcome_.stop_reason.empty()) continue;
    const bool past = !(gauge.value <= gauge.limit), expected_red = gauge.id == experiment_.scene().past_limit;
    red = red || (past && !expected_red);
    outcome_.expected_red += past && expected_red ? 1 : 0;
    double& max_share = outcome_.max_shares[gauge.id];
    max_share = std::max(max_share, gauge.limit != 0 ? gauge.value / gauge.limit : 0);
  }
  outcome_.red += red ? 1 : 0;
  outcome_.red_before_stop = outcome_.red_before_stop || red;
}

namespace {

constexpr double seconds_before_a_slider = 1;  // of window time
constexpr double seconds_to_start = 10, no_deadline = 1e6;

// One run: a preset as it opens, or with one slider moved to an end.
struct Job {
  std::string scene;
  const Parameter* slider = nullptr;
  double end = 0;
};

struct Row {
  std::string scene, slider, value;  // the moved slider and its value; empty: none
  bool expects_red = false;          // the scene exceeds a gauge's limit on purpose
  SoakOutcome outcome;
  bool ended = true;     // false: stopped because a stop was requested
  std::string rejected;  // message: this end of the slider was rejected, and nothing changed
  // A preset as it opens must have no problem; a moved slider may stop the run if a gauge was red before.
  bool pass() const {
    const SoakOutcome& o = outcome;
    if (slider.empty())
      return o.not_finite == 0 && o.red == 0 && o.stop_reason.empty() && (o.expected_red > 0 || !expects_red || !ended);
    return o.stop_reason.empty() ? o.not_finite == 0 : o.red_before_stop;
  }
};

// Requests a stop after the given number of seconds, or when `stop` is requested: one step with an extreme slider value
// may take hours.
class Deadline {
 public:
  Deadline(double seconds, const StopRequest& asked_elsewhere)
      : watch_([this, seconds, &asked_elsewhere](const std::stop_token& over) {
          const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
          std::mutex mutex;
          std::unique_lock<std::mutex> lock(mutex);
          std::condition_variable_any changed;
          while (!over.stop_requested() && !asked_elsewhere.stop_requested() && std::chrono::steady_clock::now() < end)
            changed.wait_for(lock, over, std::chrono::milliseconds(50), [] { return false; });
          if (!over.stop_requested()) request_.request_stop();
        }) {}
  const StopRequest& request() const { return request_; }

 private:
  StopRequest request_;
  std::jthread watch_;
};

Row run_job(Backend& backend, const Job& job, const VerifyOptions& options, const StopRequest& stop) {
  const SoakLength whole{60 * options.minutes, options.seconds};
  // A slider's restart and two runs have a deadline; a preset's own steps take as long as they need.
  const double allowed = job.slider ? 2 * options.seconds + seconds_to_start : no_deadline;
  const Deadline deadline(allowed, stop);
  const StopScope scope(backend, deadline.request());
  Row row{job.scene, "", "", false, {}, true, ""};
  if (job.slider) {
    row.slider = job.slider->id;
    row.value = job.slider->format(job.end);
  }
  std::optional<SoakRun> run;
  try {
    run.emplace(backend, job.scene);
    row.expects_red = !run->experiment().scene().past_limit.empty();
    if (job.slider) {
      run->advance({seconds_before_a_slider, options.seconds}, true);
      // Like a script's event: a user's slider stops where a run would become unstable, so that no gauge could show it.
      Experiment& experiment = run->experiment();
      if (job.slider->apply == Apply::live) {
        experiment.schedule({{experiment.simulation().steps(), ParameterChange{job.slider->id, job.end}}});
        experiment.advance(0);  // applies it: the first check sees its gauge
      } else {
        experiment.set_parameter(job.slider->id, job.end);
      }
    }
    run->advance(whole, job.slider != nullptr);
  } catch (const InputError& error) {
    if (!job.slider || !run) throw;
    row.rejected = error.what();
  } catch (const Stopped&) {
    // Reaching the deadline counts as an end, like the end of a run with shorter steps.
    row.ended = !stop.stop_requested();
    if (!run && row.ended)
      throw Error("{} did not open within {} s. Allow more time with --seconds.", job.scene, format_number(allowed));
  }
  if (run) row.outcome = run->outcome();
  return row;
}

std::vector<Job> jobs_of(const std::vector<std::string>& scenes, const VerifyOptions& options) {
  std::vector<Job> jobs;
  for (const std::string& scene : scenes) {
    if (!options.sliders) {
      jobs.push_back({scene});
      continue;
    }
    for (const Parameter& p : find_simulation(load_scene(scene).setup.simulation).parameters) {
      if (!p.choices.empty()) continue;  // not a slider
      if (!options.slider.empty() && p.id != options.slider) continue;
      for (const double end : {p.minimum, p.maximum}) jobs.push_back({scene, &p, end});
    }
  }
  if (jobs.empty())
    throw InputError(
        "These scenes have no slider \"{}\". List the parameters with \"perturb list SIM\"; each numeric one has a "
        "slider.",
        options.slider);
  return jobs;
}

// The result of a job; empty if a stop was requested before it began.
struct Result {
  bool begun = false;
  std::optional<Row> row;
};

// Results in the order of `jobs`. Runs `options.at_once` of them in parallel, each worker with its own backend, because
// one job may not use all of a GPU or of many cores. Reports finished jobs on the error stream.
std::vector<Result> run_jobs(const std::vector<Job>& jobs, const VerifyOptions& options, const StopRequest& stop) {
  std::vector<Result> results(jobs.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t done = 0;
  const auto work = [&] {
    try {
      const auto backend = make_backend(options.backend, options.threads);
      for (std::size_t k = next++; k < jobs.size() && !stop.stop_requested(); k = next++) {
        results[k] = {true, run_job(*backend, jobs[k], options, stop)};
        const std::lock_guard<std::mutex> lock(mutex);
        if (results[k].row && results[k].row->ended)
          print_line(std::cerr, jobs[k].scene + (jobs[k].slider ? " " + jobs[k].slider->id : std::string()) +
                                    " is done: " + std::to_string(++done) + " of " + std::to_string(jobs.size()));
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      next = jobs.size();
    }
  };
  std::vector<std::thread> workers;
  try {
    for (int k = 1; k < std::min<int>(options.at_once, static_cast<int>(jobs.size())); ++k) workers.emplace_back(work);
  } catch (const std::system_error&) {  // continue with the threads that could be started
  }
  work();
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

nlohmann::ordered_json as_json(const Row& row) {
  const SoakOutcome& o = row.outcome;
  nlohmann::ordered_json json{{"scene", row.scene}};
  if (!row.slider.empty()) {
    json["slider"] = row.slider;
    json["value"] = row.value;
  }
  json["steps"] = o.steps;
  json["window_seconds"] = o.window_seconds;
  json["seconds"] = o.seconds;
  json["looks"] = o.checks;
  json["not_finite"] = o.not_finite;
  json["red"] = o.red;
  if (row.expects_red) json["meant"] = o.expected_red;
  json["trouble"] = o.stop_reason;
  if (!o.stop_reason.empty()) json["red_before_trouble"] = o.red_before_stop;
  for (const auto& [id, share] : o.max_shares) json["gauges"][id] = share;
  if (!row.rejected.empty()) json["refused"] = row.rejected;
  json["pass"] = row.pass() && row.ended;
  if (!row.ended) json["ended"] = false;
  return json;
}

}  // namespace

int soak_command(const VerifyOptions& options) {
  std::vector<std::string> scenes;
  if (options.simulation.find('/') != std::string::npos) {
    load_scene(options.simulation);  // throws for unknown names
    scenes.push_back(options.simulation);
  } else {
    for (const SimulationInfo* info : catalog())
      if (options.simulation.empty() || info == &find_simulation(options.simulation))
        for (const std::string& id : preset_ids(info->id)) scenes.push_back(info->id + "/" + id);
  }
  Message note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Checked on the CPU: " << note.english() << '\n';

  nlohmann::ordered_json json{{"device", backend->device_name()}, {"backend", backend->id()},
                              {"threads", backend->threads()},    {"minutes", options.minutes},
                              {"seconds", options.seconds},       {"at_once", options.at_once}};
  json.update(results_origin());
  TextTable table({"scene", ">steps", ">window", ">computing", ">not finite", ">red", ">highest gauge", ""});
  bool all_pass = true;
  std::size_t ended = 0;
  Interrupts interrupts;
  const std::vector<Job> jobs = jobs_of(scenes, options);
  for (const Result& result : run_jobs(jobs, options, interrupts.request())) {
    ended += result.begun && !(result.row && !result.row->ended) ? 1 : 0;
    if (!result.row) continue;
    const Row& row = *result.row;
    const SoakOutcome& o = row.outcome;
    all_pass = all_pass && row.pass();
    json["runs"].push_back(as_json(row));
    std::string highest;
    double share = -1;
    for (const auto& [id, max_share] : o.max_shares)
      if (max_share > share) {
        share = max_share;
        highest = id + " " + format_number(max_share, 3);
      }
    table.add({row.scene + (row.slider.empty() ? "" : " " + row.slider + "=" + row.value), std::to_string(o.steps),
               with_prefix(o.window_seconds, "s"), with_prefix(o.seconds, "s"), std::to_string(o.not_finite),
               std::to_string(o.red), highest,
               !row.pass()             ? "FAIL"
               : !row.ended            ? "stopped"
               : !row.rejected.empty() ? "refused"
                                       : "pass"});
    if (!row.pass() && !o.stop_reason.empty()) print_line(std::cerr, row.scene + ": " + o.stop_reason);
    if (!row.pass() && row.expects_red && o.expected_red == 0)
      print_line(std::cerr, row.scene + ": the gauge that this preset drives past its limit stayed below it.");
  }
  if (options.json) {
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    std::cout << "Presets on " << backend->device_name() << " (" << backend->id() << ")\n";
    table.print(std::cout);
    if (all_pass && ended == jobs.size()) std::cout << "All presets pass.\n";
    if (!all_pass) std::cout << "Some presets FAIL.\n";
  }
  if (ended < jobs.size()) std::cerr << "Stopped: " << ended << " of " << jobs.size() << " runs are complete.\n";
  return all_pass && ended == jobs.size() ? 0 : 1;
}

}  // namespace perturb
