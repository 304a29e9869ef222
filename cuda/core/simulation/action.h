// Actions on a simulation, as values. A click, a line of a preset and a line of a script are all actions, so that
// everything a user does can be stored, replayed and undone.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/simulation/parameters.h"

namespace perturb {

// A greyscale image decoded from a file, values in [0, 1], row-major, row 0 at the bottom.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> values;
};

// An action: a kind and its numbers, for example {"droplet", {x: 0.5, y: 0.5, amplitude: 0.07}}. Positions are
// fractions of the domain, from (0, 0) at the lower left corner to (1, 1) at the upper right, so that they mean the
// same on every grid.
struct Action {
  std::string kind;
  std::map<std::string, double> numbers;
  std::string file;                        // the image's name, for kinds that take an image
  std::shared_ptr<const GreyImage> image;  // the image itself, decoded by the creator of the action

  // The number, given or filled in (complete_action). Throws Error if there is none.
  double get(const std::string& id) const;
  bool operator==(const Action&) const = default;
};

// A kind of action: its numbers with their ranges. A field whose `initial` is NaN must be given, unless a parameter
// replaces it.
struct ActionKind {
  std::string id, label, help;
  std::vector<ValueInfo> fields;
  bool takes_image = false;
  // The quantities (ids) in which its effect is visible, the best first; empty: all. If the user does it while another
  // quantity is shown, the program suggests one of these, unless a switch (ids of parameters) is on that draws the
  // effect over any quantity.
  std::vector<std::string> visible_in{}, visible_with{};
  // Whether it builds something that lasts (a wall, a source). A restart may keep it.
  bool lasting = false;
  // Both are set by with_objects (core/simulation/object.h). Whether its fields are the numbers of an object that it
  // creates; whether it changes an object: numbers that are not given then stay as they are.
  bool creates_object = false, changes_object = false;
};
// The table with these kinds (ids) marked as lasting.
std::vector<ActionKind> with_lasting(std::vector<ActionKind> kinds, const std::vector<std::string>& lasting);
// The kind with this id, or null.
const ActionKind* find_kind(const std::vector<ActionKind>& kinds, const std::string& id);

// Throws InputError unless `action` is one of `kinds`, its numbers are known and in range, and no required number is
// missing.
void check_action(const Action& action, const std::vector<ActionKind>& kinds);

// The checked action with all numbers of its kind: a number that is not given becomes the value of the parameter that
// its field names (`parameter` returns it), otherwise the field's `initial`. If it changes an object, nothing is filled
// in. Throws InputError as check_action does.
Action complete_action(const Action& action, const std::vector<ActionKind>& kinds,
                       const std::function<double(const std::string& id)>& parameter);

// A mouse gesture over the image, in fractions of the domain.
struct Gesture {
  enum class Phase { press, move, release, scroll };
  enum class Button { left, right };

  std::string tool;
  Phase phase = Phase::press;
  Button button = Button::left;
  double x = 0, y = 0;                    // current pointer position
  double previous_x = 0, previous_y = 0;  // pointer position at the gesture's previous event (the same on press)
  double start_x = 0, start_y = 0;        // pointer position at the press
  double scroll = 0;                      // notches away from the user, for Phase::scroll
  bool shift = false, control = false;
  double pixel = 0;                     // extent of a screen pixel at the pointer, in lengths; 0: unknown
  std::map<std::string, double> brush;  // the tool's settings by id

  double setting(const std::string& id, double otherwise) const {
    const auto found = brush.find(id);
    return found == brush.end() ? otherwise : found->second;
  }
};

// A mouse tool: turns gestures into actions (Simulation::interpret).
struct Tool {
  std::string id, label, help;   // help describes left, right and drag: "left: down, right: up"
  std::vector<ValueInfo> brush;  // a field named "radius" (in the domain's length unit) is drawn as a circle at the
                                 // pointer
  // A lower-case letter that uses this tool at the pointer, whichever tool is selected: a left click, repeated while
  // the key is held. Empty: none. The program's own keys (see Help) are reserved.
  std::string key{};
  bool wheel = false;  // handles the wheel with Ctrl (Gesture::Phase::scroll); otherwise that zooms as well
  // Acts on everything, so it needs no position: choosing it presses at the centre, and the selected tool stays.
  bool immediate = false;
};

// ---- positions and strokes: common parts of the actions and gestures of simulations

// The `initial` of an action's number that has no default.
constexpr double must_be_given = std::numeric_limits<double>::quiet_NaN();

// A horizontal and a vertical position as fractions of the domain; must be given. It may be a little outside the
// domain, for gestures that cross its edge and shapes that extend beyond it. x0, y0 and x1, y1 are labelled as start
// and end of a line.
ValueInfo position_x(const char* id = "x");
ValueInfo position_y(const char* id = "y");
// Whether the current and the previous pointer position are in this range.
bool is_near_domain(const Gesture& gesture);

// Off by default.
ValueInfo flag_value(const char* id, const char* label, const char* help);
// For actions that build walls.
ValueInfo erase_value();

// A stroke from the previous pointer position to the current one: x0, y0, x1 and y1.
Action stroke(const char* kind, const Gesture& gesture);

}  // namespace perturb
