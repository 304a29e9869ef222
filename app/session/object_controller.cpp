#include "app/session/object_controller.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/run/pointer_segment.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr double min_object_drag = 6;  // screen coordinates: a shorter drag is a click

// Radius in which a press grabs a handle; screen coordinates.
double reach_of(const Layout& layout) { return std::max(6.0, 11 * layout.unit); }

}  // namespace

Camera::Point ObjectController::position_at(double x, double y, const Layout& layout) const {
  const DomainSize domain = client_.domain();
  return pointer_to_domain(x, y, layout.pointer_frame(), view_.camera(), domain.width, domain.height,
                           view_.quantity().has_depth);
}

Camera::Point ObjectController::screen_of(double x, double y, const Layout& layout) const {
  const DomainSize domain = client_.domain();
  return domain_to_screen({x, y}, layout.pointer_frame(), view_.camera(), domain.width, domain.height,
                          view_.quantity().has_depth);
}

std::optional<ObjectSelection> ObjectController::handle_at(double x, double y, const Layout& layout) const {
  std::optional<ObjectSelection> found;
  double nearest = reach_of(layout);
  const auto consider = [&](const SceneObject& object, std::size_t count) {
    for (std::size_t k = 0; k < std::min(count, object.handles.size()); ++k) {
      const Camera::Point at = screen_of(object.handles[k].x, object.handles[k].y, layout);
      const double distance = std::hypot(at.x - x, at.y - y);
      if (distance < nearest) {
        nearest = distance;
        found = {object.id, k};
      }
    }
  };
  // Among several at one position: that of the selected object, else of the object that was placed last.
  const std::vector<SceneObject>& objects = client_.run().objects;
  if (const SceneObject* chosen = selected()) consider(*chosen, chosen->handles.size());
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) consider(*object, 1);
  return found;
}

double ObjectController::original_of(const SceneObject& object, const std::string& number) const {
  const auto found = originals_.find(object.id);
  if (found != originals_.end() && found->second.first == object.kind)
    if (const auto value = found->second.second.find(number); value != found->second.second.end()) return value->second;
  return object.numbers.at(number);
}

void ObjectController::end_frame() {
  for (const SceneObject& object : client_.run().objects) {
    const auto found = originals_.find(object.id);
    if (found == originals_.end() || found->second.first != object.kind)
      originals_.insert_or_assign(object.id, std::pair(object.kind, object.numbers));
  }
}

void ObjectController::on_run_replaced(bool new_scene) {
  drag_.reset();
  pushed_.reset();
  waiting_.clear();
  end_undo_step();
  const std::vector<SceneObject>& objects = client_.run().objects;
  // An object that an undo has removed may get its number again.
  std::erase_if(originals_, [&](const auto& original) { return new_scene || !find_object(objects, original.first); });
  if (new_scene) selection_ = {};
}

// ---- mouse and keys

std::optional<ObjectController::Drag> ObjectController::begin(const ObjectSelection& what, const Camera::Point& screen,
                                                              const Layout& layout) const {
  const SceneObject* object = find_object(client_.run().objects, what.object);
  if (!object || what.handle >= object->handles.size()) return std::nullopt;
  return Drag{*object, object->handles[what.handle], screen.x, screen.y, position_at(screen.x, screen.y, layout)};
}

void ObjectController::drag_to(Drag& drag, double x, double y, const Layout& layout) {
  const DomainSize domain = client_.domain();
  const Camera::Point to = position_at(x, y, layout);
  const ObjectHandle& handle = drag.handle;
  Action action =
      dragged(drag.object, handle, drag_distance(handle.x, to.x - drag.from.x),
              drag_distance(handle.y, to.y - drag.from.y), domain.width, domain.height, client_.info().actions);
  if (action == drag.last) return;
  drag.last = action;
  apply(std::move(action));
}

bool ObjectController::take_mouse(const InputEvent& event, const Layout& layout) {
  using Kind = InputEvent::Kind;
  if (event.kind == Kind::press) {
    if (drag_) return true;  // a second button
    const bool in_view = is_inside(picture_point(event.x, event.y, layout.pointer_frame()), layout.lane_viewport()) &&
                         !panel_areas_.contains(event.x, event.y);
    if (event.button != InputEvent::Button::left || !in_view) return false;
    const std::optional<ObjectSelection> found = handle_at(event.x, event.y, layout);
    if (!found) return false;
    selection_ = *found;
    drag_ = begin(*found, {event.x, event.y}, layout);
    return true;
  }
  if (!drag_) return false;
  if (event.kind == Kind::move) {
    drag_->has_moved =
        drag_->has_moved || std::hypot(event.x - drag_->screen_x, event.y - drag_->screen_y) >= min_object_drag;
    if (drag_->has_moved) drag_to(*drag_, event.x, event.y, layout);
    return true;
  }
  if (event.kind == Kind::release && event.button == InputEvent::Button::left) {
    // A click shows the object's sliders.
    if (!drag_->has_moved && lessons_.objects_are_open()) interface_.show_tab(Tab::physics);
    drag_.reset();
    return true;
  }
  return event.kind != Kind::scroll;
}

bool ObjectController::take_key(const InputEvent& key, const Layout& layout) {
  const SceneObject* object = selected();
  if (!object || drag_) return false;
  if (key.key == "Delete" || key.key == "Backspace") {
    if (!key.repeat) remove(object->id);
    return true;
  }
  return move_by_key(key, layout);
}

bool ObjectController::move_by_key(const InputEvent& key, const Layout& layout) {
  const double far = key.shift ? 10 : 1;
  const double dx = key.key == "Left" ? -far : key.key == "Right" ? far : 0;
  const double dy = key.key == "Up" ? -far : key.key == "Down" ? far : 0;
  if (dx == 0 && dy == 0) return false;
  if (!busy_ || !pushed_) {
    const SceneObject& object = *selected();
    if (selection_.handle >= object.handles.size()) return false;
    const ObjectHandle& handle = object.handles[selection_.handle];
    pushed_ = begin(selection_, screen_of(handle.x, handle.y, layout), layout);
    pushed_x_ = pushed_y_ = 0;
  }
  pushed_x_ += dx;
  pushed_y_ += dy;
  drag_to(*pushed_, pushed_->screen_x + pushed_x_, pushed_->screen_y + pushed_y_, layout);
  return true;
}

bool ObjectController::deselect() {
  const bool was_selected = selected() != nullptr;
  selection_ = {};
  return was_selected;
}

bool ObjectController::select_created(const std::vector<Action>& actions) {
  const std::vector<SceneObject>& objects = client_.run().objects;
  for (const Action& action : actions) {
    const ActionKind* kind = find_kind(client_.info().actions, action.kind);
    if (!kind || !kind->creates_object || objects.empty() || objects.back().kind != action.kind) continue;
    selection_ = {objects.back().id, 0};
    return true;
  }
  return false;
}

// ---- changes

void ObjectController::change(int id, const std::string& number, double value) {
  const SceneObject* object = find_object(client_.run().objects, id);
  if (!object) return;
  if (tuned_ != std::pair(id, number)) end_undo_step();
  tuned_ = {id, number};
  apply(changed(*object, number, value));
}

void ObjectController::add(const std::string& kind) {
  if (!client_.run().stop_reason.empty()) return;
  if (!lessons_.objects_are_open()) return client_.show_error("Objects cannot be changed in this step of the lesson.");
  interface_.show_hint(false);
  end_undo_step();
  // In the middle of the part of the domain that is visible.
  const CurvePoint at = free_position(client_.run().objects, view_.camera().center_x, view_.camera().center_y);
  client_.run_job(job::PlaceObject{kind, at.x, at.y}, [this](JobResult& result) { select_created(result.actions); });
}

void ObjectController::remove(int id) {
  const SceneObject* object = find_object(client_.run().objects, id);
  if (!object) return;
  end_undo_step();
  apply(removed(*object));
  end_undo_step();
}

void ObjectController::apply(Action action) {
  if (!client_.run().stop_reason.empty()) return;
  if (!lessons_.objects_are_open()) return reject(group_, "Objects cannot be changed in this step of the lesson.");
  interface_.show_hint(false);
  Change next{std::move(action), group_};
  if (!busy_)
    send(std::move(next));
  else if (!waiting_.empty() && waiting_.back().group == group_)
    waiting_.back() = std::move(next);
  else
    waiting_.push_back(std::move(next));
}

void ObjectController::send(Change change) {
  busy_ = true;
  const int group = change.group;
  job::ApplyAction job{std::move(change.action), applied_group_ == group};
  client_.post(std::move(job), [this, group](JobResult& result) {
    busy_ = false;
    try {
      result.check();
      applied_group_ = group;
      if (rejected_group_ == group) {
        client_.dismiss_error();
        rejected_group_ = 0;
      }
    } catch (const Error& error) {
      reject(group, error.message());
    }
    if (waiting_.empty()) return;
    Change next = std::move(waiting_.front());
    waiting_.pop_front();
    send(std::move(next));
  });
}

// Shows the reason once for each drag.
void ObjectController::reject(int group, const Message& why) {
  if (std::exchange(rejected_group_, group) != group) client_.show_error(why);
}

}  // namespace perturb
