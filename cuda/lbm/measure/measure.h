// Diagnostics of a flow: sums over its cells, and the history of the forces on walls and of the probe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/core/loops/reduce.h"
#include "cuda/core/simulation/async_measurement.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/lbm/measure/profile.h"
#include "cuda/lbm/measure/report.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/model/forces.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/solids.h"
#include "cuda/lbm/parameters.h"
#include "cuda/lbm/state/saved.h"
#include "cuda/lbm/view/paint.h"

namespace perturb::lbm {

// Measures asynchronously: at most one measurement is pending. The histories of the forces and of the probe's velocity
// get a sample every N steps of the run, however often it is measured.
class Measure {
 public:
  Measure(Backend& backend, int width, int height)
      : backend_(backend),
        width_(width),
        height_(height),
        sums_(backend),
        forces_(backend),
        probe_sample_(backend, 2, "velocity at the probe"),
        probe_readback_(backend, 2 * sizeof(double)),
        profile_(backend, width, height) {}

  // Number of steps from this one to the next sample of the histories.
  std::int64_t steps_to_sample(std::int64_t step) const { return every_ - step % every_; }
  // Whether a sample is due after this step.
  bool is_due(std::int64_t step) const { return step % every_ == 0; }
  // Finds the bodies if samples will be due within `count` steps: on the host, once per change of walls.
  void prepare(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links,
               std::int64_t step, std::int64_t count) {
    if (steps_to_sample(step) <= count) find_bodies(parameters, flow, boundary_links);
  }
  // Queues a sample, which is read at the next one: nothing waits for the device here.
  void sample(const Parameters& parameters, const StepParams& flow, const Lattice& lattice, Solids& solids,
              std::int64_t step);

  // The latest measurement; with `wait` one of the current state. `flow`: the current step parameters; `changed`: step
  // of the last change that the flow must follow.
  Diagnostics update(const Parameters& parameters, const StepParams& flow, const Lattice& lattice, Solids& solids,
                     std::int64_t step, bool wait, Shown shown, std::int64_t changed);
  // Null while there is none.
  const Sums* latest() const;
  // The length of its Reynolds number, in cells, by the bodies of the latest measurement; without one the
  // domain's height.
  int latest_length(const Parameters& parameters) const;
  // The same for the current state. May wait for the device after walls have changed.
  int length(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links);
  // Whether there is a body in the stream. May wait for the device after walls have changed.
  bool has_body(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links);
  // The reference speed of this flow, for arrows, coefficients and the Reynolds number.
  double reference_speed(const Parameters& parameters) const;
  // The state was replaced.
  void forget() {
    wait_for_all();
    measurement_.forget();
  }
  // The walls were replaced, or the direction of the stream changed, at this step.
  void forget_forces(std::int64_t step);

  const std::optional<ProbePlace>& probe() const { return probe_; }
  // Sets the probe to a position in the domain, or to the nearest one inside.
  void set_probe(double x, double y);
  void take_probe() {
    collect_sample();
    probe_.reset();
  }

  void save_to(State& state) const;  // "probe" [2], if there is one
  void load(const std::optional<ProbePlace>& probe, std::int64_t step);
  void visit_members(MemberCopier& copy);

 private:
  struct Measured {
    Sums sums;
    std::int64_t step = 0;
    std::shared_ptr<const Bodies> bodies;
    std::vector<Force> forces;  // one per bodies->reported
    Profiles profiles;
    std::optional<Annulus> annulus;
  };
  const Bodies& bodies(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links);
  // A sample whose numbers are on their way from the device.
  struct Sampled {
    std::int64_t step;
    Stream stream;
    bool of_probe;
  };
  void wait_for_all() {
    sums_.wait();
    forces_.wait(Forces::Use::reading);
    profile_.wait();
  }
  std::shared_ptr<const Bodies> find_bodies(const Parameters& parameters, const StepParams& flow,
                                            const BoundaryLinks& boundary_links);
  void start_forces(Forces::Use use, const Parameters& parameters, const StepParams& flow, const Lattice& lattice,
                    Solids& solids, const Bodies& bodies, std::int64_t step);
  // Waits for the sample that is on its way, if any, and adds it to the histories.
  void collect_sample();
  std::pair<int, int> probe_cell() const;  // -1, -1: none

  Backend& backend_;
  int width_, height_;
  Reduction<Sums> sums_;
  AsyncMeasurement<Measured> measurement_;
  Forces forces_;
  Array<double> probe_sample_;
  AsyncReadback probe_readback_;
  std::optional<Sampled> sampled_;
  MiddleLines profile_;
  std::int64_t every_ = min_steps_per_sample;
  std::int64_t forces_begin_ = 0;         // the step at which the walls or the stream became what they are
  std::vector<History> force_histories_;  // one per reported body
  History probe_velocity_;
  std::optional<ProbePlace> probe_;
};

}  // namespace perturb::lbm
