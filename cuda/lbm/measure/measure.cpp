#include "cuda/lbm/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/lbm/measure/report.h"
#include "cuda/lbm/model/curved.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

Diagnostics Measure::update(const Parameters& parameters, const StepParams& flow, const Lattice& lattice,
                            const BoundaryLinks& boundary_links, const DraggedBody& dragged_body, std::int64_t step,
                            bool wait, Shown shown, std::int64_t changed) {
  const Stream stream = stream_of(parameters);
  const auto start = [&] {
    auto bodies = forces_.find(flow, boundary_links, stream);
    std::size_t moving_body = 0;
    WallMotion motion;
    for (; moving_body < bodies->reported.size(); ++moving_body)
      if (motion = dragged_body.motion_of(bodies->reported[moving_body], step); motion.ux != 0 || motion.uy != 0) break;
    const WallCurve curve = curve_of(parameters, flow, boundary_links);
    forces_.start(lattice, curve, moving_body, motion);
    const auto [i, j] = probe_cell();
    lattice.with_populations([&, i = i, j = j]<class T>(const Populations<T>& g) {
      sums_.start("lbm.sums", Range2D{width_, height_}, Sum<T>{flow, lbm_velocity(flow, g), curve, i, j});
    });
    profile_.start(flow, lattice);
    return Measured{{}, step, boundary_links.walls(), std::move(bodies), {}, {}};
  };
  const auto finish = [&](Measured& measured) {
    measured.sums = sums_.result(), measured.forces = forces_.result(), measured.profiles = profile_.result();
    const auto time = static_cast<double>(measured.step);
    if (measured.walls == boundary_links.walls()) {
      force_histories_.resize(measured.forces.size());
      for (std::size_t k = 0; k < measured.forces.size(); ++k)
        force_histories_[k].add(time, lbm_drag(measured.forces[k], stream), lbm_lift(measured.forces[k], stream));
    }
    if (probe_) probe_velocity_.add(time, measured.sums.probe_ux, measured.sums.probe_uy);
  };
  const Measured& measured = measurement_.update(
      backend_, wait, start, [this] { return sums_.ready() && forces_.ready() && profile_.ready(); },
      [this] { wait_for_all(); }, finish);
  // If the walls have changed since, the numbers still belong to the previous bodies.
  force_histories_.resize(std::max(force_histories_.size(), measured.forces.size()));
  return lbm_describe({parameters, width_, height_, measured.step, measured.sums, reference_speed(parameters),
                       boundary_links.has_walls(), *measured.bodies, measured.forces, force_histories_,
                       measured.profiles, probe_ ? &probe_velocity_ : nullptr, shown, changed});
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
  wait_for_all(), measurement_.drop_pending();
  return *forces_.find(flow, boundary_links, stream_of(parameters));
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

void Measure::load(const std::optional<ProbePlace>& probe) {
  probe_.reset();
  if (probe) set_probe(probe->x, probe->y);
  forget();
  forget_forces();
}

void Measure::visit_members(MemberCopier& copy) {
  copy(probe_, force_histories_, probe_velocity_);
  if (copy.is_restoring()) forget();
}

}  // namespace perturb::lbm
