#include "cuda/lbm/model/tracers.h"

#include <algorithm>
#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/math/random.h"
#include "cuda/core/paint/raster_capsules.h"
#include "cuda/core/paint/sampling.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

constexpr int capsules_of_tracer = 3;  // a head and a tail, and a dark border behind them, visible on every colour
constexpr double tail_of_height = 0.03;

// The velocity at any position: linear between the centres of cells, zero in walls.
template <class T>
struct FluidAt {
  Velocity<T> velocity;
  int width, height;
  bool wrap_x, wrap_y;

  PERTURB_HD int column(int i) const { return wrap_x ? wrap(i, width) : clamp_index(i, width); }
  PERTURB_HD int row(int j) const { return wrap_y ? wrap(j, height) : clamp_index(j, height); }
  PERTURB_HD bool is_wall(double x, double y) const {
    return velocity.is_wall(clamp_index(static_cast<int>(x), width), clamp_index(static_cast<int>(y), height));
  }
  PERTURB_HD void at(double x, double y, double& ux, double& uy) const {
    const double px = x - 0.5, py = y - 0.5, fx = floor(px), fy = floor(py), a = px - fx, b = py - fy;
    ux = 0;
    uy = 0;
    // A flow that is no longer finite does not move tracers.
    if (!(fx > -1e6 && fx < 1e6 && fy > -1e6 && fy < 1e6)) return;
    const int i = static_cast<int>(fx), j = static_cast<int>(fy);
    for (int k = 0; k < 4; ++k) {
      const Moments m = velocity(column(i + (k & 1)), row(j + (k >> 1)));
      const double share = ((k & 1) ? a : 1 - a) * ((k >> 1) ? b : 1 - b);
      ux += share * static_cast<double>(m.ux);
      uy += share * static_cast<double>(m.uy);
    }
  }
};

// A random position in the fluid; the last one tried if none is found soon.
template <class T>
PERTURB_HD void scatter(const FluidAt<T>& fluid, std::uint32_t seed, int tracer, std::uint64_t moment, double& x,
                        double& y) {
  constexpr std::uint64_t tries = 16;
  for (std::uint64_t k = 0; k < tries; ++k) {
    const Random4 r = philox(seed, static_cast<std::uint64_t>(tracer), tries * moment + k);
    x = uniform_double(r.v[0], r.v[1]) * fluid.width;
    y = uniform_double(r.v[2], r.v[3]) * fluid.height;
    if (!fluid.is_wall(x, y)) return;
  }
}

template <class T>
struct SpreadTracers {
  FluidAt<T> fluid;
  double* state;
  std::uint32_t seed;
  PERTURB_HD void operator()(int tracer) const {
    double* const s = state + 4 * static_cast<std::size_t>(tracer);
    scatter(fluid, seed, tracer, 0, s[0], s[1]);
    fluid.at(s[0], s[1], s[2], s[3]);
  }
};

template <class T>
struct MoveTracers {
  FluidAt<T> fluid;
  double* state;
  double span;
  bool open_x, open_y;  // at least one of these two sides lets fluid through
  std::uint32_t seed;
  std::uint64_t moment;

  PERTURB_HD static void bring_in(double& x, int size, bool through) {
    if (x >= 0 && x < size) return;
    if (through) x -= size * floor(x / size);
    // Rounding may put it exactly on the upper end.
    if (!(x >= 0)) x = 0;
    if (!(x < size)) x = size - 1e-6;
  }
  PERTURB_HD void operator()(int tracer) const {
    double* const s = state + 4 * static_cast<std::size_t>(tracer);
    double ux, uy;
    fluid.at(s[0] + span * s[2], s[1] + span * s[3], ux, uy);
    double x = s[0] + 0.5 * span * (s[2] + ux), y = s[1] + 0.5 * span * (s[3] + uy);
    bring_in(x, fluid.width, fluid.wrap_x || open_x);
    bring_in(y, fluid.height, fluid.wrap_y || open_y);
    if (fluid.is_wall(x, y)) {
      // The tracer stays next to the wall, unless the wall moved over it or blocks its point of entry.
      const bool near = fabs(x - s[0]) < 2 && fabs(y - s[1]) < 2;
      if (near && !fluid.is_wall(s[0], s[1])) {
        x = s[0];
        y = s[1];
      } else {
        scatter(fluid, seed, tracer, moment, x, y);
      }
    }
    s[0] = x;
    s[1] = y;
    fluid.at(x, y, s[2], s[3]);
  }
};

struct ProjectTracers {
  const double* state;
  Walls walls;
  PixelToDomain map;
  int width, height;  // cells
  float columns;      // of the image
  double time;        // steps of a tail
  float radius;       // pixels
  Capsule* capsules;

  PERTURB_HD float column(double x) const { return (static_cast<float>(x / width) - map.x0) / map.dx; }
  PERTURB_HD float row(double y) const { return (static_cast<float>(y / height) - map.y0) / map.dy; }
  PERTURB_HD void operator()(int tracer) const {
    const double* const s = state + 4 * static_cast<std::size_t>(tracer);
    const bool hidden =
        walls.at(clamp_index(static_cast<int>(s[0]), width), clamp_index(static_cast<int>(s[1]), height));
    const float x = column(s[0]), y = row(s[1]);
    const float from_x = column(s[0] - time * s[2]), from_y = row(s[1] - time * s[3]);
    const std::uint32_t bright = rgba(252, 252, 252), dark = rgba(14, 16, 20);
    const float share = hidden ? 0.f : radius;
    Capsule* const c = capsules + capsules_of_tracer * static_cast<std::size_t>(tracer);
    c[0] = {x, y, 0, x, y, 0, share, 0, columns, bright};
    c[1] = {from_x, from_y, 0, x, y, 0, 0.55f * share, 0, columns, bright};
    c[2] = {from_x, from_y, 64, x, y, 64, 1.5f * share, 0, columns, dark};
  }
};

template <class T>
FluidAt<T> fluid_of(const StepParams& flow, const Populations<T>& g) {
  return {lbm_velocity(flow, g), flow.width, flow.height, lbm_wraps_x(flow), lbm_wraps_y(flow)};
}

}  // namespace

namespace {

// The image painted so far. Each pixel is read before it is written.
struct PaintedPicture {
  Pixels pixels;
  PERTURB_HD std::uint32_t operator()(int px, int py) const { return pixels(px, py); }
};

}  // namespace

class Tracers::Picture {
 public:
  explicit Picture(Backend& backend) : raster_(backend) {}
  Capsule* capsules(Backend& backend, std::size_t count) {
    if (capsules_.size() != count) {
      backend.synchronize();  // a frame in flight may still read the old ones
      capsules_ = Array<Capsule>(backend, count, "tracers in view");
    }
    return capsules_.data();
  }
  CapsuleRaster& raster() { return raster_; }

 private:
  Array<Capsule> capsules_;
  CapsuleRaster raster_;
};

Tracers::Tracers(Backend& backend) : backend_(backend), picture_(std::make_unique<Picture>(backend)) {}
Tracers::~Tracers() = default;

void Tracers::spread(int count, const StepParams& flow, const Lattice& lattice, std::uint32_t seed) {
  if (count == 0) {
    state_ = {};
    return;
  }
  Array<double> state(backend_, static_cast<std::size_t>(count) * numbers, "tracers");
  backend_.synchronize();  // a frame in flight may still read the old ones
  state_ = std::move(state);
  spread_again(flow, lattice, seed);
}

void Tracers::spread_again(const StepParams& flow, const Lattice& lattice, std::uint32_t seed) {
  if (empty()) return;
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.spread_tracers", Range1D{count()},
                 SpreadTracers<T>{fluid_of(flow, g), state_.data(), seed});
  });
}

void Tracers::move(const StepParams& flow, const Lattice& lattice, std::uint32_t seed, std::int64_t step) {
  const auto open = [](const Side& side) { return side.kind == Boundary::inlet || side.kind == Boundary::outlet; };
  lattice.with_populations([&]<class T>(const Populations<T>& g) {
    MoveTracers<T> body{};
    body.fluid = fluid_of(flow, g);
    body.state = state_.data();
    body.span = interval;
    body.open_x = open(flow.left) || open(flow.right);
    body.open_y = open(flow.bottom) || open(flow.top);
    body.seed = seed;
    body.moment = static_cast<std::uint64_t>(step);
    parallel_for(backend_, "lbm.move_tracers", Range1D{count()}, body);
  });
}

void Tracers::paint(const StepParams& flow, Pixels pixels, const Camera& camera, double speed) {
  const std::size_t count_of_capsules = capsules_of_tracer * static_cast<std::size_t>(count());
  Capsule* const capsules = picture_->capsules(backend_, count_of_capsules);
  ProjectTracers body{};
  body.state = state_.data();
  if (flow.painted) body.walls = Walls{flow.links};
  body.map = camera.pixel_to_domain(pixels.width, pixels.height, flow.width, flow.height);
  body.width = flow.width;
  body.height = flow.height;
  body.columns = static_cast<float>(pixels.width);
  body.time = tail_of_height * flow.height / std::max(speed, 1e-6);
  body.radius = std::max(1.4f, static_cast<float>(pixels.height) / 420.f);
  body.capsules = capsules;
  parallel_for(backend_, "lbm.project_tracers", Range1D{count()}, body);
  picture_->raster().paint(pixels, capsules, static_cast<int>(count_of_capsules), PaintedPicture{pixels});
}

void Tracers::load(const std::vector<double>& saved) {
  if (saved.size() != state_.size()) state_ = Array<double>(backend_, saved.size(), "tracers");
  state_.upload(saved);
}

}  // namespace perturb::lbm
