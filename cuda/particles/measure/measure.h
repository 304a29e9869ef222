// Numbers of a run of discs, measured beside it: sums, curves over time, and what they say together. For files under
// cuda/ only, like reduce.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cuda/core/backend/readback.h"
#include "cuda/core/bench/async_measurement.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/particles/measure/describe.h"
#include "cuda/particles/measure/observe.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/discs.h"
#include "cuda/particles/view/picture.h"

namespace perturb::particles {

template <class Real>
class DiscMeasurement {
 public:
  explicit DiscMeasurement(Backend& backend);
  static std::size_t bytes_for(std::size_t discs) { return DiscObserver<Real>::bytes_for(discs); }

  // Memory for so many discs. When it runs out, everything stays as it was.
  void reset(std::size_t count) { observer_.reset(count); }
  // A run begins with these discs.
  void begin(const HostDiscs<Real>& discs, double slow);

  // The newest numbers that have come back; with `wait`, those of this moment. The painter gives the values of the
  // shown quantity.
  const DiscMeasured& update(const DiscRun<Real>& now, DiscShown shown, DiscPainter<Real>& painter, bool wait);
  // Null: nothing has come back yet.
  const DiscMeasured* latest() const { return measurement_.latest(); }
  // What is told beside a measurement.
  ReportContext context(const DiscRun<Real>& now) const;

  void reversed_at(double time) { reversed_at_ = time; }
  // The discs are others now: rates begin anew.
  void forget_rates() { history_.clear(); }
  // The run is another one.
  void forget();
  void visit_members(MemberCopier& copy) { copy(history_, path_, way_, mixing_, reversed_at_, start_thermal_); }

 private:
  // Sums at some step, to tell rates from.
  struct Mark {
    std::int64_t step, impulse, pairs, walls;
    double right;
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
  std::vector<CurvePoint> path_;  // of the heavy disc
  std::vector<CurvePoint> way_, mixing_;
  double reversed_at_ = -1, start_thermal_ = 0;
};

extern template class DiscMeasurement<float>;
extern template class DiscMeasurement<double>;

}  // namespace perturb::particles
