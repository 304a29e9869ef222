// A saved state can represent every result of actions and parameters. After random ones, also at the ends of their
// ranges, a run that is saved, loaded and saved again gives the same state, bit for bit.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/toml_text.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class RandomRun {
 public:
  RandomRun(Backend& backend, const SimulationInfo& info, unsigned seed) : info_(info), random_(seed) {
    const std::vector<std::string> presets = preset_ids(info.id);
    Scene scene = load_scene(info.id + "/" + presets[below(presets.size())]);
    const bool is_a_list = scene.setup.height == 1;
    scene.setup.width = is_a_list ? 5 : 24;
    scene.setup.height = is_a_list ? 1 : 17;
    // Large runs are not the subject of this test.
    for (const auto& [id, most] : {std::pair{"count", 40.0}, {"level", 2.0}, {"fibers", 6.0}, {"degree", 2.0}})
      if (const Parameter* parameter = find_parameter(info.parameters, id)) {
        double& value = scene.setup.parameters.try_emplace(id, parameter->initial).first->second;
        value = std::min(value, most);
      }
    history_ = info.id + "/" + scene.setup.preset;
    for (std::size_t changes = below(3); changes > 0; --changes) {
      const Parameter& parameter = info.parameters[below(info.parameters.size())];
      if (is_large(parameter)) continue;
      scene.setup.parameters[parameter.id] = value_of(parameter);
      history_ += ", " + parameter.id + " = " + exact_number(scene.setup.parameters[parameter.id]);
    }
    try {
      experiment_ = std::make_unique<Experiment>(backend, scene);
    } catch (const Error&) {
      return;  // inconsistent values
    }
    for (std::size_t events = below(6); events > 0; --events) apply_random_event();
  }

  // Null if its initial values are rejected.
  Experiment* experiment() { return experiment_.get(); }
  const std::string& history() const { return history_; }

 private:
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  // Whether the parameter determines the size of a run: discs, fibers, patches, tracers, iterations.
  static bool is_large(const Parameter& parameter) {
    return parameter.id == "level" || parameter.id == "degree" || parameter.id == "integration_level" ||
           parameter.id == "box" || parameter.id == "tolerance" ||
           (parameter.kind == ValueKind::integer && parameter.maximum > 64);
  }

  double value_of(const ValueInfo& field) {
    const bool discrete = field.kind != ValueKind::real;
    if (field.kind == ValueKind::integer && field.maximum > 64)  // number of discs or fibers
      return field.minimum + static_cast<double>(below(8));
    double value = 0;
    switch (below(5)) {
      case 0:
        value = field.minimum;
        break;
      case 1:
        value = field.maximum;
        break;
      case 2:
        value = std::isnan(field.initial) ? field.minimum : field.initial;
        break;
      default:
        value = field.minimum + (field.maximum - field.minimum) * std::uniform_real_distribution<>(0, 1)(random_);
    }
    return discrete ? std::round(value) : value;
  }

  void apply_random_event() {
    const std::int64_t step = experiment_->simulation().steps();
    history_ += ", at " + std::to_string(step) + ": ";
    try {
      if (info_.actions.empty() || below(4) == 0) {
        const Parameter& parameter = info_.parameters[below(info_.parameters.size())];
        if (is_large(parameter)) return;
        const double value = value_of(parameter);
        history_ += parameter.id + " = " + exact_number(value);
        experiment_->set_parameter(parameter.id, value);
      } else {
        const ActionKind& kind = info_.actions[below(info_.actions.size())];
        Action action;
        action.kind = kind.id;
        history_ += kind.id;
        for (const ValueInfo& field : kind.fields) {
          action.numbers[field.id] = value_of(field);
          history_ += " " + field.id + " = " + exact_number(action.numbers[field.id]);
        }
        if (kind.takes_image) action.image = std::make_shared<const GreyImage>(GreyImage{2, 2, {0, 1, 0.5f, 0.1f}});
        experiment_->perform(action);
      }
    } catch (const Error& error) {
      history_ += " (refused: " + std::string(error.what()) + ")";
    }
    try {
      experiment_->advance(static_cast<std::int64_t>(below(3)));
    } catch (const Error& error) {
      history_ += " (" + std::string(error.what()) + ")";
    }
  }

  const SimulationInfo& info_;
  std::mt19937 random_;
  std::unique_ptr<Experiment> experiment_;
  std::string history_;
};

void expect_same_state(const State& a, const State& b) {
  EXPECT_EQ(a.simulation, b.simulation);
  EXPECT_EQ(a.preset, b.preset);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
  EXPECT_EQ(a.parameters, b.parameters);
  ASSERT_EQ(a.datasets.size(), b.datasets.size());
  for (const auto& [name, dataset] : a.datasets) {
    ASSERT_TRUE(b.has(name)) << name;
    EXPECT_EQ(dataset.shape, b.datasets.at(name).shape) << name;
    EXPECT_TRUE(dataset.bytes == b.datasets.at(name).bytes) << name << " has other bits";
  }
}

class SavedRuns : public testing::TestWithParam<const SimulationInfo*> {};

TEST_P(SavedRuns, RoundTripIsBitIdenticalAfterRandomChanges) {
  const auto backend = Backend::make_cpu(1);
  const unsigned runs = is_address_sanitized ? 10 : 30;
  unsigned saved_runs = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    RandomRun run(*backend, *GetParam(), seed);
    SCOPED_TRACE(run.history());
    Experiment* const experiment = run.experiment();
    if (!experiment) continue;
    const Diagnostics diagnostics = experiment->simulation().diagnostics(experiment->shown().view, true);
    experiment->check_diagnostics(diagnostics);
    if (!experiment->stop_reason().empty()) continue;  // a run that has stopped is not saved
    const State state = experiment->simulation().save();
    ++saved_runs;
    try {
      // As a file's reader does.
      for (const auto& [name, dataset] : state.datasets)
        require_expected(*find_saved_fields(state.simulation), state, name, dataset.type, dataset.shape);
      const Experiment again(*backend, scene_of(state), state);
      expect_same_state(state, again.simulation().save());
    } catch (const Error& error) {
      ADD_FAILURE() << "refused: " << error.what();
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(saved_runs, runs / 3);
}

INSTANTIATE_TEST_SUITE_P(Every, SavedRuns, testing::ValuesIn(catalog()), [](const auto& one) { return one.param->id; });

}  // namespace
}  // namespace perturb
