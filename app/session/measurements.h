// Measurements of the run: diagnostics and their history, the value at the pointer, and all of it as curves and
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/inspection.h"

namespace perturb {

// Time series of the scalar diagnostics, for plots.
class History {
 public:
  struct Series {
    std::string id;
    Message label;
    std::string unit;
    std::vector<CurvePoint> points;  // x: time, ascending
    Meaning meaning = Meaning::other;
    std::vector<SampleGroup> groups{};  // of old observations: the first points are their means
    std::size_t in_group = 2;           // observations in a new group
  };

  // Adds the scalars, unless they are of the same step as the last ones. When the run has gone back, they replace what
  // came later.
  void add(const Diagnostics& diagnostics);
  void clear();
  const std::vector<Series>& series() const { return series_; }

 private:
  // The newest observations are kept as they are, to show single oscillations. Of older ones, each group keeps its mean
  // and its range; when there are too many groups, two become one. So the whole run stays visible with its envelope,
  // and memory stays bounded.
  static constexpr std::size_t max_groups = 1024, min_new_points = 1024;
  static void add_point(Series& series, const CurvePoint& point);
  void drop_from(double time);

  std::vector<Series> series_;
  std::int64_t last_step_ = -1;
};

// Position of the pointer in the domain, and the value there, read when useful.
class PointerProbe {
 public:
  // `waits`: reading a value waits for the device. It is then read when the pointer rests, a few times per second.
  explicit PointerProbe(bool waits) : reading_waits_(waits) {}

  // In fractions of the domain, for any point of the view.
  const Camera::Point& fraction() const { return fraction_; }
  // In length units of the domain; valid while the pointer is over the domain.
  const Camera::Point& position() const { return position_; }
  bool in_domain() const { return in_domain_; }
  // The value there as text; empty: not known.
  const Message& value() const { return value_; }

  // Call after the events of a frame with the new pointer position.
  void move_to(const Camera::Point& fraction, double domain_width, double domain_height, bool over_picture);
  // Call when the user acts at the pointer.
  void restart_hover_timer() { hover_seconds_ = 0; }
  void elapse(double seconds) {
    value_age_ += seconds;
    hover_seconds_ += seconds;
  }

  bool value_is_due() const;
  // Call when the value has been requested, and when it has arrived.
  void value_asked() {
    moved_ = false;
    value_age_ = 0;
  }
  void take_value(const Message& value) {
    if (in_domain_) value_ = value;
  }
  void forget_value() { value_ = {}; }
  // Call when a run on another backend may have replaced the last one.
  void set_waits(bool waits) { reading_waits_ = waits; }

 private:
  bool reading_waits_;
  Camera::Point position_{0, 0}, fraction_{0, 0};
  bool in_domain_ = false, moved_ = false;
  Message value_;
  double hover_seconds_ = 0, value_age_ = 1;  // seconds: since the pointer moved, since the value was requested
};

// Polls the diagnostics of the run: whenever the state has changed and as often as time allows. Also keeps the history
// of the numbers, which are sampled during the steps.
class DiagnosticsPoller {
 public:
  using OnDiagnostics = std::function<void(const Diagnostics& numbers)>;

  DiagnosticsPoller(RunClient& client, const ViewController& view, PointerProbe& pointer)
      : client_(client), view_(view), pointer_(pointer) {}

  // The newest diagnostics.
  const Diagnostics& latest() const { return latest_; }
  const History& history() const { return history_; }
  // Subject of the microscope: the position under the pointer; empty while it is off or the pointer is elsewhere.
  const Inspection& inspection() const { return inspection_; }

  // How the kernel in use is launched; null while this is not shown.
  const LaunchMap* launch_map() const { return launch_map_.get(); }
  // Where and when its blocks started; null: not recorded yet, or not requested.
  const LaunchStarts* block_starts() const { return block_starts_.get(); }

  struct Requested {
    bool wait = false;     // for the device: for single images and while paused
    bool kernels = false;  // the status of the kernels too, which are timed during the run
    bool microscope = false;
    bool launch = false;
    bool block_starts = false;  // of the launch, a few times per second
    LoopBlock loop_block{};     // its shape of blocks
  };
  // The view with which the numbers are sampled.
  ViewSettings sampled_view() const { return view_.resolved(); }
  void take_samples(const std::vector<Diagnostics>& numbers) {
    for (const Diagnostics& sample : numbers) history_.add(sample);
  }
  // Requests what is due, including what is under the pointer; calls `on_diagnostics` with new numbers.
  void poll(Requested requested, OnDiagnostics on_diagnostics);
  void elapse(double seconds) {
    since_asked_ += seconds;
    since_record_ += seconds;
  }
  // Replaces the history by an earlier one of this run.
  void restore_history(const History& history) { history_ = history; }
  // Discards the observations of the previous run.
  void forget();

 private:
  // The last state that was observed with waiting. While it is unchanged, there is nothing new to observe.
  struct ObservedState {
    std::int64_t steps = -1;
    std::size_t events = 0;
    std::string quantity;
    bool automatic = false;
    bool operator==(const ObservedState&) const = default;
  };
  ObservedState observed_state() const;
  // The place and the state of `inspection_`.
  struct InspectedPosition {
    double x = -1, y = -1;
    std::int64_t steps = -1;
    std::size_t events = 0;
    bool operator==(const InspectedPosition&) const = default;
  };
  InspectedPosition inspected_position(const Camera::Point& at) const;

  RunClient& client_;
  const ViewController& view_;
  PointerProbe& pointer_;
  Diagnostics latest_;
  History history_;
  ObservedState last_waited_state_;
  Inspection inspection_;
  InspectedPosition last_inspected_;
  std::shared_ptr<const LaunchMap> launch_map_;
  InspectedPosition last_mapped_;  // the state of `launch_map_`
  std::shared_ptr<const LaunchStarts> block_starts_;
  LoopBlock loop_block_;                                  // of the run
  bool records_blocks_ = false;                           // the run does
  double cost_ = 0, since_asked_ = 1, since_record_ = 1;  // seconds
};

// All current measurements of the simulation and the instruments: as curves for plots and tables, and as text.
class Measurements {
 public:
  // All arguments must outlive it. `units`: those of the window.
  Measurements(const RunClient& client, const DiagnosticsPoller& diagnostics_poller, const Instruments& instruments,
               std::function<const DisplayUnits&()> units)
      : client_(client), diagnostics_poller_(diagnostics_poller), instruments_(instruments), units_(std::move(units)) {}

  // All in displayed units.
  // Curves of the simulation and of the instruments.
  std::vector<Curve> curves() const { return curves_in(units_()); }
  // The same, in other units; without any in the simulation's.
  std::vector<Curve> curves_in(const DisplayUnits& units) const;
  // Time series of the scalars, as curves: the newest samples, which are all at equal numbers of steps.
  std::vector<Curve> curves_over_time() const;
  // Both kinds of curves.
  std::vector<Curve> all_curves() const;
  // As lines of text, with the scale of the units.
  std::string to_text() const;

 private:
  const RunClient& client_;
  const DiagnosticsPoller& diagnostics_poller_;
  const Instruments& instruments_;
  std::function<const DisplayUnits&()> units_;
};

}  // namespace perturb
