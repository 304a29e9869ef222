// What keys, buttons and panels ask of the instruments.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/session/listening.h"
#include "app/session/session.h"
#include "cuda/core/check.h"
#include "cuda/core/shown.h"

namespace perturb {

namespace {

// A cut is read again when what it costs is this share of the time that has passed, and never more often than that.
constexpr double cut_share = 0.05, least_cut_age = 1.0 / 40;
// As many readings to a frame as show what swings within it.
constexpr int readings_per_frame = 8;

}  // namespace

InstrumentHand::Scene Session::instrument_scene(const Layout& layout) const {
  InstrumentHand::Scene scene;
  scene.frame = layout.pointer_frame();
  scene.domain = domain();
  scene.camera = state_.camera;
  scene.in_space = shown_quantity().in_space;
  scene.quantity = shown_quantity().id;
  scene.reach = std::max(6.0, 11 * layout.unit);
  scene.is_covered = [this](double x, double y) {
    return covers_all_ || std::any_of(covers_.begin(), covers_.end(), [&](const Rect& r) { return r.contains(x, y); });
  };
  return scene;
}

void Session::meet_instruments(bool scene) {
  instrument_hand_.cancel();
  instruments_.forget_readings();
  if (!scene) return;
  // A ruler means the same in another scene of the simulation; a probe reads a quantity that only it has.
  if (instruments_of_ != info().id) instruments_.clear(), state_.instrument = 0;
  instruments_of_ = info().id;
  state_.placing.reset();
  const int wanted = run().scene->steps_per_frame > 0 ? run().scene->steps_per_frame : pace_.wanted();
  read_every_ = std::max(1, wanted / readings_per_frame);
}

void Session::add_instrument(Instrument instrument) {
  if (instrument.quantity.empty()) instrument.quantity = shown_quantity().id;
  quantity_index(info(), instrument.quantity);  // throws for none that there is
  if (instrument.kind == InstrumentKind::stopwatch) instrument.started = run().time;
  instruments_.add(std::move(instrument));
}

bool Session::hear_instruments(const Request& request) {
  try {
    if (const auto* place = std::get_if<PlaceInstrument>(&request)) {
      if (place->kind == InstrumentKind::stopwatch) {
        Instrument watch;
        watch.kind = place->kind;
        add_instrument(watch);
        state_.placing.reset();
      } else if (state_.placing == place->kind) {
        state_.placing.reset();
      } else {
        state_.placing = place->kind;
      }
      return true;
    }
    if (const auto* removed = std::get_if<RemoveInstrument>(&request)) {
      removed->id == 0 ? instruments_.clear() : instruments_.remove(removed->id);
      if (!instruments_.find(state_.instrument)) state_.instrument = 0;
      return true;
    }
    if (const auto* heard = std::get_if<ListenTo>(&request)) {
      listen_to(heard->probe);
      return true;
    }
    if (const auto* change = std::get_if<ChangeInstrument>(&request)) {
      instruments_.change(change->changed);
      return true;
    }
  } catch (const Error& error) {
    tell(error.what());
    state_.placing.reset();
    return true;
  }
  return false;
}

void Session::listen_to(int probe) {
  const bool ends = probe == state_.heard;
  state_.heard = 0, listening_.reset();
  if (ends) return;
  try {
    listening_ = std::make_unique<Listening>(probe, open_sound_);
    state_.heard = probe;
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

void Session::keep_listening() {
  if (!listening_) return;
  try {
    if (listening_->go_on(instruments_)) return;
  } catch (const Error& error) {
    tell_failure(error.what());
  }
  state_.heard = 0, listening_.reset();
}

bool Session::hear_instrument_key(const InputEvent& event, const Layout& layout) {
  const InstrumentHand::Scene scene = instrument_scene(layout);
  if (state_.placing && event.key == "Enter") {
    // At the pointer, or in the middle of what is seen.
    Camera::Point at = fraction_;
    if (!pointer_in_domain_)
      at = scene.place_at(layout.picture.x + layout.picture.width / 2, layout.picture.y + layout.picture.height / 2);
    try {
      InstrumentHand::place_around(at, scene, instruments_, state_);
    } catch (const Error& error) {
      tell(error.what());
    }
    return true;
  }
  if (event.key == "i" && !event.repeat) {
    // The next kind that has places, and none after the last.
    const int next = state_.placing ? static_cast<int>(*state_.placing) + 1 : 0;
    state_.placing.reset();
    if (places_of(instrument_kinds[next]) > 0) {
      state_.placing = instrument_kinds[next];
      tell(std::string(label_of(*state_.placing)) + ": Enter puts it into the picture, I takes the next kind.");
    }
    return true;
  }
  const Instrument* selected = instruments_.find(state_.instrument);
  if (!selected) return false;
  if (event.key == "Delete") {
    carry_out(RemoveInstrument{selected->id});
    return true;
  }
  const auto place = static_cast<std::size_t>(state_.instrument_place);
  const double far = event.shift ? 10 : 1;
  const double dx = event.key == "Left" ? -far : event.key == "Right" ? far : 0;
  const double dy = event.key == "Up" ? -far : event.key == "Down" ? far : 0;
  if ((dx == 0 && dy == 0) || place >= selected->places.size()) return false;
  Instrument moved = *selected;
  const Camera::Point from = scene.screen_of(moved.places[place]);
  // Half a coordinate: the middle of the pixel that the place lies in.
  const Camera::Point to = scene.place_at(from.x + dx, from.y + dy);
  moved.places[place] = {std::clamp(to.x, 0.0, 1.0), std::clamp(to.y, 0.0, 1.0)};
  instruments_.change(moved);
  return true;
}

void Session::read_cuts() {
  const std::vector<ReadPlace> places = instruments_.along_cuts(Instruments::most_cut_places / 2);
  if (places.empty() || !runner_.rests()) return;
  const bool is_same =
      cut_step_ == run().steps && cut_generation_ == instruments_.generation() && cut_events_ == run().events;
  if (is_same || cut_age_ < std::max(least_cut_age, cut_seconds_ / cut_share)) return;
  cut_step_ = run().steps, cut_generation_ = instruments_.generation(), cut_events_ = run().events;
  cut_age_ = 0;
  order::Look look;
  look.diagnostics = false;
  look.places = places;
  ask_of_frame(std::move(look), [this, generation = cut_generation_](Answer& answer) {
    if (answer.given_up || answer.samples.empty() || generation != instruments_.generation()) return;
    cut_seconds_ = answer.seconds;
    instruments_.take_cuts(answer.samples.front().values, answer.samples.front().step);
  });
}

void Session::read_probes() {
  order::Look look;
  look.diagnostics = false;
  look.places = instruments_.probed();
  if (!look.places.empty())
    ask_of_frame(std::move(look), [this](Answer& answer) { instruments_.take_probed(answer.samples, read_every_); });
}

void Session::read_instruments() {
  order::Look look;
  look.diagnostics = false;
  look.places = instruments_.along_cuts(Instruments::most_cut_places);
  if (!look.places.empty())
    ask_of_frame(std::move(look), [this](Answer& answer) {
      if (!answer.samples.empty()) instruments_.take_cuts(answer.samples.front().values, answer.samples.front().step);
    });
  instruments_.refresh(true);
}

std::vector<Curve> Session::all_curves() const {
  std::vector<Curve> all = diagnostics_.curves;
  for (Curve& curve : instruments_.curves(info(), domain())) all.push_back(std::move(curve));
  return all;
}

}  // namespace perturb
