#include "app/session/instrument_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/io/preset/scenes.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

constexpr double min_drag = 6;  // screen coordinates: a shorter drag is a click

Instrument new_instrument(InstrumentKind kind, const Camera::Point& at, const InstrumentDragger::Context& context) {
  Instrument made;
  made.kind = kind;
  made.quantity = context.quantity;
  made.places.assign(static_cast<std::size_t>(point_count(kind)), at);
  return made;
}

// Index of the point that the first drag moves.
int dragged_point(InstrumentKind kind) { return kind == InstrumentKind::probe ? 0 : point_count(kind) - 1; }

// With arms of a fifth of the view.
void spread(Instrument& one, const Camera::Point& middle, const InstrumentDragger::Context& context) {
  const Camera::Point at = context.screen_of(middle);
  const double arm =
      std::min(context.frame.viewport.width, context.frame.viewport.height) / context.frame.pixels_per_coordinate / 5;
  spread_points(one, middle,
                [&](double right, double down) { return context.position_at(at.x + right * arm, at.y + down * arm); });
}

}  // namespace

void InstrumentDragger::place_around(const Camera::Point& middle, const Context& context, Instruments& instruments,
                                     InstrumentSelection& selection) {
  Instrument made = new_instrument(*selection.placing, inside_domain(middle), context);
  spread(made, inside_domain(middle), context);
  selection.placing.reset();
  selection.instrument = instruments.add(std::move(made));
  selection.place = std::max(0, dragged_point(instruments.find(selection.instrument)->kind));
}

bool InstrumentDragger::press(const InputEvent& event, const Context& context, Instruments& instruments,
                              InstrumentSelection& selection) {
  if (event.button != InputEvent::Button::left) return false;
  const PicturePoint pixel = picture_point(event.x, event.y, context.frame);
  if (!is_inside(pixel, context.frame.viewport) || (context.is_over_panel && context.is_over_panel(event.x, event.y)))
    return false;
  const Camera::Point here = context.position_at(event.x, event.y);
  press_x_ = event.x;
  press_y_ = event.y;
  if (selection.placing) {
    if (!is_in_domain(here)) return true;
    Instrument made = new_instrument(*selection.placing, here, context);
    // The first arm of a protractor is horizontal until it is dragged.
    if (made.kind == InstrumentKind::protractor) spread(made, here, context);
    selection.placing.reset();
    selection.instrument = instruments.add(std::move(made));
    selection.place = dragged_point(instruments.find(selection.instrument)->kind);
    dragging_ = is_new_ = true;
    return true;
  }
  // The nearest handle; among several at one position, the one placed last.
  double nearest = context.reach;
  int found = 0, place = 0;
  for (const Instrument& one : instruments.all())
    for (std::size_t k = 0; k < one.places.size(); ++k) {
      const Camera::Point at = context.screen_of(one.places[k]);
      const double distance = std::hypot(at.x - event.x, at.y - event.y);
      if (distance <= nearest) {
        nearest = distance;
        found = one.id;
        place = static_cast<int>(k);
      }
    }
  if (found == 0) return false;
  selection.instrument = found;
  selection.place = place;
  dragging_ = true;
  is_new_ = false;
  return true;
}

bool InstrumentDragger::handle(const InputEvent& event, const Context& context, Instruments& instruments,
                               InstrumentSelection& selection) {
  using Kind = InputEvent::Kind;
  if (event.kind == Kind::press) return dragging_ || press(event, context, instruments, selection);
  if (!dragging_) return false;
  const Instrument* held = instruments.find(selection.instrument);
  const auto place = static_cast<std::size_t>(selection.place);
  if (!held || place >= held->places.size()) {
    dragging_ = false;
    return false;
  }
  if (event.kind == Kind::move) {
    const bool has_moved = std::hypot(event.x - press_x_, event.y - press_y_) >= min_drag;
    if (!has_moved && !is_new_) return true;  // a click selects without moving
    Instrument moved = *held;
    moved.places[place] = inside_domain(context.position_at(event.x, event.y));
    instruments.change(moved);
    return true;
  }
  if (event.kind == Kind::release && event.button == InputEvent::Button::left) {
    dragging_ = false;
    const bool was_click = std::hypot(event.x - press_x_, event.y - press_y_) < min_drag;
    if (is_new_ && was_click) {
      Instrument spread_out = *held;
      spread(spread_out, inside_domain(context.position_at(press_x_, press_y_)), context);
      instruments.change(spread_out);
    }
    return true;
  }
  return event.kind != Kind::scroll;
}

InstrumentDragger::Context InstrumentController::context(const Layout& layout) const {
  InstrumentDragger::Context context;
  context.frame = layout.pointer_frame();
  context.domain = client_.domain();
  context.camera = view_.camera();
  context.has_depth = view_.quantity().has_depth;
  context.quantity = view_.quantity().id;
  context.reach = std::max(6.0, 11 * layout.unit);
  context.is_over_panel = [this](double x, double y) { return panel_areas_.contains(x, y); };
  return context;
}

void InstrumentController::on_run_replaced(bool new_scene) {
  dragger_.cancel();
  if (!new_scene) return;
  // Those of the previous scene measure nothing here. The steps of a lesson open the same scene again.
  const std::string now = scene_path_of(client_.run().scene->setup);
  if (scene_ != now) {
    instruments_.clear();
    selection_.instrument = 0;
  }
  scene_ = now;
  selection_.placing.reset();
}

void InstrumentController::add(Instrument instrument) {
  if (instrument.quantity.empty()) instrument.quantity = view_.quantity().id;
  quantity_index(client_.info(), instrument.quantity);  // throws if the quantity does not exist
  if (instrument.kind == InstrumentKind::stopwatch) instrument.resume(client_.run().time);
  instruments_.add(std::move(instrument));
}

void InstrumentController::replace(std::vector<Instrument> instruments) {
  if (instruments.empty()) return;
  remove(0);
  attempt([&] {
    for (Instrument& one : instruments) add(std::move(one));
  });
}

// ---- requests of panels

void InstrumentController::attempt(const std::function<void()>& change) {
  try {
    change();
  } catch (const Error& error) {
    client_.show_message(error.message());
    selection_.placing.reset();
  }
}

void InstrumentController::choose(InstrumentKind kind) {
  attempt([&] {
    if (kind == InstrumentKind::stopwatch) {
      Instrument watch;
      watch.kind = kind;
      add(watch);
      selection_.placing.reset();
    } else if (selection_.placing == kind) {
      selection_.placing.reset();
    } else {
      selection_.placing = kind;
    }
  });
}

void InstrumentController::remove(int id) {
  attempt([&] {
    id == 0 ? instruments_.clear() : instruments_.remove(id);
    if (!instruments_.find(selection_.instrument)) selection_.instrument = 0;
  });
}

void InstrumentController::change(const Instrument& changed) {
  attempt([&] { instruments_.change(changed); });
}

bool InstrumentController::stop_placing() {
  const bool was_placing = selection_.placing.has_value();
  selection_.placing.reset();
  return was_placing;
}

bool InstrumentController::deselect() { return std::exchange(selection_.instrument, 0) != 0; }

// ---- mouse and keys

bool InstrumentController::take_mouse(const InputEvent& event, const Layout& layout) {
  return dragger_.handle(event, context(layout), instruments_, selection_);
}

void InstrumentController::place(const Layout& layout, const PointerProbe& pointer) {
  const InstrumentDragger::Context here = context(layout);
  const Rect& view_rect = layout.view_rect;
  const Camera::Point at =
      pointer.in_domain() ? pointer.fraction()
                          : here.position_at(view_rect.x + view_rect.width / 2, view_rect.y + view_rect.height / 2);
  try {
    InstrumentDragger::place_around(at, here, instruments_, selection_);
  } catch (const Error& error) {
    client_.show_message(error.message());
  }
}

// Next instrument kind that has positions; none after the last.
void InstrumentController::take_next_kind() {
  const int next = selection_.placing ? static_cast<int>(*selection_.placing) + 1 : 0;
  selection_.placing.reset();
  if (point_count(instrument_kinds[next]) == 0) return;
  selection_.placing = instrument_kinds[next];
  client_.show_message(
      Message("{}: press Enter to place it, I for the next instrument.", label_of(*selection_.placing)));
}

bool InstrumentController::move_selected(const Instrument& selected, const InputEvent& key,
                                         const InstrumentDragger::Context& context) {
  const auto place = static_cast<std::size_t>(selection_.place);
  const double far = key.shift ? 10 : 1;
  const double dx = key.key == "Left" ? -far : key.key == "Right" ? far : 0;
  const double dy = key.key == "Up" ? -far : key.key == "Down" ? far : 0;
  if ((dx == 0 && dy == 0) || place >= selected.places.size()) return false;
  Instrument moved = selected;
  const Camera::Point from = context.screen_of(moved.places[place]);
  // Half coordinates: the centre of the pixel that contains the position.
  const Camera::Point to = context.position_at(from.x + dx, from.y + dy);
  moved.places[place] = inside_domain(to);
  instruments_.change(moved);
  return true;
}

bool InstrumentController::take_key(const InputEvent& event, const Layout& layout, const PointerProbe& pointer) {
  if (selection_.placing && event.key == "Enter") {
    place(layout, pointer);
    return true;
  }
  if (event.key == "i" && !event.repeat) {
    take_next_kind();
    return true;
  }
  const Instrument* selected = instruments_.find(selection_.instrument);
  if (!selected) return false;
  if (event.key == "Delete") {
    remove(selected->id);
    return true;
  }
  return move_selected(*selected, event, context(layout));
}

}  // namespace perturb
