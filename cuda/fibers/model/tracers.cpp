#include "cuda/fibers/model/tracers.h"

#include <cmath>

#include "cuda/core/loops/parallel_for.h"

namespace perturb::fibers {

namespace {

struct MoveTracer {
  double dt;
  double *position, *velocity, *age;  // velocity: of the previous step, then of this one
  const double* now;
  PERTURB_HD void operator()(int k) const {
    const std::size_t at = 3 * static_cast<std::size_t>(k);
    const double before = age[k] > 0 ? -0.5 : 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      position[i] += dt * ((1 - before) * now[i] + before * velocity[i]);
      velocity[i] = now[i];
    }
    age[k] += 1;
  }
};

// The most even sequence known in the plane (lowest discrepancy): fractional parts of multiples of 1/g and 1/g², g³ = g
// + 1 (Roberts 2018, after Kronecker).
constexpr double even_g = 1.32471795724474602596;

struct ReturnTracer {
  TracerSquare square;
  double step;
  double *position, *age;
  PERTURB_HD bool wrap(double& x, double middle) const {
    const double away = x - middle;
    if (away <= square.half && away >= -square.half) return false;
    const double turns = ::floor((away + square.half) / (2 * square.half));
    x -= 2 * square.half * turns;
    return true;
  }
  PERTURB_HD void operator()(int k) const {
    double* const x = position + 3 * static_cast<std::size_t>(k);
    if (square.periodic) {
      wrap(x[0], square.middle.x), wrap(x[1], square.middle.y), wrap(x[2], square.middle.z);
      return;
    }
    const double across = x[1] - square.middle.y;
    bool entered = wrap(x[0], square.middle.x);
    if (wrap(x[2], square.middle.z)) {
      // The stream from below is even, whatever the cloud has changed in the stream that leaves above.
      const double share = (k + 0.5) / even_g + step / (even_g * even_g);
      x[0] = square.middle.x + square.half * (2 * (share - ::floor(share)) - 1);
      entered = true;
    }
    if (entered || across > square.half || across < -square.half) x[1] = square.middle.y, age[k] = 0;
  }
};

}  // namespace

std::size_t FiberTracers::bytes(int fibers, int count) {
  return FiberFluid::bytes(fibers, count) + static_cast<std::size_t>(count) * (3 * 3 + 1 + 3 * 2 + 1) * sizeof(double);
}

void FiberTracers::spread(int count, const TracerSquare& square, int fibers) {
  Array<double> position, velocity, age, now, kept[3];
  if (count > 0) {
    const std::size_t size = static_cast<std::size_t>(count);
    fluid_.reserve(fibers, count);
    for (Array<double>* array : {&position, &velocity, &now, &kept[0], &kept[1]})
      *array = Array<double>(backend_, 3 * size, "tracers");
    for (Array<double>* array : {&age, &kept[2]}) *array = Array<double>(backend_, size, "tracers");
  }
  backend_.synchronize();  // a frame in flight may still read the old ones
  position_ = std::move(position), velocity_ = std::move(velocity), age_ = std::move(age), now_ = std::move(now);
  for (int k = 0; k < 3; ++k) kept_[k] = std::move(kept[k]);
  count_ = count;
  spread(square);
}

void FiberTracers::spread(const TracerSquare& square) {
  if (count_ == 0) return;
  const std::size_t size = static_cast<std::size_t>(count_);
  std::vector<double> poses(3 * size);
  for (std::size_t k = 0; k < size; ++k) {
    const double n = static_cast<double>(k) + 0.5, u = n / even_g - std::floor(n / even_g),
                 v = n / (even_g * even_g) - std::floor(n / (even_g * even_g));
    poses[3 * k] = square.middle.x + square.half * (2 * u - 1);
    poses[3 * k + 1] = square.middle.y;
    poses[3 * k + 2] = square.middle.z + square.half * (2 * v - 1);
  }
  position_.upload(poses);
  velocity_.fill_zero(), age_.fill_zero();
}

void FiberTracers::step(const FiberParameters& p, const FiberSources& sources, const FiberPull& pull) {
  if (count_ == 0) return;
  fluid_.velocity(p, sources, pull, position_.data(), count_, now_.data());
  parallel_for(backend_, "fibers.tracers", Range1D{count_},
               MoveTracer{p.time_step, position_.data(), velocity_.data(), age_.data(), now_.data()});
}

void FiberTracers::return_tracers(const TracerSquare& square, std::int64_t step) {
  if (count_ == 0) return;
  parallel_for(backend_, "fibers.tracers-back", Range1D{count_},
               ReturnTracer{square, static_cast<double>(step), position_.data(), age_.data()});
}

void FiberTracers::begin_again() { age_.fill_zero(); }

void FiberTracers::keep() {
  if (count_ == 0) return;
  kept_[0].copy_from(position_), kept_[1].copy_from(velocity_), kept_[2].copy_from(age_);
}
void FiberTracers::restore() {
  if (count_ == 0) return;
  position_.copy_from(kept_[0]), velocity_.copy_from(kept_[1]), age_.copy_from(kept_[2]);
}

TracersSaved FiberTracers::save() const {
  if (count_ == 0) return {};
  return {position_.download(), velocity_.download(), age_.download()};
}

void FiberTracers::load(const TracersSaved& saved) {
  if (count_ == 0) return;
  position_.upload(saved.position), velocity_.upload(saved.velocity), age_.upload(saved.age);
}

}  // namespace perturb::fibers
