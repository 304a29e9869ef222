// The simple view of every scene: it names a few main controls and readings, and each of them means something there.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/run.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/sanitized.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

using Values = std::map<std::string, double>;

std::vector<std::string> scene_paths() {
  std::vector<std::string> paths;
  for (const SceneEntry& scene : tested_scenes()) paths.push_back(scene.path());
  return paths;
}

std::string name_of_path(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// The scene with fewer cells, fibers, patches or discs, so that many runs of it are quick.
Scene reduced(const std::string& path) {
  Scene scene = load_scene(path);
  Setup& setup = scene.setup;
  setup.width = std::min(setup.width, setup.height == 1 ? 24 : 64);
  setup.height = std::min(setup.height, 64);
  const auto count = setup.parameters.find("count"), box = setup.parameters.find("box"),
             level = setup.parameters.find("level");
  if (level != setup.parameters.end()) level->second = std::min(level->second, 2.0);
  constexpr double max_discs = 400;
  if (count != setup.parameters.end() && box != setup.parameters.end() && count->second > max_discs) {
    box->second *= std::sqrt(max_discs / count->second);
    count->second = max_discs;
  }
  return scene;
}

// Everything that a user could see of a run: its fields, numbers, curves and gauges, and the drawn image.
struct Observed {
  std::vector<std::uint64_t> numbers;
  std::set<std::string> scalars;
  bool operator==(const Observed& other) const { return numbers == other.numbers; }

  void add(double number) { numbers.push_back(std::bit_cast<std::uint64_t>(number)); }
  void add(const std::vector<CurvePoint>& points) {
    for (const CurvePoint& point : points) {
      add(point.x);
      add(point.y);
    }
  }
};

class SimpleViewOfScene : public testing::TestWithParam<std::string> {
 protected:
  // A few steps of the scene, then some more during a drag across its middle; none: its parameters are rejected.
  std::optional<Observed> observe(const Scene& scene) {
    try {
      Start start;
      start.scene = scene;
      perturb::Run run = perturb::Run::begin(*backend_, start);
      Simulation& simulation = *run.simulation;
      const int steps = scene.setup.simulation == "fibers" || scene.setup.simulation == "membrane" ? 1 : 8;
      simulation.step(steps);
      gesture(simulation, Gesture::Phase::press, 0.45, 0.55, 0.45, 0.55);
      gesture(simulation, Gesture::Phase::move, 0.55, 0.5, 0.45, 0.55);
      simulation.step(steps);  // with the button held
      gesture(simulation, Gesture::Phase::release, 0.55, 0.5, 0.45, 0.55);
      Observed seen;
      const Diagnostics numbers = simulation.diagnostics(scene.view, true);
      for (const Scalar& scalar : numbers.scalars) {
        seen.add(scalar.value);
        seen.scalars.insert(scalar.id);
      }
      for (const Curve& curve : numbers.curves) {
        seen.add(curve.points);
        seen.add(curve.theory);
      }
      for (const Gauge& gauge : simulation.gauges()) {
        seen.add(gauge.value);
        seen.add(gauge.limit);
      }
      const Quantity& quantity = simulation.info().quantities[quantity_index(simulation.info(), scene.view.quantity)];
      const ColorTable table(*backend_, find_colormap(quantity.colormap));
      ViewSettings view = scene.view;
      const ShownRange range = shown_range(view, quantity);
      view.minimum = range.low;
      view.maximum = range.high;
      Field<std::uint32_t> picture(*backend_, 96, 96, "picture");
      simulation.paint(picture.view(), scene.camera, view, table);
      for (const std::uint32_t pixel : picture.download()) seen.numbers.push_back(pixel);
      return seen;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  // With the first tool, as a user would at once. A tool that needs another scene is ignored.
  static void gesture(Simulation& simulation, Gesture::Phase phase, double x, double y, double from_x, double from_y) {
    if (simulation.info().tools.empty()) return;
    Gesture now;
    now.tool = simulation.info().tools.front().id;
    now.phase = phase;
    now.x = x;
    now.y = y;
    now.previous_x = now.start_x = from_x;
    now.previous_y = now.start_y = from_y;
    try {
      for (const Action& action : simulation.interpret(now)) simulation.apply(action);
    } catch (const InputError&) {
    }
  }

  static double value_in(const Scene& scene, const Parameter& p) {
    const auto given = scene.setup.parameters.find(p.id);
    return given == scene.setup.parameters.end() ? p.initial : given->second;
  }

  // Values that a user would try next.
  static std::vector<double> other_values(const Parameter& p, double now) {
    std::vector<double> values;
    const auto add = [&](double value) {
      if (p.kind != ValueKind::real) value = std::round(value);
      if (value >= p.minimum && value <= p.maximum && value != now) values.push_back(value);
    };
    if (p.kind == ValueKind::boolean || p.kind == ValueKind::choice) {
      for (double value = p.minimum; value <= p.maximum; ++value) add(value);
      return values;
    }
    add(0.5 * now);
    add(2 * now);
    add(now - 1);
    add(now + 1);
    if (now == 0) {
      add(0.05 * p.maximum);
      add(std::min(p.maximum, 20.0));
    }
    add(p.kind == ValueKind::real && now < p.maximum ? p.maximum : p.minimum);
    return values;
  }

  // Whether another value of the parameter changes anything visible.
  bool has_effect(const Scene& scene, const Parameter& p) {
    const std::optional<Observed> before = observe(scene);
    if (!before) return false;
    for (const double value : other_values(p, value_in(scene, p))) {
      Scene changed = scene;
      changed.setup.parameters[p.id] = value;
      const std::optional<Observed> after = observe(changed);
      if (after && !(*after == *before)) return true;
    }
    return false;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
};
INSTANTIATE_TEST_SUITE_P(All, SimpleViewOfScene, testing::ValuesIn(scene_paths()), name_of_path);

TEST_P(SimpleViewOfScene, NamesAFewControlsAndReadings) {
  const Scene scene = load_scene(GetParam());
  const std::vector<std::string>&controls = scene.simple.controls, &readings = scene.simple.readings;
  const std::size_t parameters = find_simulation(scene.setup.simulation).parameters.size();
  EXPECT_GE(controls.size(), std::min<std::size_t>(3, parameters));
  EXPECT_LE(controls.size(), 6u);
  EXPECT_EQ(std::set<std::string>(controls.begin(), controls.end()).size(), controls.size());
  EXPECT_GE(readings.size(), 1u);
  EXPECT_LE(readings.size(), 4u);
  EXPECT_EQ(std::set<std::string>(readings.begin(), readings.end()).size(), readings.size());
}

TEST_P(SimpleViewOfScene, ReadsNumbersOfTheRun) {
  SKIP_UNDER_SANITIZERS("another test starts every preset");
  // The measurements depend on the size; not those of fibers, whose steps are slow.
  const Scene full = load_scene(GetParam());
  const Scene scene = has_small_reach() && full.setup.height == 1 ? reduced(GetParam()) : full;
  const std::optional<Observed> seen = observe(scene);
  ASSERT_TRUE(seen);
  for (const std::string& id : scene.simple.readings) EXPECT_TRUE(seen->scalars.count(id)) << id;
}

// Each control changes something by itself, or together with another one: a wall must be moving for its speed to count.
TEST_P(SimpleViewOfScene, EveryControlHasAnEffect) {
  SKIP_UNDER_SANITIZERS("another test starts every preset");
  const Scene scene = reduced(GetParam());
  const SimulationInfo& info = find_simulation(scene.setup.simulation);
  for (const std::string& id : scene.simple.controls) {
    const Parameter& p = *find_parameter(info.parameters, id);
    bool found = has_effect(scene, p);
    for (const std::string& other : scene.simple.controls) {
      if (found || other == id) continue;
      const Parameter& q = *find_parameter(info.parameters, other);
      for (const double value : other_values(q, value_in(scene, q))) {
        Scene with_other = scene;
        with_other.setup.parameters[q.id] = value;
        found = found || has_effect(with_other, p);
      }
    }
    EXPECT_TRUE(found) << id;
  }
}

// The parameters that the suggestions name are in the simple view: "Raise Damping", "Set Rain to 0".
TEST_P(SimpleViewOfScene, HasTheControlsOfItsSuggestions) {
  const Scene scene = load_scene(GetParam());
  const std::vector<std::string>& controls = scene.simple.controls;
  for (const std::string& suggestion : scene.tries)
    for (const Parameter& p : find_simulation(scene.setup.simulation).parameters)
      for (const char* verb : {"Raise ", "Lower ", "Double ", "Halve ", "Set ", "Switch "}) {
        const std::size_t at = suggestion.find(verb + p.label);
        if (at == std::string::npos) continue;
        // Not the start of a longer name: "Radius" in "Radius of the heavy disc".
        const std::string rest = suggestion.substr(at + std::string(verb).size());
        const bool is_whole = std::none_of(
            find_simulation(scene.setup.simulation).parameters.begin(),
            find_simulation(scene.setup.simulation).parameters.end(),
            [&](const Parameter& q) { return q.label.size() > p.label.size() && rest.starts_with(q.label); });
        if (!is_whole) continue;
        EXPECT_TRUE(std::find(controls.begin(), controls.end(), p.id) != controls.end()) << p.id << ": " << suggestion;
      }
}

}  // namespace
}  // namespace perturb
