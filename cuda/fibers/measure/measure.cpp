#include "cuda/fibers/measure/measure.h"

#include "cuda/core/loops/parallel_for.h"

namespace perturb::fibers {

namespace {

// On the host: it loops over the fibers until nothing changes. Copying a device's memory takes less time than that
// number of waits.
Core core_of(const FiberState& s, const Parameters& p) {
  return find_fiber_core(s.x.download(), s.t.download(), s.v.download(), fiber_d(p.slenderness), s.lengths.host());
}

Measured begun_at(const MeasureInput& now) {
  Measured m;
  m.core = core_of(now.state, now.parameters);
  m.step = now.step;
  m.time = now.time;
  m.fibers = now.state.fibers;
  m.solve = now.solve;
  m.failure = now.failure;
  const Lengths& lengths = now.state.lengths;
  m.unequal = lengths.unequal();
  m.shortest = lengths.shortest();
  m.longest = lengths.longest();
  m.ring_break = now.ring_break;
  return m;
}

// The histogram of distances is centred on the core; that of falls covers the range in `sums`.
ShapeFrame frame_of(const Core& core, const Sums& sums) {
  ShapeFrame frame;
  frame.middle = core.middle;
  frame.radius = 2 * core.radius;
  if (!(frame.radius > 1e-9)) frame.radius = 1;
  frame.min_fall = sums.min_fall;
  frame.max_fall = sums.max_fall;
  if (!(frame.max_fall > frame.min_fall)) {
    frame.min_fall -= 0.5;
    frame.max_fall = frame.min_fall + 1;
  }
  return frame;
}

}  // namespace

const Measured& Measure::update(const MeasureInput& now, bool wait) {
  const auto start = [&] { return this->start(now, wait); };
  const auto ready = [this] { return sums_.ready() && overlaps_.ready() && shape_.ready(); };
  const auto finish = [this](Measured& measured) {
    measured.sums = sums_.result();
    measured.overlaps = overlaps_.result();
    measured.shape = shape_.result();
  };
  return measurement_.update(
      backend_, wait, start, ready, [this] { wait_for_all(); }, finish);
}

Measured Measure::start(const MeasureInput& now, bool wait) {
  Measured begun = begun_at(now);
  const FiberState& s = now.state;
  const Range2D fibers = Sum::range(s.fibers), pairs{s.fibers, s.fibers};
  sums_.start("fibers.sums", fibers, fiber_sum_of(s, now.parameters));
  const double *const x = s.x.data(), *const t = s.t.data(), *const half = s.lengths.device();
  const double thickness = 4 * now.parameters.slenderness, box = now.parameters.box;
  if (half)
    overlaps_.start("fibers.overlaps", pairs, Overlap<true>{x, t, half, thickness, box});
  else
    overlaps_.start("fibers.overlaps", pairs, Overlap<false>{x, t, half, thickness, box});
  // Without waiting the frame is that of the last numbers, slightly older.
  const Measured* latest = wait ? nullptr : measurement_.latest();
  if (!latest) sums_.wait();
  begun.frame = frame_of(begun.core, latest ? latest->sums : sums_.result());
  shape_.start("fibers.shape", fibers, ShapeSum{x, t, s.v.data(), s.fibers, begun.frame});
  return begun;
}

}  // namespace perturb::fibers
