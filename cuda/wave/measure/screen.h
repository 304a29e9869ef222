// A screen across the tank: the time-averaged intensity <u²> of the water, plotted along the screen with theory.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/measure/theory.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/medium.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Every `steps_per_sample`-th step is averaged, from when the first waves have crossed the tank. Without a screen, a
// tank needs no memory and no time for it.
constexpr int steps_per_sample = 4;

// Number of values of a screen in a saved state: position (fraction of the width), start time of the average (-1: not
// known yet), samples, plane, frequency and wavelength.
constexpr int screen_columns = 6;

// Values of a screen read back from the device, possibly still in transfer.
struct ScreenReading {
  double place = 0;
  std::int64_t samples = 0;
  int column = 0, plane = -1;                  // of the screen, and of the wall with the openings; -1: none
  double wavelength = 0;                       // cells; 0: the sources differ in frequency
  double periods = 0;                          // of the sources, over which the average reaches
  std::vector<double> intensity;               // on the screen, by row
  std::vector<std::complex<double>> in_plane;  // amplitude in the openings, by row
};

template <class Real>
class Screen {
 public:
  Screen(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  bool is_active() const { return !mean_.empty(); }
  // Places the screen at a fraction of the width, or moves it there; the average continues. Throws Error, with nothing
  // changed, if memory runs out.
  void place(double x);
  void remove() {
    mean_ = {};
    phases_ = {};
  }
  // Restarts the average, on request or because the waves have changed.
  void restart_average() { is_stale_ = true; }

  // Called before steps: finds the wall with the openings, and the start time of the average.
  void prepare(const Medium<Real>& medium, const Sources& sources, const Grid& grid, double speed, double time);
  // Number of steps from this one to the next sample.
  static std::int64_t steps_to_sample(std::int64_t step) { return steps_per_sample - step % steps_per_sample; }
  void sample(View2D<const Real> u, double time);

  // <u²> of every cell; empty without a screen.
  View2D<const Real> mean() const { return mean_.view(); }
  double share_of_width() const { return place_; }

  // Queues the copy to the host.
  void start_reading(double time);
  bool has_arrived() { return !reading_ || reading_->ready(); }
  void wait() {
    if (reading_) reading_->wait();
  }
  ScreenReading take_reading() const;

  // Saves "screen" [screen_columns], "intensity" [height, width] and "openings" [2, height], if there is a screen.
  void save_to(State& state) const;
  // The same without "intensity".
  void save_tables_to(State& state) const;
  void load(const std::vector<double>& screen, const std::vector<Real>& mean, const std::vector<double>& phases);
  void visit_members(MemberCopier& copy) {
    copy(mean_, phases_, place_, from_, samples_, plane_, is_stale_, frequency_, wavelength_);
  }

 private:
  int column() const;

  Backend& backend_;
  int width_, height_;
  Field<Real> mean_;
  Array<double> phases_;  // by row of the plane: the means of 2 u cos(wt) and 2 u sin(wt)
  double place_ = 0, from_ = 0;
  std::int64_t samples_ = 0;
  int plane_ = -1;
  bool is_stale_ = true;
  double frequency_ = 0, wavelength_ = 0;
  Array<double> gathered_;  // the screen's means, then phases_
  std::unique_ptr<AsyncReadback> reading_;
  ScreenReading started_;
};

extern template class Screen<float>;
extern template class Screen<double>;

// Where the waves on the screen are those behind the openings: its rows outside the sponge, which damps them.
struct ScreenRows {
  int first = 0, end = 0;  // half-open
  Message why_no_theory;   // empty: theory holds there
};
ScreenRows rows_of_theory(const ScreenReading& reading, const Parameters& parameters, int width);

// Intensity along these rows of the screen. With theory if a wall with openings is between the screen and the sources,
// which all have one frequency. `diffraction` caches its table between calls. `comparison`: set if there is theory.
Curve wave_screen_curve(const ScreenReading& reading, const ScreenRows& rows, double cell_size,
                        Diffraction& diffraction, std::optional<Comparison>& comparison);

// The same with the closed form of the far field behind each opening, where that holds. `remark`: the reason if there
// is theory but no closed form.
std::optional<Curve> screen_far_curve(const ScreenReading& reading, const ScreenRows& rows, double cell_size,
                                      std::optional<Comparison>& comparison, Message& remark);

// Why theory has no spacing of fringes to compare; empty: it has.
Message why_no_spacing(const Comparison& comparison);

}  // namespace perturb::wave
