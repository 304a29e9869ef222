#include "app/run/lighter.h"

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

namespace {

// An estimate from a smaller variant is trusted if it is below or above the limit by these factors: larger fields leave
// the caches, and short loops cost more per cell.
constexpr double surely_below = 0.5, surely_above = 3;
// A machine that is given a quarter of its processors' time computes four times as fast for a moment.
constexpr double max_burst_speed = 4;
// The first steps load code and choose a kernel.
constexpr double warm_up_seconds = 0.04, measured_seconds = 0.08;
constexpr double frames_per_second = 60;  // of the pace

int steps_per_frame_of(const Scene& scene) {
  return scene.steps_per_frame > 0 ? scene.steps_per_frame : default_steps_per_frame;
}

// A value of the full scene in cells and steps, times this, is the value in longer ones.
double factor_between(const std::string& unit, int factor) {
  return display_unit({{"cell", 1.0 / factor, "cell"}, {"step", 1.0 / factor, "step"}}, unit).factor;
}

// The unit of the value with this id; if there is none, `of` is a unit.
std::string unit_named(const SimulationInfo& info, const std::string& of) {
  for (const Parameter& parameter : info.parameters)
    if (parameter.id == of) return parameter.unit;
  for (const ActionKind& kind : info.actions)
    for (const ValueInfo& field : kind.fields)
      if (field.id == of) return field.unit;
  for (const Quantity& quantity : info.quantities)
    if (quantity.id == of) return quantity.unit;
  return of;
}

}  // namespace

Scene coarser_scene(const Scene& full, int factor) {
  const SimulationInfo& info = find_simulation(full.setup.simulation);
  Scene scene = full;
  Setup& setup = scene.setup;
  const int width = setup.width > 0 ? setup.width : info.default_width;
  const int height = setup.height > 0 ? setup.height : info.default_height;
  const int steps = steps_per_frame_of(full);
  if (width % factor != 0 || height % factor != 0 || steps % factor != 0)
    throw InputError("{} x {} cells and {} steps per frame are not divisible by {}.", width, height, steps, factor);
  setup.width = width / factor;
  setup.height = height / factor;
  scene.steps_per_frame = steps / factor;
  for (const Parameter& parameter : info.parameters) {
    const double change = factor_between(parameter.unit, factor);
    if (change == 1 || parameter.kind != ValueKind::real) continue;
    const auto given = setup.parameters.find(parameter.id);
    const double value = given == setup.parameters.end() ? parameter.initial : given->second;
    if (value != 0) setup.parameters[parameter.id] = value * change;
  }
  for (Action& action : setup.actions)
    if (const ActionKind* kind = find_kind(info.actions, action.kind))
      for (const ValueInfo& field : kind->fields)
        if (const auto given = action.numbers.find(field.id); given != action.numbers.end())
          given->second *= factor_between(field.unit, factor);
  const auto convert_range = [&](const std::string& quantity, double& minimum, double& maximum) {
    const double change = factor_between(info.quantities[quantity_index(info, quantity)].unit, factor);
    if (minimum == maximum && change != 1) {
      const Quantity& shown = info.quantities[quantity_index(info, quantity)];
      minimum = shown.minimum;
      maximum = shown.maximum;
    }
    minimum *= change;
    maximum *= change;
  };
  ViewSettings& view = scene.view;
  convert_range(view.quantity, view.minimum, view.maximum);
  if (!view.layer.quantity.empty()) convert_range(view.layer.quantity, view.layer.minimum, view.layer.maximum);
  for (UnitScale& unit : scene.units)
    if (unit.scale) *unit.scale /= factor_between(unit_named(info, unit.of), factor);
  return scene;
}

Message change_between(const Scene& full, const Scene& lighter) {
  const Setup &all = full.setup, &fewer = lighter.setup;
  for (const Parameter& parameter : find_simulation(all.simulation).parameters) {
    const auto value = [&](const Setup& setup) {
      const auto given = setup.parameters.find(parameter.id);
      return given == setup.parameters.end() ? parameter.initial : given->second;
    };
    if (parameter.kind == ValueKind::integer && value(fewer) < value(all))
      return {"{}: {} instead of {}", Message(parameter.label), static_cast<std::int64_t>(value(fewer)),
              static_cast<std::int64_t>(value(all))};
  }
  if (all.width != fewer.width || all.height != fewer.height)
    return {"{} x {} cells instead of {} x {}", fewer.width, fewer.height, all.width, all.height};
  if (steps_per_frame_of(lighter) < steps_per_frame_of(full))
    return {"{} longer steps per frame instead of {}", steps_per_frame_of(lighter), steps_per_frame_of(full)};
  return {};
}

Message lighter_text(const Scene& scene) {
  const Lightness& lightness = scene.lightness;
  if (lightness.full.empty()) return {};
  if (!lightness.is_from_machine) return {"Lighter scene: {}.", lightness.change};
  return {"{}, because this machine is too slow for the full scene.", lightness.change};
}

std::size_t fast_enough(std::span<const double> work, const std::function<double(std::size_t)>& measure, double limit) {
  std::size_t chosen = work.size() - 1, measured = chosen;
  double load = measure(measured);
  while (chosen > 0) {
    const std::size_t next = chosen - 1;
    const double estimate = load * work[next] / work[measured];
    if (estimate > surely_above * limit) break;
    if (estimate > surely_below * limit) {
      measured = next;
      load = measure(measured);
      if (load > limit) break;
    }
    chosen = next;
  }
  return chosen;
}

double seconds_of_step(Backend& backend, const Start& start, double surely_fast) {
  using Clock = std::chrono::steady_clock;
  Run run = Run::begin(backend, start);
  std::int64_t taken = 0;
  const auto seconds_per_step = [&](double min_seconds) {
    backend.synchronize();
    const Clock::time_point begun = Clock::now();
    const std::int64_t first = taken;
    for (std::int64_t batch = 1;; batch *= 2) {
      taken += batch;
      run.step_to(taken);
      backend.synchronize();
      const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
      if (seconds >= min_seconds) return seconds / static_cast<double>(taken - first);
    }
  };
  const double at_first = seconds_per_step(warm_up_seconds);
  return at_first < surely_fast ? at_first : seconds_per_step(measured_seconds);
}

void choose_lighter(const Backends& backends, Scene& scene, const std::string& kernel, double limit) {
  if (scene.lightness.lighter.empty() || scene.lightness.is_chosen || scene.as_read || !scene.lanes.empty()) return;
  try {
    Backend& backend = backends.of(scene.setup, kernel);
    if (backend.is_cuda()) return;
    std::vector<const Scene*> variants = {&scene};
    for (const auto& lighter : scene.lightness.lighter) variants.push_back(lighter.get());
    std::vector<double> work;
    for (const Scene* variant : variants)
      work.push_back(static_cast<double>(memory_needed(backend, *variant)) * steps_per_frame_of(*variant));
    const std::size_t chosen = fast_enough(
        work,
        [&](std::size_t k) {
          const double steps_per_second = frames_per_second * steps_per_frame_of(*variants[k]);
          // So fast that the full scene is fast enough by the estimate.
          const double surely_fast = surely_below * limit * work[k] / work[0] / max_burst_speed / steps_per_second;
          return steps_per_second * seconds_of_step(backend, Start{*variants[k], kernel, nullptr, "", ""}, surely_fast);
        },
        limit);
    if (chosen == 0) return;
    Scene lighter = *variants[chosen];
    lighter.lightness.is_from_machine = true;
    scene = std::move(lighter);
  } catch (const Error&) {
    // Opening the scene reports the reason.
  }
}

}  // namespace perturb
