// Asynchronous measurements of a run of discs: sums, curves over time, and diagnostics. Rates and curves over time are
// of samples that are taken every N steps of the run, however often it is measured. For files under cuda/ only,
// like reduce.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/async_measurement.h"
#include "cuda/particles/measure/describe.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/view/picture.h"

namespace perturb::particles {

// A curve that covers the whole run in points at equal numbers of steps: when there are too many, every other one is
// removed, and they become twice as far apart.
class DiscCurve {
 public:
  // `sample`: its number.
  void add(std::int64_t sample, CurvePoint point);
  void clear() { *this = {}; }
  const std::vector<CurvePoint>& points() const { return points_; }

 private:
  std::vector<CurvePoint> points_;
  std::int64_t every_ = 1, last_ = -1;  // samples
};

template <class Real>
class Measurement {
 public:
  explicit Measurement(Backend& backend);
  static std::size_t bytes_for(std::size_t discs) { return Observer<Real>::bytes_for(discs); }

  // Allocates memory for this number of discs. If memory runs out, nothing changes.
  void reset(std::size_t count) { observer_.reset(count); }
  // A sample is due after every N steps. It is queued, and read at the next one.
  // As many as a launch of the method for few discs takes (RoundsBoxes::most): a sample interrupts none.
  static constexpr std::int64_t steps_per_sample = 16;
  static std::int64_t steps_to_sample(std::int64_t step) { return steps_per_sample - step % steps_per_sample; }
  void sample(const DiscRun<Real>& now);
  // Takes the first sample of a run, and of discs that have been replaced. Call before steps.
  void begin_samples(const DiscRun<Real>& now) {
    if (marks_.empty() && !sampled_) sample(now);
  }

  // Starts a run with these discs.
  void begin(const HostDiscs<Real>& discs, double slow);

  // Returns the newest numbers that have arrived; with `wait`, the current ones. The painter gives the values of the
  // shown quantity.
  const Measured& update(const DiscRun<Real>& now, Shown shown, Painter<Real>& painter, bool wait);
  // Null: nothing has arrived yet.
  const Measured* latest() const { return measurement_.latest(); }
  // Values that a report needs in addition to the measurement.
  ReportContext context(const DiscRun<Real>& now) const;

  void reversed_at(double time) { reversed_at_ = time; }
  // The discs have been replaced: restarts rates.
  void forget_rates() {
    collect_sample();
    marks_.clear();
    regions_.clear();
    region_samples_ = 0;
    trace_.clear();
  }
  // The run has been replaced.
  void forget();
  void visit_members(MemberCopier& copy) {
    if (!copy.is_restoring()) collect_sample();
    copy(marks_, regions_, region_samples_, places_of_regions_, path_, way_, mixing_, trace_, trace_start_,
         sampled_energy_, reversed_at_, start_thermal_);
  }

 private:
  // Sums at some step, used to compute rates.
  struct Mark {
    std::int64_t step;
    WallGains gains;
    std::int64_t pairs, walls;
    double right, energy;
  };
  // A sample whose numbers are on their way from the device.
  struct Sampled {
    std::int64_t step;
    double right, height, time, slow;
    WallUnits units;
    int discs;
    PlaceOptions places;
    bool has_heavy;
  };

  Measured start(const DiscRun<Real>& now, Shown shown, Painter<Real>& painter);
  void collect(Measured& measured);
  PlaceOptions places_of(const DiscRun<Real>& now) const;
  // Waits for the sample that is on its way, if any, and adds it to the histories.
  void collect_sample();
  // Adds the mean pressure and volume of the last samples to the trace, if the wall moved or heat flowed.
  void add_to_trace(std::int64_t sample, const Sampled& sampled);
  void drop_sample() {
    sampler_.wait();
    sampled_.reset();
  }
  std::size_t first_mark(double right) const;
  bool ready() { return sums_.ready() && histogram_.ready() && observer_.ready(); }
  void wait_for() {
    sums_.wait();
    histogram_.wait();
    observer_.wait();
  }

  Backend& backend_;
  Array<int> bins_of_speed_;
  Reduction<Sums> sums_;
  AsyncReadback histogram_;
  Observer<Real> observer_;
  AsyncMeasurement<Measured> measurement_;
  Sampler<Real> sampler_;
  std::optional<Sampled> sampled_;
  std::vector<Mark> marks_;     // of the last samples
  std::vector<Layer> regions_;  // empty: nothing sampled yet
  int region_samples_ = 0;
  PlaceOptions places_of_regions_;
  std::vector<CurvePoint> path_;  // of the heavy disc
  DiscCurve way_, mixing_, trace_;
  Mark trace_start_{};
  double sampled_energy_ = 0;  // of all discs in the last sample; 0: none
  double reversed_at_ = -1, start_thermal_ = 0;
};

extern template class Measurement<float>;
extern template class Measurement<double>;

}  // namespace perturb::particles
