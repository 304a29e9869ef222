// Diagnostics of a tank: sums over its cells, the height along its middle row, and stability gauges.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/async_measurement.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/wave/measure/directions.h"
#include "cuda/wave/measure/marks.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/measure/sums.h"
#include "cuda/wave/measure/wedge.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/surface.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/view/paint.h"

namespace perturb::wave {

// The state to measure, and the values that the numbers need.
struct MeasuredState {
  std::int64_t step = 0;
  double time = 0, time_step = 1, courant = 0;
  double changed = 0;  // time of the last change that the waves must follow
};

// Values for expressing the numbers.
struct Report {
  const Parameters& parameters;
  Shown shown;
  double slowest, fastest;                       // of the speed map
  const std::function<double()>& courant_limit;  // called if the run became unstable
  const Sources& sources;
  Grid grid;
  bool even;  // waves have one speed, and there are no walls
  bool has_speed_map;
  const std::vector<AddedMode>& modes;  // all that is in the tank; empty: anything else
};

// Measures asynchronously: at most one measurement is pending.
template <class Real>
class Measure {
 public:
  Measure(Backend& backend, int width, int height);

  // Returns the latest measurement, or with `wait` one of the current state.
  Diagnostics update(const StepParams<Real>& tank, const Surface<Real>& surface, const Medium<Real>& medium,
                     Screen<Real>& screen, const MeasuredState& now, bool wait, const Report& report);
  // Called when the state was replaced.
  void forget(Screen<Real>& screen) {
    sums_.wait();
    profile_.wait();
    profile_before_.wait();
    screen.wait();
    directions_.wait();
    fronts_.wait();
    measurement_.forget();
  }

 private:
  struct Measured {
    Sums sums;
    MeasuredState state;
    bool has_screen = false;
    ScreenReading screen;
    bool has_directions = false;
    DirectionReading directions;
    std::vector<float> fronts;  // empty: there is no wedge
  };
  Diagnostics describe(const Measured& measured, const Report& report) const;
  Curve curve(double cell_size) const;
  // The frequency of a single standing mode, and the profile of any number of them by theory.
  void add_modes(const MeasuredState& state, const Report& report, Curve& profile, Diagnostics& diagnostics) const;
  void add_doppler(const Measured& measured, const Report& report, Diagnostics& diagnostics) const;
  // Returns the comparison with theory.
  Comparison add_screen(const ScreenReading& reading, const Parameters& parameters, Diagnostics& diagnostics) const;
  void add_marks(const Measured& measured, const Report& report, const Comparison& fringes,
                 Diagnostics& diagnostics) const;

  Backend& backend_;
  int width_, height_;
  Reduction<Sums> sums_;
  AsyncReadback profile_, profile_before_;  // the middle row at levels t and t-1
  std::vector<Real> profile_values_, before_values_;
  mutable Diffraction diffraction_;  // its table
  mutable std::vector<std::vector<CurvePoint>> nodal_lines_;
  mutable std::vector<AddedMode> modes_of_nodal_lines_;
  Directions<Real> directions_;
  WaveFronts<Real> fronts_;
  AsyncMeasurement<Measured> measurement_;
};

extern template class Measure<float>;
extern template class Measure<double>;

// The Courant number of the fastest water, and the limit of stability.
Gauge courant_gauge(double courant, double limit);
// The speed of the fastest source over the slowest wave speed.
Gauge source_gauge(double mach);
// Time step as a share of the period of the fastest source.
Gauge period_gauge(double share);
// Wavelengths per cell of the shortest waves.
Gauge wavelength_gauge(double share);
// Reflection of the sponge, as a share of the waves' height.
Gauge sponge_gauge(double share);

}  // namespace perturb::wave
