#include "app/session/kiosk.h"

#include <algorithm>
#include <utility>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {
constexpr double repeat_seconds = 4;  // a ring in a tank has passed its sides, and is still seen
}  // namespace

Kiosk::Kiosk(std::vector<std::string> scenes) : Kiosk(std::move(scenes), Timeouts()) {}

Kiosk::Kiosk(std::vector<std::string> scenes, Timeouts timeouts) : scenes_(std::move(scenes)), timeouts_(timeouts) {
  if (scenes_.empty())
    throw InputError("Cannot start the kiosk without a scene. Name a scene, or include all of them.");
}

std::vector<InputEvent> Kiosk::filter_events(std::vector<InputEvent> events) {
  using Kind = InputEvent::Kind;
  std::erase_if(events, [](const InputEvent& event) {
    const bool is_key = event.kind == Kind::key_press || event.kind == Kind::key_release;
    return (is_key && event.key != "Ctrl+Q") || event.kind == Kind::drop;
  });
  for (const InputEvent& event : events) {
    // A pointer that only moves may have been pushed by a passer-by: a visitor presses a button or turns the wheel.
    if (event.kind == Kind::press || event.kind == Kind::scroll) {
      visited_ = true;
      idle_seconds_ = 0;
    }
    if (event.kind == Kind::move) idle_seconds_ = 0;
  }
  return events;
}

void Kiosk::show(Session& session) {
  InterfaceState state = session.interface();
  state.panels = state.presentation = state.hint = false;
  state.kiosk = state.color_bar_without_panels = true;
  state.overlay = Overlay::none;
  session.set_interface(std::move(state));
  session.tools().reset();
  session.post(OpenScene{scenes_[scene_]});
  visited_ = false;
  shown_seconds_ = idle_seconds_ = stopped_ = repeated_ = 0;
}

void Kiosk::repeat_beginning(Session& session) const {
  for (const Action& action : session.run().scene->setup.actions)
    if (action.kind == session.tools().tool() && action.numbers.contains("x") && action.numbers.contains("y"))
      session.tools().tap(action.get("x"), action.get("y"));
}

void Kiosk::end_frame(Session& session, double seconds) {
  if (!std::exchange(begun_, true)) {
    show(session);
    return;
  }
  shown_seconds_ += seconds;
  idle_seconds_ += seconds;
  stopped_ = session.run().stop_reason.empty() ? 0 : stopped_ + seconds;
  session.playback().set_playing(true);  // no visitor could press play
  const bool is_left = visited_ && idle_seconds_ >= timeouts_.visitor;
  const bool is_over = !visited_ && shown_seconds_ >= timeouts_.scene;
  if (stopped_ >= timeouts_.stopped || is_left) {
    show(session);  // restarts the same scene
  } else if (is_over) {
    scene_ = (scene_ + 1) % scenes_.size();
    show(session);
  } else if (!visited_ && (repeated_ += seconds) >= repeat_seconds) {
    repeated_ = 0;
    repeat_beginning(session);
  }
}

}  // namespace perturb
