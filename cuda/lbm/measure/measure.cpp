#include "cuda/lbm/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/lbm/measure/report.h"
#include "cuda/lbm/model/curved.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

template <class T>
struct ReadVelocity {
  Velocity<T> velocity;
  int i, j;
  View1D<double> sample;
  PERTURB_HD void operator()(int) const {
    const Moments m = velocity(i, j);
    sample[0] = static_cast<double>(m.ux);
    sample[1] = static_cast<double>(m.uy);
  }
};

// A period of shedding takes at least two passages of the stream along the smallest body (a Strouhal number of 0.5),
// and about thirty samples: the sound in the flow is several times as fast. Without a body, vortices of an eighth of
// the domain count.
std::int64_t steps_per_sample(const Parameters& parameters, const Bodies& bodies, int width, int height) {
  const Stream stream = stream_of(parameters);
  int length = std::min(width, height) / 8;
  if (!bodies.reported.empty()) length = bodies.reported.front().length(stream);
  for (const Body& body : bodies.reported) length = std::min(length, body.length(stream));
  constexpr double usual_speed = 0.1;
  const double speed = given_speed(parameters) > 0 ? given_speed(parameters) : usual_speed;
  std::int64_t steps = min_steps_per_sample;
  while (2 * steps <= max_steps_per_sample && 2 * static_cast<double>(steps) <= length / (16 * speed)) steps *= 2;
  return steps;
}

}  // namespace

std::shared_ptr<const Bodies> Measure::find_bodies(const Parameters& parameters, const StepParams& flow,
                                                   const BoundaryLinks& boundary_links) {
  const Stream stream = stream_of(parameters);
  if (!forces_.has_found(boundary_links, stream)) collect_sample();  // of the previous bodies
  return forces_.find(flow, boundary_links, stream);
}

void Measure::start_forces(Forces::Use use, const Parameters& parameters, const StepParams& flow,
                           const Lattice& lattice, Solids& solids, const Bodies& bodies, std::int64_t step) {
  forces_.start(use, lattice, curve_of(parameters, flow, solids.boundary_links()),
                solids.motions_of(bodies, step, parameters));
}

void Measure::sample(const Parameters& parameters, const StepParams& flow, const Lattice& lattice, Solids& solids,
                     std::int64_t step) {
  collect_sample();
  const auto bodies = find_bodies(parameters, flow, solids.boundary_links());
  every_ = steps_per_sample(parameters, *bodies, width_, height_);
  start_forces(Forces::Use::history, parameters, flow, lattice, solids, *bodies, step);
  if (probe_) {
    const auto [i, j] = probe_cell();
    lattice.with_populations([&, i = i, j = j]<class T>(const Populations<T>& g) {
      parallel_for(backend_, "lbm.probe", Range1D{1},
                   ReadVelocity<T>{lbm_velocity(flow, g), i, j, probe_sample_.view()});
    });
    probe_readback_.start(probe_sample_.data());
  }
  sampled_ = Sampled{step, stream_of(parameters), probe_.has_value()};
}

void Measure::collect_sample() {
  if (!sampled_) return;
  const Sampled sampled = *sampled_;
  sampled_.reset();
  forces_.wait(Forces::Use::history);
  probe_readback_.wait();
  const auto time = static_cast<double>(sampled.step);
  const std::vector<Force> forces = forces_.result(Forces::Use::history);
  force_histories_.resize(forces.size());
  for (std::size_t k = 0; k < forces.size(); ++k)
    force_histories_[k].add(time, lbm_drag(forces[k], sampled.stream), lbm_lift(forces[k], sampled.stream));
  const auto* velocity = static_cast<const double*>(probe_readback_.data());
  if (sampled.of_probe) probe_velocity_.add(time, velocity[0], velocity[1]);
}

void Measure::forget_forces(std::int64_t step) {
  collect_sample();
  wait_for_all();
  forces_.forget();
  measurement_.drop_pending();
  force_histories_.clear();
  forces_begin_ = step;
  every_ = min_steps_per_sample;
}

Diagnostics Measure::update(const Parameters& parameters, const StepParams& flow, const Lattice& lattice,
                            Solids& solids, std::int64_t step, bool wait, Shown shown, std::int64_t changed) {
  const BoundaryLinks& boundary_links = solids.boundary_links();
  const auto start = [&] {
    auto bodies = find_bodies(parameters, flow, boundary_links);
    const WallCurve curve = curve_of(parameters, flow, boundary_links);
    start_forces(Forces::Use::reading, parameters, flow, lattice, solids, *bodies, step);
    const auto [i, j] = probe_cell();
    lattice.with_populations([&, i = i, j = j]<class T>(const Populations<T>& g) {
      sums_.start("lbm.sums", Range2D{width_, height_}, Sum<T>{flow, lbm_velocity(flow, g), curve, i, j});
    });
    profile_.start(flow, lattice);
    return Measured{{}, step, std::move(bodies), {}, {}, solids.annulus(parameters)};
  };
  const auto finish = [&](Measured& measured) {
    measured.sums = sums_.result();
    measured.forces = forces_.result(Forces::Use::reading);
    measured.profiles = profile_.result();
  };
  if (wait || (forces_.ready(Forces::Use::history) && probe_readback_.ready())) collect_sample();
  const Measured& measured = measurement_.update(
      backend_, wait, start,
      [this] { return sums_.ready() && forces_.ready(Forces::Use::reading) && profile_.ready(); },
      [this] { wait_for_all(); }, finish);
  // If the walls have changed since, the numbers still belong to the previous bodies.
  force_histories_.resize(std::max(force_histories_.size(), measured.forces.size()));
  return lbm_describe({parameters, width_, height_, measured.step, forces_begin_, measured.sums,
                       reference_speed(parameters), boundary_links.has_walls(), *measured.bodies, measured.forces,
                       force_histories_, measured.profiles, probe_ ? &probe_velocity_ : nullptr, shown, changed,
                       measured.annulus});
}

const Sums* Measure::latest() const {
  const Measured* latest = measurement_.latest();
  return latest ? &latest->sums : nullptr;
}

int Measure::latest_length(const Parameters& parameters) const {
  const Measured* latest = measurement_.latest();
  return latest ? length_of(parameters, *latest->bodies, height_) : height_;
}

const Bodies& Measure::bodies(const Parameters& parameters, const StepParams& flow,
                              const BoundaryLinks& boundary_links) {
  // Pending sums belong to the previous bodies.
  wait_for_all();
  measurement_.drop_pending();
  return *find_bodies(parameters, flow, boundary_links);
}

int Measure::length(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links) {
  return length_of(parameters, bodies(parameters, flow, boundary_links), height_);
}

bool Measure::has_body(const Parameters& parameters, const StepParams& flow, const BoundaryLinks& boundary_links) {
  return boundary_links.has_walls() && bodies(parameters, flow, boundary_links).all > 0;
}

double Measure::reference_speed(const Parameters& p) const {
  if (const double given = given_speed(p); given > 0) return given;
  const Sums* sums = latest();
  return sums ? std::sqrt(static_cast<double>(sums->fastest2)) : 0.1;
}

void Measure::set_probe(double x, double y) {
  collect_sample();
  probe_ = ProbePlace{std::clamp(x, 0., 1.), std::clamp(y, 0., 1.)};
  probe_velocity_.clear();
  forget();  // of another position
}

std::pair<int, int> Measure::probe_cell() const {
  if (!probe_) return {-1, -1};
  return {clamp_index(static_cast<int>(probe_->x * width_), width_),
          clamp_index(static_cast<int>(probe_->y * height_), height_)};
}

void Measure::save_to(State& state) const {
  if (probe_) state.put("probe", {2}, "", std::vector<double>{probe_->x, probe_->y});
}

void Measure::load(const std::optional<ProbePlace>& probe, std::int64_t step) {
  probe_.reset();
  if (probe) set_probe(probe->x, probe->y);
  forget();
  forget_forces(step);
}

void Measure::visit_members(MemberCopier& copy) {
  collect_sample();
  copy(probe_, force_histories_, probe_velocity_, every_, forces_begin_);
  if (copy.is_restoring()) forget();
}

}  // namespace perturb::lbm
