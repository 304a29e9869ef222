#include "app/session/instrument_controller.h"

#include <algorithm>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/paint/shown.h"

namespace perturb {

InstrumentDragger::Context InstrumentController::context(const Layout& layout) const {
  InstrumentDragger::Context context;
  context.frame = layout.pointer_frame();
  context.domain = client_.domain();
  context.camera = state_.camera;
  context.has_depth = view_.quantity().has_depth;
  context.quantity = view_.quantity().id;
  context.reach = std::max(6.0, 11 * layout.unit);
  context.is_over_panel = [this](double x, double y) { return panel_areas_.contains(x, y); };
  return context;
}

void InstrumentController::on_run_replaced(bool new_scene) {
  dragger_.cancel();
  if (!new_scene) return;
  // A ruler is valid in any scene of the simulation; a probe reads a quantity that only this simulation has.
  const std::string& now = client_.info().id;
  if (simulation_ != now) instruments_.clear(), state_.instrument = 0;
  simulation_ = now;
  state_.placing.reset();
}

void InstrumentController::add(Instrument instrument) {
  if (instrument.quantity.empty()) instrument.quantity = view_.quantity().id;
  quantity_index(client_.info(), instrument.quantity);  // throws if the quantity does not exist
  if (instrument.kind == InstrumentKind::stopwatch) instrument.started = client_.run().time;
  instruments_.add(std::move(instrument));
}

// ---- requests of panels

void InstrumentController::attempt(const std::function<void()>& change) {
  try {
    change();
  } catch (const Error& error) {
    client_.show_message(error.what());
    state_.placing.reset();
  }
}

void InstrumentController::handle(const PlaceInstrument& request) {
  attempt([&] {
    if (request.kind == InstrumentKind::stopwatch) {
      Instrument watch;
      watch.kind = request.kind;
      add(watch);
      state_.placing.reset();
    } else if (state_.placing == request.kind) {
      state_.placing.reset();
    } else {
      state_.placing = request.kind;
    }
  });
}

void InstrumentController::handle(const RemoveInstrument& request) {
  attempt([&] {
    request.id == 0 ? instruments_.clear() : instruments_.remove(request.id);
    if (!instruments_.find(state_.instrument)) state_.instrument = 0;
  });
}

void InstrumentController::handle(const ChangeInstrument& request) {
  attempt([&] { instruments_.change(request.changed); });
}

// ---- mouse and keys

bool InstrumentController::take_mouse(const InputEvent& event, const Layout& layout) {
  return dragger_.handle(event, context(layout), instruments_, state_);
}

void InstrumentController::place(const Layout& layout, const PointerProbe& pointer) {
  const InstrumentDragger::Context here = context(layout);
  const Rect& view_rect = layout.view_rect;
  const Camera::Point at = pointer.in_domain()
                               ? pointer.fraction()
                               : here.place_at(view_rect.x + view_rect.width / 2, view_rect.y + view_rect.height / 2);
  try {
    InstrumentDragger::place_around(at, here, instruments_, state_);
  } catch (const Error& error) {
    client_.show_message(error.what());
  }
}

// Next instrument kind that has positions; none after the last.
void InstrumentController::take_next_kind() {
  const int next = state_.placing ? static_cast<int>(*state_.placing) + 1 : 0;
  state_.placing.reset();
  if (point_count(instrument_kinds[next]) == 0) return;
  state_.placing = instrument_kinds[next];
  client_.show_message(std::string(label_of(*state_.placing)) +
                       ": Enter puts it into the picture, I takes the next kind.");
}

bool InstrumentController::move_selected(const Instrument& selected, const InputEvent& key,
                                         const InstrumentDragger::Context& context) {
  const auto place = static_cast<std::size_t>(state_.instrument_place);
  const double far = key.shift ? 10 : 1;
  const double dx = key.key == "Left" ? -far : key.key == "Right" ? far : 0;
  const double dy = key.key == "Up" ? -far : key.key == "Down" ? far : 0;
  if ((dx == 0 && dy == 0) || place >= selected.places.size()) return false;
  Instrument moved = selected;
  const Camera::Point from = context.screen_of(moved.places[place]);
  // Half coordinates: the centre of the pixel that contains the position.
  const Camera::Point to = context.place_at(from.x + dx, from.y + dy);
  moved.places[place] = {std::clamp(to.x, 0.0, 1.0), std::clamp(to.y, 0.0, 1.0)};
  instruments_.change(moved);
  return true;
}

bool InstrumentController::take_key(const InputEvent& event, const Layout& layout, const PointerProbe& pointer) {
  if (state_.placing && event.key == "Enter") {
    place(layout, pointer);
    return true;
  }
  if (event.key == "i" && !event.repeat) {
    take_next_kind();
    return true;
  }
  const Instrument* selected = instruments_.find(state_.instrument);
  if (!selected) return false;
  if (event.key == "Delete") {
    handle(RemoveInstrument{selected->id});
    return true;
  }
  return move_selected(*selected, event, context(layout));
}

}  // namespace perturb
