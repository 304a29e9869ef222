// A program that nobody attends: scenes in turn while nobody is there, an invitation, a fresh start after a visitor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/input_event.h"
#include "app/session/session.h"

namespace perturb {

// Visitors have the mouse alone: no key closes the program or opens a menu, no box comes up, and what a visitor has
// built, turned or broken is gone when the next one comes: a step that takes long is given up then, as it is by any
// other scene.
class Kiosk {
 public:
  struct Timeouts {
    double scene = 45;    // seconds that a scene is shown while nobody is there
    double visitor = 60;  // that a visitor may rest before the program takes them for gone
    double stopped = 5;   // that a run which has stopped is left on the screen
  };

  // `scenes`: paths, shown in this order; at least one.
  explicit Kiosk(std::vector<std::string> scenes);
  Kiosk(std::vector<std::string> scenes, Timeouts timeouts);

  // What of the events is a visitor's to do. Ctrl+Q alone passes of the keys: who attends ends the program by it.
  std::vector<InputEvent> filter_events(std::vector<InputEvent> events);
  // A frame's end: opens the next scene, or the same anew, when it is time.
  void end_frame(Session& session, double seconds);

  // Whether there is something to say to who stands before it, and what.
  bool shows_invitation() const { return !visited_ || stopped_ > 0; }
  std::string invitation() const {
    return stopped_ > 0 ? "It begins anew in a moment." : "Touch the picture: it answers.";
  }

 private:
  void show(Session& session);

  std::vector<std::string> scenes_;
  Timeouts timeouts_;
  std::size_t scene_ = 0;
  bool begun_ = false, visited_ = false;
  double shown_seconds_ = 0, idle_seconds_ = 0,
         stopped_ = 0;  // seconds: since the scene began, a visitor's last deed, a failure
};

}  // namespace perturb
