// Objects: what was placed in a scene and can be selected, dragged and tuned while the simulation runs: an oscillator,
// slits in a wall, a body in a flow.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/cells.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// A place on an object that can be dragged. A drag by (dx, dy), in fractions of the domain, adds per_x dx + per_y dy to
// each of its numbers; or it turns the number `angle` with the direction from the object's first handle.
struct ObjectHandle {
  struct Effect {
    std::string number;
    double per_x = 0, per_y = 0;
  };
  std::string label;  // of the change: "Position", "Width"
  double x = 0, y = 0;
  std::vector<Effect> effects{};
  std::string angle{};  // a number in degrees, counted counterclockwise; empty: none
};

// An object of a running simulation. It was created by an action of the kind `kind`, whose fields are its numbers (but
// for `erase`). The action "change-<kind>" changes some of them, and "remove-object" removes it.
struct SceneObject {
  int id = 0;  // 1, 2, ... in the order of creation; not used again
  std::string kind;
  std::map<std::string, double> numbers;  // with their present values
  // In fractions of the domain. The first handle moves the object; it is shown at the object, so that it can be found.
  std::vector<ObjectHandle> handles;
  // Polylines with points that are not finite between them; closed if their ends coincide.
  std::vector<CurvePoint> outline;
  bool is_permanent = false;  // it cannot be removed: a wall of the box

  bool operator==(const SceneObject& other) const {
    return id == other.id && kind == other.kind && numbers == other.numbers;
  }
};

// Adds the copies of an object's outline round sides that repeat: an object that is cut there continues at the other
// side.
void repeat_outline(SceneObject& object, const RepeatingGrid& grid);

constexpr const char* remove_object_kind = "remove-object";
constexpr const char* object_field = "object";  // the field of both actions that names the object: its id
std::string change_kind_of(const std::string& kind);

// The table with the kinds `objects` marked as such, and with the actions "change-<kind>" and "remove-object" added.
std::vector<ActionKind> with_objects(std::vector<ActionKind> kinds, const std::vector<std::string>& objects);

// The object with this id; null: none.
const SceneObject* find_object(const std::vector<SceneObject>& objects, int id);
// The same for the object that an action names. Throws InputError that lists the objects there are.
const SceneObject& object_of(const Action& action, const std::vector<SceneObject>& objects);

// The action that changes one number of an object, or that removes it.
Action changed(const SceneObject& object, const std::string& number, double value);
Action removed(const SceneObject& object);
// The action of dragging one of its handles by (dx, dy), in fractions of a domain of this extent. `object` is as it was
// when the drag began. Numbers end at their limits (`kinds`), and integers are rounded.
Action dragged(const SceneObject& object, const ObjectHandle& handle, double dx, double dy, double domain_width,
               double domain_height, const std::vector<ActionKind>& kinds);

// A position for a new object near (x, y), above or below it if there is an object already; in fractions of the domain.
CurvePoint free_position(const std::vector<SceneObject>& objects, double x, double y);

// Implemented by simulations in which a user can add objects.
class ObjectPlacer {
 public:
  // The kinds of which one can be added now.
  virtual std::vector<std::string> placeable() const = 0;
  // The action that adds an object at a point, in fractions of the domain, with numbers that suit the domain and the
  // objects there are.
  virtual Action placed(const std::string& kind, double x, double y) const = 0;

 protected:
  ~ObjectPlacer() = default;
};

}  // namespace perturb
