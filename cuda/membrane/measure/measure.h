// Measurements of the solved membrane: its response, its energy, its error, and its samples for files.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/membrane/measure/marks.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/solution.h"
#include "cuda/membrane/state/saved.h"
#include "cuda/membrane/view/paint.h"

namespace perturb::membrane {

class Measurement {
 public:
  Measurement(Backend& backend, GridSize samples);

  // Measures a new solution, except for its samples and their extremes, which take longer than a step: sample()
  // computes them when they are needed. Waits.
  void measure(Solution& solution, bool resonant);
  // For a solution on another cover: only the samples change.
  void invalidate_samples() { sampled_ = false; }
  // Samples the solution unless this is done already, and waits.
  void sample(const Solution& solution) const;
  // The largest |u| of the samples; call sample() first.
  double largest() const;
  // In H¹, if the solution is known.
  double slope_error() const { return std::sqrt(error_.slope2); }

  // All diagnostics except the step; call sample() first. The ends of the colour range are those of the shown quantity.
  Diagnostics describe(const Solution& solution, const Oscillation& oscillation, Shown shown) const;

  GridSize samples_size() const { return {samples_.width(), samples_.height()}; }
  // Call sample() first.
  void save_to(Saved& saved) const;
  void load_from(Saved& saved);

 private:
  void add_marks(const Solution& solution, Diagnostics& d) const;
  void add_curves(const Solution& solution, Diagnostics& d) const;
  void set_range(const Solution& solution, const Oscillation& oscillation, Shown shown, Diagnostics& d) const;

  mutable Field<double> samples_;
  mutable Reduction<Sums> sums_;
  mutable Sums extremes_;
  mutable bool sampled_ = false;
  CellError error_;
  double energy_ = 0, response_ = 0, phase_ = 0;
  std::map<double, double> responses_, phases_;  // by frequency
  Parameters recorded_for_;                      // the parameters of these curves
  mutable std::unique_ptr<std::vector<CurvePoint>> theory_;
  mutable std::vector<CurvePoint> phase_theory_;
  mutable Parameters theory_for_;
  mutable TheoryMarks marks_;
};

}  // namespace perturb::membrane
