// Asynchronous measurements of a run of discs: sums, curves over time, and diagnostics. For files under cuda/ only,
// like reduce.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/bench/async_measurement.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/particles/measure/describe.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/view/picture.h"

namespace perturb::particles {

template <class Real>
class DiscMeasurement {
 public:
  explicit DiscMeasurement(Backend& backend);
  static std::size_t bytes_for(std::size_t discs) { return DiscObserver<Real>::bytes_for(discs); }

  // Allocates memory for this number of discs. If memory runs out, nothing changes.
  void reset(std::size_t count) { observer_.reset(count); }
  // Starts a run with these discs.
  void begin(const HostDiscs<Real>& discs, double slow);

  // Returns the newest numbers that have arrived; with `wait`, the current ones. The painter gives the values of the
  // shown quantity.
  const DiscMeasured& update(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter, bool wait);
  // Null: nothing has arrived yet.
  const DiscMeasured* latest() const { return measurement_.latest(); }
  // Values that a report needs in addition to the measurement.
  ReportContext context(const DiscRun<Real>& now) const;

  void reversed_at(double time) { reversed_at_ = time; }
  // The discs have been replaced: restarts rates.
  void forget_rates() { history_.clear(), layers_.clear(); }
  // The run has been replaced.
  void forget();
  void visit_members(MemberCopier& copy) {
    copy(history_, layers_, path_, way_, mixing_, reversed_at_, start_thermal_);
  }

 private:
  // Sums at some step, used to compute rates.
  struct Mark {
    std::int64_t step, impulse, pairs, walls;
    double right, energy;
  };

  DiscMeasured start(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter);
  void collect(DiscMeasured& measured, const DiscRun<Real>& now);
  bool ready() { return sums_.ready() && histogram_.ready() && observer_.ready(); }
  void wait_for() { sums_.wait(), histogram_.wait(), observer_.wait(); }

  Backend& backend_;
  Array<int> bins_of_speed_;
  Reduction<DiscSums> sums_;
  AsyncReadback histogram_;
  DiscObserver<Real> observer_;
  AsyncMeasurement<DiscMeasured> measurement_;
  std::deque<Mark> history_;
  std::vector<DiscLayer> layers_;  // empty: nothing measured yet
  LayerAxis layers_axis_ = LayerAxis::none;
  std::vector<CurvePoint> path_;  // of the heavy disc
  std::vector<CurvePoint> way_, mixing_;
  double reversed_at_ = -1, start_thermal_ = 0;
};

extern template class DiscMeasurement<float>;
extern template class DiscMeasurement<double>;

}  // namespace perturb::particles
