// Editing of the objects that were placed in the scene: by mouse in the view, by keys and by panels. Every change is an
// action, so that undo, scripts and links keep it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/input_events.h"
#include "app/session/interface.h"
#include "app/session/layout.h"
#include "app/session/lesson_controller.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"
#include "cuda/core/simulation/object.h"

namespace perturb {

// The selected object, and the handle that keys move.
struct ObjectSelection {
  int object = 0;  // id; 0: none
  std::size_t handle = 0;
  bool operator==(const ObjectSelection&) const = default;
};

class ObjectController {
 public:
  // All arguments must outlive it.
  ObjectController(RunClient& client, const ViewController& view, const LessonController& lessons,
                   const PanelAreas& panel_areas, Interface& interface)
      : client_(client), view_(view), lessons_(lessons), panel_areas_(panel_areas), interface_(interface) {}

  // It may name an object that no longer exists.
  const ObjectSelection& selection() const { return selection_; }
  // The selected object; null: none.
  const SceneObject* selected() const { return find_object(client_.run().objects, selection_.object); }
  bool is_dragging() const { return drag_.has_value(); }
  // The nearest handle that a press at this point of the window would grab: the first one of every object, and all of
  // the selected object.
  std::optional<ObjectSelection> handle_at(double x, double y, const Layout& layout) const;
  // The value with which the object was placed.
  double original_of(const SceneObject& object, const std::string& number) const;

  // Both return whether an object handled the event.
  bool take_mouse(const InputEvent& event, const Layout& layout);
  bool take_key(const InputEvent& key, const Layout& layout);

  // 0: none.
  void select(int id) { selection_ = {id, 0}; }
  // Selects the object that one of these actions has just created. Returns whether there is one.
  bool select_created(const std::vector<Action>& actions);
  // Returns whether an object was selected.
  bool deselect();
  void change(int id, const std::string& number, double value);
  // Adds an object of this kind in the middle of the view, next to those that are there, and selects it.
  void add(const std::string& kind);
  void remove(int id);
  // The next change starts a new undo step, unless a drag is active.
  void end_undo_step() {
    if (!drag_) ++group_;
    tuned_ = {};
  }
  void end_frame();
  void on_run_replaced(bool new_scene);

 private:
  // A handle on its way. The object is as it was at the start, so that rounding does not add up.
  struct Drag {
    SceneObject object;
    ObjectHandle handle;
    double screen_x = 0, screen_y = 0;  // of the press
    Camera::Point from{0, 0};           // the same in fractions of the domain
    bool has_moved = false;
    Action last{};
  };
  // Changes of the same group belong to one undo step, in which only the last one counts.
  struct Change {
    Action action;
    int group = 0;
  };

  Camera::Point position_at(double x, double y, const Layout& layout) const;
  Camera::Point screen_of(double x, double y, const Layout& layout) const;
  std::optional<Drag> begin(const ObjectSelection& what, const Camera::Point& screen, const Layout& layout) const;
  void drag_to(Drag& drag, double x, double y, const Layout& layout);
  bool move_by_key(const InputEvent& key, const Layout& layout);
  void apply(Action action);
  void send(Change change);
  void reject(int group, const Message& why);

  RunClient& client_;
  const ViewController& view_;
  const LessonController& lessons_;
  const PanelAreas& panel_areas_;
  Interface& interface_;
  ObjectSelection selection_;
  std::optional<Drag> drag_;
  std::optional<Drag> pushed_;  // by arrow keys, while earlier moves are pending
  double pushed_x_ = 0, pushed_y_ = 0;
  std::pair<int, std::string> tuned_;  // object and number whose slider is being dragged
  std::map<int, std::pair<std::string, std::map<std::string, double>>> originals_;  // kind and numbers, by object

  // One change is on its way to the run at a time, the others wait: a drag over slow steps skips positions.
  bool busy_ = false;
  std::deque<Change> waiting_;
  int group_ = 1, applied_group_ = 0, rejected_group_ = 0;
};

}  // namespace perturb
