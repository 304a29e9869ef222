// Kiosk mode for unattended machines: shows scenes in turn with an invitation, and restarts after each visitor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/input_events.h"
#include "app/session/session.h"

namespace perturb {

// Visitors only have the mouse: no key closes the program or opens a menu, and no dialog appears. For the
// next visitor the scene opens again without any changes, which also cancels a slow step.
class Kiosk {
 public:
  struct Timeouts {
    double scene = 45;    // seconds that a scene is shown without a visitor
    double visitor = 60;  // seconds without input after which the visitor is assumed to have left
    double stopped = 5;   // seconds that a stopped run stays on the screen
  };

  // `scenes`: paths of at least one scene, shown in this order.
  explicit Kiosk(std::vector<std::string> scenes);
  Kiosk(std::vector<std::string> scenes, Timeouts timeouts);

  // Returns the events that visitors may cause. The only key it keeps is Ctrl+Q, with which staff quit the program.
  std::vector<InputEvent> filter_events(std::vector<InputEvent> events);
  // Call at the end of a frame: opens the next scene, or restarts the current one, when it is time.
  void end_frame(Session& session, double seconds);

  // Whether a message invites the visitor, and its text.
  bool shows_invitation() const { return !visited_ || stopped_ > 0; }
  std::string invitation() const {
    return stopped_ > 0 ? "Restarting in a moment." : "Press or drag anywhere: it responds.";
  }

 private:
  void show(Session& session);
  // Repeats what a click in the scene does and with what the scene begins, such as a droplet, whose waves fade.
  void repeat_beginning(Session& session) const;

  std::vector<std::string> scenes_;
  Timeouts timeouts_;
  std::size_t scene_ = 0;
  bool begun_ = false, visited_ = false;
  // Seconds since the scene opened, since the visitor's last input, since the run stopped, and since the beginning was
  // repeated.
  double shown_seconds_ = 0, idle_seconds_ = 0, stopped_ = 0, repeated_ = 0;
};

}  // namespace perturb
