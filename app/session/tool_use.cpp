// What the tool in hand does, where it would act, and how large it is.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/session/unseen.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {
constexpr double brush_per_notch = 1.15;
}  // namespace

void Session::perform(const Gesture& gesture) {
  if (gesture.tool.empty() || !run().trouble.empty()) return;
  if (!tool_is_open(gesture.tool)) {
    tell("This step of the lesson goes without this tool.");
    return;
  }
  state_.hint = false;
  if (gesture.phase != Gesture::Phase::move) aims_ = false;
  post(gesture, [this](Answer& answer) {
    try {
      answer.check();
      if (const Offer offer = offer_after(answer.actions, run(), shown_quantity()); !offer.quantity.empty())
        state_.offer = offer;
    } catch (const InputError& error) {
      tell_failure(error.what());
      hand_.cancel();
    }
  });
  if (gesture.phase == Gesture::Phase::press) look_for_aim(gesture);
}

// Whoever throws sees where to: letting go elsewhere would do something.
void Session::look_for_aim(const Gesture& press) {
  Gesture release = press;
  release.phase = Gesture::Phase::release;
  release.x = press.x < 0.5 ? press.x + 0.1 : press.x - 0.1;
  ask(order::Read{[release](const Experiment& run) -> std::string {
        try {
          return run.simulation().interpret(release).empty() ? "" : "aims";
        } catch (const InputError&) {
          return "";
        }
      }},
      [this](Answer& answer) { aims_ = !answer.words.empty(); });
}

const ValueInfo* Session::wheel_field(const std::string& tool) const {
  for (const Tool& t : info().tools) {
    if (t.id != tool || t.wheel) continue;
    for (const ValueInfo& field : t.brush)
      if (field.id == "radius") return &field;
  }
  return nullptr;
}

void Session::resize_brush(const std::string& tool, double notches) {
  const ValueInfo& field = *wheel_field(tool);
  double& value = state_.brushes[tool].emplace(field.id, field.initial).first->second;
  value = std::clamp(value * std::pow(brush_per_notch, notches), field.minimum, field.maximum);
  tell(field.label + ": " + number_in_words(value, 3) + (field.unit.empty() ? "" : " " + field.unit));
}

}  // namespace perturb
