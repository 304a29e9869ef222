// What can be done to a simulation, as values. A click, a line of a preset and a line of a script are all actions, so
// that whatever a user does can be stored, replayed and undone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/simulation/value_info.h"

namespace perturb {

// A grey picture decoded from a file, values in [0, 1], row-major, row 0 at the bottom.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> values;
};

// One deed: a kind and its numbers, for example {"droplet", {x: 0.5, y: 0.5, amplitude: 0.07}}. Positions are fractions
// of the domain, (0, 0) its lower left corner and (1, 1) its upper right, so that they mean the same on every grid.
struct Action {
  std::string kind;
  std::map<std::string, double> numbers;
  std::string file;                        // the image's name, for kinds that take one
  std::shared_ptr<const GreyImage> image;  // the image itself, decoded by whoever made the action

  // The number, which is given or was filled in (complete_action). Throws Error where there is none.
  double get(const std::string& id) const;
  bool operator==(const Action&) const = default;
};

// A kind of action: its numbers with their ranges. A field whose `initial` is NaN must be given, unless a parameter
// stands for it.
struct ActionKind {
  std::string id, label, help;
  std::vector<ValueInfo> fields;
  bool takes_image = false;
  // The quantities (ids) in which one sees what it does, the best first; empty: in every one. Done by
  // hand while another is shown, it is said where to look; unless a switch is on (ids of parameters) that
  // draws it over any of them.
  std::vector<std::string> visible_in{}, visible_with{};
  // What it does is built, not stirred: a wall, a source. A restart may keep it.
  bool lasting = false;
};
// The table with these kinds (ids) marked as lasting.
std::vector<ActionKind> with_lasting(std::vector<ActionKind> kinds, const std::vector<std::string>& lasting);
// The one with this id, null when there is none.
const ActionKind* find_kind(const std::vector<ActionKind>& kinds, const std::string& id);

// Throws InputError unless `action` is one of `kinds`, its numbers are known and in range and none
// that is needed is missing.
void check_action(const Action& action, const std::vector<ActionKind>& kinds);

// The action checked and with all of its kind's numbers: one that is not given is the parameter that its field names
// (`parameter` gives its value), else its field's `initial`. Throws InputError as check_action does.
Action complete_action(const Action& action, const std::vector<ActionKind>& kinds,
                       const std::function<double(const std::string& id)>& parameter);

// A mouse gesture over the picture, already in the domain's fractions.
struct Gesture {
  enum class Phase { press, move, release, scroll };
  enum class Button { left, right };

  std::string tool;
  Phase phase = Phase::press;
  Button button = Button::left;
  double x = 0, y = 0;                    // where the pointer is
  double previous_x = 0, previous_y = 0;  // where it was at the gesture's last event (the same on press)
  double start_x = 0, start_y = 0;        // where it was pressed
  double scroll = 0;                      // notches away from the user, for Phase::scroll
  bool shift = false, control = false;
  std::map<std::string, double> brush;  // the tool's settings by id

  double setting(const std::string& id, double otherwise) const {
    const auto found = brush.find(id);
    return found == brush.end() ? otherwise : found->second;
  }
};

// What the mouse does: a tool turns gestures into actions (Simulation::interpret).
struct Tool {
  std::string id, label, help;   // help tells left, right and drag: "left: down, right: up"
  std::vector<ValueInfo> brush;  // a field named "radius" (domain's length units) is drawn as a circle at the pointer
  // A small letter that uses this tool at the pointer, whichever tool is chosen: a click of the left button, and more
  // of them while the key is held. Empty: none. The program's own keys (see Help) cannot be had.
  std::string key{};
  bool wheel = false;  // hears the wheel with Ctrl (Gesture::Phase::scroll); else that zooms too
};

}  // namespace perturb
