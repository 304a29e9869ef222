#include "app/session/view_controller.h"

#include <algorithm>

#include "cuda/core/paint/orbit.h"

namespace perturb {

QuantitySuggestion suggest_quantity(const std::vector<Action>& actions, const RunStatus& run, const Quantity& shown) {
  const auto is_shown = [&](const std::string& quantity) { return quantity == shown.id; };
  const auto is_on = [&](const std::string& parameter) { return run.value_of(parameter) != 0; };
  for (const Action& action : actions) {
    const ActionKind* kind = find_kind(run.info->actions, action.kind);
    if (!kind || kind->visible_in.empty() || std::any_of(kind->visible_in.begin(), kind->visible_in.end(), is_shown) ||
        std::any_of(kind->visible_with.begin(), kind->visible_with.end(), is_on))
      continue;
    return {kind->label, kind->visible_in.front(), 0};
  }
  return {};
}

const Quantity& ViewController::quantity() const {
  const std::vector<Quantity>& quantities = client_.info().quantities;
  for (const Quantity& quantity : quantities)
    if (quantity.id == state_.view.quantity) return quantity;
  static const Quantity none;
  return quantities.empty() ? none : quantities.front();
}

ViewSettings ViewController::resolved() const {
  ViewSettings view = state_.view;
  const Quantity& shown = quantity();
  view.quantity = shown.id;
  if (view.colormap.empty()) view.colormap = shown.colormap;
  if (view.automatic && range_.known())
    view.minimum = range_.minimum(), view.maximum = range_.maximum();
  else if (!(view.maximum > view.minimum))
    view.minimum = shown.minimum, view.maximum = shown.maximum;
  return view;
}

void ViewController::sync_with_run() {
  if (pending_views_ > 0) return;
  const ViewChange now{state_.view, state_.camera};
  const ViewChange& of_run = client_.run().shown;
  if (!same_view(of_run, shown_)) {
    shown_ = of_run;
    state_.view = shown_.view, state_.camera = shown_.camera;
  } else if (!same_view(now, shown_)) {
    shown_ = now;
    ++pending_views_;
    client_.run_frame_job(now, [this](JobResult&) { --pending_views_; });
  }
}

void ViewController::follow(const Diagnostics& numbers) {
  if (state_.view.automatic)
    range_.follow(numbers, quantity().is_signed && state_.centred);
  else
    range_.forget();
}

void ViewController::update_suggestion(const std::vector<Action>& actions) {
  if (const QuantitySuggestion suggestion = suggest_quantity(actions, client_.run(), quantity());
      !suggestion.quantity.empty())
    state_.suggestion = suggestion;
}

void ViewController::show(const std::string& id) {
  state_.view.quantity = id;
  // Another quantity has its own range and often its own colormap.
  state_.view.colormap.clear();
  state_.view.minimum = state_.view.maximum = 0;
  if (quantity().has_depth) raise_camera(state_.camera);
  range_.forget();
  state_.suggestion = {};
}

bool ViewController::handle(UiCommand command) {
  switch (command) {
    case UiCommand::home_view:
      state_.camera = client_.run().scene->camera;
      if (quantity().has_depth) raise_camera(state_.camera);
      return true;
    case UiCommand::show_suggested:
      if (!state_.suggestion.quantity.empty()) show(state_.suggestion.quantity);
      return true;
    case UiCommand::describe:
      client_.run_job(job::Describe{resolved()}, [this](JobResult& result) { client_.show_message(result.message); });
      return true;
    default:
      return false;
  }
}

void ViewController::on_run_replaced(bool new_scene) {
  range_.forget();
  state_.suggestion = {};
  if (!new_scene) return;
  shown_ = client_.run().shown;
  state_.view = shown_.view, state_.camera = shown_.camera;
}

}  // namespace perturb
