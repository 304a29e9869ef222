// `perturb sweep`: many runs, each with a line of JSON in one file.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/failure.h"
#include "app/cli/headless.h"
#include "app/cli/run_checks.h"
#include "app/cli/run_record.h"
#include "app/cli/scene_options.h"
#include "app/cli/shard.h"
#include "app/cli/study_run.h"
#include "app/cli/terminal.h"
#include "app/io/files/line_file.h"
#include "app/io/files/text_file.h"
#include "app/io/preset/sweeps.h"
#include "app/io/state/checksum.h"
#include "app/run/interrupts.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// The beginning of each line, also of a partial one.
constexpr std::string_view line_start = "{\"run\":";

// A run that is to be taken.
struct PendingRun {
  std::size_t index;  // from 0
  std::string id;     // hash of everything that decides its line
  double work;        // in proportion to its time
};

RunOptions options_of(const Sweep& sweep, std::size_t index) {
  const SweepRun run = sweep.run(index);
  const ParameterSet table(find_simulation(sweep.scene.setup.simulation).parameters, nullptr);  // used for lookups only
  RunOptions options;
  options.scene = sweep.scene_name;
  options.kernel = sweep.kernel;
  options.steps = sweep.steps;
  options.seed = run.seed;
  options.json = true;
  if (run.size) options.size = {run.size->width, run.size->height};
  for (const ParameterChange& change : run.parameters)
    options.parameters.emplace_back(change.id, table.find(change.id).format(change.value));
  return options;
}

// Names the run, so that a later start finds its line even if the file has got other values since.
std::string id_of(const Sweep& sweep, const RunOptions& options, const std::string& scene_text) {
  std::string text = sweep.scene_name.substr(sweep.scene_name.rfind('/') + 1) + '\n' + scene_text + '\n' +
                     options.kernel + '\n' + std::to_string(sweep.steps) + ' ' + std::to_string(sweep.record.every) +
                     ' ' + std::to_string(sweep.record.from) + '\n';
  if (options.size) text += std::to_string(options.size->width) + 'x' + std::to_string(options.size->height);
  text += '\n' + (options.seed ? std::to_string(*options.seed) : std::string()) + '\n';
  for (const std::string& number : sweep.record.numbers) text += number + ' ';
  for (const auto& [id, value] : options.parameters) text += '\n' + id + '=' + value;
  XxHash64 hash;
  hash.add(std::as_bytes(std::span(text)));
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash.value()));
  return digits;
}

std::string default_output(const std::string& file, const Shard& shard) {
  std::string name = std::filesystem::path(file).stem().string();
  if (shard.count > 1) name += "-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
  return name + ".jsonl";
}

struct FinishedRuns {
  std::set<std::string> ids, failed;
};

// The runs whose lines are in the file. Throws InputError if it holds anything else.
FinishedRuns read_finished(const LineFile& file, const std::string& path, bool resume) {
  const bool is_empty = file.lines().empty() && file.partial_line().empty();
  if (!resume && !is_empty)
    throw InputError(
        "\"{}\" exists already. Add --resume to take the runs that it lacks, or name another file with "
        "--output.",
        path);
  FinishedRuns finished;
  const auto reject = [&](std::size_t line) {
    throw InputError("{}:{}: this is not a line of a sweep. Name another file with --output.", path, line);
  };
  for (std::size_t k = 0; k < file.lines().size(); ++k) {
    const Json line = Json::parse(file.lines()[k], nullptr, false);
    if (!line.is_object() || !line.contains("id") || !line["id"].is_string() || !line.contains("exit_code"))
      reject(k + 1);
    finished.ids.insert(line["id"].get<std::string>());
    if (line["exit_code"] != 0) finished.failed.insert(line["id"].get<std::string>());
  }
  const std::string_view partial = file.partial_line();
  if (partial.substr(0, line_start.size()) != line_start.substr(0, partial.size())) reject(file.lines().size() + 1);
  return finished;
}

// Takes the pending runs, several at a time, and adds their lines.
class SweepRunner {
 public:
  SweepRunner(const Sweep& sweep, std::vector<PendingRun> pending, LineFile& file)
      : sweep_(sweep), pending_(std::move(pending)), file_(file) {
    for (const PendingRun& run : pending_) work_ += run.work;
  }

  // One worker for each of `backends`. Throws Error if a line cannot be written; the other runs are then stopped.
  void run(const std::vector<OwnedBackends>& backends);
  std::size_t finished() const { return finished_; }
  std::size_t failed() const { return failed_; }

 private:
  struct Worker {
    std::atomic<std::int64_t> steps{0};
    std::atomic<double> work{0};  // of its current run
  };

  void take_runs(const OwnedBackends& backends, Worker& worker);
  // The line of a run; none if it was interrupted.
  std::optional<Json> line_of(const PendingRun& run, const OwnedBackends& backends, Worker& worker);
  void add(const PendingRun& run, const Json& line);
  void show_progress(const std::vector<Worker>& workers, Clock::time_point begin);

  const Sweep& sweep_;
  const std::vector<PendingRun> pending_;
  LineFile& file_;
  Interrupts interrupts_;
  ProgressLine progress_;
  double work_ = 0;

  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  std::exception_ptr failure_;
  double work_done_ = 0;
  std::size_t finished_ = 0, failed_ = 0, active_ = 0;
};

void SweepRunner::run(const std::vector<OwnedBackends>& backends) {
  const auto begin = Clock::now();
  std::vector<Worker> workers(backends.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < backends.size(); ++k) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++active_;
    }
    try {
      threads.emplace_back([&, k] { take_runs(backends[k], workers[k]); });
    } catch (const std::system_error&) {  // continue with the threads that could be started
      const std::lock_guard<std::mutex> lock(mutex_);
      --active_;
      if (threads.empty()) throw Error("Cannot start a thread: close some programs.");
      break;
    }
  }
  // A terminal is redrawn often; lines of a log file stay.
  const auto interval = progress_.is_terminal() ? std::chrono::milliseconds(500) : std::chrono::seconds(30);
  for (std::unique_lock<std::mutex> lock(mutex_); !changed_.wait_for(lock, interval, [&] { return active_ == 0; });)
    show_progress(workers, begin);
  for (std::thread& thread : threads) thread.join();
  progress_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

void SweepRunner::show_progress(const std::vector<Worker>& workers, Clock::time_point begin) {
  double done = work_done_;
  for (const Worker& worker : workers)
    done += worker.work * static_cast<double>(worker.steps) / static_cast<double>(sweep_.steps);
  const double share = work_ > 0 ? done / work_ : 1;
  const double gone = std::chrono::duration<double>(Clock::now() - begin).count();
  std::string words =
      progress_bar(share) + ", " + std::to_string(finished_) + " of " + std::to_string(pending_.size()) + " runs";
  if (share > 0) words += ", about " + format_duration(gone * (1 - share) / share) + " left";
  if (failed_ > 0) words += ", " + std::to_string(failed_) + " failed";
  progress_.show(words);
}

void SweepRunner::take_runs(const OwnedBackends& backends, Worker& worker) {
  try {
    for (std::size_t k = next_++; k < pending_.size() && !interrupts_.stop_requested(); k = next_++) {
      worker.steps = 0;
      worker.work = pending_[k].work;
      const std::optional<Json> line = line_of(pending_[k], backends, worker);
      const std::lock_guard<std::mutex> lock(mutex_);
      worker.work = 0;
      if (line) add(pending_[k], *line);
    }
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    interrupts_.request().request_stop();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  --active_;
  changed_.notify_one();
}

std::optional<Json> SweepRunner::line_of(const PendingRun& run, const OwnedBackends& backends, Worker& worker) {
  const RunOptions options = options_of(sweep_, run.index);
  RunRecord record(sweep_.record);
  Failure failure{0, ""};
  std::ostringstream messages, warnings;
  try {
    Scene scene = sweep_.scene;
    apply_options(options, scene);
    Start start;
    if (!options.kernel.empty()) start.kernel = options.kernel;
    Backend& backend = backends.get().of(scene.setup, start.kernel);
    record.begin(scene.setup, options, backend);
    require_memory(find_simulation(scene.setup.simulation), scene.setup, backend, true);
    start.scene = std::move(scene);
    Experiment experiment(backends.get(), std::move(start));
    experiment.set_recording(false);  // nothing is undone
    const HeadlessContext context{interrupts_, messages, warnings, &worker.steps};
    if (run_headless(experiment, options, {}, context, &record) != 0) return {};
  } catch (...) {
    failure = failure_of(std::current_exception());
    // It may have failed for that reason: the next start takes it again.
    if (interrupts_.stop_requested()) return {};
  }
  Json json{{"run", run.index + 1}, {"id", run.id}};
  json.update(record.json(failure.exit_code, failure.message));
  return json;
}

void SweepRunner::add(const PendingRun& run, const Json& line) {
  file_.add(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  ++finished_;
  work_done_ += run.work;
  if (line["exit_code"] == 0) return;
  constexpr std::size_t shown = 10;
  ++failed_;
  if (failed_ > shown) return;
  progress_.clear();
  print_line(std::cerr, "Run " + std::to_string(run.index + 1) + " failed: " + line["message"].get<std::string>());
  if (failed_ == shown) print_line(std::cerr, "Further failures are only written to the file.");
}

// Throws InputError if the sweep records a number that its first run does not have.
void require_numbers(const Sweep& sweep, const std::string& file, const PendingRun& first,
                     const OwnedBackends& backends) {
  if (sweep.record.numbers.empty()) return;
  Scene scene = sweep.scene;
  std::optional<Experiment> experiment;
  try {
    apply_options(options_of(sweep, first.index), scene);
    require_memory(find_simulation(scene.setup.simulation), scene.setup, backends.get().of(scene.setup, "auto"));
    experiment.emplace(backends.get(), scene);
  } catch (const Error&) {
    return;  // that becomes its line
  }
  try {
    Simulation& simulation = experiment->simulation();
    recorded_numbers(sweep.record, simulation, simulation.diagnostics(scene.view, true));
  } catch (const InputError& error) {
    throw InputError("{}: numbers: {}", file, error.message());
  }
}

// The backends of the workers: on the CPU as many as there are processors, on a GPU one.
std::vector<OwnedBackends> backends_of(const SweepOptions& options, std::size_t runs) {
  const bool is_gpu = options.backend == "cuda" || (options.backend == "auto" && cuda_status().usable);
  if (is_gpu && options.at_once > 1)
    throw InputError(
        "--at-once cannot be {} on a GPU, which takes one run after the other. Omit it, or add --backend cpu.",
        options.at_once);
  const auto processors = static_cast<std::size_t>(CpuThreads::available());
  const auto threads_given = static_cast<std::size_t>(options.threads),
             at_once = static_cast<std::size_t>(options.at_once);
  const std::size_t room = is_gpu ? 1 : std::max<std::size_t>(1, processors / std::max<std::size_t>(1, threads_given));
  const std::size_t workers = std::min(runs, at_once > 0 ? at_once : room);
  const std::size_t threads = threads_given > 0 ? threads_given : std::max<std::size_t>(1, processors / workers);
  std::vector<OwnedBackends> backends;
  while (backends.size() < workers) {
    Message note;
    backends.push_back(make_backends(options.backend, static_cast<int>(threads), &note));
    if (backends.size() == 1 && !note.empty()) print_line(std::cerr, "Computing on the CPU: " + note.english());
  }
  return backends;
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string count_of(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

int sweep_command(const SweepOptions& options) {
  const Sweep sweep = load_sweep(options.file);
  const Shard shard = read_shard(options.shard, environment);
  const std::string path = options.output.empty() ? default_output(options.file, shard) : options.output;
  LineFile file(path);
  const FinishedRuns finished = read_finished(file, path, options.resume);

  const std::string scene_text =
      sweep.scene_name.ends_with(".toml") ? read_text_file(sweep.scene_name, "preset file") : std::string();
  std::vector<PendingRun> pending;
  std::size_t runs = 0, failed = 0;
  for (std::size_t index = 0; index < sweep.count(); ++index) {
    if (!shard.takes(index)) continue;
    ++runs;
    const RunOptions run = options_of(sweep, index);
    std::string id = id_of(sweep, run, scene_text);
    failed += finished.failed.contains(id) ? 1 : 0;
    if (finished.ids.contains(id)) continue;
    const double work = run.size ? static_cast<double>(run.size->width) * run.size->height : 1;
    pending.push_back({index, std::move(id), work});
  }

  file.cut_partial_line();
  const auto begin = Clock::now();
  const std::size_t missing = pending.size();
  if (missing < runs)
    print_line(std::cerr, count_of(runs - missing, "run") + " of " + std::to_string(runs) + " are finished already.");
  std::size_t done = 0;
  if (missing > 0) {
    const std::vector<OwnedBackends> backends = backends_of(options, missing);
    require_numbers(sweep, options.file, pending.front(), backends.front());
    SweepRunner runner(sweep, std::move(pending), file);
    runner.run(backends);
    done = runner.finished();
    failed += runner.failed();
  }
  if (done < missing) {
    print_line(std::cerr, "Interrupted: " + std::to_string(runs - missing + done) + " of " + count_of(runs, "run") +
                              " are finished. Add --resume to the same command to take the others.");
    return 1;
  }
  print_line(std::cout, "Wrote " + path + ": " + count_of(runs, "run") +
                            (failed > 0 ? ", " + std::to_string(failed) + " failed" : "") + ", in " +
                            with_prefix(std::chrono::duration<double>(Clock::now() - begin).count(), "s") + ".");
  return failed > 0 ? 1 : 0;
}

}  // namespace perturb
