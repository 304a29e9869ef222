// A run of falling fibers: their state, a step, and what is shown of them. One class, its functions by subject
// in fibers_run.cpp (steps, kernels), fibers_picture.cpp, fibers_hand.cpp, fibers_measure.cpp and fibers_saved.cpp.
#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/measuring.h"
#include "cuda/core/raster_capsules.h"
#include "cuda/core/reduce.h"
#include "cuda/core/simulation_of.h"
#include "cuda/fibers/fibers_break.h"
#include "cuda/fibers/fibers_core.h"
#include "cuda/fibers/fibers_flow.h"
#include "cuda/fibers/fibers_params.h"
#include "cuda/fibers/fibers_plan.h"
#include "cuda/fibers/fibers_start.h"
#include "cuda/fibers/fibers_sums.h"
#include "cuda/fibers/fibers_tracers.h"
#include "cuda/fibers/fibers_view.h"

namespace perturb {

constexpr int most_fiber_lines = 32;  // a box's edges for the picture, and the arrow of a pull

// Everything that has a fiber's number in its size.
struct FiberArrays {
  FiberArrays(Backend& backend, const FiberPlacement& placement, const FiberParameters& p, const FiberPlan& plan);
  Array<double> x, t, v, w, x_previous, t_previous, v_previous, w_previous, a;
  Array<double> x_stage, t_stage, v2, w2, v3, w3, v4, w4;
  FiberLengths lengths;
  std::unique_ptr<FiberFlow> flow;
  static constexpr std::size_t vectors =
      8 + 8 + 8;  // places, directions, velocities, spins, those before; stages; kept
  // What a step changes, from before it.
  std::vector<Array<double>> kept;
  std::vector<Array<double>*> changed_by_step() {
    return {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous, &a};
  }
};

// Bytes that a run of `count` fibers takes.
std::size_t fiber_run_bytes(int count, const FiberParameters& parameters, int tile, FiberKernel kernel, bool stored);

// Where fibers have been: the centres of the last steps, each with the place that the picture followed then.
class FiberTrail {
 public:
  explicit FiberTrail(Backend& backend) : backend_(backend) {}
  // Keeps up to `steps` steps of `fibers` fibers; forgets what it had where either changes.
  void resize(int steps, int fibers);
  void clear() { centres_.clear(); }
  void record(const double* position, Vector3<double> followed);
  int steps() const { return steps_; }
  int held() const { return static_cast<int>(centres_.size()); }
  // The record `age` steps back, 0 the newest.
  const double* position(int age) const;
  Vector3<double> followed(int age) const { return centres_[static_cast<std::size_t>(age)]; }

 private:
  Backend& backend_;
  int steps_ = 0, fibers_ = 0, newest_ = -1;
  Array<double> positions_;              // [steps][fibers][3], a ring
  std::deque<Vector3<double>> centres_;  // newest first
};

class FiberRun final : public SimulationOf<FiberParameters> {
 public:
  FiberRun(Backend& backend, const Setup& setup, const FiberParameters& parameters, int count);

  void set_parameter(const std::string& id, double value) override;
  double time() const override { return time_; }
  void step(std::int64_t count) override;
  std::vector<Action> interpret(const Gesture& gesture) const override;
  double domain_width() const override { return views().domain_width(); }
  double domain_height() const override { return views().domain_height(); }
  void paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) override;
  Diagnostics diagnostics(const ViewSettings& view, bool wait) override;
  std::vector<Gauge> gauges() const override;
  State save() const override;
  void load(const State& state) override;
  void select_kernel(const std::string& id) override;
  std::string choice() const override { return plan_.words; }
  StepCost step_cost(const std::string& kernel) const override;
  LaunchShape launch_shape(const std::string& kernel) const override;

 protected:
  void act(const Action& action) override;
  std::string value_inside(double x, double y, const ViewSettings& view) override;
  std::optional<double> number_inside(double x, double y, const ViewSettings& view) override;

 private:
  struct Measured {
    FiberSums sums;
    FiberOverlaps overlaps;
    FiberShape shape;
    FiberShapeFrame frame;
    FiberCore core;
    Vector3<double> reference{0, 0, 0};
    std::int64_t step = 0;
    double time = 0;
    int fibers = 1;
    FiberSolve solve;
    std::string failure;
    bool unequal = false;  // in length
    double shortest = 1, longest = 1;
    FiberRingBreak ring_break;
  };

  // Takes other fibers. Everything that can fail comes first.
  void adopt(const FiberPlacement& placement);
  FiberPlacement placement() const;
  FiberPlan plan(int fibers, const std::string& kernel) const;
  void forget_velocities() { evaluated_ = false, evaluation_seconds_ = INFINITY, failure_.clear(); }
  FiberPull pull() const;
  // Velocities of the state as it is; once for each state. One that takes long may be given up: then there are none.
  void evaluate() const;
  void note(const FiberSolve& solve) const;
  bool take_step();
  bool step_runge_kutta();
  // Before a step that takes long, and after one that was given up.
  void keep_state();
  void restore_state();
  void leave_trail();
  // At some steps: whether the ring has parted.
  void watch_ring();
  // Contact between the fibers that the step has brought into each other.
  void push_apart();

  FiberViewsOfPicture views() const;
  // The middle of those fibers that stay together: what is lost in the wake drags the mean of all far behind.
  Vector3<double> followed_center() const { return followed({}); }
  // The mean, over the fibers that stay together, of places [fibers][3], or of `rows` where these are given.
  Vector3<double> followed(const std::vector<double>& rows) const;
  TracerSquare tracer_square() const;
  void spread_tracers(int count, int fibers);
  void project_tracers(const FiberProject& body, Capsule* capsules, double fall);
  std::vector<FiberLine> lines_of_picture() const;
  // The fiber nearest to a point of the picture, within a short reach; -1: none.
  int fiber_at(double x, double y) const;
  // How many steps back trails are drawn.
  int shown_trail() const;

  FiberSum sum_functor() const;
  Range2D sum_range() const { return {FiberSum::width, (count_ + FiberSum::width - 1) / FiberSum::width}; }
  FiberSums frame_sums();
  Measured ask(bool wait);
  FiberCore core() const;
  void await_measurement() { sums_.wait(), overlaps_.wait(), shape_.wait(); }
  Diagnostics describe(const Measured& m, const ViewSettings& view) const;

  // An action's place and direction. Throws InputError where the direction is none.
  static Vector3<double> place_of(const Action& action);
  static Vector3<double> direction_of(const Action& action);
  // Throws InputError where there is no room, or no such fiber.
  void require_room_for(int more) const;
  int fiber_of(const Action& action) const;
  // Throws InputError where such a fiber is too thick for its length.
  void require_length(double half) const;
  void add_ball(FiberPlacement to, int count, const Action& action, double radius, double min_distance);

  FiberPlan plan_;
  double time_ = 0;
  int count_ = 0, chosen_ = -1;
  double view_half_ = 10;
  std::unique_ptr<FiberArrays> arrays_;
  bool has_previous_ = false;
  FiberPull pull_;
  std::uint64_t drops_ = 0;
  // Velocities belong to the state: they are computed when they are needed, to save it too.
  mutable bool evaluated_ = false;
  mutable FiberSolve solve_;
  mutable double evaluation_seconds_ = INFINITY;  // of the last one; infinite: not known yet
  mutable std::string failure_;

  Vector3<double> center_{0, 0, 0}, reference_{0, 0, 0};
  double camera_yaw_ = 0, camera_pitch_ = 0, depth_ = 1e300;
  Reduction<FiberSums> sums_, frame_sums_;
  Reduction<FiberOverlaps> overlaps_;
  Reduction<FiberShape> shape_;
  Measuring<Measured> measuring_;
  CapsuleRaster raster_;
  Array<FiberLine> lines_;
  Array<Capsule> capsules_;
  FiberTrail trail_;
  FiberTracers tracers_;
  FiberRingBreak ring_break_;
  Array<FiberTrailPoint> trail_points_;
};

FiberShown fiber_shown_quantity(const std::string& id);

}  // namespace perturb
