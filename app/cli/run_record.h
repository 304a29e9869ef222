// What a run without a window has measured, as one JSON object: the result of `perturb run --json`, and a line of
// `perturb sweep`. docs/json.md explains its keys.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/options.h"
#include "app/io/preset/sweeps.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/columns.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// The numbers that are recorded by these settings, of all that the run can have. Throws InputError if one of the
// settings does not exist.
std::vector<Column> recorded_numbers(const RecordSettings& settings, const Simulation& simulation,
                                     const Diagnostics& diagnostics);

// Collects numbers and gauges while a run takes its steps.
class RunRecord {
 public:
  explicit RunRecord(RecordSettings settings = {}) : settings_(std::move(settings)) {}
  const RecordSettings& settings() const { return settings_; }

  // Describes the run before it begins. `setup`: with `options`, as it is started.
  void begin(const Setup& setup, const RunOptions& options, const Backend& backend);
  // Numbers and gauges of the current state. `is_sample`: it is one of those that means and extremes are taken over.
  // Throws InputError if a number of the settings does not exist.
  void add(const Simulation& simulation, const Diagnostics& diagnostics, bool is_sample);
  // A deviation from what was asked (Experiment::take_warning).
  void add_warning(const std::string& text) { warnings_.push_back(text); }
  // Call after the last step. Computes the hash of the state. `seconds`: of all steps.
  void end(const Experiment& experiment, double seconds);

  // `message`: why the exit code is not 0.
  nlohmann::ordered_json json(int exit_code, const std::string& message) const;

 private:
  struct Number {
    std::string id, unit;
    double value;                  // the last one; may be no_value
    std::int64_t samples = 0;      // with a value
    double mean = 0, squares = 0;  // of the samples; sum of the squared differences from the mean
    double minimum = 0, maximum = 0;
  };
  struct WorstGauge {
    Gauge gauge;
    std::int64_t step;
  };

  RecordSettings settings_;
  std::vector<std::pair<const Parameter*, double>> parameters_;
  std::string scene_, backend_, hash_;
  GridSize size_{0, 0};
  std::uint32_t seed_ = 0;
  std::int64_t steps_ = 0;
  double time_ = 0, seconds_ = 0;
  std::vector<Number> numbers_;
  std::vector<WorstGauge> gauges_;
  std::vector<std::string> warnings_;
};

}  // namespace perturb
