#include "cuda/lbm/model/lattice.h"

#include <utility>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/edited_pass.h"
#include "cuda/lbm/model/saved.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

constexpr float fastest_push = 0.25f;  // cells a step; the low-Mach model holds up to 0.3

// The numbers of a cell that a state contains.
template <class A, class B>
struct CompareCells {
  Velocity<A> first;
  Velocity<B> second;

  template <class T>
  PERTURB_HD static Moments read(const Velocity<T>& flow, int i, int j, float (&g)[lbm_links]) {
    if (flow.is_wall(i, j)) {
      for (float& population : g) population = 0.f;
      return {0.f, 0.f, 0.f};
    }
    flow.g.load(i, j, g);
    return moments(g, -flow.half_force_x, -flow.half_force_y);
  }
  PERTURB_HD static void add(float a, float b, LargestDifference& into) {
    into.add(static_cast<double>(a), static_cast<double>(b));
  }
  PERTURB_HD void operator()(int i, int j, LargestDifference& into) const {
    float a[lbm_links], b[lbm_links];
    const Moments of_a = read(first, i, j, a), of_b = read(second, i, j, b);
    for (int q = 0; q < lbm_links; ++q) {
      add(a[q], b[q], into);
      add(unshift(q, a[q]), unshift(q, b[q]), into);
    }
    add(1.f + of_a.drho, 1.f + of_b.drho, into);
    add(of_a.ux, of_b.ux, into);
    add(of_a.uy, of_b.uy, into);
  }
};

}  // namespace

Lattice::Lattice(Backend& backend, int width, int height, Storage storage)
    : backend_(backend), width_(width), height_(height) {
  if (storage == Storage::fp16) {
    half_now_ = half_planes();
    half_next_ = half_planes();
  } else {
    now_ = full_planes();
    next_ = full_planes();
  }
}

void Lattice::store(bool half, bool one_copy) {
  if (half && !is_half()) {
    Planes<Half> a = half_planes(), b = half_planes();
    parallel_for(backend_, "lbm.convert", whole(), Convert<float, Half>{now_.populations(), a.populations()});
    half_now_ = std::move(a);
    half_next_ = std::move(b);
    now_ = {};
    next_ = {};
  } else if (!half && is_half()) {
    Planes<float> a = full_planes(), b = one_copy ? Planes<float>() : full_planes();
    parallel_for(backend_, "lbm.convert", whole(), Convert<Half, float>{half_now_.populations(), a.populations()});
    now_ = std::move(a);
    next_ = std::move(b);
    half_now_ = {};
    half_next_ = {};
  } else if (!half) {
    if (one_copy)
      next_ = {};
    else
      need_next();
  }
}

void Lattice::need_next() {
  if (next_.empty()) next_ = full_planes();
}

void Lattice::share(const EditedKernel& kernel) { share_fields(backend_, kernel, now_, next_); }
void Lattice::unshare() { unshare_fields(backend_, now_, next_); }

void Lattice::push(const StepParams& flow, const Stroke& stroke) {
  const Patch patch = patch_around(stroke.line, 3 * stroke.radius, repeating(flow));
  const Box& box = patch.box;
  if (box.empty()) return;
  with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.push", box.size,
                 Push<T>{g, lbm_velocity(flow, g), stroke.line, patch.copies, stroke.vx, stroke.vy, stroke.radius,
                         fastest_push, box.i, box.j});
  });
}

void Lattice::set_flow(const StepParams& flow, const Flow& to, const Box& box) {
  if (box.empty()) return;
  with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.set_flow", box.size, SetFlow<T>{g, lbm_velocity(flow, g), to, box.i, box.j});
  });
}

void Lattice::change_force(const StepParams& flow, double x, double y) {
  if (x == 0 && y == 0) return;
  with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.change_force", whole(),
                 ChangeForce<T>{g, lbm_velocity(flow, g).walls, static_cast<float>(x), static_cast<float>(y)});
  });
}

void Lattice::disturb(const StepParams& flow, const Disturbance& d) {
  with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.disturb", whole(),
                 Disturb<T>{g, lbm_velocity(flow, g).walls, d.size, d.seed, static_cast<std::uint64_t>(d.step), d.i,
                            d.j, lbm_wraps_x(flow), lbm_wraps_y(flow)});
  });
}

void Lattice::initialize_uncovered_cells(const StepParams& flow, View2D<const std::uint8_t> wall,
                                         const WallVelocity& wall_velocity) {
  with_populations([&]<class T>(const Populations<T>& g) {
    parallel_for(backend_, "lbm.adopt_walls", whole(),
                 InitializeUncoveredCells<T>{g, lbm_velocity(flow, g), wall, lbm_wraps_x(flow), lbm_wraps_y(flow),
                                             wall_velocity});
  });
}

Moments Lattice::moments_at(const StepParams& flow, int i, int j) const {
  float g[lbm_links];
  with_populations([&]<class T>(const Populations<T>& stored) {
    for (int q = 0; q < lbm_links; ++q) {
      T value;
      backend_.copy_to_host(&value, stored.row(q, j) + i, sizeof value);
      g[q] = lbm_read(value);
    }
  });
  return moments(g, -0.5f * flow.rates.force_x, -0.5f * flow.rates.force_y);
}

std::vector<float> Lattice::download() const {
  if (!is_half()) return now_.download();
  const std::vector<Half> stored = half_now_.download();
  std::vector<float> g(stored.size());
  for (std::size_t k = 0; k < g.size(); ++k) g[k] = lbm_read(stored[k]);
  return g;
}

void Lattice::load(const std::vector<float>& shifted) {
  if (!is_half()) {
    now_.upload(shifted);
    return;
  }
  std::vector<Half> stored(shifted.size());
  for (std::size_t k = 0; k < shifted.size(); ++k) lbm_write(stored[k], shifted[k]);
  half_now_.upload(stored);
}

void Lattice::save_to(State& state, const StepParams& flow, const std::vector<std::uint8_t>& wall) const {
  const std::size_t cells = static_cast<std::size_t>(width_) * height_, w = width_, h = height_;
  std::vector<float> g = download();
  std::vector<float> f(g.size()), density(cells), velocity(2 * cells);
  for (std::size_t k = 0; k < cells; ++k) {
    float cell[lbm_links];
    for (int q = 0; q < lbm_links; ++q) {
      float& population = g[static_cast<std::size_t>(q) * cells + k];
      if (wall[k] != 0) population = 0;  // discards what a kernel has stored there (unsplit and split store something)
      cell[q] = population;
    }
    for (int q = 0; q < lbm_links; ++q) f[static_cast<std::size_t>(q) * cells + k] = unshift(q, cell[q]);
    Moments m{0, 0, 0};
    if (wall[k] == 0) m = moments(cell, -0.5f * flow.rates.force_x, -0.5f * flow.rates.force_y);
    density[k] = 1.f + m.drho;
    velocity[2 * k] = m.ux;
    velocity[2 * k + 1] = m.uy;
  }
  state.put("density", {h, w}, "", density);
  state.put("velocity", {h, w, 2}, "cell/step", velocity);
  state.put("populations", {lbm_links, h, w}, "", f);
  state.put("populations_shifted", {lbm_links, h, w}, "", g);
}

double Lattice::difference_from(const StepParams& flow, const Lattice& other, const StepParams& other_flow) {
  if (!difference_) difference_.emplace(backend_);
  with_populations([&]<class A>(const Populations<A>& first) {
    other.with_populations([&]<class B>(const Populations<B>& second) {
      difference_->start("race.difference", whole(),
                         CompareCells<A, B>{lbm_velocity(flow, first), lbm_velocity(other_flow, second)});
    });
  });
  difference_->wait();
  return difference_->result().value();
}

}  // namespace perturb::lbm
