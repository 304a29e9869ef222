#include "app/cli/run_record.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/run/size_sweep.h"
#include "app/tables/tables_json.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(double value) { return has_value(value) && std::isfinite(value) ? Json(value) : Json(); }

bool is_number(double value) { return has_value(value) && std::isfinite(value); }

const char* name_of(Gauge::Level level) {
  switch (level) {
    case Gauge::Level::good:
      return "good";
    case Gauge::Level::near:
      return "near";
    case Gauge::Level::exceeded:
      return "exceeded";
    case Gauge::Level::unknown:
      break;
  }
  return "unknown";
}

// Whether `a` is worse: farther beyond its limit, or nearer to it. NaN is worst, a gauge that is not measured least.
bool is_worse(const Gauge& a, const Gauge& b) {
  if (a.measured != b.measured) return a.measured;
  if (std::isnan(b.value) || std::isnan(a.value)) return !std::isnan(b.value);
  return a.limit > 0 && b.limit > 0 ? a.value / a.limit > b.value / b.limit : a.value > b.value;
}

}  // namespace

std::vector<Column> recorded_numbers(const RecordSettings& settings, const Simulation& simulation,
                                     const Diagnostics& diagnostics) {
  // As in a table of --csv.
  std::vector<Column> all;
  if (const auto* table = simulation.find<HasColumns>()) all = table->columns();
  for (const Scalar& scalar : diagnostics.scalars)
    if (!find_by_id(all, scalar.id)) all.push_back({scalar.id, scalar.unit});
  if (settings.numbers.empty()) return all;
  std::vector<Column> recorded;
  for (const std::string& id : settings.numbers) {
    const Column* column = find_by_id(all, id);
    if (!column)
      throw InputError("There is no number \"{}\" to record in {}{}", id, simulation.info().id,
                       did_you_mean(id, ids_of(all), choose_one_of(ids_of(all))));
    recorded.push_back(*column);
  }
  return recorded;
}

void RunRecord::begin(const Setup& setup, const RunOptions& options, const Backend& backend) {
  const SimulationInfo& info = find_simulation(setup.simulation);
  scene_ = scene_name_of(setup);
  size_ = grid_of(setup, info);
  seed_ = setup.seed;
  backend_ = backend.id();
  const ParameterSet table(info.parameters, nullptr);  // used for lookups only
  for (const auto& [id, text] : options.parameters) {
    const Parameter& parameter = table.find(id);
    parameters_.emplace_back(&parameter, parameter.parse(text));
  }
}

void RunRecord::add(const Simulation& simulation, const Diagnostics& diagnostics, bool is_sample) {
  steps_ = diagnostics.step;
  time_ = diagnostics.time;
  if (numbers_.empty())
    for (const Column& column : recorded_numbers(settings_, simulation, diagnostics))
      numbers_.push_back({column.id, column.unit, no_value});
  for (Number& number : numbers_) {
    const Scalar* scalar = diagnostics.scalar(number.id);
    number.value = scalar ? scalar->value : no_value;
    if (!is_sample || !is_number(number.value)) continue;
    ++number.samples;
    // Welford's method: no difference of large sums.
    const double change = number.value - number.mean;
    number.mean += change / static_cast<double>(number.samples);
    number.squares += change * (number.value - number.mean);
    number.minimum = number.samples == 1 ? number.value : std::min(number.minimum, number.value);
    number.maximum = number.samples == 1 ? number.value : std::max(number.maximum, number.value);
  }
  for (const Gauge& gauge : simulation.gauges()) {
    const auto found =
        std::find_if(gauges_.begin(), gauges_.end(), [&](const WorstGauge& one) { return one.gauge.id == gauge.id; });
    if (found == gauges_.end())
      gauges_.push_back({gauge, diagnostics.step});
    else if (is_worse(gauge, found->gauge))
      *found = {gauge, diagnostics.step};
  }
}

void RunRecord::end(const Experiment& experiment, double seconds) {
  seconds_ = seconds;
  steps_ = experiment.simulation().steps();
  time_ = experiment.simulation().time();
  State state = experiment.saved_state();
  state.preset.clear();  // the same run from a copy of its file is the same
  hash_ = state_checksum(state);
}

Json RunRecord::json(int exit_code, const std::string& message) const {
  Json parameters = Json::object(), numbers = Json::object(), gauges = Json::object();
  for (const auto& [parameter, value] : parameters_) parameters[parameter->id] = json_of_value(*parameter, value);
  for (const Number& number : numbers_) {
    Json one = {{"value", json_of(number.value)}, {"unit", number.unit}};
    if (settings_.every > 0) {
      const bool known = number.samples > 0;
      const auto if_known = [&](double value) { return known ? Json(value) : Json(); };
      one["mean"] = if_known(number.mean);
      one["deviation"] = if_known(known ? std::sqrt(number.squares / static_cast<double>(number.samples)) : 0);
      one["minimum"] = if_known(number.minimum);
      one["maximum"] = if_known(number.maximum);
      one["samples"] = number.samples;
    } else {
      one["samples"] = is_number(number.value) ? 1 : 0;
    }
    numbers[number.id] = std::move(one);
  }
  for (const WorstGauge& worst : gauges_)
    gauges[worst.gauge.id] = {{"value", json_of(worst.gauge.value)},
                              {"limit", json_of(worst.gauge.limit)},
                              {"level", name_of(worst.gauge.level())},
                              {"step", worst.step}};
  Json json = {{"scene", scene_},
               {"size", {size_.width, size_.height}},
               {"seed", seed_},
               {"parameters", std::move(parameters)},
               {"backend", backend_},
               {"steps", steps_},
               {"time", json_of(time_)},
               {"numbers", std::move(numbers)},
               {"gauges", std::move(gauges)},
               {"hash", hash_},
               {"seconds", seconds_},
               {"exit_code", exit_code},
               {"message", message},
               {"warnings", warnings_}};
  return json;
}

}  // namespace perturb
