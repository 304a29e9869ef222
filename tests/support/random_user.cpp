#include "tests/support/random_user.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr std::size_t remembered = 6;

}  // namespace

double RandomUser::unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

void RandomUser::note(const std::string& text) {
  last_.push_back("step " + std::to_string(run_.simulation().steps()) + ": " + text);
  if (last_.size() > remembered) last_.pop_front();
}

// A position on the value's slider: often one of its ends, sometimes where it begins.
double RandomUser::position_of(const ValueInfo& info) {
  const double where = unit(), at = unit();
  if (info.kind == ValueKind::boolean) return at < 0.5 ? 0 : 1;
  if (info.kind == ValueKind::choice) return static_cast<double>(below(info.choices.size()));
  double value = at < 0.5 ? info.minimum : info.maximum;
  if (where >= 0.9 && std::isfinite(info.initial))
    value = info.initial;
  else if (where >= 0.25)
    value = info.scale == Scale::logarithmic && info.minimum > 0
                ? info.minimum * std::pow(info.maximum / info.minimum, at)
                : info.minimum + at * (info.maximum - info.minimum);
  if (info.kind != ValueKind::real) value = std::round(value);
  return std::clamp(value, info.minimum, info.maximum);
}

Gesture RandomUser::start(const Tool& tool) {
  Gesture gesture;
  gesture.tool = tool.id;
  gesture.button = unit() < 0.6 ? Gesture::Button::left : Gesture::Button::right;
  gesture.shift = unit() < 0.1;
  gesture.control = unit() < 0.1;
  for (const ValueInfo& setting : tool.brush)
    gesture.brush[setting.id] = unit() < 0.5 && std::isfinite(setting.initial) ? setting.initial : position_of(setting);
  return gesture;
}

void RandomUser::perform(const Gesture& gesture) {
  try {
    run_.perform(gesture);
  } catch (const InputError&) {
    ++rejected_;
  }
}

void RandomUser::draw(std::int64_t steps) {
  const std::vector<Tool>& tools = run_.info().tools;
  if (tools.empty()) return slide(steps);
  const Tool& tool = tools[below(tools.size())];
  Gesture gesture = start(tool);
  gesture.x = gesture.previous_x = gesture.start_x = unit();
  gesture.y = gesture.previous_y = gesture.start_y = unit();
  std::string text =
      std::string(gesture.button == Gesture::Button::left ? "left" : "right") + " stroke with " + tool.id;
  for (const auto& [id, value] : gesture.brush) text += ", " + id + " = " + format_number(value, 6);
  if (tool.wheel && unit() < 0.3) {
    gesture.phase = Gesture::Phase::scroll;
    gesture.scroll = unit() < 0.5 ? -1 : 1;
    note("wheel, " + text);
    for (std::size_t k = 1 + below(8); k > 0; --k) perform(gesture);
    return advance(steps);
  }
  const auto moves = static_cast<std::int64_t>(below(9));
  const double reach = unit() < 0.3 ? 1 : 0.1;  // of a move: across the view, or a short one
  note(text + ", " + std::to_string(moves) + " moves from " + format_number(gesture.x, 3) + ", " +
       format_number(gesture.y, 3));
  perform(gesture);
  gesture.phase = Gesture::Phase::move;
  for (std::int64_t k = 0; k < moves; ++k) {
    advance(steps / (moves + 1));
    gesture.previous_x = gesture.x;
    gesture.previous_y = gesture.y;
    gesture.x = std::clamp(gesture.x + reach * (2 * unit() - 1), 0.0, 1.0);
    gesture.y = std::clamp(gesture.y + reach * (2 * unit() - 1), 0.0, 1.0);
    perform(gesture);
  }
  gesture.phase = Gesture::Phase::release;
  gesture.previous_x = gesture.x;
  gesture.previous_y = gesture.y;
  perform(gesture);
  advance(steps - moves * (steps / (moves + 1)));
}

void RandomUser::slide(std::int64_t steps) {
  std::vector<const Parameter*> live;
  for (const Parameter& p : run_.info().parameters)
    if (p.apply == Apply::live) live.push_back(&p);
  if (live.empty()) return advance(steps);
  const Parameter& p = *live[below(live.size())];
  const auto positions = static_cast<std::int64_t>(1 + below(3));
  for (std::int64_t k = 0; k < positions; ++k) {
    const double value = position_of(p);
    std::string outcome;
    try {
      run_.set_parameter(p.id, value, k > 0);
    } catch (const InputError& error) {
      ++rejected_;
      outcome = " (rejected)";
    }
    note(p.id + " = " + p.format(value) + outcome);
    advance(k + 1 < positions ? steps / positions : steps - k * (steps / positions));
  }
}

void RandomUser::act(std::int64_t steps) {
  ++actions_;
  unit() < 0.6 ? draw(steps) : slide(steps);
}

bool RandomUser::close_off(bool upright) {
  for (const Tool& tool : run_.info().tools) {
    if (tool.id != "wall") continue;
    ++actions_;
    Gesture gesture;
    gesture.tool = tool.id;
    for (const ValueInfo& setting : tool.brush) gesture.brush[setting.id] = setting.initial;
    const double along = 0.35 + 0.3 * unit();
    gesture.x = upright ? along : 0;
    gesture.y = upright ? 0 : along;
    gesture.previous_x = gesture.start_x = gesture.x;
    gesture.previous_y = gesture.start_y = gesture.y;
    note("wall from side to side at " + format_number(along, 3));
    perform(gesture);
    gesture.phase = Gesture::Phase::move;
    gesture.x = upright ? along : 1;
    gesture.y = upright ? 1 : along;
    perform(gesture);
    gesture.phase = Gesture::Phase::release;
    perform(gesture);
    return true;
  }
  return false;
}

void RandomUser::advance(std::int64_t steps) {
  if (!not_finite_.empty() || !run_.stop_reason().empty()) return;
  constexpr std::int64_t max_at_once = 8;
  std::int64_t taken = 0;
  while (taken < steps && (!has_time_ || has_time_())) {
    const std::int64_t next = has_time_ ? std::min({taken + 1, max_at_once, steps - taken}) : steps - taken;
    run_.advance(next);
    taken += next;
  }
  const Diagnostics diagnostics = run_.simulation().diagnostics(run_.scene().view, true);
  run_.check_diagnostics(diagnostics);
  if (!run_.stop_reason().empty()) return;
  for (const Scalar& scalar : diagnostics.scalars)
    if (has_value(scalar.value) && !std::isfinite(scalar.value)) not_finite_ = scalar.id + " is not finite";
}

std::string RandomUser::failure() const {
  std::string text = run_.stop_reason().empty() ? not_finite_ : run_.stop_reason().english();
  if (text.empty()) return text;
  text = "after step " + std::to_string(run_.simulation().steps()) + ": " + text;
  for (const std::string& action : last_) text += "\n    " + action;
  return text;
}

}  // namespace perturb
