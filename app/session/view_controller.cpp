#include "app/session/view_controller.h"

#include <algorithm>

#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/orbit.h"

namespace perturb {

namespace {

// How long a suggestion is shown; a frame counts as in RunClient::age_message().
constexpr double suggestion_seconds = 8, longest_frame_of_suggestion = 0.1;

}  // namespace

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
    if (quantity.id == view_.quantity) return quantity;
  static const Quantity none;
  return quantities.empty() ? none : quantities.front();
}

ViewSettings ViewController::resolved() const {
  ViewSettings view = view_;
  const Quantity& shown = quantity();
  view.quantity = shown.id;
  view.colormap = view.colormap.empty() ? shown.colormap : find_colormap(view.colormap).id;
  if (view.automatic && range_.known()) {
    view.minimum = range_.minimum();
    view.maximum = range_.maximum();
  } else if (!(view.maximum > view.minimum)) {
    view.minimum = shown.minimum;
    view.maximum = shown.maximum;
  }
  return view;
}

void ViewController::sync_with_run() {
  if (view_.colormap != checked_colormap_) {
    checked_colormap_ = view_.colormap;
    if (const Message missing = missing_colormap(view_.colormap); !missing.empty()) client_.show_message(missing);
  }
  if (pending_views_ > 0) return;
  const ViewChange now{view_, camera_};
  const ViewChange& of_run = client_.run().shown;
  if (!same_view(of_run, shown_)) {
    shown_ = of_run;
    view_ = shown_.view;
    camera_ = shown_.camera;
  } else if (!same_view(now, shown_)) {
    shown_ = now;
    ++pending_views_;
    client_.run_frame_job(now, [this](JobResult&) { --pending_views_; });
  }
}

void ViewController::follow(const Diagnostics& numbers) {
  if (view_.automatic)
    range_.follow(numbers, quantity().is_signed && centred_);
  else
    range_.forget();
}

void ViewController::update_suggestion(const std::vector<Action>& actions) {
  if (const QuantitySuggestion suggestion = suggest_quantity(actions, client_.run(), quantity());
      !suggestion.quantity.empty())
    suggestion_ = suggestion;
}

void ViewController::show_quantity(const std::string& id) {
  view_.quantity = id;
  // Another quantity has its own range and often its own colormap.
  view_.colormap.clear();
  view_.minimum = view_.maximum = 0;
  if (quantity().has_depth) raise_camera(camera_);
  range_.forget();
  suggestion_ = {};
}

void ViewController::show_suggested() {
  if (!suggestion_.quantity.empty()) show_quantity(suggestion_.quantity);
}

void ViewController::go_home() {
  camera_ = client_.run().scene->camera;
  if (quantity().has_depth) raise_camera(camera_);
}

void ViewController::describe(const DisplayUnits& units) {
  client_.run_job(job::Describe{resolved(), units},
                  [this](JobResult& result) { client_.show_message(result.message); });
}

void ViewController::elapse(double seconds) {
  suggestion_.age += std::min(seconds, longest_frame_of_suggestion);
  if (suggestion_.age > suggestion_seconds) suggestion_ = {};
}

void ViewController::on_run_replaced(bool new_scene) {
  range_.forget();
  suggestion_ = {};
  if (!new_scene) return;
  shown_ = client_.run().shown;
  view_ = shown_.view;
  camera_ = shown_.camera;
}

}  // namespace perturb
