#include "cuda/fibers/model/state.h"

#include <utility>

#include "cuda/fibers/state/saved.h"

namespace perturb::fibers {

namespace {
constexpr std::size_t state_vectors = 8;  // of three numbers per fiber: the state, now and one step before
}

FiberState::FiberState(Backend& backend, const Placement& placement, int terms)
    : fibers(placement.count()), lengths(backend, placement.half_length), backend_(backend) {
  const std::size_t size = 3 * static_cast<std::size_t>(fibers);
  for (Array<double>* array : {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous})
    *array = Array<double>(backend, size, "fibers' state");
  a = Array<double>(backend, size * static_cast<std::size_t>(terms), "force coefficients");
  for (const Array<double>* array : changed_by_step())
    kept_.emplace_back(backend, array->size(), "fibers' state, kept");
  x.upload(placement.position), t.upload(placement.tangent);
}

std::size_t FiberState::bytes(int fibers, const FiberParameters& p) {
  // Twice: once for the copy.
  return static_cast<std::size_t>(fibers) * 3 * sizeof(double) *
             (2 * state_vectors + 2 * static_cast<std::size_t>(p.terms)) +
         (p.length_spread > 0 ? FiberLengths::bytes(fibers) : 0);
}

Placement FiberState::placement() const { return {x.download(), t.download(), lengths.host()}; }

void FiberState::turn(int m, Vector3<double> to) {
  backend_.copy_from_host(t.data() + 3 * m, &to, sizeof to);
  has_previous = false;
}

std::vector<Array<double>*> FiberState::changed_by_step() {
  return {&x, &t, &v, &w, &x_previous, &t_previous, &v_previous, &w_previous, &a};
}
void FiberState::keep() {
  const auto from = changed_by_step();
  for (std::size_t k = 0; k < from.size(); ++k) kept_[k].copy_from(*from[k]);
  kept_has_previous_ = has_previous;
}
void FiberState::restore() {
  const auto to = changed_by_step();
  for (std::size_t k = 0; k < to.size(); ++k) to[k]->copy_from(kept_[k]);
  has_previous = kept_has_previous_;
}

void FiberState::save_to(FiberSaved& saved, bool found) const {
  saved.now = placement();
  if (found) saved.velocity = v.download(), saved.spin = w.download(), saved.coefficients = a.download();
  if (!has_previous) return;
  saved.before[0] = x_previous.download(), saved.before[1] = t_previous.download();
  saved.before[2] = v_previous.download(), saved.before[3] = w_previous.download();
}

bool FiberState::set_placement(const Placement& placement, FiberLengths their_lengths) {
  const bool unequal = lengths.unequal();
  if (unequal) {
    backend_.synchronize();  // a frame in flight may still read the old ones
    lengths = std::move(their_lengths);
  }
  x.upload(placement.position), t.upload(placement.tangent);
  return unequal;
}

bool FiberState::load_rates(const FiberSaved& saved) {
  const bool found = !saved.velocity.empty();
  if (found) v.upload(saved.velocity), w.upload(saved.spin), a.upload(saved.coefficients);
  has_previous = !saved.before[0].empty();
  if (has_previous) {
    x_previous.upload(saved.before[0]), t_previous.upload(saved.before[1]);
    v_previous.upload(saved.before[2]), w_previous.upload(saved.before[3]);
  }
  return found;
}

Vector3<double> FiberState::row_of(const Array<double>& rows, int m) const {
  Vector3<double> row{};
  backend_.copy_to_host(&row, rows.data() + 3 * m, sizeof row);
  return row;
}

}  // namespace perturb::fibers
