#include "cuda/lbm/lbm_measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/lbm/lbm_report.h"
#include "cuda/lbm/lbm_scheme.h"

namespace perturb {

Diagnostics LbmMeasure::look(const LbmParameters& parameters, const LbmPass& flow, const LbmLattice& lattice,
                             const LbmMarks& marks, std::int64_t step, bool wait, LbmShown shown) {
  const auto start = [&] {
    const auto [i, j] = probe_cell();
    lattice.with_populations([&, i = i, j = j]<class T>(const LbmPopulations<T>& g) {
      sums_.start("lbm.sums", Range2D{width_, height_}, LbmSum<T>{flow, lbm_velocity(flow, g), i, j});
    });
    return Measured{{}, step};
  };
  const auto finish = [&](Measured& measured) {
    measured.sums = sums_.result();
    const auto time = static_cast<double>(measured.step);
    if (marks.has_walls()) forces_.add(time, measured.sums.drag, measured.sums.lift);
    if (probe_) probe_velocity_.add(time, measured.sums.probe_ux, measured.sums.probe_uy);
  };
  const Measured& measured = measuring_.look(
      backend_, wait, start, [this] { return sums_.ready(); }, [this] { sums_.wait(); }, finish);
  return lbm_describe({parameters, width_, height_, measured.step, measured.sums, reference_speed(parameters),
                       lbm_has_side(parameters, LbmBoundary::inlet), marks.body(),
                       marks.has_walls() ? &forces_ : nullptr, probe_ ? &probe_velocity_ : nullptr, shown});
}

const LbmSums* LbmMeasure::latest() const {
  const Measured* latest = measuring_.latest();
  return latest ? &latest->sums : nullptr;
}

double LbmMeasure::reference_speed(const LbmParameters& p) const {
  if (lbm_has_side(p, LbmBoundary::inlet) && p.inlet_speed > 0) return p.inlet_speed;
  if (lbm_has_side(p, LbmBoundary::moving) && p.wall_speed != 0) return std::abs(p.wall_speed);
  const LbmSums* sums = latest();
  return sums ? std::sqrt(static_cast<double>(sums->fastest2)) : 0.1;
}

void LbmMeasure::put_probe(double x, double y) {
  probe_ = LbmProbePlace{std::clamp(x, 0., 1.), std::clamp(y, 0., 1.)};
  probe_velocity_.clear();
  forget();  // of another place
}

std::pair<int, int> LbmMeasure::probe_cell() const {
  if (!probe_) return {-1, -1};
  return {clamp_index(static_cast<int>(probe_->x * width_), width_),
          clamp_index(static_cast<int>(probe_->y * height_), height_)};
}

void LbmMeasure::save_to(State& state) const {
  if (probe_) state.put("probe", {2}, "", std::vector<double>{probe_->x, probe_->y});
}

void LbmMeasure::load(const std::optional<LbmProbePlace>& probe) {
  probe_.reset();
  if (probe) put_probe(probe->x, probe->y);
  forget();
  forget_forces();
}

void LbmMeasure::name_members(Copier& copy) {
  copy(probe_, forces_, probe_velocity_);
  if (copy.is_giving()) forget();
}

}  // namespace perturb
